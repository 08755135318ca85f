"""Programs that no longer take part and have not ended yet."""

import time

from autosim.engine.programs.participant import Program

_LINGER_SECONDS = 2.0
"""Longest time for a program to end after it has left [s of wall-clock time]."""


class Leavers:
    """Programs that have left, until they have ended."""

    def __init__(self) -> None:
        self._leaving: list[tuple[Program, float]] = []

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._leaving)

    @property
    def programs(self) -> list[Program]:
        """The programs, in the order in which they left."""
        return [program for program, _ in self._leaving]

    def add(self, program: Program) -> None:
        """Gives a program time to end by itself."""
        self._leaving.append((program, time.monotonic() + _LINGER_SECONDS))

    def end_overdue(self) -> None:
        """Ends programs that have had time to end by themselves."""
        now = time.monotonic()
        staying = []
        for program, end_at in self._leaving:
            if program.wait(0.0) or now > end_at:
                program.end()
            else:
                staying.append((program, end_at))
        self._leaving = staying

    def clear(self) -> None:
        """Forgets all of them."""
        self._leaving.clear()
