"""Tells whether the simulation process is alive: one that hangs closes no connection."""

from collections.abc import Callable, Sequence

from autosim.helper_processes.process_activity import activity_of

CHECK_SECONDS = 0.5
"""Interval [s] between two checks for signs of life; the loop gives two in it."""

_SILENT_LOOKS = 3
"""Number of checks without a sign of life after which a process counts as silent: that is at most
two seconds after the last sign, so that clients know within three seconds."""


class Watchdog:
    """Checks a process for signs of life, every `CHECK_SECONDS`.

    A sign of life is a step, a beat of its loop while it stands still or waits for user programs,
    or processor time, so that a long step counts as one; on a busy machine, that it waits for a
    processor. While the process loads its world, other
    processes may work for it: then it is silent only where the kernel tells that it is stopped.

    Checks are counted, and no clock is read, so that time in which this process was stopped itself
    does not count.

    Args:
        pid: says which process it is now.
        signs: numbers that change while its loop goes round.
    """

    def __init__(self, pid: Callable[[], int], signs: Callable[[], Sequence[int]]) -> None:
        self._pid = pid
        self._signs = signs
        self._last: tuple[int, ...] = ()
        self._looks = 0
        self._is_stopped = False

    @property
    def unresponsive_seconds(self) -> float:
        """Time without a sign of life; 0 where it is too short to report."""
        return self._looks * CHECK_SECONDS if self._looks >= _SILENT_LOOKS else 0.0

    @property
    def text(self) -> str:
        """The message that the process does not answer; "" where it does."""
        if not self.unresponsive_seconds:
            return ""
        how = f"it neither steps nor computes (process {self._pid()})"
        if self._is_stopped:
            how = f"it is stopped by a signal or a debugger; kill -CONT {self._pid()} resumes it"
        return (
            f"the simulation process has not answered for {self.unresponsive_seconds:.0f} s: {how}"
        )

    def check(self, *, is_loading: bool) -> None:
        """Checks once.

        Args:
            is_loading: the process is not yet ready for its first step.
        """
        activity = activity_of(self._pid())
        signs = (*self._signs(), activity.ticks)
        is_busy = activity.wants_to_run or (is_loading and not activity.is_stopped)
        has_sign = signs != self._last or is_busy
        self._last, self._is_stopped = signs, activity.is_stopped
        self._looks = 0 if has_sign else self._looks + 1
