"""Collisions of cyclists with each other, pedestrians and vehicles."""

import numpy as np

from autosim.arrays import Floats
from autosim.jit import compiled, jitable
from autosim.traffic.cyclists.rider_rows import HALF_LENGTH, HALF_WIDTH, RiderRow
from autosim.traffic.pedestrians.vehicle_avoidance import direction_from_box, is_severe
from autosim.traffic.road_users import B, W
from autosim.traffic.typed_rows import Rows
from autosim.traffic.vehicles.box_overlap import do_overlap

RIDERS, PEOPLE, VEHICLES = range(3)
"""Columns of a count of touches: of cyclists with each other, with people and with vehicles."""

_LEVEL = 2.0
"""Difference in height [m] from which a person and a cyclist are on different levels."""


@compiled
def count_collisions_of_riders(
    rows: Rows[RiderRow], people: Floats, vehicles: Floats, counts: Floats
) -> None:
    """Counts the cyclists and those whom they have begun to touch, however slowly.

    Args:
        rows: (n,); `touches` is written.
        people: (p, 6) on foot, see `Surroundings`. Who falls before a bicycle is not counted here.
        vehicles: (v, 8) boxes.
        counts: (3,) of `RIDERS`, `PEOPLE` and `VEHICLES`; written.
    """
    own, other = np.zeros(len(B)), np.zeros(len(B))
    for i in range(len(rows)):
        kinds = 0
        if rows[i].about:
            box_of_rider(rows[i], own)
            kinds = _touches_riders(rows, i, own, other) << RIDERS
            kinds |= _touches_people(own, people) << PEOPLE
            kinds |= _touches_boxes(own, vehicles) << VEHICLES
        before = rows[i].touches
        for each in range(len(counts)):
            if (kinds >> each) & 1 > (before >> each) & 1:
                counts[each] += 1.0
        rows[i].touches = kinds


@jitable
def box_of_rider(row: RiderRow, box: Floats) -> None:
    """Writes the box of a cyclist, see `Surroundings`."""
    box[B.x], box[B.y], box[B.z], box[B.yaw] = row.x, row.y, row.z, row.yaw
    box[B.half_length], box[B.half_width] = HALF_LENGTH, HALF_WIDTH
    box[B.speed_x], box[B.speed_y] = row.speed_x, row.speed_y


@jitable
def overlaps_person(box: Floats, person: Floats) -> bool:
    """Whether a box touches a person on foot."""
    gx, gy, reach = person[W.x] - box[B.x], person[W.y] - box[B.y], person[W.radius]
    far = box[B.half_length] + box[B.half_width] + reach
    if reach <= 0.0 or gx * gx + gy * gy > far * far or abs(person[W.z] - box[B.z]) > _LEVEL:
        return False
    _, _, gap = direction_from_box(box, person[W.x], person[W.y])
    return bool(gap <= reach)


@jitable
def _touches_riders(rows: Rows[RiderRow], i: int, own: Floats, other: Floats) -> int:
    """Whether a cyclist touches an earlier one of the pool, 1 or 0: so each pair counts once."""
    for j in range(i):
        if rows[j].about:
            box_of_rider(rows[j], other)
            if do_overlap(own, other):
                return 1
    return 0


@jitable
def _touches_people(own: Floats, people: Floats) -> int:
    for p in range(len(people)):
        person = people[p]
        if overlaps_person(own, person):
            nx, ny, _ = direction_from_box(own, person[W.x], person[W.y])
            if not is_severe(own, nx, ny, person[W.speed_x], person[W.speed_y]):
                return 1
    return 0


@jitable
def _touches_boxes(own: Floats, boxes: Floats) -> int:
    for k in range(len(boxes)):
        if boxes[k, B.half_length] > 0.0 and do_overlap(own, boxes[k]):
            return 1
    return 0
