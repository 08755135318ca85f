"""Changes of a simulation that can be undone."""

import time
from collections.abc import Callable
from dataclasses import dataclass

MAX_CHANGES = 100
"""Number of changes that can be undone: more than a person remembers."""

MERGE_SECONDS = 1.0
"""Longest time [s] between two settings of one actuator that are undone together: a slider that is
dragged sets it many times."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change: what the user calls it, the robot that it needs, and what undoes it.

    `needs` is "" for a change that is undone without the robot, such as its removal. Changes in a
    row with the same `merge_key`, unless that is "", are undone together.
    """

    label: str
    needs: str
    undo: Callable[[], None]
    merge_key: str = ""


class UndoStack:
    """The newest changes.

    Args:
        clock: gives the time [s].
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._changes: list[Change] = []
        self._clock = clock
        self._added_at = 0.0

    @property
    def label(self) -> str:
        """The change that is undone next, "" where there is none."""
        return self._changes[-1].label if self._changes else ""

    def add(self, change: Change) -> None:
        """Adds a change; one that continues the last one leaves that in place."""
        now = self._clock()
        last = self._changes[-1] if self._changes else None
        is_merged = (
            last is not None
            and bool(change.merge_key)
            and last.merge_key == change.merge_key
            and now - self._added_at <= MERGE_SECONDS
        )
        self._added_at = now
        if not is_merged:
            self._changes = [*self._changes[1 - MAX_CHANGES :], change]

    def undo(self) -> None:
        """Undoes the last change."""
        if self._changes:
            self._changes.pop().undo()

    def drop(self, change: Change) -> None:
        """Forgets a change that has not come about."""
        self._changes = [each for each in self._changes if each is not change]

    def keep_of(self, robots: set[str]) -> None:
        """Forgets the changes that need other robots than these."""
        self._changes = [each for each in self._changes if not each.needs or each.needs in robots]

    def clear(self) -> None:
        """Forgets all."""
        self._changes.clear()
