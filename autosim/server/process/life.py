"""Whether the simulation process is alive: one that is stopped or hangs closes no connection."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

LOOK_SECONDS = 0.5
"""From one look to the next."""

_SILENT_LOOKS = 3
"""Without a sign of life: at most two seconds after the last one, so that within three seconds
clients know."""

_STOPPED = ("T", "t")
"""States in which the kernel runs a process no more: stopped by a signal, or by a debugger."""


@dataclass(frozen=True, slots=True)
class _Activity:
    """What the kernel says of a process: its state's letter, and its processor time in ticks."""

    state: str
    ticks: int


class LifeWatch:
    """Looks for signs of life of a process, every `LOOK_SECONDS`.

    A sign of life is a step, a beat of its loop while it stands still or waits for user programs,
    or processor time: so a long step counts as one. While the process loads its world, others may
    work for it: then it is silent only where the kernel says that it is stopped.

    Looks are counted, and no clock is read: time in which this process was stopped itself does
    not count.

    Args:
        pid: of the process.
        signs: numbers that change while its loop goes round.
    """

    def __init__(self, pid: int, signs: Callable[[], Sequence[int]]) -> None:
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
        """That it does not answer, for people; "" where it does."""
        if not self.silent_seconds:
            return ""
        how = f"it neither steps nor computes (process {self._pid})"
        if self._state in _STOPPED:
            how = f"it is stopped, by a signal or a debugger; kill -CONT {self._pid} lets it go on"
        return f"the simulation process does not answer since {self.silent_seconds:.0f} s: {how}"

    def look(self, *, is_loading: bool) -> None:
        """Looks once.

        Args:
            is_loading: the process is not yet ready for its first step.
        """
        activity = _activity(self._pid)
        signs = (*self._signs(), activity.ticks)
        is_stopped = activity.state in _STOPPED
        has_sign = signs != self._last or (is_loading and not is_stopped)
        self._last, self._state = signs, activity.state
        self._looks = 0 if has_sign else self._looks + 1


def _activity(pid: int) -> _Activity:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return _Activity("", 0)
    # The name, in brackets, may hold anything. State is the third field, utime and stime the 14th
    # and 15th (proc_pid_stat(5)).
    fields = text.rpartition(")")[2].split()
    return _Activity(fields[0], int(fields[11]) + int(fields[12]))
