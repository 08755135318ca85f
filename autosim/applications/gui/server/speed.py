"""Speed of the simulation relative to real time."""

import time
from collections import deque

WINDOW_SECONDS = 2.0
"""[s of wall-clock time] over which the pace is averaged: long enough to hide single slow steps."""


class SpeedMeter:
    """The real-time factor over the last moments."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque()

    def add(self, simulated: float) -> None:
        """Takes the simulated time [s] of now."""
        now = time.monotonic()
        if self._samples and simulated < self._samples[-1][1]:
            self._samples.clear()
        self._samples.append((now, simulated))
        while now - self._samples[0][0] > WINDOW_SECONDS:
            self._samples.popleft()

    @property
    def factor(self) -> float | None:
        """Simulated by real time; None where too little was seen."""
        if len(self._samples) < 3:
            return None
        (begin, first), (end, last) = self._samples[0], self._samples[-1]
        return (last - first) / (end - begin) if end - begin > 0.2 else None

    def forget(self) -> None:
        """Restarts the measurement."""
        self._samples.clear()
