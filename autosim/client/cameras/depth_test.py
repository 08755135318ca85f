"""Visibility of points of the world in a picture, by its depths."""

import numpy as np

from autosim.arrays import Booleans, Floats, Floats32
from autosim.client.cameras.camera_projection import CameraProjection

Depths = Floats32

SLACK = 0.3
"""A place counts as seen up to so far [m] behind what is drawn: it may lie on a surface."""

_SHARE = 0.01
"""The same, as a share of the distance: a depth buffer knows far things less well."""

_AROUND = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)])
"""A pixel and its neighbours: one of a surface seen at a flat angle spans many metres."""


def metres_of(buffer: Depths, *, near: float, far: float) -> Depths:
    """Depths [m] along the view axis of the values of a depth buffer, 0 at `near`, 1 at `far`."""
    depths: Depths = near * far / (far - buffer * np.float32(far - near))
    return depths


class DepthTest:
    """Tells seen places from hidden ones.

    Args:
        projection: of the picture.
        depths: (height, width) [m] along the view axis of what is drawn in it, rows from the top;
            None: nothing is known, and all counts as seen.
    """

    def __init__(self, projection: CameraProjection, depths: Depths | None = None) -> None:
        self._projection = projection
        self._depths = depths

    def sees(self, points: Floats, *, slack: float = SLACK) -> Booleans:
        """Whether each of n points is not hidden in the picture; one outside it counts as seen.

        Args:
            points: (n, 3) [m] in W.
            slack: how far [m] behind what is drawn a place may be.
        """
        is_seen = np.ones(len(points), dtype=bool)
        if self._depths is None or not len(points):
            return is_seen
        places, depths = self._projection.points(points)
        height, width = self._depths.shape
        places *= np.array([width, height]) / self._projection.size
        is_inside = ((places >= 0.0) & (places < [width, height])).all(axis=1)
        rows = np.flatnonzero(is_inside)
        around = places[rows].astype(np.int64)[:, None] + _AROUND
        columns, lines = np.clip(around, 0, [width - 1, height - 1]).transpose(2, 0, 1)
        drawn = self._depths[lines, columns].max(axis=1)
        is_seen[rows] = depths[rows] <= drawn * (1.0 + _SHARE) + slack
        return is_seen
