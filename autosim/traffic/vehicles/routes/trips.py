"""Trips of vehicles that come and go by chance: from where to where, and on which lanes."""

import numpy as np

from autosim.arrays import Integers
from autosim.jit import compiled_without_refcounts, jitable
from autosim.model.noise import uniform
from autosim.portable import exp_of
from autosim.traffic.vehicles.lanes.lane_table import LaneTable
from autosim.traffic.vehicles.routes.trip_table import SHORTEST_TRIP
from autosim.traffic.vehicles.vehicle_pool import (
    VehicleRow,
    lane_on_path,
)

LEAVING = 0.7
"""Share of trips that end beyond the border of the map, where streets lead there: of trips of
some kilometres, most cross the border of a map of a kilometre or two."""

_DETERRENCE_SECONDS = 240.0
"""Time [s] over which the number of trips to a destination falls by the factor e: the exponential
deterrence function of gravity models (Ortúzar and Willumsen, Modelling Transport, 2011, section
5.3). 240 s are 2 km to 3 km in a town, the usual range of a map."""

_GOAL_FROM, _GOAL_TO = 0.3, 0.9
"""Shares of a lane between which trips end on it."""

_CHOICE_SECONDS = 5.0
"""Time [s] by which a driver knows how long ways take: ways that take that much longer are chosen
a quarter as often."""

_JAM_CHOICE_SECONDS = 40.0
"""The same time [s] for a driver in a jam, who looks for any other way."""

_MOST_EXTRA = 12.0
"""Extra time, in multiples of `_CHOICE_SECONDS`, beyond which no driver takes a way."""

MOST_LANES = 2000
"""Number of lanes after which the search along a way ends: more than the longest way has."""


@jitable
def is_on_trip(row: VehicleRow) -> bool:
    """Whether a vehicle drives to a destination that the town gave it."""
    return bool(row.target >= 0 and row.route < 0 and row.told_street < 0)


@jitable
def cost_of(lanes: LaneTable, kind: int, target: int, lane: int) -> float:
    """Time [s] from the beginning of a lane to a target; infinite where no way leads there."""
    trips = lanes.trips
    group = trips.groups[kind]
    return float(trips.costs[group, target, lane]) if group >= 0 else np.inf


@jitable
def ends_at_target(lanes: LaneTable, row: VehicleRow) -> bool:
    """Whether the path of a vehicle on a trip has come to its target."""
    if not is_on_trip(row):
        return False
    return bool(lane_on_path(row, row.count - 1) == lanes.trips.targets[row.target])


@jitable
def choice_cost(lanes: LaneTable, row: VehicleRow, kind: int, k: int) -> float:
    """Time [s] to the target by successor `k`; infinite where it does not lead there."""
    follower = lanes.successors[k]
    if not lanes.allowed[kind, follower]:
        return np.inf
    cost = cost_of(lanes, kind, row.target, follower)
    return float(cost + lanes.trips.penalties[k])


@jitable
def best_cost(lanes: LaneTable, row: VehicleRow, kind: int, lane: int) -> float:
    """The least time [s] to the target by any successor of a lane."""
    best = np.inf
    for k in range(lanes.successor_starts[lane], lanes.successor_starts[lane + 1]):
        best = min(best, choice_cost(lanes, row, kind, k))
    return best


@jitable
def choice_weight(extra: float, is_jammed: bool) -> float:
    """The weight of a way that takes `extra` [s] longer than the fastest."""
    scale = _JAM_CHOICE_SECONDS if is_jammed else _CHOICE_SECONDS
    ratio = extra / scale
    if ratio > _MOST_EXTRA:
        return 0.0
    weight = 1.0 / (1.0 + ratio * ratio)
    return weight * weight


@jitable
def draw_target(
    lanes: LaneTable,
    kind: int,
    lane: int,
    x: float,
    y: float,
    enters: bool,
    stream: np.uint64,
    at: np.uint64,
) -> int:
    """A target for a trip from a lane, by chance; -1 where no way leads to any.

    Destinations in the town weigh what they attract times the deterrence of the time to them. Of
    those beyond the border the more important streets weigh more, for trips through the map
    also those that lead farther across it.

    Args:
        lanes: all.
        kind: of the vehicle.
        lane: where the trip begins.
        x: [m] in W, of that place.
        y: [m] in W.
        enters: whether the vehicle comes in at the border.
        stream: of random numbers.
        at: number of the first of two that are spent.
    """
    trips = lanes.trips
    inside, outside = 0.0, 0.0
    for d in range(trips.targets.size):
        weight = _target_weight(lanes, kind, lane, x, y, enters, d)
        if trips.leave[d]:
            outside += weight
        else:
            inside += weight
    leaves = outside > 0.0 and (inside == 0.0 or uniform(stream, at) < LEAVING)
    left = uniform(stream, at + np.uint64(1)) * (outside if leaves else inside)
    found = -1
    for d in range(trips.targets.size):
        if trips.leave[d] != leaves:
            continue
        weight = _target_weight(lanes, kind, lane, x, y, enters, d)
        if weight > 0.0:
            found = d
            left -= weight
            if left < 0.0:
                break
    return found


@jitable
def _target_weight(
    lanes: LaneTable, kind: int, lane: int, x: float, y: float, enters: bool, d: int
) -> float:
    trips = lanes.trips
    target, cost = trips.targets[d], cost_of(lanes, kind, d, lane)
    if cost == np.inf:
        return 0.0
    if not trips.leave[d]:
        if target == lane or cost < SHORTEST_TRIP:
            return 0.0
        return float(trips.weights[d] * exp_of(-cost / _DETERRENCE_SECONDS))
    if not enters:
        return float(trips.weights[d])
    end = lanes.starts[target + 1] - 1
    away_x, away_y = lanes.points[end, 0] - x, lanes.points[end, 1] - y
    return float(trips.weights[d] * np.sqrt(away_x * away_x + away_y * away_y))


@jitable
def begin_trip(lanes: LaneTable, row: VehicleRow, target: int, share: float) -> None:
    """Gives a vehicle a destination: a target, and the place on its lane by a share in 0..1."""
    row.target = target
    if target < 0:
        return
    length = lanes.lengths[lanes.trips.targets[target]]
    if lanes.trips.leave[target]:
        row.goal = length
    else:
        row.goal = length * (_GOAL_FROM + (_GOAL_TO - _GOAL_FROM) * share)


@jitable
def place_along(
    lanes: LaneTable, row: VehicleRow, kind: int, lane: int, share: float
) -> tuple[int, float]:
    """The lane and the station [m] of a vehicle that has done a share of its trip from a lane.

    The lane is -1 where it has come to its destination.
    """
    trips, target = lanes.trips, row.target
    end = trips.targets[target]
    left = share * (cost_of(lanes, kind, target, lane) + row.goal / lanes.limits[end])
    for _ in range(MOST_LANES):
        seconds = lanes.lengths[lane] / lanes.limits[lane]
        if left <= seconds and not lanes.connectors[lane]:
            return lane, lanes.lengths[lane] * left / seconds
        following = -1 if lane == end else _best_following(lanes, row, kind, lane)
        beside = _best_beside(lanes, target, kind, lane) if lane != end else -1
        if beside >= 0:
            lane, left = beside, max(left - trips.changes[lane], 0.0)
        elif following >= 0:
            left = max(left - seconds - trips.penalties[following], 0.0)
            lane = lanes.successors[following]
        else:
            break
    return -1, 0.0


@compiled_without_refcounts
def trace_trip(lanes: LaneTable, row: VehicleRow, kind: int, lane: int, found: Integers) -> int:
    """Writes the lanes of the fastest way of a trip from a lane on.

    Args:
        lanes: all.
        row: of the vehicle.
        kind: of the vehicle.
        lane: where the way begins.
        found: written, from its first element on, with lanes that are beside or behind each other.

    Returns:
        The number of lanes. The last one is the target, unless no way leads there or `found` is
        too short.
    """
    target = row.target
    end, count = lanes.trips.targets[target], 0
    while count < len(found) and lane >= 0:
        found[count] = lane
        count += 1
        if lane == end:
            break
        beside, following = _best_beside(lanes, target, kind, lane), -1
        if beside < 0:
            following = _best_following(lanes, row, kind, lane)
        lane = lanes.successors[following] if following >= 0 else beside
    return count


@jitable
def _best_following(lanes: LaneTable, row: VehicleRow, kind: int, lane: int) -> int:
    """The place in `successors` of the one on the fastest way to the target; -1 for none."""
    best, chosen = np.inf, -1
    for k in range(lanes.successor_starts[lane], lanes.successor_starts[lane + 1]):
        cost = choice_cost(lanes, row, kind, k)
        if cost < best:
            best, chosen = cost, k
    return chosen


@jitable
def _best_beside(lanes: LaneTable, target: int, kind: int, lane: int) -> int:
    """The lane beside one by which the fastest way to a target leads; -1 for none."""
    here, change = cost_of(lanes, kind, target, lane), lanes.trips.changes[lane]
    for beside in (lanes.left[lane], lanes.right[lane]):
        if beside < 0:
            continue
        there = cost_of(lanes, kind, target, beside)
        if there < np.inf and there + 0.9 * change <= here:
            return int(beside)
    return -1


@jitable
def trip_wish(lanes: LaneTable, row: VehicleRow, kind: int, lane: int, other: int) -> int:
    """Whether a trip wants a change to a lane beside, as `route_lane_change`."""
    target = row.target
    here, there = cost_of(lanes, kind, target, lane), cost_of(lanes, kind, target, other)
    change = lanes.trips.changes[lane]
    if there == np.inf:
        return 0 if here == np.inf else -1
    if there + 0.9 * change <= here:
        return 1
    return -1 if there > here + 0.5 * change else 0
