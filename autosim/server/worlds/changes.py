"""Changes of a running world that can be undone, the last one first."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from autosim.server.errors import WorldError

MAX_CHANGES = 100
"""Number of changes that can be undone: more than a user remembers."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change, in words ("car2 was added"), and what undoes it."""

    text: str
    undo: Callable[[], Awaitable[object]]


class Changes:
    """Robots that were added, removed or moved since the world was loaded, in that order."""

    def __init__(self) -> None:
        self._done: list[Change] = []

    @property
    def last(self) -> str:
        """The change that `undo` undoes, in words; "" where there is none."""
        return self._done[-1].text if self._done else ""

    def add(self, text: str, undo: Callable[[], Awaitable[object]]) -> None:
        """Notes a change that was carried out."""
        self._done = [*self._done[1 - MAX_CHANGES :], Change(text, undo)]

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
            raise WorldError("no robot was added, removed or moved since the world was loaded")
        change = self._done.pop()
        await change.undo()
        return change.text
