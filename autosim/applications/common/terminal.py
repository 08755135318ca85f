"""Messages to the user at the terminal, on the error output."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, cast

from autosim.helper_processes.nonblocking_output import NonBlockingWriter
from autosim.terminal_text import for_terminal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


def _console() -> "Console":
    # Takes a tenth of a second to import, and most commands print nothing here.
    from autosim.applications.common import rich_console

    return rich_console.CONSOLE


def tell(text: str) -> None:
    """Prints a line; above the progress bar where there is one."""
    _console().print(for_terminal(text), soft_wrap=True)


@contextmanager
def progress_bar(*, has_thread: bool = True) -> "Iterator[Progress]":
    """A progress bar, gone when it is done.

    Args:
        has_thread: a thread draws it ten times a second; else it is drawn when it is updated, for
            work that forks: a fork of a process with threads may wait for ever.
    """
    from autosim.applications.common import rich_console

    bar = rich_console.new_bar(has_thread=has_thread)
    if bar.disable:
        yield bar
        return
    with bar:
        yield bar


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Shows that work of unknown length is in progress."""
    with _console().status(for_terminal(text)):
        yield


@contextmanager
def told_by_a_thread() -> Iterator[None]:
    """Inside, output never blocks: what a stopped terminal (Ctrl-S) does not accept is dropped."""
    try:
        descriptor = sys.stderr.fileno()
    except (AttributeError, OSError):  # the stream was replaced
        yield
        return
    console = _console()
    outlet, before = NonBlockingWriter(descriptor), console.file
    console.file = cast(IO[str], _OutletFile(outlet, is_terminal=os.isatty(descriptor)))
    try:
        yield
    finally:
        console.file = before
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
