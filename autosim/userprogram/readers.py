"""How a device's values are read from the state: one small function for each device.

The place and the type of the values are worked out once, so that a read is a read of memory.
"""

from collections.abc import Callable
from math import prod

import numpy as np
import numpy.typing as npt

from autosim.simulation.commands import DeviceError, DeviceErrorCode
from autosim.simulation.tree import WORD, FieldType, Node

Reading = float | int | str | npt.NDArray[np.float64] | npt.NDArray[np.int64]
"""A number, several numbers (n,) as a copy, or a text."""

Reader = Callable[[], Reading]


def make_reader(node: Node, memory: memoryview) -> Reader:
    """A function that reads the own fields of `node` from the state in `memory`.

    One number comes as a float (an int where the field counts), several as a flat array in the
    order of the fields, a text as a str.

    Raises:
        DeviceError: INVALID_OPERATION where the device has no values, or values of several types.
    """
    types = {field.type for field in node.fields}
    if len(types) != 1:
        hint = "; use get_image" if node.kind == "Camera" else ""
        raise DeviceError(
            DeviceErrorCode.INVALID_OPERATION, f"'{node.name}' is a {node.kind}: no values{hint}"
        )
    kind = types.pop()
    if kind is FieldType.TEXT:
        return _text_reader(memory[node.start : node.own_stop])
    count = sum(prod(field.shape) for field in node.fields)
    raw = memory.cast("B")[node.start : node.start + count * WORD]
    if count > 1:
        return np.frombuffer(raw, dtype=kind.value).copy
    words = raw.cast("d" if kind is FieldType.FLOAT else "q")
    return lambda: words[0]


def _text_reader(raw: memoryview) -> Reader:
    return lambda: bytes(raw).rstrip(b"\0").decode("utf-8", "replace")
