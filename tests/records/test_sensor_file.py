"""What cameras, lidars and radars saw lies beside a record, as viewers know it."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from mcap.reader import make_reader
from PIL import Image

from autosim.config.descriptions import PlacedRobot, RobotDescription
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.director import build_tree
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.kinds.sensors.ranging.lidar_scan import Scan
from autosim.kinds.sensors.ranging.radar import RadarSensor
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.records.record_file import Record
from autosim.records.record_format import RecordedPicture, RecordError, RunMetadata
from autosim.records.recovery import recover
from autosim.records.ring import Ring
from autosim.records.sensor_file import SensorFile, sensor_path
from autosim.server.process.run_recording import RunRecording
from autosim.userprogram.ipc.camera_images import DrawnImage, ImageMemory, PictureRequest
from autosim.version import __version__
from tests.records.runs import start_record
from tests.server.light_simulation import LightSimulation, light_world

STEP_SECONDS = 0.01
LIDAR = LidarSensor("lidar", "box", columns=8, channels=2, update_rate=10.0)
RADAR = RadarSensor("radar", "box", position=(1.0, 0.0, 0.5), update_rate=20.0, capacity=4)


@pytest.fixture
def tree() -> SimulationTree:
    part = BoxPart("box", (0.0, 0.0, 0.5), (4.0, 2.0, 1.0), mass=1000.0)
    robot = RobotDescription("seer", Path("seer.xml"), (part,), (), (LIDAR, RADAR))
    return build_tree(replace(light_world(0), robots=(PlacedRobot("r0", robot),)))


def about(tree: SimulationTree) -> RunMetadata:
    return RunMetadata(__version__, "seer", "", 0, STEP_SECONDS, tree.digest, "", 0, True, ())


def messages(path: Path) -> list[tuple[str, str, Any]]:
    """Topic, name of the schema and message of each, by the schemas in the file alone."""
    found = []
    with path.open("rb") as file:
        for schema, channel, message in make_reader(file, validate_crcs=True).iter_messages():
            assert schema is not None
            pool = descriptor_pool.DescriptorPool()
            for each in descriptor_pb2.FileDescriptorSet.FromString(schema.data).file:
                pool.Add(each)
            kind = message_factory.GetMessageClass(pool.FindMessageTypeByName(schema.name))
            found.append((channel.topic, schema.name, kind.FromString(message.data)))
    return found


def write_states(file: SensorFile, tree: SimulationTree, steps: int, *, has_time: bool) -> State:
    state = State(tree)
    lidar, radar, box = (tree.find(f"r0.box{name}") for name in (".lidar", ".radar", ""))
    assert lidar is not None
    assert radar is not None
    assert box is not None
    ranges, targets = lidar.field_offset("ranges") // 8, radar.field_offset("targets") // 8
    place = box.field_offset("position") // 8
    state.floats[ranges : ranges + 16] = np.arange(16.0)
    state.ints[targets] = 2
    state.floats[targets + 1 : targets + 7] = 10.0, 0.0, -3.0, 20.0, np.pi / 6, 4.0
    state.floats[place : place + 7] = 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0
    for step in range(steps + 1):
        state.ints[:2] = step, 10_000_000 * step
        file.add_state(bytes(state.buffer), has_time=has_time)
    return state


def test_clouds_are_written_with_their_place_each_time_a_sensor_has_seen_all(
    tree: SimulationTree, tmp_path: Path
) -> None:
    file = SensorFile(tmp_path / "run.mcap", tree, about(tree))
    state = write_states(file, tree, 20, has_time=True)
    file.finish()
    found = messages(tmp_path / "run.sensors.mcap")
    clouds = {topic: m for topic, name, m in found if name == "foxglove.PointCloud"}
    assert [topic for topic, *_ in found].count("/r0/box/lidar") == 2
    assert [topic for topic, *_ in found].count("/r0/box/radar") == 4
    seen = clouds["/r0/box/lidar"]
    lidar = tree.find("r0.box.lidar")
    assert lidar is not None
    points = np.frombuffer(seen.data, dtype="<f4").reshape(-1, 3)
    ranges = state.floats[lidar.start // 8 :][:16].reshape(2, 8)
    np.testing.assert_allclose(points, Scan(LIDAR).points(ranges, 0), rtol=1e-6)
    assert (seen.timestamp.seconds, seen.timestamp.nanos) == (0, 200_000_000)
    targets = np.frombuffer(clouds["/r0/box/radar"].data, dtype="<f4").reshape(-1, 4)
    expected = [[11.0, 0.0, 0.5, -3.0], [1.0 + 20 * np.cos(np.pi / 6), 10.0, 0.5, 4.0]]
    np.testing.assert_allclose(targets, expected, rtol=1e-6)
    frame = next(m for _, name, m in found if name == "foxglove.FrameTransform")
    assert (frame.parent_frame_id, frame.child_frame_id) == ("world", "r0.box")
    assert seen.frame_id == "r0.box"
    assert (frame.translation.x, frame.translation.y, frame.rotation.w) == (1.0, 2.0, 1.0)


def test_where_there_is_no_time_clouds_are_counted_and_left_out(
    tree: SimulationTree, tmp_path: Path
) -> None:
    file = SensorFile(tmp_path / "run.mcap", tree, about(tree))
    write_states(file, tree, 20, has_time=False)
    file.finish()
    assert (file.messages, file.dropped) == (0, 6)
    assert not list(tmp_path.iterdir()), "nothing belongs into a file"


def test_what_cannot_be_written_is_counted_and_said(tree: SimulationTree, tmp_path: Path) -> None:
    file = SensorFile(tmp_path / "no" / "run.mcap", tree, about(tree))
    write_states(file, tree, 20, has_time=True)
    file.finish()
    assert file.failure.endswith("run.sensors.mcap: No such file or directory")
    assert (file.messages, file.dropped) == (0, 6)


def test_the_pictures_that_programs_get_are_recorded(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    simulation = LightSimulation(light_world())
    recording = RunRecording(light_world(), 0, is_whole=True, report=lambda notice: None)
    recording.follow(simulation)
    process = start_record(recording, path, simulation.tree.stop)
    images = ImageMemory.create(width=16, height=8, size=4096)
    red = np.zeros((8, 16, 4), dtype=np.uint8)
    red[..., 0] = red[..., 3] = 255
    depth = np.arange(128, dtype=np.float32).reshape(8, 16)
    simulation.step()
    wishes = [PictureRequest("r0.box.eye", "rgb"), PictureRequest("r0.box.eye", "depth")]
    for wish, place in zip(
        wishes, images.put([DrawnImage(red, 1), DrawnImage(depth, 1)]), strict=True
    ):
        recording.add_picture(wish, place, images)
    status = recording.stop()
    assert status.dropped == 0
    assert process.wait().dropped == 0
    (rgb, kind, photo), (_, other, far) = messages(sensor_path(path))
    assert (rgb, kind, other) == (
        "/r0/box/eye/rgb",
        "foxglove.CompressedImage",
        "foxglove.RawImage",
    )
    pixels = np.asarray(Image.open(io.BytesIO(photo.data)))
    np.testing.assert_allclose(pixels[4, 8], (255, 0, 0), atol=8)
    assert (far.encoding, far.width, far.height, far.step) == ("32FC1", 16, 8, 64)
    np.testing.assert_array_equal(np.frombuffer(far.data, dtype=np.float32).reshape(8, 16), depth)
    with pytest.raises(RecordError, match=r"ends in \.sensors\.mcap has what the sensors"):
        Record(sensor_path(path))


def test_a_ring_without_room_leaves_out_what_is_only_offered() -> None:
    ring = Ring.create(128)
    for number in range(5):
        ring.offer(number, bytes(40))
    assert ring.dropped == 3
    assert [kind for kind, _ in ring.take()] == [0, 1]
    ring.offer(9, bytes(40))
    assert [kind for kind, _ in ring.take()] == [9]


def test_the_file_of_the_sensors_is_recovered_too(tree: SimulationTree, tmp_path: Path) -> None:
    file = SensorFile(tmp_path / "run.mcap", tree, about(tree))
    picture = RecordedPicture("r0.box.eye", "semantic", 3, 2, 2, bytes(4))
    file.add_picture(picture)
    assert file._file is not None
    file._file.flush()
    broken, whole = sensor_path(tmp_path / "run.mcap"), tmp_path / "whole.mcap"
    assert recover(broken, whole).events == 1
    ((topic, _, _),) = messages(whole)
    assert topic == "/r0/box/eye/semantic"
    file.finish()
