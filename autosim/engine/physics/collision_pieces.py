"""Cuts what is in a tile into pieces that are made in a step without holding it up.

A body that slides from mesh to mesh trips over the free edge of the next one: PyBullet mends the
inner edges of a mesh alone. So each piece of a level reaches `SKIRT` metres beyond its border: with
the very triangles of its neighbours, bent down by `SLOPE` from the border on. They lie below those
neighbours everywhere: rays and bodies meet them only where a neighbour is not there, no seam is
open, and an edge on the border is an inner edge of both.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from autosim.arrays import Booleans, Floats, Integers, Integers32
from autosim.engine.physics.piece_kernels import bounds, distances_to, touching, triangle_boxes
from autosim.jit import read_only
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import Boxes, Level
from autosim.world.geometry.meshes import Mesh, Surface, boundary_edges

PIECE_TRIANGLES = 800
"""Most triangles of a piece, with its skirt: PyBullet takes 2.3 us for each. Of these pieces the
skirt is a half already, of smaller ones it is more."""

LEAST_TRIANGLES = 60
"""A piece with so few triangles of its own is not cut further, however many are in its skirt."""

SKIRT = 3.0
"""Depth [m] to which a piece reaches below its neighbours."""

SLOPE = 0.007
"""Increase of that depth per metre. At its rim it is then below the 2 cm from which PyBullet makes
contacts; steeper, or with a higher rim, bodies jump."""

DEPTH = 3.0
"""Depth [m] of the bed below the water. Chosen: maps do not have it; it bears what sinks, and boats
of robots do not reach it."""

Triangles = Integers32
Rows = Integers
Piece = tuple[Floats, Triangles]
"""Vertices (n, 3) m in W and triangles (m, 3) of them."""

Result = TypeVar("Result")
Work = Generator[int, None, Result]
"""Work that may rest wherever it yields its cost since then, in triangles for PyBullet to make."""

_KEY_RANGE = 65_535.0
"""Largest sort key of a triangle, without unit: it fills 16 bits, which NumPy sorts by radix."""

_ROWS_DIVIDED, _ROWS_COMPARED = 60, 100
"""Number of triangles that are sorted and divided, or compared with a box, in the time that
PyBullet makes one."""


def run_to_end(work: Work[Result]) -> Result:
    """Does work without a pause."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: Result = end.value
            return result


class PieceSource(Protocol):
    """Pieces that are cut, but not yet made.

    `boxes` (n, 4) x_min, y_min, x_max, y_max [m] in W of each piece without its skirt; `mesh`: that
    it is cut from; `is_water`: whether bodies that float pass through it.
    """

    @property
    def mesh(self) -> Mesh: ...  # noqa: D102

    @property
    def is_water(self) -> bool: ...  # noqa: D102

    @property
    def boxes(self) -> Boxes: ...  # noqa: D102

    def piece(self, number: int) -> Piece:
        """The piece of that number."""


def cut_tile(
    world: CompiledWorld, tile: int, *, levels: Sequence[Level], has_floats: bool = False
) -> Work[list[PieceSource]]:
    """All that collides in a tile, in an order that never changes.

    Args:
        world: in tiles.
        tile: its number.
        levels: of the world, see `autosim.world.compiled.tile_grid.tiled_levels`.
        has_floats: whether bodies float: water is then apart from the land, and has a bed.
    """
    cuts: list[PieceSource] = []
    for level in levels:
        first, last = level.mesh.starts[tile : tile + 2].tolist()
        is_water = level.mesh.surfaces[first:last] == Surface.WATER
        if has_floats and is_water.any():
            water = yield from cut_level(level, tile, water=True)
            cuts += [water, WaterBedPieces(water)]
            if not is_water.all():
                cuts.append((yield from cut_level(level, tile, water=False)))
        elif first < last:
            cuts.append((yield from cut_level(level, tile)))
    for mesh in solids_of(world):
        first, last = mesh.starts[tile : tile + 2].tolist()
        if first < last:
            cuts.append(cut_solids(mesh, first, last))
            yield (last - first) // _ROWS_DIVIDED
    return cuts


def solids_of(world: CompiledWorld) -> tuple[Mesh, ...]:
    """The meshes of solids that are whole in one tile."""
    meshes = (world.buildings, world.house_boxes, world.obstacles)
    return tuple(mesh for mesh in meshes if len(mesh.starts))


@dataclass(frozen=True, slots=True)
class LevelPieces:
    """A tile's part of a level, each piece with its skirt; see `PieceSource`.

    Attributes:
        mesh: the level's.
        parts: of each piece the rows of its own triangles, and of those that its skirt may have.
        boxes, is_water: see `PieceSource`.
    """

    mesh: Mesh
    parts: list[tuple[Rows, Rows]]
    boxes: Boxes
    is_water: bool = False

    def piece(self, number: int) -> Piece:
        """The piece of that number."""
        own, others = self.parts[number]
        corners = self.mesh.triangles[np.concatenate([own, others])]
        used, numbers = np.unique(corners, return_inverse=True)
        triangles = numbers.reshape(-1, 3).astype(np.int32)
        return _with_skirt(self.mesh.vertices[used], triangles[: len(own)], triangles[len(own) :])


@dataclass(frozen=True, slots=True)
class WaterBedPieces:
    """The bed under a tile's `water`, and its shore, as steep as a quay; see `PieceSource`."""

    water: LevelPieces
    is_water: bool = False
    """False: vehicles rest on it."""

    @property
    def mesh(self) -> Mesh:
        """The water's."""
        return self.water.mesh

    @property
    def boxes(self) -> Boxes:
        """The water's."""
        return self.water.boxes

    def piece(self, number: int) -> Piece:
        """The water of that number, `DEPTH` lower, and a wall up to each edge of all water."""
        own, others = self.water.parts[number]
        triangles, vertices = self.mesh.triangles, self.mesh.vertices
        shore = boundary_edges(np.vstack([triangles[own], triangles[others]]))
        is_own = np.isin(shore, triangles[own]).all(axis=1)
        a, b = (np.arange(k, 2 * is_own.sum(), 2, dtype=np.int32) for k in (0, 1))
        high = vertices[shore[is_own].reshape(-1)]
        used, floor = compact(triangles[own])
        low, count = np.array([0.0, 0.0, DEPTH]), np.int32(len(high))
        walls = np.vstack(
            [np.stack(each, axis=1) for each in ((a, b, b + count), (a, b + count, a + count))]
        )
        return (
            np.vstack([high, high - low, vertices[used] - low]),
            np.vstack([walls, floor + 2 * count]).astype(np.int32),
        )


def cut_level(
    level: Level, tile: int, *, most: int = PIECE_TRIANGLES, water: bool | None = None
) -> Work[LevelPieces]:
    """Cuts a tile's part of a level.

    Args:
        level: extends beyond the tile.
        tile: the tile's number; it has triangles of this kind.
        most: triangles of a piece with its skirt.
        water: whether it is of the water alone, or of all but the water; without it, of all.
    """
    pool, extents, count = yield from _with_surroundings(level, tile, water)
    keys = _keys(extents[:count])
    yield len(keys[0]) // _ROWS_COMPARED
    parts, boxes = [], []
    left = [(np.arange(count), np.arange(len(pool)))]
    while left:
        own, near = left.pop()
        low, high = bounds(extents, own)
        near = touching(extents, near, low - SKIRT, high + SKIRT)
        if len(near) <= most or len(own) <= LEAST_TRIANGLES:
            is_other = np.ones(len(pool), dtype=np.bool_)
            is_other[own] = False
            parts.append((pool[own], pool[near[is_other[near]]]))
            boxes.append([*low[:2], *high[:2]])
        else:
            left += [(half, near) for half in reversed(_halves(keys, own))]
        yield len(near) // _ROWS_DIVIDED
    return LevelPieces(level.mesh, parts, np.array(boxes), water is True)


def _with_surroundings(
    level: Level, tile: int, water: bool | None
) -> Work[tuple[Rows, Floats, int]]:
    """The tile's triangles, and after them those of others within the skirt's reach.

    Returns:
        Their rows (n,) in the mesh, their boxes (n, 6), see `triangle_boxes`, and how many are the
        tile's.
    """
    mesh, boxes = level.mesh, level.boxes
    low, high = boxes[tile, :2] - SKIRT, boxes[tile, 2:] + SKIRT
    is_near = ((boxes[:, 2:] >= low) & (boxes[:, :2] <= high)).all(axis=1)
    vertices, triangles = read_only(mesh.vertices), read_only(mesh.triangles)
    rows, extents = [], []
    for number in (tile, *(k for k in np.flatnonzero(is_near).tolist() if k != tile)):
        first, last = mesh.starts[number : number + 2].tolist()
        each = triangle_boxes(vertices, triangles, first, last)
        near = np.arange(last - first)
        if number != tile:
            near = touching(each, near, low, high)
        if water is not None:
            near = near[(mesh.surfaces[first + near] == Surface.WATER) == water]
        rows.append(first + near)
        extents.append(each[near])
        yield (last - first) // _ROWS_COMPARED
    return np.concatenate(rows), np.concatenate(extents), len(rows[0])


def _with_skirt(vertices: Floats, own: Triangles, others: Triangles) -> Piece:
    """A piece of its `own` triangles and of those of the `others` that begin within the skirt."""
    edges = boundary_edges(own)
    is_own = np.zeros(len(vertices), dtype=np.bool_)
    is_own[own] = True
    places = np.flatnonzero(_marked(others, len(vertices)) & ~is_own)
    distances = distances_to(vertices[places], vertices[edges])
    reach = np.zeros(len(vertices))
    reach[places] = distances
    skirt = others[(reach[others] < SKIRT).any(axis=1)]
    used, triangles = compact(np.vstack([own, skirt]))
    bent = vertices[used]
    bent[:, 2] -= SLOPE * reach[used]
    return bent, triangles


def _marked(triangles: Triangles, count: int) -> Booleans:
    marks = np.zeros(count, dtype=np.bool_)
    marks[triangles] = True
    return marks


def compact(triangles: Triangles) -> tuple[Rows, Triangles]:
    """The vertices that triangles use, ascending, and the triangles in numbers of those."""
    first = int(triangles.min())
    marks = _marked(triangles - first, int(triangles.max()) - first + 1)
    numbers = np.cumsum(marks, dtype=np.int32) - np.int32(1)
    return np.flatnonzero(marks) + first, numbers[triangles - first]


def _keys(extents: Floats) -> npt.NDArray[np.uint16]:
    """The middles (2, n), seen from above, of boxes (n, 6) in a raster of 16 bits.

    Such whole numbers are sorted by radix, ten times as fast as floats.
    """
    middles = np.stack([extents[:, axis] + extents[:, axis + 3] for axis in (0, 1)])
    middles -= middles.min(axis=1, keepdims=True)
    return (middles * (_KEY_RANGE / max(float(middles.max()), 1e-9))).astype(np.uint16)


def _halves(keys: npt.NDArray[np.uint16], rows: Rows) -> list[Rows]:
    """`rows` of `keys`, divided at the median of the longer side."""
    part = keys[:, rows]
    axis = int(np.argmax(np.ptp(part, axis=1)))
    return np.array_split(rows[np.argsort(part[axis], kind="stable")], 2)


@dataclass(frozen=True, slots=True)
class SolidPieces:
    """Closed solids, cut between them; see `PieceSource`.

    Attributes:
        mesh: that they are in.
        starts: (n + 1,) where in the mesh's triangles each piece starts.
        boxes, is_water: see `PieceSource`.
    """

    mesh: Mesh
    starts: Rows
    boxes: Boxes
    is_water: bool = False

    def piece(self, number: int) -> Piece:
        """The piece of that number."""
        first, last = self.starts[number : number + 2].tolist()
        used, triangles = compact(self.mesh.triangles[first:last])
        return self.mesh.vertices[used], triangles


def cut_solids(mesh: Mesh, first: int, last: int, *, most: int = PIECE_TRIANGLES) -> SolidPieces:
    """Cuts the triangles [first, last) of closed solids between them: each of those stays whole.

    A mesh is cut only where no later triangle uses a vertex of an earlier one.
    """
    triangles = mesh.triangles[first:last]
    highest = np.maximum.accumulate(triangles.max(axis=1))
    lowest = np.minimum.accumulate(triangles.min(axis=1)[::-1])[::-1]
    ends = np.append(np.flatnonzero(highest[:-1] < lowest[1:]) + 1, len(triangles))
    starts = [0]
    while starts[-1] < len(triangles):
        fitting = int(np.searchsorted(ends, starts[-1] + most, side="right")) - 1
        following = int(np.searchsorted(ends, starts[-1], side="right"))
        starts.append(int(ends[max(fitting, following)]))
    corners = mesh.vertices[triangles, :2]
    low = np.minimum.reduceat(corners.min(axis=1), starts[:-1])
    high = np.maximum.reduceat(corners.max(axis=1), starts[:-1])
    return SolidPieces(mesh, first + np.array(starts), np.hstack([low, high]))
