"""Subscriptions of a robot: twists, Ackermann and Autoware commands, joints, single actuators."""

import math
from collections.abc import Callable, Iterator
from threading import Lock

import numpy as np

from autosim.config.descriptions import RobotDescription
from autosim.kinds.actuators.motor import Motor
from autosim.model.commands import Command, DeviceError, command_for
from autosim.model.state import State
from autosim.model.tree import Access, TreeNode
from autosim.ros2.driving.speed_control import SpeedController, WantedMotion
from autosim.ros2.message_types import Message
from autosim.ros2.ros_graph import GraphParticipant, ros_name

Report = Callable[[str], None]
"""Called with the reason why a message was not obeyed."""


class RobotCommands:
    """Takes what nodes ask of a robot, in threads of zenoh, and gives it to the bridge's.

    Args:
        node: that subscribes.
        state: whose buffer holds the values.
        robot: its description.
        report: called with the reason why a message was not obeyed.
    """

    def __init__(
        self, node: GraphParticipant, state: State, robot: RobotDescription, report: Report
    ) -> None:
        self._state, self._robot, self._report = state, robot, report
        self._lock = Lock()
        self._pending: dict[str, Command] = {}
        self._controller: SpeedController | None = None
        try:
            self._controller = SpeedController(state, robot)
        except ValueError:
            pass
        else:
            self._subscribe_vehicle(node)
        self._motors = {
            each.name: f"{robot.name}.{each.part}.{each.name}"
            for each in robot.devices
            if isinstance(each, Motor)
        }
        base = f"/{ros_name(robot.name)}"
        if self._motors:
            topic = f"{base}/joint_command"
            node.subscribe(topic, "sensor_msgs/msg/JointState", self._take_joints, reject=report)
        for device in _actuators(state, robot.name):
            last = ros_name(device.name.rpartition(".")[2])
            node.subscribe(
                f"{base}/{last}/command",
                "std_msgs/msg/Float64MultiArray",
                self._taker(device),
                reject=report,
            )

    def take(self) -> list[Command]:
        """The commands for the next step; each is given once, those of a controller each time."""
        with self._lock:
            commands, self._pending = self._pending, {}
            if self._controller is not None:
                values = self._controller.values(self._state.time)
                if values is not None and self._controller.device not in commands:
                    device = self._controller.device
                    commands[device] = command_for(self._state.tree, device, values)
        return list(commands.values())

    def _subscribe_vehicle(self, node: GraphParticipant) -> None:
        base = f"/{ros_name(self._robot.name)}"
        report = self._report
        node.subscribe(f"{base}/cmd_vel", "geometry_msgs/msg/Twist", self._twist, reject=report)
        node.subscribe(
            f"{base}/cmd_vel_stamped",
            "geometry_msgs/msg/TwistStamped",
            lambda message: self._twist(message.twist),
            reject=report,
        )
        node.subscribe(
            f"{base}/ackermann_cmd",
            "ackermann_msgs/msg/AckermannDriveStamped",
            lambda message: self._drive(
                "ackermann_cmd",
                message.drive.speed,
                message.drive.steering_angle,
                message.drive.acceleration,
            ),
            reject=report,
        )
        node.subscribe(
            f"{base}/control/command/control_cmd",
            "autoware_control_msgs/msg/Control",
            self._autoware,
            reject=report,
        )

    def _twist(self, message: Message) -> None:
        forward, turn = message.linear.x, message.angular.z
        if self._controller is None or not self._are_finite("cmd_vel", forward, turn):
            return
        with self._lock:
            self._controller.wish_twist(forward, turn, self._state.time)

    def _autoware(self, message: Message) -> None:
        along = message.longitudinal
        acceleration = along.acceleration if along.is_defined_acceleration else 0.0
        angle = message.lateral.steering_tire_angle
        self._drive("control_cmd", along.velocity, angle, acceleration)

    def _drive(self, topic: str, speed: float, steering: float, acceleration: float) -> None:
        if self._controller is None or not self._are_finite(topic, speed, steering, acceleration):
            return
        motion = WantedMotion(speed, steering, acceleration or None)
        with self._lock:
            self._controller.wish(motion, self._state.time)

    def _take_joints(self, message: Message) -> None:
        for name, position in zip(message.name, message.position, strict=False):
            device = self._motors.get(name)
            if device is None:
                known = ", ".join(self._motors)
                self._report(f"{self._robot.name}/joint_command: no motor {name!r} (has {known})")
            elif self._are_finite("joint_command", position):
                self._put(device, [float(position)])

    def _taker(self, device: TreeNode) -> Callable[[Message], None]:
        def take(message: Message) -> None:
            self._put(device.name, np.asarray(message.data))

        return take

    def _put(
        self, device: str, values: "np.ndarray[tuple[int], np.dtype[np.float64]] | list[float]"
    ) -> None:
        try:
            command = command_for(self._state.tree, device, values)
        except DeviceError as error:
            self._report(f"{device}: {error.reason}")
            return
        with self._lock:
            self._pending[device] = command

    def _are_finite(self, topic: str, *values: float) -> bool:
        if all(map(math.isfinite, values)):
            return True
        self._report(f"{self._robot.name}/{topic}: not all numbers are finite; nothing was set")
        return False


def _actuators(state: State, robot: str) -> Iterator[TreeNode]:
    """The nodes of a robot's actuators, and of what its programs set."""
    node = state.tree.find(robot)
    assert node is not None
    for each in node.walk():
        has_numbers = all(not field.is_list for field in each.fields)
        if (
            each.access is not Access.READ
            and each.fields
            and has_numbers
            and each.name.count(".") == 2
        ):
            yield each
