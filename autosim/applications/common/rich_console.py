"""The error output with progress bars.

Apart from `terminal`, for commands that draw none start without the library.
"""

from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TimeElapsedColumn
from rich.text import Text

from autosim.remaining_time import remaining_text
from autosim.terminal_text import for_terminal

_DESCRIPTION = 28
"""Width [characters] of what stands before a progress bar."""

_REDRAW_SECONDS = 0.1
"""Shortest interval [s] between two updates of a progress bar: faster ones cannot be read."""

CONSOLE = Console(stderr=True, highlight=False, markup=False)
"""The error output, with progress bars where it is a terminal."""


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


def new_bar(*, has_thread: bool) -> Progress:
    """A progress bar, see `terminal.progress_bar`."""
    if not CONSOLE.is_terminal:
        # Where nothing can be drawn over, a bar that is gone leaves blank lines.
        return Progress(console=CONSOLE, disable=True)
    columns = (_Description(), BarColumn(), TimeElapsedColumn(), _Remaining())
    kind = Progress if has_thread else _BarWithoutThread
    return kind(*columns, console=CONSOLE, transient=True, auto_refresh=has_thread)
