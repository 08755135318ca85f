"""The lanes that wait at signals, and the intersections that are one for their signals."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers, Integers32
from autosim.world.lanes.lane_junctions import junctions_of
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import RoadNetwork

NO_JUNCTION = -1
"""The junction of a lane whose signals stand far from any: they are for people who cross."""

_REACH = 45.0
"""Distance [m] from a stop line to its junction: a little more than that within which the compiled
roads take a signal on a street for one of the junction."""

_INNER = 35.0
"""Length [m] of a lane between two signalled junctions up to which these are one intersection: both
carriageways of a wide street, with a median of trees or rails between them."""

_MIN_STORAGE = 6.0
"""Length [m] before an inner stop line, between two carriageways of one intersection, below which
no car has room to wait there: that of a car and its gap (RiLSA 2015, 4.5.2, reckons 6 m a car).
Such a line gets no signal: the one before the intersection lets vehicles through both."""

_SIDE_BY_SIDE = 6.0
"""Distance [m] between the stop lines of neighbouring lanes: a wide lane and a cycle lane."""

_SAME_PLACE = 2.5
"""Distance [m] below which lanes of two streets share a light: maps have streets twice."""

_SAME_WAY = 0.5
"""Cosine (without unit) of the angle between lanes of one arm: 60° at most."""

_BESIDE = 25.0
"""Distance [m] between stop lines away from junctions that belong to one crossing: the lines of
both directions of a wide street with a refuge."""


@dataclass(frozen=True, slots=True)
class Approaches:
    """Lanes (a,) that wait at signals, in ascending order.

    Attributes:
        lanes: rows of the network's lanes.
        lasts: the last lane before the junction; the same, or one behind it.
        junctions: number of the junction at the end of `lasts`; NO_JUNCTION for none near.
        intersections: number, from 0, of the intersection: junctions that share a controller.
        arms: number of the arm: lanes whose stop lines are side by side.
        places: (a, 2) [m] where the middle of the stop line lies, in W.
        headings: [rad] of the lane there.
        junction_of_lane: (n,) the junction at the end of every lane, and of each connector its own.
        inner: (n,) whether a lane behind a signal ends at a line without one, see `_MIN_STORAGE`.
    """

    lanes: Integers
    lasts: Integers
    junctions: Integers
    intersections: Integers
    arms: Integers
    places: Floats
    headings: Floats
    junction_of_lane: Integers
    inner: Booleans


def find_approaches(roads: RoadNetwork) -> Approaches:
    """Finds all lanes that wait at signals."""
    lanes = np.flatnonzero(roads.traffic.controls == Control.SIGNALS)
    at, arms = junctions_of(roads)
    is_junction = _have_crossing_streets(roads, at, len(arms))
    ends = [_follow(roads, int(lane), at, is_junction) for lane in lanes]
    lasts = np.array([last for last, _ in ends], dtype=np.int64)
    junctions = np.array([junction for _, junction in ends], dtype=np.int64)
    views = [(roads.lanes[int(lane)], float(roads.traffic.stop_lines[lane])) for lane in lanes]
    places = np.array([lane.position(line)[:2] for lane, line in views]).reshape(-1, 2)
    headings = np.array([lane.heading(line) for lane, line in views], dtype=np.float64)
    arms_of = _arms(roads.roads[lasts], places, headings)
    intersections = _intersections(roads, at, junctions, places, arms_of)
    inner = _inner_lanes(roads, at, lanes, junctions)
    lit = ~inner[lanes]
    _, intersections = np.unique(intersections[lit], return_inverse=True)
    return Approaches(
        lanes=lanes[lit],
        lasts=lasts[lit],
        junctions=junctions[lit],
        intersections=intersections.astype(np.int64),
        arms=arms_of[lit],
        places=places[lit],
        headings=headings[lit],
        junction_of_lane=at,
        inner=inner,
    )


def _inner_lanes(
    roads: RoadNetwork, at: Integers, lanes: Integers, junctions: Integers
) -> Booleans:
    """Lanes (n,) behind a junction with signals on which no vehicle has room to wait.

    They lead to another junction with signals, or have a signal for people alone.

    Args:
        roads: all lanes.
        at: (n,) junction of each lane.
        lanes: (a,) lanes with signals.
        junctions: (a,) junction to which each of these leads.
    """
    short = lanes[roads.traffic.stop_lines[lanes] < _MIN_STORAGE]
    signalled = junctions[junctions != NO_JUNCTION]
    found = np.zeros(len(roads.roads), dtype=np.bool_)
    found[short] = True
    comes_from_signals = np.zeros(len(found), dtype=np.bool_)
    for connector, lane in _into_lanes(roads):
        if found[lane]:
            comes_from_signals[lane] = True
            # The junctions at both ends may be one: connectors that lead past a lane join them.
            found[lane] &= at[connector] in signalled
    return found & comes_from_signals


def _have_crossing_streets(roads: RoadNetwork, at: Integers, count: int) -> Booleans:
    """The junctions (j,) where ways from different streets are in conflict."""
    before = np.zeros(len(roads.roads), dtype=np.int64)
    before[roads.successors] = np.repeat(np.arange(len(before)), np.diff(roads.successor_starts))
    pairs = roads.traffic.conflict_lanes
    streets = roads.roads[before[pairs]]
    found = np.zeros(count, dtype=np.bool_)
    found[at[pairs[streets[:, 0] != streets[:, 1]].ravel()]] = True
    return found


def _follow(roads: RoadNetwork, lane: int, at: Integers, is_junction: Booleans) -> tuple[int, int]:
    """The last lane before the junction that a controlled lane leads to, and the junction."""
    metres = roads.lanes[lane].length - float(roads.traffic.stop_lines[lane])
    last = lane
    while metres < _REACH:
        if is_junction[at[last]]:
            return last, int(at[last])
        following = [
            after
            for each in roads.lanes[last].successors
            for after in (roads.lanes[each].successors if roads.connectors[each] else (each,))
        ]
        if len(set(following)) != 1:
            break
        last = following[0]
        metres += roads.lanes[last].length
    return lane, NO_JUNCTION


def _intersections(
    roads: RoadNetwork, at: Integers, junctions: Integers, places: Floats, arms: Integers
) -> Integers:
    """The intersection (a,) of each approach, numbered in the order of the approaches."""
    signalled = {int(each) for each in junctions if each != NO_JUNCTION}
    joined = _Sets()
    for connector, lane in _into_lanes(roads):
        start, end = int(at[connector]), int(at[lane])
        if start != end and {start, end} <= signalled and roads.lanes[lane].length <= _INNER:
            joined.join(start, end)
    # Stop lines away from junctions have numbers of their own, below those of junctions.
    alone = np.flatnonzero(junctions == NO_JUNCTION)
    for k, first in enumerate(alone):
        gaps = places[alone[k + 1 :]] - places[first]
        for second in alone[k + 1 :][portable.hypot(gaps[:, 0], gaps[:, 1]) < _BESIDE]:
            joined.join(-1 - int(first), -1 - int(second))
    own = [-1 - row if each == NO_JUNCTION else each for row, each in enumerate(junctions.tolist())]
    firsts = dict(zip(reversed(arms.tolist()), reversed(own), strict=True))
    for arm, key in zip(arms.tolist(), own, strict=True):
        joined.join(firsts[arm], key)
    keys = [joined.root(key) for key in own]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys], dtype=np.int64)


def _arms(roads: Integers32, places: Floats, headings: Floats) -> Integers:
    """The arm (a,) of each approach, numbered by its first lane."""
    found = np.arange(len(places))
    for row in range(len(places)):
        gaps = places[:row] - places[row]
        metres = portable.hypot(gaps[:, 0], gaps[:, 1])
        is_beside = metres < np.where(roads[:row] == roads[row], _SIDE_BY_SIDE, _SAME_PLACE)
        is_beside &= portable.cos(headings[:row] - headings[row]) > _SAME_WAY
        for other in np.flatnonzero(is_beside):
            found[found == found[row]] = found[other]
    return found


def _into_lanes(roads: RoadNetwork) -> Iterable[tuple[int, int]]:
    """Pairs of a connector and a lane that it leads into."""
    sources = np.repeat(np.arange(len(roads.roads)), np.diff(roads.successor_starts))
    chosen = roads.connectors[sources]
    return zip(sources[chosen].tolist(), roads.successors[chosen].tolist(), strict=True)


class _Sets:
    """Disjoint sets of numbers."""

    def __init__(self) -> None:
        self._above: dict[int, int] = {}

    def root(self, number: int) -> int:
        while number in self._above:
            number = self._above[number]
        return number

    def join(self, first: int, second: int) -> None:
        a, b = self.root(first), self.root(second)
        if a != b:
            self._above[max(a, b)] = min(a, b)
