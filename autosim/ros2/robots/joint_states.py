"""The joints of a robot: wheels, steering and links as `sensor_msgs/JointState`."""

import numpy as np

from autosim.config.descriptions import RobotDescription
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.kinematic.kinematic_wheel import KinematicWheel
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.ros2.message_types import Fields
from autosim.ros2.ros_frames import header_of
from autosim.ros2.ros_graph import Quality, ros_name
from autosim.ros2.sensors.topics import RosTopic

_STEERING, _ROTATION, _RATE = 0, 1, 2
"""Words of a wheel."""


def joint_topics(state: State, robot: RobotDescription, period: float) -> list[RosTopic]:
    """The topic ROBOT/joint_states; none for a robot without joints.

    A wheel is a joint with its name, a steered one also a joint WHEEL_steering. Efforts are empty.

    Args:
        state: whose buffer holds the values.
        robot: its description.
        period: time [s] between two messages.
    """
    names: list[str] = []
    positions: list[int] = []
    rates: list[int] = []
    for device in robot.devices:
        if isinstance(device, WheelDevice | KinematicWheel):
            first = _first_word(state, f"{robot.name}.{device.part}.{device.name}")
            names.append(device.name)
            positions.append(first + _ROTATION)
            rates.append(first + _RATE)
            if device.is_steering:
                names.append(f"{device.name}_steering")
                positions.append(first + _STEERING)
                rates.append(-1)
    for link in robot.links:
        node = state.tree.find(f"{robot.name}.{link.name}")
        if node is not None and {"position", "velocity"} <= {each.name for each in node.fields}:
            names.append(link.name)
            positions.append(node.field_offset("position") // WORD)
            rates.append(node.field_offset("velocity") // WORD)
    if not names:
        return []
    of_positions, of_rates = np.array(positions), np.array(rates)

    def make(time: int) -> Fields:
        # The rate of a steering angle is not simulated.
        velocities = np.where(of_rates >= 0, state.floats[of_rates], np.nan)
        return {
            "header": header_of(time, ""),
            "name": names,
            "position": state.floats[of_positions],
            "velocity": velocities,
        }

    topic = f"/{ros_name(robot.name)}/joint_states"
    return [RosTopic(topic, "sensor_msgs/msg/JointState", make, Quality.DEFAULT, period)]


def _first_word(state: State, name: str) -> int:
    node = state.tree.find(name)
    assert node is not None
    return node.start // WORD
