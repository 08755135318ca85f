"""Measurements of cameras, lidars and radars of a run, in a separate file next to the record.

The record itself has all values of lidars and radars, to the last bit. This file has them as
viewers show them: clouds of points, where they were in space, and the pictures that programs took.
"""

import io
from collections.abc import Callable, Iterator
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from autosim.arrays import Floats
from autosim.config.descriptions import Device
from autosim.kinds.sensors.perception.camera import PICTURES
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.kinds.sensors.ranging.lidar_scan import Scan
from autosim.kinds.sensors.ranging.radar import RadarSensor
from autosim.model.state import list_rows, time_after
from autosim.model.tree import SimulationTree, TreeNode
from autosim.records.foxglove import FLOAT32, foxglove_schema
from autosim.records.mcap_file import McapFile
from autosim.records.record_format import SENSORS_SUFFIX, RecordedPicture, RunMetadata
from autosim.records.schemas import Schema

_JPEG_QUALITY = 90
"""Number from 0 to 100: what is lost then cannot be seen."""

_ENCODINGS = {"depth": "32FC1", "semantic": "8UC1", "instance": "32SC1"}
"""Viewers' names of the number types of pictures that are not photographs."""

_FRAMES = "/tf"
_WORLD = "world"


def sensor_path(record: Path) -> Path:
    """The file beside a record."""
    return record.with_name(record.name.removesuffix(".mcap") + SENSORS_SUFFIX)


class SensorFile:
    """The file; it is made with the first thing that belongs into it.

    Args:
        record: the record beside which it lies.
        tree: the layout of the states.
        about: the run.

    `messages`: how many pictures and clouds are in it; `dropped`: how many are not, for want of
    time; `failure`: why nothing more is written, "" while it is.
    """

    def __init__(self, record: Path, tree: SimulationTree, about: RunMetadata) -> None:
        self._path, self._about = sensor_path(record), about
        self._clouds = tuple(_clouds(tree, about.step_seconds))
        self._schemas: dict[str, Schema] = {}
        self._topics: set[str] = set()
        self._opened: Any = None
        self._file: McapFile | None = None
        self.messages = self.dropped = 0
        self.failure = ""

    def add_state(self, state: bytes, *, has_time: bool) -> None:
        """Adds the clouds that are complete with this state, or only counts them."""
        for cloud in self._clouds:
            if cloud.is_complete(state):
                if has_time:
                    self._write(lambda cloud=cloud: self._add_cloud(cloud, state))  # type: ignore[misc]
                else:
                    self.dropped += 1

    def add_picture(self, picture: RecordedPicture) -> None:
        """Adds a picture."""
        self._write(lambda: self._add_picture(picture))

    def flush_if_due(self) -> None:
        """Sends what there is to the disk, where it is time for that."""
        if self._file is not None and not self.failure:
            self._try(self._file.flush_if_due)

    def finish(self) -> None:
        """Ends the file, with the number of what is missing."""
        if self._file is not None:
            file, result = self._file, {"dropped": str(self.dropped)}
            if not self.failure:
                self._try(lambda: file.finish(result))
            self._opened.close()

    def _write(self, write: Callable[[], None]) -> None:
        if not self.failure and self._try(write):
            self.messages += 1
        else:
            self.dropped += 1

    def _try(self, write: Callable[[], None]) -> bool:
        """Whether it was written: the record itself continues where this file cannot."""
        try:
            write()
        except OSError as error:
            self.failure = f"{self._path}: {error.strerror or error}"
            return False
        return True

    def _add(self, topic: str, schema: str, moment: int, **values: object) -> None:
        if self._file is None:
            self._opened = self._path.open("wb")
            self._file = McapFile(self._opened, self._about)
        if schema not in self._schemas:
            self._schemas[schema] = foxglove_schema(schema)
        if topic not in self._topics:
            self._topics.add(topic)
            self._file.add_channel(topic, self._schemas[schema])
        stamp = {"seconds": moment // 10**9, "nanos": moment % 10**9}
        message = self._schemas[schema].new(timestamp=stamp, **values)
        self._file.add(topic, moment, message.SerializeToString())

    def _add_cloud(self, cloud: "_Cloud", state: bytes) -> None:
        moment = int.from_bytes(state[8:16], "little", signed=True)
        points = cloud.points(state).astype("<f4")
        fields = [
            {"name": name, "offset": 4 * place, "type": FLOAT32}
            for place, name in enumerate(cloud.columns)
        ]
        turn, place = cloud.pose(state)
        self._add(
            _FRAMES,
            "FrameTransform",
            moment,
            parent_frame_id=_WORLD,
            child_frame_id=cloud.frame,
            translation=dict(zip("xyz", place, strict=True)),
            rotation=dict(zip("xyzw", turn, strict=True)),
        )
        self._add(
            cloud.topic,
            "PointCloud",
            moment,
            frame_id=cloud.frame,
            pose={"position": {}, "orientation": {"w": 1.0}},
            point_stride=4 * len(cloud.columns),
            fields=fields,
            data=points.tobytes(),
        )

    def _add_picture(self, picture: RecordedPicture) -> None:
        moment = time_after(picture.step, self._about.step_seconds)
        topic = f"/{picture.camera.replace('.', '/')}/{picture.kind}"
        if picture.kind == "rgb":
            self._add(
                topic,
                "CompressedImage",
                moment,
                frame_id=picture.camera,
                format="jpeg",
                data=_as_jpeg(picture),
            )
            return
        form = PICTURES[picture.kind]
        encoding = _ENCODINGS.get(picture.kind, f"{np.dtype(form.dtype).name}x{form.channels}")
        self._add(
            topic,
            "RawImage",
            moment,
            frame_id=picture.camera,
            width=picture.width,
            height=picture.height,
            encoding=encoding,
            step=form.bytes_of(picture.width, 1),
            data=picture.data,
        )


def _as_jpeg(picture: RecordedPicture) -> bytes:
    size = (picture.width, picture.height)
    image = Image.frombuffer("RGBA", size, picture.data, "raw", "RGBA", 0, 1).convert("RGB")
    out = io.BytesIO()
    image.save(out, "JPEG", quality=_JPEG_QUALITY)
    return out.getvalue()


class _Cloud:
    """The points of one lidar or radar; `columns` are the numbers of each.

    Args:
        node: of the sensor.
        body: the part that it belongs to, in whose axes the points are.
        rate: how many clouds there are in a step.
        columns: names of the numbers of a point.
        read: takes a cloud (n, columns) out of a state.
    """

    def __init__(
        self,
        node: TreeNode,
        body: TreeNode,
        rate: float,
        columns: tuple[str, ...],
        read: Callable[[bytes], Floats],
    ) -> None:
        self.topic, self.frame = f"/{node.name.replace('.', '/')}", body.name
        self.columns, self.points = columns, read
        self._rate, self._count = rate, -1
        self._place = body.field_offset("position")
        self._turn = body.field_offset("orientation")

    def is_complete(self, state: bytes) -> bool:
        """Whether the sensor has come to a further cloud with this state, since the one before."""
        step = int.from_bytes(state[:8], "little", signed=True)
        count, before = floor(step * self._rate + _ROUNDING), self._count
        self._count = count
        return before >= 0 and count > before

    def pose(self, state: bytes) -> tuple[list[float], list[float]]:
        """Orientation (x, y, z, w) and position [m] of the body in W."""
        turn = np.frombuffer(state, dtype=np.float64, count=4, offset=self._turn)
        place = np.frombuffer(state, dtype=np.float64, count=3, offset=self._place)
        return turn.tolist(), place.tolist()


_ROUNDING = 1e-9
"""Share of a cloud by which rounding may have made it late."""


def _clouds(tree: SimulationTree, step_seconds: float) -> Iterator[_Cloud]:
    for robot, description in tree.descriptions.items():
        for device in description.devices:
            node = tree.find(f"{robot}.{device.part}.{device.name}")
            body = tree.find(f"{robot}.{device.part}")
            read = None if node is None else _reader_of(device, node)
            if node is not None and body is not None and read is not None:
                rate = device.update_rate * step_seconds  # type: ignore[attr-defined]
                yield _Cloud(node, body, rate, *read)


def _reader_of(
    device: Device, node: TreeNode
) -> tuple[tuple[str, ...], Callable[[bytes], Floats]] | None:
    """The columns of a sensor's points, and what takes them out of a state; None for others."""
    if isinstance(device, LidarSensor):
        return ("x", "y", "z"), _lidar_reader(device, node)
    if isinstance(device, RadarSensor):
        return ("x", "y", "z", "speed"), _radar_reader(device, node)
    return None


def _lidar_reader(lidar: LidarSensor, node: TreeNode) -> Callable[[bytes], Floats]:
    scan = Scan(lidar)
    ranges = node.fields[0]
    start, count = node.field_offset("ranges"), ranges.size // 8
    newest = node.field_offset("newest_column")

    def read(state: bytes) -> Floats:
        table = np.frombuffer(state, dtype=np.float64, count=count, offset=start)
        column = int.from_bytes(state[newest : newest + 8], "little", signed=True)
        return scan.points(table.reshape(ranges.shape), column)

    return read


def _radar_reader(radar: RadarSensor, node: TreeNode) -> Callable[[bytes], Floats]:
    field, start = node.fields[0], node.field_offset("targets")
    forward, up = np.array(radar.direction), np.array(radar.up)
    left = np.cross(up, forward)

    def read(state: bytes) -> Floats:
        distance, azimuth, speed = list_rows(memoryview(state), field, start).T
        rays = np.cos(azimuth)[:, None] * forward + np.sin(azimuth)[:, None] * left
        points: Floats = np.column_stack([radar.position + distance[:, None] * rays, speed])
        return points

    return read
