"""The texts and single numbers of a compiled world's file, each of the kind that it must have.

They are JSON, in which anything may stand where a name is expected.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from autosim.world.compiled.compiled import Building

_NAMES = {str: "text", int: "a whole number", float: "a number", list: "a list", dict: "a record"}


class Texts:
    """A record out of JSON, whose values are asked for by name and kind.

    All methods raise KeyError where a value is missing and TypeError where it is of another kind.
    """

    def __init__(self, values: Any) -> None:
        """Takes what JSON gave."""
        self._values: Mapping[str, Any] = _of_kind(values, dict, "the head of its texts")

    def value(self, name: str, kind: type) -> Any:
        """One value."""
        return _of_kind(self._values[name], kind, name)

    def choice(self, name: str, allowed: Sequence[str]) -> Any:
        """One of some words."""
        word = self.value(name, str)
        if word not in allowed:
            raise TypeError(f"{name} is one of {', '.join(allowed)}")
        return word

    def row(self, name: str, *kinds: type) -> tuple[Any, ...]:
        """Values of some kinds, in order."""
        return _row(self._values[name], kinds, name)

    def rows(self, name: str, *kinds: type) -> tuple[Any, ...]:
        """Any number of such rows."""
        return tuple(_row(each, kinds, name) for each in self.value(name, list))

    def houses(self, name: str) -> tuple[Building, ...]:
        """Placed houses."""
        return tuple(_house(Texts(each)) for each in self.value(name, list))


def _house(texts: Texts) -> Building:
    return Building(
        texts.row("position", float, float, float),
        texts.value("yaw", float),
        texts.row("size", float, float, float),
        texts.value("model", str),
    )


def _row(values: Any, kinds: Sequence[type], name: str) -> tuple[Any, ...]:
    if len(_of_kind(values, list, name)) != len(kinds):
        raise TypeError(f"{name} has rows of {len(kinds)} values")
    return tuple(_of_kind(value, kind, name) for value, kind in zip(values, kinds, strict=True))


def _of_kind(value: Any, kind: type, name: str) -> Any:
    """The value if it is of a kind; a whole number is a number as well."""
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise TypeError(f"{name} is not {_NAMES[kind]}")
    return value
