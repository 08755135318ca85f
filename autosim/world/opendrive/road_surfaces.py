"""Makes the ground with roads, and bridges as closed solids, from the shapes of lanes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import cKDTree
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats, Integers, Integers32
from autosim.world.compiled.ground_index import GroundIndex, barycentric
from autosim.world.geometry import overlays
from autosim.world.geometry.extent import Box
from autosim.world.geometry.height_function import HeightFunction, everywhere_uneven, nowhere_uneven
from autosim.world.geometry.meshes import Mesh, Surface, boundary_edges, empty_mesh, joined
from autosim.world.levels.heights import kerb_lift
from autosim.world.opendrive.lane_shapes import LaneStrips, LevelShapes, level_shapes
from autosim.world.surfaces.partition import NOTHING, make_partition
from autosim.world.surfaces.triangulation import Density, FlatMesh, triangulate

_EVEN = 0.01
"""Difference in height [m] up to which a world is a plain."""

_NEIGHBOURS = 12
"""Number of points of roads' edges that decide the height of the ground beside them."""

_THICKNESS = 0.9
"""Thickness [m] of bridges."""

_ROOM = 1.3
"""Distance [m] of the ground below the floor of a bridge; less near its ends, see `_FALL`."""

_FALL = 0.6
"""Steepest slope (fall over run) of the ground from the end of a bridge down to that distance."""

_JOINT = 3.0
"""Length [m] by which the road on the ground continues under the end of a bridge: no gap opens."""

_BLEND, _LEAST_BLEND = 1.75, 0.01
"""Distance [m] from its border at which a road has its full weight, half a lane, and the least
weight, in the same unit."""

_DISAGREE = 0.03
"""Difference in height [m] of overlapping roads above which their surface is smoothed."""

_SMOOTHED = 3.0
"""Radius [m] of the disc whose mean height smooths a surface, and distance over which this fades
out."""

_DISC = _SMOOTHED * np.array(
    [
        (0.0, 0.0),
        *((0.5, 0.0), (0.0, 0.5), (-0.5, 0.0), (0.0, -0.5)),
        *((0.35, 0.35), (-0.35, 0.35), (-0.35, -0.35), (0.35, -0.35)),
        *((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)),
        *((0.7, 0.7), (-0.7, 0.7), (-0.7, -0.7), (0.7, -0.7)),
    ]
)
"""Points (17, 2) [m] of that disc."""

_APART = 1.0
"""Least distance [m] of inner vertices of roads from each other."""

_BATCH = 200_000
"""Number of points whose heights are found at once."""

_DENSITY = Density()


@dataclass(frozen=True, slots=True)
class RoadLevels:
    """The heights of the strips of each level.

    indices: of the triangles of each level; gaps: (k, 2) [m] at their k vertices, see `LaneStrips`.
    edges, edge_heights: the points on the borders of the ground's roads in plan, and (k,) [m].
    """

    strips: LaneStrips
    indices: tuple[GroundIndex, ...]
    gaps: tuple[Floats, ...]
    edges: cKDTree | None
    edge_heights: Floats

    @classmethod
    def of(cls, strips: LaneStrips) -> "RoadLevels":
        """Indexes all levels of the strips."""
        count = int(strips.levels.max(initial=0)) + 1
        indices = tuple(GroundIndex.build(strips.mesh(level)) for level in range(count))
        gaps = tuple(strips.gaps[strips.levels == level].reshape(-1, 2) for level in range(count))
        ground = strips.edges[strips.edge_levels == 0]
        edges = cKDTree(ground[:, :2]) if len(ground) else None
        return cls(strips, indices, gaps, edges, ground[:, 2])

    @property
    def is_even(self) -> bool:
        """Whether the world is a plain."""
        z = self.strips.corners[:, :, 2]
        return not z.size or float(np.ptp(z)) < _EVEN

    def on(self, level: int, points: Floats) -> Floats:
        """Heights (n,) [m] of a level's lanes at points (n, 2); else NaN.

        Where roads overlap, each counts by the distance from its borders: so their heights blend,
        and no step lies where one begins to overlap another.
        """
        return self._blended(level, points, self.indices[level].hits(points))

    def _blended(
        self, level: int, points: Floats, hits: tuple[Integers, Integers, Floats]
    ) -> Floats:
        """As `on`, with the triangles over and under the points as `GroundIndex.hits` has them."""
        rows, triangles, heights = hits
        weights = self._weights(level, points[rows], triangles)
        total = np.bincount(rows, weights=weights, minlength=len(points))
        sums = np.bincount(rows, weights=weights * heights, minlength=len(points))
        return np.where(total > 0.0, sums / np.maximum(total, 1e-12), np.nan)

    def _weights(self, level: int, points: Floats, triangles: Integers) -> Floats:
        """The weight of the triangle (n,) at each point (n, 2)."""
        mesh, gaps = self.indices[level].mesh, self.gaps[level]
        corners = mesh.triangles[triangles]
        first, second, third = barycentric(mesh.vertices[corners, :2], points)[:, :, None]
        both = first * gaps[corners[:, 0]] + second * gaps[corners[:, 1]]
        both += third * gaps[corners[:, 2]]
        return np.asarray(np.clip(both.min(axis=1), _LEAST_BLEND, _BLEND))

    def ground(self, points: Floats) -> Floats:
        """Heights (n,) [m] of the ground: of roads, and beside them blended from their edges."""
        found = self._smooth(points)
        rows = np.flatnonzero(np.isnan(found))
        found[rows] = self._beside(points[rows])
        return found

    def _smooth(self, points: Floats) -> Floats:
        """Heights (n,) [m] of the ground's lanes; the mean about a point where roads disagree.

        The ways of a junction may have profiles that differ by decimetres where they overlap.
        """
        hits = self.indices[0].hits(points)
        found = self._blended(0, points, hits)
        if self.is_even:
            return found
        rows, _, heights = hits
        low, high = np.full(len(points), np.inf), np.full(len(points), -np.inf)
        np.minimum.at(low, rows, heights)
        np.maximum.at(high, rows, heights)
        apart = high - low > _DISAGREE
        if not apart.any():
            return found
        gaps, _ = cKDTree(points[apart]).query(points)
        share = np.clip(2.0 - gaps / _SMOOTHED, 0.0, 1.0)
        near = np.flatnonzero((share > 0.0) & ~np.isnan(found))
        ring = self.on(0, (points[near][:, None] + _DISC).reshape(-1, 2)).reshape(len(near), -1)
        known = ~np.isnan(ring)
        mean = np.where(known, ring, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        found[near] += share[near] * np.where(known.any(axis=1), mean - found[near], 0.0)
        return found

    def floor(self, level: int, points: Floats) -> Floats:
        """Heights (n,) [m] of a bridge; beside its lanes, of the nearest of their corners."""
        found = self.on(level, points)
        rows = np.flatnonzero(np.isnan(found))
        if len(rows):
            corners = self.strips.corners[self.strips.levels == level].reshape(-1, 3)
            _, nearest = cKDTree(corners[:, :2]).query(points[rows])
            found[rows] = corners[nearest, 2]
        return found

    def _beside(self, points: Floats) -> Floats:
        if self.edges is None or not len(points):
            return np.zeros(len(points))
        count = min(_NEIGHBOURS, self.edges.n)
        found, of = self.edges.query(points, k=count)
        gaps = np.asarray(found).reshape(len(points), count)
        near = np.asarray(of).reshape(len(points), count)
        weights = 1.0 / (gaps * gaps + 1e-4)
        return np.asarray((weights * self.edge_heights[near]).sum(axis=1) / weights.sum(axis=1))


@dataclass(frozen=True, slots=True)
class RoadSurfaces:
    """The meshes of a world's roads.

    `structures` are those of all bridges, one after another; `carriageway` is that of the ground
    and `occupied` is where no scenery may be.
    """

    ground: Mesh
    structures: Mesh
    carriageway: BaseGeometry
    occupied: BaseGeometry


def make_surfaces(strips: LaneStrips, box: Box, kerb_height: float) -> RoadSurfaces:
    """Makes the ground in a box, and all bridges."""
    levels = RoadLevels.of(strips)
    shapes = [level_shapes(strips, level) for level in range(len(levels.indices))]
    joints = _joints(shapes)
    first = LevelShapes(
        overlays.union_all([shapes[0].carriageway, joints]), shapes[0].pavement, shapes[0].covers
    )
    decks = [overlays.union_all([each.carriageway, each.pavement]) for each in shapes[1:]]
    ground = _ground(levels, first, decks, box, kerb_height)
    solids = [
        _solid(levels, level, shape, kerb_height)
        for level, shape in enumerate(shapes)
        if level and not shape.carriageway.is_empty
    ]
    occupied = overlays.union_all([first.carriageway, first.pavement, *decks])
    return RoadSurfaces(ground, joined(solids), first.carriageway, occupied)


def _joints(shapes: Sequence[LevelShapes]) -> BaseGeometry:
    """The parts of carriageways of bridges next to those of the ground."""
    bridges = overlays.union_all([each.carriageway for each in shapes[1:]])
    if bridges.is_empty:
        return bridges
    # Joints over the road below change nothing: it is carriageway already.
    touching = overlays.intersection(
        overlays.buffer(shapes[0].carriageway, 0.05), overlays.buffer(bridges, 0.05)
    )
    ends = [part for part in shapely.get_parts(touching) if part.area < 0.12 * part.length + 0.1]
    near = overlays.buffer(overlays.union_all(ends), _JOINT, quad_segs=2)
    return overlays.intersection(near, bridges)


def _ground(
    levels: RoadLevels,
    shapes: LevelShapes,
    decks: Sequence[BaseGeometry],
    box: Box,
    kerb_height: float,
) -> Mesh:
    partition = make_partition(
        shapely.box(*box),
        carriageway=shapes.carriageway,
        pavement=shapes.pavement,
        water=shapely.MultiPolygon(),
        cover=shapes.covers,
    )
    flat = triangulate(
        partition,
        density=_DENSITY,
        is_uneven=nowhere_uneven if levels.is_even else everywhere_uneven,
        rest=Surface.GROUND,
        grid=box,
        extra=None if levels.is_even else _inner(levels.strips, 0, box),
    )
    z = _in_batches(levels.ground, flat.vertices)
    z = _under_bridges(levels, flat, z, decks)
    z += _kerbs(flat, kerb_height)
    return Mesh(np.column_stack([flat.vertices, z]), flat.triangles, flat.surfaces)


def _in_batches(height: HeightFunction, points: Floats) -> Floats:
    parts = [height(points[k : k + _BATCH]) for k in range(0, len(points), _BATCH)]
    return np.concatenate([np.zeros(0), *parts])


def _under_bridges(
    levels: RoadLevels, flat: FlatMesh, z: Floats, decks: Sequence[BaseGeometry]
) -> Floats:
    """The heights with the ground under bridges kept below them, but for the roads there."""
    if not decks:
        return z
    on_road = np.zeros(len(z), dtype=np.bool_)
    on_road[flat.triangles[flat.surfaces == Surface.CARRIAGEWAY]] = True
    points = flat.vertices
    road = cKDTree(points[on_road]) if on_road.any() else None
    found = z.copy()
    for level, deck in enumerate(decks, start=1):
        if deck.is_empty:
            continue
        wide = overlays.buffer(deck, 0.5, quad_segs=2)
        shapely.prepare(wide)
        rows = np.flatnonzero(shapely.contains_xy(wide, *points.T))
        floor = levels.floor(level, points[rows])
        own = np.isnan(levels.on(0, points[rows])) & on_road[rows]
        # The road of the ground that continues under the end of the bridge has its height.
        found[rows[own]] = floor[own] - 0.003
        other = ~on_road[rows]
        if road is not None and other.any():
            gap, _ = road.query(points[rows[other]])
            limit = floor[other] - np.minimum(_ROOM, _FALL * gap)
            found[rows[other]] = np.minimum(found[rows[other]], limit)
    return found


def _kerbs(flat: FlatMesh, kerb_height: float) -> Floats:
    lifted = kerb_lift(
        flat.triangles,
        flat.surfaces,
        count=len(flat.vertices),
        raised=Surface.PAVEMENT,
        level=Surface.CARRIAGEWAY,
    )
    return np.where(lifted, kerb_height, 0.0)


def _inner(strips: LaneStrips, level: int, box: Box) -> Floats:
    """Vertices (n, 2) inside roads, so that their triangles follow curved surfaces."""
    corners = strips.corners[strips.levels == level]
    points = np.concatenate([corners[:, 0], corners[:, 3], corners.mean(axis=1)])[:, :2]
    low, high = np.array(box[:2]) + 1.0, np.array(box[2:]) - 1.0
    points = points[((points > low) & (points < high)).all(axis=1)]
    cells = np.floor(points / _APART).astype(np.int64)
    _, first = np.unique(cells, axis=0, return_index=True)
    return np.asarray(points[np.sort(first)])


def _solid(levels: RoadLevels, level: int, shapes: LevelShapes, kerb_height: float) -> Mesh:
    """The bridges of a level as closed solids."""
    window = overlays.union_all([shapes.carriageway, shapes.pavement])
    partition = make_partition(
        window,
        carriageway=shapes.carriageway,
        pavement=shapes.pavement,
        water=shapely.MultiPolygon(),
    )
    box = shapely.bounds(window)
    flat = triangulate(
        partition,
        density=_DENSITY,
        is_uneven=everywhere_uneven,
        rest=NOTHING,
        extra=_inner(levels.strips, level, tuple(box.tolist())),
    )
    if not len(flat.triangles):
        return empty_mesh()
    top = levels.floor(level, flat.vertices)
    floor = top + _kerbs(flat, kerb_height)
    count = len(flat.vertices)
    vertices = np.vstack(
        [
            np.column_stack([flat.vertices, floor]),
            np.column_stack([flat.vertices, top - _THICKNESS]),
        ]
    )
    below = flat.triangles[:, ::-1] + np.int32(count)
    a, b = boundary_edges(flat.triangles).T
    sides: Integers32 = np.vstack(
        [np.column_stack([b, a, a + count]), np.column_stack([b, a + count, b + count])]
    ).astype(np.int32)
    concrete = np.full(len(below) + len(sides), int(Surface.CONCRETE), dtype=np.uint8)
    return Mesh(
        vertices,
        np.vstack([flat.triangles, below, sides]),
        np.concatenate([flat.surfaces, concrete]),
    )
