"""Odometry and transforms of a robot: what it believes of its motion, and what is true of it."""

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import RobotDescription
from autosim.kinds.actuators.light import HeadLightDevice, LightDevice
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.kinematic.kinematic_wheel import KinematicWheel
from autosim.kinds.sensors.perception.camera import Camera
from autosim.model.belief import (
    ANGULAR_VELOCITY,
    BELIEF_WORDS,
    ERRORS,
    ORIENTATION,
    POSITION,
    TRUTH_WORDS,
    VELOCITY,
    belief_of,
    truth_of,
)
from autosim.model.state import State
from autosim.model.tree import WORD, TreeNode
from autosim.ros2.message_types import Fields
from autosim.ros2.ros_frames import (
    MAP,
    OPTICAL,
    axes_of,
    conjugate,
    header_of,
    odom_frame,
    part_frame,
    product,
    rotation_of,
    transform,
    xyz,
    xyzw,
)
from autosim.ros2.ros_graph import Quality, ros_name
from autosim.ros2.sensors.topics import RosTopic

_WITHOUT_FRAME = (WheelDevice, KinematicWheel, LightDevice, HeadLightDevice)
"""Devices with a place that move, or that measure nothing."""

_NO_TURN = np.array([0.0, 0.0, 0.0, 1.0])
"""Quaternion of no rotation: four numbers x, y, z, w."""

_ORIGIN = np.zeros(3)
"""[m] The place (3,) of a frame in itself."""


def odometry_topics(state: State, robot: str, period: float) -> list[RosTopic]:
    """`nav_msgs/Odometry` of the belief on ROBOT/odom, of the truth on ROBOT/ground_truth/odom.

    Twists are in the frame of base_link, as the message asks for.

    Args:
        state: whose buffer holds the values.
        robot: its name.
        period: time [s] between two messages.
    """
    name = ros_name(robot)
    believed, true = belief_of(state.tree, robot), truth_of(state.tree, robot)
    return [
        _odometry(state, believed, f"/{name}/odom", odom_frame(robot), robot, period),
        _odometry(state, true, f"/{name}/ground_truth/odom", MAP, robot, period),
    ]


def _odometry(
    state: State, node: TreeNode, topic: str, parent: str, robot: str, period: float
) -> RosTopic:
    words = _words(state, node)

    def make(time: int) -> Fields:
        orientation = words[ORIENTATION:VELOCITY]
        to_body = rotation_of(orientation).T
        pose_covariance, twist_covariance = _covariances(words, to_body)
        return {
            "header": header_of(time, parent),
            "child_frame_id": f"{robot}/base_link",
            "pose": {
                "pose": {
                    "position": xyz(words[POSITION:ORIENTATION]),
                    "orientation": xyzw(orientation),
                },
                "covariance": pose_covariance,
            },
            "twist": {
                "twist": {
                    "linear": xyz(to_body @ words[VELOCITY:ANGULAR_VELOCITY]),
                    "angular": xyz(to_body @ words[ANGULAR_VELOCITY : ANGULAR_VELOCITY + 3]),
                },
                "covariance": twist_covariance,
            },
        }

    return RosTopic(topic, "nav_msgs/msg/Odometry", make, Quality.DEFAULT, period)


def _covariances(words: Floats, to_body: Floats) -> tuple[Floats, Floats]:
    """The covariances (36,) of pose and twist; zero: unknown."""
    pose, twist = np.zeros((6, 6)), np.zeros((6, 6))
    errors = words[TRUTH_WORDS:BELIEF_WORDS]
    if errors.size:
        errors = errors.reshape(ERRORS, ERRORS)
        pose[:] = errors[:6, :6]
        twist[:3, :3] = to_body @ errors[6:, 6:] @ to_body.T
    return pose.ravel(), twist.ravel()


class RobotTransforms:
    """The transforms of a robot.

    Args:
        state: whose buffer holds the values.
        robot: its description.
    """

    def __init__(self, state: State, robot: RobotDescription) -> None:
        self._state, self._robot = state, robot
        self._first = robot.parts[0].name
        self._base = self._frame(self._first)
        self._belief = _words(state, belief_of(state.tree, robot.name))
        self._truth = _words(state, truth_of(state.tree, robot.name))
        self._parts = [
            (part.name, _pose_words(state, f"{robot.name}.{part.name}"))
            for part in robot.parts
            if part.name != self._first
        ]
        wheels = [each for each in robot.devices if isinstance(each, WheelDevice | KinematicWheel)]
        self._wheels = [(each, self._device_words(each)) for each in wheels]

    def static(self) -> list[Fields]:
        """Transforms of the odom frame in the map, and of the devices on their parts."""
        odom = odom_frame(self._robot.name)
        found = [transform(0, MAP, odom, _ORIGIN, _NO_TURN)]
        for device in self._robot.devices:
            position = getattr(device, "position", None)
            if position is None or isinstance(device, _WITHOUT_FRAME):
                continue
            direction = getattr(device, "direction", None)
            axes = axes_of(direction, getattr(device, "up", None)) if direction else _NO_TURN
            frame, parent = device_frame(self._robot, device.name), self._frame(device.part)
            found.append(transform(0, parent, frame, np.array(position), axes))
            if isinstance(device, Camera):
                found.append(transform(0, frame, f"{frame}_optical", _ORIGIN, OPTICAL))
        return found

    def moving(self, time: int) -> list[Fields]:
        """Transforms of base_link in the odom frame, and of other parts and wheels in base_link."""
        belief, truth = self._belief, self._truth
        position, orientation = belief[POSITION:ORIENTATION], belief[ORIENTATION:VELOCITY]
        odom = odom_frame(self._robot.name)
        found = [transform(time, odom, self._base, position, orientation)]
        to_body = rotation_of(truth[ORIENTATION:VELOCITY]).T
        turn_back = conjugate(truth[ORIENTATION:VELOCITY])
        for name, words in self._parts:
            offset = to_body @ (words[:3] - truth[POSITION:ORIENTATION])
            turn = product(turn_back, words[3:7])
            found.append(transform(time, self._base, self._frame(name), offset, turn))
        for wheel, words in self._wheels:
            found.append(self._wheel(time, wheel, words))
        return found

    def _wheel(self, time: int, wheel: WheelDevice | KinematicWheel, words: Floats) -> Fields:
        steering, rotation = words[0], words[1]
        hub = np.array(wheel.position)
        if isinstance(wheel, WheelDevice):
            hub[2] -= words[3]
        steer = np.array([0.0, 0.0, np.sin(steering / 2.0), np.cos(steering / 2.0)])
        roll = np.array([0.0, np.sin(rotation / 2.0), 0.0, np.cos(rotation / 2.0)])
        frame = device_frame(self._robot, wheel.name)
        return transform(time, self._frame(wheel.part), frame, hub, product(steer, roll))

    def _frame(self, part: str) -> str:
        return part_frame(self._robot.name, part, self._first)

    def _device_words(self, device: WheelDevice | KinematicWheel) -> Floats:
        node = self._state.tree.find(f"{self._robot.name}.{device.part}.{device.name}")
        assert node is not None
        return _words(self._state, node)


def device_frame(robot: RobotDescription, device: str) -> str:
    """The frame of a device."""
    return f"{robot.name}/{device}"


def _words(state: State, node: TreeNode) -> Floats:
    """The words of a node's own fields: a view of the state."""
    return state.floats[node.start // WORD : node.own_stop // WORD]


def _pose_words(state: State, part: str) -> Floats:
    """Position and orientation (7,) of a part in W: a view of the state."""
    node = state.tree.find(part)
    assert node is not None
    first = node.field_offset("position") // WORD
    return state.floats[first : first + 7]
