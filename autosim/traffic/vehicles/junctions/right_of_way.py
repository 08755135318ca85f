"""Right of way at junctions: signals, signs, priority, and room behind the junction.

A vehicle enters only when it has the right of way on all overlaps of its path with others, up to
the next position where it can stop without blocking anyone. It keeps the right of way until it is
through, and no other vehicle gets it meanwhile; so two can never occupy the same place, whatever
the rules or the drivers decide. A vehicle that has to yield goes when none with priority is near.
"""

from typing import NamedTuple

import numpy as np

from autosim.jit import jitable
from autosim.traffic.vehicles.junctions.junction_exits import find_full_exit, find_queued
from autosim.traffic.vehicles.junctions.junction_passing import STANDING
from autosim.traffic.vehicles.junctions.junction_priority import (
    AT_SIGNAL,
    EXIT_BLOCKED,
    MAY_GO,
    WAITS,
    find_blocker,
    passes_beside,
)
from autosim.traffic.vehicles.lanes.lane_table import PARTING, LaneTable
from autosim.traffic.vehicles.traffic_context import NO_CAUSE, RULE, SIGNAL, TrafficContext
from autosim.traffic.vehicles.vehicle_pool import lane_on_path
from autosim.world.lanes.lane_rules import Control

_STOP, _ALL_WAY = int(Control.STOP), int(Control.ALL_WAY_STOP)

RED, RED_AMBER, GREEN, AMBER = 1, 2, 3, 4
"""Codes of what signals show."""

_ROOM = 1.0
"""Length [m] that a vehicle leaves between its rear and a junction."""

_REACTION = 0.6
"""Time [s] added to the look-ahead that a driver needs for stopping."""

_LOOK = 5.0
"""Length [m] added to that look-ahead, so that the driver sees all from the waiting position."""

_BEFORE = 0.5
"""Distance [m] from where others pass at which vehicles wait without a line."""

_TOUCHES = 3.0
"""Length [m] of a place in common up to which two ways only touch, at their beginnings or ends."""

_OVER_LINE = 0.3
"""Length [m] by which a front may be over a stop line and still wait at it."""

_FAR = 60.0
"""Way [m] beyond what one needs to stop in which a driver looks for junctions at all."""

_AMBER_BRAKES, _RED_BRAKES = 3.0, 6.0
"""Decelerations [m/s²] up to which drivers stop at amber, and at red."""

_HELD_WITHIN = 8.0
"""Time [s] of its own green for which a vehicle waits before a junction for a second signal in it,
before which it has no room. Then it waits in the junction: both might never be green together."""

_GIVES_BACK = 3.0
"""Time [s] after which one who has the right of way and cannot use it gives it to others."""


@jitable
def find_stop(town: TrafficContext, i: int, most: float, interval: float) -> tuple[float, int]:
    """Distance [m] within which a vehicle has to stop for others or for a signal, and the cause.

    Takes the right of way on everything up to the next place to stop, if none prevents that. A line
    whose signal has closed since then holds the vehicle nevertheless.

    Args:
        town: all.
        i: the vehicle.
        most: [m] how far ahead it goes at all: what begins beyond is left to others.
        interval: [s] to the next decision.
    """
    closed = _revoke(town, i)
    stop, cause = _find_stop(town, i, min(most, closed), interval)
    if closed < stop:
        town.rows[i].held = AT_SIGNAL
        return closed, SIGNAL
    return stop, cause


@jitable
def _revoke(town: TrafficContext, i: int) -> float:
    """Withdraws the right of way beyond a line whose signal has closed since it was given.

    Keeps it for what lies before the line, and for what the vehicle is in already.

    Returns:
        Distance [m] to where the vehicle has to wait; infinite where no such line has closed, or
        where it can no longer stop.
    """
    lanes, row, speed = town.lanes, town.rows[i], town.rows[i].speed
    offset, line, kept = -row.station, np.inf, 0.0
    line_lane, line_offset = -1, 0.0
    for place in range(row.front, row.count):
        lane = lane_on_path(row, place)
        at = offset + lanes.stop_lines[lane]
        if offset > row.committed or line < np.inf:
            break
        if 0.0 <= at <= row.committed and _is_closed(town, lane, at, speed):
            line, line_lane, line_offset = at, lane, offset
        for c in range(lanes.conflict_starts[lane], lanes.conflict_starts[lane + 1]):
            first, last = offset + lanes.spans[c, 0], offset + lanes.spans[c, 1]
            if lanes.conflicts[c, 1] != PARTING and (first <= 0.0 or last <= line):
                kept = max(kept, last)
        offset += lanes.lengths[lane]
    if line == np.inf:
        return np.inf
    row.committed = min(row.committed, kept)
    town.register.commits[i] = row.committed
    return max(_clear_of_line(town, i, line_lane, line_offset, line, speed), 0.0)


@jitable
def _find_stop(town: TrafficContext, i: int, most: float, interval: float) -> tuple[float, int]:
    """The part of `find_stop` that takes the right of way, with the same arguments."""
    row, speed = town.rows[i], town.rows[i].speed
    reach = speed * speed / (2.0 * row.ease) + _REACTION * speed + _LOOK
    if row.committed > 0.0 and row.waited > _GIVES_BACK and row.blocker >= 0:
        _give_back(town, i)
    ahead = _look_ahead(town, i, reach, most, interval)
    begin, end, line = ahead.begin, ahead.end, ahead.line
    cause, held, beside = ahead.cause, ahead.held, ahead.beside
    row.held, row.wants = MAY_GO, 0.0
    if begin == np.inf:
        row.held = held
        row.held_within *= held == AT_SIGNAL
        _take(town, i, min(beside, line) if held == AT_SIGNAL else beside)
        return (max(line, 0.0), SIGNAL) if held == AT_SIGNAL else (np.inf, NO_CAUSE)
    if cause == NO_CAUSE and begin > 0.0:
        cause = find_queued(town, i, begin)
        if cause == NO_CAUSE:
            cause = find_full_exit(town, i, end, ahead.is_shared)
        held = EXIT_BLOCKED if cause != NO_CAUSE else held
    if cause == NO_CAUSE and ahead.line_lane >= 0 and line < begin:
        cause = _by_sign(town, i, line, ahead.line_lane)
    stop = min(line, begin - _BEFORE)
    if cause != NO_CAUSE:
        row.held = held if held != MAY_GO else WAITS
        row.wants = end
        _take(town, i, min(beside, stop))
        return max(stop, 0.0), cause
    if min(line, begin) > reach:
        _take(town, i, min(beside, stop))
        return stop, NO_CAUSE
    row.committed = 0.0
    _take(town, i, end)
    return np.inf, NO_CAUSE


@jitable
def _take(town: TrafficContext, i: int, end: float) -> None:
    """Gives a vehicle the right of way up to `end` [m] ahead."""
    if end > town.rows[i].committed:
        town.rows[i].committed = town.register.commits[i] = end


class JunctionAhead(NamedTuple):
    """All that a vehicle has in common with others up to the next place to stand."""

    begin: float
    """Distance [m] to where it begins; infinite where there is nothing."""
    end: float
    """Distance [m] to where it ends."""
    line: float
    """Distance [m] to the stop line before it; infinite without one."""
    line_lane: int
    """Number of the lane of that line; -1 without one."""
    cause: int
    """Number or code of what prevents the vehicle from going."""
    held: int
    """`AT_SIGNAL` if a signal does, else `MAY_GO`."""
    is_shared: bool
    """Whether the vehicle must not stand there."""
    beside: float
    """Distance [m] to the end of the parts on which the vehicle passes narrow ones side by side."""


@jitable
def _look_ahead(
    town: TrafficContext, i: int, reach: float, most: float, interval: float
) -> JunctionAhead:
    """Looks through all that a vehicle has in common with others up to the next place to stand."""
    lanes, row, speed = town.lanes, town.rows[i], town.rows[i].speed
    offset, line, line_lane = -row.station, np.inf, -1
    begin, end, cause, is_shared, beside = np.inf, -np.inf, NO_CAUSE, False, 0.0
    # Lines up to where it has the right of way are behind it, whether it has moved or not.
    passed = row.committed if row.committed > 0.0 else -_OVER_LINE
    for place in range(row.front, row.count):
        lane = lane_on_path(row, place)
        at = offset + lanes.stop_lines[lane]
        is_line = passed < at < most
        inner = _clear_of_line(town, i, lane, offset, at, speed) if is_line else np.inf
        if is_line and begin == np.inf:
            line, line_lane = at, lane
        stop = lanes.conflict_starts[lane + 1]
        for c in range(lanes.conflict_starts[lane], stop + 1):
            first, last = _span(lanes, c, stop, offset)
            if inner < np.inf and inner <= first:
                held = _held_at(town, i, inner, begin, end, lane == line_lane, interval)
                line = min(line, inner)
                cause = SIGNAL if held == AT_SIGNAL else cause
                return JunctionAhead(begin, end, line, line_lane, cause, held, is_shared, beside)
            if c == stop or not _is_open(town, i, c, last):
                continue
            next_begin = _next_begin(begin, end, town.sizes[i].length + row.least_gap, reach)
            if first > min(next_begin, most):
                return JunctionAhead(begin, end, line, line_lane, cause, MAY_GO, is_shared, beside)
            waits = lanes.conflicts[c, 2]
            is_ahead = first > 0.0 and cause == NO_CAUSE
            cause = find_blocker(town, i, c, offset, lane, waits) if is_ahead else cause
            if cause == NO_CAUSE and passes_beside(town, i, c):
                beside = max(beside, last) if first <= reach else beside
                continue
            begin, end = min(begin, first), max(end, last)
            # One with priority may stop there: otherwise a full roundabout would never move.
            is_shared |= waits > 0 or (waits == 0 and last - first > _TOUCHES)
        offset += lanes.lengths[lane]
    return JunctionAhead(begin, end, line, line_lane, cause, MAY_GO, is_shared, beside)


@jitable
def _span(lanes: LaneTable, c: int, stop: int, offset: float) -> tuple[float, float]:
    """From where to where [m] ahead a conflict is on a lane; infinite behind its last one."""
    if c == stop:
        return np.inf, np.inf
    return offset + lanes.spans[c, 0], offset + lanes.spans[c, 1]


@jitable
def _held_at(
    town: TrafficContext,
    i: int,
    line: float,
    begin: float,
    end: float,
    is_first: bool,
    interval: float,
) -> int:
    """Whether a red line keeps a vehicle from a conflict that lies before the line.

    Args:
        town: all; the vehicle's row is written.
        i: the vehicle.
        line: [m] how far ahead it would wait.
        begin: [m] how far ahead the conflict begins, infinite for none.
        end: [m] where it ends.
        is_first: whether this is the first line ahead; else the vehicle has green at one before it.
        interval: [s] to the next decision.

    Returns:
        `MAY_GO` where it can stop before the line without blocking anyone, and after some time
        where it cannot: then it waits in the junction. Else `AT_SIGNAL`.
    """
    row = town.rows[i]
    if begin < np.inf and line >= end + town.sizes[i].length + _ROOM:
        return MAY_GO
    if begin == np.inf or is_first:
        return AT_SIGNAL
    if row.held_within >= _HELD_WITHIN:
        return MAY_GO
    if row.speed < STANDING:
        row.held_within += interval
    return AT_SIGNAL


@jitable
def _clear_of_line(
    town: TrafficContext, i: int, lane: int, offset: float, at: float, speed: float
) -> float:
    """Distance [m] at which to wait for green, so that others can pass before the line `at` [m].

    Infinite where the line is open, or too near for the speed [m/s].
    """
    lanes, stop = town.lanes, at
    if not _is_closed(town, lane, at, speed):
        return np.inf
    for c in range(lanes.conflict_starts[lane], lanes.conflict_starts[lane + 1]):
        first, last = offset + lanes.spans[c, 0], offset + lanes.spans[c, 1]
        is_at_line = _BEFORE < first < at + _BEFORE and last > at - _BEFORE
        if is_at_line and _is_open(town, i, c, last) and not passes_beside(town, i, c):
            stop = min(stop, first - _BEFORE)
    return stop


@jitable
def _next_begin(begin: float, end: float, length: float, reach: float) -> float:
    """Largest distance [m] to the parts of a junction that ends at `end` so far."""
    return end + length + _ROOM if begin < np.inf else reach + _FAR


@jitable
def _is_open(town: TrafficContext, i: int, c: int, last: float) -> bool:
    """Whether a vehicle has yet to get the right of way up to `last` [m] ahead."""
    if last < -town.sizes[i].length or last <= town.rows[i].committed + 1e-6:
        return False
    return bool(town.lanes.conflicts[c, 1] != PARTING)


@jitable
def _is_closed(town: TrafficContext, lane: int, at: float, speed: float) -> bool:
    """Whether a signal stops one who can still stop."""
    state = town.signals[lane]
    if state < RED or state == GREEN or state > AMBER:
        return False
    needed = speed * speed / (2.0 * max(at, 0.1))
    return bool(needed <= (_AMBER_BRAKES if state == AMBER else _RED_BRAKES))


@jitable
def _by_sign(town: TrafficContext, i: int, line: float, lane: int) -> int:
    """Whether a sign makes a vehicle stop that has not stood at its line yet."""
    row, control = town.rows[i], town.lanes.controls[lane]
    if (control != _STOP and control != _ALL_WAY) or row.stopped_at == lane:
        return NO_CAUSE
    if line < 2.5 and row.speed < STANDING:
        row.stopped_at = lane
        return NO_CAUSE
    return RULE


@jitable
def _give_back(town: TrafficContext, i: int) -> None:
    """Keeps the right of way only for places that the vehicle has come to already."""
    lanes, row = town.lanes, town.rows[i]
    offset, kept = -row.station, 0.0
    for place in range(row.front, row.count):
        if offset > row.committed:
            break
        lane = lane_on_path(row, place)
        for c in range(lanes.conflict_starts[lane], lanes.conflict_starts[lane + 1]):
            if lanes.conflicts[c, 1] != PARTING and offset + lanes.spans[c, 0] <= 0.0:
                kept = max(kept, offset + lanes.spans[c, 1])
        offset += lanes.lengths[lane]
    row.committed = min(row.committed, kept)
    town.register.commits[i] = row.committed
