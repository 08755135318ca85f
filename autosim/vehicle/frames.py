"""Small vector helpers for the kernels. They give tuples, so that nothing is allocated."""

from autosim.simulation.jit import compiled
from autosim.vehicle.bodies import Floats

Triple = tuple[float, float, float]
Vector = Floats | Triple


@compiled
def rotation_matrix(quaternion: Floats, R: Floats) -> None:
    """Writes into R (3, 3) the rotation of a unit quaternion (4,) (x, y, z, w)."""
    x, y, z, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    R[0, 0], R[0, 1], R[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    R[2, 0], R[2, 1], R[2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)


@compiled
def to_world(R: Floats, v: Vector) -> Triple:
    """R_WB @ v_B, with R (3, 3)."""
    return (
        R[0, 0] * v[0] + R[0, 1] * v[1] + R[0, 2] * v[2],
        R[1, 0] * v[0] + R[1, 1] * v[1] + R[1, 2] * v[2],
        R[2, 0] * v[0] + R[2, 1] * v[1] + R[2, 2] * v[2],
    )


@compiled
def to_body(R: Floats, v: Vector) -> Triple:
    """R_WB^T @ v_W, with R (3, 3)."""
    return (
        R[0, 0] * v[0] + R[1, 0] * v[1] + R[2, 0] * v[2],
        R[0, 1] * v[0] + R[1, 1] * v[1] + R[2, 1] * v[2],
        R[0, 2] * v[0] + R[1, 2] * v[1] + R[2, 2] * v[2],
    )


@compiled
def cross(a: Vector, b: Vector) -> Triple:
    """A x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compiled
def dot(a: Vector, b: Vector) -> float:
    """A . b."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@compiled
def plus(a: Vector, b: Vector) -> Triple:
    """A + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@compiled
def minus(a: Vector, b: Vector) -> Triple:
    """A - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@compiled
def times(s: float, a: Vector) -> Triple:
    """S a."""
    return s * a[0], s * a[1], s * a[2]
