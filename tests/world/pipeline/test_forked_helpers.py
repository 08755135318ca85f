"""Work that several processes share: the same results, and clear words when one is lost."""

import gc
import os
import signal
import subprocess
import sys
from functools import partial

import pytest

from autosim.world.pipeline.forked_helpers import (
    TaskError,
    WorkerLostError,
    WorkQueue,
    gc_disabled,
)
from tests.paths import ROOT
from tests.running_processes import children


def done_together(tasks, helpers):
    with WorkQueue(tasks, helpers=helpers) as work:
        while work.work() is not None:
            pass
        return work.collect()


def slow_square(task):
    sum(range(40_000 * (6 - task)))
    return task * task


@pytest.mark.parametrize("helpers", [0, 1, 2])
def test_results_come_in_the_order_of_the_tasks(helpers):
    # The first tasks take longest.
    tasks = [partial(slow_square, task) for task in range(6)]
    assert done_together(tasks, helpers) == [0, 1, 4, 9, 16, 25]
    assert not _children()


def test_helpers_do_what_this_process_leaves_to_them():
    with WorkQueue([os.getpid] * 4, helpers=2) as work:
        done = work.collect()
        assert work.is_all_taken
    assert os.getpid() not in done


def test_without_helpers_what_is_left_is_done_here():
    with WorkQueue([os.getpid] * 2, helpers=0) as work:
        assert not work.is_all_taken
        assert work.collect() == [os.getpid()] * 2


@pytest.mark.parametrize("helpers", [0, 1, 2])
def test_each_task_is_done_once(helpers):
    (started, tell_start), (allowed, allow) = os.pipe(), os.pipe()

    def work(task):
        if os.getpid() != here:
            os.write(tell_start, b".")
            os.read(allowed, 1)
        return task, os.getpid()

    here = os.getpid()
    with WorkQueue([partial(work, task) for task in range(5)], helpers=helpers) as shared:
        for _ in range(helpers):
            os.read(started, 1)
        # Each helper is at a task.
        for task in range(helpers, 5):
            assert not shared.is_all_taken
            assert shared.work() == task
        assert shared.is_all_taken
        assert shared.work() is None
        assert shared.is_done is (helpers == 0)
        os.write(allow, b"." * helpers)
        done = shared.collect()
    assert [task for task, _ in done] == list(range(5))
    assert len({pid for _, pid in done} - {here}) == helpers
    for end in (started, tell_start, allowed, allow):
        os.close(end)


def test_large_results_wait_until_they_are_asked_for():
    with WorkQueue([lambda: bytes(2_000_000)] * 4, helpers=2) as work:
        assert [len(each) for each in work.collect()] == [2_000_000] * 4


def test_what_helpers_do_need_not_be_waited_for():
    with WorkQueue([signal.pause], helpers=1):
        assert _children()
    assert not _children()


@pytest.mark.parametrize("helpers", [0, 1])
def test_an_error_in_a_task_is_raised_here_with_its_place(helpers):
    def work():
        raise ValueError("too hard")

    with pytest.raises(TaskError) as found, WorkQueue([int, work], helpers=helpers) as shared:
        shared.collect()
    assert found.value.task == 1
    cause = found.value.__cause__
    assert str(cause) == "too hard"
    if helpers:
        assert "in work" in cause.__notes__[0]


def test_a_killed_process_is_told_as_such():
    def work():
        os.kill(os.getpid(), signal.SIGKILL)

    with (
        pytest.raises(WorkerLostError, match="was killed: probably there was not enough memory"),
        WorkQueue([work], helpers=1) as shared,
    ):
        shared.collect()
    assert not _children()


def test_an_interrupt_ends_all_processes():
    with pytest.raises(KeyboardInterrupt), WorkQueue([signal.pause] * 2, helpers=2):
        raise KeyboardInterrupt
    assert not _children()


def test_a_process_with_threads_forks_none():
    # In a process of its own: libraries that other tests use leave threads behind.
    code = (
        "import threading\n"
        "from autosim.world.pipeline.forked_helpers import may_fork\n"
        "is_over = threading.Event()\n"
        "thread = threading.Thread(target=is_over.wait)\n"
        "found = [may_fork()]\n"
        "thread.start()\n"
        "found.append(may_fork())\n"
        "is_over.set()\n"
        "thread.join()\n"
        "print([*found, may_fork()])\n"
    )
    said = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=ROOT)
    assert said == "[True, False, True]\n"


def test_a_main_module_without_a_guard_runs_once(tmp_path):
    script = tmp_path / "unguarded.py"
    script.write_text(
        "from autosim.world.pipeline.forked_helpers import WorkQueue\n"
        "print('begin', flush=True)\n"
        "with WorkQueue([lambda: 1, lambda: 2], helpers=2) as work: print(work.collect())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "begin\n[1, 2]\n"


def test_processes_end_with_their_parent(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(
        "import os\n"
        "from autosim.world.pipeline.forked_helpers import WorkQueue\n"
        "work = WorkQueue([lambda: bytes(2_000_000)] * 8, helpers=2)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    # Their copies of the output keep it open: it is at its end when all of them are gone.
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True)
    assert done.returncode == -signal.SIGKILL


def _children() -> list[int]:
    return children(os.getpid())


@pytest.fixture(params=[True, False])
def collector(request):
    """The collector at work or at rest, as it is from here on."""
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_nobody_looks_for_garbage_while_a_world_is_made(collector):
    with gc_disabled():
        assert not gc.isenabled()
        with WorkQueue([gc.isenabled] * 2, helpers=2) as work:
            assert work.collect() == [False, False]
    assert gc.isenabled() is collector


def test_a_fault_leaves_the_collector_as_it_was(collector):
    with pytest.raises(ValueError, match="on the way"), gc_disabled():
        raise ValueError("on the way")
    assert gc.isenabled() is collector
