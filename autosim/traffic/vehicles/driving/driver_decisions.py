"""Decisions of all drivers, several times per second: acceleration and choice of the lane."""

from math import sqrt

import numpy as np

from autosim.jit import compiled_without_refcounts, jitable
from autosim.model.noise import UNIFORMS, normal
from autosim.traffic.vehicle_kinds import Light
from autosim.traffic.vehicles.driving.bus_dwelling import INDICATES, dwell, find_bus_stop
from autosim.traffic.vehicles.driving.car_following import (
    MAX_BRAKING,
    braking_to_stop,
    following_acceleration,
    free_acceleration,
    safe_speed,
)
from autosim.traffic.vehicles.driving.lane_changes import change_lanes
from autosim.traffic.vehicles.driving.leaders import find_leader
from autosim.traffic.vehicles.driving.off_lane_obstacles import (
    find_crossing_stop,
    find_off_lane_obstacle,
    find_rider_gap,
    mark_crossing_demand,
)
from autosim.traffic.vehicles.junctions.junction_passing import find_passing_gap
from autosim.traffic.vehicles.junctions.junction_priority import AT_SIGNAL
from autosim.traffic.vehicles.junctions.right_of_way import find_stop
from autosim.traffic.vehicles.lanes.lane_occupancy import fill_occupancy
from autosim.traffic.vehicles.lanes.lane_table import LATERAL
from autosim.traffic.vehicles.routes.route_choice import extend_path, has_more
from autosim.traffic.vehicles.routes.trips import ends_at_target
from autosim.traffic.vehicles.routes.vehicle_paths import bend_speed
from autosim.traffic.vehicles.traffic_context import NO_CAUSE, PERSON, TrafficContext
from autosim.traffic.vehicles.vehicle_pool import (
    VehicleRow,
    lane_on_path,
    stream_of_driver,
)

_PLANNED = 120.0
"""Distance [m] up to which paths are planned: more than one needs to stop from 100 km/h."""

_LEFT = 0.8
"""Length [m] that is left to whom one follows, however hard both brake."""

_NOISE_SECONDS = 15.0
"""Time [s] over which the error of a driver's acceleration changes: Treiber and Kesting, Traffic
Flow Dynamics (2013), section 12.3."""

_NOISE = 0.15
"""Standard deviation [m/s²] of that error: queues stretch and shrink, and no vehicle swerves."""

_NOISE_FROM = 1 << 20
"""First index of a driver's random numbers used for it; choices stay below this index."""

_BRAKING = 0.7
"""Deceleration [m/s²] from which brake lights shine: engine drag alone is less."""

_INDICATES = 35.0
"""Distance [m] before a turn from which a vehicle indicates: some three seconds in a town."""

_TURN = 0.5
"""Angle [rad] of a turn from which a vehicle indicates: about 30°, as other ways bend that much."""

_SLOWER = 1.5
"""Deceleration [m/s²] before bends and lower limits."""

_CHANGE_ROOM = 7.0
"""Distance [m] from the end of a lane at which a vehicle waits that has to leave it for the one
beside: the least way of such a change, and a little more."""

_END_ROOM = 3.0
"""Distance [m] from the end of a lane at which a vehicle stops that can take none of the ways from
there: one that has just left the lane may stand close behind its end, in a turn."""

_STANDS = 0.3
"""Speed [m/s] below which a vehicle counts as standing: rounding apart, it does."""


_CREEPS_AFTER, _CREEPING = 40.0, 0.25
"""Waiting time [s] before pedestrians after which a vehicle creeps, and its speed [m/s]: so slow
that pedestrians make way. Otherwise a stream of them across a street might never end."""

_ANOTHER_WAY = 45.0
"""Waiting time [s] at junctions after which another route is tried, if there is one, and again
after each such time; shorter than the shortest jam that removes a vehicle."""


_LEFT_LIGHT, _RIGHT_LIGHT = int(Light.LEFT_INDICATOR), int(Light.RIGHT_INDICATOR)
_BRAKE_LIGHT, _HEAD_LIGHT = int(Light.BRAKE), int(Light.HEAD)
"""Bits of lights as whole numbers: kernels know no enumerations of flags."""


@compiled_without_refcounts
def decide_driving(
    town: TrafficContext,
    tick: int,
    interval: float,
    seed: np.uint64,
    imperfection: float,
    is_dark: bool,
) -> None:
    """All decisions of a moment.

    Args:
        town: all; the rows of the pool are written.
        tick: its number.
        interval: [s] to the next.
        seed: of the run.
        imperfection: how much drivers vary.
        is_dark: whether head lights are on.
    """
    rows = town.rows
    for i in range(len(rows)):
        if rows[i].active:
            stream = stream_of_driver(seed, rows[i].serial)
            if _looks_for_another_way(rows[i], interval):
                rows[i].count = rows[i].front + 1
            extend_path(town.lanes, town.routes[i], rows[i], town.kinds[i], stream, _PLANNED)
    _note_all(town)
    mark_crossing_demand(town.crossing_places, town.people, town.crossing_wanted)
    change_lanes(town, tick, interval)
    for i in range(len(rows)):
        if rows[i].active:
            _decide(town, i, tick, interval, seed, imperfection)
            _light(town, i, is_dark)


@compiled_without_refcounts
def register_road_users(town: TrafficContext) -> None:
    """Notes all vehicles and robots on their lanes."""
    _note_all(town)


@jitable
def _note_all(town: TrafficContext) -> None:
    fill_occupancy(
        town.register,
        town.lanes,
        town.rows,
        town.sizes,
        town.robots,
        town.robot_lanes,
        town.robot_places,
    )


@jitable
def desired_speed(town: TrafficContext, i: int) -> float:
    """Desired speed [m/s] of a driver on a free street."""
    lanes, row, sizes = town.lanes, town.rows[i], town.sizes[i]
    in_bends = sqrt(sizes.lateral / LATERAL)
    offset, wanted = -row.station, sizes.top_speed
    for place in range(row.front, row.count):
        lane = lane_on_path(row, place)
        limit = row.speed_factor * lanes.limits[lane]
        at = max(-offset, 0.0)
        entry = min(limit, in_bends * bend_speed(lanes, lane, at))
        before = max(offset, 0.0)
        wanted = min(wanted, sqrt(entry * entry + 2.0 * _SLOWER * before))
        if wanted * wanted < 2.0 * _SLOWER * before:
            break
        offset += lanes.lengths[lane]
    if not np.isnan(row.told_speed):
        wanted = min(row.told_speed, sizes.top_speed)
    return float(wanted)


@jitable
def _decide(
    town: TrafficContext, i: int, tick: int, interval: float, seed: np.uint64, imperfection: float
) -> None:
    row = town.rows[i]
    speed = row.speed
    wanted = desired_speed(town, i)
    horizon = speed * speed / (2.0 * row.ease) + 3.0 * speed + 20.0
    gap, ahead, who = find_leader(town, i, horizon)
    found, bound, blocker = free_acceleration(row, speed, wanted), np.inf, NO_CAUSE
    if gap < np.inf:
        found = min(found, following_acceleration(row, speed, wanted, gap, ahead))
        bound, blocker = safe_speed(gap - _LEFT, ahead, interval), who
    found += _error(row, tick, interval, seed, imperfection)
    creeps = row.waited > _CREEPS_AFTER and row.blocker == PERSON
    at_stop = find_bus_stop(town, i, horizon)
    stop, cause, end = _find_halt(town, i, horizon, at_stop, creeps, interval)
    dwell(town, i, at_stop, interval, seed)
    if stop < np.inf:
        found = min(found, braking_to_stop(speed, row.ease, stop, interval))
        if stop < gap:
            blocker = cause
    seen, along, kind = find_off_lane_obstacle(town, i)
    if seen < min(gap, stop):
        blocker = kind
    if kind == PERSON and creeps:
        bound = min(bound, _CREEPING)
    elif seen < np.inf:
        found = min(found, following_acceleration(row, speed, wanted, seen, along))
        bound = min(bound, safe_speed(seen - _LEFT, along, interval))
    rider, along = find_rider_gap(town, i)
    if rider < np.inf:
        bound = min(bound, safe_speed(rider - _LEFT / 2.0, along, interval))
        blocker = PERSON if rider < min(gap, stop, seen) else blocker
    past, other = find_passing_gap(town, i, horizon)
    if past < np.inf:
        bound = min(bound, safe_speed(past - _LEFT / 2.0, 0.0, interval))
        blocker = other if past < min(gap, stop, seen) else blocker
    found = min(found, (bound - speed) / interval)
    row.acceleration = max(found, -MAX_BRAKING)
    row.blocker = blocker
    row.waited = row.waited + interval if speed < _STANDS else 0.0
    row.since_change += interval
    _note_arrival(row, end)


@jitable
def _note_arrival(row: VehicleRow, end: float) -> None:
    """Notes that a vehicle has come to the end of its way, `end` [m] ahead."""
    if end < 0.5 and row.speed < _STANDS and not has_more(row):
        row.arrived = True


@jitable
def _find_halt(
    town: TrafficContext, i: int, horizon: float, at_stop: float, creeps: bool, interval: float
) -> tuple[float, int, float]:
    """Distance [m] within which a vehicle has to stop, the cause, and the length of its path."""
    stop, cause = find_stop(town, i, at_stop, interval)
    if at_stop < stop:
        stop, cause = at_stop, NO_CAUSE
    crossing = find_crossing_stop(town, i, horizon)
    if crossing < stop and not creeps:
        stop, cause = crossing, PERSON
    end = _end_of_way(town, i)
    if end < stop:
        stop, cause = end, NO_CAUSE
    return stop, cause, end


@jitable
def _looks_for_another_way(row: VehicleRow, interval: float) -> bool:
    """Whether a driver in a jam reconsiders the route from the current lane."""
    if row.waited < _ANOTHER_WAY or row.committed > 0.0 or row.held == AT_SIGNAL:
        return False
    if row.route >= 0 or row.told_street >= 0 or row.old_lane >= 0:
        return False
    return bool(row.waited % _ANOTHER_WAY < interval)


@jitable
def _end_of_way(town: TrafficContext, i: int) -> float:
    """Distance [m] to the end of a vehicle's path, where it has to stop; infinite if it continues.

    At the end of a route or a trip no vehicle stops: it vanishes there.
    """
    lanes, row = town.lanes, town.rows[i]
    if (row.route > 0 and not has_more(row)) or ends_at_target(lanes, row):
        return np.inf
    offset = -row.station
    for place in range(row.front, row.count):
        offset += lanes.lengths[lane_on_path(row, place)]
    last = lane_on_path(row, row.count - 1)
    if has_more(row):
        # It has to change lanes first: at a walk, with room for that ahead.
        offset = max(offset - _CHANGE_ROOM, 0.0)
    elif lanes.successor_starts[last] < lanes.successor_starts[last + 1]:
        # Other vehicles stand or drive beyond the end of its path, where it does not see them.
        offset = max(offset - _END_ROOM, 0.0)
    return float(offset) if offset < _PLANNED and row.count < 24 else np.inf


@jitable
def _error(
    row: VehicleRow, tick: int, interval: float, seed: np.uint64, imperfection: float
) -> float:
    """The error [m/s²] of a driver's acceleration, which changes slowly."""
    if imperfection == 0.0:
        return 0.0
    share = interval / _NOISE_SECONDS
    kick = normal(stream_of_driver(seed, row.serial), np.uint64(_NOISE_FROM + tick * UNIFORMS))
    row.noise = row.noise * (1.0 - share) + imperfection * _NOISE * sqrt(2.0 * share) * kick
    return float(row.noise) if row.speed > 1.0 else 0.0


@jitable
def _light(town: TrafficContext, i: int, is_dark: bool) -> None:
    lanes, row = town.lanes, town.rows[i]
    lights = _HEAD_LIGHT if is_dark else 0
    if row.acceleration < -_BRAKING or row.speed < _STANDS:
        lights |= _BRAKE_LIGHT
    side = 0.0
    if row.change_from != 0.0:
        side = -row.change_from
    elif find_bus_stop(town, i, INDICATES) < np.inf:
        side = town.kerb
    else:
        offset = -row.station
        for place in range(row.front, row.count):
            lane = lane_on_path(row, place)
            if offset > _INDICATES:
                break
            if lanes.connectors[lane]:
                turn = (
                    lanes.tangents[lanes.starts[lane + 1] - 1] - lanes.tangents[lanes.starts[lane]]
                )
                turn -= 2.0 * np.pi * np.rint(turn / (2.0 * np.pi))
                if abs(turn) > _TURN:
                    side = turn
                    break
            offset += lanes.lengths[lane]
    if side > 0.0:
        lights |= _LEFT_LIGHT
    elif side < 0.0:
        lights |= _RIGHT_LIGHT
    row.lights = lights
