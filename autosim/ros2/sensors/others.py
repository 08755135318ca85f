"""Devices for which ROS has no type of its own: their numbers under their names."""

import numpy as np

from autosim.config.descriptions import Device
from autosim.model.state import list_rows
from autosim.model.tree import Field
from autosim.ros2.message_types import Fields
from autosim.ros2.sensors.topics import DeviceOf, RosTopic, cloud


def numbers(device: DeviceOf[Device]) -> list[RosTopic]:
    """`std_msgs/Float64MultiArray`, with a dimension of size 1 that names each number."""
    values = device.numbers()
    names = device.field_names()
    layout = {"dim": [{"label": name, "size": 1, "stride": 1} for name in names]}

    def make(time: int) -> Fields:
        return {"layout": layout, "data": values}

    kind = "std_msgs/msg/Float64MultiArray"
    return [RosTopic(device.topic("values"), kind, make, period=device.period)]


def rows(device: DeviceOf[Device]) -> list[RosTopic]:
    """A `sensor_msgs/PointCloud2` for each list, with a field for each column."""
    return [_list_topic(device, field) for field in device.node.fields if field.is_list]


def _list_topic(device: DeviceOf[Device], field: Field) -> RosTopic:
    layout = np.dtype([(column.name, "<f8") for column in field.columns])

    def make(time: int) -> Fields:
        found = list_rows(device.state.buffer, field, device.node.field_offset(field.name))
        return cloud(device.header(time), np.ascontiguousarray(found).view(layout).reshape(-1))

    kind = "sensor_msgs/msg/PointCloud2"
    return RosTopic(device.topic(field.name), kind, make, period=device.period)
