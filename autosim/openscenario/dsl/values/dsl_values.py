"""Values of expressions."""

import random
from dataclasses import dataclass

from autosim.openscenario.dsl.standard_names import BASE_UNITS, NO_UNIT, Exponents


class DslError(Exception):
    """A construct that is wrong, or that is not executed: its line, its name and the reason.

    `is_final`: nothing else is looked at.
    """

    def __init__(
        self, line: int, name: str, reason: str, *, is_fault: bool = True, is_final: bool = False
    ) -> None:
        super().__init__(f"line {line}: '{name}': {reason}")
        self.line, self.name, self.reason, self.is_fault = line, name, reason, is_fault
        self.is_final = is_final


def not_executed(line: int, name: str, reason: str = "is not executed") -> DslError:
    """The refusal of a construct; the caller raises it."""
    return DslError(line, name, reason, is_fault=False)


@dataclass(frozen=True, slots=True)
class PhysicalValue:
    """A number of base units."""

    value: float
    """The number, in base units."""
    exponents: Exponents
    """Exponents of the base units."""

    def __str__(self) -> str:
        """The value with its base units."""
        units = [
            name if exponent == 1 else f"{name}^{exponent}"
            for name, exponent in zip(BASE_UNITS, self.exponents, strict=True)
            if exponent
        ]
        return f"{self.value:g} {' '.join(units)}".rstrip()


@dataclass(frozen=True, slots=True)
class IntervalValue:
    """All values from `low` to `high`, of which one is drawn where one is needed."""

    low: "DslValue"
    high: "DslValue"

    def __str__(self) -> str:
        """The range as it is written."""
        return f"[{self.low}..{self.high}]"


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enumeration."""

    enum: str
    """Name of the enumeration."""
    name: str
    """Name of the member."""
    value: int
    """Number of the member."""

    def __str__(self) -> str:
        """The member as it is written."""
        return f"{self.enum}!{self.name}"


@dataclass(frozen=True, slots=True)
class ActorValue:
    """An actor of a scenario: its name, and its type with those that it inherits from."""

    name: str
    types: tuple[str, ...]
    """Name of its type, and of the bases of that."""

    def __str__(self) -> str:
        """The name of the actor."""
        return self.name


DslValue = (
    bool
    | int
    | float
    | str
    | PhysicalValue
    | IntervalValue
    | EnumMember
    | ActorValue
    | tuple["DslValue", ...]
)


def number_of(value: DslValue) -> tuple[float, Exponents] | None:
    """A number and its exponents, or None of another value."""
    if isinstance(value, PhysicalValue):
        return value.value, value.exponents
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value), NO_UNIT
    return None


def kind_of(value: DslValue) -> str:
    """The kind of a value, for messages."""
    if isinstance(value, PhysicalValue):
        return f"a quantity ({value})"
    if isinstance(value, bool):
        return "a Boolean value"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, tuple):
        return "a list"
    kinds = {IntervalValue: "a range", EnumMember: "a member of an enumeration"}
    return kinds.get(type(value), "an actor" if isinstance(value, ActorValue) else "a number")


class ValueDraws:
    """Draws values of ranges and choices, always the same ones for a seed.

    Args:
        seed: of the generator.
    """

    def __init__(self, seed: int) -> None:
        self._generator = random.Random(seed)

    def share(self) -> float:
        """A number from 0 to less than 1."""
        return self._generator.random()

    def choice(self, count: int) -> int:
        """A number from 0 to less than a count."""
        return min(int(self.share() * count), count - 1)

    def one_of(self, value: DslValue) -> DslValue:
        """A value of a range; other values are kept."""
        if not isinstance(value, IntervalValue):
            return value
        low, high = value.low, value.high
        if isinstance(low, int) and isinstance(high, int):
            return low + self.choice(max(high - low + 1, 1))
        first, last = number_of(low), number_of(high)
        if first is None or last is None:
            return low
        drawn = first[0] + self.share() * (last[0] - first[0])
        return drawn if first[1] == NO_UNIT else PhysicalValue(drawn, first[1])
