"""The height of a level: one function H(x, y) for each of its vertices.

On streets H follows their profiles; beside them, on the ground, it blends into the terrain.
Overlapping and parallel streets agree because all of them ask the same function.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from autosim import portable
from autosim.arrays import Booleans, Bytes, Floats, Integers, Integers32
from autosim.world.geometry.curves import smooth_step, tangents_of_each, to_left
from autosim.world.geometry.height_function import HeightFunction, flat
from autosim.world.geometry.polylines import Polylines
from autosim.world.levels.adjacent_streets import SideClearance
from autosim.world.levels.axis_samples import SPACING
from autosim.world.levels.level_division import LevelPiece, LevelTransition
from autosim.world.profiles.profile import Profile, heights_along
from autosim.world.streets.street_finding import Street

_BESIDE_SIGMA = 1.2
"""Standard deviation [m] of a sample's weight over the distance beside its carriageway. Chosen:
within two kerbs' widths the own street outweighs all others."""

_ALONG_SIGMA = 4.0
"""Standard deviation [m] of a sample's weight over the distance along the streets: two samples, so
that single ones do not show."""

_CORNER_SHARE = 0.5
"""Share of the distance to the nearest carriageway that widens `_BESIDE_SIGMA`: in the open
corner between two streets their heights blend over metres."""

_NEIGHBOURS = 16
"""Number of samples that decide a height: those of two crossing streets within 8 m."""

_VERGE = 2.0
"""Width [m] beside a carriageway that has the street's height: that of a pavement."""

_TRANSITION = 14.0
"""Width [m] beyond the verge on which the ground blends from the street's height into the terrain.
Chosen: an embankment of 5 m has a mean slope of 1 in 3 on it."""

_EXTENSION = 8.0
"""Distance [m] from a sample up to which its slope counts: farther away only its height does."""

_OTHER_STREET = 1.0
"""Difference in height [m] at which a sample counts half: it belongs to another street, behind a
wall."""

_MIDDLE = 1.0
"""Half the width [m] about an axis in which the reaches to the left and to the right blend."""

_LEAST_REACH = 2.0
"""Reach [m] to each side of a street at the transition where its level ends: that of one lane."""

_FULL_REACH = 4.0
"""The reach shrinks in proportion to the distance to a transition [m], and is whole from there on:
a level that ends does not hold up the ground beside it."""

_BATCH = 50_000
"""Number of points whose heights are computed at once: 16 samples each are some 50 MB."""


@dataclass(frozen=True, slots=True)
class StreetSamples:
    """Points (n, 2) [m] on axes of streets with heights (n,) [m] and slopes (n, 2) there.

    `reach` (n, 2) [m]: how far to its left and right the surface has the street's height; `left`
    (n, 2): unit vectors to its left.
    """

    points: Floats
    """In W."""
    heights: Floats
    slopes: Floats
    reach: Floats
    left: Floats

    def select(self, chosen: Booleans) -> "StreetSamples":
        """Some of the samples."""
        return StreetSamples(
            self.points[chosen],
            self.heights[chosen],
            self.slopes[chosen],
            self.reach[chosen],
            self.left[chosen],
        )

    @classmethod
    def joined(cls, parts: Sequence["StreetSamples"]) -> "StreetSamples":
        """The samples of all parts, one after another."""
        whole = [no_samples(), *parts]
        return cls(
            np.vstack([part.points for part in whole]),
            np.concatenate([part.heights for part in whole]),
            np.vstack([part.slopes for part in whole]),
            np.vstack([part.reach for part in whole]),
            np.vstack([part.left for part in whole]),
        )


def no_samples() -> StreetSamples:
    """No points at all."""
    none = np.zeros((0, 2))
    return StreetSamples(none, np.zeros(0), none, none, none)


def sample_streets(
    pieces: Sequence[LevelPiece],
    streets: Sequence[Street],
    profiles: Sequence[Profile],
    side_clearances: Mapping[int, SideClearance],
    transitions: Sequence[LevelTransition],
) -> StreetSamples:
    """Samples every 2 m along pieces of streets.

    Towards a transition, where a level ends, its streets reach less and less to the sides: the
    street that ends at a bridge must not hold up the ground beside it.

    Args:
        pieces: of one level.
        streets: all streets.
        profiles: of all streets.
        side_clearances: of the streets that have less than their width.
        transitions: those of the level.
    """
    if not pieces:
        return no_samples()
    samples = _sample(pieces, streets, profiles, side_clearances)
    if transitions:
        gaps, _ = cKDTree(np.array([transition.place for transition in transitions])).query(
            samples.points
        )
        gaps = np.asarray(gaps)[:, None]
        most = np.maximum(gaps + _LEAST_REACH, samples.reach * (gaps + _LEAST_REACH) / _FULL_REACH)
        samples = replace(samples, reach=np.minimum(samples.reach, most))
    return samples


def _sample(
    pieces: Sequence[LevelPiece],
    streets: Sequence[Street],
    profiles: Sequence[Profile],
    side_clearances: Mapping[int, SideClearance],
) -> StreetSamples:
    axes = Polylines.of([piece.line for piece in pieces]).resampled(SPACING)
    s = axes.stations() + np.repeat([piece.start for piece in pieces], axes.counts)
    ahead = tangents_of_each(axes.points, axes.counts)
    half_widths = [streets[piece.street].profile.width / 2.0 for piece in pieces]
    reach = np.repeat(half_widths, axes.counts)[:, None] * np.ones(2)
    for piece, stations, own in zip(pieces, axes.split(s), axes.split(reach), strict=True):
        if piece.street in side_clearances:
            own[:] = np.column_stack(side_clearances[piece.street].at(stations))
    numbers = np.repeat([piece.street for piece in pieces], axes.counts)
    heights, grades = heights_along(profiles, numbers, s)
    return StreetSamples(axes.points, heights, grades[:, None] * ahead, reach, to_left(ahead))


def level_height(samples: StreetSamples, terrain: HeightFunction | None = None) -> HeightFunction:
    """The height function of a level.

    Args:
        samples: of its streets.
        terrain: into which the level blends beside its streets; None for a deck, which ends
            there.
    """
    if not len(samples.points):
        return terrain or flat
    tree = cKDTree(samples.points)
    count = min(_NEIGHBOURS, len(samples.points))
    far = float(samples.reach.max()) + _VERGE + _TRANSITION
    has_sides = bool((samples.reach[:, 0] != samples.reach[:, 1]).any())

    def in_batch(points: Floats) -> Floats:
        near = tree.query(points, k=list(range(1, count + 1)))
        distances, rows = (np.asarray(each) for each in near)
        gaps = _gaps(points, samples, rows)
        reach = _reach(samples, rows, gaps) if has_sides else samples.reach[:, 0].take(rows)
        beside = distances - reach
        street = _local_mean(samples, rows, gaps, distances, beside)
        if terrain is None:
            return street
        share = smooth_step((beside.min(axis=1) - _VERGE) / _TRANSITION)
        return np.asarray((1.0 - share) * street + share * terrain(points), dtype=np.float64)

    def height(points: Floats) -> Floats:
        if terrain is None:
            return in_batch(points) if len(points) else np.zeros(0)
        heights = terrain(points)
        gaps, _ = tree.query(points, distance_upper_bound=far)
        near = np.flatnonzero(np.isfinite(gaps))
        for start in range(0, len(near), _BATCH):
            rows = near[start : start + _BATCH]
            heights[rows] = in_batch(points[rows])
        return heights

    return height


_Gaps = tuple[Floats, Floats]
"""Distances (n, k) [m] of places east and north of their nearest samples."""


def _gaps(points: Floats, samples: StreetSamples, rows: Integers) -> _Gaps:
    east, north = (points[:, [k]] - samples.points[:, k].take(rows) for k in (0, 1))
    return east, north


def _along(gaps: _Gaps, vectors: Floats, rows: Integers) -> Floats:
    """The products (n, k) of gaps and the vectors (m, 2) of their samples."""
    east, north = gaps
    return np.asarray(east * vectors[:, 0].take(rows) + north * vectors[:, 1].take(rows))


def _reach(samples: StreetSamples, rows: Integers, gaps: _Gaps) -> Floats:
    """Reach (n, k) [m] of the nearest samples to the side of each place."""
    aside = _along(gaps, samples.left, rows)
    share = np.minimum(np.maximum(0.5 + 0.5 * aside / _MIDDLE, 0.0), 1.0)
    left, right = (samples.reach[:, k].take(rows) for k in (0, 1))
    return np.asarray(share * left + (1.0 - share) * right)


def _local_mean(
    samples: StreetSamples,
    rows: Integers,
    gaps: _Gaps,
    distances: Floats,
    beside: Floats,
) -> Floats:
    """Mean (n,) [m] of the planes through the nearest samples, each tilted along its street.

    The nearest samples count most, and those on whose carriageway the point lies count far more
    than others, so a street does not bend towards another one at its side.
    """
    nearest = np.argmin(beside, axis=1)[:, None]
    beside = np.maximum(beside, 0.0)
    least = beside.min(axis=1, keepdims=True)
    # In the open corner between two streets their heights blend gently.
    off = (beside - least) / (_BESIDE_SIGMA + _CORNER_SHARE * least)
    along = (distances - distances[:, :1]) / _ALONG_SIGMA
    # The farthest sample does not count, so that heights do not leap where it changes.
    near = portable.exp(-0.5 * along * along)
    weights = portable.exp(-0.5 * off * off) * (near - near[:, -1:] + 1e-9)
    rise = _along(gaps, samples.slopes, rows)
    # Far from a sample its slope is no longer that of the ground.
    rise *= _EXTENSION / np.maximum(distances, _EXTENSION)
    planes = samples.heights.take(rows) + rise
    # A sample that lies much higher or lower belongs to another street, beyond a wall.
    apart = (planes - np.take_along_axis(planes, nearest, axis=1)) / _OTHER_STREET
    # A square of squares: the fourth power as such takes as long as all the rest.
    weights /= 1.0 + np.square(np.square(apart))
    return np.asarray((weights * planes).sum(axis=1) / weights.sum(axis=1), dtype=np.float64)


def kerb_lift(
    triangles: Integers32,
    surfaces: Bytes,
    *,
    count: int,
    raised: int,
    level: int,
) -> Booleans:
    """Mask of `count` vertices that are at the height of the pavement.

    These are the vertices of a `raised` surface that do not touch the `level` one. So the kerb
    strip between the two slopes, and a pavement ramps down at its end, without an open edge.
    """
    up, down = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    up[triangles[surfaces == raised].ravel()] = True
    down[triangles[surfaces == level].ravel()] = True
    return up & ~down
