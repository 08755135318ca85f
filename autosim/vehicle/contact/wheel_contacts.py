"""Contact points of wheels and ground.

A rigid disc, let down along the suspension, touches the profile of the ground in its plane
somewhere: below its axle on a road, ahead of it at a kerb. A tyre is not rigid: its axle follows
the mean height of such discs over the length and the width of its patch on the ground, and the
slope that it climbs is that of this mean: the difference of the discs at both ends of the patch
(after the tandem cams of Schmeitz, 2004; Pacejka, Tyre and Vehicle Dynamics, 3rd ed., 2012, section
10.1.6). So neither height nor slope jumps where a wheel comes to a kerb, from whatever side; and
since one is the derivative of the other, the way over it neither takes nor gives energy. The mean
is Simpson's of five discs: in the middle, ahead, behind, and at both shoulders.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import jitable
from autosim.model.vector_kernels import cross, read_vector, to_world, vec_add, write_vector
from autosim.portable import sin_cos
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.traversal import NOTHING
from autosim.vehicle.body.body_motion import BodyMotion
from autosim.vehicle.body.body_state import BodyParameters, BodyState
from autosim.vehicle.contact.grip import Grip, friction_of
from autosim.vehicle.contact.ground_section import (
    LEFT,
    MIDDLE,
    RIGHT,
    X0,
    X1,
    Z0,
    Z1,
    GroundSection,
    NearTriangles,
    cut_ground,
    find_near_triangles,
)
from autosim.vehicle.tyres.trail import PATCH
from autosim.vehicle.wheels.deflation import loaded_radius
from autosim.vehicle.wheels.wheel_arrays import LENGTH, STEERING, WheelParameters, WheelState

_FLAT = 1e-9
"""Length [m] in the wheel's plane below which a piece of ground stands upright."""


class WheelContacts(NamedTuple):
    """Contacts of n wheels.

    near: triangles near each; profile: scratch; friction: (n,) factor on each tyre's friction
        there.
    """

    near: NearTriangles
    profile: GroundSection
    friction: Floats

    @classmethod
    def none(cls, count: int) -> "WheelContacts":
        """Of wheels that have not met anything yet."""
        return cls(NearTriangles.none(count), GroundSection.empty(), np.ones(count))


@jitable
def find_wheel_contacts(
    wheels: WheelParameters,
    parameters: BodyParameters,
    bodies: BodyState,
    motion: BodyMotion,
    hierarchy: Hierarchy,
    grip: Grip,
    contacts: WheelContacts,
    state: WheelState,
) -> int:
    """Finds where all wheels touch the ground.

    Args:
        wheels: the wheels.
        parameters: the bodies.
        bodies: how they move.
        motion: of the bodies, after `begin_motion`.
        hierarchy: what wheels may stand on.
        grip: how well it holds them.
        contacts: of the wheels, written.
        state: the steering angle is read; `normal`, `arm`, `compression` and the output's length,
            which is that of the last step before, are written.

    Returns:
        A link of the hierarchy that has to grow first, with nothing else done; `NOTHING` if there
        is none.
    """
    link = find_near_triangles(wheels, bodies, motion, hierarchy, contacts.near)
    if link != NOTHING:
        return link
    # Out of the loop: each look at a field counts a reference.
    corners, numbers = hierarchy.corners, hierarchy.numbers
    places, near_counts = contacts.near.places, contacts.near.counts
    pieces, triangles, counts = contacts.profile
    for i in range(wheels.body.size):
        body = wheels.body[i]
        R, rest = motion.rotation[body], wheels.rest_length[i]
        radius = loaded_radius(wheels.radius[i], state.flatness[i, 0])
        sine, cosine = sin_cos(state.output[i, STEERING])
        mount = vec_add(
            read_vector(bodies.positions[body]), to_world(R, read_vector(wheels.position[i]))
        )
        ahead = to_world(R, (cosine, sine, 0.0))
        up = R[0, 2], R[1, 2], R[2, 2]
        left = cross(up, ahead)
        half_width = 0.5 * wheels.width[i]
        cut_ground(
            corners,
            numbers,
            places,
            i,
            near_counts[i],
            mount,
            ahead,
            left,
            up,
            half_width,
            pieces,
            triangles,
            counts,
        )
        height, slope, side, triangle = _climb(
            pieces, triangles, counts, radius, half_width, rest, -state.output[i, LENGTH]
        )
        contacts.friction[i] = grip.asphalt
        if triangle == NOTHING:
            write_vector((0.0, 0.0, 0.0), state.normal[i])
            state.compression[i] = 0.0
            state.output[i, LENGTH] = rest
            continue
        contacts.friction[i] = friction_of(grip, triangle)
        state.compression[i] = rest + height
        state.output[i, LENGTH] = -height
        steep = 1.0 / sqrt(1.0 + slope * slope + side * side)
        n = -steep * slope, -steep * side, steep
        write_vector(
            (cosine * n[0] - sine * n[1], sine * n[0] + cosine * n[1], n[2]),
            state.normal[i],
        )
        down = radius / sqrt(1.0 + slope * slope)
        w, c = wheels.position[i], parameters.centre_of_mass[body]
        arm = (
            w[0] + cosine * slope * down - c[0],
            w[1] + sine * slope * down - c[1],
            w[2] + height - down - c[2],
        )
        write_vector(arm, state.arm[i])
    return NOTHING


@jitable
def _climb(
    pieces: Floats,
    triangles: Integers,
    counts: Integers,
    radius: float,
    half_width: float,
    rest: float,
    before: float,
) -> tuple[float, float, float, int]:
    """Height at which the ground holds the axle of a wheel.

    Args:
        pieces: of the ground, see `GroundSection`.
        triangles: see `GroundSection`.
        counts: see `GroundSection`.
        radius: of the wheel [m].
        half_width: of the tyre [m].
        rest: length [m] of the suspension without load.
        before: height [m] of the axle a step ago.

    Returns:
        The axle's height [m] above the suspension's upper end, at least `-rest`; the slopes ahead
        and to the left, rise over run; the number of the triangle that the wheel stands on, or
        `NOTHING`.
    """
    # What is higher than the axle is a wall: no wheel rolls onto it, and the body meets it.
    highest = max(before, _below(pieces, counts[MIDDLE], radius) + radius)
    half = 0.5 * PATCH * radius
    count, low = counts[MIDDLE], -rest
    middle, triangle = _touch(pieces, triangles, MIDDLE, count, 0.0, radius, highest, low)
    front, ahead = _touch(pieces, triangles, MIDDLE, count, half, radius, highest, low)
    rear, behind = _touch(pieces, triangles, MIDDLE, count, -half, radius, highest, low)
    left, beside = _touch(pieces, triangles, LEFT, counts[LEFT], 0.0, radius, highest, low)
    right, other = _touch(pieces, triangles, RIGHT, counts[RIGHT], 0.0, radius, highest, low)
    if triangle == NOTHING:
        triangle = max(ahead, behind, beside, other)
    # Without a sum of sixths, so that level ground has its own height to the last bit.
    others = (front - middle) + (rear - middle) + (left - middle) + (right - middle)
    height = middle + others / 6.0
    return height, 0.5 * (front - rear) / half, 0.5 * (left - right) / half_width, triangle


@jitable
def _below(pieces: Floats, count: int, highest: float) -> float:
    """Height [m] of the ground straight below the axle, minus infinity if there is none.

    `highest` [m]: what is above it does not count.
    """
    found = -np.inf
    for s in range(count):
        start, end = pieces[MIDDLE, s, X0], pieces[MIDDLE, s, X1]
        if start <= 0.0 <= end and end - start > _FLAT:
            low, high = pieces[MIDDLE, s, Z0], pieces[MIDDLE, s, Z1]
            height = low - start * (high - low) / (end - start)
            if found < height <= highest:
                found = height
    return found


@jitable
def _touch(
    pieces: Floats,
    triangles: Integers,
    plane: int,
    count: int,
    ahead: float,
    radius: float,
    highest: float,
    lowest: float,
) -> tuple[float, int]:
    """Contact of a rigid disc with the ground.

    Args:
        pieces: of the ground, see `GroundSection`.
        triangles: see `GroundSection`.
        plane: of the disc.
        count: number of pieces in it.
        ahead: place [m] of the disc.
        radius: of the disc [m].
        highest: height [m] of the highest point that it may touch.
        lowest: height [m] of its axle where it touches nothing.

    Returns:
        The axle's height [m], and the number of the triangle that it touches, or `NOTHING`.
    """
    best, triangle = lowest, NOTHING
    for s in range(count):
        start, end = pieces[plane, s, X0] - ahead, pieces[plane, s, X1] - ahead
        if start >= radius or end <= -radius:
            continue
        low, high = pieces[plane, s, Z0], pieces[plane, s, Z1]
        rise, run = high - low, end - start
        slope = rise / run if run > _FLAT else 0.0
        steep = sqrt(1.0 + slope * slope)
        # Where the disc touches the line that the piece is of.
        x = radius * slope / steep
        if run > _FLAT and start <= x <= end:
            z = low + slope * (x - start)
            axle = z + radius / steep
        else:
            is_start = x < start if run > _FLAT else rise < 0.0
            x = start if is_start else end
            z = low if is_start else high
            axle = z + sqrt(max(radius * radius - x * x, 0.0))
        # Of two triangles at one height always the same, in whatever order they come.
        is_first = axle == best and triangles[plane, s] < triangle
        if z <= highest and (axle > best or is_first):
            best, triangle = axle, triangles[plane, s]
    return best, triangle
