"""How far streets reach to their sides where others beside them lie higher or lower.

On slopes the map has streets beside one another whose axes have less between them than the
carriageways are wide: the mouth of a tunnel and the street along its wall, a ramp and the street
that it leaves. One carriageway cannot lie in the other: between the two axes there is a border, up
to which each has its own height, and their lanes keep on their own sides of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree
from shapely.geometry.base import BaseGeometry

from autosim.world.curves import Floats, arc_lengths, smooth_step
from autosim.world.levels import Levels, Piece
from autosim.world.profiles import Profile
from autosim.world.streets import Street

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

_SPACING = 2.0
_ABEAM = 0.6 * _SPACING
_ALONGSIDE = np.cos(np.radians(40.0))
_FARTHEST = 14.0
_NEAREST, _LEAST = 0.5, 0.75
_SAME = 0.005
_ALIKE, _APART = 0.02, 0.10
_ALIKE_ON_SHEET, _APART_ON_SHEET = 0.05, 0.35
_CLEAR = 4.3
_SLOPE_ROOM = 1.0
_WALL_ROOM = 0.3
_TAPER = 1.0 / 8.0
_SMOOTHED = 5
_CLIFF, _CLIFF_REACH = 0.6, 3.0
_LOT = 500_000
_BEYOND = 8.0


@dataclass(frozen=True, slots=True)
class Room:
    """How far [m] a street reaches to its left and right at arc lengths `s` (n,) [m].

    `left`, `right` (n,): what its lanes may use; they taper. `left_border`, `right_border` (n,):
    where the street's surface ends at one of another sheet, infinite where it does not.
    """

    s: Floats
    left: Floats
    right: Floats
    left_border: Floats
    right_border: Floats

    def at(self, s: Floats) -> tuple[Floats, Floats]:
        """Room [m] to the left and to the right at arc lengths [m]."""
        return np.interp(s, self.s, self.left), np.interp(s, self.s, self.right)


@dataclass(frozen=True, slots=True)
class Flanks:
    """What streets have at their sides.

    `rooms`: of those that have less room than their width, by number; `cliffs` (n, 2): places on
    axes of streets that have another one of the same sheet near, far above or below them.
    """

    rooms: Mapping[int, Room]
    cliffs: Floats


@dataclass(frozen=True, slots=True)
class _Samples:
    """Points (n, 2) on axes with arc length, height, half width, sheet, and direction (n, 2)."""

    street: Integers
    s: Floats
    points: Floats
    ahead: Floats
    z: Floats
    half: Floats
    sheet: Integers

    def select(self, chosen: Booleans) -> "_Samples":
        return _Samples(
            self.street[chosen],
            self.s[chosen],
            self.points[chosen],
            self.ahead[chosen],
            self.z[chosen],
            self.half[chosen],
            self.sheet[chosen],
        )


def find_flanks(
    streets: Sequence[Street], profiles: Sequence[Profile], levels: Levels
) -> Flanks:
    """What all streets have at their sides.

    Args:
        streets: all streets.
        profiles: of each.
        levels: their sheets.
    """
    samples = _sampled(streets, profiles, levels)
    uneven = _near_uneven(samples)
    samples = samples.select(uneven)
    count = len(samples.s)
    if not count:
        return Flanks({}, np.zeros((0, 2)))
    room = np.column_stack([samples.half, samples.half])
    border = np.full((count, 2), np.inf)
    at_cliff = np.zeros(count, dtype=np.bool_)
    pairs = cKDTree(samples.points).query_pairs(_FARTHEST, output_type="ndarray")
    for first in range(0, len(pairs), _LOT):
        lot = pairs[first : first + _LOT]
        for own, other in (lot.T, lot.T[::-1]):
            _narrow(samples, own, other, room, border)
            _mark_cliffs(samples, own, other, at_cliff)
    is_narrowed = (room < samples.half[:, None] - 1e-6).any(axis=1)
    is_narrowed |= np.isfinite(border).any(axis=1)
    rooms = {
        int(k): _tapered(samples.select(samples.street == k), *_rows(samples, k, room, border))
        for k in np.unique(samples.street[is_narrowed])
    }
    return Flanks(rooms, samples.points[at_cliff])


def _rows(samples: _Samples, street: int, room: Floats, border: Floats) -> tuple[Floats, Floats]:
    chosen = samples.street == street
    return room[chosen], border[chosen]


def _sampled(
    streets: Sequence[Street], profiles: Sequence[Profile], levels: Levels
) -> _Samples:
    """All axes, at equal steps of at most `_SPACING`."""
    lengths = np.array([float(arc_lengths(street.points)[-1]) for street in streets])
    counts = np.maximum(np.ceil(lengths / _SPACING).astype(np.int64), 1) + 1
    parts: list[tuple[Floats, Floats, Floats, Floats, Integers]] = []
    for street, profile, count, pieces in zip(
        streets, profiles, counts.tolist(), levels.pieces, strict=True
    ):
        along = arc_lengths(street.points)
        s = np.linspace(0.0, along[-1], count)
        points = np.column_stack([np.interp(s, along, street.points[:, k]) for k in (0, 1)])
        ahead = np.gradient(points, axis=0)
        ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
        breaks = np.array([piece.end for piece in pieces[:-1]])
        sheets = np.array([piece.sheet for piece in pieces], dtype=np.int64)
        parts.append((s, points, ahead, profile.at(s), sheets[np.searchsorted(breaks, s)]))
    if not parts:
        none = np.zeros(0)
        whole = np.zeros(0, np.int64)
        return _Samples(whole, none, np.zeros((0, 2)), np.zeros((0, 2)), none, none, whole)
    halves = np.array([street.profile.width / 2.0 for street in streets])
    return _Samples(
        np.repeat(np.arange(len(streets)), counts),
        np.concatenate([part[0] for part in parts]),
        np.vstack([part[1] for part in parts]),
        np.vstack([part[2] for part in parts]),
        np.concatenate([part[3] for part in parts]),
        np.repeat(halves, counts),
        np.concatenate([part[4] for part in parts]),
    )


def _near_uneven(samples: _Samples) -> Booleans:
    """The samples of the streets that have one at another height than 0 near them."""
    off = np.abs(samples.z) > _ALIKE
    if off.all() or not off.any():
        return off
    gaps, _ = cKDTree(samples.points[off]).query(samples.points, distance_upper_bound=_FARTHEST)
    chosen = np.unique(samples.street[np.isfinite(gaps)])
    return np.isin(samples.street, chosen)


def _narrow(
    samples: _Samples, own: Integers, other: Integers, room: Floats, border: Floats
) -> None:
    """Lets the samples `own` (n,) make room for those `other` (n,) at another height beside."""
    keep = samples.street[own] != samples.street[other]
    rise = np.abs(samples.z[own] - samples.z[other])
    is_one_sheet = samples.sheet[own] == samples.sheet[other]
    keep &= (rise > np.where(is_one_sheet, _ALIKE_ON_SHEET, _SAME)) & (rise < _CLEAR)
    own, other, rise, is_one_sheet = own[keep], other[keep], rise[keep], is_one_sheet[keep]
    gap, ahead = samples.points[other] - samples.points[own], samples.ahead[own]
    lateral = ahead[:, 0] * gap[:, 1] - ahead[:, 1] * gap[:, 0]
    halves = samples.half[own] + samples.half[other]
    keep = np.abs(np.einsum("ij,ij->i", gap, ahead)) < _ABEAM
    keep &= np.abs(np.einsum("ij,ij->i", ahead, samples.ahead[other])) > _ALONGSIDE
    keep &= (np.abs(lateral) > _NEAREST) & (np.abs(lateral) < halves + _SLOPE_ROOM)
    own, rise, lateral, halves = own[keep], rise[keep], lateral[keep], halves[keep]
    is_one_sheet = is_one_sheet[keep]
    low = np.where(is_one_sheet, _ALIKE_ON_SHEET, _ALIKE)
    high = np.where(is_one_sheet, _APART_ON_SHEET, _APART)
    strength = smooth_step((rise - low) / (high - low))
    half = samples.half[own]
    between = np.abs(lateral) * half / halves
    spare = np.where(is_one_sheet, 0.5 * _SLOPE_ROOM * smooth_step(rise / 2.0), _WALL_ROOM * strength)
    wanted = np.maximum(between - spare, _LEAST)
    side = (lateral < 0.0).astype(np.int64)
    np.minimum.at(room, (own, side), half - strength * np.maximum(half - wanted, 0.0))
    cuts = ~is_one_sheet & (between - spare < half + _WALL_ROOM)
    np.minimum.at(border, (own[cuts], side[cuts]), wanted[cuts])


def _mark_cliffs(samples: _Samples, own: Integers, other: Integers, at_cliff: Booleans) -> None:
    """Marks the samples `own` (n,) near whose sides those `other` (n,) lie far above or below."""
    keep = samples.sheet[own] == samples.sheet[other]
    keep &= samples.street[own] != samples.street[other]
    keep &= np.abs(samples.z[own] - samples.z[other]) > _CLIFF
    own, other = own[keep], other[keep]
    gaps = np.linalg.norm(samples.points[own] - samples.points[other], axis=1)
    is_near = gaps < samples.half[own] + samples.half[other] + _CLIFF_REACH
    at_cliff[own[is_near]] = True


def _tapered(samples: _Samples, room: Floats, border: Floats) -> Room:
    """The room of one street, that widens and narrows no faster than lanes can follow."""
    s = samples.s
    left, right = (_smoothed(_widening(s, room[:, side])) for side in (0, 1))
    return Room(s, left, right, border[:, 0], border[:, 1])


def _widening(s: Floats, room: Floats) -> Floats:
    """The least room that, going along, is reached from each place by widening at `_TAPER`."""
    forward = np.minimum.accumulate(room - _TAPER * s) + _TAPER * s
    backward = np.minimum.accumulate((room + _TAPER * s)[::-1])[::-1] - _TAPER * s
    return np.minimum(forward, backward)


def _smoothed(room: Floats) -> Floats:
    """The running mean over five samples; never more than there is."""
    ends = _SMOOTHED // 2
    padded = np.concatenate([np.repeat(room[0], ends), room, np.repeat(room[-1], ends)])
    mean = np.convolve(padded, np.full(_SMOOTHED, 1.0 / _SMOOTHED), mode="valid")
    return np.minimum(mean, room)


def beyond_borders(piece: Piece, street: Street, room: Room) -> BaseGeometry:
    """What of a piece of a street and beside it lies beyond its borders with other sheets."""
    along = arc_lengths(street.points)
    points = np.column_stack([np.interp(room.s, along, street.points[:, k]) for k in (0, 1)])
    ahead = np.gradient(points, axis=0)
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    # The round ends of a carriageway reach beyond the street.
    points = np.vstack([points[0] - _BEYOND * ahead[0], points, points[-1] + _BEYOND * ahead[-1]])
    ahead = np.vstack([ahead[:1], ahead, ahead[-1:]])
    left = np.column_stack([-ahead[:, 1], ahead[:, 0]])
    s = np.concatenate([room.s[:1] - _BEYOND, room.s, room.s[-1:] + _BEYOND])
    is_outside = (s <= piece.start - _SPACING) & (piece.start > 0.0)
    is_outside |= (s >= piece.end + _SPACING) & (piece.end < room.s[-1])
    quads: list[BaseGeometry] = []
    for side, border in ((1.0, room.left_border), (-1.0, room.right_border)):
        reach = _grown(np.concatenate([border[:1], border, border[-1:]]))
        reach[is_outside] = np.inf
        both = np.flatnonzero(np.isfinite(reach[:-1]) & np.isfinite(reach[1:]))
        near = points + side * np.where(np.isfinite(reach), reach, 0.0)[:, None] * left
        far = points + side * _BEYOND * left
        quads += [shapely.Polygon([near[k], near[k + 1], far[k + 1], far[k]]) for k in both]
    return shapely.union_all(shapely.make_valid(quads))


def _grown(border: Floats) -> Floats:
    """Borders that go on by one sample at both ends."""
    padded = np.concatenate([[np.inf], border, [np.inf]])
    return np.minimum(border, np.minimum(padded[:-2], padded[2:]))
