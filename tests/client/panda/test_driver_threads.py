"""The threads of a software driver leave one processor free while they are told to."""

import os
import threading
from contextlib import contextmanager

import pytest

pytest.importorskip("panda3d")

from autosim.client.panda import driver_threads
from autosim.client.panda.driver_threads import MOST_BY_OTHERS, DriverThreads, OthersDemand

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="it takes two processors, on Linux",
)


@contextmanager
def waiting_threads(count):
    """The system's numbers of as many threads, which wait."""
    end, numbers = threading.Event(), []
    ready = threading.Barrier(count + 1)

    def wait():
        numbers.append(threading.get_native_id())
        ready.wait()
        end.wait()

    threads = [threading.Thread(target=wait) for _ in range(count)]
    for thread in threads:
        thread.start()
    ready.wait()
    try:
        yield sorted(numbers)
    finally:
        end.set()
        for thread in threads:
            thread.join()


def places(numbers):
    return [os.sched_getaffinity(number) for number in numbers]


def test_one_steps_aside_and_comes_back(monkeypatch):
    processors = sorted(os.sched_getaffinity(0))
    with waiting_threads(len(processors)) as numbers:
        monkeypatch.setattr(driver_threads, "_find", lambda: numbers)
        threads = DriverThreads()
        own = [{processor} for processor in processors]
        assert places(numbers) == own
        threads.step_aside()
        assert places(numbers) == [set(processors[1:]), *own[1:]]
        threads.spread()
        assert places(numbers) == own
    assert os.sched_getaffinity(0) == set(processors)


def test_while_others_need_a_processor_the_system_places_them(monkeypatch):
    processors = sorted(os.sched_getaffinity(0))
    demand = iter([MOST_BY_OTHERS + 0.1, MOST_BY_OTHERS - 0.1])
    monkeypatch.setattr(OthersDemand, "since_last", lambda self: next(demand))
    monkeypatch.setattr(driver_threads, "PERIOD_SECONDS", 0.0)
    with waiting_threads(len(processors)) as numbers:
        monkeypatch.setattr(driver_threads, "_find", lambda: numbers)
        threads = DriverThreads()
        threads.step_aside()
        threads.spread()
        assert places(numbers) == [set(processors)] * len(processors)
        threads.step_aside()
        threads.spread()
        assert places(numbers) == [{processor} for processor in processors]


def test_what_others_need_is_what_is_used_less_what_this_process_uses(monkeypatch, tmp_path):
    second = os.sysconf("SC_CLK_TCK")
    statistics = tmp_path / "stat"
    monkeypatch.setattr(driver_threads, "_STATISTICS", statistics)

    def at(time, own, *, user, system):
        statistics.write_text(
            f"cpu  7 7 7 7\n"
            f"cpu0 {user * second:.0f} 0 {system * second:.0f} {100 * second}\n"
            f"cpu1 {500 * second} 0 0 0\nintr 12\n"
        )
        monkeypatch.setattr(driver_threads.time, "monotonic", lambda: time)
        monkeypatch.setattr(driver_threads.time, "process_time", lambda: own)

    at(10.0, 1.0, user=50, system=10)
    demand = OthersDemand([0])
    at(12.0, 1.5, user=51, system=11)
    assert demand.since_last() == pytest.approx(0.75)
    at(13.0, 2.5, user=52, system=11)
    assert demand.since_last() == pytest.approx(0.0)


def test_threads_that_have_ended_are_left_alone(monkeypatch):
    with waiting_threads(2) as numbers:
        monkeypatch.setattr(driver_threads, "_find", lambda: numbers)
        threads = DriverThreads()
    threads.step_aside()
    threads.spread()


def test_without_a_software_driver_there_is_nothing_to_do():
    before = os.sched_getaffinity(0)
    DriverThreads().step_aside()
    assert os.sched_getaffinity(0) == before
