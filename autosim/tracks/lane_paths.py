"""The ways that cars of environments are to follow: lane after lane, as arrays for kernels."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.lanes.routing import RouteGuide, shortest_way

SPACING = 2.0
"""Distance [m] of the points of a path: a bend of 6 m radius, the tightest that routes take, is
then 8 cm off at the middle between two."""

_LEAST_LENGTH = 30.0
"""Length [m] below which a path is of no use: a car needs a second or two to move off."""


_GOAL_DISTANCE = 20.0
"""Distance [m] to the nearest lane up to which a place counts as on a street."""


class PathArrays(NamedTuple):
    """Several paths for kernels, one after the other.

    `points` (n, 3) [m] in W, `SPACING` apart in plan; `headings` (n,) [rad]; `limits` (n,) [m/s];
    `half_widths` (n,) [m] from the middle of the lane to its edge. Path k owns the rows
    `starts[k]:starts[k + 1]`.
    """

    points: Floats
    headings: Floats
    limits: Floats
    half_widths: Floats
    starts: Integers


class NoPathError(Exception):
    """A map has no way for a car to follow."""


def make_paths(
    roads: RoadNetwork, *, count: int, length: float, seed: int, lanes: Sequence[int] = ()
) -> PathArrays:
    """Paths along routes through a map, each from another lane as far as there are any.

    Args:
        roads: the lanes.
        count: how many paths.
        length: how long [m] each should be; where a route ends earlier it is shorter.
        seed: chooses their lanes, and among equal ways on.
        lanes: to begin on, in this order, in place of chosen ones.

    Raises:
        PathError: the map has no lane that leads on for thirty metres.
    """
    if not len(roads.lanes):
        raise NoPathError("the map has no lanes")
    guide = RouteGuide.of(roads)
    rng = np.random.default_rng(seed)
    candidates = list(lanes) or _candidates(roads, guide, rng)
    found: list[list[int]] = []
    for turn in range(max(count, len(candidates))):
        lane = candidates[turn % len(candidates)]
        route = guide.follow(lane, length=length, seed=int(rng.integers(2**31)))
        if roads.lengths()[route].sum() >= _LEAST_LENGTH:
            found.append(route)
        if len(found) == count:
            break
    if not found:
        raise NoPathError("no lane of the map leads on for thirty metres")
    return _arrays([_path(roads, route, length) for route in found])


def path_through(roads: RoadNetwork, lanes: Sequence[int], *, length: float) -> PathArrays:
    """The one path along given lanes, each a successor of the one before it.

    Args:
        roads: the lanes.
        lanes: their indices, in order.
        length: how long [m] it is at most.
    """
    return _arrays([_path(roads, lanes, length)])


def path_between(
    roads: RoadNetwork, start: Sequence[float], goal: Sequence[float]
) -> tuple[PathArrays, float]:
    """The shortest path along lanes to a goal, and the station [m] of the start on it.

    It begins with the first lane, and ends at the goal, less than `SPACING` before.

    Args:
        roads: the lanes.
        start: x, y [m] and yaw [rad] in W.
        goal: x and y [m] in W, and the yaw [rad] of its lane where both directions are there.

    Raises:
        NoPathError: a place is not on a street, or no lanes lead from one to the other.
    """
    first, station = _lane_at(roads, start)
    last, end = _lane_at(roads, goal)
    if first == last and end > station:
        lanes: tuple[int, ...] = (first,)
    else:
        ways = [shortest_way(roads, each, last) for each in roads.lanes[first].successors]
        found = [(float(roads.lengths()[list(way)].sum()), way) for way in ways if way]
        if not found:
            raise NoPathError(
                f"no lanes lead from x {start[0]:g} m, y {start[1]:g} m to x {goal[0]:g} m, "
                f"y {goal[1]:g} m"
            )
        lanes = (first, *min(found)[1])
    length = float(roads.lengths()[list(lanes[:-1])].sum()) + end
    return path_through(roads, lanes, length=length), station


def _lane_at(roads: RoadNetwork, place: Sequence[float]) -> tuple[int, float]:
    """The lane at x, y [m] and perhaps a yaw [rad], and the station [m] there.

    Raises:
        NoPathError: there is no lane near.
    """
    x, y, *yaw = place
    if len(roads.lanes):
        lane, station, aside = roads.nearest_lane((x, y), yaw[0] if yaw else None)
        if abs(aside) <= _GOAL_DISTANCE:
            return lane, station
    raise NoPathError(f"no lane is within {_GOAL_DISTANCE:g} m of x {x:g} m, y {y:g} m")


def paths_along(lines: Sequence[Floats], *, limit: float, half_width: float) -> PathArrays:
    """One path along each line (n, 3) [m], with a speed limit [m/s] and half a width [m]."""
    found = []
    for line in lines:
        points = _spaced(line, np.inf)[0]
        count = len(points)
        values = np.column_stack([np.full(count, limit), np.full(count, half_width)])
        found.append((points, values))
    return _arrays(found)


def _candidates(roads: RoadNetwork, guide: RouteGuide, rng: np.random.Generator) -> list[int]:
    is_street = ~roads.connectors
    chosen = np.flatnonzero(is_street & guide.is_good)
    if not len(chosen):
        chosen = np.flatnonzero(is_street)
    if not len(chosen):
        chosen = np.arange(len(roads.lanes))
    return list(rng.permutation(chosen).tolist())


def _path(roads: RoadNetwork, route: Sequence[int], length: float) -> tuple[Floats, Floats]:
    """Points (n, 3), and speed limits and half widths (n, 2), of a route."""
    lines = [roads.lanes[k].centre_line for k in route]
    joined = np.vstack([lines[0], *(line[1:] for line in lines[1:])])
    of_lane = np.repeat(np.array(route), [len(lines[0]), *(len(line) - 1 for line in lines[1:])])
    points, rows = _spaced(joined, length)
    lanes = of_lane[rows]
    return points, np.column_stack([roads.speed_limits[lanes], 0.5 * roads.widths[lanes]])


def _spaced(line: Floats, length: float) -> tuple[Floats, Integers]:
    """Points (n, 3) `SPACING` apart on the first `length` [m] of a line, and the rows they end."""
    steps = np.linalg.norm(np.diff(line[:, :2], axis=0), axis=1)
    kept = np.flatnonzero(np.append(True, steps > 1e-6))
    line = line[kept]
    stations = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(line[:, :2], axis=0), axis=1)))
    wanted = np.arange(0.0, min(length, float(stations[-1])) + 1e-9, SPACING)
    points = np.column_stack([np.interp(wanted, stations, column) for column in line.T])
    places = np.minimum(np.searchsorted(stations, wanted, side="left"), len(kept) - 1)
    return points, kept[places]


def _arrays(paths: Sequence[tuple[Floats, Floats]]) -> PathArrays:
    headings = []
    for points, _ in paths:
        steps = np.diff(points[:, :2], axis=0)
        angles = portable.arctan2(steps[:, 1], steps[:, 0])
        headings.append(np.append(angles, angles[-1:]))
    values = np.vstack([values for _, values in paths])
    return PathArrays(
        np.ascontiguousarray(np.vstack([points for points, _ in paths])),
        np.concatenate(headings),
        np.ascontiguousarray(values[:, 0]),
        np.ascontiguousarray(values[:, 1]),
        np.cumsum([0, *(len(points) for points, _ in paths)]),
    )
