"""Progress of compiling kernels, in this process and in its forked helpers."""

import mmap
import os
import time
from collections.abc import Callable, Sequence

from autosim.remaining_time import remaining_text

TELL_SECONDS = 5.0
"""Time [s] between two reports."""

_WORD_BYTES = 8
"""Size [bytes] of the counter of a task."""

_MIN_DONE = 3
"""Number of kernels after which the time left is estimated: the first take unlike long."""

Task = Callable[[], object]


class CompileProgress:
    """Counts the kernels that tasks compile, whichever process does them.

    Args:
        tasks: compile kernels when they are called.
        counts: number of kernels that each compiles.
        tell: takes the reports, in this process alone.
        now: a clock [s].
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        counts: Sequence[int],
        *,
        tell: Callable[[str], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        # Anonymous memory, which forks share.
        self._done = memoryview(mmap.mmap(-1, max(1, len(tasks)) * _WORD_BYTES)).cast("q")
        self._counts, self._tell, self._now = counts, tell, now
        self._begun = self._told_at = now()
        self._told = ""
        self._process = os.getpid()
        self.tasks = tuple(self._counted(task, place) for place, task in enumerate(tasks))

    @property
    def text(self) -> str:
        """The report of now."""
        total = sum(self._counts)
        done = sum(map(min, self._done.tolist(), self._counts))
        text = f"compiling kernels for this processor, once: {done} of {total}"
        if not _MIN_DONE <= done < total:
            return text
        left = (self._now() - self._begun) * (total - done) / done
        return f"{text}, {remaining_text(left)}"

    def look(self) -> None:
        """Reports the progress if it has changed, at most once in `TELL_SECONDS`."""
        if self._now() - self._told_at >= TELL_SECONDS:
            self._told_at = self._now()
            text = self.text
            if text != self._told:
                self._told = text
                self._tell(text)

    def _counted(self, task: Task, place: int) -> Task:
        progress = self

        def call() -> object:
            from numba.core.event import Event, Listener, install_listener

            class Compilations(Listener):  # type: ignore[misc]
                """Counts compiled kernels."""

                def on_start(self, event: Event) -> None: ...

                def on_end(self, event: Event) -> None:
                    progress._done[place] += 1
                    if os.getpid() == progress._process:
                        progress.look()

            with install_listener("numba:compile", Compilations()):
                result = task()
            progress._done[place] = progress._counts[place]
            return result

        return call
