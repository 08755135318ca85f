"""Whether a world holds its invariants: each measure of it against the limit that it must keep."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from autosim.arrays import Floats
from autosim.world.compiled.compiled import CompiledWorld
from autosim.world.lanes.roads import RoadNetwork

GRADE_LIMIT = 0.25
"""The steepest that streets may be at the 99th percentile; the steepest real streets are 0.35."""

CLEARANCE_LIMIT = 4.0
"""The least height [m] between streets that cross at different levels."""

HOP_LIMIT = 0.05
"""How high [m] a ball that is rolled along the streets at 15 m/s may get over them."""

STEEPEST_LIMIT = 0.5
"""The steepest that any half metre of a lane may be: more is no street but a wall."""

SIDE_STEP_LIMIT = 0.4
"""How much [m] the floor may rise or fall from the middle of a lane to under a wheel beside it."""

_AT_MOST: Mapping[str, float] = MappingProxyType(
    {
        "grade_p99": GRADE_LIMIT,
        "worst_hop_m": HOP_LIMIT,
        "steepest_lane": STEEPEST_LIMIT,
        "worst_side_step_m": SIDE_STEP_LIMIT,
    }
)
_AT_LEAST: Mapping[str, float] = MappingProxyType({"min_clearance_m": CLEARANCE_LIMIT})


@dataclass(frozen=True, slots=True)
class Measure:
    """One invariant of a world: `value` is None where there is nothing to measure.

    `place` is the latitude and longitude [deg] where it is worst, None where there is none such;
    `cause` what is the matter there, as far as it is known.
    """

    name: str
    value: float | None
    limit: float
    is_least: bool
    place: tuple[float, float] | None = None
    cause: str = ""

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
    places = {name: (latitude, longitude) for name, latitude, longitude in world.worst_places}
    causes = dict(world.worst_causes)
    return tuple(
        replace(_measure(name, value), place=places.get(name), cause=causes.get(name, ""))
        for name, value in values.items()
    )


def _measure(name: str, value: float | None) -> Measure:
    if name in _AT_LEAST:
        known = value is not None and bool(np.isfinite(value))
        return Measure(name, value if known else None, _AT_LEAST[name], True)
    return Measure(name, value, _AT_MOST.get(name, 0.0), False)


def grade_p99(roads: RoadNetwork) -> float:
    """The grade (rise over run) that 99 % of the metres of all lanes keep; 0 without lanes."""
    grades, runs, _ = _grades(roads)
    return _weighted_quantile(grades, runs, 0.99) if len(grades) else 0.0


def _grades(roads: RoadNetwork) -> tuple[Floats, Floats, Floats]:
    """Grade and length [m] (n,) of every piece of the lanes, and where (n, 3) [m] it begins."""
    inner = np.ones(max(len(roads.points) - 1, 0), dtype=np.bool_)
    inner[roads.starts[1:-1] - 1] = False
    runs = np.diff(roads.stations)[inner]
    grades = np.abs(np.diff(roads.points[:, 2])[inner]) / runs
    return grades, runs, roads.points[:-1][inner]


def steepest(roads: RoadNetwork) -> tuple[float, Floats] | None:
    """Grade and place (3,) [m] in W of the steepest piece of all lanes; None if all are level."""
    grades, _, places = _grades(roads)
    if not len(grades) or not grades.max():
        return None
    worst = int(np.argmax(grades))
    return float(grades[worst]), places[worst]


def _weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, share * total[-1])])
