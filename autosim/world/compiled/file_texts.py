"""Reads the texts and single numbers of a compiled world's file and checks their types.

The file holds them as JSON, and a damaged or hostile file may hold values of any type.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar, overload

from autosim.world.compiled.compiled_world import Building

ValueT = TypeVar("ValueT")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
WordT = TypeVar("WordT", bound=str)

_NAMES: dict[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a record",
}


class Texts:
    """A JSON record whose values are read by name and type.

    All methods raise KeyError where a value is missing and TypeError where it has another type.
    """

    def __init__(self, values: object) -> None:
        """Wraps a value from JSON; raises TypeError if it is not a record."""
        self._values: Mapping[str, object] = _of_kind(values, dict, "the head of its texts")

    def value(self, name: str, kind: type[ValueT]) -> ValueT:
        """Reads one value."""
        return _of_kind(self._values[name], kind, name)

    def choice(self, name: str, allowed: Sequence[WordT]) -> WordT:
        """Reads one of some words."""
        word = self.value(name, str)
        if word not in allowed:
            raise TypeError(f"{name} is one of {', '.join(allowed)}")
        return allowed[allowed.index(word)]

    @overload
    def row(self, name: str, one: type[A], two: type[B], /) -> tuple[A, B]: ...
    @overload
    def row(self, name: str, one: type[A], two: type[B], three: type[C], /) -> tuple[A, B, C]: ...
    @overload
    def row(
        self, name: str, one: type[A], two: type[B], three: type[C], four: type[D], /
    ) -> tuple[A, B, C, D]: ...
    def row(self, name: str, *kinds: type) -> tuple[object, ...]:
        """Reads a row of values of the given types."""
        return _row(self._values[name], kinds, name)

    @overload
    def rows(self, name: str, one: type[A], two: type[B], /) -> tuple[tuple[A, B], ...]: ...
    @overload
    def rows(
        self, name: str, one: type[A], two: type[B], three: type[C], /
    ) -> tuple[tuple[A, B, C], ...]: ...
    def rows(self, name: str, *kinds: type) -> tuple[tuple[object, ...], ...]:
        """Reads any number of such rows."""
        return tuple(_row(each, kinds, name) for each in self.value(name, list))

    def houses(self, name: str) -> tuple[Building, ...]:
        """Reads placed houses."""
        return tuple(_house(Texts(each)) for each in self.value(name, list))


def _house(texts: Texts) -> Building:
    return Building(
        texts.row("position", float, float, float),
        texts.value("yaw", float),
        texts.row("size", float, float, float),
        texts.value("model", str),
    )


def _row(values: object, kinds: Sequence[type], name: str) -> tuple[object, ...]:
    row = _of_kind(values, list, name)
    if len(row) != len(kinds):
        raise TypeError(f"{name} has rows of {len(kinds)} values")
    return tuple(_of_kind(value, kind, name) for value, kind in zip(row, kinds, strict=True))


def _of_kind(value: object, kind: type[ValueT], name: str) -> ValueT:
    """Returns the value if it has the type; a whole number is also a number."""
    if kind is float and type(value) is int:
        value = float(value)
    if not isinstance(value, kind) or type(value) is not kind:
        raise TypeError(f"{name} is not {_NAMES[kind]}")
    return value
