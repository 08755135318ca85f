"""Who may go: signals, signs and right of way at junctions, and room behind them.

A vehicle goes only when it has the right of way on all that its path has in common with others up
to where it can stand again without being in anybody's way. It keeps that until it is through, and
nobody else gets it meanwhile; so two can never be in one place, whatever the rules or the drivers
say. Whom the rules make wait goes when nobody with priority comes soon.
"""

from math import sqrt

import numpy as np

from autosim.jit import compilable
from autosim.traffic.vehicles.car_following import safe_speed
from autosim.traffic.vehicles.lane_table import MERGING, PARTING
from autosim.traffic.vehicles.pool import (
    COMMITTED,
    COUNT,
    EASE,
    FRONT,
    GAIN,
    HELD,
    LEAST_GAP,
    SPEED,
    STATION,
    STOPPED_AT,
    WAITED,
    path_lane,
)
from autosim.traffic.vehicles.town import NOBODY, RULE, SIGNAL, Town
from autosim.world.lanes.traffic_arrays import Control

_STOP, _ALL_WAY = int(Control.STOP), int(Control.ALL_WAY_STOP)

RED, RED_AMBER, GREEN, AMBER = 1, 2, 3, 4
"""Codes of what signals show."""

_MARGIN = 1.0
"""Time [s] that one who waits for others leaves between himself and them."""

_ROOM = 1.0
"""Length [m] that a vehicle leaves between its rear and a junction."""

_REACTION = 0.6
"""Time [s] for which a driver looks further ahead than he needs to stop."""

_LOOK = 5.0
"""Length [m] by which he looks further than that: so that he sees all from where he waits."""

_BEFORE = 0.5
"""Distance [m] from where others pass at which vehicles wait without a line."""

_STANDING = 0.5
"""Speed [m/s] below which one counts as standing: half that of a walk."""

_PATIENCE = 1.0
"""Time [s] for which somebody with priority stands before others take it that he lets them go."""

_SLOW = 2.5
"""Speed [m/s] below which a queue behind a junction counts as one: in it there may be no room."""

_AMBER_BRAKES, _RED_BRAKES = 3.0, 6.0
"""Decelerations [m/s²] up to which drivers stop at amber, and at red."""

_STARTS = 1.0
"""Acceleration [m/s²] that is expected of others who come: a brisk start."""


@compilable
def find_stop(town: Town, i: int) -> tuple[float, int]:
    """How far [m] ahead a vehicle has to stop for others, and who is the cause.

    Takes the right of way of all up to the next place to stand, where nobody prevents that.
    """
    lanes, row = town.lanes, town.rows[i]
    length, speed = town.sizes[i, 0], row[SPEED]
    reach = speed * speed / (2.0 * row[EASE]) + _REACTION * speed + _LOOK
    offset, line, line_lane = -row[STATION], np.inf, -1
    begin, end, cause = np.inf, -np.inf, NOBODY
    row[HELD] = 0.0
    for place in range(int(row[FRONT]), int(row[COUNT])):
        lane = path_lane(row, place)
        at = offset + lanes.stop_lines[lane]
        if -0.3 < at < np.inf:
            if at > row[COMMITTED] and _is_closed(town, lane, at, speed):
                if begin < np.inf:
                    return _wait(town, i, begin, line, SIGNAL)
                row[HELD] = 2.0
                return max(at, 0.0), SIGNAL
            if begin == np.inf:
                line, line_lane = at, lane
        is_over = False
        for c in range(lanes.conflict_starts[lane], lanes.conflict_starts[lane + 1]):
            first, last = offset + lanes.spans[c, 0], offset + lanes.spans[c, 1]
            if last < -length or last <= row[COMMITTED] + 1e-6 or lanes.conflicts[c, 1] == PARTING:
                continue
            if begin < np.inf and first > end + length + _ROOM + row[LEAST_GAP]:
                is_over = True
                break
            if begin == np.inf:
                if first > reach + 60.0:
                    is_over = True
                    break
                begin = first
            end = max(end, last)
            if first > 0.0 and cause == NOBODY:
                cause = _blocking(town, i, c, offset, lanes.lengths[lane])
        if is_over:
            break
        offset += lanes.lengths[lane]
    if begin == np.inf:
        return np.inf, NOBODY
    if cause == NOBODY and begin > 0.0:
        cause = _full(town, i, begin, end)
    if cause == NOBODY and line_lane >= 0 and line < begin:
        cause = _by_sign(town, i, line, line_lane)
    if cause != NOBODY:
        return _wait(town, i, begin, line, cause)
    if min(line, begin) > reach:
        return min(line, begin - _BEFORE), NOBODY
    row[COMMITTED] = end
    town.register.commits[i] = end
    return np.inf, NOBODY


@compilable
def _wait(town: Town, i: int, begin: float, line: float, cause: int) -> tuple[float, int]:
    town.rows[i, HELD] = 1.0
    stop = line if line < begin - _BEFORE else begin - _BEFORE
    return max(stop, 0.0), cause


@compilable
def _is_closed(town: Town, lane: int, at: float, speed: float) -> bool:
    """Whether a signal stops one who can still stop."""
    state = town.signals[lane]
    if state < RED or state == GREEN or state > AMBER:
        return False
    needed = speed * speed / (2.0 * max(at, 0.1))
    return bool(needed <= (_AMBER_BRAKES if state == AMBER else _RED_BRAKES))


@compilable
def _by_sign(town: Town, i: int, line: float, lane: int) -> int:
    """Whether a sign makes a vehicle stop that has not stood at its line yet."""
    row, control = town.rows[i], town.lanes.controls[lane]
    if (control != _STOP and control != _ALL_WAY) or row[STOPPED_AT] == lane:
        return NOBODY
    if line < 2.5 and row[SPEED] < _STANDING:
        row[STOPPED_AT] = lane
        return NOBODY
    return RULE


@compilable
def _time_to(way: float, speed: float, gain: float) -> float:
    """Time [s] to go a way [m] with an acceleration [m/s²]."""
    if way <= 0.0:
        return 0.0
    return (-speed + sqrt(speed * speed + 2.0 * gain * way)) / gain


@compilable
def _blocking(town: Town, i: int, c: int, offset: float, length: float) -> int:
    """Who keeps a vehicle from taking a place that it has in common with another lane.

    Args:
        town: all.
        i: the vehicle.
        c: the conflict.
        offset: [m] how far ahead the own lane begins.
        length: [m] of that lane.
    """
    lanes, register, row = town.lanes, town.register, town.rows[i]
    other, code = lanes.conflicts[c, 0], lanes.conflicts[c, 1]
    waits = lanes.conflicts[c, 2]
    come, leave = lanes.spans[c, 2], lanes.spans[c, 3]
    out = -1.0
    k = register.heads[other]
    while k >= 0:
        u = register.who[k]
        front = -register.offsets[k]
        rear = front - register.lengths[u]
        k = register.nexts[k]
        if u == i or rear >= leave:
            continue
        if front > come or front + register.commits[u] > come:
            if code == MERGING and _is_behind(town, i, u, offset + length, other, front):
                continue
            return int(u)
        way = come - front
        if waits == 0:
            # Nobody goes first by a rule: who has stood longer does.
            if register.holds[u] == 1.0 and register.waits[u] > row[WAITED] and way < 2.0 * _LOOK:
                if register.speeds[u] < _STANDING and register.waits[u] < 20.0:
                    return int(u)
            continue
        if waits < 0 or register.holds[u] == 2.0:
            continue
        if register.speeds[u] < _STANDING and (
            u >= len(town.rows) or (register.holds[u] > 0.0 and register.waits[u] > _PATIENCE)
        ):
            continue
        if out < 0.0:
            way_out = offset + lanes.spans[c, 1] + town.sizes[i, 0]
            out = _time_to(way_out, row[SPEED], 0.8 * row[GAIN])
        if _time_to(way, register.speeds[u], _STARTS) < out + _MARGIN:
            return int(u)
    return NOBODY


@compilable
def _is_behind(town: Town, i: int, u: int, way: float, other: int, front: float) -> bool:
    """Whether a vehicle can come into a lane behind another one that comes there from beside."""
    row, register = town.rows[i], town.register
    gap = way - (town.lanes.lengths[other] - front) - register.lengths[u] - row[LEAST_GAP]
    return bool(gap > 0.0 and row[SPEED] <= safe_speed(gap, register.speeds[u], 1.0))


@compilable
def _full(town: Town, i: int, begin: float, end: float) -> int:
    """Who leaves no room behind a junction, or waits before it himself."""
    lanes, register, row = town.lanes, town.register, town.rows[i]
    needed = end + town.sizes[i, 0] + _ROOM
    queue, last = np.inf, NOBODY
    offset = -row[STATION]
    for place in range(int(row[FRONT]), int(row[COUNT])):
        lane = path_lane(row, place)
        if offset > needed + 50.0:
            break
        k = register.heads[lane]
        while k >= 0:
            u = register.who[k]
            front = -register.offsets[k]
            gap = offset + front - register.lengths[u]
            is_here = front > 0.0 and front - register.lengths[u] < lanes.lengths[lane]
            k = register.nexts[k]
            if u == i or not is_here or offset + front <= 0.0:
                continue
            if gap < begin and offset + front < end and register.commits[u] <= 0.0:
                if offset + front < begin:
                    return int(u)
            if register.speeds[u] < _SLOW and gap < queue:
                queue, last = gap, u
        offset += lanes.lengths[lane]
    if queue == np.inf:
        return NOBODY
    return last if queue - _between(town, i, queue) < needed else NOBODY


@compilable
def _between(town: Town, i: int, queue: float) -> float:
    """Length [m] of all who drive between a vehicle and the end of a queue."""
    lanes, register, row = town.lanes, town.register, town.rows[i]
    total, offset = 0.0, -row[STATION]
    for place in range(int(row[FRONT]), int(row[COUNT])):
        if offset > queue:
            break
        lane = path_lane(row, place)
        k = register.heads[lane]
        while k >= 0:
            u = register.who[k]
            front = -register.offsets[k]
            k = register.nexts[k]
            # Each counts on the lane under his front.
            if u != i and 0.0 < front <= lanes.lengths[lane] and 0.0 < offset + front < queue:
                total += register.lengths[u] + row[LEAST_GAP]
        offset += lanes.lengths[lane]
    return total
