"""Processor affinity of the threads in which Mesa's llvmpipe fills pixels.

There is one per processor, and they wait for each other at the end of every part of a picture: if
one of them has to share its processor with the thread that places vertices, all wait for it. So
each is bound to its own processor, and one of them yields to that thread until all vertices are
placed: with two processors, a picture takes a sixth less time for the same work.

Not while other programs need a processor: a simulation at full speed in parallel would lose a
third of its speed to threads that never yield. Then the system schedules them all.
"""

import os
import time
from itertools import cycle
from pathlib import Path

_TASKS = Path("/proc/self/task")
_NAME = "llvmpipe"
_STATISTICS = Path("/proc/stat")
PERIOD_SECONDS = 0.5
"""Number of checks of the load of other programs."""

MOST_BY_OTHERS = 0.5
"""Number of processors that other programs may use while each thread has its own."""


class DriverThreads:
    """The threads of the software driver in this process; none on another driver or system."""

    def __init__(self) -> None:
        self._threads = _find()
        self._processors = sorted(os.sched_getaffinity(0)) if self._threads else []
        if len(self._processors) < 2 or not os.access(_STATISTICS, os.R_OK):
            self._threads = []
        self._have_own = False
        if self._threads:
            self._demand = OthersDemand(self._processors)
            self._looked = time.monotonic()
            self._give_own()

    def step_aside(self) -> None:
        """They leave one processor to the thread that places vertices."""
        if self._threads and time.monotonic() - self._looked >= PERIOD_SECONDS:
            self._look_around()
        if self._have_own:
            self._place(self._on_first(), self._processors[1:])

    def spread(self) -> None:
        """They take all processors again."""
        if self._have_own:
            self._place(self._on_first(), self._processors[:1])

    def _look_around(self) -> None:
        self._looked = time.monotonic()
        is_crowded = self._demand.since_last() > MOST_BY_OTHERS
        if is_crowded and self._have_own:
            self._place(self._threads, self._processors)
            self._have_own = False
        elif not is_crowded and not self._have_own:
            self._give_own()

    def _give_own(self) -> None:
        self._have_own = True
        for thread, processor in zip(self._threads, cycle(self._processors), strict=False):
            self._place([thread], [processor])

    def _on_first(self) -> list[int]:
        return self._threads[:: len(self._processors)]

    def _place(self, threads: list[int], processors: list[int]) -> None:
        try:
            for thread in threads:
                os.sched_setaffinity(thread, processors)
        except OSError:
            # The process may no longer use them all: from now on the system alone decides.
            self._threads, self._have_own = [], False


class OthersDemand:
    """Number of processors, of a given set, that all other programs of this machine use."""

    def __init__(self, processors: list[int]) -> None:
        self._rows = {f"cpu{processor}" for processor in processors}
        self._last = self._read()

    def since_last(self) -> float:
        """The mean number of processors that they used since the last call."""
        wall, used = self._read()
        seconds, work = wall - self._last[0], used - self._last[1]
        self._last = wall, used
        return max(work, 0.0) / max(seconds, 1e-3)

    def _read(self) -> tuple[float, float]:
        """The time [s], and the processor time [s] of all programs but this one."""
        rows = (line.split() for line in _STATISTICS.read_text().splitlines())
        # user, nice and system
        ticks = sum(sum(map(int, row[1:4])) for row in rows if row and row[0] in self._rows)
        used = ticks / os.sysconf("SC_CLK_TCK") - time.process_time()
        return time.monotonic(), used


def _find() -> list[int]:
    """The numbers of the threads; they are there as soon as the driver is."""
    tasks = sorted(_TASKS.iterdir(), key=lambda task: int(task.name)) if _TASKS.exists() else []
    return [int(task.name) for task in tasks if _name_of(task).startswith(_NAME)]


def _name_of(task: Path) -> str:
    try:
        return (task / "comm").read_text()
    except OSError:  # it has just ended
        return ""
