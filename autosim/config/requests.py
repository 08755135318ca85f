"""Holds a request that came over the wire against what its fields may hold.

The messages are known by their descriptors alone, so nothing here depends on the generated modules.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from autosim.config.schemas.requests import FIELDS, FREE, MOST
from autosim.config.values import InvalidValueError, check_value
from autosim.errors import UserError

_RULES = {f"{message}.{each.name}": each for message, fields in FIELDS.items() for each in fields}


class RequestError(UserError):
    """A field of a request holds what it must not hold; the message names the field."""


def check_request(message: Any) -> None:
    """Does nothing where every field of a message holds what it may hold.

    Args:
        message: of Protocol Buffers; messages inside it are checked as well.

    Raises:
        RequestError: with the field, what was expected and what stood there.
    """
    for field in message.DESCRIPTOR.fields:
        name = f"{message.DESCRIPTOR.name}.{field.name}"
        try:
            _check(name, field, _values(message, field))
        except InvalidValueError as fault:
            raise RequestError(f"{name}: {fault}") from fault


def fields_without_rule(descriptor: Any) -> Iterator[str]:
    """The fields of a message, and of messages inside it, that nothing is said of."""
    for field in descriptor.fields:
        name = f"{descriptor.name}.{field.name}"
        if field.is_repeated and name not in MOST:
            yield name
        if field.message_type is not None:
            yield from fields_without_rule(field.message_type)
        elif not _is_plain(field) and name not in _RULES and name not in FREE:
            yield name


def _values(message: Any, field: Any) -> Sequence[Any]:
    """What stands in a field: a number or text that is not there counts as 0, or as empty."""
    if field.is_repeated:
        values: Sequence[Any] = getattr(message, field.name)
        return values
    if field.message_type is not None and not message.HasField(field.name):
        return ()
    return (getattr(message, field.name),)


def _check(name: str, field: Any, values: Sequence[Any]) -> None:
    if field.is_repeated and len(values) > MOST[name]:
        raise InvalidValueError(f"expected at most {MOST[name]}, not {len(values)}")
    for each in values:
        if field.message_type is not None:
            check_request(each)
        elif field.enum_type is not None:
            _check_choice(field.enum_type, each)
        elif name in _RULES:
            check_value(_RULES[name], each)


def _check_choice(choices: Any, number: int) -> None:
    if number not in choices.values_by_number:
        known = ", ".join(choices.values_by_name)
        raise InvalidValueError(f"expected one of {known}, not {number}")


def _is_plain(field: Any) -> bool:
    """Whether any value is as good as another: of truth, of bytes, of an enumeration."""
    return field.enum_type is not None or field.type in (field.TYPE_BOOL, field.TYPE_BYTES)
