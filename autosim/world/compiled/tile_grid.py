"""Divides a compiled world into square tiles, so that a program can load a city in parts.

The ground remains one mesh, and neighbouring tiles share the vertices on their seam. Only the order
of the triangles tells in which tile each lies (`Mesh.starts`), so a program can read one tile from
a mapped file without the others.
"""

from dataclasses import dataclass, replace
from math import ceil

import numpy as np
import numpy.typing as npt

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.world.compiled.compiled_world import CompiledWorld, Props
from autosim.world.geometry.meshes import Mesh

Boxes = Floats

TILE_METRES = 250.0
"""Length [m] of a tile's edge. A tile of a city has a few thousand triangles, which physics and
graphics can take in within one frame."""

_HOUSE_TRIANGLES = 12
"""Number of triangles of a house's box: two for each of its six sides."""

_BATCH = 100_000
"""Number of triangles handled at once: their corners take a few megabytes."""

_ROUNDING = 1e-9
"""Share of a tile by which a world may be larger than whole tiles because of rounding."""


@dataclass(frozen=True, slots=True)
class TileGrid:
    """Tiles in rows from the south west, row by row northwards.

    Attributes:
        low: (x, y) [m] of the south-west corner.
        columns: number of tiles from west to east.
        rows: number of tiles from south to north.
    """

    low: tuple[float, float]
    columns: int
    rows: int

    @classmethod
    def of(cls, bounds: tuple[float, float, float, float]) -> "TileGrid":
        """The grid over (x_min, y_min, x_max, y_max) [m]; the last tiles may reach beyond."""
        x_min, y_min, x_max, y_max = bounds
        columns = max(1, ceil((x_max - x_min) / TILE_METRES - _ROUNDING))
        rows = max(1, ceil((y_max - y_min) / TILE_METRES - _ROUNDING))
        return cls((x_min, y_min), columns, rows)

    @property
    def count(self) -> int:
        """Number of tiles."""
        return self.columns * self.rows

    def at(self, points: npt.NDArray[np.floating]) -> Integers:
        """Numbers (n,) of the tiles of points (n, 2) [m] in W; outside, of the nearest tile."""
        cells = np.floor((np.asarray(points) - self.low) / TILE_METRES)
        cells = np.clip(cells, 0, (self.columns - 1, self.rows - 1)).astype(np.int64)
        return np.asarray(cells[:, 1] * self.columns + cells[:, 0])

    def lows(self) -> Floats:
        """South-west corners (count, 2) [m] in W."""
        numbers = np.arange(self.count)
        cells = np.column_stack([numbers % self.columns, numbers // self.columns])
        return np.asarray(self.low + TILE_METRES * cells)

    def within(self, points: npt.NDArray[np.floating], distance: float) -> Integers:
        """Numbers, ascending, of the tiles that come within `distance` [m] of points (n, 2)."""
        low = np.asarray(points)[None] - self.lows()[:, None]
        gaps = np.maximum(np.maximum(-low, low - TILE_METRES), 0.0)
        is_near = (portable.hypot(gaps[..., 0], gaps[..., 1]) <= distance).any(axis=1)
        return np.flatnonzero(is_near)


@dataclass(frozen=True, slots=True)
class Level:
    """A mesh that continues from tile to tile, with the boxes of its parts from `tile_boxes`."""

    mesh: Mesh
    boxes: Boxes


def tiled_levels(world: CompiledWorld) -> tuple[Level, ...]:
    """The ground, and the structures where there are any."""
    meshes = (world.ground, world.structures)
    return tuple(Level(mesh, tile_boxes(mesh)) for mesh in meshes if len(mesh.triangles))


def tile_boxes(mesh: Mesh) -> Boxes:
    """The extent of a mesh's part in each tile; the part may reach beyond the tile.

    Returns:
        (tiles, 4) x_min, y_min, x_max, y_max [m] in W; inf and -inf for a tile without triangles.
    """
    boxes = np.empty((max(len(mesh.starts) - 1, 0), 4))
    boxes[:, :2], boxes[:, 2:] = np.inf, -np.inf
    is_full = np.diff(mesh.starts) > 0
    firsts = mesh.starts[:-1][is_full]
    if len(firsts):
        for corner in mesh.triangles.T:
            places = mesh.vertices[corner, :2]
            low, high = np.minimum.reduceat(places, firsts), np.maximum.reduceat(places, firsts)
            boxes[is_full, :2] = np.minimum(boxes[is_full, :2], low)
            boxes[is_full, 2:] = np.maximum(boxes[is_full, 2:], high)
    return boxes


def sort_into_tiles(world: CompiledWorld) -> CompiledWorld:
    """The same world with the triangles of each mesh, the houses and the props in tile order.

    A building, a wall or a stripe of paint belongs as a whole to the tile of its first vertex, and
    a house to the tile of its middle. In other meshes each triangle belongs to the tile of its
    centroid. The order within a tile does not change.
    """
    grid = TileGrid.of(world.bounds)
    ground, ground_order = _by_triangle(world.ground, grid)
    buildings, order = _by_solid(world.buildings, grid)
    places = np.array([house.position[:2] for house in world.houses]).reshape(-1, 2)
    tiles = grid.at(places)
    return replace(
        world,
        ground=ground,
        ground_friction=world.ground_friction[ground_order[: len(world.ground_friction)]],
        structures=_by_triangle(world.structures, grid)[0],
        markings=_by_solid(world.markings, grid)[0],
        rails=_by_triangle(world.rails, grid)[0],
        obstacles=_by_solid(world.obstacles, grid)[0],
        buildings=buildings,
        building_tints=world.building_tints[order[: len(world.building_tints)]],
        houses=tuple(world.houses[row] for row in _order(tiles).tolist()),
        house_boxes=_in_order(world.house_boxes, np.repeat(tiles, _HOUSE_TRIANGLES), grid),
        props=_ordered_props(world.props, grid),
    )


def _by_triangle(mesh: Mesh, grid: TileGrid) -> tuple[Mesh, Integers]:
    """The mesh in tile order, and the old number of each triangle."""
    # In batches, because the corners of all triangles need more memory than the mesh itself.
    tiles = np.empty(len(mesh.triangles), dtype=np.int64)
    for first in range(0, len(tiles), _BATCH):
        batch = slice(first, first + _BATCH)
        a, b, c = (mesh.vertices[corner, :2] for corner in mesh.triangles[batch].T)
        tiles[batch] = grid.at((a + b + c) / 3.0)
    return _in_order(mesh, tiles, grid), _order(tiles)


def _by_solid(mesh: Mesh, grid: TileGrid) -> tuple[Mesh, Integers]:
    """The mesh in tile order, and the old number of each triangle."""
    # Imported here: readers of compiled worlds do without SciPy, which takes long to import.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not len(mesh.triangles):
        return _in_order(mesh, np.zeros(0, np.int64), grid), np.zeros(0, np.int64)
    ends = mesh.triangles[:, [0, 1, 0, 2]].reshape(-1, 2)
    count = len(mesh.vertices)
    links = coo_array((np.ones(len(ends), np.int8), ends.T), shape=(count, count))
    solid = connected_components(links, directed=False)[1]
    _, first = np.unique(solid, return_index=True)
    tiles = grid.at(mesh.vertices[first, :2])[solid[mesh.triangles[:, 0]]]
    return _in_order(mesh, tiles, grid), _order(tiles)


def _order(tiles: Integers) -> Integers:
    # NumPy sorts numbers of one or two bytes ten times as fast.
    small = tiles.astype(np.min_scalar_type(tiles.max(initial=0)))
    return np.argsort(small, kind="stable")


def _in_order(mesh: Mesh, tiles: Integers, grid: TileGrid) -> Mesh:
    """The mesh with its triangles in tile order and its vertices in the order of their first use.

    `tiles` (m,) are the numbers of the triangles' tiles.
    """
    order = _order(tiles)
    triangles = mesh.triangles[order]
    corners = triangles.reshape(-1)
    first = np.full(len(mesh.vertices), len(corners), dtype=np.int32)
    # Last use first, so that the first use of each vertex is written last.
    first[corners[::-1]] = np.arange(len(corners), dtype=np.int32)[::-1]
    by_use = corners[first[corners] == np.arange(len(corners), dtype=np.int32)]
    numbers = np.empty(len(mesh.vertices), np.int32)
    numbers[by_use] = np.arange(len(by_use), dtype=np.int32)
    return Mesh(
        mesh.vertices[by_use],
        numbers[triangles],
        mesh.surfaces[order],
        np.searchsorted(tiles[order], np.arange(grid.count + 1)),
    )


def _ordered_props(props: Props, grid: TileGrid) -> Props:
    tiles = grid.at(props.positions[:, :2])
    order = _order(tiles)
    return Props(
        props.kinds[order],
        props.positions[order],
        props.yaws[order],
        props.heights[order],
        np.searchsorted(tiles[order], np.arange(grid.count + 1)),
    )
