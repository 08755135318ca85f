"""Puts kinematic vehicles onto the ground of a world: their height, pitch and roll follow it.

A ray under each wheel finds the ground near the height at which the vehicle drives, so that it
stays on its level below and above bridges. Without a hit it drives as if the ground were
extended. Roughness is smoothed, as by tyres and springs.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compiled_without_refcounts, jitable
from autosim.portable import hypot, sin_cos
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.traversal import NOTHING, nearest
from autosim.vehicle.kinematic.kinematic_step import (
    IN_WORLD,
    RUN,
    SLIP,
    SLOPE,
    VELOCITY,
    YAW,
    X,
    Y,
)

HEIGHT, RISE, LEAN, IS_STARTED, HOLD = range(IN_WORLD, IN_WORLD + 5)
"""Columns of a row: the height [m] of the ground under the reference point; its slope along the
vehicle and across, positive where the nose and the left side point up; whether it has its initial
pose; and why it is held."""

STATES = IN_WORLD + 5
"""Column at which begin the seven states that its state command has set last: lights, gear and so
on."""

ORIGIN = STATES + 7
"""Column at which x, y, z [m] and yaw [rad] of the frame begin in which its pose is reported."""

SET_POSE = ORIGIN + 4
"""Column at which begin the four numbers of the last initial pose that it was given."""

LAST_MOTION = SET_POSE + 4
"""First column of the motion (13) of the body that was written last: if the body has another
one, it was moved from outside."""

NUMBERS = 13
"""Numbers of a position 3, an orientation 4, a velocity 3 and an angular velocity 3."""

UPWARDS, DOWNWARDS = 0.8, 3.0
"""Lengths [m] of a ray above and below the ground where it is looked for: wheels climb no higher,
and a ramp of 1:3 falls by less over a long vehicle."""

SMOOTHING = 0.08
"""Time [s] after which 63 % of a step of the ground have come through to the body: a car's springs
swing at 1 to 2 Hz, its tyres at ten times that."""

STEEPEST = 1.0
"""Slope of the ground, rise over run, above which a triangle is a kerb or wall, and not kept."""

REAR, FRONT, HALF_TRACK, OFFSET, LIFT = range(5)
"""Columns of measures [m]: where the axles are ahead of the reference point, half the track, where
the reference point is ahead of the body's middle, and the height of that above the ground."""


class GroundFollowing(NamedTuple):
    """Scratch of n vehicles.

    heights: (n, 4) m in W under the wheels, in front left and right, then behind; NaN where there
    is nothing. corners: (n, 4, 9) m in W of the triangles that these lie on; NaN at first.
    """

    heights: Floats
    corners: Floats

    @classmethod
    def unknown(cls, count: int) -> "GroundFollowing":
        """Ground of vehicles that has not been searched yet."""
        return cls(np.full((count, 4), np.nan), np.full((count, 4, 9), np.nan))


@compiled_without_refcounts
def find_wheel_heights(
    rows: Floats, measures: Floats, motions: Floats, hierarchy: Hierarchy, ground: GroundFollowing
) -> int:
    """Finds the ground under all wheels.

    Args:
        rows: (n, w) see `steps.X` and `HEIGHT`.
        measures: (n, 5) see `REAR`.
        motions: (n, 13) of the bodies: position first; for vehicles whose height is not known.
        hierarchy: of what they drive on.
        ground: written.

    Returns:
        A link of the hierarchy that has to grow before the call is made again, else `NOTHING`.
    """
    for i in range(len(rows)):
        row, measure = rows[i], measures[i]
        sine, cosine = sin_cos(row[YAW])
        base = row[HEIGHT]
        rise, lean = row[RISE], row[LEAN]
        if np.isnan(base):
            base, rise, lean = motions[i, 2] - measure[LIFT], 0.0, 0.0
        for wheel in range(4):
            along = measure[FRONT] if wheel < 2 else measure[REAR]
            left = measure[HALF_TRACK] if wheel % 2 == 0 else -measure[HALF_TRACK]
            x = row[X] + cosine * along - sine * left
            y = row[Y] + sine * along + cosine * left
            corners = ground.corners[i, wheel]
            height = height_on(corners, x, y)
            if np.isnan(height):
                middle = base + rise * along + lean * left
                link = _look(hierarchy, x, y, middle, corners)
                if link != NOTHING:
                    return link
                height = height_on(corners, x, y)
            ground.heights[i, wheel] = height
            if steepness(corners) > STEEPEST:
                corners[0] = np.nan
    return NOTHING


@jitable
def _look(hierarchy: Hierarchy, x: float, y: float, middle: float, corners: Floats) -> int:
    """Writes the corners of the triangle below a point, NaN where there is none near."""
    origin, way = (x, y, middle + UPWARDS), (0.0, 0.0, -UPWARDS - DOWNWARDS)
    _, hit = nearest(hierarchy, origin, way, 1.0)
    if hit < NOTHING:
        return NOTHING - 1 - hit
    corners[0] = np.nan
    if hit != NOTHING:
        for k in range(9):
            corners[k] = hierarchy.corners[hit, k]
    return NOTHING


@jitable
def height_on(corners: Floats, x: float, y: float) -> float:
    """The height [m] of a triangle at a place, NaN beside it."""
    ax, ay, az = corners[0] - x, corners[1] - y, corners[2]
    bx, by, bz = corners[3] - x, corners[4] - y, corners[5]
    cx, cy, cz = corners[6] - x, corners[7] - y, corners[8]
    u, v, w = bx * cy - cx * by, cx * ay - ax * cy, ax * by - bx * ay
    area = u + v + w
    is_beside = (u < 0.0 or v < 0.0 or w < 0.0) and (u > 0.0 or v > 0.0 or w > 0.0)
    if is_beside or not abs(area) > 0.0:
        return np.nan
    return float((u * az + v * bz + w * cz) / area)


@jitable
def steepness(corners: Floats) -> float:
    """The slope of a triangle, rise over run."""
    ux, uy, uz = corners[3] - corners[0], corners[4] - corners[1], corners[5] - corners[2]
    vx, vy, vz = corners[6] - corners[0], corners[7] - corners[1], corners[8] - corners[2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return float(hypot(x, y) / max(abs(z), 1e-12))


@compiled_without_refcounts
def place_on_ground(
    rows: Floats,
    measures: Floats,
    befores: Floats,
    ground: GroundFollowing,
    dt: float,
    motions: Floats,
) -> None:
    """Puts all bodies onto the ground under their wheels.

    Args:
        rows: (n, w) see `steps.X` and `HEIGHT`; written.
        measures: (n, 5) see `REAR`.
        befores: (n, 3) x, y [m] and yaw [rad] of the reference points a step before.
        ground: as `find_wheel_heights` found it.
        dt: length of the step [s].
        motions: (n, 13) of the bodies: positions, orientations, velocities, angular velocities;
            written.
    """
    share = dt / (dt + SMOOTHING)
    for i in range(len(rows)):
        row, measure, motion = rows[i], measures[i], motions[i]
        _tilt(row, measure, befores[i], ground.heights[i], share)
        _write_motion(row, measure, dt, motion)
        for k in range(NUMBERS):
            row[LAST_MOTION + k] = motion[k]


@compiled_without_refcounts
def set_ways(rows: Floats, gravity: float, ways: Floats) -> None:
    """Writes along which ways (n, 2) vehicles go in the coming step, see `steps.RUN`.

    Args:
        rows: (n, w) see `HEIGHT`.
        gravity: [m/s²].
        ways: written.
    """
    for i in range(len(rows)):
        rise = 0.0 if np.isnan(rows[i, HEIGHT]) else rows[i, RISE]
        level = 1.0 / sqrt(1.0 + rise * rise)
        ways[i, RUN], ways[i, SLOPE] = level, -gravity * rise * level


@jitable
def _tilt(row: Floats, measure: Floats, before: Floats, heights: Floats, share: float) -> None:
    """Brings height and slopes nearer to those of the ground under the wheels."""
    is_new = np.isnan(row[HEIGHT])
    if is_new:
        row[RISE], row[LEAN] = 0.0, 0.0
    missing = np.isnan(heights[0] + heights[1] + heights[2] + heights[3])
    if missing and is_new:
        row[HEIGHT] = row[LAST_MOTION + 2] - measure[LIFT]
        return
    x, y = row[X] - before[0], row[Y] - before[1]
    along = sqrt(x * x + y * y) * (1.0 if row[VELOCITY] >= 0.0 else -1.0)
    # The height that continues along its own slope: on a constant slope there is no lag.
    height = 0.0 if is_new else row[HEIGHT] + along * row[RISE]
    if missing:
        row[HEIGHT] = height
        return
    length = measure[FRONT] - measure[REAR]
    front, rear = 0.5 * (heights[0] + heights[1]), 0.5 * (heights[2] + heights[3])
    sides = 0.5 * (heights[0] + heights[2] - heights[1] - heights[3])
    rise, lean = (front - rear) / length, sides / (2.0 * measure[HALF_TRACK])
    found = rear - rise * measure[REAR]
    part = 1.0 if is_new else share
    row[HEIGHT] = found if is_new else height + part * (found - height)
    row[RISE] += part * (rise - row[RISE])
    row[LEAN] += part * (lean - row[LEAN])


@jitable
def _write_motion(row: Floats, measure: Floats, dt: float, motion: Floats) -> None:
    """Writes where a body is, and how fast it came there."""
    x, y, z = motion[0], motion[1], motion[2]
    qx, qy, qz, qw = motion[3], motion[4], motion[5], motion[6]
    ax, ay, az, aw = quaternion_of(row[YAW], row[RISE], row[LEAN])
    motion[3], motion[4], motion[5], motion[6] = ax, ay, az, aw
    # The first and the third column of the rotation: forward and up.
    back, lift = measure[OFFSET], measure[LIFT]
    motion[0] = row[X] - back * (1.0 - 2.0 * (ay * ay + az * az)) + lift * 2.0 * (ax * az + ay * aw)
    motion[1] = row[Y] - back * 2.0 * (ax * ay + az * aw) + lift * 2.0 * (ay * az - ax * aw)
    motion[2] = (
        row[HEIGHT] - back * 2.0 * (ax * az - ay * aw) + lift * (1.0 - 2.0 * (ax * ax + ay * ay))
    )
    motion[7], motion[8] = (motion[0] - x) / dt, (motion[1] - y) / dt
    motion[9] = (motion[2] - z) / dt
    # Twice the vector of the quaternion by which it has turned, over the time.
    sense = 2.0 / dt if ax * qx + ay * qy + az * qz + aw * qw >= 0.0 else -2.0 / dt
    motion[10] = sense * (qw * ax - aw * qx - ay * qz + az * qy)
    motion[11] = sense * (qw * ay - aw * qy - az * qx + ax * qz)
    motion[12] = sense * (qw * az - aw * qz - ax * qy + ay * qx)


@jitable
def quaternion_of(yaw: float, rise: float, lean: float) -> tuple[float, float, float, float]:
    """The quaternion x, y, z, w of R_z(yaw) R_y(-pitch) R_x(roll) on ground of these slopes."""
    s, c = sin_cos(0.5 * yaw)
    p, q = _half(-rise)
    r, u = _half(lean * sqrt(1.0 + rise * rise))
    return (
        c * q * r - s * p * u,
        c * p * u + s * q * r,
        s * q * u - c * p * r,
        c * q * u + s * p * r,
    )


@jitable
def _half(slope: float) -> tuple[float, float]:
    """Sine and cosine of half the angle of a slope."""
    cosine = 1.0 / sqrt(1.0 + slope * slope)
    half = sqrt(0.5 + 0.5 * cosine)
    return 0.5 * slope * cosine / half, half


@jitable
def velocities_of(row: Floats) -> tuple[float, float]:
    """The velocity [m/s] of a reference point forwards and to the left."""
    sine, cosine = sin_cos(row[SLIP])
    return row[VELOCITY] * cosine, row[VELOCITY] * sine


@compiled_without_refcounts
def mark_near_bodies(
    motions: Floats,
    reaches: Floats,
    others: Integers,
    positions: Floats,
    other_reaches: Floats,
    margin: float,
    is_near: Floats,
) -> None:
    """Says which vehicles bodies that forces move may meet soon.

    Args:
        motions: (n, 13) of the vehicles' bodies, positions first.
        reaches: (n,) m from their middles to their furthest corners.
        others: (m,) numbers of the bodies that forces move.
        positions: (b, 3) m in W of all bodies.
        other_reaches: (m,) m of those.
        margin: [m] between two bodies at which one comes in; twice as far it goes out again.
        is_near: (n,) 1 or 0, written.
    """
    for i in range(len(motions)):
        room = margin * (1.0 + is_near[i]) + reaches[i]
        found = 0.0
        for k in range(others.size):
            body = others[k]
            most = room + other_reaches[k]
            x, y = positions[body, 0] - motions[i, 0], positions[body, 1] - motions[i, 1]
            z = positions[body, 2] - motions[i, 2]
            if x * x + y * y + z * z <= most * most:
                found = 1.0
                break
        is_near[i] = found
