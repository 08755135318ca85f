"""Snapshots that a server takes by itself."""

from collections.abc import Callable

from autosim.errors import UserError
from autosim.model.notices import Notice
from autosim.server.worlds.running_world import RunningWorld
from autosim.server.worlds.snapshot_store import ForkedSnapshot

MOST_OWN = 6
"""Number of snapshots that a server keeps by itself: the oldest make room."""

_OWN = "kept "
"""Prefix of the names of automatic snapshots."""


class AutomaticSnapshots:
    """Takes snapshots at intervals of simulated time.

    Args:
        report: takes messages for the user.
    """

    def __init__(self, report: Callable[[Notice], None]) -> None:
        self._report = report
        self._count = 0
        self._complaint = ""

    async def take_due_snapshots(self, running: RunningWorld, seconds: float) -> None:
        """Takes a snapshot where the last is `seconds` old, and drops the oldest automatic one.

        A failure is reported, once where it remains the same.
        """
        own = _own(running)
        last = max((each.step for each in own), default=-1)
        if (
            last >= 0
            and (running.broadcast.step - last) * running.world.physics.step_seconds < seconds
        ):
            return
        try:
            if len(own) >= MOST_OWN:
                running.drop(own[0].name)
            self._count += 1
            await running.take_snapshot(f"{_OWN}{self._count}")
            self._complaint = ""
        except UserError as error:
            if str(error) != self._complaint:  # as a rule it is the same every time
                self._complaint = str(error)
                self._report(Notice("info", "simulation", running.broadcast.step, str(error)))

    def drop_after(self, running: RunningWorld, step: int) -> None:
        """Drops the automatic snapshots after a step: the future may be another one."""
        for each in _own(running):
            if each.step > step:
                running.drop(each.name)


def _own(running: RunningWorld) -> list[ForkedSnapshot]:
    return [each for each in running.snapshots if each.name.startswith(_OWN)]
