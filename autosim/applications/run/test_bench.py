"""A test bench as a program: in a window where one can be shown, else in the terminal."""

from typing import Any

from autosim.applications.common.screen import find_obstacle
from autosim.applications.common.terminal import tell
from autosim.applications.testbench.run_bench import run_bench
from autosim.testbench.launch.bench import BenchOptions
from autosim.testbench.launch.launch_file import Launch


def run_test_bench(
    launch: Launch, *, backend: str, options: BenchOptions, has_window: bool
) -> dict[str, Any]:
    """Runs a bench to its end, or until its window is closed, and returns its summary.

    Raises:
        UserError: the bench cannot run, or its results cannot be written.
    """
    if has_window:
        obstacle = find_obstacle()
        if not obstacle:
            from autosim.applications.gui.bench.app import run_window

            return run_window(launch, backend, options)
        tell(f"no window: {obstacle}")
    return run_bench(launch, backend=backend, options=options)
