"""How high a sheet is: one function H(x, y) for every vertex of it.

On streets H follows their profiles; on the ground, beside them, it goes over into the terrain.
Overlapping and parallel streets agree because all of them ask the same function.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from autosim.world.curves import Floats, arc_lengths, resample, smooth_step
from autosim.world.flanks import Room
from autosim.world.levels import Joint, Piece
from autosim.world.profiles import Profile
from autosim.world.streets import Street

HeightFunction = Callable[[Floats], Floats]
"""Heights (n,) [m] of points (n, 2) in W."""

_SAMPLE_SPACING = 2.0
_BESIDE_SIGMA, _ALONG_SIGMA = 1.2, 4.0
_NEIGHBOURS = 16
_VERGE, _TRANSITION = 2.0, 14.0
_EXTENSION = 8.0
_OTHER_STREET = 1.0
_TAPER = 2.0
_BATCH = 50_000


def flat(points: Floats) -> Floats:
    """The height function of a plane at 0."""
    return np.zeros(len(points))


@dataclass(frozen=True, slots=True)
class StreetSamples:
    """Points (n, 2) on axes of streets with height (n,), slope (n, 2) and half width (n,) [m]."""

    points: Floats
    heights: Floats
    slopes: Floats
    reach: Floats

    def select(self, chosen: npt.NDArray[np.bool_]) -> "StreetSamples":
        """Some of the samples."""
        return StreetSamples(
            self.points[chosen], self.heights[chosen], self.slopes[chosen], self.reach[chosen]
        )


def sample_streets(
    pieces: Sequence[Piece],
    streets: Sequence[Street],
    profiles: Sequence[Profile],
    rooms: Mapping[int, Room],
    joints: Sequence[Joint],
) -> StreetSamples:
    """Samples every 2 m along pieces of streets.

    Towards the joints at which a sheet ends its streets reach less and less to the sides, so that
    the ground under a bridge is not held up by the street that ends at it.

    Args:
        pieces: of one sheet.
        streets: all streets.
        profiles: of all streets.
        rooms: of the streets that have less than their width.
        joints: those of the sheet.
    """
    parts = [_sample(piece, streets[piece.street], profiles[piece.street], rooms) for piece in pieces]
    if not parts:
        return StreetSamples(np.zeros((0, 2)), np.zeros(0), np.zeros((0, 2)), np.zeros(0))
    points = np.vstack([part[0] for part in parts])
    reach = np.concatenate([part[3] for part in parts])
    if joints:
        gaps, _ = cKDTree(np.array([joint.place for joint in joints])).query(points)
        reach = np.minimum(reach, gaps + _TAPER)
    return StreetSamples(
        points,
        np.concatenate([part[1] for part in parts]),
        np.vstack([part[2] for part in parts]),
        reach,
    )


def _sample(
    piece: Piece, street: Street, profile: Profile, rooms: Mapping[int, Room]
) -> tuple[Floats, Floats, Floats, Floats]:
    line = resample(piece.line, _SAMPLE_SPACING)
    s = piece.start + arc_lengths(line)
    ahead = np.gradient(line, axis=0)
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    reach = np.full(len(s), street.profile.width / 2.0)
    if piece.street in rooms:
        reach = np.minimum(*rooms[piece.street].at(s))
    return line, profile.at(s), profile.grade_at(s)[:, None] * ahead, reach


def sheet_height(samples: StreetSamples, terrain: HeightFunction | None = None) -> HeightFunction:
    """The height function of a sheet.

    Args:
        samples: of its streets.
        terrain: what the sheet goes over into beside its streets; None for a deck, which has no
            beside.
    """
    if not len(samples.points):
        return terrain or flat
    tree = cKDTree(samples.points)
    count = min(_NEIGHBOURS, len(samples.points))
    far = float(samples.reach.max()) + _VERGE + _TRANSITION

    def in_batch(points: Floats) -> Floats:
        near = tree.query(points, k=list(range(1, count + 1)))
        distances, rows = (np.asarray(each) for each in near)
        beside = np.maximum(distances - samples.reach[rows], 0.0)
        street = _local_mean(points, samples, rows, distances, beside)
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


def _local_mean(
    points: Floats,
    samples: StreetSamples,
    rows: npt.NDArray[np.int64],
    distances: Floats,
    beside: Floats,
) -> Floats:
    """Mean of the planes through the nearest samples, each tilted along its street.

    The nearest count most, and by far those on whose carriageway a point lies: a street is not
    bent by another one beside it at another height.
    """
    off = (beside - beside.min(axis=1, keepdims=True)) / _BESIDE_SIGMA
    along = (distances - distances[:, :1]) / _ALONG_SIGMA
    # The farthest one does not count at all, so that heights do not leap where it changes.
    near = np.exp(-0.5 * along * along)
    weights = np.exp(-0.5 * off * off) * (near - near[:, -1:] + 1e-9)
    gaps = points[:, None, :] - samples.points[rows]
    rise = np.einsum("ijk,ijk->ij", gaps, samples.slopes[rows])
    # Far beside or beyond a street its slope no longer says anything.
    rise *= _EXTENSION / np.maximum(distances, _EXTENSION)
    planes = samples.heights[rows] + rise
    # Beside a wall nothing leans: what is much higher or lower belongs to another street.
    nearest = np.argmin(distances - samples.reach[rows], axis=1)[:, None]
    apart = (planes - np.take_along_axis(planes, nearest, axis=1)) / _OTHER_STREET
    weights /= 1.0 + apart**4
    return np.asarray((weights * planes).sum(axis=1) / weights.sum(axis=1), dtype=np.float64)


def kerb_lift(
    triangles: npt.NDArray[np.int32],
    surfaces: npt.NDArray[np.uint8],
    *,
    count: int,
    raised: int,
    level: int,
) -> npt.NDArray[np.bool_]:
    """Which of `count` vertices stand at the height of the pavement.

    Those of a `raised` surface that do not touch the `level` one: so the kerb strip between them
    slopes, and where a pavement ends it ramps down, without an open edge.
    """
    up, down = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    up[triangles[surfaces == raised].ravel()] = True
    down[triangles[surfaces == level].ravel()] = True
    return up & ~down
