"""The simulation process and the front that watches it."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import uvloop

from autosim.config.descriptions import WorldDescription
from autosim.helper_processes.process_socket import ControlSocket
from autosim.model.notices import Notice
from autosim.model.phase import Phase
from autosim.server.network.front import Event, Front, ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.server.process.process_messages import Pause, Run
from autosim.server.server_errors import ServerError, SimulationCrashedError
from tests.running_processes import children
from tests.server.light_simulation import (
    DyingSimulation,
    EndlesslyLoadingSimulation,
    EndlesslyStartingSimulation,
    FailingSimulation,
    TalkativeFailingSimulation,
    UnloadableSimulation,
    light_options,
    light_world,
    run_in_process,
)


def is_running(pid: int) -> bool:
    """Whether there is such a process that is no zombie."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


async def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Waits for `condition`."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


def test_the_process_steps_as_often_as_told_and_gives_the_bytes_of_any_other() -> None:
    world = light_world(3)

    async def run() -> str:
        async with Front(world, light_options(seed=5)) as front:
            await front.worlds.require().host.ask(Run(steps=7, is_awaited=True))
            await front.worlds.require().host.ask(
                Run(steps=13, real_time_factor=50.0, is_awaited=True)
            )
            figures = await front.worlds.require().host.figures()
            assert figures.steps == 20
            return figures.state_digest

    record = run_in_process(world, 20, seed=5).record
    assert record is not None
    assert uvloop.run(run()) == record.figures().state_digest


def test_a_run_can_be_paused_and_goes_on() -> None:
    async def run() -> None:
        async with Front(light_world(), light_options()) as front:
            await front.worlds.require().host.ask(Run())
            assert front.worlds.require().host.phase.name == "RUNNING"
            await front.worlds.require().host.ask(Pause())
            assert front.worlds.require().host.phase.name == "PAUSED"
            step = (await front.worlds.require().host.figures()).steps
            assert (await front.worlds.require().host.figures()).steps == step
            await front.worlds.require().host.ask(Run())
            await until(lambda: front.worlds.require().broadcast.step > step)

    uvloop.run(run())


def test_a_run_is_answered_before_programs_have_had_their_first_turn() -> None:
    async def run() -> None:
        async with Front(light_world(), light_options(EndlesslyStartingSimulation)) as front:
            async with asyncio.timeout(20.0):
                await front.worlds.require().host.ask(Run())
            assert front.worlds.require().host.phase.name == "RUNNING"

    uvloop.run(run())


def test_pausing_answers_who_waits_for_steps() -> None:
    async def run() -> None:
        async with Front(light_world(), light_options()) as front:
            steps = asyncio.ensure_future(
                front.worlds.require().host.ask(Run(steps=10**9, is_awaited=True))
            )
            await until(lambda: front.worlds.require().broadcast.step > 0)
            await front.worlds.require().host.ask(Pause())
            await steps

    uvloop.run(run())


def end_of(world: WorldDescription, options: ServerOptions) -> str:
    """What a server says about the end of its simulation, which runs at once."""

    async def run() -> None:
        async with Front(world, options) as front:
            await front.finished()

    with pytest.raises(SimulationCrashedError) as caught:
        uvloop.run(run())
    return str(caught.value)


def test_a_failing_step_ends_the_server_with_its_traceback() -> None:
    text = end_of(light_world(), light_options(FailingSimulation, real_time_factor=0.0))
    assert "ArithmeticError: the wheels came off" in text
    assert "in advance" in text


def test_a_simulation_that_cannot_be_made_ends_the_server_with_its_traceback() -> None:
    text = end_of(light_world(), light_options(UnloadableSimulation))
    assert "ValueError: the map is empty" in text


def test_a_killed_simulation_process_is_named() -> None:
    text = end_of(light_world(), light_options(DyingSimulation, real_time_factor=0.0))
    assert text == "the simulation process was ended by SIGKILL"


def test_a_server_whose_simulation_died_says_so_and_is_gone() -> None:
    options = light_options(DyingSimulation, real_time_factor=0.0)
    server = ServerProcess(light_world(), options)
    server._control.set_blocking(True)
    with pytest.raises(ServerError, match="SIGKILL"):
        server.poll()
    server.close()
    assert not is_running(server.pid)


def test_the_reason_of_an_end_is_not_lost_in_a_flood_of_messages() -> None:
    options = light_options(TalkativeFailingSimulation, real_time_factor=0.0)
    with ServerProcess(light_world(), options) as server:
        # It does not end before it is heard.
        with pytest.raises(TimeoutError):
            uvloop.run(until(lambda: not is_running(server.pid), seconds=2.0))
        server._control.set_blocking(True)
        with pytest.raises(ServerError, match="the wheels came off"):
            server.poll()


def test_a_server_that_was_never_told_what_to_serve_ends_quietly() -> None:
    ours, theirs = ControlSocket.pair()
    command = [sys.executable, "-m", "autosim.server.network.server_process", str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stderr=subprocess.PIPE)
    ours.close()
    theirs.close()
    assert process.communicate(timeout=60.0)[1] == b""
    assert process.returncode == 0


def test_requests_fail_when_the_process_dies() -> None:
    async def run() -> None:
        async with Front(light_world(), light_options()) as front:
            await until(lambda: front.worlds.require().host.phase is Phase.READY)
            os.kill(front.worlds.require().host.pid, signal.SIGSTOP)
            asking = asyncio.ensure_future(front.worlds.require().host.figures())
            await asyncio.sleep(0)
            os.kill(front.worlds.require().host.pid, signal.SIGKILL)
            with pytest.raises(ServerError, match="SIGKILL"):
                await asking

    uvloop.run(run())


def test_what_the_simulation_says_reaches_the_front() -> None:
    events: list[Event] = []

    async def run() -> None:
        async with Front(light_world(), light_options(seed=3), on_event=events.append) as front:
            await until(lambda: front.worlds.require().host.phase is Phase.READY)

    uvloop.run(run())
    texts = [event.text for event in events if isinstance(event, Notice)]
    assert texts == ["loaded with seed 3", "closed"]


def test_a_process_that_never_gets_ready_ends_with_the_server() -> None:
    async def run() -> int:
        async with Front(light_world(), light_options(EndlesslyLoadingSimulation)) as front:
            await until(lambda: len(front.notices) > 0)
            return front.worlds.require().host.pid

    assert not is_running(uvloop.run(run()))


def test_the_simulation_process_ends_when_the_front_is_killed() -> None:
    server = ServerProcess(light_world(), light_options(real_time_factor=1.0))
    simulations = children(server.pid)
    assert len(simulations) == 1
    os.kill(server.pid, signal.SIGKILL)
    uvloop.run(until(lambda: not is_running(simulations[0])))
    server.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_in_order(number: signal.Signals) -> None:
    events: list[Event] = []
    server = ServerProcess(light_world(), light_options(), on_event=events.append)
    server._control.set_blocking(True)
    simulations = children(server.pid)
    os.kill(server.pid, number)
    with pytest.raises(ServerError, match="the server has ended"):
        server.poll()
    server.close()
    assert not any(is_running(pid) for pid in (server.pid, *simulations))


def test_closing_a_server_leaves_no_process_behind() -> None:
    with ServerProcess(light_world(), light_options(real_time_factor=0.0)) as server:
        pids = [server.pid, *children(server.pid)]
        assert len(pids) == 2
    assert not any(is_running(pid) for pid in pids)


def test_no_descriptor_is_left_open_in_the_front() -> None:
    async def run() -> None:
        async with Front(light_world(), light_options()) as front:
            await front.worlds.require().host.ask(Run(steps=3, is_awaited=True))

    uvloop.run(run())
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    uvloop.run(run())
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before
