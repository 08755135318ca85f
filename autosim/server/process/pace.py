"""When the next step is due."""

MAX_BACKLOG = 0.1
"""Lateness [s] past which the pace restarts: a delayed simulation continues at its pace and does
not race to catch up."""


class Pace:
    """A schedule of steps on a monotonic clock.

    Args:
        step_seconds: simulated time of a step [s].
        real_time_factor: simulated by real time; 0: no schedule, as fast as it goes.
        now: monotonic time [s]; the first step is due at once.
    """

    def __init__(self, step_seconds: float, real_time_factor: float, *, now: float) -> None:
        self._period = step_seconds / real_time_factor if real_time_factor > 0.0 else 0.0
        self._due = now

    def wait_seconds(self, now: float) -> float:
        """Time [s] until the next step is due; 0 where it is."""
        return max(0.0, self._due - now) if self._period else 0.0

    def begin_step(self, now: float) -> float | None:
        """Says that a step begins; returns how late [s] it is, None without a schedule."""
        if not self._period:
            return None
        lateness = now - self._due
        self._due = now if lateness > MAX_BACKLOG else self._due
        self._due += self._period
        return lateness
