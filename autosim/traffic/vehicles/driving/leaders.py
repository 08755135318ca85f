"""Leader of a vehicle: on its path, merging out of a junction, or changing into its lane."""

import numpy as np

from autosim.jit import jitable
from autosim.traffic.vehicles.lanes.lane_table import LEAVING, MERGING, PARTING
from autosim.traffic.vehicles.traffic_context import NO_CAUSE, TrafficContext
from autosim.traffic.vehicles.vehicle_pool import (
    lane_on_path,
)

_ACROSS = 0.75
"""Share of a lane change after which vehicles on the old lane no longer count as ahead."""


@jitable
def find_leader(town: TrafficContext, i: int, horizon: float) -> tuple[float, float, int]:
    """Gap [m], speed [m/s] and number of a vehicle's leader; infinite gap for none."""
    lanes, register, row = town.lanes, town.register, town.rows[i]
    gap, ahead, who = np.inf, 0.0, NO_CAUSE
    offset = -row.station
    for place in range(row.front, row.count):
        if offset > horizon or offset > gap:
            break
        lane = lane_on_path(row, place)
        g, u = _on_lane(town, i, lane, offset)
        if g < gap:
            gap, ahead, who = g, register.speeds[u], u
        for c in range(lanes.conflict_starts[lane], lanes.conflict_starts[lane + 1]):
            code = lanes.conflicts[c, 1]
            if code in (PARTING, LEAVING):
                g, u = find_parted(town, i, c, offset)
            elif code == MERGING:
                g, u = _merging(town, i, c, offset + lanes.lengths[lane])
            else:
                continue
            if g < gap:
                gap, ahead, who = g, register.speeds[u], u
        offset += lanes.lengths[lane]
    if row.old_lane >= 0 and row.changed < _ACROSS * row.change_length:
        g, u = _on_lane(town, i, row.old_lane, -row.station - row.old_shift)
        if g < gap:
            gap, ahead, who = g, register.speeds[u], u
    return gap, ahead, who


@jitable
def _on_lane(town: TrafficContext, i: int, lane: int, offset: float) -> tuple[float, int]:
    """Gap [m] to the nearest on a lane that begins `offset` [m] ahead, and its number."""
    register = town.register
    gap, who, length = np.inf, NO_CAUSE, town.lanes.lengths[lane]
    k = register.heads[lane]
    while k >= 0:
        u = register.who[k]
        front = -register.offsets[k]
        rear = front - register.lengths[u]
        k = register.nexts[k]
        if u == i or front <= 0.0 or rear >= length:
            continue
        is_ahead = offset + front > 0.0 or (offset + front == 0.0 and u < i)
        if is_ahead and offset + rear < gap:
            gap, who = offset + rear, u
    return gap, who


@jitable
def find_parted(town: TrafficContext, i: int, c: int, offset: float) -> tuple[float, int]:
    """Gap [m] to the nearest who has taken another way and is still beside it, and who it is.

    Args:
        town: all.
        i: the vehicle.
        c: the conflict of both ways, whose lane begins `offset` [m] ahead.
        offset: [m].
    """
    register = town.register
    gap, who = np.inf, NO_CAUSE
    offset += town.lanes.shifts[c]
    k = register.heads[town.lanes.conflicts[c, 0]]
    while k >= 0:
        u = register.who[k]
        front = -register.offsets[k]
        rear = front - register.lengths[u]
        k = register.nexts[k]
        if u == i or front <= 0.0 or rear >= town.lanes.spans[c, 3]:
            continue
        if offset + front > 0.0 and offset + rear < gap and rear > 0.0:
            gap, who = offset + rear, u
    return gap, who


@jitable
def _merging(town: TrafficContext, i: int, c: int, way: float) -> tuple[float, int]:
    """The same for those who come into the same lane and are nearer to it than `way` [m]."""
    register = town.register
    gap, who = np.inf, NO_CAUSE
    other = town.lanes.conflicts[c, 0]
    k = register.heads[other]
    while k >= 0:
        u = register.who[k]
        front = -register.offsets[k]
        theirs = town.lanes.lengths[other] - front
        rear = front - register.lengths[u]
        is_in = front + max(register.commits[u], 0.0) > town.lanes.spans[c, 2]
        k = register.nexts[k]
        if u == i or not is_in or rear >= town.lanes.lengths[other]:
            continue
        if theirs < way and -1.0 < way - theirs - register.lengths[u] < gap:
            gap, who = way - theirs - register.lengths[u], u
    return gap, who
