"""Limits the rate of drawing to that of a screen, without delaying the first picture."""

from collections.abc import Callable
from math import inf


class FrameLimiter:
    """Draws if the last picture was long enough ago.

    A call that draws nothing does not count: the next picture is drawn as soon as it is
    available.

    Args:
        period: shortest interval between two pictures [s].
    """

    def __init__(self, period: float) -> None:
        self._period = period
        self._last_picture = self._last_look = -inf

    def look(self, now: float, draw: Callable[[float], bool]) -> None:
        """Calls `draw` if another picture is due.

        Args:
            now: monotonic time [s].
            draw: receives the time since its last call [s]; returns whether there was anything
            to draw.
        """
        if now - self._last_picture < self._period:
            return
        seconds, self._last_look = now - self._last_look, now
        if draw(seconds):
            self._last_picture = now
