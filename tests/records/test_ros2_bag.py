"""A record as a bag of ROS 2, read back by the reader of rosbags."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("rosbags")
pytest.importorskip("zenoh")

from rosbags.rosbag2 import Reader

from autosim.applications.records.ros2_bag import export_ros2
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.loading.loader import load_world
from autosim.records.record_file import Record
from autosim.ros2.message_types import MessageTypes
from tests.paths import ROOT
from tests.records.forged import write_record
from tests.worlds import flat_world

TYPES = MessageTypes()
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


def test_a_bag_has_the_messages_of_the_run_with_their_times(record: Path, tmp_path: Path) -> None:
    with Record(record) as opened:
        count = export_ros2(opened, tmp_path / "bag")
    with Reader(tmp_path / "bag") as reader:
        assert reader.message_count == count
        topics = {each.topic: each for each in reader.connections}
        assert topics["/impreza/odom"].digest == TYPES.hash_of("nav_msgs/msg/Odometry")
        assert topics["/clock"].msgcount == STEPS // 2
        assert topics["/tf_static"].msgcount == 1
        odometry = list(reader.messages([topics["/impreza/odom"]]))
        assert len(odometry) == pytest.approx(50, abs=1)
        for _, nanoseconds, data in odometry:
            message = TYPES.from_cdr(bytes(data), "nav_msgs/msg/Odometry")
            stamp = message.header.stamp
            assert stamp.sec * 1_000_000_000 + stamp.nanosec == nanoseconds


def test_a_bag_is_not_written_over(record: Path, tmp_path: Path) -> None:
    (tmp_path / "bag").mkdir()
    with Record(record) as opened, pytest.raises(UserError, match="exists already"):
        export_ros2(opened, tmp_path / "bag")
