"""Opens the test bench's window and waits until it is closed."""

import signal
import sys
import traceback

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication

from autosim_testbench.launch.bench import BenchOptions
from autosim_testbench.launch.launch_file import Launch
from autosim_testbench.launch.summary import RunSummary
from autosim_testbench.window.bench_runner import BenchRunner
from autosim_testbench.window.bench_window import BenchWindow

_SIGNAL_MILLISECONDS = 200
"""Time [ms] after which Ctrl+C is noticed while nothing else happens."""


def run_bench_window(launch: Launch, backend: str, options: BenchOptions) -> RunSummary:
    """Runs a bench in a window until that is closed, and returns its summary.

    Raises:
        UserError: the bench cannot run.
    """
    app = QApplication(sys.argv[:1])
    app.setApplicationName("AutoSim test bench")
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: app.closeAllWindows())
    # Else PyQt ends the process where the window has a fault, and the bench's results are lost.
    sys.excepthook = traceback.print_exception
    timer = QTimer()  # Qt does not return to Python while nothing happens
    timer.timeout.connect(lambda: None)
    timer.start(_SIGNAL_MILLISECONDS)
    runner = BenchRunner(launch, backend, options)
    window = BenchWindow(runner)
    window.show()
    runner.start()
    app.exec()
    runner.wait()
    if runner.error:
        raise runner.error
    assert runner.summary is not None
    return runner.summary
