"""Checks the fields of a request from the wire against their schemas.

It knows messages by their descriptors alone, so it does not depend on the generated modules.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from autosim.config.reading.attribute_values import InvalidValueError, check_value
from autosim.config.schemas.requests import FIELDS, FREE, MOST
from autosim.errors import UserError


class EnumChoices(Protocol):
    """Descriptor of an enumeration, as far as it is read here."""

    @property
    def values_by_name(self) -> Mapping[str, object]:
        """Its values by their names."""

    @property
    def values_by_number(self) -> Mapping[int, object]:
        """Its values by their numbers."""


class DescribedField(Protocol):
    """Descriptor of a field, as far as it is read here: protobuf has two classes of them."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def type(self) -> int:
        """A number such as `FieldDescriptor.TYPE_BOOL`."""

    @property
    def is_repeated(self) -> bool:
        """Whether the field holds any number of values."""

    @property
    def message_type(self) -> "MessageDescriptor | None":
        """The type of its messages; None where it holds none."""

    @property
    def enum_type(self) -> EnumChoices | None:
        """Its enumeration; None where it has none."""


class MessageDescriptor(Protocol):
    """Descriptor of a message, as far as it is read here."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def fields(self) -> Sequence[DescribedField]:
        """Its fields."""


_PLAIN = (FieldDescriptor.TYPE_BOOL, FieldDescriptor.TYPE_BYTES)

_RULES = {f"{message}.{each.name}": each for message, fields in FIELDS.items() for each in fields}


class RequestError(UserError):
    """A field of a request has an invalid value; the message names the field."""


def check_request(message: Message) -> None:
    """Checks all fields of a message.

    Args:
        message: of Protocol Buffers; messages inside it are checked as well.

    Raises:
        RequestError: a field is invalid; the message names it, the expected and the actual value.
    """
    for field in message.DESCRIPTOR.fields:
        name = f"{message.DESCRIPTOR.name}.{field.name}"
        try:
            _check(name, field, _values(message, field))
        except InvalidValueError as fault:
            raise RequestError(f"{name}: {fault}") from fault


def fields_without_rule(descriptor: MessageDescriptor) -> Iterator[str]:
    """The fields of a message, and of messages inside it, without a schema."""
    for field in descriptor.fields:
        name = f"{descriptor.name}.{field.name}"
        if field.is_repeated and name not in MOST:
            yield name
        if field.message_type is not None:
            yield from fields_without_rule(field.message_type)
        elif not _is_plain(field) and name not in _RULES and name not in FREE:
            yield name


def _values(message: Message, field: DescribedField) -> Sequence[object]:
    """The values of a field; a missing number counts as 0, a missing text as empty."""
    if field.is_repeated:
        values: Sequence[object] = getattr(message, field.name)
        return values
    if field.message_type is not None and not message.HasField(field.name):
        return ()
    return (getattr(message, field.name),)


def _check(name: str, field: DescribedField, values: Sequence[object]) -> None:
    if field.is_repeated and len(values) > MOST[name]:
        raise InvalidValueError(f"expected at most {MOST[name]}, not {len(values)}")
    for each in values:
        if field.message_type is not None:
            assert isinstance(each, Message)
            check_request(each)
        elif field.enum_type is not None:
            _check_choice(field.enum_type, each)
        elif name in _RULES:
            assert isinstance(each, float | int | str)
            check_value(_RULES[name], each)


def _check_choice(choices: EnumChoices, number: object) -> None:
    if number not in choices.values_by_number:
        known = ", ".join(choices.values_by_name)
        raise InvalidValueError(f"expected one of {known}, not {number}")


def _is_plain(field: DescribedField) -> bool:
    """Whether a field needs no schema: a truth value, bytes, or an enumeration."""
    return field.enum_type is not None or field.type in _PLAIN
