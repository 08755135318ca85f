"""The gate for commands: it checks each of them once, wherever it comes from.

A user program in a process, a thread or at a client, a person at the controls, `autosim ctl` and a
Python program with its own `Simulation` may all set devices. None of them is trusted: the
process of a program checks what its program sets, so that the error is raised where the mistake is,
but a peer may send anything. So the server checks every command when it arrives, and hands it on as
a `CheckedCommand`, which nothing behind the gate checks again. `Robots.apply` writes checked
commands into the buffer, in a fixed order.
"""

from typing import NewType

from autosim.engine.command_gate.drivers import Driver, Drivers
from autosim.model.actuator_limits import within_limits
from autosim.model.commands import Command, check_command
from autosim.model.tree import PUBLICATION, STATE, Access, SimulationTree

CheckedCommand = NewType("CheckedCommand", Command)
"""A command that has passed the gate of the tree that it is applied to."""


class CommandGate:
    """Checks commands for the devices of one tree.

    Args:
        tree: laid out.
    """

    def __init__(self, tree: SimulationTree) -> None:
        self.tree = tree

    def check(self, command: Command) -> CheckedCommand:
        """A command of a Python program. Beyond its limits an actuator acts as at them.

        Raises:
            DeviceError: there is no such device, it cannot be set, or the values do not fit it.
        """
        check_command(self.tree, command)
        return CheckedCommand(command)

    def check_by_hand(self, command: Command) -> CheckedCommand:
        """A person's command: what is beyond an actuator's limits is a mistake.

        Raises:
            DeviceError: as `check`, or a value is beyond the limits of its actuator.
        """
        checked = self.check(command)
        within_limits(self.tree, checked)
        return checked


class ProgramGate(CommandGate):
    """Checks also that a user program drives what it sets, and is alone in that.

    Args:
        tree: laid out.
        drivers: of its robots.
    """

    def __init__(self, tree: SimulationTree, drivers: Drivers) -> None:
        super().__init__(tree)
        self._drivers = drivers

    def check_of(self, driver: Driver, command: Command) -> CheckedCommand:
        """A user program's command. Its first to an actuator makes it the robot's driver.

        Its first to the robot's state makes it the owner of what the robot believes. A list
        is the program's that has set it last.

        Raises:
            AnotherDriverError: another program drives the robot, or owns what it believes.
            DeviceError: as `check`.
        """
        device = check_command(self.tree, command)
        if device.access is Access.DRIVE:
            self._drivers.claim(command.device.split(".", 1)[0], driver)
        elif device.kind == STATE:
            self._drivers.claim_belief(command.device.split(".", 1)[0], driver)
        elif device.kind == PUBLICATION:
            self._drivers.publish(command.device, driver)
        return CheckedCommand(command)
