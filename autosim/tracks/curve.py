"""A curve as the points that it goes through, with what follows from them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autosim import portable
from autosim.arrays import Floats

LEAST_SPACING = 1e-9
"""Distance [m] of two points in a row that counts as none: the second of them is left out."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A polyline in the plane, open or closed.

    points: (n, 2) [m], of a closed one without the first point repeated;
    directions: (s, 2) unit vectors of the segments, s = n of a closed curve and n - 1 of an open;
    lengths: (s,) of the segments [m];
    distances: (s + 1,) along the curve [m] of the ends of the segments;
    tangents: (n, 2) unit vectors at the points, between the directions of the segments beside them.
    """

    points: Floats
    is_closed: bool
    """Whether the last point is joined to the first."""
    directions: Floats
    lengths: Floats
    distances: Floats
    tangents: Floats

    @classmethod
    def through(cls, points: npt.ArrayLike, *, is_closed: bool = False) -> "Curve":
        """The curve through points.

        Args:
            points: (n, 2) [m].
            is_closed: whether the last point is joined to the first.

        Raises:
            ValueError: no such array, not finite, or fewer than two (three) different points.
        """
        points = _different(np.asarray(points, dtype=np.float64), is_closed)
        ends = np.vstack([points, points[:1]]) if is_closed else points
        steps = np.diff(ends, axis=0)
        lengths = portable.hypot(steps[:, 0], steps[:, 1])
        directions = steps / lengths[:, None]
        distances = np.concatenate([[0.0], np.cumsum(lengths)])
        tangents = _tangents(directions, is_closed)
        return cls(points, is_closed, directions, lengths, distances, tangents)

    @property
    def length(self) -> float:
        """From the start to the end, or all around [m]."""
        return float(self.distances[-1])

    def at(self, distances: npt.ArrayLike) -> Floats:
        """The points (n, 2) [m] at distances (n,) along it; beyond its ends, the ends."""
        ends = np.vstack([self.points, self.points[:1]]) if self.is_closed else self.points
        wanted = np.asarray(distances, dtype=np.float64)
        columns = [np.interp(wanted, self.distances, ends[:, k]) for k in (0, 1)]
        return np.column_stack(columns)

    def resampled(self, spacing: float) -> "Curve":
        """The curve through points at even distances of about `spacing` [m]."""
        pieces = max(round(self.length / spacing), 3)
        stations = np.linspace(0.0, self.length, pieces + 1)
        return Curve.through(
            self.at(stations[:-1] if self.is_closed else stations), is_closed=self.is_closed
        )


def _different(points: Floats, is_closed: bool) -> Floats:
    """The points without those that repeat the one before them."""
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"a curve has points of the shape (n, 2), not {points.shape}")
    if not np.isfinite(points).all():
        row = int(np.argmin(np.isfinite(points).all(axis=1)))
        raise ValueError(f"point {row} of the curve is not finite: {points[row].tolist()}")
    before = np.roll(points, 1, axis=0)
    is_new = portable.hypot(points[:, 0] - before[:, 0], points[:, 1] - before[:, 1])
    keep = is_new > LEAST_SPACING
    if not is_closed:
        keep[:1] = True
    fewest = 3 if is_closed else 2
    if np.count_nonzero(keep) < fewest:
        kind = "a closed" if is_closed else "an open"
        raise ValueError(f"{kind} curve has at least {fewest} points in different places")
    kept: Floats = points[keep]
    return kept


def _tangents(directions: Floats, is_closed: bool) -> Floats:
    """Unit vectors at the points; where the curve turns back, that of the segment after it."""
    if is_closed:
        before, after = np.roll(directions, 1, axis=0), directions
    else:
        before = np.vstack([directions[:1], directions])
        after = np.vstack([directions, directions[-1:]])
    sums = before + after
    sizes = portable.hypot(sums[:, 0], sums[:, 1])
    turns_back = sizes < LEAST_SPACING
    sums[turns_back], sizes[turns_back] = after[turns_back], 1.0
    return np.asarray(sums / sizes[:, None])
