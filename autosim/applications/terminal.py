"""What the programs say to the person at the terminal, on the error output."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

_CONSOLE = Console(stderr=True, highlight=False, markup=False)


def tell(text: str) -> None:
    """Prints a line; above the progress bar where there is one."""
    _CONSOLE.print(text, soft_wrap=True)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A progress bar, gone when it is done."""
    if not _CONSOLE.is_terminal:
        # Where nothing can be drawn over, a bar that is gone leaves blank lines.
        yield Progress(console=_CONSOLE, disable=True)
        return
    columns = (TextColumn("{task.description:<28}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=_CONSOLE, transient=True) as bar:
        yield bar


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Shows that something is going on that nobody can say the length of."""
    with _CONSOLE.status(text):
        yield
