"""People of a fleet's town, who cross its streets at green or in gaps between vehicles."""

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.environments.fleet.fleet_signals import signal_of
from autosim.environments.fleet.shared_town import (
    COS,
    SAME_LEVEL,
    SIN,
    SPEED_X,
    SPEED_Y,
    FleetUsers,
    X,
    Y,
    Z,
    put,
)
from autosim.jit import compiled_nogil, inlined
from autosim.model.noise import uniform
from autosim.tracks.conflict_view import HALF_CAR, HALF_LENGTH
from autosim.world.lanes.lane_rules import SignalState

_WALKING, _WALKING_SPREAD = 1.1, 0.6
"""Least speed [m/s] of people, and by how much others are faster."""

_MAX_WAIT = 8.0
"""Longest time [s] that people wait at a kerb before they look for a gap."""

_GAP_SECONDS, _COURTESY_SECONDS = 4.0, 6.0
"""Time [s] to the nearest vehicle at which people cross; and for how long they wait for it, before
they also cross where it can still brake."""

_PERSON_BRAKING = 2.5
"""Deceleration [m/s²] that people expect of vehicles."""

_ROOM_AHEAD = 1.2
"""Distance [m] ahead of people within which a vehicle stops them."""


@compiled_nogil
def begin_people(users: FleetUsers, copies: Integers) -> None:
    """Begins the people of `copies`, each somewhere on its way."""
    for copy in copies:
        for walker in range(copy * users.people, (copy + 1) * users.people):
            users.walker_begun[walker] = 0
            _begin_walker(users, walker)
            if len(users.walks):
                stream = users.walker_streams[walker]
                counter = np.uint64(4 * users.walker_begun[walker] + 3)
                users.walkers[walker, 3] *= uniform(stream, counter)
                _put_walker(users, walker, 0.0)


@inlined
def _begin_walker(users: FleetUsers, walker: int) -> None:
    """Puts a person at a kerb of a crossing."""
    if len(users.walks):
        stream = users.walker_streams[walker]
        counter = np.uint64(4 * users.walker_begun[walker])
        users.walker_begun[walker] += 1
        turned = uniform(stream, counter + np.uint64(2))
        users.walkers[walker, 0] = int(uniform(stream, counter) * len(users.walks))
        users.walkers[walker, 1] = 0.0
        pace = _WALKING + _WALKING_SPREAD * uniform(stream, counter + np.uint64(1))
        users.walkers[walker, 2] = pace if turned < 0.5 else -pace
        users.walkers[walker, 3] = _MAX_WAIT * turned
        _put_walker(users, walker, 0.0)


@inlined
def _put_walker(users: FleetUsers, walker: int, speed: float) -> None:
    """Writes the box of a person who walks at `speed` [m/s] along the walk."""
    copy = walker // users.people
    box = users.boxes[copy, users.cars + users.traffic + walker % users.people]
    walk, way = users.walks[int(users.walkers[walker, 0])], users.walkers[walker, 1]
    dx, dy = walk[3] - walk[0], walk[4] - walk[1]
    length = np.sqrt(dx * dx + dy * dy)
    along = way / length if users.walkers[walker, 2] > 0.0 else 1.0 - way / length
    sign = 1.0 if users.walkers[walker, 2] > 0.0 else -1.0
    yaw = portable.arctan2(sign * dy, sign * dx)
    z = walk[2] + along * (walk[5] - walk[2])
    put(box, walk[0] + along * dx, walk[1] + along * dy, z, yaw, speed)


@compiled_nogil
def step_people(users: FleetUsers, seconds: float, copies: Integers) -> None:
    """Moves the people of `copies` by a step."""
    if len(users.walks) == 0:
        return
    for copy in copies:
        boxes = users.boxes[copy]
        for walker in range(copy * users.people, (copy + 1) * users.people):
            state = users.walkers[walker]
            walk = users.walks[int(state[0])]
            dx, dy = walk[3] - walk[0], walk[4] - walk[1]
            length = np.sqrt(dx * dx + dy * dy)
            box = boxes[users.cars + users.traffic + walker % users.people]
            speed = abs(state[2])
            if state[1] <= 0.0:
                state[3] -= seconds
                if state[3] > 0.0 or not _may_cross(users, copy, boxes, box, walk, length, state):
                    speed = 0.0
            elif _is_blocked(users, boxes, box):
                speed = 0.0
            state[1] += speed * seconds
            if state[1] >= length:
                _begin_walker(users, walker)
            else:
                _put_walker(users, walker, speed)


@inlined
def _may_cross(
    users: FleetUsers,
    copy: int,
    boxes: Floats,
    box: Floats,
    walk: Floats,
    length: float,
    state: Floats,
) -> bool:
    """Whether a person at the kerb begins to cross: at green, or in a gap between vehicles."""
    if walk[6] >= 0.0:
        return bool(signal_of(users, copy, int(walk[6])) == SignalState.GREEN)
    may = True
    x, y = 0.5 * (walk[0] + walk[3]), 0.5 * (walk[1] + walk[4])
    for other in range(users.cars + users.traffic):
        dx, dy = x - boxes[other, X], y - boxes[other, Y]
        vx, vy = boxes[other, SPEED_X], boxes[other, SPEED_Y]
        square = vx * vx + vy * vy
        ahead = boxes[other, COS] * dx + boxes[other, SIN] * dy
        aside = abs(boxes[other, COS] * dy - boxes[other, SIN] * dx)
        is_near = abs(boxes[other, Z] - box[Z]) < SAME_LEVEL and aside < 0.5 * length + 2.0
        if not is_near or ahead < -HALF_LENGTH - 2.0:
            continue
        gap = max(ahead - HALF_LENGTH - 1.0, 0.0)
        if gap * gap < _GAP_SECONDS * _GAP_SECONDS * square or gap < 1.0:
            is_patient = state[3] > -_COURTESY_SECONDS
            may &= not is_patient and square < 2.0 * _PERSON_BRAKING * gap
    return may


@inlined
def _is_blocked(users: FleetUsers, boxes: Floats, box: Floats) -> bool:
    """Whether a vehicle is right ahead of a person."""
    x, y = box[X] + _ROOM_AHEAD * box[COS], box[Y] + _ROOM_AHEAD * box[SIN]
    is_blocked = False
    for other in range(users.cars + users.traffic):
        dx, dy = x - boxes[other, X], y - boxes[other, Y]
        ahead = boxes[other, COS] * dx + boxes[other, SIN] * dy
        aside = boxes[other, COS] * dy - boxes[other, SIN] * dx
        is_in = abs(ahead) < HALF_LENGTH + 0.4 and abs(aside) < HALF_CAR + 0.4
        is_blocked |= is_in and abs(boxes[other, Z] - box[Z]) < SAME_LEVEL
    return is_blocked
