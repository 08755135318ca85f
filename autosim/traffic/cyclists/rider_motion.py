"""Moves cyclists as they have decided, and never into other road users."""

import numpy as np

from autosim.arrays import Floats
from autosim.jit import compiled, jitable
from autosim.portable import sin_cos, wrapped
from autosim.traffic.cyclists.rider_collisions import box_of_rider, overlaps_person
from autosim.traffic.cyclists.rider_rows import HALF_LENGTH, HALF_WIDTH, RiderRow
from autosim.traffic.road_users import B, W
from autosim.traffic.typed_rows import Rows
from autosim.traffic.vehicles.box_overlap import do_overlap

_CLEAR = 0.05
"""Distance [m] round a bicycle that others do not enter by their own motion."""

_NEAR = 2.0
"""Distance [m] along x from a bicycle beyond which people and bicycles are out of its reach."""


@compiled
def move_riders(
    rows: Rows[RiderRow], people: Floats, vehicles: Floats, robots: Floats, seconds: float
) -> None:
    """Moves cyclists for one step, one after another; one that would touch another stops instead.

    Args:
        rows: (n,); written.
        people: (p, 6) on foot, see `Surroundings`.
        vehicles: (v, 8) boxes.
        robots: (r, 8) boxes.
        seconds: length of the step.
    """
    own, other = np.zeros(len(B)), np.zeros(len(B))
    for i in range(len(rows)):
        row = rows[i]
        if not row.about:
            continue
        speed = max(row.speed + row.acceleration * seconds, 0.0)
        way = 0.5 * (speed + row.speed) * seconds
        turned = row.turn * way + row.spin * seconds
        row.z += row.speed_z * seconds
        box_of_rider(row, own)
        yaw = wrapped(row.yaw + turned)
        s, c = sin_cos(yaw)
        own[B.x], own[B.y], own[B.yaw] = row.x + way * c, row.y + way * s, yaw
        moves = way > 0.0 or turned != 0.0
        if moves and not is_free(i, rows, own, other, people, vehicles, robots):
            way, speed, yaw = 0.0, 0.0, row.yaw
            s, c = sin_cos(yaw)
        row.yaw = yaw
        row.x += way * c
        row.y += way * s
        row.speed, row.rolled = speed, row.rolled + way
        row.speed_x, row.speed_y = speed * c, speed * s


@jitable
def is_free(
    i: int,
    rows: Rows[RiderRow],
    own: Floats,
    other: Floats,
    people: Floats,
    vehicles: Floats,
    robots: Floats,
) -> bool:
    """Whether a cyclist may move to its box `own` (8,); `other` (8,) is scratch."""
    row = rows[i]
    for j in range(len(rows)):
        is_near = abs(rows[j].x - own[B.x]) < _NEAR
        if is_near and j != i and rows[j].about:
            box_of_rider(rows[j], other)
            if _is_in_way(row, own, other):
                return False
    if _any_in_way(row, own, vehicles) or _any_in_way(row, own, robots):
        return False
    for p in range(len(people)):
        if abs(people[p, W.x] - own[B.x]) < _NEAR and _is_person_in_way(row, own, people[p]):
            return False
    return True


@jitable
def _any_in_way(row: RiderRow, own: Floats, boxes: Floats) -> bool:
    for k in range(len(boxes)):
        reach = boxes[k, B.half_length] + boxes[k, B.half_width] + _NEAR
        if boxes[k, B.half_length] <= 0.0 or abs(boxes[k, B.x] - own[B.x]) > reach:
            continue
        if _is_in_way(row, own, boxes[k]):
            return True
    return False


@jitable
def _is_person_in_way(row: RiderRow, own: Floats, person: Floats) -> bool:
    """The same as `_is_in_way` for a person on foot."""
    _widen(own, _CLEAR)
    is_near = overlaps_person(own, person)
    _widen(own, 0.0)
    is_touched = is_near and overlaps_person(own, person)
    return is_near and _may_not(row, own, person[W.x], person[W.y], is_touched)


@jitable
def _is_in_way(row: RiderRow, own: Floats, box: Floats) -> bool:
    """Whether a cyclist approaches a box nearer than `_CLEAR`."""
    _widen(own, _CLEAR)
    is_near = do_overlap(own, box)
    _widen(own, 0.0)
    is_touched = is_near and do_overlap(own, box)
    return is_near and _may_not(row, own, box[B.x], box[B.y], is_touched)


@jitable
def _widen(own: Floats, by: float) -> None:
    own[B.half_length], own[B.half_width] = HALF_LENGTH + by, HALF_WIDTH + by


@jitable
def _may_not(row: RiderRow, own: Floats, x: float, y: float, is_touched: bool) -> bool:
    """Whether a cyclist may not move because a person is near the new place.

    If the other has come close, the cyclist may move away; and also where they touch.
    """
    bx, by = x - row.x, y - row.y
    ax, ay = x - own[B.x], y - own[B.y]
    comes_nearer = ax * ax + ay * ay < bx * bx + by * by
    return bool(comes_nearer or (is_touched and row.touches == 0))
