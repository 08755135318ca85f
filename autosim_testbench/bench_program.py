"""A test bench as a program: in a window where one can be shown, else in the terminal."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from autosim.applications.common.screen import find_obstacle
from autosim.applications.common.terminal import tell
from autosim_testbench.applications.run_bench import run_bench
from autosim_testbench.launch.bench import BenchOptions
from autosim_testbench.launch.launch_file import Launch
from autosim_testbench.launch.summary import RunSummary


def run_test_bench(
    launch: Launch, *, backend: str, options: BenchOptions, has_window: bool
) -> RunSummary:
    """Runs a bench to its end, or until its window is closed, and returns its summary.

    Raises:
        UserError: the bench cannot run, or its results cannot be written.
    """
    if has_window:
        obstacle = find_obstacle()
        if not obstacle:
            from autosim_testbench.window.bench_app import run_bench_window

            return run_bench_window(launch, backend, options)
        tell(f"no window: {obstacle}")
    with _told_to_end() as is_told:
        if options.seconds is None:
            tell("Ctrl+C ends the bench")
        return run_bench(
            launch,
            backend=backend,
            options=options,
            watch=lambda bench: bench.stop() if is_told.is_set() else None,
        )


@contextmanager
def _told_to_end() -> Iterator[threading.Event]:
    """Set by the first Ctrl+C or SIGTERM: the bench ends and writes its results.

    The second does what it always does.
    """
    is_told = threading.Event()
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for each, handler in before.items():
            signal.signal(each, handler)

    def take(*_: object) -> None:
        is_told.set()
        restore()

    for each in before:
        signal.signal(each, take)
    try:
        yield is_told
    finally:
        restore()
