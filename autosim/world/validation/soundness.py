"""Compares each measure of a compiled world with the limit that it must keep."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from autosim.arrays import Floats
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.lanes.roads import RoadNetwork

GRADE_LIMIT = 0.25
"""Greatest grade (rise over run) at the 99th percentile; the steepest real streets have 0.35."""

CLEARANCE_LIMIT = 4.0
"""Least height [m] between streets that cross at different levels: a lorry of 4 m fits."""

WHEEL_LIFT_LIMIT = 0.05
"""Greatest wheel lift [m] of the ride test: less than the travel of a suspension."""

STEEPEST_LIMIT = 0.5
"""Greatest rise over run of half a metre of any lane: a steeper one is a wall."""

SIDE_STEP_LIMIT = 0.4
"""Greatest difference [m] of the floor under a wheel from that under its lane's middle: the travel
of a suspension."""

JOINT_GAP_LIMIT = 0.05
"""Greatest distance [m] between the end of a lane and the next one: no vehicle feels such a
shift."""

JOINT_TURN_LIMIT = 0.2
"""Greatest angle [rad] between the end of a lane and the next one: over a car's wheelbase of 2.5 m
it is a curve of 12 m radius."""

_PERCENTILE = 0.99
"""Share of the metres of all lanes whose grade counts: mapped heights have single faults."""

_AT_MOST: Mapping[str, float] = MappingProxyType(
    {
        "grade_p99": GRADE_LIMIT,
        "worst_hop_m": WHEEL_LIFT_LIMIT,
        "steepest_lane": STEEPEST_LIMIT,
        "worst_side_step_m": SIDE_STEP_LIMIT,
        "worst_joint_gap_m": JOINT_GAP_LIMIT,
        "worst_joint_turn": JOINT_TURN_LIMIT,
    }
)
_AT_LEAST: Mapping[str, float] = MappingProxyType({"min_clearance_m": CLEARANCE_LIMIT})


@dataclass(frozen=True, slots=True)
class InvariantMeasure:
    """One invariant of a world: `value` is None where there is nothing to measure.

    `place` is the latitude and longitude [deg] where it is worst, None where no place is. `cause`
    names the cause there as far as it is known.

    Attributes:
        name: name of the invariant.
        limit: bound of a sound world.
        is_least: whether the limit is a lower bound.
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


def measures(world: CompiledWorld) -> tuple[InvariantMeasure, ...]:
    """All invariants of a world: those in its file, and the grade of its streets.

    The limit of an invariant is 0 unless this module states another one.
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


def _measure(name: str, value: float | None) -> InvariantMeasure:
    if name in _AT_LEAST:
        known = value is not None and bool(np.isfinite(value))
        return InvariantMeasure(name, value if known else None, _AT_LEAST[name], True)
    return InvariantMeasure(name, value, _AT_MOST.get(name, 0.0), False)


def grade_p99(roads: RoadNetwork) -> float:
    """The grade (rise over run) that 99 % of the metres of all lanes keep; 0 without lanes."""
    grades, runs, _ = _grades(roads)
    return _weighted_quantile(grades, runs, _PERCENTILE) if len(grades) else 0.0


def _grades(roads: RoadNetwork) -> tuple[Floats, Floats, Floats]:
    """Grade and length [m] (n,) of each piece of the lanes, and its start (n, 3) [m] in W."""
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
