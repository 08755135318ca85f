"""The axes of all streets as points at equal steps, with height, width and level at each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.curves import arc_lengths, points_at, tangents, tangents_of_each
from autosim.world.geometry.polylines import Polylines
from autosim.world.levels.level_division import Levels
from autosim.world.profiles.profile import Profile, heights_along
from autosim.world.streets.street_finding import Street

SPACING = 2.0
"""Largest distance [m] from one sample of an axis to the next: less than the narrowest street is
wide, so that samples of parallel streets find each other."""

_EVEN = 0.02
"""Largest height [m] above or below a plain of a street that is even with it."""


@dataclass(frozen=True, slots=True)
class AxisSamples:
    """Samples (n,) of streets' axes, street after street.

    `street`: number; `s` [m]: arc length; `points` (n, 2) [m] in W; `ahead` (n, 2): unit vectors
    along the street; `z` [m]: its height; `half` [m]: half its width; `level`: number of its level.
    """

    street: Integers
    s: Floats
    points: Floats
    ahead: Floats
    z: Floats
    half: Floats
    level: Integers

    def select(self, chosen: Booleans) -> "AxisSamples":
        """Some of the samples."""
        return AxisSamples(
            self.street[chosen],
            self.s[chosen],
            self.points[chosen],
            self.ahead[chosen],
            self.z[chosen],
            self.half[chosen],
            self.level[chosen],
        )

    def of_uneven_streets(self, reach: float) -> "AxisSamples":
        """The samples of streets that have a place at another height than 0 within `reach` [m]."""
        off = np.abs(self.z) > _EVEN
        if off.all() or not off.any():
            return self.select(off)
        gaps, _ = cKDTree(self.points[off]).query(self.points, distance_upper_bound=reach)
        return self.select(np.isin(self.street, np.unique(self.street[np.isfinite(gaps)])))


def sample_axes(
    streets: Sequence[Street], profiles: Sequence[Profile], levels: Levels
) -> AxisSamples:
    """Samples at least every `SPACING`, both ends of each street among them.

    Args:
        streets: of all levels.
        profiles: of each street.
        levels: the division of the streets into levels.
    """
    axes = Polylines.of([street.points for street in streets])
    pieces = np.maximum(np.ceil(axes.lengths() / SPACING).astype(np.int64), 1)
    s, samples = axes.at_equal_steps(pieces)
    points, counts = samples.points, samples.counts
    number = np.repeat(np.arange(len(streets)), counts)
    return AxisSamples(
        number,
        s,
        points,
        tangents_of_each(points, counts),
        heights_along(profiles, number, s)[0],
        np.array([street.profile.width / 2.0 for street in streets])[number],
        _level_numbers(levels, number, s),
    )


def _level_numbers(levels: Levels, number: Integers, s: Floats) -> Integers:
    """The level (n,) of each street, by number (n,), at arc length `s` (n,) [m]."""
    numbers = np.array([piece.level for own in levels.pieces for piece in own], dtype=np.int64)
    # Complex numbers are sorted by their first part, which is the street, and then by the second.
    breaks = [k + 1j * piece.end for k, own in enumerate(levels.pieces) for piece in own[:-1]]
    before = np.searchsorted(np.array(breaks, dtype=np.complex128), number + 1j * s)
    # A street has one piece more than it has breaks.
    return np.asarray(numbers[before + number])


def along_axis(axis: Floats, s: Floats) -> tuple[Floats, Floats]:
    """Points (n, 2) of an axis at two or more arc lengths (n,), and unit vectors (n, 2) along."""
    stations = arc_lengths(axis)
    points = points_at(axis, stations, s)
    return points, tangents(points)
