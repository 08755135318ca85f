"""Results of a manoeuvre: numbers within bands, and charts."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from autosim.arrays import Floats


@dataclass(frozen=True, slots=True)
class Check:
    """A number and the band in which it has to lie.

    `reference` says what the band comes from. `why` says why a number is outside where it is known
    to be; one that is outside without a reason is a fault.

    Attributes:
        value: measured number.
        unit: SI unit, "" for none.
        low: lower end of the band.
        high: upper end of the band.
    """

    what: str
    value: float
    unit: str
    low: float
    high: float
    reference: str
    why: str = ""

    @property
    def is_inside(self) -> bool:
        """Whether the number lies within its band."""
        return self.low <= self.value <= self.high


@dataclass(frozen=True, slots=True)
class ChartCurve:
    """Points (n,) and (n,) of a chart, joined by a line.

    Attributes:
        label: name in the legend.
        x: (n,) along the horizontal axis.
        y: (n,) along the vertical axis.
    """

    label: str
    x: Floats
    y: Floats


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves over the same axes.

    Attributes:
        name: stem of the file.
        title: heading above the axes.
        x_label: quantity and unit of the horizontal axis.
        y_label: quantity and unit of the vertical axis.
        curves: curves, in the order of the legend.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[ChartCurve, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A manoeuvre: how it is driven, by which standard, and what was found for which car.

    Attributes:
        title: heading.
        text: description of the manoeuvre, with its standard.
        checks: numbers with their bands.
        charts: charts below the numbers.
    """

    title: str
    text: str
    checks: tuple[Check, ...]
    charts: tuple[Chart, ...] = ()
    car: str = "bmw_320i"


def band_check(
    what: str,
    value: float,
    unit: str,
    references: Sequence[tuple[str, float]],
    *,
    share: float,
    room: float = 0.0,
    why: str = "",
) -> Check:
    """A check against models: the band from the lowest to the highest of them, widened.

    Args:
        what: the number is.
        value: the number.
        unit: of it.
        references: names and numbers of the models.
        share: of each end of the band, by which it is widened.
        room: [unit] by which it is widened as well.
        why: the number may be outside.
    """
    numbers = [number for _, number in references]
    low, high = min(numbers), max(numbers)
    said = ", ".join(f"{name} {number:.4g}" for name, number in references)
    margin = f" ± {100.0 * share:g} %" if share else ""
    return Check(
        what,
        value,
        unit,
        low - share * abs(low) - room,
        high + share * abs(high) + room,
        said + margin + (f" ± {room:g} {unit}" if room else ""),
        why,
    )


def limit_check(what: str, value: float, unit: str, limit: float, reference: str) -> Check:
    """A check of a number that must not be larger than `limit`."""
    return Check(what, value, unit, -inf, limit, reference)


def at_least(what: str, value: float, unit: str, limit: float, reference: str) -> Check:
    """A check of a number that must not be smaller than `limit`."""
    return Check(what, value, unit, limit, inf, reference)
