"""Small vector helpers for the kernels.

Vectors are tuples, so that nothing is allocated; rows of arrays are read into them and written from
them. A helper that took rows as well would be compiled once for each mixture of both.
"""

from autosim.arrays import Floats
from autosim.jit import compiled_without_refcounts, jitable

Triple = tuple[float, float, float]


@jitable
def rotation_matrix(quaternion: Floats, R: Floats) -> None:
    """Writes into R (3, 3) the rotation of a unit quaternion (4,) (x, y, z, w)."""
    x, y, z, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    R[0, 0], R[0, 1], R[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    R[2, 0], R[2, 1], R[2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)


@compiled_without_refcounts
def write_rotations(quaternions: Floats, rotations: Floats) -> None:
    """Writes into `rotations` (n, 3, 3) those of unit quaternions (n, 4) (x, y, z, w)."""
    for i in range(len(quaternions)):
        rotation_matrix(quaternions[i], rotations[i])


@jitable
def to_world(R: Floats, v: Triple) -> Triple:
    """R_WB @ v_B, with R (3, 3)."""
    return (
        R[0, 0] * v[0] + R[0, 1] * v[1] + R[0, 2] * v[2],
        R[1, 0] * v[0] + R[1, 1] * v[1] + R[1, 2] * v[2],
        R[2, 0] * v[0] + R[2, 1] * v[1] + R[2, 2] * v[2],
    )


@jitable
def to_body(R: Floats, v: Triple) -> Triple:
    """R_WB^T @ v_W, with R (3, 3)."""
    return (
        R[0, 0] * v[0] + R[1, 0] * v[1] + R[2, 0] * v[2],
        R[0, 1] * v[0] + R[1, 1] * v[1] + R[2, 1] * v[2],
        R[0, 2] * v[0] + R[1, 2] * v[1] + R[2, 2] * v[2],
    )


@jitable
def read_vector(row: Floats) -> Triple:
    """The vector in `row` (3,)."""
    return row[0], row[1], row[2]


@jitable
def write_vector(v: Triple, row: Floats) -> None:
    """Writes v into `row` (3,). `row[:] = v` compiles for seconds: it provides for any shape."""
    row[0], row[1], row[2] = v[0], v[1], v[2]


@jitable
def cross(a: Triple, b: Triple) -> Triple:
    """A x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@jitable
def dot(a: Triple, b: Triple) -> float:
    """A . b."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@jitable
def vec_add(a: Triple, b: Triple) -> Triple:
    """A + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@jitable
def vec_sub(a: Triple, b: Triple) -> Triple:
    """A - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@jitable
def vec_scale(s: float, a: Triple) -> Triple:
    """S a."""
    return s * a[0], s * a[1], s * a[2]
