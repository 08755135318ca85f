"""Estimates how long work takes that reports which share of it is done."""

import math
import time
from collections.abc import Callable

_LEAST_SECONDS = 2.0
"""Time [s] before the first estimate: one after less is a guess."""

_LEAST_SHARE = 0.02
"""Share of the work before the first estimate, for the same reason."""


class RemainingTime:
    """The remaining time of one piece of work after the other.

    Args:
        clock: gives the time [s].
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun = clock()
        self._first_share = 0.0
        self._last_share = math.inf

    def text(self, share: float) -> str:
        """The remaining time in words, "" while there is no estimate.

        Args:
            share: of the work that is done (0 to 1); a smaller one than before begins new work.
        """
        now = self._clock()
        if share < self._last_share:
            self._begun, self._first_share = now, share
        self._last_share = share
        done, seconds = share - self._first_share, now - self._begun
        if seconds < _LEAST_SECONDS or done < _LEAST_SHARE or share >= 1.0:
            return ""
        return remaining_text((1.0 - share) * seconds / done)


def remaining_text(seconds: float) -> str:
    """A remaining time [s] in words, as exact as an estimate is."""
    if seconds < 10.0:
        return "a few seconds left"
    if seconds < 90.0:
        return f"about {5 * round(seconds / 5.0)} s left"
    return f"about {round(seconds / 60.0)} min left"
