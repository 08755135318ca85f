"""Lane changes: those that a route needs, ordered ones, and those with an incentive (MOBIL).

Source: A. Kesting, M. Treiber, D. Helbing, General lane-changing model MOBIL for car-following
models, Transportation Research Record 1999 (2007).
"""

import numpy as np

from autosim.jit import jitable
from autosim.traffic.vehicles.driving.car_following import following_acceleration, free_acceleration
from autosim.traffic.vehicles.lanes.lane_occupancy import add_user
from autosim.traffic.vehicles.routes.route_choice import (
    forget_ahead,
    next_street,
    reaches_street,
    route_lane_change,
)
from autosim.traffic.vehicles.routes.vehicle_paths import place_on_lane
from autosim.traffic.vehicles.traffic_context import NO_CAUSE, TrafficContext
from autosim.traffic.vehicles.vehicle_pool import (
    lane_on_path,
)

_EACH = 5
"""Number of decisions from one look at the lanes beside to the next: four a second."""

_SECONDS, _LEAST_WAY = 3.5, 14.0
"""Time [s] that a change takes, and the least way [m]: no car goes sideways."""

_NEEDED_SECONDS, _LEAST_NEEDED = 2.0, 6.0
"""Time [s] and least way [m] of changes that a route needs: as a driver in a hurry does them."""

_NEEDED_BEGINS, _NEEDED_BEFORE_END = 3.0, 0.5
"""Distances [m] from the beginning and from the end of a lane between which such a change has to
be: in the short lanes of a roundabout one comes to the outer lane there, or not at all."""

_BEFORE_END = 15.0
"""Distance [m] from the end of a lane at which a change has to be over: there others turn."""

_SLOWEST = 1.5
"""Speed [m/s] below which no vehicle changes lanes: walking pace."""

_SAFE = 2.5
"""Deceleration [m/s²] that a change may cost the one behind, and oneself."""

_POLITENESS = 0.3
"""Factor by which others' disadvantages count as one's own (Kesting et al., 2007)."""

_GAIN = 0.25
"""Gain in acceleration [m/s²] from which a change pays."""

_APART = 8.0
"""Time [s] between two changes that pay."""

_BESIDE = 1.5
"""Minimum gap [m] to others on the new lane."""


@jitable
def change_lanes(town: TrafficContext, tick: int, interval: float) -> None:
    """Begins all wanted and possible changes. Writes the rows of the pool and the occupancy."""
    for i in range(len(town.rows)):
        row = town.rows[i]
        if not row.active or (tick + i) % _EACH != 0:
            continue
        if row.change_from != 0.0 or row.old_lane >= 0 or row.committed > 0.0:
            continue
        if row.speed < _SLOWEST:
            continue
        lane = lane_on_path(row, row.front)
        left, right = town.lanes.left[lane], town.lanes.right[lane]
        if left < 0 and right < 0:
            continue
        best, chosen, is_needed = _GAIN, -1, False
        for other in (left, right):
            if other < 0:
                continue
            wish = route_lane_change(town.lanes, town.routes[i], row, town.kinds[i], lane, other)
            gain = _worth(town, i, lane, other, wish)
            if gain > best:
                best, chosen, is_needed = gain, other, wish > 0
        if chosen >= 0:
            _begin(town, i, lane, chosen, is_needed)


@jitable
def _worth(town: TrafficContext, i: int, lane: int, other: int, wish: int) -> float:
    """Incentive for a lane change [m/s²] (MOBIL); NaN where it is impossible."""
    if not _can_change(town, i, lane, other, wish > 0):
        return np.nan
    gain = _gain(town, i, lane, other)
    street = next_street(town.lanes, town.routes[i], town.rows[i])
    return gain + _wish(town, i, lane, other, other == town.lanes.left[lane], street, wish)


@jitable
def _wish(
    town: TrafficContext, i: int, lane: int, other: int, is_left: bool, street: int, wish: int
) -> float:
    """Incentive other than the time won [m/s²]; for `wish` see `route_lane_change`."""
    row = town.rows[i]
    if row.wish != 0:
        return 100.0 if (row.wish > 0) == is_left else -100.0
    if wish != 0:
        return 100.0 * wish
    if street >= 0:
        kind = town.kinds[i]
        here = reaches_street(town.lanes, lane, kind, street)
        there = reaches_street(town.lanes, other, kind, street)
        if here != there:
            return 100.0 if there else -100.0
    return -100.0 if row.since_change < _APART else 0.0


@jitable
def _way(speed: float, is_needed: bool) -> float:
    if is_needed:
        return max(_LEAST_NEEDED, _NEEDED_SECONDS * speed)
    return max(_LEAST_WAY, _SECONDS * speed)


@jitable
def _can_change(town: TrafficContext, i: int, lane: int, other: int, is_needed: bool) -> bool:
    """Whether there is room on both lanes for a whole change."""
    lanes, row = town.lanes, town.rows[i]
    kind, length = town.kinds[i], town.sizes[i].length
    if not lanes.allowed[kind, other]:
        return False
    if not is_needed and not lanes.lasting[kind, other] and lanes.lasting[kind, lane]:
        return False
    station = row.station * lanes.lengths[other] / lanes.lengths[lane]
    if min(station, row.station) < (_NEEDED_BEGINS if is_needed else length + 2.0):
        return False
    way = _way(row.speed, is_needed)
    end = _NEEDED_BEFORE_END if is_needed else _BEFORE_END
    return bool(
        _is_clear(town, lane, row.station, length, way, end)
        and _is_clear(town, other, station, length, way, end)
    )


@jitable
def _is_clear(
    town: TrafficContext, lane: int, station: float, length: float, way: float, end: float
) -> bool:
    """Whether a lane has neither its end (less `end` [m]) nor a junction in reach of a change."""
    lanes = town.lanes
    if station + way + end > lanes.lengths[lane]:
        return False
    for c in range(lanes.conflict_starts[lane], lanes.conflict_starts[lane + 1]):
        if lanes.spans[c, 1] > station - length and lanes.spans[c, 0] < station + way + 2.0:
            return False
    return True


@jitable
def _gain(town: TrafficContext, i: int, lane: int, other: int) -> float:
    """Incentive for a change [m/s²] by MOBIL; NaN where it is not safe."""
    row, register = town.rows[i], town.register
    speed, length = row.speed, town.sizes[i].length
    limit = town.lanes.limits[lane]
    station = row.station * town.lanes.lengths[other] / town.lanes.lengths[lane]
    old_gap, old_ahead, old_behind, old_follower = _around(town, i, lane, row.station, length)
    gap, ahead, behind, follower = _around(town, i, other, station, length)
    if gap < _BESIDE or behind < _BESIDE:
        return np.nan
    mine = _acceleration(town, i, speed, limit, gap, ahead)
    before = _acceleration(town, i, speed, limit, old_gap, old_ahead)
    if mine < -_SAFE:
        return np.nan
    others = 0.0
    if follower >= 0:
        v = register.speeds[follower]
        driver = follower if follower < len(town.rows) else i
        after = _acceleration(town, driver, v, limit, behind, speed)
        if after < -_SAFE:
            return np.nan
        others += after - _acceleration(town, driver, v, limit, behind + length + gap, ahead)
    if 0 <= old_follower < len(town.rows):
        v = register.speeds[old_follower]
        free = _acceleration(town, old_follower, v, limit, old_behind + length + old_gap, old_ahead)
        others += free - _acceleration(town, old_follower, v, limit, old_behind, speed)
    return mine - before + _POLITENESS * others


@jitable
def _acceleration(
    town: TrafficContext, i: int, speed: float, limit: float, gap: float, ahead: float
) -> float:
    if gap == np.inf:
        return free_acceleration(town.rows[i], speed, limit)
    return following_acceleration(town.rows[i], speed, limit, gap, ahead)


@jitable
def _around(
    town: TrafficContext, i: int, lane: int, station: float, length: float
) -> tuple[float, float, float, int]:
    """Gap [m] and speed [m/s] of the leader on a lane; gap [m] and number of the follower."""
    register = town.register
    gap, ahead, behind, follower = np.inf, 0.0, np.inf, NO_CAUSE
    k = register.heads[lane]
    while k >= 0:
        u = register.who[k]
        front = -register.offsets[k]
        rear = front - register.lengths[u]
        k = register.nexts[k]
        if u == i or rear >= town.lanes.lengths[lane]:
            continue
        if front > station:
            if rear - station < gap:
                gap, ahead = rear - station, register.speeds[u]
        elif station - length - front < behind:
            behind, follower = station - length - front, u
    return gap, ahead, behind, follower


@jitable
def _begin(town: TrafficContext, i: int, lane: int, other: int, is_needed: bool) -> None:
    """Puts a vehicle's path onto the other lane, as far to the side of it as the vehicle is."""
    lanes, row = town.lanes, town.rows[i]
    station = row.station * lanes.lengths[other] / lanes.lengths[lane]
    x, y, _, _ = place_on_lane(lanes, other, station, 0.0)
    own_x, own_y, _, _ = place_on_lane(lanes, lane, row.station, 0.0)
    ahead_x, ahead_y, _, _ = place_on_lane(lanes, other, station + 0.5, 0.0)
    side = 2.0 * ((ahead_x - x) * (own_y - y) - (ahead_y - y) * (own_x - x))
    row.change_from = row.offset = row.rear_offset = side
    row.change_length, row.changed = _way(row.speed, is_needed), 0.0
    row.old_lane, row.old_shift = lane, row.station - station
    row.station, row.since_change, row.wish = station, 0.0, 0
    forget_ahead(lanes, town.routes[i], row)
    row.path[0], row.count, row.front = other, 1, 0
    add_user(town.register, other, i, -station)
