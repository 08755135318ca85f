"""Routes of the benchmark: lane after lane from a start to a goal."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.benchmark.parking import ParkingPlace
from autosim.config.suites import RouteGroup
from autosim.errors import UserError
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.lanes.routing import RouteGuide, shortest_way

START_STATION = 8.0
"""Station [m] of the car on the first lane of a route."""

OVERRUN = 120.0
"""Length [m] of lanes behind the goal: agents that stop at the end of their lanes pass the goal."""

SPACING = 1.0
"""Distance [m] of the points of a route."""

_MAX_ASIDE = 8.0
"""Distance [m] of a waypoint from the middle of its lane: two lanes."""

_MIN_FIRST_LANE = 25.0
"""Length [m] of a first lane: the car starts clear of the junction behind it."""

_ATTEMPTS = 40
"""Number of routes that are tried per lane of the map before the search is given up."""


@dataclass(frozen=True, slots=True)
class LineOnRoute:
    """A line at which vehicles wait: `station` [m] along the route, its `lane` and `control`."""

    station: float
    lane: int
    control: Control


@dataclass(frozen=True, slots=True)
class Route:
    """A route: points every `SPACING` along its lanes, from the start of the car on.

    `points` (n, 3) [m] in W, `headings` (n,) [rad], `limits` (n,) [m/s], `half_widths` (n,) [m];
    `is_connector` (n,) where the route goes through a junction. The goal is `length` [m] from the
    start; points and `lanes` continue behind it. `lines` at which vehicles wait.
    """

    lanes: tuple[int, ...]
    length: float
    points: Floats
    headings: Floats
    limits: Floats
    half_widths: Floats
    is_connector: Booleans
    lines: tuple[LineOnRoute, ...]
    station: float = START_STATION
    """Station [m] of the start on the first lane."""
    place: ParkingPlace | None = None
    """Place in which the car is to park at the goal; None: it is to reach the goal."""

    @property
    def start(self) -> tuple[float, float]:
        """Start position [m] in W."""
        x, y = self.points[0, :2].tolist()
        return x, y

    @property
    def goal(self) -> tuple[float, float]:
        """Goal [m] in W."""
        x, y = self.points[self.goal_row, :2].tolist()
        return x, y

    @property
    def goal_row(self) -> int:
        """Row of the goal in `points`."""
        return min(round(self.length / SPACING), len(self.points) - 1)


class PlannedRoute(NamedTuple):
    """A route before it is driven: its `lanes`, `length` [m], and `station` [m] of the start.

    `place`: that in which it ends, if any.
    """

    lanes: tuple[int, ...]
    length: float
    station: float = START_STATION
    place: ParkingPlace | None = None


def plan_routes(roads: RoadNetwork, group: RouteGroup) -> list[PlannedRoute]:
    """The routes of a group: through its waypoints, or drawn by its seed.

    Raises:
        UserError: the map has too few such routes, or no way through the waypoints.
    """
    if group.waypoints:
        return [_through(roads, group)]
    return [PlannedRoute(lanes, group.length) for lanes in choose_routes(roads, group)]


def _through(roads: RoadNetwork, group: RouteGroup) -> PlannedRoute:
    """The shortest route through the waypoints of a group, and lanes behind its goal."""
    lanes, station = _lane_along(roads, group, 0)
    way, end = [lanes], station
    for number in range(1, len(group.waypoints)):
        lane, end = _lane_along(roads, group, number)
        found = shortest_way(roads, way[-1], lane)
        if not found:
            (x, y), (u, v) = group.waypoints[number - 1 : number + 1]
            raise UserError(
                f"{group.name}: no lanes lead from the waypoint {x:g},{y:g} to {u:g},{v:g} in "
                f"{group.world}"
            )
        way += found[1:]
    length = float(roads.lengths()[way[:-1]].sum()) + end - station
    if length < SPACING:
        raise UserError(f"{group.name}: the last waypoint lies behind the first one")
    guide = RouteGuide.of(roads)
    behind = end + OVERRUN
    return PlannedRoute((*way[:-1], *guide.follow(way[-1], length=behind, seed=0)), length, station)


def _lane_along(roads: RoadNetwork, group: RouteGroup, number: int) -> tuple[int, float]:
    """The lane of a waypoint and the station [m] there, in the direction of its neighbours."""
    points = np.array(group.waypoints)
    first, last = max(number - 1, 0), min(number + 1, len(points) - 1)
    dx, dy = (points[last] - points[first]).tolist()
    heading = float(portable.arctan2(np.float64(dy), np.float64(dx)))
    x, y = points[number].tolist()
    if len(roads.lanes):
        lane, station, aside = roads.nearest_lane((x, y), heading)
        if abs(aside) <= _MAX_ASIDE:
            return lane, station
    raise UserError(
        f"{group.name}: no lane is within {_MAX_ASIDE:g} m of the waypoint {x:g},{y:g} in "
        f"{group.world}: are the waypoints of another map?"
    )


def choose_routes(roads: RoadNetwork, group: RouteGroup) -> list[tuple[int, ...]]:
    """The lanes of each route of a group, drawn by its seed.

    Raises:
        UserError: the map has too few such routes.
    """
    guide, lengths = RouteGuide.of(roads), roads.lengths()
    is_allowed = ~roads.connectors & (lengths >= _MIN_FIRST_LANE)
    is_allowed &= roads.is_of_kind(group.start) if group.start else guide.is_good
    allowed = np.flatnonzero(is_allowed)
    if not len(allowed):
        kind = f" of kind '{group.start}'" if group.start else ""
        raise UserError(f"{group.world}: no lane{kind} of this map leads on; choose another world")
    rng = np.random.default_rng(group.seed)
    needed = START_STATION + group.length + OVERRUN
    found: dict[tuple[int, ...], None] = {}
    for _ in range(_ATTEMPTS):
        for first in rng.permutation(allowed).tolist():
            lanes = guide.follow(first, length=needed, seed=int(rng.integers(2**31)))
            is_long = lengths[lanes].sum() >= needed
            if is_long and _junctions(roads, lanes, group.length) >= group.junctions:
                found[tuple(lanes)] = None
            if len(found) == group.routes:
                return list(found)
    raise UserError(
        f"{group.world}: found {len(found)} of {group.routes} routes of {group.length:g} m with "
        f"{group.junctions} junctions: ask for fewer, shorter ones, or fewer junctions"
    )


def _junctions(roads: RoadNetwork, lanes: list[int], length: float) -> int:
    """Number of connectors that begin on the first `length` [m] of a route."""
    begins = np.cumsum(np.append(0.0, roads.lengths()[lanes][:-1]))
    inside = begins < START_STATION + length
    return int(np.sum(roads.connectors[lanes] & inside))


def make_route(
    roads: RoadNetwork,
    lanes: tuple[int, ...],
    length: float,
    station: float = START_STATION,
    place: ParkingPlace | None = None,
) -> Route:
    """The route along `lanes` whose goal is `length` [m] from its start.

    Args:
        roads: the lanes.
        lanes: the route's, in order.
        length: from the start to the goal [m].
        station: of the start on the first lane [m].
        place: in which the car is to park at the goal.

    Raises:
        UserError: a lane is not in the map, or is not a successor of the one before it.
    """
    _check(roads, lanes)
    lines = [roads.lanes[k].centre_line for k in lanes]
    points = np.vstack([lines[0], *(line[1:] for line in lines[1:])])
    rows = np.repeat(np.array(lanes), [len(lines[0]), *(len(line) - 1 for line in lines[1:])])
    stations = _stations(points)
    kept = np.append(True, np.diff(stations) > 1e-9)
    points, rows, stations = points[kept], rows[kept], stations[kept]
    wanted = np.arange(station, stations[-1], SPACING)
    placed = np.column_stack([np.interp(wanted, stations, column) for column in points.T])
    of_lane: Integers = rows[np.minimum(np.searchsorted(stations, wanted), len(rows) - 1)]
    steps = np.diff(placed[:, :2], axis=0)
    headings = portable.arctan2(steps[:, 1], steps[:, 0])
    begins = np.cumsum(np.append(0.0, roads.lengths()[list(lanes)][:-1]))
    return Route(
        lanes=lanes,
        length=min(length, float(wanted[-1] - station)),
        points=placed,
        headings=np.append(headings, headings[-1:]),
        limits=roads.speed_limits[of_lane],
        half_widths=0.5 * roads.widths[of_lane],
        is_connector=roads.connectors[of_lane],
        lines=tuple(
            LineOnRoute(float(begin + line - station), lane, roads.lanes[lane].control)
            for begin, lane in zip(begins, lanes, strict=True)
            if (line := roads.lanes[lane].stop_line) is not None
        ),
        station=station,
        place=place,
    )


def _check(roads: RoadNetwork, lanes: tuple[int, ...]) -> None:
    count = len(roads.lanes)
    for lane in lanes:
        if not 0 <= lane < count:
            raise UserError(f"a route uses lane {lane}, and the map has {count} lanes")
    for lane, following in pairwise(lanes):
        if following not in roads.lanes[lane].successors:
            raise UserError(f"a route leads from lane {lane} to {following}, which does not follow")


def _stations(points: Floats) -> Floats:
    steps = np.diff(points[:, :2], axis=0)
    return np.append(0.0, np.cumsum(portable.hypot(steps[:, 0], steps[:, 1])))
