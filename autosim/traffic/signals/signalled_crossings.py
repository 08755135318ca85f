"""The crossings of people that have signals, put together from where they cross each lane."""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.traffic.signals.approaches import Approaches
from autosim.world.lanes.roads import RoadNetwork

_BEHIND_LINE = 15.0
"""Distance [m] from a stop line, or from the junction on the way out of it, within which a crossing
belongs to the signals there."""

_NEXT_LANE = 6.0
"""Distance [m] up to which two lanes beside each other are crossed in one go: a wide lane and a
cycle lane. People wait on a wider island."""

_ALONG = 3.0
"""Distance [m] along the street up to which places on two lanes are the same crossing: the length
of a crossing."""


@dataclass(frozen=True, slots=True)
class SignalledCrossing:
    """A crossing of people that has signals.

    Attributes:
        intersection: number of the intersection whose controller it has.
        lanes: the lanes that it crosses.
        stations: [m] where it crosses each.
        rows: their rows in `LaneRules.crossing_lanes`.
        ends: ((x, y, z), (x, y, z)) [m] in W, in the middle of its two kerbs.
    """

    intersection: int
    lanes: tuple[int, ...]
    stations: tuple[float, ...]
    rows: tuple[int, ...]
    ends: tuple[tuple[float, float, float], tuple[float, float, float]]

    @property
    def length(self) -> float:
        """Distance [m] from kerb to kerb."""
        (ax, ay, _), (bx, by, _) = self.ends
        return float(portable.hypot(bx - ax, by - ay))


def find_signalled_crossings(roads: RoadNetwork, approaches: Approaches) -> list[SignalledCrossing]:
    """Finds the crossings with signals."""
    lanes = roads.traffic.crossing_lanes.astype(np.int64)
    stations = roads.traffic.crossing_stations
    if not len(lanes) or not len(approaches.lanes):
        return []
    at = [
        roads.lanes[k].position(s) for k, s in zip(lanes.tolist(), stations.tolist(), strict=True)
    ]
    places = np.array(at)
    headings = np.array(
        [roads.lanes[k].heading(s) for k, s in zip(lanes.tolist(), stations.tolist(), strict=True)]
    )
    owners = _owners(roads, approaches, lanes, stations)
    found = []
    for rows in _crossings(places, headings):
        known = owners[rows][owners[rows] >= 0]
        if len(known):
            found.append(
                SignalledCrossing(
                    intersection=int(known.min()),
                    lanes=tuple(lanes[rows].tolist()),
                    stations=tuple(stations[rows].tolist()),
                    rows=tuple(rows.tolist()),
                    ends=_ends(places[rows], headings[rows], roads.widths[lanes[rows]]),
                )
            )
    return found


def _owners(
    roads: RoadNetwork, approaches: Approaches, lanes: Integers, stations: Floats
) -> Integers:
    """The intersection (c,) to which each place where people cross a lane belongs; -1: none."""
    junction_of = {
        junction: number
        for junction, number in zip(
            approaches.junctions.tolist(), approaches.intersections.tolist(), strict=True
        )
        if junction >= 0
    }
    starts = _starts(roads, approaches.junction_of_lane)
    found = np.full(len(lanes), -1, dtype=np.int64)
    by_lane = dict(zip(approaches.lanes.tolist(), approaches.intersections.tolist(), strict=True))
    by_last = dict(zip(approaches.lasts.tolist(), approaches.intersections.tolist(), strict=True))
    for row, (lane, station) in enumerate(zip(lanes.tolist(), stations.tolist(), strict=True)):
        if roads.connectors[lane]:
            found[row] = junction_of.get(int(approaches.junction_of_lane[lane]), -1)
            continue
        line = float(roads.traffic.stop_lines[lane])
        if lane in by_lane and line <= station < line + _BEHIND_LINE:
            found[row] = by_lane[lane]
        elif lane in by_last and roads.lanes[lane].length - station < _BEHIND_LINE:
            found[row] = by_last[lane]
        elif station < _BEHIND_LINE:
            found[row] = junction_of.get(starts.get(lane, -1), -1)
    return found


def _starts(roads: RoadNetwork, at: Integers) -> dict[int, int]:
    """The junction at the start of each lane into which a connector leads."""
    sources = np.repeat(np.arange(len(roads.roads)), np.diff(roads.successor_starts))
    chosen = roads.connectors[sources]
    return dict(zip(roads.successors[chosen].tolist(), at[sources[chosen]].tolist(), strict=True))


def _crossings(places: Floats, headings: Floats) -> list[Integers]:
    """The rows of the places of each crossing: one lane after another across the street."""
    left = list(range(len(places)))
    found = []
    while left:
        own, front = [left[0]], [left.pop(0)]
        while front:
            row = front.pop()
            gaps = places[left] - places[row]
            c, s = portable.cos(headings[row]), portable.sin(headings[row])
            along, across = c * gaps[:, 0] + s * gaps[:, 1], c * gaps[:, 1] - s * gaps[:, 0]
            is_next = (np.abs(along) < _ALONG) & (np.abs(across) < _NEXT_LANE)
            is_next &= np.abs(gaps[:, 2]) < _ALONG
            near = [left[k] for k in np.flatnonzero(is_next).tolist()]
            own, front = own + near, front + near
            left = [each for each in left if each not in near]
        found.append(np.array(sorted(own), dtype=np.int64))
    return found


def _ends(
    places: Floats, headings: Floats, widths: Floats
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """The middles of the kerbs at the ends of a crossing of lanes at places (k, 3)."""
    c, s = float(portable.cos(headings[0])), float(portable.sin(headings[0]))
    across = s * places[:, 0] - c * places[:, 1]
    first, last = int(np.argmin(across)), int(np.argmax(across))
    way = np.array([s, -c, 0.0])
    low = places[first] - widths[first] / 2.0 * way
    high = places[last] + widths[last] / 2.0 * way
    (ax, ay, az), (bx, by, bz) = low.tolist(), high.tolist()
    return (ax, ay, az), (bx, by, bz)
