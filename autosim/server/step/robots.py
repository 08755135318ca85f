"""The robots as wholes: what state each is in, and whose commands set its actuators.

Programs come first. A robot whose program has failed brakes and is blocked: until another program
drives it, nobody sets it by hand.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from autosim.simulation.commands import BLOCKED, Command, DeviceState, check_command, write_command
from autosim.simulation.fields import ACTUATORS
from autosim.simulation.notices import Notice
from autosim.simulation.state import State
from autosim.simulation.tree import WORD, Node
from autosim.userprogram.program_exits import ProgramExit

HOLD = (0.0, 0.0, 1.0)
"""What a drive actuator does until it is commanded and after its program has failed: it brakes."""


class Robots:
    """The robots of a simulation.

    Args:
        nodes: of the robots, in the order of the tree.
        state: that they are nodes of.
        report: takes what there is to say to people.

    `words` (n,) are the places of their states in `state.ints`. `on_command` is called with the
    number of the step and each command that is applied.
    """

    def __init__(
        self, nodes: Sequence[Node], state: State, *, report: Callable[[Notice], None]
    ) -> None:
        self.nodes = tuple(nodes)
        self.words = np.array([node.start // WORD for node in nodes], dtype=np.int64)
        self.on_command: list[Callable[[int, Command], None]] = []
        self._state = state
        self._report = report
        self._refused: set[str] = set()

    def show_state(self, device_state: DeviceState) -> None:
        """Puts all robots that are not blocked into that state."""
        is_free = self._state.ints[self.words] != DeviceState.BLOCKED
        self._state.ints[self.words[is_free]] = device_state

    def obey_programs(self, commands: Iterable[Command]) -> None:
        """Applies what user programs command; a robot that one takes over is blocked no longer.

        Raises:
            DeviceError: as `check_command`.
        """
        for command in commands:
            node = check_command(self._state.tree, command)
            if node.kind in ACTUATORS:
                self._free(node)
            self._set(node, command)

    def apply_external_commands(self, commands: Iterable[Command]) -> None:
        """Applies what free-running peers command, but for robots that are blocked.

        Raises:
            DeviceError: as `check_command`.
        """
        for command in commands:
            node = check_command(self._state.tree, command)
            if self._is_blocked(node):
                self._refuse(node)
            else:
                self._set(node, command)

    def brake_and_block(self, program_exit: ProgramExit) -> None:
        """Brakes what a program drove that has left, and blocks it where that has failed."""
        for name in program_exit.driven:
            robot = self._robot_of(name)
            self._brake(robot)
            if program_exit.has_failed:
                self._state.ints[robot.start // WORD] = DeviceState.BLOCKED

    def _set(self, device: Node, command: Command) -> None:
        write_command(self._state, device, command)
        for listener in self.on_command:
            listener(self._state.step, command)

    def _brake(self, robot: Node) -> None:
        for node in robot.walk():
            if node.kind == "DriveActuator":
                steering = self._state.floats[node.start // WORD]
                hold = np.array([steering, *HOLD[1:]])
                self._set(node, Command(node.name, hold.tobytes()))

    def _refuse(self, device: Node) -> None:
        """Says of a robot, once, why it cannot be set by hand."""
        robot = self._robot_of(device.name).name
        if robot not in self._refused:
            self._refused.add(robot)
            self._report(Notice("warning", robot, self._state.step, BLOCKED))

    def _free(self, actuator: Node) -> None:
        """A program takes over a robot that another one has left in a bad way."""
        if self._is_blocked(actuator):
            robot = self._robot_of(actuator.name)
            self._state.ints[robot.start // WORD] = DeviceState.ACTIVE
            self._refused.discard(robot.name)

    def _is_blocked(self, device: Node) -> bool:
        robot = self._robot_of(device.name)
        return bool(self._state.ints[robot.start // WORD] == DeviceState.BLOCKED)

    def _robot_of(self, name: str) -> Node:
        robot = self._state.tree.find(name.split(".", 1)[0])
        assert robot is not None
        return robot
