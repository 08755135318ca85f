"""Finds the triangle over or under a point, for many points at once, on several levels."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autosim.world.compiled import CompiledWorld, Mesh, Surface
from autosim.world.meshes import joined
from autosim.world.tiles import tile_boxes

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_EDGE_TOLERANCE = 1e-9
_LEAST_AREA = 1e-7
_IN_PLANE = 1e-6
_BATCH = 20_000


@dataclass(frozen=True, slots=True)
class GroundIndex:
    """A grid of square cells, each with the triangles whose boxes touch it.

    Build it once with `GroundIndex.build` and ask it often. `cell_starts` (columns * rows + 1,)
    and `members` list the triangles of each cell; `lower` (2,) is the grid's corner [m]; `boxes`
    (m, 4) the least and largest x and y of each triangle.
    """

    mesh: Mesh
    boxes: Floats
    lower: Floats
    cell: float
    shape: tuple[int, int]
    cell_starts: Integers
    members: Integers

    @classmethod
    def build(cls, mesh: Mesh, cell: float = 5.0) -> "GroundIndex":
        """The index of a mesh with cells of `cell` [m]."""
        corners = mesh.vertices[mesh.triangles, :2]
        least, largest = corners.min(axis=1), corners.max(axis=1)
        lower = least.min(axis=0)
        low = ((least - lower) // cell).astype(np.int64)
        high = ((largest - lower) // cell).astype(np.int64)
        columns, rows = (high.max(axis=0) + 1).tolist()
        spans = high - low + 1
        counts = spans[:, 0] * spans[:, 1]
        triangle = np.repeat(np.arange(len(spans)), counts)
        step = np.arange(len(triangle)) - np.repeat(np.cumsum(counts) - counts, counts)
        column = low[triangle, 0] + step % spans[triangle, 0]
        row = low[triangle, 1] + step // spans[triangle, 0]
        cells = row * columns + column
        order = np.argsort(cells, kind="stable")
        starts = np.searchsorted(cells[order], np.arange(columns * rows + 1))
        boxes = np.hstack([least - _IN_PLANE, largest + _IN_PLANE])
        return cls(
            mesh, boxes, lower, cell, (columns, rows), starts.astype(np.int64), triangle[order]
        )

    def hits(self, points: npt.ArrayLike) -> tuple[Integers, Integers, Floats]:
        """All triangles over or under points (n, 2) or (n, 3).

        Returns:
            For each pair of point and triangle: the point's row (k,), ascending, the triangle (k,),
            and the triangle's height [m] there (k,).
        """
        p = np.asarray(points, dtype=np.float64).reshape(-1, np.shape(points)[-1])[:, :2]
        parts = [self._hits(p[k : k + _BATCH], k) for k in range(0, len(p), _BATCH)]
        if not parts:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        rows, triangles, heights = (np.concatenate(each) for each in zip(*parts, strict=True))
        return rows, triangles, heights

    def triangles_at(self, points: npt.ArrayLike) -> Integers:
        """Index (n,) of the triangle at each point (n, 2) or (n, 3); -1 for none.

        Where there are several levels, that nearest to the point's height, or the first of the
        mesh, which is the ground, if it has none.
        """
        return self._nearest(points)[0]

    def surfaces_at(self, points: npt.ArrayLike) -> Integers:
        """`Surface` (n,) at each point, as `triangles_at` finds it; -1 outside the world."""
        found = self.triangles_at(points)
        return np.where(found < 0, -1, self.mesh.surfaces[found].astype(np.int64))

    def heights_at(self, points: npt.ArrayLike) -> Floats:
        """Height (n,) [m] at each point, as `triangles_at` finds it; NaN outside the world."""
        return self._nearest(points)[1]

    def _nearest(self, points: npt.ArrayLike) -> tuple[Integers, Floats]:
        p = np.asarray(points, dtype=np.float64)
        rows, triangles, heights = self.hits(p)
        rank = np.abs(heights - p[rows, 2]) if p.shape[1] > 2 else triangles.astype(np.float64)
        # Backwards, so that the best of each point is written last; on a shared edge, the first.
        order = np.lexsort((-triangles, -rank, rows))
        found = np.full(len(p), -1, dtype=np.int64)
        z = np.full(len(p), np.nan)
        found[rows[order]] = triangles[order]
        z[rows[order]] = heights[order]
        return found, z

    def _hits(self, p: Floats, first: int) -> tuple[Integers, Integers, Floats]:
        columns, rows = self.shape
        place = np.floor((p - self.lower) / self.cell)
        is_inside = ((place >= 0) & (place < [columns, rows])).all(axis=1)
        cells = np.where(is_inside, place[:, 1] * columns + place[:, 0], 0.0).astype(np.int64)
        counts = np.where(is_inside, self.cell_starts[cells + 1] - self.cell_starts[cells], 0)
        of = np.repeat(np.arange(len(p)), counts)
        step = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
        candidates = self.members[self.cell_starts[cells[of]] + step]
        boxes, q = self.boxes[candidates], p[of]
        is_near = ((boxes[:, :2] <= q) & (q <= boxes[:, 2:])).all(axis=1)
        of, candidates = of[is_near], candidates[is_near]
        corners = self.mesh.vertices[self.mesh.triangles[candidates]]
        weights = _barycentric(corners[:, :, :2], p[of])
        inside = weights.min(axis=1) >= -_EDGE_TOLERANCE
        heights = np.einsum("ij,ij->i", weights[inside], corners[inside, :, 2])
        return of[inside] + first, candidates[inside], heights


def _barycentric(corners: Floats, p: Floats) -> Floats:
    """Barycentric coordinates (n, 3) of points (n, 2) in triangles (n, 3, 2).

    No point is inside an upright triangle, whose area in plan is nothing.
    """
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    u, v, w = b - a, c - a, p - a
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    is_upright = np.abs(area) < _LEAST_AREA
    area = np.where(is_upright, 1.0, area)
    second = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / area
    third = (u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]) / area
    first = np.where(is_upright, -1.0, 1.0 - second - third)
    return np.column_stack([first, second, third])


DRIVABLE = (Surface.CARRIAGEWAY, Surface.PAVEMENT, Surface.KERB)


def all_levels(world: CompiledWorld) -> Mesh:
    """The ground, followed by the floors of bridges and tunnels: all that wheels may stand on."""
    return _levels(world.ground, world.structures)


def levels_at(world: CompiledWorld, points: npt.ArrayLike) -> Mesh:
    """Of `all_levels` the tiles with triangles over or under points (n, 2) or (n, 3)."""
    p = np.asarray(points, dtype=np.float64)[:, :2]
    return _levels(_tiles_at(world.ground, p), _tiles_at(world.structures, p))


def _levels(ground: Mesh, structures: Mesh) -> Mesh:
    is_floor = np.isin(structures.surfaces, DRIVABLE)
    floors = structures.triangles[is_floor]
    return joined([ground, Mesh(structures.vertices, floors, structures.surfaces[is_floor])])


def _tiles_at(mesh: Mesh, points: Floats) -> Mesh:
    boxes = tile_boxes(mesh)
    x, y = points[:, :1], points[:, 1:]
    holds = (boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])
    return joined([mesh.tile(tile) for tile in np.flatnonzero(holds.any(axis=0)).tolist()])


def on_carriageway(world: CompiledWorld, points: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Whether each point in W [m] lies on a carriageway: (n,) bool.

    Points (n, 3) count on the level nearest to their height, points (n, 2) on any level.
    """
    p = np.asarray(points, dtype=np.float64)
    index = GroundIndex.build(all_levels(world))
    if p.shape[1] > 2:
        return np.equal(index.surfaces_at(p), Surface.CARRIAGEWAY)
    rows, triangles, _ = index.hits(p)
    found = np.zeros(len(p), dtype=np.bool_)
    found[rows[index.mesh.surfaces[triangles] == Surface.CARRIAGEWAY]] = True
    return found


def height_at(world: CompiledWorld, points: npt.ArrayLike) -> Floats:
    """Height (n,) [m] to stand on at points in W; NaN outside the world.

    Of points (n, 3) on the level nearest to their height; of points (n, 2) on the ground, and where
    that has a hole on the floor of the tunnel there.
    """
    levels = levels_at(world, points)
    if not len(levels.triangles):
        return np.full(len(np.asarray(points)), np.nan)
    return GroundIndex.build(levels).heights_at(points)
