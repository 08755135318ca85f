"""Priority at a place that two lanes share: which other road user a vehicle waits for."""

from math import sqrt

from autosim.jit import jitable
from autosim.traffic.vehicles.driving.car_following import safe_speed
from autosim.traffic.vehicles.junctions.junction_passing import STANDING, is_waiting_for, may_pass
from autosim.traffic.vehicles.lanes.lane_table import LEAVING, MERGING, NARROW
from autosim.traffic.vehicles.traffic_context import NO_CAUSE, TrafficContext
from autosim.traffic.vehicles.vehicle_pool import lane_on_path

MAY_GO, WAITS, AT_SIGNAL, EXIT_BLOCKED = 0, 1, 2, 3
"""Codes of why a vehicle is held: not at all; for others; by a signal; no room to go to."""

_MARGIN = 1.0
"""Time gap [s] that a yielding vehicle leaves to the others."""

_LOOK = 5.0
"""Length [m] added to that look-ahead, so that the driver sees all from the waiting position."""

_PATIENCE = 1.0
"""Standing time [s] of a vehicle with priority after which others take it as yielding."""

_LET_IN = 40.0
"""Waiting time [s] after which others let a vehicle in: few drivers watch it for longer."""

_COURTESY = 8.0
"""Longest time [s] for which a vehicle lets another in; then it goes itself, else all might
wait."""

_FAIR = 0.3
"""Share of a vehicle's waiting time for which another one may wait for it in turn."""

_SLOW = 2.5
"""Speed [m/s] below which a queue behind a junction counts as standing and may fill the road."""

_STARTS = 1.0
"""Acceleration [m/s²] that is expected of others who come: a brisk start."""

_OVER_LIMIT = 1.2
"""Share of the limit that is expected of others who come: few drive faster."""


@jitable
def is_narrow(town: TrafficContext, who: int) -> bool:
    """Whether a road user is narrow, see `LaneTable`; robots, who keep to no lane, are not."""
    return bool(who < len(town.rows) and town.sizes[who].width <= NARROW)


@jitable
def passes_beside(town: TrafficContext, i: int, c: int) -> bool:
    """Whether a vehicle passes beside another narrow one at a conflict."""
    return bool(town.lanes.conflicts[c, 4] != 0 and is_narrow(town, i))


@jitable
def find_blocker(town: TrafficContext, i: int, c: int, offset: float, lane: int, waits: int) -> int:
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
    out, is_beside = -1.0, passes_beside(town, i, c)
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
    return NO_CAUSE


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
