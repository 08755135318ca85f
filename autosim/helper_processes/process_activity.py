"""Tells from the kernel's figures whether another process is at work, stopped, or hangs."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

_STOPPED = ("T", "t")
"""States in which the kernel runs a process no more: stopped by a signal, or by a debugger."""

_WANTS_TO_RUN = ("R", "D")
"""States of a process that has work: it waits for a processor, or for the disk."""


@dataclass(frozen=True, slots=True)
class Activity:
    """The letter of a process's state, and its processor time in ticks, as the kernel tells."""

    state: str
    ticks: int

    @property
    def is_stopped(self) -> bool:
        """Whether the process is stopped, by a signal or a debugger."""
        return self.state in _STOPPED

    @property
    def wants_to_run(self) -> bool:
        """Whether it has work to do now: it computes, or waits for a processor or the disk."""
        return self.state in _WANTS_TO_RUN


def activity_of(pid: int) -> Activity:
    """The present state of a process; an empty state if it has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return Activity("", 0)
    # The name, in brackets, may hold anything. State is the third field, utime and stime the 14th
    # and 15th (proc_pid_stat(5)).
    fields = text.rpartition(")")[2].split()
    return Activity(fields[0], int(fields[11]) + int(fields[12]))


class WorkWatch:
    """Whether a process works, from one look to the next.

    One that hangs takes no processor time; one on a busy machine takes some, or waits for it.

    Args:
        pid: of the process.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._ticks = activity_of(pid).ticks

    def has_worked(self) -> bool:
        """Whether it has worked since the last look, or has work to do now."""
        activity = activity_of(self._pid)
        has_worked = activity.ticks != self._ticks or activity.wants_to_run
        self._ticks = activity.ticks
        return has_worked and not activity.is_stopped


def wait_while_at_work(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    """Waits for the end of a process as long as it works; whether it has ended.

    Args:
        process: a child of this one.
        seconds: how long it may do nothing [s].
    """
    watch = WorkWatch(process.pid)
    while True:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            if not watch.has_worked():
                return False
        else:
            return True
