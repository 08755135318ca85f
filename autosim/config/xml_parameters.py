"""The declaration of an XML parameter: metadata of the field of the record that holds its value.

The schema, the reader (`reading/record_reader.py`), the writer (`xml_record_writer.py`) and through
the schema the documentation all follow from it, so a parameter is written in one place:

    @dataclass(frozen=True, slots=True)
    class Sky:
        clouds: float = field(
            default=0.3,
            metadata=child("Clouds", "Share of the sky that is covered.", interval=SHARE),
        )

Type, default and the words that are allowed follow from the field. A field without such metadata is
not in the file in this form: the code that reads the record states it.
"""

import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import cache
from typing import (
    Any,
    Literal,
    TypedDict,
    Union,
    Unpack,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from autosim.config.schema import EVERYDAY, Attribute, Element, Interval, Occurs, Value, ValueType

_KEY = "xml"

_TYPES: Mapping[object, ValueType] = {
    float: ValueType.REAL,
    int: ValueType.INTEGER,
    bool: ValueType.BOOLEAN,
    str: ValueType.TEXT,
}

_KINDS: Mapping[ValueType, type] = {
    ValueType.REAL: float,
    ValueType.INTEGER: int,
    ValueType.BOOLEAN: bool,
    ValueType.TEXT: str,
    ValueType.NAME: str,
    ValueType.PATH: str,
}

Before = Mapping[str, object]
"""The values of the fields before one, by their names."""


@dataclass(frozen=True, slots=True)
class ChildTag:
    """A child element, which states one field or several.

    Attributes:
        name: name of the element.
        description: sentence for the schema and the documentation.
        occurs: how often the element may appear.
    """

    name: str
    description: str
    occurs: Occurs = Occurs.OPTIONAL


@dataclass(frozen=True, slots=True)
class ValueForm:
    """The form in which a file states a value, where it is not that of the record."""

    read: Callable[[Any], object]
    """Makes the value of the record from that of the file."""

    write: Callable[[Any], Value]
    """Makes the value of the file from that of the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """The part of a declaration that does not follow from the field."""

    tag: ChildTag | None
    """The child element that states it; None: an attribute of the record's own element."""

    name: str
    """Name of the attribute."""

    text: str
    """Meaning, for users."""

    unit: str = ""
    """Its unit in the file."""

    interval: Interval = EVERYDAY
    """The valid numbers."""

    type: ValueType | None = None
    """Type of its text; None: that of the field."""

    is_required: bool = False
    """Whether its element must state it."""

    default: Value | None = None
    """Its value in the file where it is missing; None: that of the field."""

    allowed: tuple[str, ...] = ()
    """The only valid texts; (): those of the field, where it is a `Literal`."""

    form: ValueForm | None = None
    """Its form in the file; None: as in the record."""

    absent: Callable[[Before], object] | None = None
    """Makes the value where the file has none, from the values of the fields before it."""


Metadata = Mapping[str, Declaration]
"""The metadata of a field."""


class Details(TypedDict, total=False):
    """The parts of a `Declaration` that may be left out."""

    unit: str
    interval: Interval
    type: ValueType
    is_required: bool
    default: Value
    allowed: tuple[str, ...]
    form: ValueForm
    absent: Callable[[Before], object]


@dataclass(frozen=True, slots=True)
class XmlParameter:
    """A parameter of a record."""

    field: str
    """Name of the field."""

    usual: object
    """Default of the field; MISSING where it has none."""

    attribute: Attribute
    """Its attribute in the schema."""

    declared: Declaration
    """The rest of its declaration."""

    def from_file(self, value: Value) -> object:
        """The value of the record."""
        form = self.declared.form
        plain = _KINDS[self.attribute.type](value)
        return plain if form is None else form.read(plain)

    def to_file(self, value: object) -> Value:
        """The value of the file."""
        form = self.declared.form
        written = value if form is None else form.write(value)
        return cast("Value", _KINDS[self.attribute.type](written))


def child(tag: str, text: str, *, attribute: str = "value", **others: Unpack[Details]) -> Metadata:
    """Metadata of a field that a child element with one attribute states.

    Args:
        tag: name of the element.
        text: what it means, for users.
        attribute: name of the attribute.
        others: of `Declaration`.
    """
    others.setdefault("is_required", True)
    return part(ChildTag(tag, text), attribute, "", **others)


def part(tag: ChildTag, name: str, text: str, **others: Unpack[Details]) -> Metadata:
    """Metadata of a field that one of the attributes of a child element states.

    Args:
        tag: the element; its fields share it.
        name: of the attribute.
        text: what the attribute means, for users.
        others: of `Declaration`.
    """
    return {_KEY: Declaration(tag=tag, name=name, text=text, **others)}


def attribute(name: str, text: str, **others: Unpack[Details]) -> Metadata:
    """Metadata of a field that an attribute of the record's own element states.

    Args:
        name: of the attribute.
        text: what it means, for users.
        others: of `Declaration`.
    """
    return {_KEY: Declaration(tag=None, name=name, text=text, **others)}


def name_of(what: str) -> Metadata:
    """Metadata of a field for the required attribute `name` of what `what` describes."""
    return attribute("name", f"Name of {what}.", type=ValueType.NAME, is_required=True)


def words(*, false: str, true: str) -> Details:
    """The details of a truth value that a file states by one of two words."""
    return {
        "type": ValueType.TEXT,
        "allowed": (false, true),
        "form": ValueForm(
            read=lambda word: word == true, write=lambda is_true: true if is_true else false
        ),
    }


def parameters_of(record: type) -> tuple[XmlParameter, ...]:
    """The parameters of a record, in the order of its fields."""
    found: tuple[XmlParameter, ...] = _parameters_of(cast("Hashable", record))
    return found


@cache
def _parameters_of(record: type) -> tuple[XmlParameter, ...]:
    hints = get_type_hints(record)
    return tuple(
        _parameter(each.name, hints[each.name], each.default, each.metadata[_KEY])
        for each in fields(record)
        if _KEY in each.metadata
    )


def attributes_of(
    *records: type,
    allowed: Mapping[str, Sequence[str]] = types.MappingProxyType({}),
    unit: str = "",
) -> tuple[Attribute, ...]:
    """The attributes of the element of these records.

    Args:
        records: whose fields it states.
        unit: of those that have none of their own.
        allowed: texts that are valid of attributes which the records do not limit, by their names.
    """
    return tuple(
        _with_unit(_limited(each.attribute, allowed), unit)
        for record in records
        for each in parameters_of(record)
        if each.declared.tag is None
    )


def children_of(record: type) -> tuple[Element, ...]:
    """The child elements that state the fields of a record."""
    return tuple(
        Element(
            tag.name,
            tag.description,
            tuple(each.attribute for each in group),
            occurs=tag.occurs,
        )
        for tag, group in parameters_by_tag(record).items()
    )


def parameters_by_tag(record: type) -> dict[ChildTag, list[XmlParameter]]:
    """The parameters of a record that child elements state, by the element."""
    grouped: dict[ChildTag, list[XmlParameter]] = {}
    for each in parameters_of(record):
        if each.declared.tag is not None:
            grouped.setdefault(each.declared.tag, []).append(each)
    return grouped


def _parameter(name: str, hint: object, usual: object, declared: Declaration) -> XmlParameter:
    kind, allowed = _plain(hint)
    default = declared.default
    if default is None and usual not in (MISSING, None) and declared.absent is None:
        default = declared.form.write(usual) if declared.form else usual  # type: ignore[assignment]
    attribute = Attribute(
        declared.name,
        declared.text,
        declared.type or _TYPES[kind],
        declared.unit,
        default,
        declared.is_required,
        declared.interval,
        declared.allowed or allowed,
    )
    return XmlParameter(name, usual, attribute, declared)


def _plain(hint: object) -> tuple[object, tuple[str, ...]]:
    """The type of a field without None, and the texts that it allows."""
    if get_origin(hint) in (Union, types.UnionType):
        (hint,) = (each for each in get_args(hint) if each is not type(None))
    return (str, get_args(hint)) if get_origin(hint) is Literal else (hint, ())


def _limited(attribute: Attribute, allowed: Mapping[str, Sequence[str]]) -> Attribute:
    if attribute.name not in allowed:
        return attribute
    return replace(attribute, allowed=tuple(allowed[attribute.name]))


def _with_unit(attribute: Attribute, unit: str) -> Attribute:
    return replace(attribute, unit=attribute.unit or unit)
