"""What houses hide from an eye: found from their walls, before anything is drawn.

Seen from a street, most of a town is behind its nearest houses. Around the eye, the view is divided
into sectors at the ends of all walls, so that a wall fills whole sectors. In each, walls hide what
lies behind them between two slopes: those of the lines of sight to their lower and upper edges.
Every wall taken reaches from below the eye to above it, so that several walls of one sector hide
together all between the least and the greatest of their slopes. What is only perhaps hidden counts
as seen: without what is hidden, a picture is the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autosim.client.buildings import solid_of_triangles
from autosim.world.compiled import Mesh, Surface

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
REACH = 150.0
"""Distance [m] up to which walls are taken: farther ones hide little."""
_DISTANCES = np.geomspace(6.0, REACH, 13)
"""A wall counts for what is farther than the least of these distances [m] beyond it."""
_MARGIN = 0.1
"""What is looked for is taken as larger by this [m]: drivers round places of pixels."""
_NEAREST = 1.5
"""Walls in a plane nearer to the eye than this [m] may lie before all that is drawn."""


@dataclass(frozen=True, slots=True)
class Walls:
    """Upright rectangles, each of a closed solid that stands over its plan.

    plan: (n, 2, 2) [m] in W, the left end and the right one, seen from outside; floors, eaves:
    (n,) [m] heights between which they are closed.
    """

    plan: Floats
    floors: Floats
    eaves: Floats

    def within(self, reach: float, eye: Floats) -> "Walls":
        """Those with an end nearer than `reach` [m] to a place (2,)."""
        is_near = (np.hypot(*np.moveaxis(self.plan - eye, 2, 0)) < reach).any(axis=1)
        return Walls(self.plan[is_near], self.floors[is_near], self.eaves[is_near])


def joined_walls(parts: Sequence[Walls]) -> Walls:
    """Several as one."""
    return Walls(
        np.concatenate([np.zeros((0, 2, 2)), *(part.plan for part in parts)]),
        np.concatenate([np.zeros(0), *(part.floors for part in parts)]),
        np.concatenate([np.zeros(0), *(part.eaves for part in parts)]),
    )


def walls_of(mesh: Mesh) -> Walls:
    """The walls of buildings: solids with level floors, upright walls, and roofs above them."""
    owner = solid_of_triangles(mesh.triangles, len(mesh.vertices))
    heights = mesh.vertices[mesh.triangles, 2]
    floors, eaves = np.full((2, int(owner.max(initial=-1)) + 1), np.inf)
    np.minimum.at(floors, owner, heights.min(axis=1))
    is_low = heights == floors[owner, None]
    np.minimum.at(eaves, owner, np.where(is_low, np.inf, heights).min(axis=1))
    # The triangle of a wall that stands on the floor: two corners follow each other there.
    is_edge = is_low & np.roll(is_low, -1, axis=1)
    is_edge &= (mesh.surfaces == Surface.WALL)[:, None] & ~is_low.all(axis=1)[:, None]
    rows, corner = np.nonzero(is_edge)
    left, right = mesh.triangles[rows, corner], mesh.triangles[rows, (corner + 1) % 3]
    # Rounded as they are drawn, equal ends of walls stay equal.
    plan = mesh.vertices[:, :2].astype(np.float32).astype(np.float64)
    solid = owner[rows]
    return Walls(np.stack([plan[left], plan[right]], axis=1), floors[solid], eaves[solid])


class Gaze:
    """An eye and how far it sees to the sides.

    Args:
        eye: (3,) [m] in W.
        corners: (4, 3) directions in W of the picture's corners.

    Azimuths [rad] are relative to `yaw`, that of the picture's middle; the picture is between
    `right` and `left`.
    """

    def __init__(self, eye: Floats, corners: Floats) -> None:
        self.eye = eye
        middle = corners.sum(axis=0)
        self.yaw = float(np.arctan2(middle[1], middle[0]))
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        self._turn = np.array([[c, -s], [s, c]])
        sides = self._relative(corners[:, :2])
        self.right, self.left = float(sides.min()), float(sides.max())

    @property
    def is_level(self) -> bool:
        """Whether azimuths tell what is beside the picture: not where it looks up or down."""
        return max(-self.right, self.left) < np.pi / 2.0 - 0.1

    def azimuths(self, points: Floats) -> Floats:
        """Azimuths (...), in -pi..pi, of points (..., 2)."""
        return self._relative(points - self.eye[:2])

    def _relative(self, rays: Floats) -> Floats:
        turned = rays @ self._turn
        return np.asarray(np.arctan2(turned[..., 1], turned[..., 0]))


@dataclass(frozen=True, slots=True)
class Horizon:
    """What walls hide, by distance and sector.

    borders: (k + 1,) ascending azimuths of the sectors; lowest, highest: (d, k) slopes between
    which all is hidden that is farther than each of `_DISTANCES`; widest: (2, k) the greatest
    share of a line of sight that goes along x, and along y.
    """

    borders: Floats
    lowest: Floats
    highest: Floats
    widest: Floats


def horizon_of(walls: Walls, gaze: Gaze) -> Horizon:
    """The horizon that walls make."""
    x, y, z = gaze.eye.tolist()
    along = walls.plan[:, 1] - walls.plan[:, 0]
    rays = walls.plan[:, 0] - (x, y)
    areas = along[:, 0] * rays[:, 1] - along[:, 1] * rays[:, 0]
    lengths = np.hypot(along[:, 0], along[:, 1])
    is_taken = (areas > _NEAREST * lengths) & (walls.floors < z) & (walls.eaves > z)
    taken = np.flatnonzero(is_taken)
    left, right = gaze.azimuths(walls.plan[taken]).T
    is_before = (left > right) & (left > gaze.right) & (right < gaze.left)
    taken = taken[is_before]
    left, right = np.minimum(left[is_before], gaze.left), np.maximum(right[is_before], gaze.right)
    borders = _borders(np.concatenate([left, right]), gaze)
    towards = np.stack([np.cos(borders + gaze.yaw), np.sin(borders + gaze.yaw)])
    # How much nearer to the wall's plane a line of sight comes with each metre.
    normals = np.stack([-along[taken, 1], along[taken, 0]], axis=1)
    shares = normals @ towards
    least = np.maximum(np.minimum(shares[:, :-1], shares[:, 1:]), 1e-6)
    distances = areas[taken, None] / least
    sectors = np.arange(len(borders) - 1)
    fills = sectors >= np.searchsorted(borders, right)[:, None]
    fills &= sectors < np.searchsorted(borders, left)[:, None]
    fills &= distances < REACH
    wall, sector = np.nonzero(fills)
    distances = distances[fills]
    places = np.searchsorted(_DISTANCES, distances) * len(sectors) + sector
    slopes = [(edge[taken[wall]] - z) / distances for edge in (walls.floors, walls.eaves)]
    return Horizon(
        borders,
        _by_place(np.minimum, slopes[0], places, len(sectors), nothing=np.inf),
        _by_place(np.maximum, slopes[1], places, len(sectors), nothing=-np.inf),
        np.maximum(np.abs(towards[:, :-1]), np.abs(towards[:, 1:])),
    )


def _borders(ends: Floats, gaze: Gaze) -> Floats:
    """The ends of walls, the sides of the picture and the axes of W between them."""
    axes = np.remainder(np.arange(4) * np.pi / 2.0 - gaze.yaw + np.pi, 2.0 * np.pi) - np.pi
    axes = axes[(axes > gaze.right) & (axes < gaze.left)]
    return np.unique(np.concatenate([ends, axes, [gaze.right, gaze.left]]))


def _by_place(
    best: np.ufunc, slopes: Floats, places: npt.NDArray[np.int64], count: int, *, nothing: float
) -> Floats:
    """The best slope for each distance and sector (d, count), also of nearer walls."""
    found = np.full((len(_DISTANCES), count), nothing)
    best.at(found.reshape(-1), places, slopes)
    best.accumulate(found, axis=0, out=found)
    return found


def unseen(low: Floats, high: Floats, walls: Walls, gaze: Gaze) -> Bools:
    """Which (n,) boxes are beside the picture, or behind walls.

    Args:
        low: (n, 3) [m] the least corners of boxes along the axes of W.
        high: (n, 3) the greatest.
        walls: those around.
        gaze: who looks.
    """
    if not gaze.is_level:
        return np.zeros(len(low), dtype=bool)
    low, high = low - _MARGIN, high + _MARGIN
    gaps = np.maximum(np.maximum(low - gaze.eye, gaze.eye - high)[:, :2], 0.0)
    is_around = ~gaps.any(axis=1)
    right, left = _sides(low, high, gaze)
    hidden = ~is_around & ((left < gaze.right) | (right > gaze.left))
    tested = np.flatnonzero(~is_around & ~hidden)
    horizon = horizon_of(walls, gaze)
    sectors = np.arange(len(horizon.borders) - 1)
    first = np.searchsorted(horizon.borders, right[tested], side="right") - 1
    is_beside = sectors < first[:, None]
    is_beside |= sectors >= np.searchsorted(horizon.borders, left[tested])[:, None]
    distances = np.max(gaps[tested, :, None] / np.maximum(horizon.widest, 1e-9), axis=1)
    nearest = np.min(distances, axis=1, where=~is_beside, initial=np.inf)
    number = np.searchsorted(_DISTANCES, nearest, side="right") - 1
    bottom, top = low[tested, 2:] - gaze.eye[2], high[tested, 2:] - gaze.eye[2]
    is_hidden = horizon.highest[number] * distances >= top
    is_hidden &= horizon.lowest[number] * distances <= bottom
    is_hidden |= is_beside
    hidden[tested] = is_hidden.all(axis=1) & (number >= 0)
    return hidden


def _sides(low: Floats, high: Floats, gaze: Gaze) -> tuple[Floats, Floats]:
    """Least and greatest azimuths (n,) of boxes; all around for those that reach behind the eye."""
    corners = np.stack([low, high])[[[0, 0], [1, 0], [1, 1], [0, 1]], :, [[0, 1]]]
    azimuths = gaze.azimuths(corners.transpose(2, 0, 1))
    right, left = azimuths.min(axis=1), azimuths.max(axis=1)
    is_behind = left - right > np.pi
    return np.where(is_behind, -np.pi, right), np.where(is_behind, np.pi, left)
