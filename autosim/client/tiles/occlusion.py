"""Occlusion by houses: found from their walls, before anything is drawn.

Seen from a street, most of a town is behind its nearest houses. Around the eye, the view is divided
into sectors at the ends of all walls, so that a wall fills whole sectors. In each, walls hide what
lies behind them between two slopes: those of the lines of sight to their lower and upper edges.
Every wall taken reaches from below the eye to above it, so that several walls of one sector hide
together all between the least and the greatest of their slopes. What is only perhaps hidden counts
as seen: without what is hidden, a picture is the same.

Directions are tangents: metres to the left for each metre ahead, `depth`. Along a line of sight all
is linear in these, and the ends of walls stay equal that were equal.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.client.tiles.building_meshes import solid_of_triangles
from autosim.world.geometry.meshes import Mesh, Surface

REACH = 150.0
"""Depth [m] up to which walls are taken: farther ones hide little."""
_DEPTHS = np.geomspace(6.0, REACH, 13)
"""A wall counts for what is farther than the least of these depths [m] beyond it."""
_MARGIN = 0.1
"""Margin [m] by which tested boxes are enlarged: drivers round pixel positions."""
_NEAREST = 1.5
"""Walls in a plane nearer to the eye than this [m] may lie before all that is drawn."""
_STEEP = 6.0
"""Tangent (ratio without unit) beyond which a picture looks up or down, seen at its sides: walls
hide nothing surely there."""
_SIGNS = np.array([[[-1.0], [1.0], [1.0], [-1.0]], [[-1.0], [-1.0], [1.0], [1.0]]])
"""The four corners of a box from its middle along x and along y, as factors of its halves."""


@dataclass(frozen=True, slots=True)
class Walls:
    """Upright rectangles, each of a closed solid that stands over its plan.

    plan: (2, 2, n) [m] the left end and the right one, seen from outside, x and y in W; floors,
    eaves: (n,) [m] heights between which they are closed.
    """

    plan: Floats
    floors: Floats
    eaves: Floats

    def within(self, reach: float, eye: Floats) -> "Walls":
        """The walls with an end nearer than `reach` [m] to a place (2,)."""
        x, y = self.plan[:, 0] - eye[0], self.plan[:, 1] - eye[1]
        is_near = (np.hypot(x, y) < reach).any(axis=0)
        return Walls(self.plan[:, :, is_near], self.floors[is_near], self.eaves[is_near])


def concatenate_walls(parts: Sequence[Walls]) -> Walls:
    """Several as one."""
    return Walls(
        np.concatenate([np.zeros((2, 2, 0)), *(part.plan for part in parts)], axis=2),
        np.concatenate([np.zeros(0), *(part.floors for part in parts)]),
        np.concatenate([np.zeros(0), *(part.eaves for part in parts)]),
    )


def occluding_walls(mesh: Mesh) -> Walls:
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
    plan = mesh.vertices[:, :2].T.astype(np.float32).astype(np.float64)
    solid = owner[rows]
    return Walls(np.stack([plan[:, left], plan[:, right]]), floors[solid], eaves[solid])


@dataclass(frozen=True, slots=True)
class AxisAlignedBoxes:
    """Boxes along the axes of W: their middles (3, n) [m] and half their edges (3, n)."""

    middles: Floats
    halves: Floats
    """Half edges (3, n) [m]."""

    @classmethod
    def between(cls, low: Floats, high: Floats) -> "AxisAlignedBoxes":
        """Boxes that hold all between two corners (n, 3) [m], and somewhat more."""
        return cls(
            np.ascontiguousarray((low + high).T / 2.0),
            np.ascontiguousarray((high - low).T / 2.0 + _MARGIN),
        )

    def only(self, numbers: Integers) -> "AxisAlignedBoxes":
        """The walls with the given numbers (k,)."""
        return AxisAlignedBoxes(self.middles[:, numbers], self.halves[:, numbers])


class Frustum:
    """An eye and how far it sees to the sides.

    Args:
        eye: (3,) [m] in W.
        corners: (4, 3) directions in W of the picture's corners.

    The picture is between the tangents `right` and `left` of its middle; `forward` is that of its
    middle, (2,) in plan. Where `is_level` is false, it looks so far up or down that tangents do
    not tell what is beside the picture.
    """

    def __init__(self, eye: Floats, corners: Floats) -> None:
        self.eye, self.corners = eye, corners
        x, y, _ = corners.sum(axis=0).tolist()
        yaw = math.atan2(y, x)
        self.forward = math.cos(yaw), math.sin(yaw)
        ahead, aside = self._turned(corners[:, 0], corners[:, 1])
        tangents = aside / np.maximum(ahead, 1e-9)
        self.right, self.left = float(tangents.min()), float(tangents.max())
        self.is_level = bool(ahead.min() > 0.0) and max(-self.right, self.left) < _STEEP
        c, s = self.forward
        # Outwards from the picture, in plan: to the left, to the right and behind.
        self._outwards = np.array(
            [
                [-s - self.left * c, c - self.left * s],
                [s + self.right * c, self.right * s - c],
                [-c, -s],
            ]
        )

    def directions(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Depths [m] and tangents of places; behind the eye, tangents are without bounds."""
        depths, aside = self._turned(x - self.eye[0], y - self.eye[1])
        return depths, aside / np.maximum(depths, 1e-9)

    def is_beside(self, boxes: AxisAlignedBoxes) -> Booleans:
        """Whether each of n boxes is outside the picture, or behind the eye."""
        nearest = self._outwards @ boxes.middles[:2]
        nearest -= np.abs(self._outwards) @ boxes.halves[:2]
        return np.asarray((nearest > (self._outwards @ self.eye[:2])[:, None]).any(axis=0))

    def _turned(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        c, s = self.forward
        return x * c + y * s, y * c - x * s


@dataclass(frozen=True, slots=True)
class Horizon:
    """The horizon: what walls hide, by depth and sector.

    borders: (k + 1,) ascending tangents of the sectors; slopes: (2, d + 1, k) those up and down [m]
    for each metre of depth, between which all is hidden that is farther than each of `_DEPTHS`;
    widest: (2, k) the greatest ways [m] along x, and along y, for each metre of depth.
    """

    borders: Floats
    slopes: Floats
    widest: Floats


def horizon_of(walls: Walls, frustum: Frustum) -> Horizon:
    """The horizon that walls make."""
    x, y, z = frustum.eye.tolist()
    (left_x, left_y), (right_x, right_y) = walls.plan
    areas = (right_x - left_x) * (left_y - y) - (right_y - left_y) * (left_x - x)
    taken = np.flatnonzero((areas > 0.0) & (walls.floors < z) & (walls.eaves > z))
    plan = walls.plan[:, :, taken]
    left, right = frustum.directions(plan[:, 0], plan[:, 1])[1]
    is_before = (left > right) & (left > frustum.right) & (right < frustum.left)
    along = plan[1] - plan[0]
    is_before &= areas[taken] > _NEAREST * np.hypot(along[0], along[1])
    left = np.minimum(left[is_before], frustum.left)
    right = np.maximum(right[is_before], frustum.right)
    borders = np.concatenate([left, right, [-np.inf, frustum.right, frustum.left]])
    borders.sort()
    borders = borders[1:][borders[1:] > borders[:-1]]
    c, s = frustum.forward
    towards = np.stack([c - s * borders, s + c * borders])
    wall, sector, _ = _pairs(borders.searchsorted(right), borders.searchsorted(left))
    wall = np.flatnonzero(is_before)[wall]
    # How much nearer to the wall's plane a line of sight comes with each metre of depth.
    along_x, along_y = along[:, wall]
    shares = along_x * towards[1, sector] - along_y * towards[0, sector]
    others = along_x * towards[1, sector + 1] - along_y * towards[0, sector + 1]
    wall = taken[wall]
    depths = areas[wall] / np.maximum(np.minimum(shares, others), 1e-6)
    count = len(borders) - 1
    # One row more, for what is too far to count.
    slopes = np.zeros((2, len(_DEPTHS) + 1, count))
    places = count * _DEPTHS.searchsorted(depths) + sector
    np.maximum.at(slopes[0].reshape(-1), places, (walls.eaves[wall] - z) / depths)
    np.maximum.at(slopes[1].reshape(-1), places, (z - walls.floors[wall]) / depths)
    np.maximum.accumulate(slopes, axis=1, out=slopes)
    ways = np.abs(towards)
    return Horizon(borders, slopes, np.maximum(ways[:, :-1], ways[:, 1:]))


def _pairs(first: Integers, end: Integers) -> tuple[Integers, Integers, Integers]:
    """All pairs of n ranges and the numbers in each, by range; and the first pair (n,) of each."""
    counts = end - first
    ends = counts.cumsum()
    starts = ends - counts
    numbers = np.arange(len(counts)).repeat(counts)
    return numbers, np.arange(len(numbers)) - (starts - first)[numbers], starts


def occluded(boxes: AxisAlignedBoxes, walls: Walls, frustum: Frustum) -> Booleans:
    """Whether each of n boxes is outside the picture of this frustum, or behind walls."""
    if not frustum.is_level:
        return np.zeros(boxes.middles.shape[1], dtype=bool)
    hidden = frustum.is_beside(boxes)
    tested = np.flatnonzero(~hidden)
    if len(tested) > 0:
        hidden[tested] = _is_behind(horizon_of(walls, frustum), boxes.only(tested), frustum)
    return hidden


def _is_behind(horizon: Horizon, boxes: AxisAlignedBoxes, frustum: Frustum) -> Booleans:
    """Whether the walls of a horizon hide each of n boxes; n > 0."""
    x, y = boxes.middles[:2, None] + _SIGNS * boxes.halves[:2, None]
    depths, tangents = frustum.directions(x, y)
    nearest = depths.min(axis=0)
    # A box that reaches behind the eye may be on either side of it.
    is_around = nearest <= 0.0
    right = np.where(is_around, frustum.right, tangents.min(axis=0))
    left = np.where(is_around, frustum.left, tangents.max(axis=0))
    inner = horizon.borders[1:-1]
    first, last = inner.searchsorted(right, side="right"), inner.searchsorted(left)
    box, sector, starts = _pairs(first, np.maximum(first, last) + 1)
    middles = boxes.middles - frustum.eye[:, None]
    gaps = np.abs(middles[:2]) - boxes.halves[:2]
    depths = nearest[box]
    for gap, widest in zip(gaps, horizon.widest, strict=True):
        np.maximum(depths, gap[box] / widest[sector], out=depths)
    number = _DEPTHS.searchsorted(np.minimum.reduceat(depths, starts), side="right") - 1
    places = (number * horizon.widest.shape[1])[box] + sector
    # How far a box reaches up from the eye's height, and down.
    up, down = boxes.halves[2] + middles[2], boxes.halves[2] - middles[2]
    hides = horizon.slopes[0].take(places) * depths >= up[box]
    hides &= horizon.slopes[1].take(places) * depths >= down[box]
    return np.asarray(np.logical_and.reduceat(hides, starts) & (number >= 0))
