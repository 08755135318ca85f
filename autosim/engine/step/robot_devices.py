"""Writes commands into the devices of robots, and the state of each robot."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from autosim.engine.command_gate.drivers import Drivers
from autosim.engine.command_gate.gate import CheckedCommand
from autosim.engine.step.placement import Placement
from autosim.model.commands import BLOCKED, Command, DeviceState, RobotStateChange, write_command
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.model.tree import WORD, Access, TreeNode


class RobotDevices:
    """The robots of a simulation.

    Args:
        nodes: of the robots, in the order of the tree.
        state: that they are nodes of.
        rests: what the robots' actuators do until they are commanded and after their program has
            failed, by their names: a number for each value, None for one that stays as it is.
        drivers: say which robots are blocked.
        report: takes messages for the user.

    `words` (n,) are the places of their states in `state.ints`. `on_command` is called with the
    number of the step and each command that is applied, and each change of the state that a robot
    shows.
    """

    def __init__(
        self,
        nodes: Sequence[TreeNode],
        state: State,
        *,
        rests: Mapping[str, Sequence[float | None]],
        drivers: Drivers,
        report: Callable[[Notice], None],
    ) -> None:
        self.nodes = tuple(nodes)
        self.words = np.array([node.start // WORD for node in nodes], dtype=np.int64)
        self.on_command: list[Callable[[int, Command | Placement | RobotStateChange], None]] = []
        self._state = state
        self._rests = rests
        self._drivers = drivers
        self._report = report
        self._refused: set[str] = set()

    def show_state(self, device_state: DeviceState) -> None:
        """Puts all robots that are not blocked into that state."""
        is_free = self._state.ints[self.words] != DeviceState.BLOCKED
        self._state.ints[self.words[is_free]] = device_state

    def rest(self) -> None:
        """Puts all actuators to rest, before anything is commanded."""
        for robot in self.nodes:
            for node in robot.walk():
                if node.name in self._rests:
                    self._state.buffer[node.start : node.own_stop] = self._at_rest(node)

    def apply(
        self,
        of_programs: Iterable[CheckedCommand],
        others: Iterable[CheckedCommand | RobotStateChange],
    ) -> None:
        """Writes commands into the devices, those of programs first.

        Args:
            of_programs: in the order of `Lockstep.commands`.
            others: of clients that take no part in the step, in the order in which they came.
                Those to blocked robots are left out. States that are shown come from a log.
        """
        for command in of_programs:
            node = self._device(command)
            if node.access is Access.DRIVE:
                self._free(node)
            self._set(node, command)
        for each in others:
            if isinstance(each, RobotStateChange):
                self._show(self._robot_of(each.robot), each.state)
                continue
            node = self._device(each)
            robot = self._robot_of(each.device)
            if self._drivers.is_blocked(robot.name):
                self._refuse(robot)
            else:
                self._set(node, each)

    def brake(self, robots: Iterable[str]) -> None:
        """Brakes robots whose driver has left, and shows which of them are blocked."""
        for name in robots:
            robot = self._robot_of(name)
            self._brake(robot)
            if self._drivers.is_blocked(name):
                self._show(robot, DeviceState.BLOCKED)

    def clear(self, lists: Iterable[str]) -> None:
        """Empties published lists whose owner has left: they say nothing about the present."""
        for name in lists:
            empty = Command(name, b"")
            self._set(self._device(empty), empty)

    def restore_blocked(self) -> None:
        """Blocks the robots that are blocked in the state, which came from another simulation."""
        for robot in self.nodes:
            if self._shows_blocked(robot):
                self._drivers.block(robot.name)

    def _set(self, device: TreeNode, command: Command) -> None:
        write_command(self._state, device, command)
        for listener in self.on_command:
            listener(self._state.step, command)

    def _show(self, robot: TreeNode, device_state: DeviceState) -> None:
        self._state.ints[robot.start // WORD] = device_state
        for listener in self.on_command:
            listener(self._state.step, RobotStateChange(robot.name, device_state))

    def _brake(self, robot: TreeNode) -> None:
        for node in robot.walk():
            if node.name in self._rests:
                self._set(node, Command(node.name, self._at_rest(node)))

    def _at_rest(self, actuator: TreeNode) -> bytes:
        """The bytes of an actuator without commands."""
        values = self._state.floats[actuator.start // WORD : actuator.own_stop // WORD].copy()
        for place, value in enumerate(self._rests[actuator.name]):
            if value is not None:
                values[place] = value
        return values.tobytes()

    def _refuse(self, robot: TreeNode) -> None:
        """Reports once why a robot cannot be set by hand."""
        if robot.name not in self._refused:
            self._refused.add(robot.name)
            self._report(Notice("warning", robot.name, self._state.step, BLOCKED))

    def _free(self, actuator: TreeNode) -> None:
        """Shows that a program drives a robot which was blocked."""
        robot = self._robot_of(actuator.name)
        if self._shows_blocked(robot):
            self._show(robot, DeviceState.ACTIVE)
            self._refused.discard(robot.name)

    def _shows_blocked(self, robot: TreeNode) -> bool:
        return bool(self._state.ints[robot.start // WORD] == DeviceState.BLOCKED)

    def _device(self, command: Command) -> TreeNode:
        node = self._state.tree.find(command.device)
        assert node is not None
        return node

    def _robot_of(self, name: str) -> TreeNode:
        robot = self._state.tree.find(name.split(".", 1)[0])
        assert robot is not None
        return robot
