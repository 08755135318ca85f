"""The content of XML elements as data, from which validation and documentation both come."""

from dataclasses import dataclass
from enum import Enum
from math import inf

Value = float | int | bool | str


class ValueType(Enum):
    """Type of an attribute's text."""

    REAL = "real number"
    INTEGER = "whole number"
    BOOLEAN = "true or false"
    TEXT = "text"
    NAME = "name"
    PATH = "path"


class Occurs(Enum):
    """Number of times an element may occur in its parent."""

    ONCE = "once"
    OPTIONAL = "at most once"
    ANY = "any number"
    SOME = "once or more"


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers from `low` to `high`, without `low` if it is open."""

    low: float
    high: float
    low_open: bool = False
    """Whether `low` itself is excluded."""

    def __contains__(self, number: float) -> bool:
        return number <= self.high and (number > self.low if self.low_open else number >= self.low)

    def __str__(self) -> str:
        low = "-inf" if self.low == -inf else f"{self.low:g}"
        return f"{'(' if self.low_open else '['}{low}, {self.high:g}]"


EVERYDAY = Interval(-1e7, 1e7)
"""Bounds without a narrower interval: products of a few such numbers stay finite."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute.

    `required`: its element must state it. `default`: its value if it, or its whole element, is
    missing; None leaves it open. `allowed` lists the only valid texts; `interval` bounds a number.
    `may_be_zero`: 0 is valid as well, with its own meaning.
    """

    name: str
    """Name in the file."""
    description: str
    """A sentence for the documentation."""
    type: ValueType = ValueType.REAL
    """Type of the value."""
    unit: str = ""
    """Unit of a number, "" for none."""
    default: Value | None = None
    required: bool = False
    interval: Interval = EVERYDAY
    allowed: tuple[str, ...] = ()
    may_be_zero: bool = False

    def holds(self, number: float) -> bool:
        """Whether the number is valid."""
        return number in self.interval or (self.may_be_zero and number == 0.0)


@dataclass(frozen=True, slots=True)
class OpenChildren:
    """Children whose element names are free, such as the values of an OSM tag.

    A name that is not in `known` is accepted with a warning.
    """

    element: "Element"
    what: str
    """Description of the children, for messages."""
    known: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Element:
    """One element: its attributes, its children, and how often it stands in its parent.

    A `direction` is an element whose x, y, z must not all be zero. If an optional element is
    missing, its attributes have their defaults.
    In one that `is_strict`, children of unknown names are errors; in others warnings. Those that
    were `replaced` are errors always: pairs of an old name and what to do instead.
    """

    name: str
    description: str
    """A sentence for the documentation."""
    attributes: tuple[Attribute, ...] = ()
    children: tuple["Element", ...] = ()
    occurs: Occurs = Occurs.OPTIONAL
    """Number of occurrences."""
    is_direction: bool = False
    """Whether it is a direction."""
    is_strict: bool = False
    replaced: tuple[tuple[str, str], ...] = ()
    open_children: OpenChildren | None = None
    """Children with free names, if any."""

    def attribute(self, name: str) -> Attribute:
        """The attribute called `name`.

        Raises:
            KeyError: the element has none.
        """
        return {each.name: each for each in self.attributes}[name]

    def child(self, name: str) -> "Element":
        """The child element called `name`.

        Raises:
            KeyError: the element has none.
        """
        return {each.name: each for each in self.children}[name]
