"""How well the ground holds the tyres: the friction of the triangle under each wheel."""

from math import floor

import numpy as np

from autosim.arrays import Booleans, Floats, Floats32, Integers, Integers32
from autosim.simulation.jit import compilable, compiled, read_only
from autosim.world.compiled.tiles import TILE_METRES, Level, TileGrid

Frictions = Floats32

CELLS = 32
"""Cells along a tile's edge: one of 8 m is met by some ten triangles."""

_ABOVE = 0.02
"""A wheel stands on a triangle if it is this near [m] to it; otherwise on a bridge above it."""

_EDGE = 1e-6
_UNKNOWN, _FIRST_MEMBERS = -1, 65_536


class Grip:
    """Finds the friction under wheels. A tile is indexed when a wheel first rolls onto it.

    Args:
        ground: the world's level of level 0.
        frictions: (n,) of its triangles, 1 on dry asphalt; empty: that of asphalt everywhere.
        grid: the world's tiles.
        asphalt: friction of bridges and tunnels, 1 in the dry.
    """

    def __init__(
        self, ground: Level, frictions: Frictions, grid: TileGrid, *, asphalt: float = 1.0
    ) -> None:
        self._asphalt = asphalt
        self._grid = grid
        self._boxes = ground.boxes
        self._starts = ground.mesh.starts
        self._vertices, self._triangles = (
            read_only(ground.mesh.vertices),
            read_only(ground.mesh.triangles),
        )
        self._frictions = read_only(frictions)
        self._shape = (*grid.low, grid.columns, grid.rows)
        # Memory that is never written is none: only tiles with wheels on them have any.
        self._cells = np.zeros((grid.count, CELLS * CELLS + 1), dtype=np.int32)
        self._is_known = np.zeros(grid.count, dtype=np.bool_)
        self._members = np.empty(_FIRST_MEMBERS, dtype=np.int32)
        self._count = 0

    def look_up(self, origins: Floats, ends: Floats, fractions: Floats, found: Floats) -> None:
        """Writes the friction under each wheel.

        Args:
            origins: (n, 3) m in W of the wheels' rays.
            ends: (n, 3) m in W.
            fractions: (n,) of each ray up to its hit, 1 for none.
            found: (n,) written; that of asphalt where the ray meets nothing, or a bridge or tunnel.
        """
        found.fill(self._asphalt)
        while len(self._frictions):
            tile = _look_up(
                origins,
                ends,
                fractions,
                self._shape,
                self._is_known,
                self._cells,
                self._members,
                self._vertices,
                self._triangles,
                self._frictions,
                found,
            )
            if tile == _UNKNOWN:
                return
            self._index(tile)

    def _index(self, tile: int) -> None:
        low = self._grid.lows()[tile]
        meets = (self._boxes[:, 2:] >= low) & (self._boxes[:, :2] <= low + TILE_METRES)
        tiles = np.flatnonzero(meets.all(axis=1))
        parts = [np.arange(*self._starts[number : number + 2]) for number in tiles.tolist()]
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
        cells, members = _list_cells(low, rows, self._vertices, self._triangles)
        while self._count + len(members) > len(self._members):
            self._members = np.concatenate([self._members, np.empty_like(self._members)])
        self._members[self._count : self._count + len(members)] = members
        self._cells[tile] = self._count + cells
        self._count += len(members)
        self._is_known[tile] = True


@compiled
def _list_cells(
    low: Floats,
    rows: Integers,
    vertices: Floats,
    triangles: Integers32,
) -> tuple[Integers32, Integers32]:
    """The triangles, of `rows`, in each cell of the tile whose south-west corner is `low`.

    Returns:
        Where the members of each cell begin, (cells + 1,), and the members: rows of triangles.
    """
    spans = np.zeros((len(rows), 4), np.int64)
    starts = np.zeros(CELLS * CELLS + 1, np.int32)
    size = TILE_METRES / CELLS
    for i in range(len(rows)):
        a, b, c = triangles[rows[i], 0], triangles[rows[i], 1], triangles[rows[i], 2]
        for k in range(2):
            p, q, r = vertices[a, k] - low[k], vertices[b, k] - low[k], vertices[c, k] - low[k]
            spans[i, k] = max(floor(min(p, q, r) / size), 0)
            spans[i, k + 2] = min(floor(max(p, q, r) / size), CELLS - 1)
        for y in range(spans[i, 1], spans[i, 3] + 1):
            for x in range(spans[i, 0], spans[i, 2] + 1):
                starts[y * CELLS + x + 1] += 1
    for cell in range(CELLS * CELLS):
        starts[cell + 1] += starts[cell]
    members = np.empty(starts[-1], np.int32)
    filled = starts[:-1].copy()
    for i in range(len(rows)):
        for y in range(spans[i, 1], spans[i, 3] + 1):
            for x in range(spans[i, 0], spans[i, 2] + 1):
                cell = y * CELLS + x
                members[filled[cell]] = rows[i]
                filled[cell] += 1
    return starts, members


@compiled
def _look_up(
    origins: Floats,
    ends: Floats,
    fractions: Floats,
    grid: tuple[float, float, int, int],
    is_known: Booleans,
    cells: Integers32,
    members: Integers32,
    vertices: Floats,
    triangles: Integers32,
    frictions: Frictions,
    found: Floats,
) -> int:
    """See `Grip.look_up`; returns the first tile that is not indexed yet, `_UNKNOWN` for none."""
    for i in range(len(fractions)):
        share = fractions[i]
        if not share < 1.0:
            continue
        x = origins[i, 0] + share * (ends[i, 0] - origins[i, 0])
        y = origins[i, 1] + share * (ends[i, 1] - origins[i, 1])
        z = origins[i, 2] + share * (ends[i, 2] - origins[i, 2])
        across, along = (x - grid[0]) / TILE_METRES, (y - grid[1]) / TILE_METRES
        column = min(max(floor(across), 0), grid[2] - 1)
        row = min(max(floor(along), 0), grid[3] - 1)
        tile: int = row * grid[2] + column
        if not is_known[tile]:
            return tile
        cx = min(max(floor((across - column) * CELLS), 0), CELLS - 1)
        cy = min(max(floor((along - row) * CELLS), 0), CELLS - 1)
        cell = cy * CELLS + cx
        for k in range(cells[tile, cell], cells[tile, cell + 1]):
            triangle = members[k]
            if _height_above(x, y, z, triangle, vertices, triangles) <= _ABOVE:
                found[i] = frictions[triangle]
                break
    return _UNKNOWN


@compilable
def _height_above(
    x: float,
    y: float,
    z: float,
    triangle: int,
    vertices: Floats,
    triangles: Integers32,
) -> float:
    """How far [m] a point is above or below a triangle; infinite where it is beside it."""
    a, b, c = triangles[triangle, 0], triangles[triangle, 1], triangles[triangle, 2]
    ux, uy = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1]
    vx, vy = vertices[c, 0] - vertices[a, 0], vertices[c, 1] - vertices[a, 1]
    wx, wy = x - vertices[a, 0], y - vertices[a, 1]
    area = ux * vy - uy * vx
    if abs(area) < _EDGE:
        return np.inf
    second, third = (wx * vy - wy * vx) / area, (ux * wy - uy * wx) / area
    if second < -_EDGE or third < -_EDGE or second + third > 1.0 + _EDGE:
        return np.inf
    height = vertices[a, 2]
    height += second * (vertices[b, 2] - height) + third * (vertices[c, 2] - height)
    distance: float = abs(z - height)
    return distance
