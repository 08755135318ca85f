"""Right of way at junctions: signals, signs, priority, and room behind the junction.

A vehicle enters only when it has the right of way on all overlaps of its path with others, up to
the next position where it can stop without blocking anyone. It keeps the right of way until it is
through, and no other vehicle gets it meanwhile; so two can never occupy the same place, whatever
the rules or the drivers decide. A vehicle that has to yield goes when none with priority is near.
"""

from math import sqrt

import numpy as np

from autosim.jit import jitable
from autosim.traffic.vehicles.car_following import safe_speed
from autosim.traffic.vehicles.junction_passing import CHAIN, STANDING, is_waiting_for, may_pass
from autosim.traffic.vehicles.lane_table import LEAVING, MERGING, NARROW, PARTING, LaneTable
from autosim.traffic.vehicles.leaders import find_leader, find_parted
from autosim.traffic.vehicles.traffic_context import NOBODY, RULE, SIGNAL, TrafficContext
from autosim.traffic.vehicles.vehicle_pool import (
    lane_on_path,
)
from autosim.world.lanes.lane_rules import Control

_STOP, _ALL_WAY = int(Control.STOP), int(Control.ALL_WAY_STOP)

RED, RED_AMBER, GREEN, AMBER = 1, 2, 3, 4
"""Codes of what signals show."""

MAY_GO, WAITS, AT_SIGNAL, EXIT_BLOCKED = 0, 1, 2, 3
"""Codes of why a vehicle is held: not at all; for others; by a signal; no room to go to."""

_MARGIN = 1.0
"""Time gap [s] that a yielding vehicle leaves to the others."""

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

_PATIENCE = 1.0
"""Standing time [s] of a vehicle with priority after which others take it as yielding."""

_LET_IN = 40.0
"""Waiting time [s] after which others let a vehicle in: few drivers watch it for longer."""

_COURTESY = 8.0
"""Longest time [s] for which a vehicle lets another in; then it goes itself, else all might
wait."""

_FAIR = 0.3
"""Share of a vehicle's waiting time for which another one may wait for it in turn."""

_FAR = 60.0
"""Way [m] beyond what one needs to stop in which a driver looks for junctions at all."""

_FOR_ANOTHER = 7.0
"""Room [m] for one more car: a vehicle that leaves this much behind it does not fill a street."""

_CIRCLE_GAP = 25.0
"""Gap [m] over which the queues of a circle may have holes while some of them have red."""

_SLOW = 2.5
"""Speed [m/s] below which a queue behind a junction counts as standing and may fill the road."""

_AMBER_BRAKES, _RED_BRAKES = 3.0, 6.0
"""Decelerations [m/s²] up to which drivers stop at amber, and at red."""

_STARTS = 1.0
"""Acceleration [m/s²] that is expected of others who come: a brisk start."""

_OVER_LIMIT = 1.2
"""Share of the limit that is expected of others who come: few drive faster."""

_HELD_WITHIN = 8.0
"""Time [s] of its own green for which a vehicle waits before a junction for a second signal in it,
before which it has no room. Then it waits in the junction: both might never be green together."""

_STANDS_WITHIN = 1.0
"""Length [m] of right of way that is useless to a standing vehicle: it would block as before."""

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
    begin, end, line, line_lane, cause, held, is_shared, beside = _look_ahead(
        town, i, reach, most, interval
    )
    row.held, row.wants = MAY_GO, 0.0
    if begin == np.inf:
        row.held = held
        row.held_within *= held == AT_SIGNAL
        _take(town, i, min(beside, line) if held == AT_SIGNAL else beside)
        return (max(line, 0.0), SIGNAL) if held == AT_SIGNAL else (np.inf, NOBODY)
    if cause == NOBODY and begin > 0.0:
        cause = _in_line(town, i, begin)
        if cause == NOBODY:
            cause = _full(town, i, end, is_shared)
        held = EXIT_BLOCKED if cause != NOBODY else held
    if cause == NOBODY and line_lane >= 0 and line < begin:
        cause = _by_sign(town, i, line, line_lane)
    stop = min(line, begin - _BEFORE)
    if cause != NOBODY:
        row.held = held if held != MAY_GO else WAITS
        row.wants = end
        _take(town, i, min(beside, stop))
        return max(stop, 0.0), cause
    if min(line, begin) > reach:
        _take(town, i, min(beside, stop))
        return stop, NOBODY
    row.committed = 0.0
    _take(town, i, end)
    return np.inf, NOBODY


@jitable
def _take(town: TrafficContext, i: int, end: float) -> None:
    """Gives a vehicle the right of way up to `end` [m] ahead."""
    if end > town.rows[i].committed:
        town.rows[i].committed = town.register.commits[i] = end


@jitable
def _look_ahead(
    town: TrafficContext, i: int, reach: float, most: float, interval: float
) -> tuple[float, float, float, int, int, int, bool, float]:
    """Looks through all that a vehicle has in common with others up to the next place to stand.

    Returns:
        Where [m] ahead it begins and where it ends, infinite where there is nothing; where the
        stop line before it is, infinite without one, and its lane; who prevents the vehicle from
        going, and whether a signal does (`AT_SIGNAL`); and whether it must not stand there. Then
        where [m] ahead that ends on which it passes beside narrow vehicles, but not beside others.
    """
    lanes, row, speed = town.lanes, town.rows[i], town.rows[i].speed
    offset, line, line_lane = -row.station, np.inf, -1
    begin, end, cause, is_shared, beside = np.inf, -np.inf, NOBODY, False, 0.0
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
                return begin, end, line, line_lane, cause, held, is_shared, beside
            if c == stop or not _is_open(town, i, c, last):
                continue
            next_begin = _next_begin(begin, end, town.sizes[i].length + row.least_gap, reach)
            if first > min(next_begin, most):
                return begin, end, line, line_lane, cause, MAY_GO, is_shared, beside
            waits = lanes.conflicts[c, 2]
            is_ahead = first > 0.0 and cause == NOBODY
            cause = _blocking(town, i, c, offset, lane, waits) if is_ahead else cause
            if cause == NOBODY and _is_beside(town, i, c):
                beside = max(beside, last) if first <= reach else beside
                continue
            begin, end = min(begin, first), max(end, last)
            # One with priority may stop there: otherwise a full roundabout would never move.
            is_shared |= waits > 0 or (waits == 0 and last - first > _TOUCHES)
        offset += lanes.lengths[lane]
    return begin, end, line, line_lane, cause, MAY_GO, is_shared, beside


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
        if is_at_line and _is_open(town, i, c, last) and not _is_beside(town, i, c):
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
def is_narrow(town: TrafficContext, who: int) -> bool:
    """Whether a road user is narrow, see `LaneTable`; robots, who keep to no lane, are not."""
    return bool(who < len(town.rows) and town.sizes[who].width <= NARROW)


@jitable
def _is_beside(town: TrafficContext, i: int, c: int) -> bool:
    """Whether a vehicle passes beside another narrow one at a conflict."""
    return bool(town.lanes.conflicts[c, 4] != 0 and is_narrow(town, i))


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
        return NOBODY
    if line < 2.5 and row.speed < STANDING:
        row.stopped_at = lane
        return NOBODY
    return RULE


@jitable
def _time_to(way: float, speed: float, gain: float) -> float:
    """Time [s] to go a way [m] with an acceleration [m/s²]."""
    if way <= 0.0:
        return 0.0
    return (-speed + sqrt(speed * speed + 2.0 * gain * way)) / gain


@jitable
def _time_to_come(way: float, speed: float, limit: float) -> float:
    """Least time [s] in which others come a way [m]: they accelerate to a little over the limit."""
    most = max(speed, _OVER_LIMIT * limit)
    gained = (most * most - speed * speed) / (2.0 * _STARTS)
    if way <= gained:
        return _time_to(way, speed, _STARTS)
    return (most - speed) / _STARTS + (way - gained) / most


@jitable
def _blocking(town: TrafficContext, i: int, c: int, offset: float, lane: int, waits: int) -> int:
    """The one that keeps a vehicle from taking a place shared with another lane.

    Args:
        town: all.
        i: the vehicle.
        c: the conflict.
        offset: [m] distance to the beginning of its own lane.
        lane: that lane.
        waits: 1 if it yields to others who come, -1 if they yield, 0 without a rule.
    """
    lanes, register, row = town.lanes, town.register, town.rows[i]
    other, code = lanes.conflicts[c, 0], lanes.conflicts[c, 1]
    come, leave = lanes.spans[c, 2], lanes.spans[c, 3]
    out, is_beside = -1.0, _is_beside(town, i, c)
    k = register.heads[other]
    while k >= 0:
        u = register.who[k]
        front = -register.offsets[k]
        rear = front - register.lengths[u]
        k = register.nexts[k]
        if u == i or rear >= leave or (is_beside and is_narrow(town, u)):
            continue
        if front > come or front + register.commits[u] > come:
            if _can_follow(town, i, u, c, offset + lanes.lengths[lane], front):
                continue
            if may_pass(town, i, u, offset + lanes.spans[c, 1] + town.sizes[i].length):
                continue
            return int(u)
        way = come - front
        if _has_waited_long(town, i, u, way, code == MERGING):
            return int(u)
        if waits < 0 or not _is_heeded(town, i, u, waits, way):
            continue
        if out < 0.0:
            way_out = offset + lanes.spans[c, 1] + town.sizes[i].length
            out = _time_to(way_out, row.speed, 0.8 * row.gain)
        if _time_to_come(way, register.speeds[u], lanes.limits[other]) < out + _MARGIN:
            return int(u)
    return NOBODY


@jitable
def _can_follow(town: TrafficContext, i: int, u: int, c: int, end: float, front: float) -> bool:
    """Whether a vehicle can follow another one that has the right of way where both lanes overlap.

    Args:
        town: all.
        i: the vehicle.
        u: the other one.
        c: the conflict.
        end: [m] how far ahead the own lane ends.
        front: [m] where the front of the other one is on its lane.
    """
    code = town.lanes.conflicts[c, 1]
    if code == LEAVING:
        # It came from the same lane and drives on: `find_leader` keeps the gap.
        return bool(town.register.speeds[u] >= _SLOW)
    return code == MERGING and _is_behind(town, i, u, end, town.lanes.conflicts[c, 0], front)


@jitable
def _has_waited_long(town: TrafficContext, i: int, u: int, way: float, merges: bool) -> bool:
    """Whether a vehicle lets in one who has waited for long, but does not do so for long itself.

    Where both come into one lane, it also leaves the next room there to one who waits for that.
    """
    rows, register = town.rows, town.register
    if u >= len(rows) or way > rows[u].wants:
        return False
    if register.holds[u] != WAITS and not (merges and register.holds[u] == EXIT_BLOCKED):
        return False
    waited = register.waits[u]
    if waited <= _LET_IN or rows[i].waited > max(_COURTESY, _FAIR * waited):
        return False
    # Not for one that waits for this very vehicle, or in a queue: it could not go.
    blocker = rows[u].blocker
    if is_waiting_for(town, u, i):
        return False
    own = lane_on_path(rows[u], rows[u].front)
    return not (blocker >= 0 and lane_on_path(rows[blocker], rows[blocker].front) == own)


@jitable
def _is_heeded(town: TrafficContext, i: int, u: int, waits: int, way: float) -> bool:
    """Whether a vehicle waits for one that approaches a shared place and has yet to take it.

    Args:
        town: all.
        i: the vehicle.
        u: the other one.
        waits: 1 if a rule makes the vehicle yield to the other, 0 if there is no rule.
        way: [m] distance of the other to that place.
    """
    register, row = town.register, town.rows[i]
    held, waited = register.holds[u], register.waits[u]
    if held >= AT_SIGNAL or row.waited > _LET_IN:
        return False
    stands = register.speeds[u] < STANDING
    if stands and is_waiting_for(town, u, i):
        return False
    if waits == 0:
        # No rule decides: the one that has been standing longer goes first.
        return bool(stands and held == WAITS and waited > row.waited and way < 2.0 * _LOOK)
    if stands and u >= len(town.rows):
        return False
    return not (stands and held == WAITS and waited > _PATIENCE and row.waited > waited)


@jitable
def _is_behind(town: TrafficContext, i: int, u: int, way: float, other: int, front: float) -> bool:
    """Whether a vehicle can come into a lane behind another one that comes there from beside."""
    row, register = town.rows[i], town.register
    gap = way - (town.lanes.lengths[other] - front) - register.lengths[u] - row.least_gap
    return bool(gap > 0.0 and row.speed <= safe_speed(gap, register.speeds[u], 1.0))


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


@jitable
def _in_line(town: TrafficContext, i: int, begin: float) -> int:
    """The one between a vehicle and a junction that has no right of way there itself.

    Had the vehicle taken it earlier, neither of them could use it.
    """
    lanes, register, row = town.lanes, town.register, town.rows[i]
    offset = -row.station
    for place in range(row.front, row.count):
        lane = lane_on_path(row, place)
        if offset > begin:
            break
        k = register.heads[lane]
        while k >= 0:
            u = register.who[k]
            front = -register.offsets[k]
            k = register.nexts[k]
            is_here = front > 0.0 and front - register.lengths[u] < lanes.lengths[lane]
            if u != i and is_here and 0.0 < offset + front < begin and _cannot_go(town, u):
                return int(u)
        for c in range(lanes.conflict_starts[lane], lanes.conflict_starts[lane + 1]):
            if lanes.conflicts[c, 1] == PARTING:
                gap, u = find_parted(town, i, c, offset)
                if gap < begin and _cannot_go(town, u):
                    return u
        offset += lanes.lengths[lane]
    return NOBODY


@jitable
def _cannot_go(town: TrafficContext, u: int) -> bool:
    """Whether a vehicle is held, and has no right of way except where it stands."""
    register = town.register
    return bool(register.holds[u] != MAY_GO and register.commits[u] <= _STANDS_WITHIN)


@jitable
def _full(town: TrafficContext, i: int, end: float, is_shared: bool) -> int:
    """The vehicle that leaves no room behind a junction that ends `end` [m] ahead.

    In one that is not shared, or has priority anyway, only the last room of a circle counts.
    """
    lanes, register, row = town.lanes, town.register, town.rows[i]
    needed = end + town.sizes[i].length + _ROOM
    queue, last, at = np.inf, NOBODY, -1
    offset = -row.station
    for place in range(row.front, row.count):
        lane = lane_on_path(row, place)
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
            if register.speeds[u] < _SLOW and gap < queue:
                queue, last, at = gap, u, lane
        offset += lanes.lengths[lane]
    if queue == np.inf:
        return NOBODY
    left = queue - _between(town, i, queue) - needed
    is_full = is_shared and left < 0.0
    if is_full or (left < _FOR_ANOTHER and _closes_circle(town, i, last, at)):
        return last
    return NOBODY


@jitable
def _closes_circle(town: TrafficContext, i: int, u: int, street: int) -> bool:
    """Whether a vehicle would take the last room of a circle of queues, so that all would stand.

    Args:
        town: all.
        i: the vehicle, which comes into the circle from outside.
        u: the last one of the queue that it would join.
        street: the lane on which that one stands.
    """
    rows, own = town.rows, lane_on_path(town.rows[i], town.rows[i].front)
    for _ in range(CHAIN):
        if u < 0 or u == i or u >= len(rows) or rows[u].speed >= _SLOW:
            return False
        row, comes = rows[u], False
        for place in range(row.front + 1, row.count):
            lane = lane_on_path(row, place)
            if lane == own:
                return False
            comes |= lane == street
        if comes:
            return True
        blocker = row.blocker
        u = find_leader(town, u, _CIRCLE_GAP)[2] if blocker in (SIGNAL, RULE) else blocker
    return False


@jitable
def _between(town: TrafficContext, i: int, queue: float) -> float:
    """Length [m] of all who drive between a vehicle and the end of a queue."""
    lanes, register, row = town.lanes, town.register, town.rows[i]
    total, offset = 0.0, -row.station
    for place in range(row.front, row.count):
        if offset > queue:
            break
        lane = lane_on_path(row, place)
        k = register.heads[lane]
        while k >= 0:
            u = register.who[k]
            front = -register.offsets[k]
            k = register.nexts[k]
            # Each counts on the lane under its front.
            if u != i and 0.0 < front <= lanes.lengths[lane] and 0.0 < offset + front < queue:
                total += register.lengths[u] + row.least_gap
        offset += lanes.lengths[lane]
    return total
