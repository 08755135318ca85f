"""Routes of the benchmark that end in a free parking place."""

import numpy as np

from autosim.benchmark.parking import PlaceOnLane, free_places
from autosim.benchmark.routes import OVERRUN, PlannedRoute, plan_routes
from autosim.config.suites import RouteGroup
from autosim.errors import UserError
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.lanes.routing import RouteGuide

_MIN_LENGTH = 25.0
"""Length [m] of a way to a place: the car drives in its lane before it parks."""


def plan_in(compiled: CompiledWorld, group: RouteGroup) -> list[PlannedRoute]:
    """The routes of a group in a map.

    Raises:
        UserError: the map has too few such routes or free places.
    """
    if group.parking == "none":
        return plan_routes(compiled.roads, group)
    places = free_places(compiled, group.parking)
    rng = np.random.default_rng(group.seed)
    guide = RouteGuide.of(compiled.roads)
    found: list[PlannedRoute] = []
    for row in rng.permutation(len(places)).tolist():
        route = _route_to(places[row], compiled.roads, guide, group.length, rng)
        if route is not None:
            found.append(route)
        if len(found) == group.routes:
            return found
    raise UserError(
        f"{group.world}: found {len(found)} of {group.routes} routes to free {group.parking} "
        "places between parked cars: ask for fewer"
    )


def _route_to(
    place: PlaceOnLane,
    roads: RoadNetwork,
    guide: RouteGuide,
    length: float,
    rng: np.random.Generator,
) -> PlannedRoute | None:
    """The route of `length` [m] or less to a place; None where the way to it is too short."""
    way, station = [place.lane], place.station
    while station < length or roads.lanes[way[0]].is_connector:
        before = [
            lane
            for lane in range(len(roads.lanes))
            if way[0] in roads.lanes[lane].successors and lane not in way
        ]
        if not before:
            break
        way.insert(0, before[int(rng.integers(len(before)))])
        station += float(roads.lanes[way[0]].length)
    start = max(station - length, 0.0)
    if roads.lanes[way[0]].is_connector or station - start < _MIN_LENGTH:
        return None
    behind = guide.follow(place.lane, length=place.station + OVERRUN, seed=0)
    return PlannedRoute((*way[:-1], *behind), station - start, start, place.place)
