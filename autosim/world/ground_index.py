"""Finds the triangle over or under a point, for many points at once, on several levels."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autosim.world.compiled import CompiledWorld, Mesh, Surface
from autosim.world.meshes import joined

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_EDGE_TOLERANCE = 1e-9
_LEAST_AREA = 1e-7
_IN_PLANE = 1e-6
_BATCH = 20_000
_LARGE, _COARSE = 4.0, 8.0


@dataclass(frozen=True, slots=True)
class _Grid:
    """Square cells of `cell` [m] from the corner `lower` (2,), with some triangles of a mesh.

    `starts` (columns * rows + 1,) and `members` list the triangles whose boxes touch each cell.
    """

    lower: Floats
    cell: float
    shape: tuple[int, int]
    starts: npt.NDArray[np.int32]
    members: npt.NDArray[np.int32]

    @classmethod
    def of(cls, least: Floats, largest: Floats, rows: Integers, cell: float) -> "_Grid":
        """The grid of the triangles `rows` (n,) with boxes from `least` to `largest` (n, 2)."""
        lower = least.min(axis=0)
        low = ((least - lower) // cell).astype(np.int32)
        high = ((largest - lower) // cell).astype(np.int32)
        columns, lines = (high.max(axis=0) + 1).tolist()
        spans = high - low + 1
        counts = spans[:, 0] * spans[:, 1]
        of = np.repeat(np.arange(len(spans), dtype=np.int32), counts)
        step = np.arange(len(of), dtype=np.int32) - np.repeat(np.cumsum(counts) - counts, counts)
        column = low[of, 0] + step % spans[of, 0]
        line = low[of, 1] + step // spans[of, 0]
        cells = line * np.int32(columns) + column
        order = np.argsort(cells, kind="stable")
        starts = np.zeros(columns * lines + 1, dtype=np.int32)
        np.cumsum(np.bincount(cells, minlength=columns * lines), out=starts[1:])
        members = rows.astype(np.int32)[of[order]]
        return cls(lower, cell, (columns, lines), starts, members)

    def candidates(self, p: Floats) -> tuple[Integers, npt.NDArray[np.int32]]:
        """Pairs of a row of points (n, 2) and a triangle in the same cell, rows ascending."""
        columns, lines = self.shape
        place = np.floor((p - self.lower) / self.cell)
        column, line = place.T
        is_inside = (column >= 0) & (column < columns) & (line >= 0) & (line < lines)
        cells = np.where(is_inside, line * columns + column, 0.0).astype(np.int64)
        counts = np.where(is_inside, self.starts[cells + 1] - self.starts[cells], 0)
        of = np.repeat(np.arange(len(p)), counts)
        step = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
        return of, self.members[self.starts[cells[of]] + step]


@dataclass(frozen=True, slots=True)
class GroundIndex:
    """Grids of square cells, each with the triangles whose boxes touch it.

    Build it once with `GroundIndex.build` and ask it often. `boxes` (m, 4) are the least and
    largest x and y of each triangle. Triangles much larger than a cell of the fine grid are in a
    coarse one: out in the fields there are many, and each would be in a hundred cells.
    """

    mesh: Mesh
    boxes: Floats
    grids: tuple[_Grid, ...]

    @classmethod
    def build(cls, mesh: Mesh, cell: float = 2.5) -> "GroundIndex":
        """The index of a mesh with cells of `cell` [m], and larger ones for large triangles."""
        corners = mesh.vertices[mesh.triangles, :2]
        least, largest = corners.min(axis=1), corners.max(axis=1)
        is_large = (largest - least).max(axis=1) > _LARGE * cell
        grids = tuple(
            _Grid.of(least[rows], largest[rows], rows, edge)
            for rows, edge in (
                (np.flatnonzero(~is_large), cell),
                (np.flatnonzero(is_large), _COARSE * cell),
            )
            if len(rows)
        )
        return cls(mesh, np.hstack([least - _IN_PLANE, largest + _IN_PLANE]), grids)

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
        parts = [self._near(grid, p) for grid in self.grids]
        of, candidates = (np.concatenate(each) for each in zip(*parts, strict=True))
        corners = self.mesh.vertices[self.mesh.triangles[candidates]]
        weights = _barycentric(corners[:, :, :2], p[of])
        inside = np.flatnonzero(weights.min(axis=1) >= -_EDGE_TOLERANCE)
        inside = inside[np.lexsort((candidates[inside], of[inside]))]
        heights = np.einsum("ij,ij->i", weights[inside], corners[inside, :, 2])
        return of[inside] + first, candidates[inside].astype(np.int64), heights

    def _near(self, grid: _Grid, p: Floats) -> tuple[Integers, npt.NDArray[np.int32]]:
        """Pairs of a point and a triangle of a grid whose box holds it."""
        of, candidates = grid.candidates(p)
        (x, y), (x_min, y_min, x_max, y_max) = p[of].T, self.boxes[candidates].T
        is_near = (x_min <= x) & (x <= x_max) & (y_min <= y) & (y <= y_max)
        return of[is_near], candidates[is_near]


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
    structures = world.structures
    floors = structures.triangles[np.isin(structures.surfaces, DRIVABLE)]
    surfaces = structures.surfaces[np.isin(structures.surfaces, DRIVABLE)]
    return joined([world.ground, Mesh(structures.vertices, floors, surfaces)])


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
    return GroundIndex.build(all_levels(world)).heights_at(points)
