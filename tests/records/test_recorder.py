"""Recording costs no state, whatever ends first."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import uvloop

from autosim.records.events import OutputPrinted
from autosim.records.record_file import Record
from autosim.records.record_format import RecordError
from autosim.records.ring import Ring
from autosim.server.network.front import Front
from autosim.server.server_errors import SimulationCrashedError
from autosim.v1 import autosim_pb2 as pb
from tests.records.runs import record_run
from tests.records.test_replay import replay_options
from tests.running_processes import children
from tests.server.light_simulation import DyingSimulation, light_options, light_world
from tests.server.network.test_snapshots import Actions, TimeClient, play
from tests.userprogram.rig import write


def test_a_record_is_whole_when_the_simulation_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"

    async def run() -> None:
        options = light_options(DyingSimulation, record=path, real_time_factor=0.0)
        async with Front(light_world(), options) as front:
            with pytest.raises(SimulationCrashedError):
                await front.finished()

    uvloop.run(run())
    wait_for(lambda: has_end(path))
    with Record(path) as record:
        assert (record.first_step, record.last_step) == (0, 2)
        assert record.result == {}


def test_a_simulation_goes_on_without_its_record_when_the_writer_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"

    async def test(client: TimeClient) -> None:
        await client.step(20)
        module = b"autosim.records.writer_process"
        own = children(os.getpid())
        (writer,) = (p for p in own if module in Path(f"/proc/{p}/cmdline").read_bytes())
        os.kill(writer, signal.SIGKILL)
        while (await client.order(Actions.REPORT)).HasField("record"):
            await asyncio.sleep(0.005)
        report = await client.stub.Report(pb.ReportRequest())
        text = f"autosim recover {path} keeps what there is"
        assert any(text in each.text for each in report.messages)
        assert (await client.step(1)).step == 21

    play(test, light_world(), light_options(record=path))


def has_end(path: Path) -> bool:
    try:
        Record(path).close()
    except RecordError:
        return False
    return True


def wait_for(is_true: Callable[[], bool]) -> None:
    """The writer ends by itself; the limit of the test is that of its time."""
    while not is_true():
        time.sleep(0.01)


def test_a_full_disk_is_named() -> None:
    with pytest.raises(RecordError, match="/dev/full: No space left on device"):
        record_run(Path("/dev/full"), 1)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RecordError, match="cannot be recorded to"):
        record_run(tmp_path / "file" / "run.mcap", 1)


def test_a_full_ring_makes_its_writer_wait_and_keeps_all() -> None:
    ring = Ring.create(256)
    other = Ring(ring._memory)
    taken: list[tuple[int, bytes]] = []

    def reader_is_alive() -> bool:
        taken.extend(other.take())
        return True

    entries = [(number, bytes([number]) * (number % 90)) for number in range(100)]
    for kind, data in entries:
        assert ring.put(kind, data, reader_is_alive)
    taken.extend(other.take())
    assert taken == entries
    assert ring.waits > 0


def test_a_ring_whose_reader_has_gone_takes_nothing() -> None:
    ring = Ring.create(64)
    assert ring.put(1, bytes(40), lambda: False)
    assert not ring.put(2, bytes(40), lambda: False)
    assert not ring.put(3, bytes(4000), lambda: True)


PRINTS = """
from autosim.userprogram import wait

def main(argv):
    print("hello from", argv[0])
    wait(1.0)
"""


def test_what_programs_print_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.mcap"
    (tmp_path / "userprograms").mkdir()
    write(tmp_path / "userprograms", "prints", PRINTS)
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))

    async def test(client: TimeClient) -> None:
        order = pb.ProgramOrder(action=pb.ProgramOrder.ATTACH, robot="r0", file="prints.py")
        await client.stub.ControlProgram(order)
        await client.step(20)

        async def states() -> int:
            return (await client.order(Actions.REPORT)).record.states

        while await states() < 40:
            await client.step(1)
        await client.order(Actions.STOP_RECORD)

    play(test, light_world(), light_options(record=path))
    with Record(path) as record:
        printed = [event for event in record.events() if isinstance(event, OutputPrinted)]
        assert "".join(event.text for event in printed) == "hello from r0\n"
        assert {event.source for event in printed} == {"r0 (prints.py)"}

    async def replayed(client: TimeClient) -> None:
        await client.step(400)
        report = await client.stub.Report(pb.ReportRequest())
        said = [(each.source, each.text) for each in report.messages]
        assert ("r0 (prints.py)", "hello from r0") in said

    play(replayed, light_world(), replay_options(path))
