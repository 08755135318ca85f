"""Pure functions between our frames and Panda3D's.

Panda3D's world is right-handed with z up, like W, so positions pass unchanged. Its nodes look
along +y with x to the right, where our bodies look along +x with y to the left: only cameras
turn. Quaternions are (x, y, z, w) with us and (w, x, y, z) there.
"""

import numpy as np

from autosim.arrays import Floats


def unit_quaternions(quaternions: Floats) -> Floats:
    """Normalised copies of (n, 4) quaternions (x, y, z, w).

    A zero quaternion, which a state holds before its first step, becomes the identity.
    """
    norms = np.linalg.norm(quaternions, axis=1, keepdims=True)
    identity = np.array([0.0, 0.0, 0.0, 1.0])
    is_zero = norms < 1e-9
    return np.where(is_zero, identity, quaternions / np.where(is_zero, 1.0, norms))


def rotation_matrix(quaternion: Floats) -> Floats:
    """R_WB (3, 3) of the unit quaternion (x, y, z, w) (4,)."""
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def yaw_matrix(R_WB: Floats) -> Floats:
    """The rotation (3, 3) about z alone that points B's x axis to the same heading."""
    yaw = np.arctan2(R_WB[1, 0], R_WB[0, 0])
    cos, sin = np.cos(yaw), np.sin(yaw)
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])


def wheel_quaternions(steering: Floats, rotation: Floats) -> Floats:
    """Attitudes (n, 4) (x, y, z, w) of wheels in B: steered about z, then rolled about the axle.

    Both angles (n,) [rad]; a positive rotation rolls forward (about +y, the axle).
    """
    cos_s, sin_s = np.cos(steering / 2), np.sin(steering / 2)
    cos_r, sin_r = np.cos(rotation / 2), np.sin(rotation / 2)
    return np.stack([-sin_s * sin_r, cos_s * sin_r, sin_s * cos_r, cos_s * cos_r], axis=1)


def look_rotation(direction: Floats, up: Floats) -> Floats:
    """R (3, 3) of a Panda3D camera: columns are its right, forward and up axes.

    Args:
        direction: (3,) where the camera looks; any length but zero.
        up: (3,) roughly upwards; where it is parallel to `direction` another axis is taken.
    """
    forward = direction / np.linalg.norm(direction)
    right = _cross(forward, up)
    if np.linalg.norm(right) < 1e-6:
        right = _cross(forward, np.array([0.0, 1.0, 0.0]) + 0.5 * np.roll(forward, 1))
    right /= np.linalg.norm(right)
    return np.stack([right, forward, _cross(right, forward)], axis=1)


def _cross(a: Floats, b: Floats) -> Floats:
    """The cross product of two vectors (3,); np.cross takes ten times as long for so few."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
