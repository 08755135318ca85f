"""Tells whether the simulation process is alive: one that hangs closes no connection."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

LOOK_SECONDS = 0.5
"""Interval [s] between two checks for signs of life; the loop gives two in it."""

_SILENT_LOOKS = 3
"""Number of checks without a sign of life after which a process counts as silent: that is at most
two seconds after the last sign, so that clients know within three seconds."""

_STOPPED = ("T", "t")
"""States in which the kernel runs a process no more: stopped by a signal, or by a debugger."""

_WANTS_TO_RUN = ("R", "D")
"""States of a process that has work: it waits for a processor, or for the disk."""


@dataclass(frozen=True, slots=True)
class _Activity:
    """The letter of a process's state, and its processor time in ticks, as the kernel tells."""

    state: str
    ticks: int


class LifeWatch:
    """Checks a process for signs of life, every `LOOK_SECONDS`.

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
        self._state = ""

    @property
    def silent_seconds(self) -> float:
        """How long it has given no sign of life; 0 where that is not long enough to tell."""
        return self._looks * LOOK_SECONDS if self._looks >= _SILENT_LOOKS else 0.0

    @property
    def text(self) -> str:
        """The message that the process does not answer; "" where it does."""
        if not self.silent_seconds:
            return ""
        how = f"it neither steps nor computes (process {self._pid()})"
        if self._state in _STOPPED:
            how = (
                f"it is stopped, by a signal or a debugger; kill -CONT {self._pid()} lets it go on"
            )
        return f"the simulation process does not answer since {self.silent_seconds:.0f} s: {how}"

    def look(self, *, is_loading: bool) -> None:
        """Checks once.

        Args:
            is_loading: the process is not yet ready for its first step.
        """
        activity = _activity(self._pid())
        signs = (*self._signs(), activity.ticks)
        is_stopped = activity.state in _STOPPED
        is_busy = activity.state in _WANTS_TO_RUN or (is_loading and not is_stopped)
        has_sign = signs != self._last or is_busy
        self._last, self._state = signs, activity.state
        self._looks = 0 if has_sign else self._looks + 1


def wants_to_run(pid: int) -> bool:
    """Whether a process has work to do now: it computes, or waits for a processor or the disk."""
    return _activity(pid).state in _WANTS_TO_RUN


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped, by a signal or a debugger."""
    return _activity(pid).state in _STOPPED


def _activity(pid: int) -> _Activity:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return _Activity("", 0)
    # The name, in brackets, may hold anything. State is the third field, utime and stime the 14th
    # and 15th (proc_pid_stat(5)).
    fields = text.rpartition(")")[2].split()
    return _Activity(fields[0], int(fields[11]) + int(fields[12]))
