"""The schemas that viewers know by their names (docs.foxglove.dev, message schemas).

Only the messages that records have. Their fields have the numbers and types of the published files,
so that programs with classes generated from those read them, too.
"""

from autosim.records.schemas import Schema, add_field, new_file

PACKAGE = "foxglove"

_TIME = ".google.protobuf.Timestamp"

_MESSAGES: dict[str, tuple[tuple[str, int, str], ...]] = {
    "Vector3": (("x", 1, "float"), ("y", 2, "float"), ("z", 3, "float")),
    "Quaternion": (("x", 1, "float"), ("y", 2, "float"), ("z", 3, "float"), ("w", 4, "float")),
    "Pose": (("position", 1, ".foxglove.Vector3"), ("orientation", 2, ".foxglove.Quaternion")),
    "PackedElementField": (
        ("name", 1, "str"),
        ("offset", 2, "fixed32"),
        ("type", 3, "NumericType"),
    ),
    "PointCloud": (
        ("timestamp", 1, _TIME),
        ("frame_id", 2, "str"),
        ("pose", 3, ".foxglove.Pose"),
        ("point_stride", 4, "fixed32"),
        ("fields", 5, "*.foxglove.PackedElementField"),
        ("data", 6, "bytes"),
    ),
    "CompressedImage": (
        ("timestamp", 1, _TIME),
        ("data", 2, "bytes"),
        ("format", 3, "str"),
        ("frame_id", 4, "str"),
    ),
    "RawImage": (
        ("timestamp", 1, _TIME),
        ("width", 2, "fixed32"),
        ("height", 3, "fixed32"),
        ("encoding", 4, "str"),
        ("step", 5, "fixed32"),
        ("data", 6, "bytes"),
        ("frame_id", 7, "str"),
    ),
    "FrameTransform": (
        ("timestamp", 1, _TIME),
        ("parent_frame_id", 2, "str"),
        ("child_frame_id", 3, "str"),
        ("translation", 4, ".foxglove.Vector3"),
        ("rotation", 5, ".foxglove.Quaternion"),
    ),
    "Log": (
        ("timestamp", 1, _TIME),
        ("level", 2, "Level"),
        ("message", 3, "str"),
        ("name", 4, "str"),
        ("file", 5, "str"),
        ("line", 6, "fixed32"),
    ),
}
"""Name, number and type of each field: a scalar, a message, with * a list, or an enumeration."""

_ENUMERATIONS = {
    "Level": ("UNKNOWN", "DEBUG", "INFO", "WARNING", "ERROR", "FATAL"),
    "NumericType": (
        *("UNKNOWN", "UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32"),
        *("FLOAT32", "FLOAT64"),
    ),
}
"""Their values, in the order of their numbers."""

FLOAT32 = _ENUMERATIONS["NumericType"].index("FLOAT32")


def foxglove_schema(name: str) -> Schema:
    """The schema of the message of that name."""
    times = new_file("google/protobuf/timestamp.proto", "google.protobuf")
    stamp = times.message_type.add(name="Timestamp")
    add_field(stamp, "seconds", "int")
    add_field(stamp, "nanos", "int32")
    file = new_file(f"{PACKAGE}/schemas.proto", PACKAGE)
    file.dependency.append(times.name)
    for each in _with_parts(name):
        message = file.message_type.add(name=each)
        for field, number, kind in _MESSAGES[each]:
            is_repeated, kind = kind.startswith("*"), kind.removeprefix("*")
            if kind in _ENUMERATIONS:
                values = message.enum_type.add(name=kind)
                for value, word in enumerate(_ENUMERATIONS[kind]):
                    values.value.add(name=word, number=value)
                kind = f"enum .{PACKAGE}.{each}.{kind}"
            add_field(message, field, kind, number=number, is_repeated=is_repeated)
    return Schema(f"{PACKAGE}.{name}", [times, file])


def _with_parts(name: str) -> list[str]:
    """The message of that name, and those that its fields hold, before it."""
    parts = []
    for _, _, kind in _MESSAGES[name]:
        part = kind.removeprefix("*").removeprefix(f".{PACKAGE}.")
        if part in _MESSAGES:
            parts += _with_parts(part)
    return [*dict.fromkeys(parts), name]
