"""A simulation process that is stopped is told from one that is busy."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator

import grpc
import pytest
import uvloop

from autosim.helper_processes.process_activity import Activity
from autosim.server.network import front as front_module
from autosim.server.network.front import Front
from autosim.server.process import watchdog
from autosim.server.process.watchdog import Watchdog
from autosim.v1 import autosim_pb2 as pb
from autosim.wire import LATE
from tests.server.gateway_clients import WORLD, Actions, Client, attached, play, refusal, run_alone
from tests.server.light_simulation import LightSimulation, light_options

STEPS = 100
"""Number of steps that a stopped simulation is asked for."""

ENOUGH_LOOKS = 10
"""More than a silent process is given."""


class Process:
    """What the kernel and the outbox say of a process that is played."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.state, self.ticks, self.step = "S", 0, 0
        monkeypatch.setattr(watchdog, "activity_of", lambda pid: Activity(self.state, self.ticks))
        self.watch = Watchdog(lambda: 1, lambda: (self.step,))


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Process:
    return Process(monkeypatch)


def looks(process: Process, count: int, *, is_loading: bool = False) -> Iterator[int]:
    for number in range(count):
        yield number
        process.watch.check(is_loading=is_loading)


def test_a_process_without_a_sign_of_life_is_silent_within_two_seconds(process: Process) -> None:
    for _ in looks(process, 5):
        pass
    assert 0.0 < process.watch.unresponsive_seconds <= 2.0
    assert "neither steps nor computes" in process.watch.text


def test_a_process_that_the_kernel_has_stopped_is_called_so(process: Process) -> None:
    process.state = "T"
    for _ in looks(process, 5):
        pass
    assert "kill -CONT 1 resumes it" in process.watch.text


def test_one_that_steps_is_not_silent(process: Process) -> None:
    for number in looks(process, ENOUGH_LOOKS):
        process.step = number
    assert process.watch.text == ""


def test_a_long_step_is_not_silence(process: Process) -> None:
    for number in looks(process, ENOUGH_LOOKS):
        process.ticks = number
    assert process.watch.text == ""


def test_one_that_waits_for_a_processor_is_not_silent(process: Process) -> None:
    process.state = "R"
    for _ in looks(process, ENOUGH_LOOKS):
        pass
    assert process.watch.text == ""


def test_one_that_loads_may_have_others_work_for_it(process: Process) -> None:
    for _ in looks(process, ENOUGH_LOOKS, is_loading=True):
        pass
    assert process.watch.text == ""
    process.state = "T"
    for _ in looks(process, 5, is_loading=True):
        pass
    assert "is stopped" in process.watch.text


def test_one_sign_of_life_ends_the_silence(process: Process) -> None:
    for _ in looks(process, ENOUGH_LOOKS):
        pass
    assert process.watch.unresponsive_seconds > 2.0
    process.step = 1
    process.watch.check(is_loading=False)
    assert process.watch.unresponsive_seconds == 0.0


def texts(front: Front) -> list[str]:
    return [each.notice.text for each in front.notices.since(0, characters=10**6)]


async def until_silent(client: Client) -> pb.Status:
    while not (status := await client.control(Actions.STATUS)).unresponsive_seconds:
        await asyncio.sleep(0.01)
    return status


def test_a_stopped_simulation_is_noticed_and_goes_on_when_it_may() -> None:
    async def test(client: Client) -> None:
        host = client.front.worlds.require().host
        os.kill(host.pid, signal.SIGSTOP)
        waiting = asyncio.ensure_future(client.step(STEPS))
        try:
            status = await until_silent(client)
            # Who waited goes on to wait, and so does who asks now.
            asked = asyncio.ensure_future(client.stub.Track(pb.TrackRequest()))
            # But for the caller whose own deadline passes.
            code, details = await refusal(client.stub.Track(pb.TrackRequest(), timeout=1.0))
            assert (code, details) == (grpc.StatusCode.DEADLINE_EXCEEDED, LATE)
            assert not waiting.done()
            assert not asked.done()
            report = await client.stub.Report(pb.ReportRequest())
            assert "kill -CONT" in report.messages[-1].text
        finally:
            os.kill(host.pid, signal.SIGCONT)
        assert (await asked).robots
        assert (await waiting).step == status.step + STEPS
        while len(texts(client.front)) < 3:
            await asyncio.sleep(0.01)
        assert "kill -CONT" in texts(client.front)[1]
        assert "answers again" in texts(client.front)[2]

    run_alone(test)


class HeavySimulation(LightSimulation):
    """Its second step takes two seconds of work: longer than a silent process is given."""

    def step(self) -> None:
        super().step()
        while self.state.step == 2 and time.process_time() < self._end:
            pass

    _end = time.process_time() + 2.2


def test_a_step_of_two_seconds_is_not_called_silence() -> None:
    async def test(client: Client) -> None:
        await client.step(1)
        step = asyncio.ensure_future(client.step(1))
        while not step.done():
            assert (await client.control(Actions.STATUS)).unresponsive_seconds == 0.0
            await asyncio.sleep(0.01)
        assert texts(client.front) == ["loaded with seed 0"]

    async def within() -> None:
        async with Front(WORLD, light_options(HeavySimulation)) as front:
            await play(test, front)

    uvloop.run(within())


async def looked(front: Front, times: int) -> None:
    """Returns when the front has looked so often after the simulation process."""
    watch, count = front.worlds.require()._life, 0
    look = watch.check

    def counted(*, is_loading: bool) -> None:
        nonlocal count
        count += 1
        look(is_loading=is_loading)

    watch.check = counted  # type: ignore[method-assign]
    while count < times:
        await asyncio.sleep(0.01)


def test_neither_a_pause_nor_a_programs_turn_is_called_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(front_module, "CHECK_SECONDS", 0.3)

    async def test(client: Client) -> None:
        await looked(client.front, 5)
        await client.control(Actions.RUN, real_time_factor=0.0)
        stream = await attached(client)
        assert (await stream.read()).WhichOneof("kind") == "turn_started"
        await looked(client.front, 5)
        assert texts(client.front) == ["loaded with seed 0"]

    run_alone(test)
