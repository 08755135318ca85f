"""Reads the values of devices from the state: one small function for each device.

The place and the type of the values are worked out once, so that a read is a read of memory.
"""

from collections.abc import Callable
from math import prod

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.kinds.sensors.ranging.lidar_scan import Scan
from autosim.model.commands import DeviceError, DeviceErrorCode
from autosim.model.state import list_rows
from autosim.model.tree import WORD, Field, FieldType, TreeNode

Reading = float | int | str | Floats | Integers
"""A number, several numbers (n,), a table or the rows of a list (n, m), each a copy, or a text."""

Reader = Callable[[], Reading]
PointReader = Callable[[], Floats]


def make_reader(node: TreeNode, memory: memoryview) -> Reader:
    """A function that reads the own fields of `node` from the state in `memory`.

    One number comes as a float (an int where the field counts), several as a flat array in the
    order of the fields, a text as a str, several texts as lines. A node whose first field is a
    table (a lidar) gives this table in its own shape, several tables one after the other; one
    with a list gives as many rows as that has now.

    Raises:
        DeviceError: INVALID_OPERATION where the device has no values, or values of several types.
    """
    for field in node.fields:
        if field.is_list:
            return _list_reader(field, memory.cast("B")[node.field_offset(field.name) :])
    if node.fields and len(node.fields[0].shape) > 1:
        return _table_reader(node, memory.cast("B"))
    types = {field.type for field in node.fields}
    if len(types) != 1:
        hint = "; use get_image" if node.kind == "Camera" else ""
        raise DeviceError(
            DeviceErrorCode.INVALID_OPERATION, f"'{node.name}' is a {node.kind}: no values{hint}"
        )
    kind = types.pop()
    if kind is FieldType.TEXT:
        return _text_reader(node, memory.cast("B"))
    count = sum(prod(field.shape) for field in node.fields)
    raw = memory.cast("B")[node.start : node.start + count * WORD]
    if count > 1:
        return np.frombuffer(raw, dtype=kind.value).copy
    words = raw.cast("d" if kind is FieldType.FLOAT else "q")
    return lambda: words[0]


def make_point_reader(node: TreeNode, lidar: LidarSensor, memory: memoryview) -> PointReader:
    """A function that reads the points (n, 3) [m] in B of a lidar's scan from `memory`."""
    ranges, newest, *_ = node.fields
    raw = memory.cast("B")[node.start :]
    table = np.frombuffer(raw[: ranges.size]).reshape(ranges.shape)
    column = raw[ranges.size : ranges.size + newest.size].cast("q")
    scan = Scan(lidar)
    return lambda: scan.points(table, column[0])


def _table_reader(node: TreeNode, memory: memoryview) -> Reader:
    tables = [_table(node, field, memory) for field in node.fields if len(field.shape) > 1]
    if len(tables) == 1:
        return tables[0].copy

    def read() -> Floats:
        return np.stack(tables).astype(np.float64)

    return read


def _table(node: TreeNode, field: Field, memory: memoryview) -> Floats | Integers:
    start = node.field_offset(field.name)
    raw = memory[start : start + field.size]
    return np.frombuffer(raw, dtype=field.type.value).reshape(field.shape)


def _list_reader(field: Field, raw: memoryview) -> Reader:
    return lambda: list_rows(raw, field, 0).copy()


def _text_reader(node: TreeNode, memory: memoryview) -> Reader:
    starts = [node.field_offset(field.name) for field in node.fields]
    texts = [
        memory[start : start + field.size] for start, field in zip(starts, node.fields, strict=True)
    ]
    return lambda: "\n".join(bytes(each).rstrip(b"\0").decode("utf-8", "replace") for each in texts)
