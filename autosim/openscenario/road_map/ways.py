"""Ways along roads: the shortest one between two places, and steps along a lane."""

import heapq
from collections.abc import Sequence
from typing import NamedTuple

from autosim.openscenario.road_map.road_network import LaneEntry, RoadPlace, ScenarioRoads

_MAX_ROADS = 2000
"""Number of roads at most that a search looks at: more than a district has."""


class Leg(NamedTuple):
    """A road of a way, and whether it is driven along its reference line."""

    road: str
    forward: bool
    """Whether it heads along the reference line."""


def shortest_way(
    roads: ScenarioRoads,
    start: RoadPlace,
    goal: RoadPlace,
    forward: bool | None,
    limit: float = float("inf"),
) -> tuple[list[Leg], float] | None:
    """The roads from one place to another and the distance [m], or None.

    Args:
        roads: of the map.
        start: where the way begins.
        goal: where it ends.
        forward: direction at the start; None for either one.
        limit: greatest distance [m].
    """
    directions = (True, False) if forward is None else (forward,)
    queue: list[tuple[float, int, tuple[Leg, ...]]] = []
    count = 0
    if start.road == goal.road:
        ds = goal.s - start.s
        if forward is None or ds == 0.0 or (ds > 0.0) == forward:
            return [Leg(start.road, ds >= 0.0)], abs(ds)
    for each in directions:
        rest = roads.curve(start.road).length - start.s if each else start.s
        queue.append((rest, count, (Leg(start.road, each),)))
        count += 1
    heapq.heapify(queue)
    seen: set[Leg] = set()
    while queue and len(seen) < _MAX_ROADS:
        distance, _, legs = heapq.heappop(queue)
        last = legs[-1]
        if distance > limit or (last in seen and len(legs) > 1):
            continue
        seen.add(last)
        for road, at_start in roads.neighbours(last.road, at_end=last.forward):
            leg = Leg(road, at_start)
            length = roads.content.roads[road].length
            if road == goal.road:
                inside = goal.s if at_start else length - goal.s
                if distance + inside <= limit:
                    return [*legs, leg], distance + inside
            if leg not in seen:
                count += 1
                heapq.heappush(queue, (distance + length, count, (*legs, leg)))
    return None


class LaneStep(NamedTuple):
    """Result of a step along a lane: the place, the direction, and whether the road ended."""

    place: RoadPlace
    forward: bool
    """Whether it heads along the reference line."""
    is_end: bool
    """Whether the lane ended."""


def advance(
    roads: ScenarioRoads,
    place: RoadPlace,
    forward: bool,
    distance: float,
    route: Sequence[Leg] = (),
) -> LaneStep:
    """Moves along a lane at the same offset from its centre.

    Args:
        roads: of the map.
        place: where the step begins.
        forward: whether it leads along the reference line.
        distance: length of the step at that offset [m], not negative.
        route: roads to choose at junctions; else the straightest way.
    """
    road, s, lane, offset = place.road, place.s, place.lane, place.offset
    for _ in range(100):
        curve = roads.curve(road)
        t = curve.center(lane, s) + offset
        bend = max(1.0 - curve.reference(s).curvature * t, 0.1)
        ds = distance / bend
        sign = 1.0 if forward else -1.0
        section = curve.section_at(s if forward else s - 1e-6)
        bound = curve.road.sections[section]
        goal = s + sign * ds
        border = min(bound.end, curve.length) if forward else max(bound.start, 0.0)
        if (goal - border) * sign <= 0.0:
            return LaneStep(roads.lane_place(road, lane, goal, offset), forward, False)
        distance = max(distance - abs(border - s) * bend, 0.0)
        following = section + (1 if forward else -1)
        if 0 <= following < len(curve.road.sections):
            own = bound.lanes.get(lane)
            ids = () if own is None else (own.successors if forward else own.predecessors)
            others = curve.road.sections[following].lanes
            if ids and ids[0] in others:
                lane = ids[0]
            elif lane not in others:
                lane = curve.lane_at(border + sign * 1e-3, t)
            s = border + sign * 1e-6
            continue
        entry = choose(roads, road, lane, forward, route)
        if entry is None:
            end = curve.length if forward else 0.0
            return LaneStep(roads.lane_place(road, lane, end, offset), forward, True)
        if entry.at_start != forward:
            offset = -offset
        road, lane, forward = entry.road, entry.lane, entry.at_start
        s = 0.0 if forward else roads.curve(road).length
    return LaneStep(roads.lane_place(road, lane, s, offset), forward, True)


def choose(
    roads: ScenarioRoads, road: str, lane: int, forward: bool, route: Sequence[Leg]
) -> LaneEntry | None:
    """The lane to take behind the end of a road: on the route, else the straightest one."""
    found = roads.entries(road, lane, at_end=forward)
    wanted = next_leg(route, road, forward)
    if wanted is not None:
        for each in found:
            if each.road == wanted.road:
                return each
        section = roads.content.roads[wanted.road].sections[0 if wanted.forward else -1]
        others = roads.neighbours(road, at_end=forward)
        if (wanted.road, wanted.forward) in others:
            lanes = [each for each in section.lanes if each]
            same = [each for each in lanes if (each < 0) == (lane < 0)] or lanes
            same.sort(key=lambda each: (abs(abs(each) - abs(lane)), each))
            return LaneEntry(wanted.road, same[0], wanted.forward)
    if not found:
        return None
    return min(found, key=lambda each: (abs(roads.turn_of(each)), each.road))


def next_leg(route: Sequence[Leg], road: str, forward: bool) -> Leg | None:
    """The road of a route behind that one."""
    for number, leg in enumerate(route[:-1]):
        if leg.road == road and leg.forward == forward:
            return route[number + 1]
    return None


def signed_distance(
    roads: ScenarioRoads, start: RoadPlace, goal: RoadPlace, forward: bool, limit: float
) -> float | None:
    """Distance [m] along roads, negative to what lies behind; None beyond a limit."""
    if start.road == goal.road:
        return (goal.s - start.s) * (1.0 if forward else -1.0)
    ahead = shortest_way(roads, start, goal, forward, limit)
    behind = shortest_way(roads, start, goal, not forward, limit)
    if ahead is None and behind is None:
        return None
    if behind is None or (ahead is not None and ahead[1] <= behind[1]):
        return ahead[1] if ahead is not None else None
    return -behind[1]
