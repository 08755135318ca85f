"""The edges of lanes, and the paint on them."""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Surface
from autosim.world.lanes.roads import Lane

_SPACING = 0.25
"""Distance [m] between the places at which paint is looked for: short of the shortest gap."""

_INSET = 0.35
"""Distance [m] of the paint of an edge line from the edge of its lane."""

_SAME_LEVEL = 1.0
"""Difference in height [m] up to which paint belongs to an edge."""

_SOLID_SHARE, _LEAST_SHARE = 0.8, 0.1
"""Shares of an edge with paint from which it is solid, and from which it has a line at all:
lines end before junctions and crossings."""


@dataclass(frozen=True, slots=True)
class PaintedLine:
    """Paint along an edge.

    `spans` (n, 2) [m]: stations of its beginnings and ends; `share` of the edge that is painted;
    `is_yellow`: whether any of it is yellow.
    """

    spans: Floats
    share: float
    is_yellow: bool

    @property
    def is_solid(self) -> bool:
        """Whether it is a solid line."""
        return self.share >= _SOLID_SHARE


def lane_edge(lane: Lane, offset: float) -> Floats:
    """The line (n, 3) [m] in W at `offset` [m] to the left of a lane's centre line."""
    line = lane.centre_line.copy()
    rows = lane.network.tangents[
        lane.network.starts[lane.index] : lane.network.starts[lane.index + 1]
    ]
    line[:, 0] -= offset * portable.sin(rows)
    line[:, 1] += offset * portable.cos(rows)
    return line


def stations_of(line: Floats) -> Floats:
    """Arc length (n,) [m] in plan at each point of a line (n, 3)."""
    steps = np.hypot(*np.diff(line[:, :2], axis=0).T)
    return np.concatenate([[0.0], np.cumsum(steps)])


def points_on(line: Floats, stations: Floats) -> Floats:
    """Points (k, 3) of a line (n, 3) at stations (k,) [m]."""
    own = stations_of(line)
    return np.column_stack([np.interp(stations, own, line[:, axis]) for axis in range(3)])


class PaintFinder:
    """Finds paint along edges in the markings of a compiled world."""

    def __init__(self, world: CompiledWorld) -> None:
        paint = np.isin(world.markings.surfaces, (Surface.PAINT, Surface.PAINT_YELLOW))
        self._index = GroundIndex.build(world.markings.select(paint)) if paint.any() else None

    def along(self, line: Floats, inward: float) -> PaintedLine | None:
        """The paint along a line, None where there is none.

        Args:
            line: (n, 3) [m] in W.
            inward: 1 where the lane is to the left of an outer edge, -1 to the right, 0 between two
                lanes; paint of outer edges lies inside the lane.
        """
        length = float(stations_of(line)[-1])
        count = int(length / _SPACING)
        if self._index is None or count < 2:
            return None
        stations = np.linspace(0.0, length, 2 * count + 1, dtype=np.float64)[1::2]
        points = points_on(line, stations)
        is_painted, is_yellow = self._paint_at(self._index, points)
        if inward:
            ahead = np.gradient(points[:, :2], axis=0)
            ahead /= np.maximum(np.hypot(*ahead.T), 1e-9)[:, None]
            points[:, 0] -= inward * _INSET * ahead[:, 1]
            points[:, 1] += inward * _INSET * ahead[:, 0]
            is_inside, is_yellow_inside = self._paint_at(self._index, points)
            is_painted, is_yellow = is_painted | is_inside, is_yellow | is_yellow_inside
        share = float(is_painted.mean())
        if share < _LEAST_SHARE:
            return None
        return PaintedLine(_spans(is_painted, length / count), share, bool(is_yellow.any()))

    def _paint_at(self, index: GroundIndex, points: Floats) -> tuple[Booleans, Booleans]:
        """Whether paint lies at points (n, 3), and whether that is yellow."""
        triangles, heights = index.nearest(points)
        found = (triangles >= 0) & (np.abs(heights - points[:, 2]) < _SAME_LEVEL)
        surfaces = index.mesh.surfaces[np.maximum(triangles, 0)]
        return found, found & (surfaces == Surface.PAINT_YELLOW)


def _spans(is_painted: Booleans, spacing: float) -> Floats:
    """Beginnings and ends (n, 2) [m] of runs of painted samples."""
    edges = np.diff(np.concatenate([[0], is_painted.astype(np.int8), [0]]))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return np.asarray(np.column_stack([starts, ends]) * spacing, dtype=np.float64)
