"""Room behind a junction, and vehicles between a vehicle and the junction."""

import numpy as np

from autosim.jit import jitable
from autosim.traffic.vehicles.driving.leaders import find_leader, find_parted
from autosim.traffic.vehicles.junctions.junction_passing import CHAIN, is_waiting_for
from autosim.traffic.vehicles.junctions.junction_priority import MAY_GO
from autosim.traffic.vehicles.lanes.lane_table import PARTING
from autosim.traffic.vehicles.traffic_context import NO_CAUSE, RULE, SIGNAL, TrafficContext
from autosim.traffic.vehicles.vehicle_pool import lane_on_path

_ROOM = 1.0
"""Length [m] that a vehicle leaves between its rear and a junction."""

_FOR_ANOTHER = 7.0
"""Room [m] for one more car: a vehicle that leaves this much behind it does not fill a street."""

_CIRCLE_GAP = 25.0
"""Gap [m] over which the queues of a circle may have holes while some of them have red."""

_SLOW = 2.5
"""Speed [m/s] below which a queue behind a junction counts as standing and may fill the road."""

_STANDS_WITHIN = 1.0
"""Length [m] of right of way that is useless to a standing vehicle: it would block as before."""

_MOVES_UP_AFTER = 8.0
"""Waiting time [s] after which a vehicle of a circle moves up although it has no room behind the
junction: drivers of SUMO, too, may ignore after a time that junctions are to be kept clear
(`jmIgnoreKeepClearTime`)."""

_MOVES_UP_BY = 1.0
"""Way [m] that it moves up by at least."""


@jitable
def find_queued(town: TrafficContext, i: int, begin: float) -> int:
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
    return NO_CAUSE


@jitable
def _cannot_go(town: TrafficContext, u: int) -> bool:
    """Whether a vehicle is held, and has no right of way except where it stands."""
    register = town.register
    return bool(register.holds[u] != MAY_GO and register.commits[u] <= _STANDS_WITHIN)


@jitable
def find_full_exit(town: TrafficContext, i: int, end: float, is_shared: bool) -> int:
    """The vehicle that leaves no room behind a junction that ends `end` [m] ahead.

    In one that is not shared, or has priority anyway, only the last room of a circle counts. A
    vehicle of a circle that stands within a junction moves up all the same, see `_moves_up`.
    """
    lanes, register, row = town.lanes, town.register, town.rows[i]
    needed = end + town.sizes[i].length + _ROOM
    queue, last, at = np.inf, NO_CAUSE, -1
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
        return NO_CAUSE
    room = queue - _between(town, i, queue)
    if is_shared and room < needed:
        return NO_CAUSE if _moves_up(town, i, last, room) else last
    if room - needed < _FOR_ANOTHER and _closes_circle(town, i, last, at):
        return last
    return NO_CAUSE


@jitable
def _moves_up(town: TrafficContext, i: int, last: int, room: float) -> bool:
    """Whether a vehicle drives `room` [m] up to the last one of a queue that waits for it.

    It does so from within a junction alone, where it is in the way of others already: another one
    of the circle may wait for the place that it leaves. One on a street would block a junction.
    """
    row = town.rows[i]
    if not town.lanes.connectors[lane_on_path(row, row.front)]:
        return False
    if row.waited < _MOVES_UP_AFTER or room < row.least_gap + _MOVES_UP_BY:
        return False
    return is_waiting_for(town, last, i)


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
