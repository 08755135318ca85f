"""Measures the turns of user programs, to show which of them slow a simulation down."""

import math
from collections import deque

from autosim.orders.programs import NO_TURNS, TurnFigures

WINDOW_SECONDS = 1.0
"""Wall-clock time [s] that the figures are of."""


class TurnMeter:
    """The turns of one program."""

    def __init__(self) -> None:
        self._turns: deque[tuple[float, float]] = deque()
        self._begun: float | None = None

    def begin(self, now: float) -> None:
        """The program is woken, at `now` (`time.monotonic`)."""
        self._begun = now

    def end(self, now: float, seconds: float) -> None:
        """It waits again; by its own clock the turn took `seconds` [s]."""
        self._begun = None
        # It comes from the program, which may say anything.
        taken = seconds if math.isfinite(seconds) and seconds > 0.0 else 0.0
        self._turns.append((now, taken))
        self._forget(now)

    def figures(self, now: float) -> TurnFigures:
        """The turns of the last second."""
        self._forget(now)
        turns = [seconds for _, seconds in self._turns]
        if self._begun is not None:
            turns.append(now - self._begun)
        if not turns:
            return NO_TURNS
        return TurnFigures(
            len(turns), sum(turns) / len(turns), max(turns), has_turn=self._begun is not None
        )

    def _forget(self, now: float) -> None:
        while self._turns and now - self._turns[0][0] > WINDOW_SECONDS:
            self._turns.popleft()
