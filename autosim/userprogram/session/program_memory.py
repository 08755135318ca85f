"""What a user program remembers, kept with the moments of a simulation that it can go back to."""

import pickle
from collections.abc import Callable
from typing import Any


class ProgramMemory:
    """Copies of what a program remembers, by the names of moments.

    `save` gives what it remembers now, `load` takes what it remembered at a moment, or None where
    that is not known. They are called while the program waits.
    """

    def __init__(self) -> None:
        self.save: Callable[[], Any] = lambda: None
        self.load: Callable[[Any], None] = lambda saved: None
        self._kept: dict[str, bytes] = {}

    def keep(self, name: str) -> None:
        """Notes what the program remembers now: a copy, which later changes do not reach."""
        self._kept[name] = pickle.dumps(self.save(), protocol=pickle.HIGHEST_PROTOCOL)

    def restore(self, name: str) -> None:
        """Gives the program what it remembered then."""
        kept = self._kept.get(name)
        self.load(None if kept is None else pickle.loads(kept))
