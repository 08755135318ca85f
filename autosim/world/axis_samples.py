"""The axes of all streets as points at equal steps, with what they are there."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from autosim.world.curves import Floats, arc_lengths, points_at, tangents
from autosim.world.levels import Levels
from autosim.world.profiles import Profile
from autosim.world.streets import Street

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

SPACING = 2.0
"""The most [m] from one sample of an axis to the next."""

_LEVEL = 0.02


@dataclass(frozen=True, slots=True)
class AxisSamples:
    """Samples (n,) of streets' axes, street after street.

    `street`: number; `s` [m]: arc length; `points` (n, 2) [m] in W; `ahead` (n, 2): unit vectors
    along the street; `z` [m]: its height; `half` [m]: half its width; `sheet`: on which it lies.
    """

    street: Integers
    s: Floats
    points: Floats
    ahead: Floats
    z: Floats
    half: Floats
    sheet: Integers

    def select(self, chosen: Booleans) -> "AxisSamples":
        """Some of the samples."""
        return AxisSamples(
            self.street[chosen],
            self.s[chosen],
            self.points[chosen],
            self.ahead[chosen],
            self.z[chosen],
            self.half[chosen],
            self.sheet[chosen],
        )

    def of_uneven_streets(self, reach: float) -> "AxisSamples":
        """Those of streets that have, within `reach` [m], anything at another height than 0."""
        off = np.abs(self.z) > _LEVEL
        if off.all() or not off.any():
            return self.select(off)
        gaps, _ = cKDTree(self.points[off]).query(self.points, distance_upper_bound=reach)
        return self.select(np.isin(self.street, np.unique(self.street[np.isfinite(gaps)])))


def sample_axes(
    streets: Sequence[Street], profiles: Sequence[Profile], levels: Levels
) -> AxisSamples:
    """Samples at least every `SPACING`, both ends of each street among them.

    Args:
        streets: at least one.
        profiles: of each.
        levels: their sheets.
    """
    parts = [_of_street(k, street, profiles[k], levels) for k, street in enumerate(streets)]
    return AxisSamples(
        np.concatenate([part.street for part in parts]),
        np.concatenate([part.s for part in parts]),
        np.vstack([part.points for part in parts]),
        np.vstack([part.ahead for part in parts]),
        np.concatenate([part.z for part in parts]),
        np.concatenate([part.half for part in parts]),
        np.concatenate([part.sheet for part in parts]),
    )


def _of_street(number: int, street: Street, profile: Profile, levels: Levels) -> AxisSamples:
    length = float(arc_lengths(street.points)[-1])
    s = np.linspace(0.0, length, max(int(np.ceil(length / SPACING)), 1) + 1)
    points, ahead = along_axis(street.points, s)
    pieces = levels.pieces[number]
    breaks = np.array([piece.end for piece in pieces[:-1]])
    sheets = np.array([piece.sheet for piece in pieces], dtype=np.int64)
    return AxisSamples(
        np.full(len(s), number),
        s,
        points,
        ahead,
        profile.at(s),
        np.full(len(s), street.profile.width / 2.0),
        sheets[np.searchsorted(breaks, s)],
    )


def along_axis(axis: Floats, s: Floats) -> tuple[Floats, Floats]:
    """Points (n, 2) of an axis at two or more arc lengths (n,), and unit vectors (n, 2) along."""
    stations = arc_lengths(axis)
    points = points_at(axis, stations, s)
    return points, tangents(points)
