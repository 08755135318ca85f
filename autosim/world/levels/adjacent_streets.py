"""What streets have at their sides: others beside them that lie higher or lower.

On slopes the map has streets beside one another whose axes have less between them than the
carriageways are wide: the mouth of a tunnel and the street along its wall, a ramp and the street
that it leaves, the two arms of a hairpin. One carriageway cannot lie in the other: between the two
axes, in proportion to the widths, there is a border, up to which each has its own height, and their
lanes keep on their own sides of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.curves import smooth_step
from autosim.world.levels.axis_samples import SPACING, AxisSamples, sample_axes
from autosim.world.levels.levels import Levels
from autosim.world.profiles.clearances import ALONGSIDE
from autosim.world.profiles.profiles import Profile
from autosim.world.streets.streets import Street

_ABEAM = 0.6 * SPACING
_FARTHEST, _ARMS = 14.0, 25.0
_NEAREST, _LEAST = 0.5, 0.75
_SAME, _STEP = 0.005, 0.04
_ALIKE, _APART = np.array([0.02, 0.05]), np.array([0.10, 0.35])
_CLEAR = 4.3
_SLOPE_ROOM, _WALL_ROOM, _OVERLAP = 1.0, 0.3, 0.5
_TAPER = 1.0 / 8.0
_SMOOTHED = 5
_CLIFF, _CLIFF_REACH = 0.6, 3.0
_LOT = 500_000


@dataclass(frozen=True, slots=True)
class SideClearance:
    """How far [m] a street reaches to its left and right at arc lengths `s` (n,) [m].

    `left`, `right` (n,): what its lanes may use; they taper. `left_border`, `right_border` (n,):
    where the street's surface ends at one of another level, infinite where it does not.
    """

    s: Floats
    left: Floats
    right: Floats
    left_border: Floats
    right_border: Floats

    def at(self, s: npt.ArrayLike) -> tuple[Floats, Floats]:
        """SideClearance [m] to the left and to the right at arc lengths [m]."""
        at = np.asarray(s, dtype=np.float64)
        left, right = (np.interp(at, self.s, side) for side in (self.left, self.right))
        return np.asarray(left), np.asarray(right)


@dataclass(frozen=True, slots=True)
class AdjacentStreets:
    """What streets have at their sides.

    `rooms`: of those that have less room than their width, by number; `cliffs` (n, 2): places on
    axes of streets that have another one of the same level near, far above or below them.
    """

    rooms: Mapping[int, SideClearance]
    cliffs: Floats


def find_adjacent_streets(
    streets: Sequence[Street], profiles: Sequence[Profile], levels: Levels
) -> AdjacentStreets:
    """What all streets have at their sides.

    Args:
        streets: all streets.
        profiles: of each.
        levels: their levels.
    """
    samples = sample_axes(streets, profiles, levels).of_uneven_streets(_FARTHEST)
    if not len(samples.s):
        return AdjacentStreets({}, np.zeros((0, 2)))
    search = _Search(samples)
    pairs = cKDTree(samples.points).query_pairs(_FARTHEST, output_type="ndarray")
    for first in range(0, len(pairs), _LOT):
        lot = pairs[first : first + _LOT]
        lot = lot[_are_apart(samples, *lot.T)]
        for own, other in (lot.T, lot.T[::-1]):
            search.narrow(own, other)
            search.mark_cliffs(own, other)
    return AdjacentStreets(search.rooms(), samples.points[search.at_cliff])


def _are_apart(samples: AxisSamples, own: Integers, other: Integers) -> Booleans:
    """Which pairs are of two streets, or of two arms of one that turns back on itself."""
    is_other = samples.street[own] != samples.street[other]
    return np.asarray(is_other | (np.abs(samples.s[own] - samples.s[other]) > _ARMS))


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Samples `own` (n,) with others beside them.

    `rise` (n,) [m]: the difference of heights; `aside` (n,) [m]: how far to the left of the street
    the other's axis is; `share` (n,): of what is between the two axes that is the street's own;
    `is_one_level` (n,): whether both lie on one.
    """

    own: Integers
    rise: Floats
    aside: Floats
    share: Floats
    is_one_level: Booleans


class _Search:
    """What is found, pair by pair of samples: at each its two sides, the left one first."""

    def __init__(self, samples: AxisSamples) -> None:
        self._samples = samples
        self._room = np.column_stack([samples.half, samples.half])
        self._border = np.full(self._room.shape, np.inf)
        self._step = np.zeros(self._room.shape)
        self.at_cliff = np.zeros(len(samples.s), dtype=np.bool_)

    def narrow(self, own: Integers, other: Integers) -> None:
        """Lets the samples `own` (n,) make room for those `other` (n,) beside them."""
        pairs = _beside(self._samples, own, other)
        half = self._samples.half[pairs.own]
        kind = pairs.is_one_level.astype(np.int64)
        strength = smooth_step((pairs.rise - _ALIKE[kind]) / (_APART - _ALIKE)[kind])
        slope = 0.5 * _SLOPE_ROOM * smooth_step(pairs.rise / 2.0)
        own_part = np.abs(pairs.aside) * pairs.share
        own_part -= np.where(pairs.is_one_level, slope, _WALL_ROOM * strength)
        wanted = np.maximum(own_part, _LEAST)
        at = (pairs.own, (pairs.aside < 0.0).astype(np.int64))
        np.minimum.at(self._room, at, half - strength * np.maximum(half - wanted, 0.0))
        # Sheets that are nearly alike overlap: lanes are still in their places there.
        border = wanted + _OVERLAP * (1.0 - strength)
        cuts = ~pairs.is_one_level & (border < half + _WALL_ROOM)
        at = (at[0][cuts], at[1][cuts])
        np.minimum.at(self._border, at, border[cuts])
        np.maximum.at(self._step, at, pairs.rise[cuts])

    def mark_cliffs(self, own: Integers, other: Integers) -> None:
        """Marks those samples `own` (n,) near which those `other` (n,) lie far above or below."""
        samples = self._samples
        keep = samples.level[own] == samples.level[other]
        keep &= np.abs(samples.z[own] - samples.z[other]) > _CLIFF
        own, other = own[keep], other[keep]
        gaps = np.linalg.norm(samples.points[own] - samples.points[other], axis=1)
        is_near = gaps < samples.half[own] + samples.half[other] + _CLIFF_REACH
        self.at_cliff[own[is_near]] = True

    def rooms(self) -> dict[int, SideClearance]:
        """The room of each street that has less than its width."""
        samples = self._samples
        less = (self._room < samples.half[:, None] - 1e-6) | np.isfinite(self._border)
        rooms = {}
        for street in np.unique(samples.street[less.any(axis=1)]).tolist():
            rows = slice(*np.searchsorted(samples.street, [street, street + 1]))
            s = samples.s[rows]
            left, right = (_smoothed(_widening(s, self._room[rows, side])) for side in (0, 1))
            borders = (_steps_only(self._border[rows, k], self._step[rows, k]) for k in (0, 1))
            rooms[street] = SideClearance(s, left, right, *borders)
        return rooms


def _beside(samples: AxisSamples, own: Integers, other: Integers) -> _Pairs:
    """Those pairs of samples that lie side by side at different heights and need more room."""
    rise = np.abs(samples.z[own] - samples.z[other])
    is_one_level = samples.level[own] == samples.level[other]
    # What passes clear above or below is no neighbour.
    keep = np.where(is_one_level, rise > _ALIKE[1], (rise > _SAME) & (rise < _CLEAR))
    own, other, rise, is_one_level = own[keep], other[keep], rise[keep], is_one_level[keep]
    gap, ahead = samples.points[other] - samples.points[own], samples.ahead[own]
    aside = ahead[:, 0] * gap[:, 1] - ahead[:, 1] * gap[:, 0]
    halves = samples.half[own] + samples.half[other]
    keep = np.abs(np.einsum("ij,ij->i", gap, ahead)) < _ABEAM
    keep &= np.abs(np.einsum("ij,ij->i", ahead, samples.ahead[other])) > ALONGSIDE
    keep &= (np.abs(aside) > _NEAREST) & (np.abs(aside) < halves + _SLOPE_ROOM)
    share = samples.half[own] / halves
    return _Pairs(own[keep], rise[keep], aside[keep], share[keep], is_one_level[keep])


def _steps_only(border: Floats, step: Floats) -> Floats:
    """Borders (n,) without those along which there is nowhere more than a hair's step (n,) [m]."""
    is_border = np.isfinite(border)
    number = np.cumsum(np.diff(is_border, prepend=False))
    most = np.zeros(int(number[-1]) + 1)
    np.maximum.at(most, number, step)
    return np.where(most[number] > _STEP, border, np.inf)


def _widening(s: Floats, room: Floats) -> Floats:
    """The least room that, going along, is reached from each place by widening at `_TAPER`."""
    forward = np.minimum.accumulate(room - _TAPER * s) + _TAPER * s
    backward = np.minimum.accumulate((room + _TAPER * s)[::-1])[::-1] - _TAPER * s
    return np.asarray(np.minimum(forward, backward))


def _smoothed(room: Floats) -> Floats:
    """The running mean over five samples; never more than there is."""
    ends = _SMOOTHED // 2
    padded = np.concatenate([np.repeat(room[0], ends), room, np.repeat(room[-1], ends)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, _SMOOTHED)
    return np.asarray(np.minimum(windows.sum(axis=1) / _SMOOTHED, room))
