"""Reads the elements of a block into the fields of a record, one child after the other.

How a child is read follows from its attributes, so that a kind need not state it: x, y, z are a
vector of B, or a direction; red, green, blue a colour; path and type a model; a single attribute
is a value of its type. Other forms have their own `Codec`.
"""

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from autosim.config import noise_records
from autosim.config.descriptions import ModelReference
from autosim.config.noise_records import Noise
from autosim.config.reading.blocks import Block
from autosim.config.schema import Element, ValueType
from autosim.config.schemas.noises import ELEMENTS
from autosim.config.xml_axes import body_direction, body_extent, body_vector
from autosim.kinds.elements import UPDATE_RATE, is_noise

RecordT = TypeVar("RecordT")

Codec = Callable[[Block, str], object]
"""Reads the child of a block that has the given name."""


def record_from_block(
    record: type[RecordT],
    block: Block,
    *,
    names: Mapping[str, str],
    codecs: Mapping[str, Codec],
    element: Element | None = None,
) -> RecordT:
    """A `record` of a block without errors.

    Args:
        record: a dataclass with a field for each child of the block's element.
        block: of a part, a link or a device.
        names: of fields that are not the child's name in small letters, by the child's name.
        codecs: of children that have their own form, by the child's name.
        element: whose children are read; by default the block's own.
    """
    values: dict[str, object] = {"name": block.name}
    known = (element or block.element).children
    children = [each for each in known if not is_noise(each)]
    for child in children:
        read = codecs.get(child.name) or _codec_of(child)
        values[field_name(child.name, names)] = read(block, child.name)
    if len(children) < len(known):
        values["noises"] = _noises(block)
    return record(**values)


def field_name(element: str, names: Mapping[str, str]) -> str:
    """The field of a record that an element fills: `up_vector` for `UpVector`."""
    return names.get(element) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", element).lower()


def extent(block: Block, tag: str) -> tuple[float, float, float]:
    """The full extents of a box along the axes of B."""
    return body_extent(block.vector(tag))


def _codec_of(element: Element) -> Codec:
    attributes = tuple(each.name for each in element.attributes)
    if attributes == ("x", "y", "z"):
        return _direction if element.is_direction else _vector
    if len(attributes) == 1:
        return _value
    try:
        return _FORMS[attributes]
    except KeyError:
        raise TypeError(
            f"<{element.name}> has the attributes {', '.join(attributes)}: a kind with such an "
            "element needs a codec for it"
        ) from None


def _vector(block: Block, tag: str) -> tuple[float, float, float] | None:
    if block.value(tag, "x") is None:
        return None
    return body_vector(block.vector(tag))


def _direction(block: Block, tag: str) -> tuple[float, float, float]:
    return body_direction(block.vector(tag))


def colour_of(block: Block, tag: str) -> tuple[float, float, float]:
    """A colour (sRGB), each share in 0..1."""
    return block.real(tag, "red"), block.real(tag, "green"), block.real(tag, "blue")


def model_reference(block: Block, tag: str) -> ModelReference | None:
    """The model that the child `tag` refers to, None if there is none."""
    if block.first(tag) is None:
        return None
    return ModelReference(block.text(tag, "path"), block.text(tag, "type"))


def _value(block: Block, tag: str) -> object:
    (attribute,) = block.element.child(tag).attributes
    read = _VALUES.get(attribute.type, Block.text)
    return read(block, tag, attribute.name)


def _noises(device: Block) -> tuple[Noise, ...]:
    """In the order in which they act: those of the file in its order, and the rate last."""
    found = [_noise(each) for each in device.children if each.element in ELEMENTS]
    held = any(each.element == UPDATE_RATE for each in device.children)
    rate = device.real(UPDATE_RATE.name) if held else 0.0
    return (*found, noise_records.Hold(rate)) if rate else tuple(found)


def _noise(block: Block) -> Noise:
    numbers = {
        each.name: block.own_real(each.name)
        for each in block.element.attributes
        if each.type is ValueType.REAL
    }
    return noise_records.RECORDS[block.tag](field=str(block.get("field")), **numbers)


_VALUES: dict[ValueType, Callable[[Block, str, str], object]] = {
    ValueType.REAL: Block.real,
    ValueType.INTEGER: Block.whole,
    ValueType.BOOLEAN: Block.is_true,
}

_FORMS: dict[tuple[str, ...], Codec] = {
    ("red", "green", "blue"): colour_of,
    ("path", "type"): model_reference,
}
