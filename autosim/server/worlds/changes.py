"""Changes of a running world that can be undone, the last one first."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from autosim.server.server_errors import WorldError

MAX_CHANGES = 100
"""Number of changes that can be undone: more than a user remembers."""

MERGE_SECONDS = 1.0
"""Longest time [s] between two settings of one actuator that are undone together: a slider that is
dragged sets it many times."""


@dataclass(slots=True)
class WorldChange:
    """A change, in words ("car2 was added"), and what undoes it.

    `device`: the actuator that was set, "" for other changes. `at`: time of the last change that is
    part of it.
    """

    text: str
    """The change in words, such as "car2 was added"."""
    undo: Callable[[], Awaitable[object]]
    """Undoes the change."""
    device: str = ""
    at: float = field(default=0.0)


class Changes:
    """Robots that were added, removed or moved since the world was loaded, and actuators set.

    Args:
        clock: gives the time [s].
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._done: list[WorldChange] = []

    @property
    def last(self) -> str:
        """The change that `undo` undoes, in words; "" where there is none."""
        return self._done[-1].text if self._done else ""

    def add(self, text: str, undo: Callable[[], Awaitable[object]]) -> None:
        """Adds a change that was carried out."""
        self._append(WorldChange(text, undo))

    def continues(self, device: str) -> bool:
        """Whether another setting of `device` now belongs to one of the last changes.

        That is so where it was set within `MERGE_SECONDS`, and only actuators were set since.
        """
        now = self._clock()
        for change in reversed(self._done):
            if not change.device or now - change.at > MERGE_SECONDS:
                return False
            if change.device == device:
                change.at = now
                return True
        return False

    def add_setting(self, device: str, undo: Callable[[], Awaitable[object]]) -> None:
        """Adds the setting of an actuator, which does not continue another one."""
        self._append(WorldChange(f"{device} was set", undo, device, self._clock()))

    def _append(self, change: WorldChange) -> None:
        self._done = [*self._done[1 - MAX_CHANGES :], change]

    def clear(self) -> None:
        """Forgets all: the world is another one."""
        self._done.clear()

    async def undo(self) -> str:
        """Undoes the last change; returns it in words. One that cannot be undone is forgotten.

        Raises:
            WorldError: there is none.
            UserError: it cannot be undone now.
        """
        if not self._done:
            raise WorldError(
                "no robot was added, removed or moved and no actuator was set since the world was "
                "loaded"
            )
        change = self._done.pop()
        await change.undo()
        return change.text
