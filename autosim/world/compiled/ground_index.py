"""Finds the triangles over and under many points at once, on several levels."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autosim.arrays import Booleans, Floats, Floats32, Integers, Integers32
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import tile_boxes
from autosim.world.geometry.meshes import Mesh, Surface, joined

Boxes = Floats32

_EDGE_TOLERANCE = 1e-9
"""Barycentric coordinate below zero, as a share, that still counts as on the edge: rounding."""

_LEAST_AREA = 1e-7
"""Doubled area [m²] in plan below which a triangle is upright: no point lies over or under it."""

_ROUNDED = 2e-3
"""Margin [m] of boxes: more than float32 rounds in coordinates of up to 16 km from the origin."""

_POINTS_BATCH = 5_000
"""Number of points handled at once: their candidates, some dozen each, fit a processor's cache."""

_PAIRS_BATCH = 50_000
"""Number of triangles, or of their pairs with cells, handled at once while an index is built, so
that its temporary arrays take a few megabytes."""

_CELL_BITS, _ROW_MASK = 32, 2**32 - 1
"""A pair's key holds its cell in the high 32 bits and its triangle in the low 32 bits."""

_NEAR = 30.0
"""Distance [m] around points within which `GroundIndex.build` keeps triangles."""


@dataclass(frozen=True, slots=True)
class _GridSizes:
    """The grids of an index: triangles of very different sizes lie in different grids."""

    count: int = 3
    """Number of grids: cells up to nine times the finest take all but the largest triangles."""

    growth: float = 3.0
    """Factor from the cells of one grid to those of the next coarser one."""

    largest: float = 2.0
    """Largest size of a triangle in a grid, as a multiple of its cells: it touches few of them."""


_GRIDS = _GridSizes()


@dataclass(frozen=True, slots=True)
class _Grid:
    """Square cells of `cell` [m] from the corner `lower` (2,) [m], with some triangles of a mesh.

    `shape` is the number of columns and rows. `starts` (columns * rows + 1,) and `members` list the
    triangles whose boxes touch each cell.
    """

    lower: Floats
    cell: float
    shape: tuple[int, int]
    starts: Integers32
    members: Integers32

    @classmethod
    def of(cls, boxes: Boxes, rows: Integers, cell: float) -> "_Grid":
        """The grid of the triangles `rows` (n,); `boxes` (m, 4) are of all triangles."""
        lower = boxes[rows, :2].min(axis=0).astype(np.float64)
        last = boxes[rows, 2:].max(axis=0)
        columns, lines = ((last - lower) // cell + 1.0).astype(np.int64).tolist()
        starts = np.zeros(columns * lines + 1, dtype=np.int32)
        keys = _sorted_keys(boxes, rows, lower, cell, columns)
        members = np.empty(len(keys), dtype=np.int32)
        for batch in _batches(len(keys)):
            members[batch] = keys[batch] & _ROW_MASK
            cells = keys[batch] >> _CELL_BITS
            counts = np.bincount(cells - cells[0])
            starts[cells[0] + 1 : cells[0] + 1 + len(counts)] += counts.astype(np.int32)
        np.cumsum(starts, out=starts)
        return cls(lower, cell, (columns, lines), starts, members)

    def candidates(self, p: Floats) -> tuple[Integers, Integers32]:
        """The number (n,) of triangles in the cell of each point (n, 2), and these in turn."""
        cells, is_inside = self.cells_at(p)
        firsts = self.starts[cells]
        counts = np.where(is_inside, self.starts[cells + 1] - firsts, 0).astype(np.int64)
        rows = np.repeat(firsts - (np.cumsum(counts) - counts), counts)
        rows += np.arange(len(rows))
        return counts, self.members.take(rows)

    def cells_at(self, p: Floats) -> tuple[Integers, Booleans]:
        """The cells (n,) of points (n, 2), and which of the points are in a cell."""
        columns, lines = self.shape
        column, line = np.floor((p - self.lower) / self.cell).T
        is_inside = (column >= 0) & (column < columns) & (line >= 0) & (line < lines)
        return np.where(is_inside, line * columns + column, 0.0).astype(np.int64), is_inside


def _sorted_keys(
    boxes: Boxes, rows: Integers, lower: Floats, cell: float, columns: int
) -> Integers:
    """A key (k,) for each pair of a cell and a triangle, sorted by cells and then by triangles."""
    # In batches, so that only one number is ever kept for each of the many pairs.
    keys = [np.zeros(0, dtype=np.int64)]
    for batch in _batches(len(rows)):
        of, cells = _touched(boxes[rows[batch]], lower, cell, columns)
        keys.append(cells.astype(np.int64) << _CELL_BITS | rows[batch][of])
    whole = np.concatenate(keys)
    whole.sort()
    return whole


def _batches(count: int) -> list[slice]:
    return [slice(k, k + _PAIRS_BATCH) for k in range(0, count, _PAIRS_BATCH)]


def _touched(boxes: Boxes, lower: Floats, cell: float, columns: int) -> tuple[Integers, Integers32]:
    """Pairs of a row (k,) of boxes (n, 4) and a cell (k,) that the box touches."""
    low = ((boxes[:, :2] - lower) // cell).astype(np.int32)
    high = ((boxes[:, 2:] - lower) // cell).astype(np.int32)
    spans = high - low + 1
    counts = spans[:, 0] * spans[:, 1]
    of = np.repeat(np.arange(len(spans)), counts)
    step = np.arange(len(of), dtype=np.int32)
    step -= np.repeat((np.cumsum(counts) - counts).astype(np.int32), counts)
    line, column = np.divmod(step, spans[of, 0])
    return of, (low[of, 1] + line) * np.int32(columns) + low[of, 0] + column


@dataclass(frozen=True, slots=True)
class GroundIndex:
    """Grids of square cells, each with the triangles whose boxes touch it.

    Build it once with `GroundIndex.build` and query it often. Triangles much larger than a cell of
    the finest grid lie in coarser grids. Outside towns there are many: in the finest grid each
    would lie in a hundred cells, and with large cells alone each point would meet hundreds of
    triangles.

    Attributes:
        mesh: the triangles.
        boxes: (m, 4) float32, x_min, y_min, x_max and y_max [m] of each triangle, up to 4 mm larger
            than it is.
        grids: the grids, the finest first.
        first: number that the grids have for the first triangle of the mesh. The grids may list
            triangles before it and after the last one, which the index leaves out.
    """

    mesh: Mesh
    boxes: Boxes
    grids: tuple[_Grid, ...]
    first: int = 0

    @classmethod
    def build(
        cls, mesh: Mesh, cell: float = 3.5, *, about: npt.ArrayLike | None = None
    ) -> "GroundIndex":
        """The index of a mesh.

        Args:
            mesh: the triangles.
            cell: edge [m] of the finest cells; a city street has a dozen triangles in 3.5 m.
            about: points (n, 2) or (n, 3) [m]; the index and its mesh then hold only the triangles
                within 30 m of one of them. None for all.
        """
        boxes = _boxes(mesh)
        if about is not None and len(boxes):
            near = _near_points(boxes, np.asarray(about)[:, :2])
            mesh = Mesh(mesh.vertices, mesh.triangles[near], mesh.surfaces[near])
            boxes = boxes[near]
        cells = cell * _GRIDS.growth ** np.arange(_GRIDS.count)
        sizes = (boxes[:, 2:] - boxes[:, :2]).max(axis=1)
        grid_of = np.searchsorted(_GRIDS.largest * cells[:-1], sizes)
        members = [np.flatnonzero(grid_of == k) for k in range(_GRIDS.count)]
        grids = tuple(
            _Grid.of(boxes, rows, edge)
            for rows, edge in zip(members, cells.tolist(), strict=True)
            if len(rows)
        )
        return cls(mesh, boxes, grids)

    def part(self, first: int, last: int) -> "GroundIndex":
        """The index of the triangles from `first` to before `last` alone, with the same grids."""
        rows = slice(first, last)
        mesh = Mesh(self.mesh.vertices, self.mesh.triangles[rows], self.mesh.surfaces[rows])
        return GroundIndex(mesh, self.boxes[rows], self.grids, self.first + first)

    def hits(self, points: npt.ArrayLike) -> tuple[Integers, Integers, Floats]:
        """Finds all triangles over and under points (n, 2) or (n, 3).

        Returns:
            For each pair of point and triangle: the point's row (k,), ascending, the triangle (k,),
            and the triangle's height [m] there (k,).
        """
        p = np.asarray(points, dtype=np.float64).reshape(-1, np.shape(points)[-1])[:, :2]
        firsts = range(0, len(p), _POINTS_BATCH)
        parts = [self._hits(p[k : k + _POINTS_BATCH], k) for k in firsts]
        if not parts:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        rows, triangles, heights = (np.concatenate(each) for each in zip(*parts, strict=True))
        return rows, triangles, heights

    def triangles_at(self, points: npt.ArrayLike) -> Integers:
        """Index (n,) of the triangle at each point (n, 2) or (n, 3); -1 for none."""
        return self.nearest(points)[0]

    def surfaces_at(self, points: npt.ArrayLike) -> Integers:
        """`Surface` (n,) at each point, as `nearest` finds it; -1 outside the world."""
        found = self.triangles_at(points)
        return np.where(found < 0, -1, self.mesh.surfaces[found].astype(np.int64))

    def heights_at(self, points: npt.ArrayLike) -> Floats:
        """Height (n,) [m] at each point, as `nearest` finds it; NaN outside the world."""
        return self.nearest(points)[1]

    def nearest(self, points: npt.ArrayLike) -> tuple[Integers, Floats]:
        """Index (n,) of the triangle at each point (n, 2) or (n, 3), -1 for none, and its height.

        Where there are several levels, a point (n, 3) gets the one nearest to its height, and a
        point (n, 2) the first of the mesh, which is the ground. The heights (n,) [m] are NaN where
        there is no triangle.
        """
        p = np.asarray(points, dtype=np.float64)
        rows, triangles, heights = self.hits(p)
        rank = np.abs(heights - p[rows, 2]) if p.shape[1] > 2 else triangles.astype(np.float64)
        # Worst first, so that the best triangle of each point is written last.
        order = np.lexsort((-triangles, -rank, rows))
        found = np.full(len(p), -1, dtype=np.int64)
        z = np.full(len(p), np.nan)
        found[rows[order]] = triangles[order]
        z[rows[order]] = heights[order]
        return found, z

    def _hits(self, p: Floats, first_row: int) -> tuple[Integers, Integers, Floats]:
        nothing = (np.zeros(0, np.int64), np.zeros(0, np.int32))
        parts = [nothing, *(self._near(grid, p) for grid in self.grids)]
        of, candidates = (np.concatenate(each) for each in zip(*parts, strict=True))
        corners = self.mesh.vertices.take(self.mesh.triangles.take(candidates, axis=0), axis=0)
        weights = barycentric(corners[:, :, :2], p.take(of, axis=0))
        first, second, third = weights
        is_inside = first >= -_EDGE_TOLERANCE
        is_inside &= second >= -_EDGE_TOLERANCE
        is_inside &= third >= -_EDGE_TOLERANCE
        inside = np.flatnonzero(is_inside)
        # Sorted by points and then by triangles: one key for both sorts faster than two.
        order = np.argsort(of[inside] << _CELL_BITS | candidates[inside], kind="stable")
        inside = inside[order]
        heights = np.einsum("ji,ij->i", weights[:, inside], corners[inside, :, 2])
        return of[inside] + first_row, candidates[inside].astype(np.int64), heights

    def _near(self, grid: _Grid, p: Floats) -> tuple[Integers, Integers32]:
        """Pairs of a point and a triangle of a grid whose box contains the point."""
        counts, numbers = grid.candidates(p)
        # The boxes sort out most candidates, so that only a few need the exact test.
        candidates = numbers - np.int32(self.first) if self.first else numbers
        # The margin of the boxes allows for points that are rounded to float32, too.
        x, y = (np.repeat(axis, counts) for axis in p.T.astype(np.float32))
        x_min, y_min, x_max, y_max = self.boxes.take(candidates, axis=0, mode="clip").T
        is_near = x_min <= x
        is_near &= x <= x_max
        is_near &= y_min <= y
        is_near &= y <= y_max
        rows = np.flatnonzero(is_near)
        of, candidates = np.searchsorted(np.cumsum(counts), rows, side="right"), candidates[rows]
        is_own = (candidates >= 0) & (candidates < len(self.boxes))
        return of[is_own], candidates[is_own]


def _boxes(mesh: Mesh) -> Boxes:
    """Boxes (m, 4) around the triangles, a little larger than these."""
    plan = mesh.vertices[:, :2].astype(np.float32)
    boxes = np.empty((len(mesh.triangles), 4), dtype=np.float32)
    boxes[:, :2] = boxes[:, 2:] = plan[mesh.triangles[:, 0]]
    for k in (1, 2):
        corner = plan[mesh.triangles[:, k]]
        np.minimum(boxes[:, :2], corner, out=boxes[:, :2])
        np.maximum(boxes[:, 2:], corner, out=boxes[:, 2:])
    boxes[:, :2] -= _ROUNDED
    boxes[:, 2:] += _ROUNDED
    return boxes


def _near_points(boxes: Boxes, points: Floats) -> Booleans:
    """Mask of boxes (n, 4) that may come within `_NEAR` of a point: a superset of those that do."""
    lower = boxes[:, :2].min(axis=0) - _NEAR
    shape = ((boxes[:, 2:].max(axis=0) - lower) // _NEAR).astype(np.int64) + 2
    column, line = np.clip((points - lower) // _NEAR, 1, shape - 2).astype(np.int64).T
    is_met = np.zeros(tuple(shape), dtype=np.bool_)
    for step in np.ndindex(3, 3):
        is_met[column + step[0] - 1, line + step[1] - 1] = True
    (x0, y0), (x1, y1) = (
        ((corner - lower) // _NEAR).astype(np.int32).T for corner in (boxes[:, :2], boxes[:, 2:])
    )
    is_large = (x1 - x0 > 1) | (y1 - y0 > 1)
    corners = is_met[x0, y0] | is_met[x0, y1] | is_met[x1, y0] | is_met[x1, y1]
    return np.asarray(is_large | corners)


def barycentric(corners: Floats, p: Floats) -> Floats:
    """Barycentric coordinates (3, n) of points (n, 2) in triangles (n, 3, 2).

    No point is inside an upright triangle, which has no area in plan.
    """
    (x, y), (px, py) = np.ascontiguousarray(corners.T), p.T
    (ux, vx), (uy, vy) = x[1:] - x[0], y[1:] - y[0]
    wx, wy = px - x[0], py - y[0]
    area = ux * vy - uy * vx
    is_upright = np.abs(area) < _LEAST_AREA
    area[is_upright] = 1.0
    weights = np.empty((3, len(p)))
    weights[1] = (wx * vy - wy * vx) / area
    weights[2] = (ux * wy - uy * wx) / area
    weights[0] = 1.0 - weights[1] - weights[2]
    weights[0, is_upright] = -1.0
    return weights


DRIVABLE = (Surface.CARRIAGEWAY, Surface.PAVEMENT, Surface.KERB)


def all_levels(world: CompiledWorld) -> Mesh:
    """The ground and then the floors of bridges and tunnels: all surfaces that carry wheels."""
    return levels_of(world.ground, world.structures)


def levels_at(world: CompiledWorld, points: npt.ArrayLike) -> Mesh:
    """The tiles of `all_levels` with triangles over or under points (n, 2) or (n, 3)."""
    p = np.asarray(points, dtype=np.float64)[:, :2]
    return levels_of(_tiles_at(world.ground, p), _tiles_at(world.structures, p))


def levels_of(ground: Mesh, structures: Mesh) -> Mesh:
    """The ground and then the triangles of structures that carry wheels."""
    is_floor = np.isin(structures.surfaces, DRIVABLE)
    floors = structures.triangles[is_floor]
    return joined([ground, Mesh(structures.vertices, floors, structures.surfaces[is_floor])])


def _tiles_at(mesh: Mesh, points: Floats) -> Mesh:
    boxes = tile_boxes(mesh)
    x, y = points[:, :1], points[:, 1:]
    holds = (boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])
    return joined([mesh.tile(tile) for tile in np.flatnonzero(holds.any(axis=0)).tolist()])


def on_carriageway(world: CompiledWorld, points: npt.ArrayLike) -> Booleans:
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
    """Height (n,) [m] of the floor at points in W; NaN outside the world.

    Points (n, 3) get the level nearest to their height. Points (n, 2) get the ground, and in its
    holes the floor of the tunnel there.
    """
    levels = levels_at(world, points)
    if not len(levels.triangles):
        return np.full(len(np.asarray(points)), np.nan)
    return GroundIndex.build(levels).heights_at(points)


def is_inside_solid(world: CompiledWorld, point: npt.ArrayLike) -> bool:
    """Whether `point` (3,) [m] in W lies in a building."""
    p = np.asarray(point, dtype=np.float64).reshape(1, 3)
    meshes = [_tiles_at(each, p[:, :2]) for each in (world.buildings, world.house_boxes)]
    return bool(are_inside(GroundIndex.build(joined(meshes)), p)[0])


def are_inside(solids: GroundIndex, points: Floats) -> Booleans:
    """Whether points (n, 3) lie in closed solids: an odd number of faces is above each."""
    if not len(solids.mesh.triangles):
        return np.zeros(len(points), dtype=np.bool_)
    rows, _, heights = solids.hits(points)
    is_above = heights > points[rows, 2]
    # On a shared edge both triangles are hit; they count as one face.
    faces = np.unique(np.column_stack([rows, heights.round(3)])[is_above], axis=0)
    return np.equal(np.bincount(faces[:, 0].astype(np.int64), minlength=len(points)) % 2, 1)
