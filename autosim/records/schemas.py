"""Protobuf schemas that are made while AutoSim runs: MCAP files hold them beside the messages."""

from collections.abc import Iterable
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "autosim.record"

_Field = descriptor_pb2.FieldDescriptorProto
TYPES = {
    "int": _Field.TYPE_INT64,
    "bool": _Field.TYPE_BOOL,
    "str": _Field.TYPE_STRING,
    "bytes": _Field.TYPE_BYTES,
    "float": _Field.TYPE_DOUBLE,
    "fixed": _Field.TYPE_SFIXED64,
    "fixed32": _Field.TYPE_FIXED32,
    "int32": _Field.TYPE_INT32,
}
"""The scalar types of fields."""


def add_field(
    message: descriptor_pb2.DescriptorProto,
    name: str,
    type_name: str,
    *,
    number: int = 0,
    is_repeated: bool = False,
) -> int:
    """Adds a field to `message`; returns its number.

    Args:
        message: what it becomes part of.
        name: of the field.
        type_name: one of `TYPES`, or the full name of a message, with a dot before it; of an
            enumeration "enum" and such a name.
        number: of the field; 0: the next one.
        is_repeated: whether it is a list.
    """
    field = message.field.add(name=name, number=number or len(message.field) + 1)
    field.label = _Field.LABEL_REPEATED if is_repeated else _Field.LABEL_OPTIONAL
    if type_name.startswith("enum "):
        field.type, field.type_name = _Field.TYPE_ENUM, type_name.removeprefix("enum ")
    elif type_name.startswith("."):
        field.type, field.type_name = _Field.TYPE_MESSAGE, type_name
    else:
        field.type = TYPES[type_name]
    return int(field.number)


def new_file(name: str, package: str) -> descriptor_pb2.FileDescriptorProto:
    """An empty file of schemas."""
    return descriptor_pb2.FileDescriptorProto(name=name, package=package, syntax="proto3")


class Schema:
    """One type of message, with the files that define it.

    `name` is its full name; `data` the serialised FileDescriptorSet, as MCAP wants it. `new` makes
    a message, `read` one from bytes.
    """

    def __init__(self, name: str, files: Iterable[descriptor_pb2.FileDescriptorProto]) -> None:
        self.name = name
        own = descriptor_pb2.FileDescriptorSet(file=files)
        self.data: bytes = own.SerializeToString()
        pool = descriptor_pool.DescriptorPool()
        for file in own.file:
            pool.Add(file)
        self._class: Any = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))

    def new(self, **values: object) -> Any:
        """A message with these values."""
        return self._class(**values)

    def read(self, data: bytes) -> Any:
        """The message that `data` holds."""
        return self._class.FromString(data)
