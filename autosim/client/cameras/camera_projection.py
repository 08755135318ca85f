"""Projection of points of the world into a picture, for overlays.

The camera is the pinhole of `cameras`: u = w/2 - f y/x, v = h/2 - f z/x pixels from the top left.
"""

from math import tan

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.client.cameras.camera_rigs import NEAR, CameraPose


class CameraProjection:
    """One camera at one moment.

    Args:
        pose: of the camera in W.
        fov: its vertical field of view [rad].
        width: of the picture, in the unit that the results are to have.
        height: the same.

    `size` (2,) is width and height.
    """

    def __init__(self, pose: CameraPose, *, fov: float, width: float, height: float) -> None:
        self.pose = pose
        self.size = np.array([width, height])
        self._centre = self.size / 2
        self._focal = height / (2 * tan(fov / 2))

    def direction(self, x: float, y: float) -> Floats:
        """Direction (3,) in W, of length 1, in which a place of the picture lies.

        Args:
            x: from the left, in the units of the size.
            y: from the top.
        """
        right, down = (np.array([x, y]) - self._centre) / self._focal
        way = self.pose.rotation @ np.array([right, 1.0, -down])
        seen: Floats = way / np.linalg.norm(way)
        return seen

    def points(self, points: Floats) -> tuple[Floats, Floats]:
        """Projects points.

        Args:
            points: (n, 3) [m] in W.

        Returns:
            (n, 2) places from the top left; NaN where the point is not before the camera; and
            (n,) depths [m] along the view axis.
        """
        seen = self._in_camera(points)
        depths = seen[:, 1].copy()
        seen[depths < NEAR] = np.nan
        return self._places(seen), depths

    def segments(self, starts: Floats, ends: Floats) -> tuple[Floats, Integers]:
        """Projects straight lines, cut off where they pass behind the camera.

        Args:
            starts: (n, 3) [m] in W.
            ends: (n, 3).

        Returns:
            (m, 2, 2) both ends of those that are before the camera, and their (m,) indices.
        """
        a, b = self._in_camera(starts), self._in_camera(ends)
        kept = np.flatnonzero(np.maximum(a[:, 1], b[:, 1]) >= NEAR)
        a, b = a[kept], b[kept]
        lines = np.stack([self._places(_cut(a, b)), self._places(_cut(b, a))], axis=1)
        return lines, kept

    def _in_camera(self, points: Floats) -> Floats:
        """(n, 3) along the camera's right, forward and up axes."""
        return (np.asarray(points, dtype=np.float64) - self.pose.position) @ self.pose.rotation

    def _places(self, seen: Floats) -> Floats:
        right, forward, up = seen.T
        return self._centre + self._focal * np.stack([right / forward, -up / forward], axis=1)


def _cut(points: Floats, others: Floats) -> Floats:
    """`points`, those behind the near plane moved onto it along the lines to `others`."""
    behind = points[:, 1] < NEAR
    run = np.where(behind, others[:, 1] - points[:, 1], 1.0)
    share = np.where(behind, (NEAR - points[:, 1]) / run, 0.0)
    cut = points + share[:, None] * (others - points)
    cut[behind, 1] = NEAR
    return cut
