"""Quaternions (x, y, z, w) and rotation vectors for kernels; both are tuples, as in `frames`."""

from math import sqrt

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.model.vector_kernels import Triple
from autosim.portable import arctan2, sin_cos

Quaternion = tuple[float, float, float, float]

_SMALL_SQUARE = 1e-16
"""Square of an angle [rad²] below which sin(angle / 2) / angle is a half to the last bit."""


@jitable
def turn_by(vector: Triple, turned: Quaternion) -> Quaternion:
    """Exp(vector) ∘ turned, of length one: a rotation after which another one is made.

    Args:
        vector: rotation vector [rad] in W.
        turned: R_WB.
    """
    return product(from_vector(vector), turned)


@jitable
def from_vector(vector: Triple) -> Quaternion:
    """The quaternion of a rotation vector [rad]."""
    x, y, z = vector
    square = x * x + y * y + z * z
    if square < _SMALL_SQUARE:
        return 0.5 * x, 0.5 * y, 0.5 * z, 1.0
    angle = sqrt(square)
    sine, cosine = sin_cos(0.5 * angle)
    share = sine / angle
    return share * x, share * y, share * z, cosine


@jitable
def to_vector(quaternion: Quaternion) -> Triple:
    """The rotation vector [rad] of a quaternion, no longer than half a turn."""
    x, y, z, w = quaternion
    sine = sqrt(x * x + y * y + z * z)
    if sine * sine < _SMALL_SQUARE:
        share = 2.0 if w >= 0.0 else -2.0
    elif w >= 0.0:
        share = 2.0 * arctan2(sine, w) / sine
    else:
        share = -2.0 * arctan2(sine, -w) / sine
    return share * x, share * y, share * z


@jitable
def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """A ∘ b (first b, then a), of length one."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    x = aw * bx + ax * bw + ay * bz - az * by
    y = aw * by - ax * bz + ay * bw + az * bx
    z = aw * bz + ax * by - ay * bx + az * bw
    w = aw * bw - ax * bx - ay * by - az * bz
    scale = 1.0 / sqrt(x * x + y * y + z * z + w * w)
    return scale * x, scale * y, scale * z, scale * w


@jitable
def inverse(a: Quaternion) -> Quaternion:
    """The rotation that undoes `a`."""
    return -a[0], -a[1], -a[2], a[3]


@jitable
def read_quaternion(row: Floats) -> Quaternion:
    """The quaternion in `row` (4,)."""
    return row[0], row[1], row[2], row[3]


@jitable
def write_quaternion(quaternion: Quaternion, row: Floats) -> None:
    """Writes a quaternion into `row` (4,)."""
    row[0], row[1], row[2], row[3] = quaternion
