"""Collisions of kinematic vehicles: with each other, stationary objects, and the world.

Engines let bodies that are moved pass through these. They pass here as well, but are detected.
"""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers, Integers32
from autosim.jit import compiled_without_refcounts, jitable
from autosim.model.vector_kernels import (
    Triple,
    cross,
    dot,
    read_vector,
    to_body,
    to_world,
    vec_add,
    vec_scale,
    vec_sub,
)
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.nearby import triangles_near
from autosim.rays.traversal import NOTHING

BOTTOM = 0.25
"""Share of a body's height below which the world does not count: of a car up to about 0.5 m above
the ground, where kerbs and ramps are."""

EVERY = 8
"""Steps from one look at a vehicle's surroundings to the next: 30 a second at 240 Hz."""

MOST = 64
"""Triangles near a body of which one is looked for that it is in: more than a tree has."""


class CollisionBoxes(NamedTuple):
    """m bodies as boxes.

    body: (m,) their numbers; low, high: (m, 3) m in B; is_driven: (m,) whether a vehicle drives it.
    order: (m,) places in these arrays by ascending x, and keys: (m,) m in W that x, kept in order
    from step to step.
    """

    body: Integers
    low: Floats
    high: Floats
    is_driven: Integers
    order: Integers
    keys: Floats


@compiled_without_refcounts
def find_pairs(boxes: CollisionBoxes, positions: Floats, rotations: Floats, pairs: Integers) -> int:
    """Finds driven bodies that are in each other or in another box.

    Args:
        boxes: theirs; the order is brought up to date.
        positions: (b, 3) m in W of all bodies.
        rotations: (b, 3, 3) R_WB.
        pairs: (k, 2) their numbers, the larger first; written.

    Returns:
        How many there are, k at most.
    """
    _sort(boxes, positions)
    count, reach = 0, _longest(boxes)
    for place in range(len(boxes.order)):
        i = boxes.order[place]
        i = boxes.order[place]
        for other in range(place + 1, len(boxes.order)):
            if boxes.keys[other] - boxes.keys[place] > 2.0 * reach or count == len(pairs):
                break
            j = boxes.order[other]
            if boxes.is_driven[i] + boxes.is_driven[j] == 0:
                continue
            across = positions[boxes.body[i], 1] - positions[boxes.body[j], 1]
            if abs(across) < 2.0 * reach and _overlap(boxes, positions, rotations, i, j):
                a, b = boxes.body[i], boxes.body[j]
                pairs[count, 0], pairs[count, 1] = max(a, b), min(a, b)
                count += 1
    return count


@jitable
def _sort(boxes: CollisionBoxes, positions: Floats) -> None:
    for place in range(len(boxes.order)):
        box = boxes.order[place]
        key = positions[boxes.body[box], 0]
        before = place
        while before > 0 and boxes.keys[before - 1] > key:
            boxes.keys[before] = boxes.keys[before - 1]
            boxes.order[before] = boxes.order[before - 1]
            before -= 1
        boxes.keys[before], boxes.order[before] = key, box


@jitable
def _longest(boxes: CollisionBoxes) -> float:
    most = 0.0
    for i in range(len(boxes.body)):
        for k in range(2):
            most = max(most, abs(boxes.low[i, k]), abs(boxes.high[i, k]))
    return most * 1.5


@jitable
def _overlap(boxes: CollisionBoxes, positions: Floats, rotations: Floats, i: int, j: int) -> bool:
    """Whether two boxes overlap in height, and nothing divides them in plan."""
    a, b = boxes.body[i], boxes.body[j]
    z = positions[b, 2] - positions[a, 2]
    if boxes.low[j, 2] + z > boxes.high[i, 2] or boxes.low[i, 2] > boxes.high[j, 2] + z:
        return False
    for body in (a, b):
        for axis in range(2):
            x, y = rotations[body, 0, axis], rotations[body, 1, axis]
            first, second = _shadow(boxes, rotations, i, x, y), _shadow(boxes, rotations, j, x, y)
            apart = (positions[b, 0] - positions[a, 0]) * x + (
                positions[b, 1] - positions[a, 1]
            ) * y
            if first[1] < second[0] + apart or second[1] + apart < first[0]:
                return False
    return True


@jitable
def _shadow(
    boxes: CollisionBoxes, rotations: Floats, i: int, x: float, y: float
) -> tuple[float, float]:
    """From where to where [m] a box reaches along (x, y), from its body's middle."""
    low, high, body = 0.0, 0.0, boxes.body[i]
    for k in range(2):
        share = rotations[body, 0, k] * x + rotations[body, 1, k] * y
        ends = share * boxes.low[i, k], share * boxes.high[i, k]
        low, high = low + min(ends), high + max(ends)
    return low, high


@compiled_without_refcounts
def find_walls(
    boxes: CollisionBoxes,
    positions: Floats,
    rotations: Floats,
    hierarchy: Hierarchy,
    begin: int,
    step: int,
    near: Integers32,
    walls: Integers,
) -> tuple[int, int]:
    """Finds driven bodies that are in the world: in walls, posts and the like.

    One in `EVERY` of them is looked at.

    Args:
        boxes: of bodies; those that are not driven are passed.
        positions: (b, 3) m in W of all bodies.
        rotations: (b, 3, 3) R_WB.
        hierarchy: of the world.
        begin: the box to begin with.
        step: the number of the step.
        near: (k,) scratch.
        walls: (m,) of each box the place in `hierarchy.corners` of a triangle that it is in, else
            -1; written.

    Returns:
        A link of the hierarchy that has to grow before the call is made again, else `NOTHING`; and
        the box to begin with then.
    """
    for i in range(begin, len(boxes.body)):
        walls[i] = -1
        if boxes.is_driven[i] == 0 or (i + step) % EVERY != 0:
            continue
        R, centre = rotations[boxes.body[i]], read_vector(positions[boxes.body[i]])
        low, high = read_vector(boxes.low[i]), read_vector(boxes.high[i])
        low = (low[0], low[1], low[2] + BOTTOM * (high[2] - low[2]))
        half = vec_scale(0.5, vec_sub(high, low))
        middle = vec_add(centre, to_world(R, vec_scale(0.5, vec_add(high, low))))
        reach = (_extent(R[0], half), _extent(R[1], half), _extent(R[2], half))
        count = triangles_near(hierarchy, vec_sub(middle, reach), vec_add(middle, reach), near)
        if count < 0:
            return -1 - count, i
        for k in range(min(count, len(near))):
            if _is_in(hierarchy.corners[near[k]], R, middle, half):
                walls[i] = near[k]
                break
    return NOTHING, 0


@jitable
def _extent(row: Floats, half: Triple) -> float:
    """Half extent [m] of a box along an axis of W, from a row of R_WB."""
    return float(abs(row[0]) * half[0] + abs(row[1]) * half[1] + abs(row[2]) * half[2])


@jitable
def _is_in(corners: Floats, R: Floats, middle: Triple, half: Triple) -> bool:
    """Whether a triangle meets a box: no axis divides both.

    Source: Akenine-Möller, Fast 3D Triangle-Box Overlap Testing, 2001.
    """
    a = to_body(R, vec_sub((corners[0], corners[1], corners[2]), middle))
    b = to_body(R, vec_sub((corners[3], corners[4], corners[5]), middle))
    c = to_body(R, vec_sub((corners[6], corners[7], corners[8]), middle))
    edges = (vec_sub(b, a), vec_sub(c, b), vec_sub(a, c))
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    for axis in axes:
        if _divides(axis, a, b, c, half):
            return False
        for edge in edges:
            if _divides(cross(axis, edge), a, b, c, half):
                return False
    return not _divides(cross(edges[0], edges[1]), a, b, c, half)


@jitable
def _divides(axis: Triple, a: Triple, b: Triple, c: Triple, half: Triple) -> bool:
    """Whether a triangle lies beyond a box around the origin along an axis."""
    reach = abs(axis[0]) * half[0] + abs(axis[1]) * half[1] + abs(axis[2]) * half[2]
    first, second, third = dot(axis, a), dot(axis, b), dot(axis, c)
    return min(first, second, third) > reach or max(first, second, third) < -reach


def boxes_of(body: Integers, low: Floats, high: Floats, is_driven: Integers) -> CollisionBoxes:
    """Boxes (m,) in no order yet."""
    count = len(body)
    return CollisionBoxes(body, low, high, is_driven, np.arange(count), np.zeros(count))
