"""Normals of a body's surface where a ray meets it."""

from math import sqrt

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.model.vector_kernels import (
    Triple,
    cross,
    dot,
    read_vector,
    to_body,
    vec_add,
    vec_scale,
    vec_sub,
)
from autosim.rays.body_shapes import BodyShapes, Solids, enter_body

_BESIDE = 1e-4
"""Distance [m] of the second ray that tells how a body's surface slopes: small beside any part of a
robot, and large beside what rays lose."""


@jitable
def body_normal(
    bodies: BodyShapes,
    solids: Solids | None,
    position: Floats,
    R: Floats,
    origin: Triple,
    way: Triple,
    body: int,
    share: float,
) -> Triple:
    """The unit normal in W, towards the origin, of a body where a ray meets it.

    Args:
        bodies: all of them.
        solids: of those that are more than a box.
        position: (3,) m in W of the body's origin.
        R: (3, 3) R_WB.
        origin: of the ray [m] in W.
        way: to its end [m] in W.
        body: that it meets.
        share: of the way at which it does.
    """
    half = read_vector(bodies.halves[body])
    centre = read_vector(position)
    across, aside = _sideways(way)
    a = _slope(half, solids, centre, R, origin, way, share, across)
    b = _slope(half, solids, centre, R, origin, way, share, aside)
    return _normal_of(way, across, aside, a, b)


@jitable
def _sideways(way: Triple) -> tuple[Triple, Triple]:
    """Two unit vectors at right angles to a way and to each other."""
    flat = (1.0, 0.0, 0.0) if abs(way[0]) < abs(way[2]) else (0.0, 0.0, 1.0)
    first = cross(way, flat)
    first = vec_scale(1.0 / sqrt(dot(first, first)), first)
    second = cross(way, first)
    return first, vec_scale(1.0 / sqrt(dot(second, second)), second)


@jitable
def _slope(
    half: Triple,
    solids: Solids | None,
    centre: Triple,
    R: Floats,
    origin: Triple,
    way: Triple,
    share: float,
    aside: Triple,
) -> float:
    """Change of the distance to a body's surface per metre to a side [m/m].

    A second ray next to the first one measures it, for bodies of any shape. Where one misses the
    body, the ray on its other side does; at a needle's point the surface faces the ray.
    """
    through = to_body(R, way)
    for side in (_BESIDE, -_BESIDE):
        start = to_body(R, vec_sub(vec_add(origin, vec_scale(side, aside)), centre))
        met = enter_body(half, solids, start, through, 1.0)
        if met < 1.0:
            return (met - share) * sqrt(dot(way, way)) / side
    return 0.0


@jitable
def _normal_of(way: Triple, across: Triple, aside: Triple, a: float, b: float) -> Triple:
    """The unit normal, towards the ray, of a surface with slopes `a` and `b` to two sides."""
    ahead = vec_scale(1.0 / sqrt(dot(way, way)), way)
    n = vec_sub(vec_add(vec_scale(a, across), vec_scale(b, aside)), ahead)
    return vec_scale(1.0 / sqrt(dot(n, n)), n)
