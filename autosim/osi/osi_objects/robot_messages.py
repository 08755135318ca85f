"""A robot as a moving object of OSI."""

from typing import TypeAlias

import numpy as np
from osi3.osi_object_pb2 import MovingObject

from autosim.arrays import Floats
from autosim.config.descriptions import RobotDescription
from autosim.kinds.actuators.light import LightDevice
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.model.belief import (
    ACCELERATION,
    ANGULAR_VELOCITY,
    ORIENTATION,
    POSITION,
    VELOCITY,
    truth_of,
)
from autosim.model.quaternions import matrix_of
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.osi.osi_objects.robot_shape import RobotShape
from autosim.osi.osi_values import (
    IdKind,
    angle_rates,
    angles_of,
    dimensions,
    identifier,
    orientation,
    vector,
)

_Vehicle: TypeAlias = MovingObject.VehicleClassification
_Lights: TypeAlias = MovingObject.VehicleClassification.LightState

_TYPES = {
    "": _Vehicle.TYPE_CAR,
    "car": _Vehicle.TYPE_CAR,
    "truck": _Vehicle.TYPE_HEAVY_TRUCK,
    "bus": _Vehicle.TYPE_BUS,
    "motorcycle": _Vehicle.TYPE_MOTORCYCLE,
    "bicycle": _Vehicle.TYPE_BICYCLE,
}
"""Types of vehicles by their semantic classes."""

_STEERING, _RATE, _SUSPENSION = 0, 2, 3
"""Words of a wheel: its angle [rad], its rate [rad/s], and the length [m] of its suspension."""

_ON = 0.5
"""Brightness, as a share, from which a light is on."""


class RobotObject:
    """Makes the messages of one robot.

    Args:
        state: whose buffer holds the values.
        robot: its description.
        number: its place among the robots.
    """

    def __init__(self, state: State, robot: RobotDescription, number: int) -> None:
        self.name, self.robot = robot.name, robot
        self.id = identifier(IdKind.ROBOT, number)
        self.shape = RobotShape.of(robot)
        node = truth_of(state.tree, robot.name)
        self._words = state.floats[node.start // WORD : node.own_stop // WORD]
        self._wheels = [
            (*each, _numbers(state, f"{robot.name}.{each[0].part}.{each[0].name}"))
            for each in self.shape.wheels
        ]
        self._lights = [
            (device.follows.function, _numbers(state, f"{robot.name}.{device.part}.{device.name}"))
            for device in robot.devices
            if isinstance(device, LightDevice) and device.follows is not None
        ]
        self.fixed = self._make_fixed()

    def message(self) -> MovingObject:
        """The robot in the present state."""
        found = MovingObject()
        found.CopyFrom(self.fixed)
        pose_of(found, self._words, self.shape.centre)
        if self.shape.wheels:
            for data, (wheel, place, words) in zip(
                found.vehicle_attributes.wheel_data, self._wheels, strict=True
            ):
                if isinstance(wheel, WheelDevice):
                    up = place[2] - self.shape.centre[2] - words[_SUSPENSION]
                    data.position.z = float(up)
                data.orientation.yaw = float(words[_STEERING])
                data.rotation_rate = float(words[_RATE])
            self._set_lights(found.vehicle_classification.light_state)
        return found

    def _make_fixed(self) -> MovingObject:
        """The part of the message that is the same in each state."""
        shape, found = self.shape, MovingObject()
        found.id.value = self.id
        found.base.dimension.CopyFrom(dimensions(shape.size))
        reference = found.source_reference.add()
        reference.type, reference.identifier[:] = "net.autosim.robot", [self.name]
        if not shape.wheels:
            found.type = MovingObject.TYPE_OTHER
            return found
        found.type = MovingObject.TYPE_VEHICLE
        kind = found.vehicle_classification
        kind.type = _TYPES.get(self.robot.semantic_class, _Vehicle.TYPE_OTHER)
        kind.role, kind.has_trailer = _Vehicle.ROLE_CIVIL, False
        body = found.vehicle_attributes
        body.number_wheels, body.radius_wheel = len(shape.wheels), shape.wheel_radius
        body.ground_clearance = shape.clearance
        if shape.rear is not None and shape.front is not None:
            body.bbcenter_to_rear.CopyFrom(vector(shape.rear))
            body.bbcenter_to_front.CopyFrom(vector(shape.front))
        axle, index, last = -1, 0, None
        for wheel, place in shape.wheels:
            along = round(float(place[0]), 2)
            axle, index = (axle, index + 1) if along == last else (axle + 1, 0)
            last = along
            data = body.wheel_data.add(axle=axle, index=index, wheel_radius=wheel.radius)
            data.width = wheel.width
            data.position.CopyFrom(vector(place - shape.centre))
            data.orientation.CopyFrom(orientation((0.0, 0.0, 0.0)))
        return found

    def _set_lights(self, lights: _Lights) -> None:
        on = {function for function, words in self._lights if words[0] >= _ON}
        known = {function for function, _ in self._lights}
        if "brake" in known:
            lights.brake_light_state = (
                _Lights.BRAKE_LIGHT_STATE_NORMAL if "brake" in on else _Lights.BRAKE_LIGHT_STATE_OFF
            )
        if "reverse" in known:
            lights.reversing_light = (
                _Lights.GENERIC_LIGHT_STATE_ON
                if "reverse" in on
                else _Lights.GENERIC_LIGHT_STATE_OFF
            )


def pose_of(found: MovingObject, words: Floats, centre: Floats) -> None:
    """Writes the motion of a body into a message, in W and at the centre of its box.

    Args:
        found: the message.
        words: position, orientation, velocity, angular velocity and acceleration, as in `belief`.
        centre: (3,) [m] of the box in the body's axes. Its acceleration leaves out the share of
            the angular acceleration, which is not known.
    """
    R_WB = matrix_of(tuple(words[ORIENTATION:VELOCITY].tolist()))
    turning = words[ANGULAR_VELOCITY:ACCELERATION]
    offset = R_WB @ centre
    base, angles = found.base, angles_of(R_WB)
    along = np.cross(turning, offset)
    base.position.CopyFrom(vector(words[POSITION:ORIENTATION] + offset))
    base.orientation.CopyFrom(orientation(angles))
    base.velocity.CopyFrom(vector(words[VELOCITY:ANGULAR_VELOCITY] + along))
    acceleration = words[ACCELERATION : ACCELERATION + 3] + np.cross(turning, along)
    base.acceleration.CopyFrom(vector(acceleration))
    base.orientation_rate.CopyFrom(orientation(angle_rates(angles, R_WB.T @ turning)))


def _numbers(state: State, name: str) -> Floats:
    """The words of a node's own fields: a view of the state."""
    node = state.tree.find(name)
    assert node is not None
    return state.floats[node.start // WORD : node.own_stop // WORD]
