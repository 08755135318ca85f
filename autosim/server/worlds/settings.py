"""Actuators that users set by hand, and the values to which undo sets them back."""

from autosim.model.commands import Command, DeviceError
from autosim.model.tree import Access
from autosim.server.server_errors import WorldError
from autosim.server.worlds.changes import Changes
from autosim.server.worlds.running_world import RunningWorld


class Settings:
    """Hands commands of users to the simulation; those to actuators can be undone.

    Args:
        running: the world that is simulated.
        changes: the changes that can be undone.
    """

    def __init__(self, running: RunningWorld, changes: Changes) -> None:
        self._running, self._changes = running, changes
        self._set: dict[str, tuple[int, bytes]] = {}

    @property
    def running(self) -> RunningWorld:
        """The world whose actuators are set."""
        return self._running

    def add(self, command: Command) -> None:
        """Takes a command for the next step.

        Raises:
            DeviceError: there is no such device, it cannot be set, or the values do not fit it.
            ServerError: the simulation process does not listen.
        """
        device = command.device
        is_continued = self._changes.continues(device)
        before = None if is_continued else self._values_of(device)
        self._running.inbox.add(command)
        self._set[device] = (self._running.broadcast.step, command.data)
        if before is not None:
            values = before
            self._changes.add_setting(device, lambda: self._set_back(Command(device, values)))

    def _values_of(self, device: str) -> bytes | None:
        """The present values of an actuator; None where `device` is something else."""
        running = self._running
        node = running.tree.find(device)
        if node is None or node.access is not Access.DRIVE or running.host.loaded is None:
            return None
        state = running.host.live_state()[node.start : node.own_stop]
        step, data = self._set.get(device, (-1, b""))
        # Values that no step has taken yet are not in the state.
        return data + state[len(data) :] if step == running.broadcast.step else state

    async def _set_back(self, command: Command) -> None:
        try:
            self._running.inbox.add(command)
        except DeviceError as error:
            raise WorldError(str(error)) from error
        self._set[command.device] = (self._running.broadcast.step, command.data)
