"""Devices for which ROS has no type of its own: their numbers under their names."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from autosim.config.descriptions import Device
from autosim.model.state import list_rows
from autosim.ros2.sensors.topics import DeviceOf, Topic, cloud


def numbers(device: DeviceOf[Device]) -> list[Topic]:
    """`std_msgs/Float64MultiArray`, with a dimension of size 1 that names each number."""
    values = device.numbers()
    names = device.field_names()
    layout = {"dim": [{"label": name, "size": 1, "stride": 1} for name in names]}

    def make(time: int) -> Mapping[str, Any]:
        return {"layout": layout, "data": values}

    kind = "std_msgs/msg/Float64MultiArray"
    return [Topic(device.topic("values"), kind, make, period=device.period)]


def rows(device: DeviceOf[Device]) -> list[Topic]:
    """A `sensor_msgs/PointCloud2` for each list, with a field for each column."""
    return [_list_topic(device, field) for field in device.node.fields if field.is_list]


def _list_topic(device: DeviceOf[Device], field: Any) -> Topic:
    layout = np.dtype([(column.name, "<f8") for column in field.columns])

    def make(time: int) -> Mapping[str, Any]:
        found = list_rows(device.state.buffer, field, device.node.field_offset(field.name))
        return cloud(device.header(time), np.ascontiguousarray(found).view(layout).reshape(-1))

    kind = "sensor_msgs/msg/PointCloud2"
    return Topic(device.topic(field.name), kind, make, period=device.period)
