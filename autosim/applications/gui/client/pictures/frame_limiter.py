"""How often pictures are drawn: no more than a screen shows, and each as soon as that allows."""

from collections.abc import Callable
from math import inf


class FrameLimiter:
    """Draws when the last picture was long enough ago.

    A look that found nothing to draw is no picture: what comes after it is drawn as soon as it
    comes.

    Args:
        period: between two pictures [s], at least.
    """

    def __init__(self, period: float) -> None:
        self._period = period
        self._last_picture = self._last_look = -inf

    def look(self, now: float, draw: Callable[[float], bool]) -> None:
        """Has `draw` called, where it is time for another picture.

        Args:
            now: monotonic time [s].
            draw: gets the time since it was last called [s]; returns whether there was anything
                to draw.
        """
        if now - self._last_picture < self._period:
            return
        seconds, self._last_look = now - self._last_look, now
        if draw(seconds):
            self._last_picture = now
