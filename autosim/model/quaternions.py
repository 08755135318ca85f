"""Rotations in double precision, computed to the same bits by every processor."""

from math import sqrt

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import Vector3
from autosim.model.vector_kernels import rotation_matrix

Quaternion = tuple[float, float, float, float]


def matrix_of(quaternion: Quaternion) -> Floats:
    """R (3, 3) of a unit quaternion (x, y, z, w)."""
    R = np.empty((3, 3))
    rotation_matrix(np.array(quaternion), R)
    return R


def multiply_matrices(A: Floats, B: Floats) -> Floats:
    """The product of two matrices (n, n)."""
    return portable.dot(A[:, None, :], B.T[None, :, :])


def compose(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation `b`, then `a`."""
    x, y, z, w = a
    p, q, r, s = b
    return (
        w * p + x * s + y * r - z * q,
        w * q - x * r + y * s + z * p,
        w * r + x * q - y * p + z * s,
        w * s - x * p - y * q - z * r,
    )


def inverse(a: Quaternion) -> Quaternion:
    """The rotation back."""
    x, y, z, w = a
    return -x, -y, -z, w


def turn_z_to(axis: Vector3) -> Quaternion:
    """The shortest rotation of z to the line along a unit vector, of which either end does."""
    x, y, z = axis if axis[2] >= 0.0 else (-axis[0], -axis[1], -axis[2])
    return _unit((-y, x, 0.0, 1.0 + z))


def turn_to_axes(forward: Vector3, up: Vector3) -> Quaternion:
    """The rotation of x to `forward` and of z as near to `up` as it comes.

    Args:
        forward: unit vector.
        up: unit vector, not parallel to it.
    """
    along = sum(a * b for a, b in zip(forward, up, strict=True))
    z = _unit3((up[0] - along * forward[0], up[1] - along * forward[1], up[2] - along * forward[2]))
    x = forward
    y = (z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0])
    return quaternion_of((x, y, z))


def quaternion_of(axes: tuple[Vector3, Vector3, Vector3]) -> Quaternion:
    """The rotation (x, y, z, w) that turns x, y and z to `axes`, right-handed unit vectors."""
    (a, b, c), (d, e, f), (g, h, i) = axes
    # Four times the product of two components each; the largest row is the best conditioned.
    rows = (
        (1.0 + a - e - i, b + d, c + g, f - h),
        (b + d, 1.0 - a + e - i, f + h, g - c),
        (c + g, f + h, 1.0 - a - e + i, b - d),
        (f - h, g - c, b - d, 1.0 + a + e + i),
    )
    best = max(range(4), key=lambda k: rows[k][k])
    return _unit(rows[best])


def _unit(q: Quaternion) -> Quaternion:
    x, y, z, w = q
    length = sqrt(x * x + y * y + z * z + w * w)
    return x / length, y / length, z / length, w / length


def _unit3(v: Vector3) -> Vector3:
    x, y, z = v
    length = sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length
