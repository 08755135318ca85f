"""People who cross the streets of a fleet's town, at its crossings."""

from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.traffic.signals.signal_plan import SignalPlan
from autosim.world.lanes.roads import RoadNetwork

HALF_PERSON = 0.3
"""Half the width [m] of a person."""

_KERB = 1.2
"""Distance [m] from the edge of the outer lane at which people wait and arrive."""

_OTHER_LANES = 9.0
"""Distance [m] within which lanes belong to the same crossing."""


class Walk(NamedTuple):
    """A way across a street: its `start` and `end` (3,) [m] in W, and its `signal`, -1: none."""

    start: Floats
    end: Floats
    signal: int


def walks_of(roads: RoadNetwork, plan: SignalPlan) -> Floats:
    """The ways (w, 7) across all lanes at the crossings of a map: both ends, then the signal."""
    rules = roads.traffic
    found: list[Walk] = []
    for row in range(len(rules.crossing_lanes)):
        lane = roads.lanes[int(rules.crossing_lanes[row])]
        station = float(rules.crossing_stations[row])
        middle, heading = lane.position(station), lane.heading(station)
        left = np.array([-float(portable.sin(heading)), float(portable.cos(heading))])
        low, high = _reach_of(roads, middle, left)
        ends = [np.array([*(middle[:2] + t * left), middle[2]]) for t in (low, high)]
        found.append(Walk(ends[0], ends[1], int(plan.crossing_groups[row])))
    table = [np.concatenate([each.start, each.end, [each.signal]]) for each in found]
    return np.array(table, dtype=np.float64).reshape(-1, 7)


def _reach_of(roads: RoadNetwork, middle: Floats, left: Floats) -> tuple[float, float]:
    """Waiting places of people at both ends of a crossing, along `left` [m] from a lane."""
    rules = roads.traffic
    low, high = 0.0, 0.0
    for row in range(len(rules.crossing_lanes)):
        lane = roads.lanes[int(rules.crossing_lanes[row])]
        away = lane.position(float(rules.crossing_stations[row])) - middle
        along = float(away[0] * left[0] + away[1] * left[1])
        across = float(away[0] * left[1] - away[1] * left[0])
        if abs(along) < _OTHER_LANES and abs(across) < 2.0 and abs(float(away[2])) < 2.0:
            reach = 0.5 * lane.width + _KERB
            low, high = min(low, along - reach), max(high, along + reach)
    return low, high
