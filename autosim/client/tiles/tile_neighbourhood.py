"""A tile of a level with what lies around it in other tiles: what is at a seam depends on both."""

import numpy as np

from autosim.arrays import Integers
from autosim.world.compiled.tile_grid import TILE_METRES, TileGrid
from autosim.world.geometry.meshes import Mesh
from autosim.world.geometry.renumbering import renumbered

_RINGS = 3
"""Number of rings: one for normals, two for kerbs (see `with_rim`)."""


def triangles_around(mesh: Mesh, grid: TileGrid, tile: int, reach: float) -> Mesh:
    """The triangles of a level in a tile, and those that come as near as `reach` [m] to it."""
    tiles = np.append(neighbours(grid, tile), tile)
    rows = np.concatenate(_rows(mesh, tiles))
    used, corners = renumbered(mesh.triangles[rows])
    x, y = mesh.vertices[used, :2].T
    west, south = grid.lows()[tile] - reach
    east, north = grid.lows()[tile] + TILE_METRES + reach
    sides = (x < west) | (x > east) << 1 | (y < south) << 2 | (y > north) << 3
    # What has all corners beyond one side is outside.
    a, b, c = sides[corners].T
    return mesh.select(rows[(a & b & c) == 0])


def with_rim(mesh: Mesh, grid: TileGrid, tile: int) -> tuple[Mesh, int]:
    """A tile of a level, then a rim of three rings of triangles around it.

    The first gives normals at a seam that are the same from both sides, so that no seam is seen;
    the others tell where its kerbs are drawn (`with_kerbstones`).

    Returns:
        The mesh, and how many of its first triangles are the tile's own.
    """
    own = mesh.triangles[slice(*mesh.starts[tile : tile + 2].tolist())]
    around = np.concatenate([np.zeros(0, dtype=np.int64), *_rows(mesh, neighbours(grid, tile))])
    corners = mesh.triangles[around]
    is_touched = np.zeros(len(mesh.vertices), dtype=bool)
    is_touched[own] = True
    for _ in range(_RINGS):
        a, b, c = is_touched[corners].T
        is_in_rim = a | b | c
        is_touched[corners[is_in_rim]] = True
    around = around[is_in_rim]
    first = int(mesh.starts[tile])
    rows = np.concatenate([np.arange(first, first + len(own)), around])
    return mesh.select(rows), len(own)


def _rows(mesh: Mesh, tiles: Integers) -> list[Integers]:
    return [np.arange(*mesh.starts[k : k + 2].tolist()) for k in tiles.tolist()]


def neighbours(grid: TileGrid, tile: int) -> Integers:
    """Numbers of the up to eight tiles around a tile; none is the tile itself."""
    row, column = divmod(tile, grid.columns)
    rows = np.arange(max(row - 1, 0), min(row + 2, grid.rows))
    columns = np.arange(max(column - 1, 0), min(column + 2, grid.columns))
    numbers = (rows[:, None] * grid.columns + columns).ravel()
    return np.asarray(numbers[numbers != tile])
