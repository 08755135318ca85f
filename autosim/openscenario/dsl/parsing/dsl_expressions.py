"""Expressions of a file as records; `line` is that of the file."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DslLiteral:
    """A number, a text or a Boolean value."""

    value: int | float | bool | str
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslQuantity:
    """A number with a unit, as 30kph."""

    value: float
    """The value."""
    unit: str
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslName:
    """An identifier."""

    text: str
    """Text of the name."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslEnumValue:
    """A member of an enumeration, as color!red."""

    enum: str
    """Name of the enumeration."""
    member: str
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslField:
    """A field of a value, as car.speed."""

    of: "DslExpression"
    name: str
    """Name."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslArgument:
    """An argument; its name is "" where only its place counts."""

    name: str
    value: "DslExpression"
    """The value."""


@dataclass(frozen=True, slots=True)
class DslCall:
    """A method with its arguments."""

    function: "DslExpression"
    """The method."""
    arguments: tuple[DslArgument, ...]
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslElement:
    """An element of a list."""

    of: "DslExpression"
    index: "DslExpression"
    """Number of the element, from 0."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslCast:
    """A value as another type or, with `is_test`, whether it has that type."""

    of: "DslExpression"
    """The value that it belongs to."""
    type: str
    is_test: bool
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslOperation:
    """An operator with one, two or three operands (`?`)."""

    operator: str
    operands: tuple["DslExpression", ...]
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslList:
    """A list of values."""

    items: tuple["DslExpression", ...]
    """The values."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslRange:
    """All values from one to another."""

    low: "DslExpression"
    """First value."""
    high: "DslExpression"
    """Last value."""
    line: int
    """Line of the file."""


DslExpression = (
    DslLiteral
    | DslQuantity
    | DslName
    | DslEnumValue
    | DslField
    | DslCall
    | DslElement
    | DslCast
    | DslOperation
    | DslList
    | DslRange
)
