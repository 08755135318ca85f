"""The declaration of a message for ROS: a `.msg` file, and what ROS derives from it.

A message of ROS 1 lies in its bytes field behind field, little-endian and without gaps, as ours do.
So the envelope and the fields of a `SerialObject` are, byte for byte, a message of ROS 1 whose
first fields are those of the envelope.
"""

import hashlib
import re

from autosim_testbench.messages.serial_object import MessageField, SerialObject

PACKAGE = "autosim_msgs"
"""The package of ROS to which the declarations belong."""

ENVELOPE = (
    ("uint32", "type_number", "TYPE_NUMBER"),
    ("uint32", "publisher", "a number for the node that sends, the same for all of its messages"),
    ("uint32", "sequence", "counts the messages of a publisher on a topic, from 0"),
    ("int64", "stamp_ns", "[ns] time to which the data refer, on the bench's clock"),
    ("int64", "published_ns", "[ns] time of sending"),
)
"""The fields of the envelope: type, name, meaning."""


def is_ros_name(topic: str) -> bool:
    """Whether ROS allows a topic of this name."""
    return re.fullmatch(r"/?[A-Za-z]\w*(/\w+)*", topic, re.ASCII) is not None


def ros_type(kind: type[SerialObject]) -> str:
    """The name of a kind of message in ROS, such as `autosim_msgs/Range`."""
    return f"{PACKAGE}/{kind.__name__}"


def ros_fields(kind: type[SerialObject]) -> list[tuple[str, int, str]]:
    """Type, number of elements (0: a single value, no array) and name of all fields."""
    fields = [(ros, 0, name) for ros, name, _ in ENVELOPE]
    return fields + [(_element(each), _count(each), each.name) for each in kind.FIELDS]


def ros_definition(kind: type[SerialObject]) -> str:
    """The text of the `.msg` file of a kind of message."""
    meanings = [about for _, _, about in ENVELOPE] + [_meaning(each) for each in kind.FIELDS]
    lines = [f"# {line}".rstrip() for line in (kind.__doc__ or kind.__name__).splitlines()]
    lines.append(_constant(kind))
    for (ros, count, name), meaning in zip(ros_fields(kind), meanings, strict=True):
        comment = f"  # {meaning}" if meaning else ""
        lines.append(f"{_declared(ros, count)} {name}{comment}")
    return "\n".join(lines) + "\n"


def ros_md5(kind: type[SerialObject]) -> str:
    """The checksum with which two nodes of ROS 1 find out that they mean the same message."""
    lines = [_constant(kind)]
    lines += [f"{_declared(ros, count)} {name}" for ros, count, name in ros_fields(kind)]
    return hashlib.md5("\n".join(lines).encode(), usedforsecurity=False).hexdigest()


def _constant(kind: type[SerialObject]) -> str:
    return f"uint32 TYPE_NUMBER={kind.type_id()}"


def _declared(ros: str, count: int) -> str:
    return f"{ros}[{count}]" if count else ros


def _element(field: MessageField) -> str:
    return "uint8" if field.kind == "text" else field.kind


def _count(field: MessageField) -> int:
    if field.kind == "text":
        return field.length
    count = 1
    for each in field.shape:
        count *= each
    return count if field.shape else 0


def _meaning(field: MessageField) -> str:
    unit = f"[{field.unit}]" if field.unit else ""
    shape = f"rows of {field.shape[-1]}" if len(field.shape) > 1 else ""
    text = "text in UTF-8, filled up with 0" if field.kind == "text" else ""
    return " ".join((", ".join(each for each in (unit, field.about, shape, text) if each)).split())
