"""The paths of vehicles: the lanes under them and those that they plan, and places on them."""

from math import sqrt

import numpy as np

from autosim.arrays import Floats
from autosim.jit import inlined, jitable
from autosim.model.noise import uniform
from autosim.traffic.vehicles.lane_table import LaneTable
from autosim.traffic.vehicles.trips import (
    best_cost,
    choice_cost,
    choice_weight,
    ends_at_target,
    is_on_trip,
    trip_wish,
)
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
def planned_distance(lanes: LaneTable, row: VehicleRow) -> float:
    """Length [m] of the planned path ahead of a vehicle's front."""
    way = -row.station
    for place in range(row.front, row.count):
        way += lanes.lengths[lane_on_path(row, place)]
    return float(way)


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


@jitable
def drop_passed(lanes: LaneTable, row: VehicleRow, length: float) -> None:
    """Forgets the lanes that the rear of a vehicle has left."""
    behind = row.station
    kept = row.front
    while kept > 0 and behind < length + 1.0:
        kept -= 1
        behind += lanes.lengths[lane_on_path(row, kept)]
    if kept == 0:
        return
    for place in range(kept):
        _leave_street(lanes, row, lane_on_path(row, place))
    count = row.count
    for place in range(kept, count):
        row.path[place - kept] = row.path[place]
    row.count -= kept
    row.front -= kept


@jitable
def _leave_street(lanes: LaneTable, row: VehicleRow, lane: int) -> None:
    """Remembers the street of a lane as the last one that the vehicle has left."""
    street = lanes.roads[lane] + 1
    if lanes.connectors[lane] or row.trail[0] == street:
        return
    for place in range(TRAIL_STREETS - 1, 0, -1):
        row.trail[place] = row.trail[place - 1]
    row.trail[0] = street


@jitable
def place_on_path(
    lanes: LaneTable, row: VehicleRow, ahead: float, offset: float
) -> tuple[float, float, float, float]:
    """Position and direction of a place on a path.

    Args:
        lanes: all.
        row: of the vehicle.
        ahead: [m] of its front, negative behind.
        offset: [m] to the left.

    Returns:
        x, y, z [m] in W and the direction of driving [rad].
    """
    place, station = row.front, row.station + ahead
    while station < 0.0 and place > 0:
        place -= 1
        station += lanes.lengths[lane_on_path(row, place)]
    while place < row.count - 1 and station > lanes.lengths[lane_on_path(row, place)]:
        station -= lanes.lengths[lane_on_path(row, place)]
        place += 1
    return place_on_lane(lanes, lane_on_path(row, place), station, offset)


@jitable
def point_before(lanes: LaneTable, lane: int, station: float) -> int:
    """The row of the last point of a lane at or before a station [m], but never its last point."""
    low, end = lanes.starts[lane], lanes.starts[lane + 1] - 1
    while end - low > 1:
        middle = (low + end) // 2
        if lanes.stations[middle] <= station:
            low = middle
        else:
            end = middle
    return int(low)


@jitable
def place_on_lane(
    lanes: LaneTable, lane: int, station: float, offset: float
) -> tuple[float, float, float, float]:
    """x, y, z [m] in W and the heading [rad] `station` [m] along a lane, `offset` to the left."""
    k = point_before(lanes, lane, station)
    a, b = lanes.points[k], lanes.points[k + 1]
    span = lanes.stations[k + 1] - lanes.stations[k]
    share = (station - lanes.stations[k]) / span
    ahead_x, ahead_y = (b[0] - a[0]) / span, (b[1] - a[1]) / span
    x = a[0] + share * (b[0] - a[0]) - offset * ahead_y
    y = a[1] + share * (b[1] - a[1]) + offset * ahead_x
    part = min(max(share, 0.0), 1.0)
    z = a[2] + part * (b[2] - a[2])
    turn = lanes.tangents[k + 1] - lanes.tangents[k]
    turn -= 2.0 * np.pi * np.rint(turn / (2.0 * np.pi))
    return x, y, z, lanes.tangents[k] + part * turn


@jitable
def bend_speed(lanes: LaneTable, lane: int, station: float) -> float:
    """Speed [m/s] at which bends are driven there, see `LaneTable.bends`."""
    k = point_before(lanes, lane, station)
    span = lanes.stations[k + 1] - lanes.stations[k]
    share = min(max((station - lanes.stations[k]) / span, 0.0), 1.0)
    return float(lanes.bends[k] + share * (lanes.bends[k + 1] - lanes.bends[k]))


@jitable
def find_on_path(
    lanes: LaneTable, row: VehicleRow, x: float, y: float, z: float, horizon: float
) -> tuple[float, float]:
    """The place of the path ahead that is nearest to a point.

    Args:
        lanes: all.
        row: of the vehicle.
        x: [m] in W.
        y: [m] in W.
        z: [m] in W; on another level the point is nowhere near.
        horizon: [m] how far ahead to look.

    Returns:
        How far [m] ahead of the front it is, and how far to the left; infinite where nothing is
        near. Places beside the vehicle are ahead by a negative number.
    """
    best, ahead, across = np.inf, np.inf, np.inf
    base = -row.station
    for place in range(row.front, row.count):
        lane = lane_on_path(row, place)
        if base > horizon:
            break
        first = lanes.starts[lane]
        if base < 0.0:
            first = point_before(lanes, lane, -base)
        for k in range(first, lanes.starts[lane + 1] - 1):
            if base + lanes.stations[k] > horizon:
                break
            d, s, t = _nearest(lanes, k, x, y, z)
            if d < best:
                best, ahead, across = d, base + s, t
        base += lanes.lengths[lane]
    return ahead, across


@inlined
def _nearest(lanes: LaneTable, k: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Squared distance of a point from the segment after point k, its station and its offset."""
    ax, ay = lanes.points[k, 0], lanes.points[k, 1]
    ux, uy = lanes.points[k + 1, 0] - ax, lanes.points[k + 1, 1] - ay
    squared = max(ux * ux + uy * uy, 1e-9)
    share = min(max(((x - ax) * ux + (y - ay) * uy) / squared, 0.0), 1.0)
    gap_x, gap_y = x - ax - share * ux, y - ay - share * uy
    distance = gap_x * gap_x + gap_y * gap_y
    height = lanes.points[k, 2] + share * (lanes.points[k + 1, 2] - lanes.points[k, 2])
    if abs(height - z) > 2.5:
        distance = np.inf
    side = 1.0 if ux * gap_y - uy * gap_x >= 0.0 else -1.0
    span = lanes.stations[k + 1] - lanes.stations[k]
    return distance, lanes.stations[k] + share * span, side * sqrt(distance)
