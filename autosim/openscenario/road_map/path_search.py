"""Finds a way through a map with a number of driving lanes, and counts lanes from the left."""

from typing import NamedTuple

from autosim.openscenario.road_map.road_curve import RoadCurve
from autosim.openscenario.road_map.road_network import RoadPlace, ScenarioRoads
from autosim.openscenario.road_map.ways import advance

_DRIVING = frozenset(("driving", "bidirectional", "entry", "exit", "onRamp", "offRamp"))
"""Types of lanes on which vehicles drive."""

_STRIDE = 20.0
"""Distance [m] between the stations of a way at which lanes are counted: less than a lane lasts."""

_MAX_STRIDES = 500
"""Number of strides of a way at most, of 10 km."""


class PathStart(NamedTuple):
    """The start of a path: its place on the leftmost lane, its direction and its length."""

    place: RoadPlace
    """The place on the leftmost lane."""
    forward: bool
    """Whether it leads along the reference line."""
    length: float
    """Length [m] over which it has the lanes."""


def driving_lanes(curve: RoadCurve, s: float, forward: bool) -> list[int]:
    """The driving lanes of a direction at a station, the leftmost one of that direction first."""
    found = [
        id_
        for id_, lane in curve.section(s).lanes.items()
        if id_ and lane.type in _DRIVING and curve.along(id_, s) == forward
    ]
    return sorted(found, key=lambda id_: curve.center(id_, s), reverse=forward)


def counted_lane(roads: ScenarioRoads, place: RoadPlace, forward: bool, number: int) -> int:
    """The lane of a number, from 1 at the left; the last one where there are fewer."""
    found = driving_lanes(roads.curve(place.road), place.s, forward)
    return found[min(max(number, 1), len(found)) - 1] if found else place.lane


def find_path(roads: ScenarioRoads, lanes: int, length: float) -> PathStart | None:
    """The first way, by the ids of roads, with the lanes over a length [m]; else the longest one.

    None where no road outside of junctions has these lanes.
    """
    best: PathStart | None = None
    for road in sorted(roads.content.roads.values(), key=lambda each: _natural(each.id)):
        if road.junction:
            continue
        for forward in (True, False):
            s = 0.0 if forward else road.length
            place = _start(roads, road.id, s, forward, lanes)
            if place is None:
                continue
            found = PathStart(place, forward, _reach(roads, place, forward, lanes, length))
            if found.length >= length:
                return found
            if best is None or found.length > best.length:
                best = found
    return best


def _natural(text: str) -> tuple[int, str]:
    return (int(text), "") if text.isdigit() else (1 << 62, text)


def _start(
    roads: ScenarioRoads, road: str, s: float, forward: bool, lanes: int
) -> RoadPlace | None:
    found = driving_lanes(roads.curve(road), s, forward)
    if len(found) < max(lanes, 1):
        return None
    return roads.lane_place(road, found[0], s, 0.0)


def _reach(
    roads: ScenarioRoads, place: RoadPlace, forward: bool, lanes: int, length: float
) -> float:
    """Distance [m] along a lane with at least a number of driving lanes."""
    at = 0.0
    for _ in range(_MAX_STRIDES):
        if at >= length:
            break
        step = advance(roads, place, forward, _STRIDE)
        count = len(driving_lanes(roads.curve(step.place.road), step.place.s, step.forward))
        # Roads within junctions have one lane for each way through them.
        is_inside = bool(roads.content.roads[step.place.road].junction)
        if step.is_end or (count < lanes and not is_inside):
            break
        place, forward = step.place, step.forward
        at += _STRIDE
    return at
