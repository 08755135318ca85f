"""Reads a block of a file into the record whose fields declare it (see `xml_parameters.py`)."""

from typing import TypeVar

from autosim.config.reading.blocks import Block
from autosim.config.schema import Value
from autosim.config.xml_parameters import XmlParameter, parameters_of

RecordT = TypeVar("RecordT")


def read_record(record: type[RecordT], block: Block, **others: object) -> RecordT:
    """The record of a block without errors.

    Args:
        record: a dataclass.
        block: of the element that its fields declare.
        others: the fields that the block does not state, or not in that form. Any further field
            that neither the block nor the schema gives a value has its own default.
    """
    values: dict[str, object] = {}
    for each in parameters_of(record):
        if each.field in others:
            continue
        stated = _stated(each, block)
        if stated is not None:
            values[each.field] = each.from_file(stated)
        elif each.declared.absent is not None:
            values[each.field] = each.declared.absent(values)
    return record(**values, **others)


def _stated(parameter: XmlParameter, block: Block) -> Value | None:
    tag, name = parameter.declared.tag, parameter.declared.name
    return block.get(name) if tag is None else block.value(tag.name, name)
