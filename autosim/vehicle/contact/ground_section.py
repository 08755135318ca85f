"""The ground in the plane of a wheel: where that plane cuts the triangles near it."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers, Integers32
from autosim.jit import jitable
from autosim.model.vector_kernels import Triple, dot, read_vector, to_world, vec_add, vec_sub
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.nearby import triangles_near
from autosim.rays.traversal import NOTHING
from autosim.vehicle.body.body_motion import BodyMotion
from autosim.vehicle.body.body_state import BodyState
from autosim.vehicle.tyres.trail import PATCH
from autosim.vehicle.wheels.wheel_arrays import WheelParameters

MOST_TRIANGLES = 512
"""Number of triangles that are kept for a wheel: as many as lie in its reach where their edges are
7 cm long. Of a finer mesh those beyond are not felt."""

_MARGIN = 0.4
"""Margin [m] beyond a wheel's reach for cached triangles: at 10 m/s they last for ten steps."""

X0, Z0, X1, Z1 = range(4)
"""Columns of `GroundSection.pieces`: x [m] forward and z [m] up, in the wheel's axes, of both
ends."""

LEFT, MIDDLE, RIGHT = range(3)
"""The planes in which a wheel meets the ground: its own, and those of its tyre's shoulders."""


class NearTriangles(NamedTuple):
    """The triangles that n wheels may touch; searched again when a wheel leaves its box.

    places: (n, MOST_TRIANGLES) in `Hierarchy.corners`; counts: (n,) how many of them there are;
    boxes: (n, 6) minimum and maximum x, y, z [m] in W in which there are no others.
    """

    places: Integers32
    counts: Integers
    boxes: Floats

    @classmethod
    def none(cls, count: int) -> "NearTriangles":
        """Of wheels that have not looked yet: their boxes are empty."""
        boxes = np.zeros((count, 6))
        boxes[:, :3] = np.inf
        places = np.zeros((count, MOST_TRIANGLES), dtype=np.int32)
        return cls(places, np.zeros(count, dtype=np.int64), boxes)


class GroundSection(NamedTuple):
    """The ground in the planes of one wheel, scratch.

    pieces: (3, MOST_TRIANGLES, 4) for each plane, see `X0`, x0 <= x1; triangles: (3,
    MOST_TRIANGLES) the numbers of those that they are of; counts: (3,) how many there are.
    """

    pieces: Floats
    triangles: Integers
    counts: Integers

    @classmethod
    def empty(cls) -> "GroundSection":
        """Scratch for any wheel."""
        triangles = np.zeros((3, MOST_TRIANGLES), dtype=np.int64)
        return cls(np.zeros((3, MOST_TRIANGLES, 4)), triangles, np.zeros(3, dtype=np.int64))


@jitable
def find_near_triangles(
    wheels: WheelParameters,
    bodies: BodyState,
    motion: BodyMotion,
    hierarchy: Hierarchy,
    near: NearTriangles,
) -> int:
    """Finds the triangles near all wheels that have left their boxes.

    Returns:
        A link of the hierarchy that has to grow first, `NOTHING` if there is none.
    """
    for i in range(wheels.body.size):
        body = wheels.body[i]
        low, high = _reach(
            motion.rotation[body],
            vec_add(
                read_vector(bodies.positions[body]),
                to_world(motion.rotation[body], read_vector(wheels.position[i])),
            ),
            wheels.radius[i],
            wheels.width[i],
            wheels.rest_length[i],
        )
        if _holds(near.boxes[i], low, high):
            continue
        link = _find(hierarchy, low, high, _MARGIN, near, i)
        if link == NOTHING and near.counts[i] > MOST_TRIANGLES:
            link = _find(hierarchy, low, high, 0.0, near, i)
        if link != NOTHING:
            return link
    return NOTHING


@jitable
def _reach(
    R: Floats, mount: Triple, radius: float, width: float, rest: float
) -> tuple[Triple, Triple]:
    """The box in W of all that a wheel at `mount` [m] in W may touch.

    From a radius above the suspension's upper end down to the lowest point of the tyre.
    """
    aside, half = radius * (1.0 + PATCH) + 0.5 * width, 0.5 * rest + radius
    sizes = (
        aside * sqrt(max(1.0 - R[0, 2] * R[0, 2], 0.0)) + half * abs(R[0, 2]),
        aside * sqrt(max(1.0 - R[1, 2] * R[1, 2], 0.0)) + half * abs(R[1, 2]),
        aside * sqrt(max(1.0 - R[2, 2] * R[2, 2], 0.0)) + half * abs(R[2, 2]),
    )
    middle = vec_sub(mount, to_world(R, (0.0, 0.0, 0.5 * rest)))
    return vec_sub(middle, sizes), vec_add(middle, sizes)


@jitable
def _holds(box: Floats, low: Triple, high: Triple) -> bool:
    is_above = box[0] <= low[0] and box[1] <= low[1] and box[2] <= low[2]
    return bool(is_above and high[0] <= box[3] and high[1] <= box[4] and high[2] <= box[5])


@jitable
def _find(
    hierarchy: Hierarchy, low: Triple, high: Triple, margin: float, near: NearTriangles, i: int
) -> int:
    more = (margin, margin, margin)
    low, high = vec_sub(low, more), vec_add(high, more)
    count = triangles_near(hierarchy, low, high, near.places[i])
    if count < 0:
        return -1 - count
    near.counts[i] = count
    for k in range(3):
        near.boxes[i, k], near.boxes[i, 3 + k] = low[k], high[k]
    return NOTHING


@jitable
def cut_ground(
    corners: Floats,
    numbers: Integers32,
    places: Integers32,
    row: int,
    count: int,
    mount: Triple,
    forward: Triple,
    left: Triple,
    up: Triple,
    half_width: float,
    pieces: Floats,
    triangles: Integers,
    counts: Integers,
) -> None:
    """Cuts the triangles near a wheel with its planes.

    Args:
        corners: see `Hierarchy`.
        numbers: see `Hierarchy`.
        places: see `NearTriangles`.
        row: of `places`, the wheel's.
        count: how many triangles are near the wheel.
        mount: the upper end of its suspension [m] in W, from which x and z count.
        forward: unit vector in W, along the planes.
        left: unit vector in W, across them.
        up: unit vector in W, along the planes.
        half_width: of the tyre [m].
        pieces: see `GroundSection`, written.
        triangles: see `GroundSection`, written.
        counts: see `GroundSection`, written.
    """
    base = dot(mount, left)
    counts[LEFT] = counts[MIDDLE] = counts[RIGHT] = 0
    for each in range(min(count, MOST_TRIANGLES)):
        place = places[row, each]
        a = corners[place, 0], corners[place, 1], corners[place, 2]
        b = corners[place, 3], corners[place, 4], corners[place, 5]
        c = corners[place, 6], corners[place, 7], corners[place, 8]
        sides = dot(a, left) - base, dot(b, left) - base, dot(c, left) - base
        if min(sides) >= half_width or max(sides) < -half_width:
            continue
        a, b, c = vec_sub(a, mount), vec_sub(b, mount), vec_sub(c, mount)
        first = dot(a, forward), sides[0], dot(a, up)
        second = dot(b, forward), sides[1], dot(b, up)
        third = dot(c, forward), sides[2], dot(c, up)
        for plane in range(3):
            side = (1 - plane) * half_width
            is_a, is_b, is_c = first[1] >= side, second[1] >= side, third[1] >= side
            if is_a == is_b and is_b == is_c:
                continue
            # From the corner that is alone on its side.
            if is_a == is_b:
                x0, z0, x1, z1 = _meet(third, first, second, side)
            elif is_a == is_c:
                x0, z0, x1, z1 = _meet(second, third, first, side)
            else:
                x0, z0, x1, z1 = _meet(first, second, third, side)
            number = counts[plane]
            counts[plane] = number + 1
            triangles[plane, number] = numbers[place]
            pieces[plane, number, X0], pieces[plane, number, Z0] = x0, z0
            pieces[plane, number, X1], pieces[plane, number, Z1] = x1, z1


@jitable
def _meet(
    tip: Triple, second: Triple, third: Triple, side: float
) -> tuple[float, float, float, float]:
    """Intersection of two edges with the plane at `side` [m]: x0, z0, x1, z1 of a piece."""
    share = (side - tip[1]) / (second[1] - tip[1])
    x0, z0 = tip[0] + share * (second[0] - tip[0]), tip[2] + share * (second[2] - tip[2])
    share = (side - tip[1]) / (third[1] - tip[1])
    x1, z1 = tip[0] + share * (third[0] - tip[0]), tip[2] + share * (third[2] - tip[2])
    return (x0, z0, x1, z1) if x0 <= x1 else (x1, z1, x0, z0)
