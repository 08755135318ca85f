"""Plug-ins for runs of the tests: what a run reports when a test or a worker goes wrong."""

import _thread
import os
import threading
import time
from collections.abc import Iterable
from typing import Any

import pytest

SEEDS = "fixed in each test, or in its name; drawn examples (hypothesis) are derandomised"
"""Where random numbers of tests come from."""

MAX_OWN_TIMEOUT = 1200.0
"""Largest timeout [s] that a single test sets by a marker, unknown to the controller."""

LONG_TIMEOUT = 3600.0
"""Timeout [s] of a test marked `long` that sets none: all of a country on a busy machine."""


class FirstFailures:
    """Shows why a test failed the first time, also where its second run fails differently."""

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Prints the traceback and the captured output of each first failure."""
        reports = terminalreporter.stats.get("rerun", [])
        if not reports:
            return
        terminalreporter.write_sep("=", "FIRST FAILURES OF TESTS THAT RAN TWICE")
        for report in reports:
            terminalreporter.write_sep("_", f"{report.nodeid} ({report.when})")
            terminalreporter.write_line(report.longreprtext)
            for title, content in report.sections:
                terminalreporter.write_sep("-", title)
                terminalreporter.write_line(content.rstrip())


class Seeds:
    """Prints where the seeds of a run come from, so that a failure can be repeated."""

    def pytest_report_header(self) -> str:
        """The line at the start of the run."""
        return f"seeds: {SEEDS}; PYTHONHASHSEED={os.environ.get('PYTHONHASHSEED', 'random')}"


class ForkedPipes:
    """Closes the pipes to the controller in each process that a worker forks.

    Otherwise a process that outlives a crashed worker holds them open, and the controller waits for
    ever for the worker's next report.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_sessionstart(self) -> None:
        """Registers the pipes, which exist from here on."""
        plugins = self._config.pluginmanager.get_plugins()
        worker = next(each for each in plugins if type(each).__name__ == "WorkerInteractor")
        pipes = worker.channel.gateway._io
        descriptors = [pipes.infile.fileno(), pipes.outfile.fileno()]

        def close() -> None:
            null = os.open(os.devnull, os.O_RDWR)
            for each in descriptors:
                os.dup2(null, each, inheritable=False)
            os.close(null)

        os.register_at_fork(after_in_child=close)


class SilenceLimit:
    """Interrupts a run whose workers report nothing for `seconds`, and names their tests.

    pytest-timeout ends a test from within its worker; it cannot where the worker has crashed, or
    hangs in compiled code.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._running: dict[str, None] = {}
        self._reported_at = time.monotonic()
        self._has_ended = threading.Event()
        self.message = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        """Starts to watch."""
        self._reported_at = time.monotonic()
        threading.Thread(target=self._watch, name="silence limit", daemon=True).start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Adds a test that runs."""
        self._running[nodeid] = None
        self._reported_at = time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Removes a test that has run."""
        self._running.pop(nodeid, None)
        self._reported_at = time.monotonic()

    def pytest_runtest_logreport(self) -> None:
        """Counts as a sign of life."""
        self._reported_at = time.monotonic()

    def pytest_sessionfinish(self) -> None:
        """Stops watching."""
        self._has_ended.set()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Says why the run was interrupted."""
        if self.message:
            terminalreporter.write_sep("=", "NO WORKER REPORTS")
            terminalreporter.write_line(self.message)

    def _watch(self) -> None:
        while (left := self._reported_at + self._seconds - time.monotonic()) > 0.0:
            if self._has_ended.wait(left):
                return
        tests = ", ".join(self._running) or "none"
        self.message = f"no worker reported for {self._seconds:g} s; running tests: {tests}"
        _thread.interrupt_main()


def give_time_to_long_tests(items: Iterable[pytest.Item]) -> None:
    """Sets the timeout of tests marked `long`, however the run was started."""
    for item in items:
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONG_TIMEOUT))


def silence_limit(config: pytest.Config) -> float:
    """Longest time [s] without a report: the timeout of a test, and what a test may set itself."""
    timeout = config.getoption("timeout", None)
    if timeout is None:
        timeout = config.getini("timeout") or 0.0
    if config.getoption("markexpr", "") == "long":
        timeout = max(float(timeout), LONG_TIMEOUT)
    return float(timeout) + MAX_OWN_TIMEOUT


def register(config: pytest.Config) -> None:
    """Registers the plug-ins that this process of tests needs."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(ForkedPipes(config))
        return
    config.pluginmanager.register(FirstFailures())
    config.pluginmanager.register(Seeds())
    if config.getoption("numprocesses", None):
        config.pluginmanager.register(SilenceLimit(silence_limit(config)))
