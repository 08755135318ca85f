"""Work in several processes: the same results, and clear words when one of them is lost."""

import gc
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from autosim.world.pipeline.workers import (
    WorkerLostError,
    all_meanwhile,
    begun,
    in_processes,
    meanwhile,
    usable_processors,
    without_collector,
)
from tests.paths import ROOT


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_the_order_of_the_tasks(processes):
    # The first tasks take longest.
    def work(task):
        sum(range(40_000 * (6 - task)))
        return task * task

    assert in_processes(work, 6, processes=processes) == [0, 1, 4, 9, 16, 25]


def test_work_is_in_other_processes_and_its_progress_is_told():
    told = []
    pids = in_processes(lambda task: os.getpid(), 4, processes=2, finished=told.append)
    assert os.getpid() not in pids
    assert told == [1, 2, 3, 4]


def test_one_processor_needs_no_other_process():
    assert in_processes(lambda task: os.getpid(), 2, processes=1) == [os.getpid()] * 2


def test_an_error_in_a_task_is_raised_here_with_its_place():
    def work(task):
        raise ValueError(f"task {task} is too hard")

    with pytest.raises(ValueError, match="is too hard") as found:
        in_processes(work, 3, processes=2)
    assert "in work" in found.value.__notes__[0]


def test_a_killed_process_is_told_as_such():
    def work(task):
        if task == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return task

    with pytest.raises(WorkerLostError, match="was killed: probably there was not enough memory"):
        in_processes(work, 3, processes=2)
    assert not _children()


def test_a_piece_of_work_is_done_meanwhile_and_its_process_ends_with_it():
    with meanwhile(os.getpid) as result:
        worker = result()
        assert not _children()
    if usable_processors() > 1:
        assert worker != os.getpid()


def test_what_is_done_meanwhile_need_not_be_waited_for():
    with meanwhile(signal.pause):
        pass
    assert not _children()


def test_several_pieces_of_work_are_done_meanwhile_and_come_in_their_order():
    def work(task):
        sum(range(40_000 * (6 - task)))
        return task, os.getpid()

    with all_meanwhile([partial(work, task) for task in range(6)], processes=2) as results:
        done = results()
        assert not _children()
    assert [task for task, _ in done] == list(range(6))
    assert os.getpid() not in {pid for _, pid in done}


def test_results_that_fill_the_line_wait_until_they_are_asked_for():
    with all_meanwhile([lambda: bytes(2_000_000)] * 4, processes=2) as results:
        assert [len(each) for each in results()] == [2_000_000] * 4


def test_without_another_process_work_is_done_when_it_is_asked_for():
    asked = []
    with all_meanwhile([lambda: asked.append(1), os.getpid], processes=0) as results:
        assert not asked
        assert results() == [None, os.getpid()]
    assert asked


@pytest.mark.parametrize("processes", [0, 1, 2])
def test_what_nobody_has_begun_is_taken_back(processes):
    (started, tell_start), (allowed, allow) = os.pipe(), os.pipe()

    def work(task):
        os.write(tell_start, b".")
        os.read(allowed, 1)
        return task, os.getpid()

    with begun([partial(work, task) for task in range(5)], processes=processes) as ahead:
        for _ in range(processes):
            os.read(started, 1)
        # Each process is at a task.
        assert ahead.take_back() == list(range(processes, 5))
        assert ahead.take_back() == []
        os.write(allow, b"." * processes)
        done = ahead.done()
        assert not _children()
    assert [done[number][0] for number in range(processes)] == list(range(processes))
    assert len(done) == len({pid for _, pid in done.values()} - {os.getpid()}) == processes
    for end in (started, tell_start, allowed, allow):
        os.close(end)


def test_an_error_meanwhile_is_raised_where_the_result_is_wanted():
    def work():
        raise ValueError("too hard")

    with meanwhile(work) as result, pytest.raises(ValueError, match="too hard"):
        result()


def test_too_little_memory_is_told_as_such():
    def work(task):
        raise MemoryError

    with pytest.raises(WorkerLostError, match="not enough memory"):
        in_processes(work, 2, processes=2)


def test_an_interrupt_ends_all_processes():
    def finished(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_processes(lambda task: task, 4, processes=2, finished=finished)
    assert not _children()


def test_a_main_module_without_a_guard_runs_once(tmp_path):
    script = tmp_path / "unguarded.py"
    script.write_text(
        "from autosim.world.pipeline.workers import in_processes\n"
        "print('begin', flush=True)\n"
        "print(in_processes(lambda task: task + 1, 3, processes=2))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "begin\n[1, 2, 3]\n"


def test_processes_end_with_their_parent(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(
        "import os, sys\n"
        "from autosim.world.pipeline.workers import in_processes\n"
        "in_processes(lambda task: task, 8, processes=2,\n"
        "             finished=lambda done: os.kill(os.getpid(), 9))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    # Their copies of the output keep it open: it is at its end when all of them are gone.
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True)
    assert done.returncode == -signal.SIGKILL


def _children() -> str:
    pid = os.getpid()
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().strip()


@pytest.fixture(params=[True, False])
def collector(request):
    """The collector at work or at rest, as it is from here on."""
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_nobody_looks_for_garbage_while_a_world_is_made(collector):
    with without_collector():
        assert not gc.isenabled()
        assert in_processes(lambda task: gc.isenabled(), 2, processes=2) == [False, False]
    assert gc.isenabled() is collector


def test_a_fault_leaves_the_collector_as_it_was(collector):
    with pytest.raises(ValueError, match="on the way"), without_collector():
        raise ValueError("on the way")
    assert gc.isenabled() is collector
