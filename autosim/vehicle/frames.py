"""Small vector helpers for the kernels: scalars in, scalars out, nothing allocated."""

from autosim.vehicle.bodies import Floats
from autosim.vehicle.jit import compiled

Triple = tuple[float, float, float]


@compiled
def rotation_matrix(quaternion: Floats, R: Floats) -> None:
    """Writes into R (3, 3) the rotation of a unit quaternion (4,) (x, y, z, w)."""
    x, y, z, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    R[0, 0], R[0, 1], R[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    R[2, 0], R[2, 1], R[2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)


@compiled
def to_world(R: Floats, x: float, y: float, z: float) -> Triple:
    """R_WB @ v_B, with R (3, 3)."""
    return (
        R[0, 0] * x + R[0, 1] * y + R[0, 2] * z,
        R[1, 0] * x + R[1, 1] * y + R[1, 2] * z,
        R[2, 0] * x + R[2, 1] * y + R[2, 2] * z,
    )


@compiled
def to_body(R: Floats, x: float, y: float, z: float) -> Triple:
    """R_WB^T @ v_W, with R (3, 3)."""
    return (
        R[0, 0] * x + R[1, 0] * y + R[2, 0] * z,
        R[0, 1] * x + R[1, 1] * y + R[2, 1] * z,
        R[0, 2] * x + R[1, 2] * y + R[2, 2] * z,
    )


@compiled
def cross(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> Triple:
    """A x b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@compiled
def dot(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> float:
    """A . b."""
    return ax * bx + ay * by + az * bz
