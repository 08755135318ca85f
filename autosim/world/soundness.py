"""Whether a world holds its invariants: each measure of it against the limit that it must keep."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from autosim.world.compiled import CompiledWorld
from autosim.world.curves import Floats
from autosim.world.roads import RoadNetwork

GRADE_LIMIT = 0.25
"""The steepest that streets may be at the 99th percentile; the steepest real streets are 0.35."""

CLEARANCE_LIMIT = 4.0
"""The least height [m] between streets that cross at different levels."""

_AT_MOST: Mapping[str, float] = MappingProxyType({"grade_p99": GRADE_LIMIT})
_AT_LEAST: Mapping[str, float] = MappingProxyType({"min_clearance_m": CLEARANCE_LIMIT})


@dataclass(frozen=True, slots=True)
class Measure:
    """One invariant of a world: `value` is None where there is nothing to measure."""

    name: str
    value: float | None
    limit: float
    is_least: bool

    @property
    def is_broken(self) -> bool:
        """Whether the value is beyond the limit."""
        if self.value is None:
            return False
        return self.value < self.limit if self.is_least else not self.value <= self.limit


def measures(world: CompiledWorld) -> tuple[Measure, ...]:
    """Every invariant of a world: those that it was compiled with, and the grade of its streets.

    A count must be 0 unless another limit is stated here.
    """
    values: dict[str, float | None] = dict(world.invariants)
    values.setdefault("grade_p99", grade_p99(world.roads))
    values.setdefault("min_clearance_m", None)
    return tuple(_measure(name, value) for name, value in values.items())


def _measure(name: str, value: float | None) -> Measure:
    if name in _AT_LEAST:
        known = value is not None and bool(np.isfinite(value))
        return Measure(name, value if known else None, _AT_LEAST[name], is_least=True)
    return Measure(name, value, _AT_MOST.get(name, 0.0), is_least=False)


def grade_p99(roads: RoadNetwork) -> float:
    """The grade (rise over run) that 99 % of the metres of all lanes keep; 0 without lanes."""
    if not len(roads.points):
        return 0.0
    inner = np.ones(len(roads.points) - 1, dtype=np.bool_)
    inner[roads.starts[1:-1] - 1] = False
    runs = np.diff(roads.stations)[inner]
    grades = np.abs(np.diff(roads.points[:, 2])[inner]) / runs
    return _weighted_quantile(grades, runs, 0.99)


def _weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, share * total[-1])])
