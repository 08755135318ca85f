"""What a ray meets first of all that there is, and how it meets it."""

from math import sqrt
from typing import NamedTuple

from autosim.arrays import Floats
from autosim.jit import compilable
from autosim.rays.boxes import NO_BOX, PartBoxes, first_box
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.traversal import NOTHING, nearest, normal_at
from autosim.simulation.frames import Triple, cross, dot, minus, plus, times

_BESIDE = 1e-4
"""Distance [m] of the second ray that tells how a body's surface slopes: small beside any part of a
robot, and large beside what rays lose."""


class Hit(NamedTuple):
    """What a ray meets first.

    share: of its way up to there, 1 where it meets nothing; box: its number, else `NO_BOX`;
    triangle: its place in `Hierarchy.corners`, else `NOTHING`, or below it as in `nearest`;
    normal: unit vector in W, towards the origin; zero where it meets nothing.
    """

    share: float
    box: int
    triangle: int
    normal: Triple


@compilable
def first_hit(
    hierarchy: Hierarchy,
    boxes: PartBoxes,
    positions: Floats,
    rotations: Floats,
    origin: Triple,
    way: Triple,
    robot: int,
) -> Hit:
    """What a ray meets first.

    Args:
        hierarchy: of the world.
        boxes: as `sort_boxes` left them.
        positions: (m, 3) m in W of their centres.
        rotations: (m, 3, 3) R_WB.
        origin: m in W.
        way: to the ray's end [m] in W.
        robot: that casts the ray; its own boxes are passed.
    """
    share, triangle = nearest(hierarchy, origin, way, 1.0)
    if triangle < NOTHING:
        return Hit(share, NO_BOX, triangle, (0.0, 0.0, 0.0))
    nearer, box = first_box(boxes, positions, rotations, origin, way, robot, share)
    if box != NO_BOX:
        normal = body_normal(boxes, positions, rotations, origin, way, robot, box, nearer)
        return Hit(nearer, box, NOTHING, normal)
    if triangle == NOTHING:
        return Hit(1.0, NO_BOX, NOTHING, (0.0, 0.0, 0.0))
    return Hit(share, NO_BOX, triangle, normal_at(hierarchy.corners, triangle, way))


@compilable
def body_normal(
    boxes: PartBoxes,
    positions: Floats,
    rotations: Floats,
    origin: Triple,
    way: Triple,
    robot: int,
    box: int,
    share: float,
) -> Triple:
    """The unit normal in W, towards the origin, of a body where a ray meets it.

    Args:
        boxes: as `sort_boxes` left them.
        positions: (m, 3) m in W of their centres.
        rotations: (m, 3, 3) R_WB.
        origin: of the ray [m] in W.
        way: to its end [m] in W.
        robot: whose boxes it passes.
        box: that it meets.
        share: of the way at which it does.
    """
    across, aside = _sideways(way)
    a = _slope(boxes, positions, rotations, origin, way, robot, box, share, across)
    b = _slope(boxes, positions, rotations, origin, way, robot, box, share, aside)
    return _normal_of(way, across, aside, a, b)


@compilable
def _sideways(way: Triple) -> tuple[Triple, Triple]:
    """Two unit vectors at right angles to a way and to each other."""
    flat = (1.0, 0.0, 0.0) if abs(way[0]) < abs(way[2]) else (0.0, 0.0, 1.0)
    first = cross(way, flat)
    first = times(1.0 / sqrt(dot(first, first)), first)
    second = cross(way, first)
    return first, times(1.0 / sqrt(dot(second, second)), second)


@compilable
def _slope(
    boxes: PartBoxes,
    positions: Floats,
    rotations: Floats,
    origin: Triple,
    way: Triple,
    robot: int,
    box: int,
    share: float,
    aside: Triple,
) -> float:
    """How the way up to a body's surface changes for each metre to a side, in metres.

    A second ray beside the first one tells: so it does for bodies of any shape. Where one misses
    the body, the ray on its other side does; at a needle's point the surface faces the ray.
    """
    length = sqrt(dot(way, way))
    for side in (_BESIDE, -_BESIDE):
        start = plus(origin, times(side, aside))
        met, found = first_box(boxes, positions, rotations, start, way, robot, 1.0)
        if found == box:
            return (met - share) * length / side
    return 0.0


@compilable
def _normal_of(way: Triple, across: Triple, aside: Triple, a: float, b: float) -> Triple:
    """The unit normal, towards the ray, of a surface with slopes `a` and `b` to two sides."""
    ahead = times(1.0 / sqrt(dot(way, way)), way)
    n = minus(plus(times(a, across), times(b, aside)), ahead)
    return times(1.0 / sqrt(dot(n, n)), n)
