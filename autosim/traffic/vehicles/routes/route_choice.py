"""Choice of the lanes ahead: along a route, to the target of a trip, or by chance."""

import numpy as np

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.model.noise import uniform
from autosim.traffic.vehicles.lanes.lane_table import LaneTable
from autosim.traffic.vehicles.routes.trips import (
    best_cost,
    choice_cost,
    choice_weight,
    ends_at_target,
    is_on_trip,
    trip_wish,
)
from autosim.traffic.vehicles.routes.vehicle_paths import planned_distance
from autosim.traffic.vehicles.vehicle_pool import (
    PATH_LANES,
    TRAIL_STREETS,
    VehicleRow,
    lane_on_path,
)

_ROUND_AGAIN = 0.02
"""Factor on the weight of ways that lead back onto the path, or to the street just left: vehicles
do not circle in a roundabout, or round a block."""

_FORESEEN = 16
"""Number of lanes that a driver foresees where each leads to one other only: once round a block."""

_FORESEEN_LANE = 250.0
"""Distance [m] from the end of a lane from which a driver chooses the lane for the way to go: that
of signs before junctions in towns."""

_GIVES_UP = 4.0
"""Standing time [s] at the end of a lane that does not lead along the route after which a vehicle
takes another way: no street is blocked for the sake of a turn."""

_LOOKS_ROUND = 40.0
"""Time [s] for which a vehicle waits before its driver considers longer ways to the destination."""

_CHOICE = 1000
"""First index of a driver's random numbers used for turns; lower ones are used for preferences."""


@jitable
def extend_path(
    lanes: LaneTable,
    route: Floats,
    row: VehicleRow,
    kind: int,
    stream: np.uint64,
    horizon: float,
) -> None:
    """Plans on up to `horizon` [m] ahead of the front, as far as lanes lead and there is room."""
    way = planned_distance(lanes, row)
    while way < horizon and row.count < PATH_LANES:
        last = lane_on_path(row, row.count - 1)
        follower = _next_lane(lanes, route, row, last, kind, stream)
        if follower < 0:
            return
        row.path[row.count] = follower
        row.count += 1
        way += lanes.lengths[follower]
        if wanted_street(route, row) == lanes.roads[follower] and not lanes.connectors[follower]:
            row.route_place += row.route >= 0


@jitable
def forget_ahead(lanes: LaneTable, route: Floats, row: VehicleRow) -> None:
    """Forgets what is planned beyond the lane under the front of a vehicle."""
    row.route_place = _place_in_route(lanes, route, row)
    row.count = row.front + 1


@jitable
def _place_in_route(lanes: LaneTable, route: Floats, row: VehicleRow) -> int:
    """Number of streets of its route that a vehicle's front has reached."""
    place = row.route_place
    for k in range(row.count - 1, row.front, -1):
        lane = lane_on_path(row, k)
        if place > 0 and not lanes.connectors[lane] and route[0, place - 1] == lanes.roads[lane]:
            place -= 1
    return place


@jitable
def wanted_street(route: Floats, row: VehicleRow) -> int:
    """Number of the street after those planned; -1: any, -2: the route is at its end."""
    return _street_at(route, row, row.route_place)


@jitable
def next_street(lanes: LaneTable, route: Floats, row: VehicleRow) -> int:
    """Number of the street after the one under the front of a vehicle, as `wanted_street`."""
    if row.route < 0:
        return row.told_street
    return _street_at(route, row, _place_in_route(lanes, route, row))


@jitable
def _street_at(route: Floats, row: VehicleRow, place: int) -> int:
    if row.route < 0:
        return row.told_street
    return int(route[0, place]) if place < row.route else -2


@jitable
def has_more(row: VehicleRow) -> bool:
    """Whether a vehicle has a route that its path has not come to the end of."""
    return bool(row.route_place < row.route)


@jitable
def precedes_street(lanes: LaneTable, lane: int, street: int) -> bool:
    """Whether a street comes next after a lane, be it after a connector."""
    if not lanes.connectors[lane]:
        return bool(lanes.roads[lane] == street)
    for k in range(lanes.successor_starts[lane], lanes.successor_starts[lane + 1]):
        if lanes.roads[lanes.successors[k]] == street:
            return True
    return False


@jitable
def reaches_street(lanes: LaneTable, lane: int, kind: int, street: int) -> bool:
    """Whether a kind of vehicle gets from a lane to a street."""
    for k in range(lanes.successor_starts[lane], lanes.successor_starts[lane + 1]):
        follower = lanes.successors[k]
        if lanes.allowed[kind, follower] and precedes_street(lanes, follower, street):
            return True
    return False


@jitable
def _can_change(lanes: LaneTable, lane: int, kind: int, street: int) -> bool:
    """Whether a lane beside, in the same direction, leads to a street."""
    for side in (lanes.left, lanes.right):
        other = side[lane]
        while other >= 0:
            if lanes.allowed[kind, other] and reaches_street(lanes, other, kind, street):
                return True
            other = side[other]
    return False


@jitable
def _is_good_way(lanes: LaneTable, route: Floats, row: VehicleRow, k: int, street: int) -> bool:
    """Whether a successor leads to one of the lanes of the next street that lead furthest."""
    follower, place = lanes.successors[k], row.route_place
    if not lanes.connectors[follower]:
        return is_route_lane(lanes, route, place, follower)
    for n in range(lanes.successor_starts[follower], lanes.successor_starts[follower + 1]):
        after = lanes.successors[n]
        if lanes.roads[after] == street and is_route_lane(lanes, route, place, after):
            return True
    return False


@jitable
def _leads_on(
    lanes: LaneTable, route: Floats, row: VehicleRow, lane: int, kind: int, street: int
) -> bool:
    """Whether a lane leads to one of the lanes of the next street that lead furthest."""
    for k in range(lanes.successor_starts[lane], lanes.successor_starts[lane + 1]):
        if lanes.allowed[kind, lanes.successors[k]] and _is_good_way(lanes, route, row, k, street):
            return True
    return False


@jitable
def is_route_lane(lanes: LaneTable, route: Floats, place: int, lane: int) -> bool:
    """Whether a lane is one of those that lead furthest from a street of a route."""
    mask = int(route[1, place])
    return mask == 0 or (mask >> int(lanes.places[lane])) & 1 == 1


@jitable
def route_lane_change(
    lanes: LaneTable, route: Floats, row: VehicleRow, kind: int, lane: int, other: int
) -> int:
    """Whether a route or a trip wants a change to a lane beside: 1; -1: not at all; 0: neutral.

    Args:
        lanes: all.
        route: its own.
        row: of the vehicle.
        kind: of the vehicle.
        lane: its own.
        other: the one beside.
    """
    if is_on_trip(row):
        if lanes.lengths[lane] - row.station > _FORESEEN_LANE:
            return 0
        return trip_wish(lanes, row, kind, lane, other)
    place = _place_in_route(lanes, route, row) - 1
    if row.route < 0 or place < 0:
        return 0
    if is_route_lane(lanes, route, place, lane):
        return 0 if is_route_lane(lanes, route, place, other) else -1
    to_left = lanes.left[lane] == other
    while other >= 0:
        if is_route_lane(lanes, route, place, other):
            return 1
        other = lanes.left[other] if to_left else lanes.right[other]
    return -1


@jitable
def _waits_for_change(lanes: LaneTable, row: VehicleRow, lane: int, kind: int, street: int) -> bool:
    """Whether a vehicle changes lanes to get to a street; else it leaves its route."""
    if lanes.connectors[lane]:
        return False
    has_waited = row.waited > _GIVES_UP and row.front + 1 == row.count
    if not has_waited and _can_change(lanes, lane, kind, street):
        return True
    row.lost = True
    return False


@jitable
def _next_lane(
    lanes: LaneTable, route: Floats, row: VehicleRow, lane: int, kind: int, stream: np.uint64
) -> int:
    """The lane after `lane`: on a trip that to the target, else as `_choose`."""
    if is_on_trip(row):
        if ends_at_target(lanes, row):
            return -1
        follower = _choose_on_trip(lanes, row, lane, kind, stream)
        if follower >= 0:
            return follower
        # No way leads to the target from here: it drives on by chance.
        row.target = -1
    return _choose(lanes, route, row, lane, kind, stream)


@jitable
def _choose(
    lanes: LaneTable, route: Floats, row: VehicleRow, lane: int, kind: int, stream: np.uint64
) -> int:
    """The lane after `lane`: that of the route, else one by chance; -1 where there is none.

    Where only a lane beside leads on along the route there is none, until it has waited in vain.
    """
    street = wanted_street(route, row)
    if street == -2 and not lanes.connectors[lane]:
        return -1
    first, end = lanes.successor_starts[lane], lanes.successor_starts[lane + 1]
    total, can_last = 0.0, False
    on_route = street >= 0 and reaches_street(lanes, lane, kind, street)
    if street >= 0 and not on_route and _waits_for_change(lanes, row, lane, kind, street):
        return -1
    best = on_route and row.route >= 0 and _leads_on(lanes, route, row, lane, kind, street)
    for k in range(first, end):
        can_last |= lanes.lasting[kind, lanes.successors[k]]
    for k in range(first, end):
        if _is_choice(lanes, k, kind, can_last, on_route, street) and (
            not best or _is_good_way(lanes, route, row, k, street)
        ):
            total += _weight(lanes, row, k)
    if total == 0.0:
        return -1
    drawn = total * uniform(stream, np.uint64(_CHOICE + row.choices))
    row.choices += 1
    chosen = -1
    for k in range(first, end):
        if _is_choice(lanes, k, kind, can_last, on_route, street) and (
            not best or _is_good_way(lanes, route, row, k, street)
        ):
            chosen = lanes.successors[k]
            drawn -= _weight(lanes, row, k)
            if drawn < 0.0:
                break
    return chosen


@jitable
def _choose_on_trip(
    lanes: LaneTable, row: VehicleRow, lane: int, kind: int, stream: np.uint64
) -> int:
    """The lane after `lane` on the way to the target, mostly the fastest; -1 for none."""
    best = best_cost(lanes, row, kind, lane)
    if best == np.inf:
        return -1
    is_jammed = row.waited > _LOOKS_ROUND
    first, end = lanes.successor_starts[lane], lanes.successor_starts[lane + 1]
    total = 0.0
    for k in range(first, end):
        total += _trip_weight(lanes, row, kind, k, best, is_jammed)
    drawn = total * uniform(stream, np.uint64(_CHOICE + row.choices))
    row.choices += 1
    chosen = -1
    for k in range(first, end):
        weight = _trip_weight(lanes, row, kind, k, best, is_jammed)
        if weight > 0.0:
            chosen = lanes.successors[k]
            drawn -= weight
            if drawn < 0.0:
                break
    return chosen


@jitable
def _trip_weight(
    lanes: LaneTable, row: VehicleRow, kind: int, k: int, best: float, is_jammed: bool
) -> float:
    """The weight of a successor on the way to the target; 0 where it does not lead there."""
    cost = choice_cost(lanes, row, kind, k)
    if cost == np.inf:
        return 0.0
    weight = choice_weight(cost - best, is_jammed)
    if cost > best and _weight(lanes, row, k) < lanes.weights[k]:
        weight *= _ROUND_AGAIN
    return weight


@jitable
def _weight(lanes: LaneTable, row: VehicleRow, k: int) -> float:
    """The weight of a successor: a small one where it only leads back to where one comes from."""
    lane = lanes.successors[k]
    for _ in range(_FORESEEN):
        if not lanes.connectors[lane] and _has_come_along(lanes, row, lane):
            return float(_ROUND_AGAIN * lanes.weights[k])
        first, end = lanes.successor_starts[lane], lanes.successor_starts[lane + 1]
        if end == first or (end > first + 1 and not lanes.connectors[lane]):
            break
        lane = lanes.successors[first]
    return float(lanes.weights[k])


@jitable
def _has_come_along(lanes: LaneTable, row: VehicleRow, lane: int) -> bool:
    """Whether a lane is on the path of a vehicle, or its street one that it has just left."""
    found = False
    for place in range(row.count):
        found |= lane_on_path(row, place) == lane
    for place in range(TRAIL_STREETS):
        found |= row.trail[place] == lanes.roads[lane] + 1
    return found


@jitable
def _is_choice(
    lanes: LaneTable, k: int, kind: int, can_last: bool, on_route: bool, street: int
) -> bool:
    follower = lanes.successors[k]
    if not lanes.allowed[kind, follower]:
        return False
    if on_route:
        return precedes_street(lanes, follower, street)
    return not can_last or bool(lanes.lasting[kind, follower])
