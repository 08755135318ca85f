"""Knowledge of a robot about itself as `HostVehicleData`: its belief, its wheels, its pedals."""

import numpy as np
from osi3.osi_hostvehicledata_pb2 import HostVehicleData

from autosim.arrays import Floats
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.model.belief import (
    ACCELERATION,
    ANGULAR_VELOCITY,
    ORIENTATION,
    POSITION,
    VELOCITY,
    belief_of,
)
from autosim.model.quaternions import matrix_of
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.osi.osi_objects.robot_messages import RobotObject
from autosim.osi.osi_values import (
    angle_rates,
    angles_of,
    interface_version,
    orientation,
    timestamp,
    vector,
)
from autosim.world.geometry.map_projection import MapProjection

_RATE, _SLIP = 2, 5
"""Words of a wheel: its rate [rad/s] and its longitudinal slip."""

_ACCELERATION, _BRAKE, _GEAR = 1, 2, 4
"""Words of a drive actuator."""

_LEAST_SPEED = 0.1
"""Speed [m/s] below which the curvature of the path is not stated."""


class HostVehicle:
    """Makes the `HostVehicleData` of one robot.

    Args:
        state: whose buffer holds the values.
        robot: the robot as a moving object.
        projection: of the map; None: no geodetic position is stated.
    """

    def __init__(
        self, state: State, robot: RobotObject, projection: MapProjection | None = None
    ) -> None:
        self.robot, self.id, self._projection = robot, robot.id, projection
        node = belief_of(state.tree, robot.name)
        self._words = state.floats[node.start // WORD : node.own_stop // WORD]
        self._wheels = [
            (wheel, _words(state, f"{robot.name}.{wheel.part}.{wheel.name}"))
            for wheel, _ in robot.shape.wheels
        ]
        self._drive = next(
            (
                _words(state, f"{robot.name}.{each.part}.{each.name}")
                for each in robot.robot.devices
                if isinstance(each, DriveActuator)
            ),
            None,
        )
        self._mass = sum(part.mass for part in robot.robot.parts)
        self._axles = [(each.axle, each.index) for each in _axles(robot)]

    def message(self, time: int) -> HostVehicleData:
        """The knowledge of the robot at a simulated time [ns]."""
        found = HostVehicleData(version=interface_version(), timestamp=timestamp(time))
        found.host_vehicle_id.value = self.robot.id
        found.vehicle_basics.curb_weight = self._mass
        found.vehicle_basics.operating_state = HostVehicleData.VehicleBasics.OPERATING_STATE_DRIVING
        for (axle, index), (wheel, words) in zip(self._axles, self._wheels, strict=True):
            data = found.vehicle_wheels.wheel_data.add(axle=axle, index=index)
            data.rotation_rate = float(words[_RATE])
            if isinstance(wheel, WheelDevice):
                data.slip = 100.0 * float(words[_SLIP])
        if self._drive is not None:
            powertrain = found.vehicle_powertrain
            powertrain.pedal_position_acceleration = abs(float(self._drive[_ACCELERATION]))
            powertrain.gear_transmission = round(float(self._drive[_GEAR]))
            found.vehicle_brake_system.pedal_position_brake = float(self._drive[_BRAKE])
        self._add_motion(found)
        return found

    def _add_motion(self, found: HostVehicleData) -> None:
        """Adds the believed place of the box's centre, and the motion of the rear axle."""
        words, shape = self._words, self.robot.shape
        R_WB = matrix_of(tuple(words[ORIENTATION:VELOCITY].tolist()))
        angles = angles_of(R_WB)
        centre = words[POSITION:ORIENTATION] + R_WB @ shape.centre
        place = found.vehicle_localization
        place.position.CopyFrom(vector(centre))
        place.orientation.CopyFrom(orientation(angles))
        if self._projection is not None:
            latitude, longitude = self._projection.to_geographic(centre[None, :2])[0]
            place.geodetic_position.latitude = float(latitude)
            place.geodetic_position.longitude = float(longitude)
        turning = R_WB.T @ words[ANGULAR_VELOCITY:ACCELERATION]
        along = np.cross(turning, shape.reference)
        velocity = R_WB.T @ words[VELOCITY:ANGULAR_VELOCITY] + along
        acceleration = R_WB.T @ words[ACCELERATION : ACCELERATION + 3] + np.cross(turning, along)
        motion = found.vehicle_motion
        reference = words[POSITION:ORIENTATION] + R_WB @ shape.reference
        motion.position.CopyFrom(vector(reference))
        motion.orientation.CopyFrom(orientation(angles))
        motion.velocity.CopyFrom(vector(velocity))
        motion.acceleration.CopyFrom(vector(acceleration))
        motion.orientation_rate.CopyFrom(orientation(angle_rates(angles, turning)))
        if abs(velocity[0]) > _LEAST_SPEED:
            motion.current_curvature = float(turning[2] / velocity[0])


def _axles(robot: RobotObject) -> list[HostVehicleData.VehicleWheels.WheelData]:
    return list(robot.fixed.vehicle_attributes.wheel_data)


def _words(state: State, name: str) -> Floats:
    node = state.tree.find(name)
    assert node is not None
    return state.floats[node.start // WORD : node.own_stop // WORD]
