"""Reports of a vehicle, in the messages of Autoware's vehicle interface."""

import numpy as np

from autosim.config.descriptions import RobotDescription
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.kinematic.kinematic_wheel import KinematicWheel
from autosim.model.belief import ANGULAR_VELOCITY, ORIENTATION, VELOCITY, belief_of
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.ros2.message_types import Fields
from autosim.ros2.ros_frames import header_of, rotation_of, stamp_of
from autosim.ros2.ros_graph import Quality, ros_name
from autosim.ros2.sensors.topics import RosTopic

_DRIVE, _REVERSE = 2, 20
"""Numbers of gears in a GearReport."""

_ROLLING = 0.05
"""[m/s] Speed backwards from which on the gear counts as reverse."""


def vehicle_topics(state: State, robot: RobotDescription, period: float) -> list[RosTopic]:
    """Velocity, steering and gear on ROBOT/vehicle/status/…; none for a robot without wheels.

    Args:
        state: whose buffer holds the values.
        robot: its description.
        period: time [s] between two messages.
    """
    wheels = [each for each in robot.devices if isinstance(each, WheelDevice | KinematicWheel)]
    steered = [
        node.start // WORD
        for each in wheels
        if each.is_steering
        and (node := state.tree.find(f"{robot.name}.{each.part}.{each.name}")) is not None
    ]
    if not steered:
        return []
    node = belief_of(state.tree, robot.name)
    words = state.floats[node.start // WORD : node.own_stop // WORD]
    base = f"{robot.name}/base_link"

    def velocity(time: int) -> Fields:
        forward, left, _ = rotation_of(words[ORIENTATION:VELOCITY]).T @ words[VELOCITY:][:3]
        return {
            "header": header_of(time, base),
            "longitudinal_velocity": float(forward),
            "lateral_velocity": float(left),
            "heading_rate": float(words[ANGULAR_VELOCITY + 2]),
        }

    def steering(time: int) -> Fields:
        angle = float(np.mean(state.floats[steered]))
        return {"stamp": stamp_of(time), "steering_tire_angle": angle}

    def gear(time: int) -> Fields:
        forward = rotation_of(words[ORIENTATION:VELOCITY])[:, 0] @ words[VELOCITY:][:3]
        return {"stamp": stamp_of(time), "report": _REVERSE if forward < -_ROLLING else _DRIVE}

    status = f"/{ros_name(robot.name)}/vehicle/status"
    package = "autoware_vehicle_msgs/msg"
    quality = Quality.DEFAULT
    return [
        RosTopic(
            f"{status}/velocity_status", f"{package}/VelocityReport", velocity, quality, period
        ),
        RosTopic(
            f"{status}/steering_status", f"{package}/SteeringReport", steering, quality, period
        ),
        RosTopic(f"{status}/gear_status", f"{package}/GearReport", gear, quality, period),
    ]
