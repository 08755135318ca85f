"""The time of a bench: that of the world outside, or one that is stepped."""

import time
from typing import Protocol

NANOSECONDS = 1_000_000_000
"""Nanoseconds in a second [ns/s]: stamps are whole numbers, which add up without rounding."""


class Clock(Protocol):
    """Tells the time that stamps messages."""

    def now_ns(self) -> int:
        """The time [ns]."""


class WallClock:
    """The time of day [ns since 1970], which several machines share where they are set alike."""

    def now_ns(self) -> int:
        """The time of day [ns]."""
        return time.time_ns()


class SteppedClock:
    """Time that advances only when the bench is stepped; begins at 0."""

    def __init__(self) -> None:
        self._now_ns = 0

    def now_ns(self) -> int:
        """The time [ns] since the bench began."""
        return self._now_ns

    def advance_to(self, time_ns: int) -> None:
        """Advances to `time_ns`, which is not before now."""
        if time_ns < self._now_ns:
            raise ValueError(f"time cannot go back from {self._now_ns} ns to {time_ns} ns")
        self._now_ns = time_ns
