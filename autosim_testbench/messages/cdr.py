"""A message for ROS 2: its bytes in CDR, and the hash of its type.

CDR (XCDR1, as ROS 2 writes it) is a head of four bytes, then field after field, little-endian,
each aligned to its size. As all fields here have a fixed size, so has the message.
"""

import hashlib
import json
from functools import cache

import numpy as np

from autosim_testbench.messages.ros_message import PACKAGE, ros_fields
from autosim_testbench.messages.serial_object import MessageError, SerialObject

_HEAD = bytes((0, 1, 0, 0))
"""Of four bytes: plain CDR, little-endian, no options."""

_TYPES = (
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float32",
    "float64",
)
_IDS = {name: number for number, name in enumerate(_TYPES, start=2)} | {"string": 17}
"""Numbers of types (`type_description_interfaces/msg/FieldType`)."""

_ARRAY, _SEQUENCE = 48, 144
"""Offset of the number of a type for an array of fixed size, or of any (the same place)."""

_ANY = -1
"""Number of elements of a sequence of any length."""

_BYTES = "Bytes"
"""The name of the type of messages whose kind is not known: `uint8[] data`."""

_LENGTH_BYTES = 4
"""Number of bytes of the length of a sequence."""


def dds_type(kind: type[SerialObject] | None) -> str:
    """The name of a kind of message as DDS and zenoh know it."""
    return f"{PACKAGE}::msg::dds_::{kind.__name__ if kind else _BYTES}_"


def kind_hash(kind: type[SerialObject] | None) -> str:
    """The hash by which nodes of ROS 2 know that they mean the same kind of message."""
    fields = ros_fields(kind) if kind else [("uint8", _ANY, "data")]
    return type_hash(f"{PACKAGE}/msg/{kind.__name__ if kind else _BYTES}", fields)


def type_hash(name: str, fields: list[tuple[str, int, str]]) -> str:
    """The hash of a type without nested messages, by version 1 of ROS' rules.

    Args:
        name: such as `std_msgs/msg/String`.
        fields: type, number of elements (0: a single value), name.
    """
    described = {
        "type_description": {"type_name": name, "fields": [_described(*each) for each in fields]},
        "referenced_type_descriptions": [],
    }
    return f"RIHS01_{hashlib.sha256(json.dumps(described).encode()).hexdigest()}"


def to_cdr(data: bytes, kind: type[SerialObject] | None) -> bytes:
    """The message in CDR.

    Args:
        data: envelope and fields, one behind the other.
        kind: of the message; None where it is not known.
    """
    if kind is None:
        return _HEAD + len(data).to_bytes(_LENGTH_BYTES, "little") + data
    packed, aligned = _layouts(kind)  # type: ignore[arg-type]  # a class has a hash
    record = np.zeros((), aligned)
    record[()] = np.frombuffer(data, packed)[0]
    return _HEAD + record.tobytes()


def from_cdr(data: bytes, kind: type[SerialObject] | None) -> bytes:
    """Envelope and fields, one behind the other.

    Raises:
        MessageError: these bytes are not this kind of message in CDR.
    """
    body = data[len(_HEAD) :]
    if data[: len(_HEAD) - 2] != _HEAD[:-2]:
        raise MessageError("no message in little-endian CDR")
    if kind is None:
        return body[_LENGTH_BYTES:][: int.from_bytes(body[:_LENGTH_BYTES], "little")]
    packed, aligned = _layouts(kind)  # type: ignore[arg-type]  # a class has a hash
    if len(body) < aligned.itemsize:
        raise MessageError(f"{kind.__name__} has {aligned.itemsize} bytes in CDR, not {len(body)}")
    record = np.zeros((), packed)
    record[()] = np.frombuffer(body, aligned, count=1)[0]
    return record.tobytes()


def _described(ros: str, count: int, name: str) -> dict[str, object]:
    kind = _IDS[ros] + (_SEQUENCE if count == _ANY else _ARRAY if count else 0)
    size = {"capacity": max(count, 0), "string_capacity": 0, "nested_type_name": ""}
    return {"name": name, "type": {"type_id": kind, **size}}


@cache
def _layouts(kind: type[SerialObject]) -> tuple[np.dtype[np.generic], np.dtype[np.generic]]:
    """Layout of envelope and fields in our bytes, and in CDR."""
    fields = ros_fields(kind)
    names = [name for _, _, name in fields]
    elements = [np.dtype(ros).newbyteorder("<") for ros, _, _ in fields]
    formats = [
        np.dtype((element, (count,))) if count else element
        for element, (_, count, _) in zip(elements, fields, strict=True)
    ]
    offsets, end = [], 0
    for element, each in zip(elements, formats, strict=True):
        begin = -(-end // element.itemsize) * element.itemsize
        offsets.append(begin)
        end = begin + each.itemsize
    aligned = np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": end})
    return np.dtype(list(zip(names, formats, strict=True))), aligned
