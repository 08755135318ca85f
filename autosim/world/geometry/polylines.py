"""Many polylines at once: a world has thousands of short ones, and NumPy is fast on long arrays.

Each method gives the results of its counterpart in `curves`, to the last bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.curves import REPEAT_DISTANCE


def count_up_to(known_of: Integers, known: Floats, of: Integers, at: Floats) -> Integers:
    """The number (n,) of known stations up to each place on lines.

    Args:
        known_of: (k,) the numbers of the lines of the known stations, ascending.
        known: (k,) stations [m], ascending on each line.
        of: (n,) numbers of lines.
        at: (n,) stations [m] of the places.

    Returns:
        (n,); the stations of all lines with lower numbers count, too.
    """
    # Complex numbers are sorted by the real part, here the line, then by the imaginary part.
    return np.searchsorted(known_of + 1j * known, of + 1j * at, side="right")


@dataclass(frozen=True, slots=True)
class Polylines:
    """Points (n, 2) [m] of one polyline after another, and the number of each: `counts` (m,).

    Each polyline has at least two points.
    """

    points: Floats
    counts: Integers

    @classmethod
    def of(cls, lines: Sequence[Floats]) -> "Polylines":
        """Polylines, each (n, 2)."""
        counts = np.array([len(line) for line in lines], dtype=np.int64)
        return cls(np.vstack([np.zeros((0, 2)), *lines]), counts)

    def shapes(self) -> npt.NDArray[np.object_]:
        """The `LineString` (m,) of each polyline."""
        # Imported here, since a compiled world is read without it.
        import shapely

        of = np.repeat(np.arange(len(self.counts)), self.counts)
        found = np.empty(len(self.counts), dtype=np.object_)
        found[:] = shapely.linestrings(self.points, indices=of)
        return found

    def stations(self) -> Floats:
        """Arc length [m] (n,) from the first point of its polyline to each point."""
        steps = self.points[1:] - self.points[:-1]
        lengths = np.sqrt((steps * steps).sum(axis=1))
        s = np.zeros(len(self.points))
        ends = np.cumsum(self.counts)
        # One after another: a sum over all polylines would round differently.
        for first, end in zip((ends - self.counts).tolist(), ends.tolist(), strict=True):
            lengths[first : end - 1].cumsum(out=s[first + 1 : end])
        return s

    def without_repeats(self) -> "Polylines":
        """The polylines without points that repeat the one before; both ends stay."""
        is_last = self._is_last()
        steps = self.points[1:] - self.points[:-1]
        is_kept = np.ones(len(self.points), dtype=np.bool_)
        is_kept[1:] = (steps * steps).sum(axis=1) > REPEAT_DISTANCE**2
        is_kept |= is_last | np.roll(is_last, 1)
        thinned = self._chosen(is_kept)
        rows = np.flatnonzero(thinned._is_last())
        gaps = portable.hypot(*(thinned.points[rows] - thinned.points[rows - 1]).T)
        is_kept = np.ones(len(thinned.points), dtype=np.bool_)
        is_kept[rows[(gaps <= REPEAT_DISTANCE) & (thinned.counts > 2)] - 1] = False
        return thinned if is_kept.all() else thinned._chosen(is_kept)

    def resampled(self, spacing: float) -> "Polylines":
        """The polylines with points added so that none are farther apart than `spacing` [m]."""
        s, is_last = self.stations(), self._is_last()
        ahead = np.diff(self.points, axis=0, append=self.points[-1:])
        steps = np.diff(s, append=0.0)
        ahead[is_last], steps[is_last] = 0.0, 0.0
        pieces = np.maximum(np.ceil(steps / spacing).astype(np.int64), 1)
        of = np.repeat(np.arange(len(pieces)), pieces)
        share = (np.arange(len(of)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) / pieces[of]
        points = self.points[of] + share[:, None] * ahead[of]
        return Polylines(points, self._of_each(pieces))

    def at_equal_steps(self, pieces: Integers) -> tuple[Floats, "Polylines"]:
        """Points at equal steps along each polyline, which divide it into `pieces` (m,).

        Returns:
            Arc lengths (k,) [m] of the points along their polylines, and the points.
        """
        stations = self.stations()
        ends = np.cumsum(self.counts)
        firsts, counts = ends - self.counts, pieces + 1
        of = np.repeat(np.arange(len(counts)), counts)
        step = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
        s = stations[ends - 1][of] * (step / pieces[of])
        known_of = np.repeat(np.arange(len(self.counts)), self.counts)
        k = count_up_to(known_of, stations, of, s) - 1
        k = np.minimum(np.maximum(k, firsts[of]), ends[of] - 2)
        span = stations[k + 1] - stations[k]
        share = np.minimum((s - stations[k]) / np.maximum(span, 1e-9), 1.0)[:, None]
        points = (1.0 - share) * self.points[k] + share * self.points[k + 1]
        return s, Polylines(points, counts)

    def lengths(self) -> Floats:
        """The length [m] (m,) of each polyline."""
        return self.stations()[np.cumsum(self.counts) - 1]

    def split(self, values: Floats) -> list[Floats]:
        """Values (n, …) of all points, polyline by polyline."""
        return np.split(values, np.cumsum(self.counts)[:-1]) if len(self.counts) else []

    def _is_last(self) -> Booleans:
        is_last = np.zeros(len(self.points), dtype=np.bool_)
        is_last[np.cumsum(self.counts) - 1] = True
        return is_last

    def _chosen(self, is_chosen: Booleans) -> "Polylines":
        return Polylines(self.points[is_chosen], self._of_each(is_chosen))

    def _of_each(self, values: npt.NDArray[np.generic]) -> Integers:
        """The sum (m,) of counts (n,) over the points of each polyline."""
        firsts = np.cumsum(self.counts) - self.counts
        return np.add.reduceat(values, firsts, dtype=np.int64) if len(firsts) else firsts
