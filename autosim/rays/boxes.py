"""Rays against the boxes of all parts, which move."""

from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.jit import compilable
from autosim.simulation.frames import Triple, dot, minus, read, times, to_body

NO_BOX = -1
"""The number of a box where there is none."""


class PartBoxes(NamedTuple):
    """m boxes, in the order of their places along an axis, so that rays look at few of them.

    half_sizes: (m, 3) m along B's axes; radii: (m,) m of the spheres around them; most: the largest
    of these; robots: (m,) number of the robot that each belongs to. order: (m,) the boxes along
    x or y, keys: (m,) m in W, where they are along it; axis: (1,) which one it is; these are
    brought up to date by `sort_boxes`.
    """

    half_sizes: Floats
    radii: Floats
    most: float
    robots: Integers
    order: Integers
    keys: Floats
    axis: Integers

    @classmethod
    def of(cls, sizes: Floats, robots: Integers) -> "PartBoxes":
        """Boxes of full `sizes` (m, 3) [m], each of one of `robots` (m,)."""
        halves = np.ascontiguousarray(sizes) / 2.0
        radii = np.array([float(portable.length(half)) for half in halves])
        count = len(halves)
        return cls(
            halves,
            radii,
            float(radii.max(initial=0.0)),
            robots,
            np.arange(count),
            np.zeros(count),
            np.zeros(1, dtype=np.int64),
        )


@compilable
def sort_boxes(boxes: PartBoxes, positions: Floats) -> None:
    """Brings the order up to date. It is nearly that of the last step, so this is quick.

    Args:
        boxes: `order`, `keys` and `axis` are written.
        positions: (m, 3) m in W of their centres.
    """
    axis, order, keys = _longer_axis(positions), boxes.order, boxes.keys
    boxes.axis[0] = axis
    for i in range(len(order)):
        box = order[i]
        key = positions[box, axis]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j], order[j] = keys[j - 1], order[j - 1]
            j -= 1
        keys[j], order[j] = key, box


@compilable
def _longer_axis(positions: Floats) -> int:
    """0 or 1: the axis along which positions (m, 3) lie further apart."""
    least_x, least_y, most_x, most_y = np.inf, np.inf, -np.inf, -np.inf
    for i in range(len(positions)):
        x, y = positions[i, 0], positions[i, 1]
        least_x, most_x = min(least_x, x), max(most_x, x)
        least_y, most_y = min(least_y, y), max(most_y, y)
    return 0 if most_x - least_x >= most_y - least_y else 1


@compilable
def nearest_box(
    boxes: PartBoxes,
    positions: Floats,
    rotations: Floats,
    origin: Triple,
    way: Triple,
    robot: int,
    limit: float,
) -> float:
    """How far a ray gets before it meets a box of another robot: see `first_box`."""
    return first_box(boxes, positions, rotations, origin, way, robot, limit)[0]


@compilable
def first_box(
    boxes: PartBoxes,
    positions: Floats,
    rotations: Floats,
    origin: Triple,
    way: Triple,
    robot: int,
    limit: float,
) -> tuple[float, int]:
    """The first box of another robot that a ray meets, and how far it gets before.

    A ray that begins inside a box has met it at once.

    Args:
        boxes: as `sort_boxes` left them.
        positions: (m, 3) m in W of their centres.
        rotations: (m, 3, 3) R_WB.
        origin: m in W.
        way: to the ray's end [m] in W.
        robot: that casts the ray; its own boxes are passed.
        limit: share of the way beyond which nothing counts, at most 1.

    Returns:
        The share of the way, `limit` where it meets none before, and the box's number, else
        `NO_BOX`.
    """
    axis = boxes.axis[0]
    end = origin[axis] + limit * way[axis]
    low = min(origin[axis], end) - boxes.most
    high = max(origin[axis], end) + boxes.most
    best, found = limit, NO_BOX
    for i in range(_first_from(boxes.keys, low), len(boxes.keys)):
        if not boxes.keys[i] <= high:
            break
        box = boxes.order[i]
        centre = read(positions[box])
        if boxes.robots[box] == robot or _misses(origin, way, centre, boxes.radii[box]):
            continue
        hit = _box_fraction(origin, way, centre, rotations[box], read(boxes.half_sizes[box]))
        if hit < best:
            best, found = hit, box
    return best, found


@compilable
def _first_from(keys: Floats, low: float) -> int:
    """The first of ascending keys that is not below `low`."""
    first, end = 0, len(keys)
    while first < end:
        middle = (first + end) // 2
        if keys[middle] < low:
            first = middle + 1
        else:
            end = middle
    return first


@compilable
def _misses(origin: Triple, way: Triple, centre: Triple, radius: float) -> bool:
    """Whether a ray stays outside a sphere: a cheap test that most pairs end with."""
    there = minus(centre, origin)
    along, squared = dot(way, there), dot(way, way)
    share = min(max(along / squared, 0.0), 1.0) if squared > 0.0 else 0.0
    apart = minus(there, times(share, way))
    return dot(apart, apart) > radius * radius


@compilable
def _box_fraction(origin: Triple, way: Triple, centre: Triple, R: Floats, half: Triple) -> float:
    """Where a ray enters a box, 1 where it does not (slab method, Kay and Kajiya 1986)."""
    start, through = to_body(R, minus(origin, centre)), to_body(R, way)
    enter, leave = 0.0, 1.0
    for k in range(3):
        if through[k] == 0.0:
            if abs(start[k]) > half[k]:
                return 1.0
            continue
        a, b = (-half[k] - start[k]) / through[k], (half[k] - start[k]) / through[k]
        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    return enter if enter <= leave else 1.0
