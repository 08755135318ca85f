"""Vehicles that come and go: at the border of the map, and out of sight of robots."""

import numpy as np

from autosim.arrays import Floats
from autosim.jit import compiled_without_refcounts, jitable
from autosim.model.noise import uniform
from autosim.portable import sin_cos
from autosim.traffic.road_users import B, W
from autosim.traffic.vehicles.driving.car_following import safe_speed
from autosim.traffic.vehicles.lanes.lane_occupancy import add_path
from autosim.traffic.vehicles.routes.route_choice import has_more
from autosim.traffic.vehicles.routes.trips import (
    begin_trip,
    draw_target,
    ends_at_target,
    place_along,
)
from autosim.traffic.vehicles.routes.vehicle_paths import place_on_lane, planned_distance
from autosim.traffic.vehicles.traffic_context import ARRIVALS, DRIVERS, TrafficContext
from autosim.traffic.vehicles.vehicle_pool import (
    FREE_ROW,
    init_driver,
    stream_of_driver,
)
from autosim.world.lanes.lane_rules import SignalState

SPAWN_VISIBILITY = 80.0
"""Distance [m] from robots within which nothing appears or vanishes: in a street, further than one
notices a car."""

_NEAR_EDGE = 40.0
"""The same at the edge of the map [m], where vehicles come from outside."""

_FIRST_ROOM = 12.0
"""Distance [m] from robots that the first vehicles of a run keep: these have to get going."""

_TRIES = 40
"""Number of places that are tried for each of the first vehicles."""

_GAP = 6.0
"""Gap [m] between a new vehicle and others: some time gap comes on top."""

_STOPS, _PEOPLE_BESIDE = 3.0, 4.0
"""Deceleration [m/s²] with which a new vehicle can stop for people after a second, and distance [m]
from the middle of its lane within which people count: those who are about to step onto it."""

_PEOPLE_ROOM = 0.5
"""Clearance [m] from pedestrians next to a vehicle that is placed on a lane."""

_BEFORE = 1.0
"""Distance [m] from a place where others cross, or from a stop line, at which a new vehicle can
stand."""

_RED = int(SignalState.RED)

_AT_EDGE = 0.7
"""Share of new vehicles that come in at the edge, where the map has one."""

_ENDS = 50.0
"""Distance [m] from the end of a route at which a vehicle finds out that it is seen: it can still
turn into any street."""

_NUMBERS = np.uint64(8)
"""Number of random numbers that may be spent on a place."""

_FROM = np.uint64(1 << 40)
"""Number of the first random number that is spent on places."""


@compiled_without_refcounts
def spawn_vehicles(
    town: TrafficContext,
    tick: int,
    wanted: int,
    seed: np.uint64,
    imperfection: float,
    is_first: bool,
) -> None:
    """Spawns vehicles until there are as many as wanted, or no room is found.

    Args:
        town: all; rows of the pool, the occupancy and `counts` are written.
        tick: the number of the decision.
        wanted: target number.
        seed: of the run.
        imperfection: how much drivers differ.
        is_first: whether the run begins, and nothing has been observed yet.
    """
    rows = town.rows
    active = 0
    for i in range(len(rows)):
        active += rows[i].active
    tries = _TRIES if is_first else 1
    for i in range(len(rows)):
        if active >= wanted:
            return
        # A free place whose driver is to leave was ordered to stay free.
        if rows[i].active or rows[i].leaves:
            continue
        for trial in range(tries):
            at = _FROM + np.uint64(tick * _TRIES + trial) * _NUMBERS
            if _try(town, i, seed ^ np.uint64(i * 2654435761), at, is_first):
                target, goal = rows[i].target, rows[i].goal
                _begin(town, i, seed, imperfection)
                rows[i].target, rows[i].goal = target, goal
                active += 1
                break


@compiled_without_refcounts
def spawn_at(
    town: TrafficContext,
    i: int,
    lane: int,
    station: float,
    speed: float,
    seed: np.uint64,
    imperfection: float,
) -> bool:
    """Puts a vehicle onto a lane unless vehicles or people are there; returns whether it did.

    Args:
        town: all; a row of the pool, the register and `counts` are written.
        i: the place of the pool, which is free.
        lane: where to.
        station: [m] of its front along the lane.
        speed: [m/s].
        seed: of the run.
        imperfection: how much drivers differ.
    """
    length = town.sizes[i].length
    if not town.lanes.allowed[town.kinds[i], lane]:
        return False
    if not length < station < town.lanes.lengths[lane]:
        return False
    k = town.register.heads[lane]
    while k >= 0:
        front = -town.register.offsets[k]
        rear = front - town.register.lengths[town.register.who[k]]
        k = town.register.nexts[k]
        if front > station - length - 1.0 and rear < station + 1.0:
            return False
    beside = town.sizes[i].width / 2.0 + _PEOPLE_ROOM
    if not _is_clear_of_people(town, lane, station, length, speed, beside):
        return False
    row = town.rows[i]
    town.rows[i] = FREE_ROW[0]
    row.path[0], row.count, row.station, row.speed = lane, 1, station, speed
    _begin(town, i, seed, imperfection)
    row.speed = speed
    return True


@jitable
def _try(town: TrafficContext, i: int, stream: np.uint64, at: np.uint64, is_first: bool) -> bool:
    """Whether a place was found for a vehicle; it is in its row then."""
    lanes, kind = town.lanes, town.kinds[i]
    row, length = town.rows[i], town.sizes[i].length
    town.rows[i] = FREE_ROW[0]
    if _has_trips(town, kind):
        lane, station, is_edge = _draw_trip(town, i, stream, at, is_first)
    else:
        lane, station, is_edge = _draw_place(town, i, stream, at, is_first)
    if lane < 0 or not lanes.allowed[kind, lane] or station < length + 0.5:
        return False
    if station > lanes.lengths[lane] - 1.0 or _is_in_junction(town, lane, station, length):
        return False
    room = _FIRST_ROOM if is_first else (_NEAR_EDGE if is_edge else SPAWN_VISIBILITY)
    if not _is_unseen(town, lane, station, length, room):
        return False
    speed = free_speed(town, lane, station, length)
    if speed < 0.0 or not _is_clear_of_people(town, lane, station, length, speed, _PEOPLE_BESIDE):
        return False
    row.path[0], row.count, row.station = lane, 1, station
    row.speed = speed
    return True


@jitable
def _has_trips(town: TrafficContext, kind: int) -> bool:
    """Whether vehicles of a kind have destinations."""
    trips = town.lanes.trips
    return bool(trips.groups[kind] >= 0 and trips.targets.size > 0)


@jitable
def _draw_trip(
    town: TrafficContext, i: int, stream: np.uint64, at: np.uint64, is_first: bool
) -> tuple[int, float, bool]:
    """The lane and the station [m] at which a trip begins, and whether that is at the border.

    The first vehicles of a run are on their way already. Writes the trip into the vehicle's row;
    the lane is -1 where no way leads to any destination.
    """
    lanes, trips, kind = town.lanes, town.lanes.trips, town.kinds[i]
    enters = trips.entries.size > 0 and uniform(stream, at) < _AT_EDGE
    places, ends = (
        (trips.entries, trips.entry_ends) if enters else (trips.origins, trips.origin_ends)
    )
    if places.size == 0:
        return -1, 0.0, False
    drawn = uniform(stream, at + np.uint64(1)) * ends[ends.size - 1]
    lane = places[min(np.searchsorted(ends, drawn, side="right"), places.size - 1)]
    first = lanes.starts[lane]
    x, y = lanes.points[first, 0], lanes.points[first, 1]
    target = draw_target(lanes, kind, lane, x, y, enters, stream, at + np.uint64(2))
    if target < 0:
        return -1, 0.0, False
    begin_trip(lanes, town.rows[i], target, uniform(stream, at + np.uint64(4)))
    share = uniform(stream, at + np.uint64(5))
    if is_first:
        lane, station = place_along(lanes, town.rows[i], kind, lane, share)
        return lane, station, False
    if enters:
        return lane, town.sizes[i].length + 0.5, True
    return lane, share * lanes.lengths[lane], False


@jitable
def _draw_place(
    town: TrafficContext, i: int, stream: np.uint64, at: np.uint64, is_first: bool
) -> tuple[int, float, bool]:
    """The same for a vehicle without a destination."""
    lanes, kind = town.lanes, town.kinds[i]
    town.rows[i].target = -1
    if not is_first and lanes.entries.size > 0 and uniform(stream, at) < _AT_EDGE:
        lane = lanes.entries[int(uniform(stream, at + np.uint64(1)) * lanes.entries.size)]
        return lane, town.sizes[i].length + 0.5, True
    if lanes.homes.size == 0:
        return -1, 0.0, False
    place = uniform(stream, at + np.uint64(1)) * lanes.home_ends[lanes.home_ends.size - 1]
    number = min(np.searchsorted(lanes.home_ends, place), lanes.homes.size - 1)
    lane = lanes.homes[number]
    if not lanes.lasting[kind, lane] and _can_last(town, kind):
        return -1, 0.0, False
    return lane, lanes.lengths[lane] - (lanes.home_ends[number] - place), False


@jitable
def _can_last(town: TrafficContext, kind: int) -> bool:
    """Whether there are streets from which a kind of vehicle can continue for ever."""
    lanes, found = town.lanes, False
    for k in range(lanes.homes.size):
        found |= lanes.lasting[kind, lanes.homes[k]]
    return bool(found)


@jitable
def _is_in_junction(town: TrafficContext, lane: int, station: float, length: float) -> bool:
    lanes = town.lanes
    for c in range(lanes.conflict_starts[lane], lanes.conflict_starts[lane + 1]):
        if lanes.spans[c, 0] < station + 1.0 and lanes.spans[c, 1] > station - length - 1.0:
            return True
    return False


@jitable
def _is_unseen(town: TrafficContext, lane: int, station: float, length: float, room: float) -> bool:
    x, y, _, _ = place_on_lane(town.lanes, lane, station - length / 2.0, 0.0)
    return is_far_from_robots(town, x, y, room + length / 2.0)


@jitable
def _is_clear_of_people(
    town: TrafficContext,
    lane: int,
    station: float,
    length: float,
    speed: float,
    reach_beside: float,
) -> bool:
    """Whether there are no people where a vehicle appears, nor within its stopping distance.

    Args:
        town: all.
        lane: on which it appears.
        station: [m] of its front along the lane.
        length: of the vehicle [m].
        speed: [m/s] with which it appears.
        reach_beside: [m] from the middle of the lane within which people count.
    """
    x, y, _, heading = place_on_lane(town.lanes, lane, station, 0.0)
    across, along = sin_cos(heading)
    reach = speed * speed / (2.0 * _STOPS) + speed + _GAP
    for k in range(len(town.people)):
        if town.people[k, W.radius] == 0.0:
            continue
        away_x, away_y = town.people[k, W.x] - x, town.people[k, W.y] - y
        ahead = away_x * along + away_y * across
        beside = away_y * along - away_x * across
        if -length - _GAP < ahead < reach and abs(beside) < reach_beside:
            return False
    return True


@jitable
def is_far_from_robots(town: TrafficContext, x: float, y: float, room: float) -> bool:
    """Whether no robot is within `room` [m] of a place."""
    for r in range(len(town.robots)):
        robot = town.robots[r]
        if robot[B.half_length] > 0.0:
            near_x, near_y = robot[B.x] - x, robot[B.y] - y
            reach = room + robot[B.half_length]
            if near_x * near_x + near_y * near_y < reach * reach:
                return False
    return True


@jitable
def free_speed(town: TrafficContext, lane: int, station: float, length: float) -> float:
    """The speed [m/s] that a new vehicle may have there; -1 where there is no room."""
    register, lanes = town.register, town.lanes
    allowed = 0.8 * lanes.limits[lane]
    to_end = lanes.lengths[lane] - station
    allowed = min(allowed, safe_speed(to_end / 4.0, 2.0, 1.0))
    for c in range(lanes.conflict_starts[lane], lanes.conflict_starts[lane + 1]):
        gap = lanes.spans[c, 0] - station
        if gap > 0.0:
            allowed = min(allowed, safe_speed((gap - _BEFORE) / 2.0, 0.0, 1.0))
    line = lanes.stop_lines[lane] - station
    if line > 0.0 and town.signal_rows[lane] >= 0 and town.signals[lane] == _RED:
        allowed = min(allowed, safe_speed((line - _BEFORE) / 2.0, 0.0, 1.0))
    k = register.heads[lane]
    while k >= 0:
        u = register.who[k]
        front = -register.offsets[k]
        rear = front - register.lengths[u]
        k = register.nexts[k]
        if rear >= station - length:
            gap = rear - station
            if gap < _GAP:
                if front > station - length - _GAP and rear < station + _GAP:
                    return -1.0
            else:
                allowed = min(allowed, safe_speed(gap / 2.0, register.speeds[u], 1.0))
        else:
            gap = station - length - front
            v = register.speeds[u]
            if gap < _GAP + v:
                return -1.0
            # A vehicle from behind must not have to brake hard.
            if v > allowed and gap < _GAP + v + (v - allowed) * (v - allowed) / 2.0:
                return -1.0
    return float(allowed)


@jitable
def _begin(town: TrafficContext, i: int, seed: np.uint64, imperfection: float) -> None:
    row = town.rows[i]
    town.counts[DRIVERS] += 1
    row.active, row.serial = True, town.counts[DRIVERS]
    row.old_lane = row.route = row.stopped_at = row.told_street = row.departure = -1
    row.passes = row.served = row.target = -1
    row.told_speed = np.nan
    row.since_change = 10.0
    stream = stream_of_driver(seed, row.serial)
    init_driver(row, town.driving[i], stream, imperfection)
    row.speed = min(row.speed, row.speed_factor * town.sizes[i].top_speed)
    town.register.lengths[i], town.register.speeds[i] = town.sizes[i].length, row.speed
    town.register.commits[i] = 0.0
    add_path(town.register, town.lanes, row, i)


@compiled_without_refcounts
def despawn_arrived(town: TrafficContext, interval: float) -> None:
    """Removes vehicles that reach the end of their routes within an interval [s].

    Near a robot they continue at random until they are out of sight, as do always those with a
    route ordered by a program. Writes rows and `counts`.
    """
    for i in range(len(town.rows)):
        row = town.rows[i]
        if not row.active or row.route <= 0 or has_more(row):
            continue
        way = planned_distance(town.lanes, row)
        if way > _ENDS:
            continue
        if row.departure < 0:
            # A program told it the way: it drives on by chance.
            row.route = -1
        elif not is_far_from_robots(town, town.boxes[i, B.x], town.boxes[i, B.y], SPAWN_VISIBILITY):
            row.route, row.arrived = -1, True
        elif way <= row.speed * interval + 0.5:
            row.active = False
            town.counts[ARRIVALS] += 1


@compiled_without_refcounts
def end_trips(town: TrafficContext, tick: int, interval: float, seed: np.uint64) -> None:
    """Removes the vehicles that reach the ends of their trips within an interval [s].

    One that a robot would see vanish in the town continues to another destination. One that a robot
    would see leave at the border stops there until it is unseen. Writes rows and `counts`.

    Args:
        town: all.
        tick: the number of the decision.
        interval: [s] to the next.
        seed: of the run.
    """
    for i in range(len(town.rows)):
        row = town.rows[i]
        if not row.active or not ends_at_target(town.lanes, row):
            continue
        target = row.target
        lane, leaves = town.lanes.trips.targets[target], town.lanes.trips.leave[target]
        way = planned_distance(town.lanes, row) - (town.lanes.lengths[lane] - row.goal)
        if way > _ENDS + row.speed * row.speed / row.ease:
            continue
        x, y = town.boxes[i, B.x], town.boxes[i, B.y]
        if not is_far_from_robots(town, x, y, _NEAR_EDGE if leaves else SPAWN_VISIBILITY):
            row.target = -1 if leaves else _next_target(town, i, lane, tick, seed)
        elif way <= row.speed * interval + 0.5:
            row.active = False
            town.counts[ARRIVALS] += 1


@jitable
def _next_target(town: TrafficContext, i: int, lane: int, tick: int, seed: np.uint64) -> int:
    """Another destination for a vehicle whose path ends on a lane; -1 for none."""
    stream = seed ^ np.uint64(i * 2654435761)
    at = _FROM + np.uint64(tick * _TRIES + _TRIES - 1) * _NUMBERS
    x, y = town.boxes[i, B.x], town.boxes[i, B.y]
    target = draw_target(town.lanes, town.kinds[i], lane, x, y, False, stream, at)
    begin_trip(town.lanes, town.rows[i], target, uniform(stream, at + np.uint64(2)))
    return target


@compiled_without_refcounts
def despawn_vehicles(town: TrafficContext, wanted: int, bounds: Floats) -> None:
    """Removes vehicles that have arrived, and surplus ones, where no robot sees it.

    Args:
        town: all; rows of the pool and `counts` are written.
        wanted: target number.
        bounds: (4,) m, x and y of the map's edges, west, south, east, north.
    """
    rows = town.rows
    active = 0
    for i in range(len(rows)):
        active += rows[i].active
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        x, y = town.boxes[i, B.x], town.boxes[i, B.y]
        unseen = is_far_from_robots(town, x, y, SPAWN_VISIBILITY)
        if row.arrived:
            edge = min(x - bounds[0], y - bounds[1], bounds[2] - x, bounds[3] - y)
            if unseen or edge < _NEAR_EDGE:
                row.active = False
                town.counts[ARRIVALS] += 1
                active -= 1
        elif unseen and (row.leaves or active > wanted):
            row.active = False
            active -= 1
