"""Lidars, radars and distance sensors as messages."""

from dataclasses import replace

import numpy as np

from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.kinds.sensors.ranging.lidar_scan import azimuths, ray_directions
from autosim.kinds.sensors.ranging.psd import PSDSensor
from autosim.kinds.sensors.ranging.radar import RadarSensor
from autosim.kinds.sensors.ranging.ultrasonic import UltrasonicSensor
from autosim.model.state import list_rows
from autosim.model.tree import WORD
from autosim.ros2.message_types import Fields
from autosim.ros2.sensors.topics import AnyDevice, DeviceOf, RosTopic, cloud

_POINT = np.dtype(
    {
        "names": ["x", "y", "z", "intensity", "ring", "time"],
        "formats": ["<f4", "<f4", "<f4", "<f4", "<u2", "<f4"],
        "offsets": [0, 4, 8, 12, 16, 20],
        "itemsize": 24,
    }
)
"""A point [m] in the lidar's frame, its intensity, its channel from the lowest, and its time [s]
relative to the header's, which is that of the newest point: negative."""

_TARGET = np.dtype([(each, "<f4") for each in ("x", "y", "z", "range", "azimuth", "radial_speed")])

_ULTRASOUND, _INFRARED = 0, 1
"""Numbers of `Range`'s radiation types."""

_RAY_ANGLE = 0.01
"""Opening [rad] by which a distance sensor's ray is drawn."""


def lidar(device: DeviceOf[LidarSensor]) -> list[RosTopic]:
    """A `sensor_msgs/PointCloud2` for each revolution; of a single channel a LaserScan, too."""
    clouds = _Clouds(device)
    kind, period = "sensor_msgs/msg/PointCloud2", device.period
    topics = [RosTopic(device.topic("points"), kind, clouds.points, period=period)]
    if device.record.channels == 1:
        kind = "sensor_msgs/msg/LaserScan"
        topics.append(RosTopic(device.topic("scan"), kind, clouds.scan, period=period))
    return topics


class _Clouds:
    """The last revolution of a lidar as messages."""

    def __init__(self, device: DeviceOf[LidarSensor]) -> None:
        record = device.record
        self._device, self._lidar = device, record
        # In the frame of the device, which has its place and its axes.
        own = replace(record, position=(0.0,) * 3, direction=(1.0, 0.0, 0.0), up=(0.0, 0.0, 1.0))
        self._rays = ray_directions(own)
        first = device.node.start // WORD
        count = record.channels * record.columns
        shape = (record.channels, record.columns)
        self._ranges = device.state.floats[first : first + count].reshape(shape)
        self._newest = device.state.ints[first + count : first + count + 1]
        after = device.state.floats[first + count + 1 : device.node.own_stop // WORD]
        self._intensities = after.reshape(shape) if record.has_intensity else None
        self._rings = np.repeat(np.arange(record.channels), record.columns).reshape(shape)
        self._columns = np.arange(record.columns)
        self._column_seconds = 1.0 / (record.update_rate * record.columns)

    def points(self, time: int) -> Fields:
        """The points in the order of the channels, those without return left out."""
        has_return = self._ranges > 0.0
        ranges = self._ranges[has_return]
        points = np.zeros(len(ranges), _POINT)
        places = ranges[:, None] * self._rays[has_return]
        for axis, name in enumerate("xyz"):
            points[name] = places[:, axis]
        if self._intensities is not None:
            points["intensity"] = self._intensities[has_return]
        points["ring"] = self._rings[has_return]
        age = np.remainder(self._newest[0] - self._columns, len(self._columns))
        ages = np.broadcast_to(age * -self._column_seconds, self._ranges.shape)
        points["time"] = ages[has_return]
        return cloud(self._device.header(time), points)

    def scan(self, time: int) -> Fields:
        """The single channel, counter-clockwise; infinite where nothing came back."""
        angles = azimuths(self._lidar)
        ranges = np.where(self._ranges[0] > 0.0, self._ranges[0], np.inf)
        intensities = () if self._intensities is None else self._intensities[0]
        return {
            "header": self._device.header(time),
            "angle_min": float(angles[0]),
            "angle_max": float(angles[-1]),
            "angle_increment": float(angles[1] - angles[0]) if len(angles) > 1 else 0.0,
            "time_increment": self._column_seconds,
            "scan_time": self._device.period,
            "range_min": self._lidar.min_range,
            "range_max": self._lidar.range,
            "ranges": ranges,
            "intensities": np.asarray(intensities),
        }


def radar(device: DeviceOf[RadarSensor]) -> list[RosTopic]:
    """A `sensor_msgs/PointCloud2` with a point for each target."""
    (field,) = device.node.fields

    def make(time: int) -> Fields:
        rows = list_rows(device.state.buffer, field, device.node.field_offset(field.name))
        ranges, bearings, speeds = rows.T
        targets = np.zeros(len(rows), _TARGET)
        targets["x"], targets["y"] = ranges * np.cos(bearings), ranges * np.sin(bearings)
        targets["range"], targets["azimuth"], targets["radial_speed"] = ranges, bearings, speeds
        return cloud(device.header(time), targets)

    kind = "sensor_msgs/msg/PointCloud2"
    return [RosTopic(device.topic("targets"), kind, make, period=device.period)]


def distance(device: DeviceOf[PSDSensor]) -> list[RosTopic]:
    """`sensor_msgs/Range` along a ray."""
    return [_range(device, _INFRARED, _RAY_ANGLE, 0.0, device.record.range)]


def ultrasonic(device: DeviceOf[UltrasonicSensor]) -> list[RosTopic]:
    """`sensor_msgs/Range` of a cone."""
    record = device.record
    return [_range(device, _ULTRASOUND, record.angle, record.min_range, record.range)]


def _range(device: AnyDevice, radiation: int, angle: float, least: float, most: float) -> RosTopic:
    values = device.numbers()

    def make(time: int) -> Fields:
        return {
            "header": device.header(time),
            "radiation_type": radiation,
            "field_of_view": angle,
            "min_range": least,
            "max_range": most,
            # REP 117: infinite where nothing was met.
            "range": float(values[0]) if values[0] < most else float("inf"),
        }

    return RosTopic(device.topic("range"), "sensor_msgs/msg/Range", make, period=device.period)
