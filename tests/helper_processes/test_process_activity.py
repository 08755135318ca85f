"""A process that is at work is told from one that hangs, and from one that is stopped."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from autosim.helper_processes.process_activity import WorkWatch, activity_of, wait_while_at_work

SLEEPS = "import sys; print(flush=True); sys.stdin.read()"
COMPUTES = "print(flush=True)\nwhile True: pass"
COMPUTES_A_WHILE = "import time; end = 1.0\nwhile time.process_time() < end: pass"


@contextmanager
def running(source: str) -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(
        [sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def until_asleep(pid: int) -> None:
    while activity_of(pid).state != "S":
        pass


def test_a_process_that_waits_does_not_work() -> None:
    with running(SLEEPS) as process:
        until_asleep(process.pid)
        watch = WorkWatch(process.pid)
        assert not watch.has_worked()
        assert not wait_while_at_work(process, 0.01)


def test_one_that_computes_works_until_it_is_stopped() -> None:
    with running(COMPUTES) as process:
        watch = WorkWatch(process.pid)
        assert watch.has_worked()
        os.kill(process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        assert activity_of(process.pid).is_stopped
        assert not watch.has_worked()


def test_one_that_has_ended_does_nothing() -> None:
    with running(SLEEPS) as process:
        pid = process.pid
    assert not activity_of(pid).wants_to_run


@pytest.mark.timeout(60)
def test_the_end_of_one_at_work_is_waited_for_however_late() -> None:
    process = subprocess.Popen([sys.executable, "-c", COMPUTES_A_WHILE])
    assert wait_while_at_work(process, 0.4)
    assert process.returncode == 0
