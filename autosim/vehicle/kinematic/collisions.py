"""What kinematic vehicles run into: each other, things that stand, and the world.

Engines let bodies that are moved pass through such things. Here they pass as well, but are seen to.
"""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compilable, compiled
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.traversal import NOTHING, nearest
from autosim.simulation.frames import plus, read, times, to_world

LEVELS = (0.25, 0.6)
"""Heights at which a body is held against the world, as shares of its own: of a car about 0.5 m and
0.9 m, above kerbs and below most roofs."""

EVERY = 8
"""Steps from one look at a vehicle's surroundings to the next: 30 a second at 240 Hz."""


class Boxes(NamedTuple):
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


@compiled
def find_pairs(boxes: Boxes, positions: Floats, rotations: Floats, pairs: Integers) -> int:
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
        for other in range(place + 1, len(boxes.order)):
            if boxes.keys[other] - boxes.keys[place] > 2.0 * reach or count == len(pairs):
                break
            j = boxes.order[other]
            if boxes.is_driven[i] + boxes.is_driven[j] == 0:
                continue
            if _overlap(boxes, positions, rotations, i, j):
                a, b = boxes.body[i], boxes.body[j]
                pairs[count, 0], pairs[count, 1] = max(a, b), min(a, b)
                count += 1
    return count


@compilable
def _sort(boxes: Boxes, positions: Floats) -> None:
    for place in range(len(boxes.order)):
        box = boxes.order[place]
        key = positions[boxes.body[box], 0]
        before = place
        while before > 0 and boxes.keys[before - 1] > key:
            boxes.keys[before] = boxes.keys[before - 1]
            boxes.order[before] = boxes.order[before - 1]
            before -= 1
        boxes.keys[before], boxes.order[before] = key, box


@compilable
def _longest(boxes: Boxes) -> float:
    most = 0.0
    for i in range(len(boxes.body)):
        for k in range(2):
            most = max(most, abs(boxes.low[i, k]), abs(boxes.high[i, k]))
    return most * 1.5


@compilable
def _overlap(boxes: Boxes, positions: Floats, rotations: Floats, i: int, j: int) -> bool:
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


@compilable
def _shadow(boxes: Boxes, rotations: Floats, i: int, x: float, y: float) -> tuple[float, float]:
    """From where to where [m] a box reaches along (x, y), from its body's middle."""
    low, high, body = 0.0, 0.0, boxes.body[i]
    for k in range(2):
        share = rotations[body, 0, k] * x + rotations[body, 1, k] * y
        ends = share * boxes.low[i, k], share * boxes.high[i, k]
        low, high = low + min(ends), high + max(ends)
    return low, high


@compiled
def find_walls(
    boxes: Boxes,
    positions: Floats,
    rotations: Floats,
    hierarchy: Hierarchy,
    begin: int,
    step: int,
    walls: Integers,
    places: Floats,
) -> tuple[int, int]:
    """Finds driven bodies that are in the world: in walls, posts and the like.

    One in `EVERY` of them is looked at, by rays along its edges and diagonals.

    Args:
        boxes: of bodies; those that are not driven are passed.
        positions: (b, 3) m in W of all bodies.
        rotations: (b, 3, 3) R_WB.
        hierarchy: of the world.
        begin: the box to begin with.
        step: the number of the step.
        walls: (m,) of each box the number of a triangle that it is in, else -1; written.
        places: (m, 3) m in W where that is; written.

    Returns:
        A link of the hierarchy that has to grow before the call is made again, else `NOTHING`; and
        the box to begin with then.
    """
    for i in range(begin, len(boxes.body)):
        walls[i] = -1
        if boxes.is_driven[i] == 0 or (i + step) % EVERY != 0:
            continue
        R, centre = rotations[boxes.body[i]], read(positions[boxes.body[i]])
        low, high = boxes.low[i], boxes.high[i]
        for level in LEVELS:
            z = low[2] + level * (high[2] - low[2])
            for side in range(6):
                ends = _side(side)
                a = (high[0] if ends[0] > 0 else low[0], high[1] if ends[1] > 0 else low[1], z)
                b = (high[0] if ends[2] > 0 else low[0], high[1] if ends[3] > 0 else low[1], z)
                start = plus(centre, to_world(R, a))
                way = plus(to_world(R, b), times(-1.0, to_world(R, a)))
                share, hit = nearest(hierarchy, start, way, 1.0)
                if hit < NOTHING:
                    return NOTHING - 1 - hit, i
                if hit != NOTHING:
                    walls[i] = hierarchy.numbers[hit]
                    for k in range(3):
                        places[i, k] = start[k] + share * way[k]
    return NOTHING, 0


@compilable
def _side(number: int) -> tuple[int, int, int, int]:
    """Which corners an edge of a rectangle, or a diagonal, leads from and to."""
    if number == 0:
        return 1, -1, 1, 1
    if number == 1:
        return -1, -1, -1, 1
    if number == 2:
        return -1, -1, 1, -1
    if number == 3:
        return -1, 1, 1, 1
    return (-1, -1, 1, 1) if number == 4 else (-1, 1, 1, -1)


def boxes_of(body: Integers, low: Floats, high: Floats, is_driven: Integers) -> Boxes:
    """Boxes (m,) in no order yet."""
    count = len(body)
    return Boxes(body, low, high, is_driven, np.arange(count), np.zeros(count))
