"""Figures about what is shown: how many pictures a second, how late, how old."""

from collections import deque

SPAN = 1.0
"""Time [s] over which pictures are counted: the figure is one of pictures a second, and still
follows."""


class RateMeter:
    """Counts events over the last second."""

    def __init__(self) -> None:
        self._times: deque[float] = deque()

    def count(self, now: float, events: int = 1) -> None:
        """Notes events at `now` [s]."""
        self._times.extend([now] * events)

    def rate(self, now: float) -> float:
        """Events a second [Hz], up to `now`."""
        while self._times and self._times[0] < now - SPAN:
            self._times.popleft()
        return len(self._times) / SPAN


def figures_text(
    *, pictures: float, states: float, latency: float | None, age: float | None, time: float
) -> list[str]:
    """The figures, a line each.

    Args:
        pictures: drawn a second [Hz].
        states: that came a second [Hz].
        latency: of the newest state, from the server to here [s]; None without one.
        age: of the newest state [s]; None without one.
        time: simulated [s], of what is shown.
    """
    lines = [f"{pictures:.0f} pictures/s, {states:.0f} states/s"]
    if latency is not None:
        lines.append(f"latency {1e3 * latency:.1f} ms")
    if age is not None:
        lines.append(f"age of the state {_duration(age)}")
    return [*lines, f"simulated time {time:.2f} s"]


def _duration(seconds: float) -> str:
    return f"{1e3 * seconds:.0f} ms" if seconds < 1.0 else f"{seconds:.1f} s"
