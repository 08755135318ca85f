"""A server keeps snapshots and goes back to them, to the last bit."""

import asyncio
import os
import select
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
import uvloop

from autosim.cli.server import server
from autosim.config.descriptions import WorldDescription
from autosim.server.network.front import Front, ServerOptions
from autosim.v1 import autosim_pb2 as pb
from tests.records.runs import states_of
from tests.running_processes import children
from tests.server.crashing_cars import CrashingCars, FlatSimulation, crash_world
from tests.server.gateway_clients import Actions as ControlActions
from tests.server.gateway_clients import Client, refusal
from tests.server.light_simulation import light_options, light_world
from tests.userprogram.rig import write

Actions = pb.TimeOrder.Action


class TimeClient(Client):
    """Gives orders to the time of a server."""

    async def order(self, action: Any, **values: Any) -> pb.TimeReport:
        report: pb.TimeReport = await self.stub.ControlTime(pb.TimeOrder(action=action, **values))
        return report

    async def digest(self) -> str:
        return (await self.order(Actions.REPORT)).state_digest


Test = Callable[[TimeClient], Awaitable[None]]


def play(test: Test, world: WorldDescription, options: ServerOptions) -> None:
    async def within() -> None:
        async with asyncio.timeout(60.0), Front(world, options) as front:
            channel = grpc.aio.insecure_channel(front.address)
            await test(TimeClient(front, channel))
            await channel.close()

    uvloop.run(within())


def test_going_back_repeats_a_crash_to_the_last_bit(tmp_path: Path) -> None:
    async def test(client: TimeClient) -> None:
        await client.step(300)
        (snapshot,) = (await client.order(Actions.SNAPSHOT, name="a")).snapshots
        assert (snapshot.name, snapshot.step) == ("a", 300)
        assert snapshot.bytes > 0
        await client.step(300)
        report = await client.stub.Report(pb.ReportRequest())
        assert report.collisions[0] > 0, "the cars touch"
        first = await client.digest()
        for _ in range(2):
            back = await client.order(Actions.RESTORE, name="a")
            assert back.status.step == 300
            await client.step(300)
            assert await client.digest() == first
        after = await client.order(Actions.REWIND, seconds=0.5)
        assert after.status.step == 480
        await client.step(120)
        assert await client.digest() == first

    name = f"{CrashingCars.__module__}:{CrashingCars.__qualname__}"
    play(test, crash_world(), ServerOptions("127.0.0.1:0", simulation=name))


def test_a_client_sees_time_go_back(tmp_path: Path) -> None:
    async def test(client: TimeClient) -> None:
        await client.step(50)
        await client.order(Actions.SNAPSHOT, name="a")
        await client.step(50)
        states = aiter(client.states(rate_hz=24.0))
        assert (await anext(states)).step == 100
        await client.order(Actions.RESTORE, name="a")
        assert (await anext(states)).step == 50
        await client.step(10)
        assert (await anext(states)).step == 60

    play(test, light_world(), light_options())


COUNTS = """
from autosim.userprogram import set_data, wait

def main(argv):
    turns = 0
    while True:
        turns += 1
        set_data(f"{argv[0]}.box.drive", [0.0, turns / 1000, 0.0])
        wait(1 / 240)
"""
COUNTS_WITH_A_THREAD = """
import threading
from autosim.userprogram import on_restore, on_snapshot, set_data, wait

def main(argv):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    turns = [0]
    on_snapshot(lambda: turns)
    on_restore(lambda saved: turns.__setitem__(0, saved[0]))
    while True:
        turns[0] += 1
        set_data(f"{argv[0]}.box.drive", [0.0, turns[0] / 1000, 0.0])
        wait(1 / 240)
"""


@pytest.mark.parametrize("text", [COUNTS, COUNTS_WITH_A_THREAD])
def test_a_program_goes_on_with_what_it_remembered(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "userprograms"
    folder.mkdir()
    write(folder, "counts", text)
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))

    async def test(client: TimeClient) -> None:
        attach = pb.ProgramOrder.Action.ATTACH
        await client.stub.ControlProgram(
            pb.ProgramOrder(action=attach, robot="r0", file="counts.py")
        )
        await client.step(20)
        await client.order(Actions.SNAPSHOT, name="a")
        await client.step(20)
        first = await client.digest()
        for _ in range(2):
            await client.order(Actions.RESTORE, name="a")
            await client.step(20)
            assert await client.digest() == first
        await client.order(Actions.DROP, name="a")
        (program,) = (await client.stub.Programs(pb.ProgramsRequest())).programs
        assert program.state == pb.Program.State.RUNNING

    play(test, light_world(), light_options())


def test_snapshots_are_dropped_and_their_names_checked() -> None:
    async def test(client: TimeClient) -> None:
        await client.step(5)
        await client.order(Actions.SNAPSHOT, name="a")
        _, reason = await refusal(client.order(Actions.SNAPSHOT, name="a"))
        assert "there is a snapshot 'a'" in reason
        assert not (await client.order(Actions.DROP, name="a")).snapshots
        _, reason = await refusal(client.order(Actions.RESTORE, name="a"))
        assert "there is no snapshot 'a' (snapshots: none)" in reason
        _, reason = await refusal(client.order(Actions.REWIND, seconds=0.01))
        assert "there is no snapshot of step 3 or before" in reason

    play(test, light_world(), light_options())


def test_of_two_snapshots_of_one_name_at_once_one_is_kept() -> None:
    async def test(client: TimeClient) -> None:
        await client.step(5)
        orders = [client.order(Actions.SNAPSHOT, name="a") for _ in range(2)]
        answers = await asyncio.gather(*orders, return_exceptions=True)
        (refused,) = (each for each in answers if isinstance(each, grpc.aio.AioRpcError))
        assert "there is a snapshot 'a' already" in (refused.details() or "")
        await client.step(5)
        assert (await client.order(Actions.RESTORE, name="a")).status.step == 5

    play(test, light_world(), light_options())


def descendants(pid: int) -> set[int]:
    return set().union(*({each} | descendants(each) for each in children(pid)))


def test_a_snapshot_whose_process_is_gone_is_refused_and_the_run_goes_on() -> None:
    async def test(client: TimeClient) -> None:
        await client.step(5)
        before = descendants(os.getpid())
        await client.order(Actions.SNAPSHOT, name="a")
        (copy,) = descendants(os.getpid()) - before
        await client.step(5)
        end = os.pidfd_open(copy)
        os.kill(copy, signal.SIGKILL)
        select.select([end], [], [])
        os.close(end)
        _, reason = await refusal(client.order(Actions.RESTORE, name="a"))
        assert "the process of snapshot 'a' is gone" in reason
        await client.step(5)
        report = await client.order(Actions.REPORT)
        assert (report.status.step, len(report.snapshots)) == (15, 0)

    play(test, light_world(), light_options())


def test_who_asks_while_time_goes_back_is_answered() -> None:
    async def test(client: TimeClient) -> None:
        await client.step(5)
        await client.order(Actions.SNAPSHOT, name="a")
        for _ in range(5):
            asked: list[Awaitable[object]] = []
            for number in range(20):
                if number % 5 == 0:
                    asked.append(client.order(Actions.RESTORE, name="a"))
                asked.append(client.order(Actions.REPORT))
            for answer in await asyncio.gather(*asked, return_exceptions=True):
                if isinstance(answer, grpc.aio.AioRpcError):
                    assert "gone back to an earlier step" in (answer.details() or "")
                else:
                    assert isinstance(answer, pb.TimeReport)
        await client.step(5)
        assert (await client.order(Actions.REPORT)).status.step == 10

    play(test, light_world(), light_options())


def test_a_record_ends_where_time_goes_back_and_another_begins(tmp_path: Path) -> None:
    (tmp_path / "run-3.mcap").write_text("of somebody else")

    async def test(client: TimeClient) -> None:
        await client.step(10)
        await client.order(Actions.SNAPSHOT, name="a")
        await client.step(10)
        report = await client.order(Actions.RESTORE, name="a")
        assert report.record.path == str(tmp_path / "run-2.mcap")
        await client.step(5)
        report = await client.order(Actions.RESTORE, name="a")
        assert report.record.path == str(tmp_path / "run-4.mcap")
        ended = await client.order(Actions.STOP_RECORD)
        assert ended.record.bytes == (tmp_path / "run-4.mcap").stat().st_size
        assert (tmp_path / "run-3.mcap").read_text() == "of somebody else"
        assert len(states_of(tmp_path / "run.mcap")) == 21
        second = states_of(tmp_path / "run-2.mcap")
        assert [int.from_bytes(each[:8], "little") for each in second] == list(range(10, 16))

    play(test, light_world(), light_options(record=tmp_path / "run.mcap"))


@pytest.mark.parametrize("steps", [0, 5])
def test_a_record_whose_writer_was_killed_is_ended_once_with_the_reason(
    tmp_path: Path, steps: int
) -> None:
    """Whether or not the simulation has noticed before that nothing more is written."""

    async def test(client: TimeClient) -> None:
        await client.step(5)
        (writer,) = (
            each
            for each in descendants(os.getpid())
            if b"autosim.records.writer_process" in Path(f"/proc/{each}/cmdline").read_bytes()
        )
        os.kill(writer, signal.SIGKILL)
        if steps:
            while (await client.order(Actions.REPORT)).HasField("record"):
                await client.step(steps)
        ended = await client.order(Actions.STOP_RECORD)
        assert ended.record.path == str(tmp_path / "run.mcap")
        assert ended.record.failure
        _, reason = await refusal(client.order(Actions.STOP_RECORD))
        assert "no record is being written" in reason

    play(test, light_world(), light_options(record=tmp_path / "run.mcap"))


def test_a_server_that_is_started_without_options_can_be_rewound() -> None:
    (interval,) = (each.default for each in server.params if each.name == "keep")

    async def test(client: TimeClient) -> None:
        await client.control(ControlActions.RUN, real_time_factor=1.0)
        while not (await client.order(Actions.REPORT)).snapshots:
            pass
        await client.control(ControlActions.PAUSE)
        await client.step(100)
        step = (await client.order(Actions.REPORT)).status.step
        assert (await client.order(Actions.REWIND, seconds=0.25)).status.step == step - 60

    name = f"{CrashingCars.__module__}:{CrashingCars.__qualname__}"
    options = ServerOptions("127.0.0.1:0", simulation=name, keep_seconds=interval)
    play(test, crash_world(), options)


def test_a_server_keeps_snapshots_by_itself() -> None:
    async def test(client: TimeClient) -> None:
        await client.control(ControlActions.RUN, real_time_factor=1.0)
        snapshots = (await client.order(Actions.REPORT)).snapshots
        while len(snapshots) < 2:
            snapshots = (await client.order(Actions.REPORT)).snapshots
        await client.control(ControlActions.PAUSE)
        names = [each.name for each in snapshots]
        assert all(name.startswith("kept ") for name in names)
        assert snapshots[1].step - snapshots[0].step >= 24

    play(test, light_world(), light_options(keep_seconds=0.1))


WEAVES = """
from autosim.userprogram import get_data, set_data, wait

def main(argv):
    robot = argv[0]
    while True:
        yaw_rate = get_data(f"{robot}.chassis.gyro_yaw")
        set_data(f"{robot}.chassis.drive_chassis", [0.1 - 0.5 * yaw_rate, 0.6, 0.0])
        wait(0.05)
"""


def test_rewinding_repeats_what_programs_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "userprograms"
    folder.mkdir()
    write(folder, "weaves", WEAVES)
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))

    async def test(client: TimeClient) -> None:
        await client.step(96)
        await client.order(Actions.SNAPSHOT, name="a")
        await client.step(144)
        first = await client.digest()
        await client.order(Actions.REWIND, seconds=0.5)
        await client.step(120)
        assert await client.digest() == first

    name = f"{FlatSimulation.__module__}:{FlatSimulation.__qualname__}"
    play(test, crash_world(("weaves.py", None)), ServerOptions("127.0.0.1:0", simulation=name))
