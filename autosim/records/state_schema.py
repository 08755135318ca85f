"""Lossless states as protobuf messages.

A tree has a fixed layout, so all its states have the same fields, and all fields are words of eight
bytes. As a message with fixed-size fields (`double`, `sfixed64`) a state therefore has the same
tags and lengths in the same places each time: only the words change. Encoding scatters the bytes
of the state into a template; decoding gathers them. Every protobuf reader sees each value by its
name, without AutoSim.
"""

import re
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from google.protobuf import descriptor_pb2

from autosim.arrays import Bytes
from autosim.errors import UserError
from autosim.model.tree import Field, FieldType, SimulationTree, TreeNode
from autosim.records.schemas import PACKAGE, Schema, add_field, new_file

_FIXED, _LENGTH = 1, 2
"""Wire types of protobuf: eight bytes; a length and that number of bytes."""

_WORD = 8
"""Number of bytes of a word."""


class StateMessageError(UserError):
    """A message is not a state of this tree."""


@dataclass(slots=True)
class _Layout:
    """The bytes of a message so far, and where in it which bytes of the state belong."""

    template: bytearray = field(default_factory=bytearray)
    source: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def add_bytes(self, start: int, size: int) -> None:
        """Room for `size` bytes that stand at `start` in the state."""
        self.source.append(start)
        self.target.append(len(self.template))
        self.sizes.append(size)
        self.template += bytes(size)

    def add_part(self, part: "_Layout") -> None:
        """A finished part behind what is there."""
        first = len(self.template)
        self.source += part.source
        self.target += [first + each for each in part.target]
        self.sizes += part.sizes
        self.template += part.template


class StateCodec:
    """Turns the states of one tree into messages and back.

    Args:
        tree: laid out.
    """

    def __init__(self, tree: SimulationTree) -> None:
        file = new_file("autosim/record/state.proto", PACKAGE)
        message = file.message_type.add(name="State")
        layout = _lay_out(tree, message, f".{PACKAGE}.State")
        self.schema = Schema(f"{PACKAGE}.State", [file])
        self._size = tree.stop
        self._template: Bytes = np.frombuffer(bytes(layout.template), dtype=np.uint8)
        self._source, self._target = _words(layout.source, layout), _words(layout.target, layout)
        is_own = np.ones(len(self._template), dtype=np.bool_)
        is_own[self._target] = False
        self._frame = np.flatnonzero(is_own)

    def encode(self, state: bytes | memoryview) -> bytes:
        """The message of a state: a bitstream of the whole tree."""
        message = self._template.copy()
        message[self._target] = np.frombuffer(state, dtype=np.uint8)[self._source]
        return message.tobytes()

    def decode(self, message: bytes) -> bytes:
        """The state that a message holds.

        Raises:
            StateMessageError: it is none of this tree.
        """
        read = np.frombuffer(message, dtype=np.uint8)
        if len(read) != len(self._template) or not np.array_equal(
            read[self._frame], self._template[self._frame]
        ):
            raise StateMessageError("the record holds a state of another layout")
        state = np.zeros(self._size, dtype=np.uint8)
        state[self._source] = read[self._target]
        return state.tobytes()


def _words(starts: list[int], layout: _Layout) -> npt.NDArray[np.intp]:
    """The places of all bytes of pieces that begin at `starts`."""
    pieces = [
        np.arange(start, start + size) for start, size in zip(starts, layout.sizes, strict=True)
    ]
    return np.concatenate([np.zeros(0, dtype=np.intp), *pieces]).astype(np.intp)


def _lay_out(node: TreeNode, message: descriptor_pb2.DescriptorProto, full_name: str) -> _Layout:
    layout, names = _Layout(), _Names()
    start = node.start
    for each in node.fields:
        if each.size:
            _add_value(each, start, message, names.take(each.name), layout)
        start += each.size
    for child in node.children:
        if child.twin is not None:
            continue  # its values are those of its twin
        name = names.take(child.name.rsplit(".", 1)[-1])
        kind = names.take(f"{name}_node")
        own = message.nested_type.add(name=kind)
        part = _lay_out(child, own, f"{full_name}.{kind}")
        number = add_field(message, name, f"{full_name}.{kind}")
        layout.template += _tag(number, _LENGTH) + _varint(len(part.template))
        layout.add_part(part)
    return layout


def _add_value(
    value: Field, start: int, message: descriptor_pb2.DescriptorProto, name: str, layout: _Layout
) -> None:
    if value.type is FieldType.TEXT:
        # Bytes: a text that was cut in the middle of a character would not be a valid string.
        number = add_field(message, name, "bytes")
        _add_sized(number, start, value.size, layout)
        return
    if value.is_list:
        layout.template += _tag(add_field(message, f"{name}_count", "fixed"), _FIXED)
        layout.add_bytes(start, _WORD)
        start += _WORD
    kind = "float" if value.type is FieldType.FLOAT else "fixed"
    if value.shape:
        number = add_field(message, name, kind, is_repeated=True)
        _add_sized(number, start, value.size - _WORD * value.is_list, layout)
    else:
        layout.template += _tag(add_field(message, name, kind), _FIXED)
        layout.add_bytes(start, _WORD)


def _add_sized(number: int, start: int, size: int, layout: _Layout) -> None:
    layout.template += _tag(number, _LENGTH) + _varint(size)
    layout.add_bytes(start, size)


def _tag(number: int, wire_type: int) -> bytes:
    return _varint(number << 3 | wire_type)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


class _Names:
    """Names that protobuf takes, each once in a message."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, name: str) -> str:
        """A free name that is as near to `name` as can be."""
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        plain = plain if re.match(r"[A-Za-z]", plain) else f"n{plain}"
        free, number = plain, 1
        while _as_json(free) in self._taken:
            number += 1
            free = f"{plain}_{number}"
        self._taken.add(_as_json(free))
        return free


def _as_json(name: str) -> str:
    """Protobuf wants names to differ in this form, too."""
    return name.replace("_", "").lower()
