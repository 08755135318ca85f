"""Streets side by side at different heights, and the clearance that each has to its sides.

On slopes the map has streets whose axes lie closer together than their carriageways are wide: the
mouth of a tunnel and the street along its wall, a ramp and the street that it leaves, the two arms
of a hairpin. One carriageway cannot lie inside the other. A border between the two axes, in
proportion to the widths, divides them: each street keeps its own height up to there, and its lanes
stay on its side.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.curves import smooth_step
from autosim.world.levels.axis_samples import SPACING, AxisSamples, sample_axes
from autosim.world.levels.level_division import Levels
from autosim.world.profiles.profile import Profile
from autosim.world.profiles.street_contacts import ALONGSIDE
from autosim.world.streets.street_finding import Street

_ABEAM = 0.6 * SPACING
"""Largest distance [m] along a street from a sample to one beside it: over half the spacing, so
that each sample of a parallel street has a partner."""

_FARTHEST = 14.0
"""Largest distance [m] between two axes whose streets can be in each other's way. Chosen: that of
two carriageways of four lanes each."""

_ARMS = 25.0
"""Least arc length [m] between two samples of one street on different arms of a hairpin."""

_NEAREST = 0.5
"""Least distance [m] between two axes with a border between them: nearer ones are one axis drawn
twice, or cross."""

_LEAST = 0.75
"""Least side clearance [m] that a street keeps: half of the narrowest car."""

_SAME = 0.005
"""Largest difference [m] in height of two levels that are one surface to a wheel."""

_STEP = 0.025
"""Least step [m] between two levels that makes a border: a lower one is an uneven road."""

_ALIKE = np.array([0.02, 0.05])
"""Differences in height [m] up to which neighbours on two levels, and on one level, share their
width. One level may slope from the one to the other, two levels leave a step."""

_APART = np.array([0.10, 0.35])
"""Differences in height [m] from which neighbours on two levels, and on one level, divide their
width in full."""

_CLEAR = 4.3
"""Minimum height [m] of a street above or below another that makes them independent: the 4.5 m that
traffic needs, less 0.2 m of tolerance of the solution."""

_SLOPE_WIDTH = 1.0
"""Width [m] of the slope between two streets of one level that lie 2 m or more apart in height."""

_WALL_WIDTH = 0.3
"""Width [m] that a wall between two levels takes of each street."""

_OVERLAP = 0.5
"""Width [m] by which two levels overlap that are nearly alike: lanes lie in their old places there,
and must have a floor."""

_PARTED = _OVERLAP / (_OVERLAP + _WALL_WIDTH)
"""Share of the full division at which two levels no longer overlap: lanes lie within their own
level's border from there on."""

_TAPER = 1.0 / 8.0
"""Ratio of a lane's shift aside to the length along the street on which it shifts. Chosen: a
gentle swerve for town traffic."""

_SMOOTHED = 5
"""Number of samples of the running mean of a side clearance: 8 m, about two cars' lengths."""

_CLIFF = 0.6
"""Least difference in height [m] of two streets of one level with a cliff between them. Chosen: no
kerb or bump is as high."""

_CLIFF_REACH = 3.0
"""Largest gap [m] between two carriageways with a cliff: a wider one has room for a slope."""

_BATCH = 500_000
"""Number of pairs of samples that are compared at once: some 100 MB of arrays."""


@dataclass(frozen=True, slots=True)
class SideClearance:
    """Lateral extent [m] of a street to its left and right at arc lengths `s` (n,) [m].

    `left`, `right` (n,): the width that its lanes may use; it tapers. `left_border`, `right_border`
    (n,): the distance at which the street's surface ends at one of another level, infinite where it
    does not.
    """

    s: Floats
    left: Floats
    right: Floats
    left_border: Floats
    right_border: Floats

    def at(self, s: npt.ArrayLike) -> tuple[Floats, Floats]:
        """The width [m] to the left and to the right at arc lengths [m]."""
        at = np.asarray(s, dtype=np.float64)
        left, right = (np.interp(at, self.s, side) for side in (self.left, self.right))
        return np.asarray(left), np.asarray(right)


@dataclass(frozen=True, slots=True)
class AdjacentStreets:
    """The streets of a world that have others close beside them.

    `side_clearances`: by number, of the streets that have less than their width; `cliffs` (n, 2)
    [m]: places on axes with another street of the same level close by, far above or below.
    """

    side_clearances: Mapping[int, SideClearance]
    cliffs: Floats


def find_adjacent_streets(
    streets: Sequence[Street], profiles: Sequence[Profile], levels: Levels
) -> AdjacentStreets:
    """Finds the streets that lie side by side at different heights.

    Args:
        streets: all streets.
        profiles: of each street.
        levels: the division of the streets into levels.
    """
    samples = sample_axes(streets, profiles, levels).of_uneven_streets(_FARTHEST)
    if not len(samples.s):
        return AdjacentStreets({}, np.zeros((0, 2)))
    search = _Search(samples)
    pairs = cKDTree(samples.points).query_pairs(_FARTHEST, output_type="ndarray")
    for first in range(0, len(pairs), _BATCH):
        batch = pairs[first : first + _BATCH]
        batch = batch[_are_apart(samples, *batch.T)]
        for own, other in (batch.T, batch.T[::-1]):
            search.narrow(own, other)
            search.mark_cliffs(own, other)
    return AdjacentStreets(search.side_clearances(), samples.points[search.at_cliff])


def _are_apart(samples: AxisSamples, own: Integers, other: Integers) -> Booleans:
    """Mask of pairs (n,) of two streets, or of two arms of one that turns back on itself."""
    is_other = samples.street[own] != samples.street[other]
    return np.asarray(is_other | (np.abs(samples.s[own] - samples.s[other]) > _ARMS))


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Samples `own` (n,) with others beside them.

    `rise` (n,) [m]: the difference of heights; `aside` (n,) [m]: the distance of the other axis to
    the left of the street; `share` (n,): the street's own share of the space between the two axes;
    `is_one_level` (n,): whether both lie on one level.
    """

    own: Integers
    rise: Floats
    aside: Floats
    share: Floats
    is_one_level: Booleans


class _Search:
    """Gathers clearances and cliffs, pair by pair of samples. The left side comes first."""

    def __init__(self, samples: AxisSamples) -> None:
        self._samples = samples
        self._width = np.column_stack([samples.half, samples.half])
        self._border = np.full(self._width.shape, np.inf)
        self._step = np.zeros(self._width.shape)
        self.at_cliff = np.zeros(len(samples.s), dtype=np.bool_)

    def narrow(self, own: Integers, other: Integers) -> None:
        """Narrows the samples `own` (n,) where the samples `other` (n,) lie beside them."""
        pairs = _beside(self._samples, own, other)
        half = self._samples.half[pairs.own]
        kind = pairs.is_one_level.astype(np.int64)
        strength = smooth_step((pairs.rise - _ALIKE[kind]) / (_APART - _ALIKE)[kind])
        slope = 0.5 * _SLOPE_WIDTH * smooth_step(pairs.rise / 2.0)
        own_part = np.abs(pairs.aside) * pairs.share
        own_part -= np.where(pairs.is_one_level, slope, _WALL_WIDTH * strength)
        wanted = np.maximum(own_part, _LEAST)
        at = (pairs.own, (pairs.aside < 0.0).astype(np.int64))
        shift = np.where(pairs.is_one_level, strength, np.minimum(strength / _PARTED, 1.0))
        np.minimum.at(self._width, at, half - shift * np.maximum(half - wanted, 0.0))
        # Levels that are nearly alike overlap: lanes are still in their places there.
        border = wanted + _OVERLAP * (1.0 - strength)
        cuts = ~pairs.is_one_level & (border < half + _WALL_WIDTH)
        at = (at[0][cuts], at[1][cuts])
        np.minimum.at(self._border, at, border[cuts])
        np.maximum.at(self._step, at, pairs.rise[cuts])

    def mark_cliffs(self, own: Integers, other: Integers) -> None:
        """Marks the samples `own` (n,) that have those `other` (n,) far above or below them."""
        samples = self._samples
        keep = samples.level[own] == samples.level[other]
        keep &= np.abs(samples.z[own] - samples.z[other]) > _CLIFF
        own, other = own[keep], other[keep]
        gaps = np.linalg.norm(samples.points[own] - samples.points[other], axis=1)
        is_near = gaps < samples.half[own] + samples.half[other] + _CLIFF_REACH
        self.at_cliff[own[is_near]] = True

    def side_clearances(self) -> dict[int, SideClearance]:
        """The side clearance of each street that has less than its width."""
        samples = self._samples
        less = (self._width < samples.half[:, None] - 1e-6) | np.isfinite(self._border)
        found = {}
        for street in np.unique(samples.street[less.any(axis=1)]).tolist():
            rows = slice(*np.searchsorted(samples.street, [street, street + 1]))
            s = samples.s[rows]
            left, right = (_smoothed(_tapered(s, self._width[rows, side])) for side in (0, 1))
            borders = (_steps_only(self._border[rows, k], self._step[rows, k]) for k in (0, 1))
            found[street] = SideClearance(s, left, right, *borders)
        return found


def _beside(samples: AxisSamples, own: Integers, other: Integers) -> _Pairs:
    """The pairs of samples that lie side by side at different heights, too close for both."""
    rise = np.abs(samples.z[own] - samples.z[other])
    is_one_level = samples.level[own] == samples.level[other]
    # A street that passes clear above or below does not count as a neighbour.
    keep = np.where(is_one_level, rise > _ALIKE[1], (rise > _SAME) & (rise < _CLEAR))
    own, other, rise, is_one_level = own[keep], other[keep], rise[keep], is_one_level[keep]
    gap, ahead = samples.points[other] - samples.points[own], samples.ahead[own]
    aside = ahead[:, 0] * gap[:, 1] - ahead[:, 1] * gap[:, 0]
    halves = samples.half[own] + samples.half[other]
    keep = np.abs(np.einsum("ij,ij->i", gap, ahead)) < _ABEAM
    keep &= np.abs(np.einsum("ij,ij->i", ahead, samples.ahead[other])) > ALONGSIDE
    keep &= (np.abs(aside) > _NEAREST) & (np.abs(aside) < halves + _SLOPE_WIDTH)
    share = samples.half[own] / halves
    return _Pairs(own[keep], rise[keep], aside[keep], share[keep], is_one_level[keep])


def _steps_only(border: Floats, step: Floats) -> Floats:
    """Borders (n,) without those along which no step (n,) [m] is higher than `_STEP`."""
    is_border = np.isfinite(border)
    number = np.cumsum(np.diff(is_border, prepend=False))
    most = np.zeros(int(number[-1]) + 1)
    np.maximum.at(most, number, step)
    return np.where(most[number] > _STEP, border, np.inf)


def _tapered(s: Floats, width: Floats) -> Floats:
    """The width (n,) that tapers by `_TAPER` to each narrow place, and is nowhere above `width`."""
    forward = np.minimum.accumulate(width - _TAPER * s) + _TAPER * s
    backward = np.minimum.accumulate((width + _TAPER * s)[::-1])[::-1] - _TAPER * s
    return np.asarray(np.minimum(forward, backward))


def _smoothed(width: Floats) -> Floats:
    """The running mean (n,) over `_SMOOTHED` samples, nowhere above `width`."""
    ends = _SMOOTHED // 2
    padded = np.concatenate([np.repeat(width[0], ends), width, np.repeat(width[-1], ends)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, _SMOOTHED)
    return np.asarray(np.minimum(windows.sum(axis=1) / _SMOOTHED, width))
