"""Commands of clients that take no part in the step, such as `autosim ctl`: one batch at a time.

While the simulation has not taken the last batch, newer values replace older ones of the same
actuator: a flood of commands grows neither a queue nor the simulation's work.
"""

from collections.abc import Iterable

from autosim.engine.command_gate.gate import CheckedCommand, CommandGate
from autosim.model.commands import Command
from autosim.model.phase import Phase
from autosim.model.tree import SimulationTree
from autosim.server.process.host import SimulationHost
from autosim.server.process.process_messages import ApplyCommands


class CommandInbox:
    """Collects commands until the simulation process takes them."""

    def __init__(self, tree: SimulationTree, host: SimulationHost) -> None:
        self._gate = CommandGate(tree)
        self._host = host
        self._pending: dict[str, CheckedCommand] = {}

    def add(self, command: Command) -> None:
        """Takes a command for the next step.

        Raises:
            DeviceError: as `CommandGate.check_by_hand`.
            ServerError: the simulation process does not listen.
        """
        self._pending[command.device] = self._gate.check_by_hand(command)
        self.flush()

    def take_with(self, commands: Iterable[Command]) -> tuple[CheckedCommand, ...]:
        """Takes commands for the next step, all of them or none, and gives all that are pending.

        Returns:
            what goes to the simulation with an order to step.

        Raises:
            DeviceError: as `add`.
        """
        checked = [self._gate.check_by_hand(each) for each in commands]
        self._pending.update((each.device, each) for each in checked)
        pending = tuple(self._pending.values())
        self._pending.clear()
        return pending

    def flush(self) -> None:
        """Hands over what has come in, unless a batch is still on its way."""
        is_free = not self._host.is_taking and self._host.phase is not Phase.STOPPED
        if self._pending and is_free:
            self._host.send(ApplyCommands(tuple(self._pending.values())))
            self._host.is_taking = True
            self._pending.clear()
