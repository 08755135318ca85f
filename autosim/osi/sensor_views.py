"""Sensors of a robot: their `SensorView`, which says what they are, and their `SensorData`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from osi3.osi_featuredata_pb2 import FeatureData, SensorDetectionHeader
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

from autosim.config.descriptions import Device
from autosim.kinds.sensors.perception.camera import Camera
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.kinds.sensors.ranging.lidar_scan import azimuths, elevations, ray_directions
from autosim.kinds.sensors.ranging.radar import RadarSensor
from autosim.kinds.sensors.ranging.ultrasonic import UltrasonicSensor
from autosim.model.state import State, list_rows
from autosim.model.tree import WORD, TreeNode
from autosim.osi.mounting import mounting_of
from autosim.osi.osi_objects.robot_messages import RobotObject
from autosim.osi.osi_values import IdKind, identifier, interface_version, timestamp
from autosim.osi.packed_rows import lidar_detections, radar_detections, with_length

_FEATURES, _RADARS, _LIDARS, _DETECTIONS = 26, 2, 3, 2
"""Numbers of the fields feature_data, radar_sensor, lidar_sensor and detection."""

_PER_ROBOT = 1000
"""Number of identifiers of sensors of each robot."""

_AVAILABLE = SensorDetectionHeader.DATA_QUALIFIER_AVAILABLE
"""The data of a sensor are complete."""

AnySensor = LidarSensor | RadarSensor | UltrasonicSensor | Camera


@dataclass(frozen=True, slots=True)
class OsiSensor:
    """A sensor of a `robot`.

    `record`: its description; `node`: of the tree; `state`: whose
    buffer holds its values; `index`: its place among the sensors of its robot.
    """

    robot: RobotObject
    record: AnySensor
    node: TreeNode
    state: State
    index: int

    @property
    def id(self) -> int:
        """Its identifier."""
        number = (self.robot.id % 1_000_000) * _PER_ROBOT + self.index
        return identifier(IdKind.SENSOR, number)

    @property
    def name(self) -> str:
        """Name of the device."""
        return self.node.name.rpartition(".")[2]

    @property
    def period(self) -> float:
        """Time [s] between two measurements; 0: one in each step."""
        rate = float(getattr(self.record, "update_rate", 0.0) or 0.0)
        return 1.0 / rate if rate > 0.0 else 0.0


def sensors_of(state: State, robot: RobotObject) -> list[OsiSensor]:
    """The sensors of a robot that OSI has messages for."""
    found: list[OsiSensor] = []
    for record in robot.robot.devices:
        node = state.tree.find(f"{robot.name}.{record.part}.{record.name}")
        if isinstance(record, AnySensor) and node is not None and node.fields:
            found.append(OsiSensor(robot, record, node, state, len(found) + 1))
    return found


def describe_sensors(view: SensorView, sensors: list[OsiSensor]) -> None:
    """Adds what the sensors of a robot are to its view: places, fields of view, numbers of rays."""
    for sensor in sensors:
        record = sensor.record
        if isinstance(record, LidarSensor):
            found = view.lidar_sensor_view.add().view_configuration
            found.field_of_view_horizontal = record.field_of_view
            found.field_of_view_vertical = record.max_elevation - record.min_elevation
            found.number_of_rays_horizontal = record.columns
            found.number_of_rays_vertical = record.channels
            found.max_number_of_interactions = 1
        elif isinstance(record, RadarSensor):
            found = view.radar_sensor_view.add().view_configuration
            found.field_of_view_horizontal = record.field_of_view
            found.field_of_view_vertical = record.elevation
            found.max_number_of_interactions = 1
        elif isinstance(record, UltrasonicSensor):
            found = view.ultrasonic_sensor_view.add().view_configuration
            found.field_of_view_horizontal = found.field_of_view_vertical = record.angle
        else:
            found = view.camera_sensor_view.add().view_configuration
            found.field_of_view_horizontal = record.fov
            if record.resolution is not None:
                width, height = record.resolution
                found.number_of_pixels_horizontal, found.number_of_pixels_vertical = width, height
        found.sensor_id.value = sensor.id
        found.mounting_position.CopyFrom(
            mounting_of(sensor.robot.robot, sensor.robot.shape, record)
        )


def measurements_of(sensor: OsiSensor) -> Callable[[int], bytes] | None:
    """The function that makes a sensor's `SensorData` at a time [ns]; None for cameras."""
    record: Device = sensor.record
    if isinstance(record, LidarSensor):
        return _Lidar(sensor, record).message
    if isinstance(record, RadarSensor):
        return _Radar(sensor).message
    if isinstance(record, UltrasonicSensor):
        return _Ultrasonic(sensor, record).message
    return None


class _Measurements:
    """The head of the messages of a sensor."""

    def __init__(self, sensor: OsiSensor) -> None:
        self.sensor = sensor
        self.mounting = mounting_of(sensor.robot.robot, sensor.robot.shape, sensor.record)
        self._cycle = 0

    def data(self, time: int) -> SensorData:
        """A message without detections."""
        found = SensorData(version=interface_version(), timestamp=timestamp(time))
        found.sensor_id.value = self.sensor.id
        found.mounting_position.CopyFrom(self.mounting)
        found.last_measurement_time.CopyFrom(timestamp(time))
        return found

    def header(self, time: int, count: int) -> SensorDetectionHeader:
        """The header of a list with that number of detections."""
        found = SensorDetectionHeader(
            measurement_time=timestamp(time),
            cycle_counter=self._cycle,
            mounting_position=self.mounting,
            data_qualifier=_AVAILABLE,
            number_of_valid_detections=count,
        )
        found.sensor_id.value = self.sensor.id
        self._cycle += 1
        return found

    def joined(self, time: int, field: int, header: SensorDetectionHeader, rows: bytes) -> bytes:
        """A message with detections that are encoded already."""
        features = FeatureData(version=interface_version()).SerializeToString()
        detections = with_length(1, header.SerializeToString()) + rows
        inner = features + with_length(field, detections)
        return bytes(self.data(time).SerializeToString()) + with_length(_FEATURES, inner)


class _Lidar(_Measurements):
    """The last revolution of a lidar."""

    def __init__(self, sensor: OsiSensor, record: LidarSensor) -> None:
        super().__init__(sensor)
        # The angles are those in the sensor's own axes.
        own = replace(record, direction=(1.0, 0.0, 0.0), up=(0.0, 0.0, 1.0))
        rays = ray_directions(own)
        assert rays.shape == (len(elevations(own)), len(azimuths(own)), 3)
        self._azimuths = np.arctan2(rays[..., 1], rays[..., 0])
        self._elevations = np.arcsin(np.clip(rays[..., 2], -1.0, 1.0))
        shape, first = (record.channels, record.columns), sensor.node.start // WORD
        count = record.channels * record.columns
        floats = sensor.state.floats
        self._ranges = floats[first : first + count].reshape(shape)
        last = floats[first + count + 1 : sensor.node.own_stop // WORD]
        self._intensities = last.reshape(shape) if record.has_intensity else None
        self._channels = np.repeat(np.arange(record.channels), record.columns).reshape(shape)

    def message(self, time: int) -> bytes:
        """The returns of the last revolution, in the order of the channels."""
        has_return = self._ranges > 0.0
        angles = self._azimuths[has_return], self._elevations[has_return]
        spherical = np.column_stack([self._ranges[has_return], *angles])
        intensities = None
        if self._intensities is not None:
            intensities = 100.0 * np.clip(self._intensities[has_return], 0.0, 1.0)
        rows = lidar_detections(
            spherical, intensities, self._channels[has_return], field=_DETECTIONS
        )
        return self.joined(time, _LIDARS, self.header(time, len(spherical)), rows)


class _Radar(_Measurements):
    """The targets of a radar."""

    def message(self, time: int) -> bytes:
        """The present targets; OSI counts speeds towards the sensor as positive."""
        node = self.sensor.node
        (field,) = node.fields
        values = list_rows(self.sensor.state.buffer, field, node.field_offset(field.name))
        spherical = np.column_stack([values[:, 0], values[:, 1], np.zeros(len(values))])
        rows = radar_detections(spherical, -values[:, 2], field=_DETECTIONS)
        return self.joined(time, _RADARS, self.header(time, len(values)), rows)


class _Ultrasonic(_Measurements):
    """The echo of an ultrasonic sensor."""

    def __init__(self, sensor: OsiSensor, record: UltrasonicSensor) -> None:
        super().__init__(sensor)
        self._record = record
        self._value = sensor.state.floats[sensor.node.start // WORD :][:1]

    def message(self, time: int) -> bytes:
        """The distance of the echo; no detection where there is none."""
        distance = float(self._value[0])
        has_echo = distance < self._record.range
        found = self.data(time)
        found.feature_data.version.CopyFrom(interface_version())
        echoes = found.feature_data.ultrasonic_sensor.add()
        echoes.header.CopyFrom(self.header(time, int(has_echo)))
        echoes.specific_header.max_range = self._record.range
        if has_echo:
            echoes.detection.add(existence_probability=1.0, distance=distance)
        return bytes(found.SerializeToString())


def all_sensors(state: State, robots: list[RobotObject]) -> Iterator[OsiSensor]:
    """The sensors of all robots."""
    for robot in robots:
        yield from sensors_of(state, robot)
