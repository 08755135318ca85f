"""Obstacles of a vehicle that are on no lane: robots, people, and people about to cross."""

from math import sqrt

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import jitable
from autosim.portable import sin_cos
from autosim.traffic.road_users import B, W
from autosim.traffic.vehicles.box_overlap import do_overlap
from autosim.traffic.vehicles.junctions.junction_passing import place_trial
from autosim.traffic.vehicles.routes.vehicle_paths import find_on_path
from autosim.traffic.vehicles.traffic_context import NO_CAUSE, PERSON, ROBOT, TrafficContext
from autosim.traffic.vehicles.vehicle_pool import (
    lane_on_path,
)

_BESIDE_ROBOT, _BESIDE_PERSON = 0.3, 0.5
"""Room [m] that vehicles leave beside robots and beside people before they stop for them."""

_BESIDE_RIDER = 0.15
"""The same [m] beside the box of a bicycle."""

_SECONDS = 1.5
"""Time [s] for which the way of a person is foreseen: longer, people change their minds."""

_AT_CROSSING = 2.2
"""Distance [m] from the middle of a lane within which a person at a crossing is on it."""

_NEAR_CROSSING = 5.0
"""Distance [m] within which a person walking towards a crossing wants to cross."""

_WALKS = 0.3
"""Speed [m/s] above which a person counts as walking: slower ones stand and shift their weight."""

_BEFORE_CROSSING = 2.5
"""Distance [m] from the middle of a crossing at which vehicles wait."""

_CROSSING_BRAKES = 4.0
"""Deceleration [m/s²] up to which drivers stop for people at a crossing."""

_SWEPT_AHEAD, _SWEPT_STEP = 4.0, 0.5
"""Way [m] for which the space that a turning vehicle sweeps is checked, and the step [m]."""

_SWEPT_SPEED = 8.0
"""Speed [m/s] up to which it is: it stops within that way, and no long vehicle turns faster."""


@jitable
def mark_crossing_demand(places: Floats, people: Floats, wanted: Integers) -> None:
    """Marks the crossings that people want to use.

    Args:
        places: (z, 3) m of the centres of crossings on lanes.
        people: (p, 6) see `Surroundings`.
        wanted: (z,) 1 or 0, written.
    """
    wanted[:] = 0
    for p in range(len(people)):
        person = people[p]
        if person[W.radius] <= 0.0:
            continue
        for z in range(len(places)):
            x, y = places[z, 0] - person[W.x], places[z, 1] - person[W.y]
            squared = x * x + y * y
            if squared > _NEAR_CROSSING * _NEAR_CROSSING or abs(places[z, 2] - person[W.z]) > 2.5:
                continue
            distance = sqrt(max(squared, 1e-9))
            towards = (x * person[W.speed_x] + y * person[W.speed_y]) / distance
            if distance < _AT_CROSSING or towards > _WALKS:
                wanted[z] = 1


@jitable
def find_crossing_stop(town: TrafficContext, i: int, horizon: float) -> float:
    """Distance [m] at which a vehicle stops for a person about to cross; infinite for none."""
    lanes, row = town.lanes, town.rows[i]
    offset, speed = -row.station, row.speed
    for place in range(row.front, row.count):
        if offset > horizon:
            break
        lane = lane_on_path(row, place)
        for z in range(lanes.crossing_starts[lane], lanes.crossing_starts[lane + 1]):
            at = offset + lanes.crossings[z] - _BEFORE_CROSSING
            if at < 0.0 or at > horizon or town.crossing_wanted[z] == 0:
                continue
            if speed * speed <= 2.0 * _CROSSING_BRAKES * max(at, 0.1):
                return float(at)
        offset += lanes.lengths[lane]
    return np.inf


@jitable
def find_off_lane_obstacle(town: TrafficContext, i: int) -> tuple[float, float, int]:
    """Gap [m] to what is in a vehicle's way and on no lane, its speed [m/s], and who it is."""
    row, box = town.rows[i], town.boxes[i]
    speed = row.speed
    horizon = speed * speed / (2.0 * row.ease) + speed + 10.0
    sight = horizon + town.sizes[i].length + 10.0
    gap, ahead, who = np.inf, 0.0, NO_CAUSE
    half = town.sizes[i].width / 2.0
    for r in range(len(town.robots)):
        g, v = _box(town, i, town.robots[r], half + _BESIDE_ROBOT, horizon, sight)
        if g < gap:
            gap, ahead, who = g, v, ROBOT
    for p in range(len(town.people)):
        person = town.people[p]
        if person[W.radius] <= 0.0:
            continue
        if abs(person[W.x] - box[B.x]) > sight or abs(person[W.y] - box[B.y]) > sight:
            continue
        g = _person(town, i, person, half, horizon)
        if g < gap:
            gap, ahead, who = g, 0.0, PERSON
    return gap, ahead, who


@jitable
def find_rider_gap(town: TrafficContext, i: int) -> tuple[float, float]:
    """Gap [m] and speed [m/s] of the first cyclist off the carriageways in a vehicle's way.

    Vehicles that creep through people stop for cyclists, too: a bicycle does not step aside.
    """
    row, half = town.rows[i], town.sizes[i].width / 2.0
    horizon = row.speed * row.speed / (2.0 * row.ease) + row.speed + 3.0
    sight = horizon + town.sizes[i].length
    gap, ahead = np.inf, 0.0
    for k in range(len(town.boxes)):
        # Others move those whom the pool shows, although they are not on its lanes.
        if not town.rows[k].active and town.boxes[k, B.half_length] > 0.0:
            g, v = _box(town, i, town.boxes[k], half + _BESIDE_RIDER, horizon, sight)
            if g < gap:
                gap, ahead = g, v
            g = _swept(town, i, town.boxes[k])
            if g < gap:
                gap, ahead = g, 0.0
    return gap, ahead


@jitable
def _swept(town: TrafficContext, i: int, rider: Floats) -> float:
    """Distance [m] that a vehicle can go until its body sweeps over a bicycle beside it.

    In bends the rear of a long vehicle swings out of its lane.
    """
    box, speed = town.boxes[i], town.rows[i].speed
    reach = box[B.half_length] + _SWEPT_AHEAD
    x, y = rider[B.x] - box[B.x], rider[B.y] - box[B.y]
    if x * x + y * y > reach * reach or speed > _SWEPT_SPEED or do_overlap(box, rider):
        return np.inf
    town.trial[B.z] = box[B.z]
    for k in range(1, int(_SWEPT_AHEAD / _SWEPT_STEP) + 1):
        place_trial(town, i, k * _SWEPT_STEP, _BESIDE_RIDER)
        if do_overlap(town.trial, rider):
            return (k - 1) * _SWEPT_STEP
    return np.inf


@jitable
def _box(
    town: TrafficContext, i: int, robot: Floats, beside: float, horizon: float, sight: float
) -> tuple[float, float]:
    box, row = town.boxes[i], town.rows[i]
    if robot[B.half_length] <= 0.0:
        return np.inf, 0.0
    if abs(robot[B.x] - box[B.x]) > sight or abs(robot[B.y] - box[B.y]) > sight:
        return np.inf, 0.0
    s, c = sin_cos(robot[B.yaw])
    gap = np.inf
    # The corners and the middles of the sides, now and a little later.
    for k in range(3):
        later = 0.5 * k * _SECONDS
        way_x, way_y = later * robot[B.speed_x], later * robot[B.speed_y]
        for n in range(9):
            u, v = (n // 3 - 1) * robot[B.half_length], (n % 3 - 1) * robot[B.half_width]
            x, y = robot[B.x] + way_x + c * u - s * v, robot[B.y] + way_y + s * u + c * v
            at, across = find_on_path(town.lanes, row, x, y, robot[B.z], horizon)
            # Where it will be counts only if the vehicle is there about then.
            soon = horizon - 1e-6 if k == 0 else min(horizon, row.speed * (later + _SECONDS))
            if abs(across) < beside and -0.5 < at < min(gap, soon):
                gap = at
    s, c = sin_cos(row.yaw)
    along = c * robot[B.speed_x] + s * robot[B.speed_y]
    return gap, max(along, 0.0)


@jitable
def _person(town: TrafficContext, i: int, person: Floats, half: float, horizon: float) -> float:
    """The gap [m] to a person who is in the way, or will be when the vehicle comes."""
    row = town.rows[i]
    gap = np.inf
    for k in range(3):
        later = 0.5 * k * _SECONDS
        x, y = person[W.x] + later * person[W.speed_x], person[W.y] + later * person[W.speed_y]
        at, across = find_on_path(town.lanes, row, x, y, person[W.z], horizon)
        room = half + person[W.radius] + (_BESIDE_PERSON if k == 0 else 0.0)
        # The predicted position counts only if the vehicle is there at about that time.
        soon = horizon - 1e-6 if k == 0 else min(horizon, row.speed * (later + _SECONDS))
        if abs(across) < room and -0.5 < at - person[W.radius] < gap and at < soon:
            gap = at - person[W.radius]
    return gap
