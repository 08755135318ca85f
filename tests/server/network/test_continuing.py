"""A run goes on from the disk, in another process, as if it had never ended."""

from pathlib import Path

import pytest

from autosim.config.descriptions import WorldDescription
from autosim.model.commands import command_for
from autosim.records.record_format import Continuation
from autosim.server.network.front import Front, ServerOptions
from autosim.v1 import autosim_pb2 as pb
from tests.server.crashing_cars import FlatSimulation, crash_world
from tests.server.network.test_snapshots import WEAVES, Actions, TimeClient, play
from tests.userprogram.rig import write


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WorldDescription:
    """Two cars of which the second weaves; the first obeys people."""
    folder = tmp_path / "userprograms"
    folder.mkdir()
    write(folder, "weaves", WEAVES)
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    monkeypatch.setenv("AUTOSIM_RECORDS", str(tmp_path / "records"))
    return crash_world((None, "weaves.py"))


def options(continued: Continuation | None = None, **others: object) -> ServerOptions:
    name = f"{FlatSimulation.__module__}:{FlatSimulation.__qualname__}"
    values = {"simulation": name, "continued": continued, **others}
    return ServerOptions("127.0.0.1:0", **values)  # type: ignore[arg-type]


async def drive(client: TimeClient, front: Front) -> None:
    """Somebody sets an actuator of the first car."""
    command = command_for(front.worlds.require().tree, "car0.chassis.drive_chassis", [0.3, 0.5, 0])
    await client.stub.SetData(iter([pb.Commands(commands=[_as_proto(command)])]))


def _as_proto(command: object) -> pb.Command:
    return pb.Command(device=command.device, data=command.data)  # type: ignore[attr-defined]


async def said(client: TimeClient) -> list[str]:
    report = await client.stub.Report(pb.ReportRequest())
    return [each.text for each in report.messages]


def test_a_moment_on_the_disk_goes_on_to_the_last_bit(
    world: WorldDescription, tmp_path: Path
) -> None:
    digests = []

    async def first(client: TimeClient) -> None:
        await client.step(40)
        await drive(client, client.front)
        await client.step(20)
        await client.stub.MoveRobot(pb.MoveRobotRequest(robot="car0", x=30.0, y=20.0))
        await drive(client, client.front)
        report = await client.order(Actions.SAVE_SNAPSHOT, name="moment")
        assert report.record.path == str(tmp_path / "records" / "moment.mcap")
        assert report.record.states == 1
        text = f"the snapshot is on disk: autosim server --continue-from {report.record.path}"
        assert text in await said(client)
        await client.step(60)
        digests.append(await client.digest())

    async def second(client: TimeClient) -> None:
        report = await client.order(Actions.REPORT)
        assert report.status.step == 60
        assert "continues from step 60 with its programs" in await said(client)
        await client.step(60)
        digests.append(await client.digest())

    async def third(client: TimeClient) -> None:
        assert (await client.order(Actions.REPORT)).status.step == 120
        digests.append(await client.digest())

    play(first, world, options())
    moment = Continuation(tmp_path / "records" / "moment.mcap")
    play(second, world, options(moment, record=tmp_path / "second.mcap"))
    # What goes on is a whole run itself.
    play(third, world, options(Continuation(tmp_path / "second.mcap")))
    assert digests == digests[:1] * 3
