"""A client and its server, each in its own process, through good times and bad."""

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import grpc
import pytest

from autosim.client.link.client_errors import ConnectionLostError, ServerRefusedError
from autosim.client.link.mirror import Mirror
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import RunReport, simulation_control
from autosim.client.link.updates import LinkState
from autosim.loading.loader import load_world
from autosim.model.commands import DeviceError
from autosim.model.phase import Phase
from autosim.orders.robot_orders import AddRobot
from autosim.server.network.server_process import ServerProcess
from autosim.wire import LATE
from tests.paths import ROOT
from tests.running_processes import children
from tests.server.light_simulation import (
    FILES,
    light_options,
    light_world,
    run_in_process,
)

WORLD = light_world(2)
YARD = "worlds/yard.xml"


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A server that tests share; where its actuators are set, they are put back to zero."""
    with ServerProcess(WORLD, light_options()) as server:
        yield server


@pytest.fixture
def mirror(server: ServerProcess) -> Iterator[Mirror]:
    with Mirror(WORLD, server.address, rate_hz=0.0) as mirror:
        mirror.connection.wait_for_state(60.0)
        mirror.connection.pause()
        yield mirror


def step(mirror: Mirror, steps: int) -> int:
    """Does so many steps, waits until the last has arrived, and returns its number."""
    last = mirror.connection.step(steps).step
    assert mirror.connection.wait_for_state(60.0, step=last).packet.step == last
    return last


def wait_until(mirror: Mirror, condition: Callable[[], bool]) -> None:
    """Waits for `condition`, which arrivals and losses change."""
    assert mirror.connection.wait_until(condition, 60.0)


def test_the_mirror_has_the_bytes_of_the_step(mirror: Mirror) -> None:
    last = step(mirror, 33)
    assert mirror.take()
    assert mirror.state.to_bitstream() == run_in_process(WORLD, last).state.to_bitstream()
    assert not mirror.take()


def test_the_mirror_changes_in_take_alone(mirror: Mirror) -> None:
    mirror.take()
    before = mirror.state.step
    last = step(mirror, 5)
    assert mirror.state.step == before
    mirror.take()
    assert mirror.state.step == last


def test_a_client_that_never_takes_still_has_the_newest_state(mirror: Mirror) -> None:
    first = step(mirror, 1)
    statistics = mirror.connection.statistics
    before = statistics.updates + statistics.missed
    for _ in range(20):
        mirror.connection.step(500)
    mirror.connection.wait_for_state(60.0, step=first + 10_000)
    assert statistics.updates + statistics.missed == before + 10_000
    assert statistics.bytes > statistics.updates * mirror.tree.stop


def test_a_state_that_waited_for_its_client_says_nothing_of_the_latency(
    server: ServerProcess, mirror: Mirror
) -> None:
    with Mirror(WORLD, server.address, rate_hz=0.0) as late:
        late.connection.wait_for_state()
        assert late.connection.statistics.latency is None
        late.connection.wait_for_state(step=step(mirror, 1))
        latency = late.connection.statistics.latency
        assert latency is not None
        assert latency >= 0.0


def test_actuators_are_set_at_the_next_step(mirror: Mirror) -> None:
    drive = mirror.tree.find("r1.box.drive")
    assert drive is not None

    def has_arrived(value: float) -> bool:
        step(mirror, 1)
        mirror.take()
        return bool(mirror.state.value(drive, drive.fields[0]) == value)

    for steering in (-0.5, 0.0):
        mirror.set_data({"r0.box.drive": [0.0] * 3, "r1.box.drive": [steering, 0.0, 0.0]})
        wait_until(mirror, partial(has_arrived, steering))


def test_a_command_that_no_actuator_takes_is_refused_at_once(mirror: Mirror) -> None:
    with pytest.raises(DeviceError, match="UNKNOWN_DEVICE"):
        mirror.set_data({"r0.box.drivel": [0.0, 0.0, 0.0]})


def test_a_client_controls_the_simulation(mirror: Mirror) -> None:
    connection = mirror.connection
    last = step(mirror, 3)
    assert connection.run(real_time_factor=1.0).phase is Phase.RUNNING
    connection.wait_for_state(60.0, step=last + 1)
    paused = connection.pause()
    assert paused.phase is Phase.PAUSED
    assert connection.status().step == paused.step


def test_the_report_tells_the_run(mirror: Mirror) -> None:
    last = step(mirror, 20)
    report = mirror.connection.report()
    record = run_in_process(WORLD, last).record
    assert record is not None
    assert mirror.connection.track().samples.tolist() == record.track.part().samples.tolist()
    assert report.robots == ("r0", "r1")
    assert report.status.step == last
    assert report.notices[0].text == "loaded with seed 0"


def test_another_file_is_refused_by_name(server: ServerProcess) -> None:
    other = replace(WORLD, files=(FILES[0], ("robots/light.xml", "00" * 32)))
    with Mirror(other, server.address) as mirror:
        with pytest.raises(ServerRefusedError, match=r"robots/light\.xml"):
            mirror.connection.wait_for_state(60.0)
        with pytest.raises(ServerRefusedError, match="differs between server and client"):
            mirror.take()


def test_another_world_is_refused(server: ServerProcess) -> None:
    with (
        Mirror(light_world(3), server.address) as mirror,
        pytest.raises(ServerRefusedError, match="layout"),
    ):
        mirror.connection.wait_for_state(60.0)


def test_that_nobody_listens_is_said() -> None:
    said: list[str] = []
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    with Mirror(WORLD, f"127.0.0.1:{port}", report=said.append) as mirror:
        wait_until(mirror, lambda: mirror.connection.link is LinkState.LOST)
        with pytest.raises(ConnectionLostError, match="no server listens"):
            mirror.connection.check()
        with pytest.raises(ConnectionLostError):
            mirror.connection.status()
        assert not mirror.take()
    assert len(said) == 1


def test_a_server_that_comes_back_is_found_again() -> None:
    said: list[str] = []
    with ServerProcess(WORLD, light_options()) as first:
        address = first.address
        mirror = Mirror(WORLD, address, report=said.append)
        mirror.connection.step(50)
        mirror.connection.wait_for_state(60.0, step=50)
        mirror.take()
        os.kill(first.pid, signal.SIGKILL)
        wait_until(mirror, lambda: mirror.connection.link is LinkState.LOST)
        assert mirror.state.step == 50
    with ServerProcess(WORLD, light_options(address=address)), mirror:
        wait_until(mirror, lambda: mirror.take() and mirror.state.step == 0)
        assert mirror.connection.link is LinkState.CONNECTED
        mirror.connection.step(2)
        mirror.connection.wait_for_state(60.0, step=2)
    assert "lost the server" in said[0]
    assert "connected again" in said[1]
    assert len(said) == 2


def test_a_server_that_somebody_stops_is_not_called_lost() -> None:
    said: list[str] = []
    with ServerProcess(WORLD, light_options()) as server, Mirror(WORLD, server.address) as other:
        mirror = Mirror(WORLD, server.address, report=said.append)
        mirror.connection.wait_for_state(60.0)
        assert not mirror.connection.was_stopped
        other.connection.stop()
        wait_until(mirror, lambda: mirror.connection.link is LinkState.LOST)
    address = server.address
    with mirror:
        assert said == [f"the server at {address} was stopped; waiting until it is started again"]
        with pytest.raises(ConnectionLostError, match=f"the server at {address} was stopped"):
            mirror.connection.check()
        with ServerProcess(WORLD, light_options(address=address)):
            wait_until(mirror, lambda: mirror.connection.link is LinkState.CONNECTED)
            assert not mirror.connection.was_stopped


def test_a_server_that_loads_the_same_world_again_is_not_called_lost() -> None:
    said: list[str] = []
    world = load_world(ROOT / YARD)
    with ServerProcess(world, light_options()) as server:
        address = server.address
        with Mirror(world, address, report=said.append) as mirror:
            step(mirror, 5)
            assert list(ServerManagement(mirror.connection).load(YARD))
            wait_until(mirror, lambda: mirror.take() and mirror.state.step == 0)
    assert said == [f"the server at {address} has loaded the world again"]


def test_a_server_that_loads_another_world_is_not_called_lost() -> None:
    said: list[str] = []
    world = load_world(ROOT / YARD)
    with (
        ServerProcess(world, light_options()) as server,
        Mirror(world, server.address, report=said.append) as mirror,
    ):
        mirror.connection.wait_for_state(60.0)
        added = AddRobot("robots/scout.xml", "another", (5.0, -3.0))
        ServerManagement(mirror.connection).add_robot(added)
        wait_until(mirror, lambda: mirror.connection.link is LinkState.REFUSED)
        with pytest.raises(ServerRefusedError, match=r"another world now: .*'yard\.xml'"):
            mirror.connection.check()
    assert said == []


def test_a_frozen_server_is_noticed_and_found_again(server: ServerProcess, mirror: Mirror) -> None:
    os.kill(server.pid, signal.SIGSTOP)
    try:
        wait_until(mirror, lambda: mirror.connection.link is LinkState.LOST)
    finally:
        os.kill(server.pid, signal.SIGCONT)
    wait_until(mirror, lambda: mirror.connection.link is LinkState.CONNECTED)
    assert mirror.connection.step(1).phase is Phase.PAUSED


def test_a_frozen_simulation_is_told_and_goes_on() -> None:
    said: list[str] = []
    with (
        ServerProcess(WORLD, light_options(real_time_factor=1.0)) as server,
        Mirror(WORLD, server.address, report=said.append) as mirror,
    ):
        connection = mirror.connection
        connection.wait_for_state(60.0, step=10)
        (simulation,) = children(server.pid)
        os.kill(simulation, signal.SIGSTOP)
        try:
            wait_until(mirror, lambda: connection.silence != "")
            assert connection.link is LinkState.CONNECTED
            assert connection.trouble.startswith("the simulation does not answer since")
            status = connection.status()
            assert status.unresponsive_seconds > 0.0
            with pytest.raises(ConnectionLostError, match=LATE):
                connection.step(10, timeout=1.0)
            with pytest.raises(ConnectionLostError, match="the simulation does not answer"):
                connection.wait_for_state(0.1, step=10**9)
        finally:
            os.kill(simulation, signal.SIGCONT)
        connection.wait_until(lambda: connection.silence == "", 60.0)
        assert connection.wait_for_state(60.0, step=status.step + 10)
    assert "does not answer" in said[0]
    assert "answers again" in said[1]


def test_calls_to_a_frozen_server_end_and_say_so(server: ServerProcess, mirror: Mirror) -> None:
    step(mirror, 1)
    os.kill(server.pid, signal.SIGSTOP)
    try:
        with pytest.raises(ConnectionLostError, match="does not answer: it may be stopped"):
            mirror.connection.step(10)
        with (
            simulation_control(server.address) as control,
            pytest.raises(ConnectionLostError, match="does not answer: it may be stopped"),
        ):
            control.status()
        wait_until(mirror, lambda: mirror.connection.trouble == "the server does not answer")
    finally:
        os.kill(server.pid, signal.SIGCONT)
    wait_until(mirror, lambda: mirror.connection.trouble == "")
    assert step(mirror, 1) > 0


def test_closing_leaves_no_thread_behind(server: ServerProcess) -> None:
    before = threading.active_count()
    mirror = Mirror(WORLD, server.address)
    mirror.set_data({"r0.box.drive": [0.0, 0.0, 0.0]})
    mirror.connection.wait_for_state(60.0)
    mirror.close()
    mirror.close()
    assert not any(thread.name.startswith("autosim-") for thread in threading.enumerate())
    assert threading.active_count() <= before + 2


def test_a_closed_mirror_leaves_no_call_to_the_end_of_the_interpreter() -> None:
    before = set(map(id, calls()))
    with ServerProcess(WORLD, light_options()) as server, Mirror(WORLD, server.address) as mirror:
        mirror.connection.wait_for_state(60.0)
        assert set(map(id, calls())) - before
    assert not set(map(id, calls())) - before


def calls() -> list[grpc.Call]:
    """The calls of gRPC in this process, also those that have ended."""
    gc.collect()
    return [each for each in gc.get_objects() if isinstance(each, grpc.Call)]


CROWD = """
import sys
from autosim.client.link.mirror import Mirror
from tests.server.light_simulation import light_world

mirrors = [Mirror(light_world(2), sys.argv[1], rate_hz=0.0) for _ in range(5)]
for mirror in mirrors:
    mirror.connection.wait_for_state(60.0)
print("there", flush=True)
sys.stdin.read()
for mirror in mirrors:
    mirror.close()
"""


def test_clients_that_come_go_and_are_killed_change_nothing() -> None:
    with ServerProcess(WORLD, light_options()) as server, Mirror(WORLD, server.address) as mirror:
        report = run_with_crowds(mirror)
    record = run_in_process(WORLD, report.status.step).record
    assert record is not None
    assert report.state_digest == record.figures().state_digest


def run_with_crowds(mirror: Mirror) -> RunReport:
    """Runs while twenty clients come, half of them go, and the others are killed."""
    connection = mirror.connection
    connection.run(real_time_factor=10.0)
    crowds = [
        subprocess.Popen(
            [sys.executable, "-c", CROWD, connection.address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        for _ in range(4)
    ]
    for crowd in crowds:
        assert crowd.stdout is not None
        assert crowd.stdout.readline() == b"there\n"
    assert connection.status().clients == 21
    for crowd in crowds[:2]:
        crowd.kill()
    for crowd in crowds:
        crowd.communicate()
    connection.pause()
    wait_until(mirror, lambda: connection.status().clients == 1)
    return connection.report()
