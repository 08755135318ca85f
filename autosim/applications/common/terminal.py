"""Messages to the user at the terminal, on the error output."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TimeElapsedColumn
from rich.text import Text

from autosim.helper_processes.nonblocking_output import NonBlockingWriter
from autosim.remaining_time import remaining_text
from autosim.terminal_text import for_terminal

_DESCRIPTION = 28
"""Width [characters] of what stands before a progress bar."""

_REDRAW_SECONDS = 0.1
"""Shortest interval [s] between two updates of a progress bar: faster ones cannot be read."""

CONSOLE = Console(stderr=True, highlight=False, markup=False)
"""The error output, with progress bars where it is a terminal."""


def tell(text: str) -> None:
    """Prints a line; above the progress bar where there is one."""
    CONSOLE.print(for_terminal(text), soft_wrap=True)


class _Description(ProgressColumn):
    """Description of the current work, unformatted: it may come from a server."""

    def render(self, task: Task) -> Text:
        return Text(for_terminal(task.description).ljust(_DESCRIPTION))


class _Remaining(ProgressColumn):
    """The estimated remaining time, where there is an estimate."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        left = task.time_remaining
        is_known = left is not None and not task.finished
        return Text(remaining_text(left) if is_known and left is not None else "")


class _BarWithoutThread(Progress):
    """A progress bar that is drawn when it is updated."""

    _drawn = -_REDRAW_SECONDS

    def update(self, *arguments: Any, **values: Any) -> None:
        """Updates a task, and draws the bar if it was not drawn just before."""
        super().update(*arguments, **values)
        now = self.get_time()
        if now - self._drawn >= _REDRAW_SECONDS:
            self._drawn = now
            self.refresh()


@contextmanager
def progress_bar(*, has_thread: bool = True) -> Iterator[Progress]:
    """A progress bar, gone when it is done.

    Args:
        has_thread: a thread draws it ten times a second; else it is drawn when it is updated, for
            work that forks: a fork of a process with threads may wait for ever.
    """
    if not CONSOLE.is_terminal:
        # Where nothing can be drawn over, a bar that is gone leaves blank lines.
        yield Progress(console=CONSOLE, disable=True)
        return
    columns = (_Description(), BarColumn(), TimeElapsedColumn(), _Remaining())
    kind = Progress if has_thread else _BarWithoutThread
    with kind(*columns, console=CONSOLE, transient=True, auto_refresh=has_thread) as bar:
        yield bar


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Shows that work of unknown length is in progress."""
    with CONSOLE.status(for_terminal(text)):
        yield


@contextmanager
def told_by_a_thread() -> Iterator[None]:
    """Inside, output never blocks: what a stopped terminal (Ctrl-S) does not accept is dropped."""
    try:
        descriptor = sys.stderr.fileno()
    except (AttributeError, OSError):  # the stream was replaced
        yield
        return
    outlet, before = NonBlockingWriter(descriptor), CONSOLE.file
    CONSOLE.file = cast(IO[str], _OutletFile(outlet, is_terminal=os.isatty(descriptor)))
    try:
        yield
    finally:
        CONSOLE.file = before
        outlet.close()


class _OutletFile(io.TextIOBase):
    """An outlet as a file to print to."""

    def __init__(self, outlet: NonBlockingWriter, *, is_terminal: bool) -> None:
        self._outlet = outlet
        self._is_terminal = is_terminal

    def write(self, text: str, /) -> int:
        self._outlet.put(text.encode("utf-8", "replace"))
        return len(text)

    def isatty(self) -> bool:
        return self._is_terminal
