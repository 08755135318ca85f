"""A record as an OSI trace, read back by OSI's own reader."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("osi3")

from mcap.reader import make_reader
from osi3trace.osi_trace import OSITrace

from autosim.applications.records.osi_export import export_osi
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world
from autosim.records.record_file import Record
from tests.paths import ROOT
from tests.records.forged import write_record
from tests.worlds import flat_world

STEPS = 240


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second of the shipped car on a plain."""
    world = load_world(ROOT / "worlds" / "circle_town.xml")

    def states() -> Iterator[bytes]:
        with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
            for _ in range(STEPS):
                simulation.step()
                yield bytes(simulation.state.buffer)

    return write_record(tmp_path_factory.mktemp("record") / "run.mcap", world, states())


def test_a_trace_has_the_messages_of_the_run(record: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.osi.mcap"
    with Record(record) as opened:
        count = export_osi(opened, file, world=flat_world())
    trace = OSITrace(str(file), "GroundTruth", topic="GroundTruth")
    (about,) = (each.metadata for each in trace.get_file_metadata())
    assert about["version"] == about["min_osi_version"] == "3.8.0"
    messages = list(trace)
    trace.close()
    assert len(messages) == STEPS // 5
    assert [len(each.lane) for each in messages[:2]] == [2, 0]
    assert {len(each.moving_object) for each in messages} == {1}
    with file.open("rb") as data:
        reader = make_reader(data)
        found = list(reader.iter_messages())
        assert len(found) == count
        assert {schema.name for schema, _, _ in found} == {
            f"osi3.{each}"
            for each in ("GroundTruth", "SensorView", "HostVehicleData", "TrafficUpdate")
        }
        times = [each.publish_time for _, _, each in found if each.channel_id == found[0][1].id]
        assert times == [
            each.timestamp.seconds * 1_000_000_000 + each.timestamp.nanos for each in messages
        ]
        assert [each.name for each in reader.iter_attachments()] == ["map.xodr"]


def test_a_trace_may_have_one_type_of_messages(record: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.osi.mcap"
    with Record(record) as opened:
        assert export_osi(opened, file, ["GroundTruth"], world=flat_world()) == STEPS // 5
