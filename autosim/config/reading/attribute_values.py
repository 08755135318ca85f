"""Reads and checks the text of one attribute."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from itertools import islice
from math import isfinite

from autosim.config.diagnostics import printable
from autosim.config.files.lookup import PathError, require_inside
from autosim.config.schema import EVERYDAY, Attribute, Value, ValueType

MAX_TEXT = 1000
"""Largest number of characters of an attribute: enough for any path or list of arguments."""

_MAX_NAME = 64
"""Largest number of characters of a name: a tree's column shows it in full."""

_MAX_CANDIDATES = 500
"""Largest number of valid names that are compared with a wrong one: each comparison takes time."""

_LIKENESS = 0.6
"""Least ratio of likeness (difflib) of a name to suggest: difflib's own default."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_NAME = re.compile(r"[\w-]+")


class InvalidValueError(Exception):
    """An attribute's text is not valid."""


def suggestion(name: str, valid: Iterable[str]) -> str:
    """`; did you mean 'x'?` with the nearest of `valid`, or "" if none is near."""
    if not name or len(name) > _MAX_NAME:
        return ""
    by_lower = {each.lower(): each for each in islice(sorted(valid), _MAX_CANDIDATES)}
    close = get_close_matches(name.lower(), by_lower, n=1, cutoff=_LIKENESS)
    return f"; did you mean '{by_lower[close[0]]}'?" if close else ""


def parse_finite(text: str) -> float | None:
    """The number that a text states; None where it is not finite."""
    if not _NUMBER.fullmatch(text.strip()):
        return None
    value = float(text)
    return value if isfinite(value) else None


def whole_of(text: str) -> int | None:
    """The whole number that a text states, with at most 18 digits; None if it states none.

    `str.isdigit` also holds for digits that `int` does not take, such as "²", and `int` raises for
    texts of thousands of digits.
    """
    return int(text) if _WHOLE.fullmatch(text.strip()) else None


def read_value(attribute: Attribute, text: str) -> Value:
    """The value of `text`.

    Raises:
        InvalidValueError: the text is not valid; the message names the expected and actual value.
    """
    if len(text) > MAX_TEXT:
        raise InvalidValueError(f"expected at most {MAX_TEXT} characters, not {len(text)}")
    return _READERS[attribute.type](attribute, text)


def check_value(attribute: Attribute, value: Value) -> None:
    """Checks a value that does not come from the text of a file.

    Raises:
        InvalidValueError: as `read_value`; also for a text with control characters, which XML
            excludes.
    """
    if isinstance(value, str):
        if any(unicodedata.category(each) == "Cc" for each in value):
            raise InvalidValueError(
                f"expected text without control characters, not '{printable(value)}'"
            )
        read_value(attribute, value)
    elif not isfinite(value):
        raise InvalidValueError(f"expected a finite number{_unit(attribute)}, not {value:g}")
    else:
        _require_held(attribute, value, f"{value:g}")


def _real(attribute: Attribute, text: str) -> float:
    number = _number(attribute, text, "a number")
    _require_held(attribute, number, text)
    return number


def _integer(attribute: Attribute, text: str) -> int:
    number = _number(attribute, text, "a whole number")
    if not number.is_integer():
        raise InvalidValueError(f"expected a whole number, not '{printable(text)}'")
    _require_held(attribute, number, text)
    return int(number)


def _require_held(attribute: Attribute, number: float, shown: str) -> None:
    if not attribute.holds(number):
        raise InvalidValueError(f"expected {_range_text(attribute)}, not {printable(shown)}")


def _number(attribute: Attribute, text: str, expected: str) -> float:
    unit = _unit(attribute)
    if text.strip().lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise InvalidValueError(f"expected a finite number{unit}, not '{printable(text)}'")
    if not _NUMBER.fullmatch(text.strip()):
        raise InvalidValueError(f"expected {expected}{unit}, not '{printable(text)}'")
    number = float(text)
    if not isfinite(number):
        raise InvalidValueError(f"expected a finite number{unit}, not '{printable(text)}'")
    return number


def _unit(attribute: Attribute) -> str:
    return f" [{attribute.unit}]" if attribute.unit else ""


def _range_text(attribute: Attribute) -> str:
    interval = attribute.interval
    unit = f" {attribute.unit}" if attribute.unit else ""
    if interval == EVERYDAY:
        return f"a number of at most {interval.high:g}{unit} in size"
    zero = "0 or " if attribute.may_be_zero else ""
    return f"{zero}a number in {interval}{unit}"


def _boolean(_: Attribute, text: str) -> bool:
    known = {"true": True, "1": True, "false": False, "0": False}
    if text.strip().lower() not in known:
        raise InvalidValueError(f"expected true or false, not '{printable(text)}'")
    return known[text.strip().lower()]


def _text(attribute: Attribute, text: str) -> str:
    if attribute.allowed and text not in attribute.allowed:
        choices = " or ".join(f"'{each}'" for each in attribute.allowed)
        hint = suggestion(text, attribute.allowed)
        raise InvalidValueError(f"expected {choices}, not '{printable(text)}'{hint}")
    return text


def is_name(text: str) -> bool:
    """Whether a text is a valid name of a robot, part or device."""
    return bool(_NAME.fullmatch(text)) and len(text) <= _MAX_NAME


def _name(_: Attribute, text: str) -> str:
    if not is_name(text):
        raise InvalidValueError(
            f"expected a name of letters, digits, '_' and '-' (at most {_MAX_NAME}), "
            f"not '{printable(text)}'"
        )
    return text


def _path(_: Attribute, text: str) -> str:
    try:
        require_inside(text)
    except PathError as error:
        raise InvalidValueError(str(error)) from error
    return text


_READERS: dict[ValueType, Callable[[Attribute, str], Value]] = {
    ValueType.REAL: _real,
    ValueType.INTEGER: _integer,
    ValueType.BOOLEAN: _boolean,
    ValueType.TEXT: _text,
    ValueType.NAME: _name,
    ValueType.PATH: _path,
}
