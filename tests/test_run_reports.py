"""What a run of the tests reports when a test or a worker goes wrong."""

import subprocess
import sys

import pytest

from tests import run_reports
from tests.paths import ROOT

CONFTEST = """
import signal
from tests import run_reports

def pytest_configure(config):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    run_reports.silence_limit = lambda config: {silence}
    run_reports.register(config)
"""

KILLED = """
import os, signal, time

def test_before():
    pass

def test_that_crashes():
    if not os.fork():
        time.sleep(600.0)
    os.kill(os.getpid(), signal.SIGKILL)

def test_after():
    pass
"""

HANGING = """
import signal, time

def test_that_hangs():
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    time.sleep(600.0)
"""

FLAKY = """
runs = []

def test_that_fails_twice():
    runs.append(0)
    print("printed in run", len(runs))
    assert len(runs) != 1, "the first reason"
    raise ValueError("the second reason")
"""

SILENT = "def test_that_passes():\n    pass\n"


def report_of(folder, test, *options, silence=600.0):
    """What pytest prints about the file `test`, with `options`."""
    (folder / "conftest.py").write_text(CONFTEST.format(silence=silence))
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_one.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, str(folder)]
    # In a session of its own, into a file: what outlives the run holds nothing that is waited for.
    with open(folder / "report", "w+") as report:
        subprocess.run(
            command,
            cwd=folder,
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
            stdout=report,
            stderr=subprocess.STDOUT,
            timeout=120.0,
            check=False,
        )
        report.seek(0)
        return report.read()


def test_a_worker_that_crashes_while_its_child_lives_is_reported(tmp_path):
    text = report_of(tmp_path, KILLED, "-n1", "--dist", "loadfile", "--max-worker-restart", "0")
    assert "crashed while running 'test_one.py::test_that_crashes'" in text
    assert "1 failed, 1 passed" in text


@pytest.mark.slow
def test_a_run_ends_when_no_worker_reports(tmp_path):
    text = report_of(tmp_path, HANGING, "-n1", silence=8.0)
    assert "no worker reported for 8 s" in text
    assert "test_one.py::test_that_hangs" in text


def test_a_test_that_fails_twice_shows_both_failures(tmp_path):
    text = report_of(tmp_path, FLAKY, "-n1", "--reruns", "1")
    assert "AssertionError: the first reason" in text
    assert "printed in run 1" in text
    assert "ValueError: the second reason" in text


def test_a_run_prints_where_its_seeds_come_from(tmp_path):
    text = report_of(tmp_path, SILENT)
    assert "seeds: fixed in each test, or in its name" in text
    assert "PYTHONHASHSEED=random" in text


def test_a_long_test_has_its_own_timeout(request):
    request.node.add_marker("long")
    run_reports.give_time_to_long_tests([request.node])
    assert request.node.get_closest_marker("timeout").args == (run_reports.LONG_TIMEOUT,)
