"""Finds the triangle of the ground under a point, for many points at once."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autosim.world.compiled import CompiledWorld, Mesh, Surface

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_EDGE_TOLERANCE = 1e-9
_BATCH = 20_000


@dataclass(frozen=True, slots=True)
class GroundIndex:
    """A grid of square cells, each with the triangles whose boxes touch it.

    Build it once with `GroundIndex.build` and ask it often. `cell_starts` (columns * rows + 1,)
    and `members` list the triangles of each cell; `lower` (2,) is the grid's corner [m].
    """

    mesh: Mesh
    lower: Floats
    cell: float
    shape: tuple[int, int]
    cell_starts: Integers
    members: Integers

    @classmethod
    def build(cls, mesh: Mesh, cell: float = 8.0) -> "GroundIndex":
        """The index of a mesh with cells of `cell` [m]."""
        corners = mesh.vertices[mesh.triangles][:, :, :2]
        lower = corners.min(axis=(0, 1))
        low = ((corners.min(axis=1) - lower) // cell).astype(np.int64)
        high = ((corners.max(axis=1) - lower) // cell).astype(np.int64)
        columns, rows = (high.max(axis=0) + 1).tolist()
        spans = high - low + 1
        counts = spans[:, 0] * spans[:, 1]
        triangle = np.repeat(np.arange(len(corners)), counts)
        step = np.arange(len(triangle)) - np.repeat(np.cumsum(counts) - counts, counts)
        column = low[triangle, 0] + step % spans[triangle, 0]
        row = low[triangle, 1] + step // spans[triangle, 0]
        cells = row * columns + column
        order = np.argsort(cells, kind="stable")
        starts = np.searchsorted(cells[order], np.arange(columns * rows + 1))
        return cls(mesh, lower, cell, (columns, rows), starts.astype(np.int64), triangle[order])

    def triangles_at(self, points: npt.ArrayLike) -> Integers:
        """Index (n,) of the triangle over or under each point (n, 2) or (n, 3); -1 for none."""
        p = np.asarray(points, dtype=np.float64)[:, :2]
        parts = [self._triangles_at(p[k : k + _BATCH]) for k in range(0, len(p), _BATCH)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def surfaces_at(self, points: npt.ArrayLike) -> Integers:
        """`Surface` (n,) at each point; -1 outside the world."""
        found = self.triangles_at(points)
        return np.where(found < 0, -1, self.mesh.surfaces[found].astype(np.int64))

    def heights_at(self, points: npt.ArrayLike) -> Floats:
        """Height (n,) [m] of the ground at each point; NaN outside the world."""
        p = np.asarray(points, dtype=np.float64)[:, :2]
        found = self.triangles_at(p)
        corners = self.mesh.vertices[self.mesh.triangles[found]]
        weights = _barycentric(corners[:, :, :2], p)
        return np.where(found < 0, np.nan, np.einsum("ij,ij->i", weights, corners[:, :, 2]))

    def _triangles_at(self, p: Floats) -> Integers:
        columns, rows = self.shape
        place = np.floor((p - self.lower) / self.cell)
        is_inside = ((place >= 0) & (place < [columns, rows])).all(axis=1)
        cells = np.where(is_inside, place[:, 1] * columns + place[:, 0], 0.0).astype(np.int64)
        counts = np.where(is_inside, self.cell_starts[cells + 1] - self.cell_starts[cells], 0)
        of = np.repeat(np.arange(len(p)), counts)
        step = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
        candidates = self.members[self.cell_starts[cells[of]] + step]
        corners = self.mesh.vertices[self.mesh.triangles[candidates]][:, :, :2]
        hits = _barycentric(corners, p[of]).min(axis=1) >= -_EDGE_TOLERANCE
        found = np.full(len(p), -1, dtype=np.int64)
        # Backwards, so that on a shared edge the first triangle stays.
        found[of[hits][::-1]] = candidates[hits][::-1]
        return found


def _barycentric(corners: Floats, p: Floats) -> Floats:
    """Barycentric coordinates (n, 3) of points (n, 2) in triangles (n, 3, 2)."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    u, v, w = b - a, c - a, p - a
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    area = np.where(area == 0.0, np.finfo(np.float64).tiny, area)
    second = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / area
    third = (u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]) / area
    return np.column_stack([1.0 - second - third, second, third])


def on_carriageway(world: CompiledWorld, points: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Whether each point (n, 2) or (n, 3) in W [m] lies on the carriageway: (n,) bool."""
    surfaces = GroundIndex.build(world.ground).surfaces_at(points)
    return np.equal(surfaces, Surface.CARRIAGEWAY)


def height_at(world: CompiledWorld, points: npt.ArrayLike) -> Floats:
    """Height (n,) [m] of the ground at points (n, 2) in W; NaN outside the world."""
    return GroundIndex.build(world.ground).heights_at(points)
