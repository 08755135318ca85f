"""Cuts what is in a tile into pieces that are made in a step without holding it up.

A body that slides from mesh to mesh trips over the free edge of the next one: PyBullet mends the
inner edges of a mesh alone. So each piece of a sheet reaches `SKIRT` metres beyond its border: with
the very triangles of its neighbours, bent down by `SLOPE` from the border on. They lie below those
neighbours everywhere: rays and bodies meet them only where a neighbour is not there, no seam is
open, and an edge on the border is an inner edge of both.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from autosim.server.piece_kernels import distances_to, touching, triangle_boxes
from autosim.simulation.jit import read_only
from autosim.vehicle.bodies import Floats
from autosim.world.compiled import CompiledWorld, Mesh
from autosim.world.meshes import boundary_edges, joined
from autosim.world.tiles import Sheet

PIECE_TRIANGLES = 500
"""Most triangles of a piece, without its skirt: PyBullet takes 1.6 us for each."""

SKIRT = 3.0
"""How far [m] a piece reaches below its neighbours."""

SLOPE = 0.007
"""How much deeper it gets with each metre. At its rim it is then below the 2 cm from which PyBullet
makes contacts; steeper, or with a higher rim, bodies jump."""

Triangles = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]
Piece = tuple[Floats, Triangles]
"""Vertices (n, 3) m in W and triangles (m, 3) of them."""

_KEY_RANGE = 65_535.0


def tile_pieces(
    world: CompiledWorld, tile: int, *, sheets: Sequence[Sheet]
) -> Iterator[Piece | None]:
    """All that collides in a tile, piece by piece, in an order that never changes.

    Gives None where it has only got pieces ready, so that nobody has to wait long for the next.

    Args:
        world: in tiles.
        tile: its number.
        sheets: of the world, see `autosim.world.tiles.sheets_of`.
    """
    for sheet in sheets:
        yield from sheet_pieces(sheet, tile)
    yield from solid_pieces(joined([mesh.tile(tile) for mesh in solids_of(world)]))


def solids_of(world: CompiledWorld) -> tuple[Mesh, ...]:
    """The meshes of solids that are whole in one tile."""
    meshes = (world.buildings, world.house_boxes, world.obstacles)
    return tuple(mesh for mesh in meshes if len(mesh.starts))


def sheet_pieces(sheet: Sheet, tile: int, *, most: int = PIECE_TRIANGLES) -> Iterator[Piece | None]:
    """A tile's part of a sheet, each piece with its skirt; see `tile_pieces`.

    Args:
        sheet: that goes on beyond the tile.
        tile: the tile's number.
        most: triangles of a piece without its skirt.
    """
    mesh = sheet.mesh
    first, last = mesh.starts[tile : tile + 2].tolist()
    if first == last:
        return
    pool, extents = _with_surroundings(sheet, tile)
    used, local = compact(mesh.triangles[pool])
    vertices = mesh.vertices[used]
    yield None
    for rows in cut(vertices[local[: last - first, 0], :2], most=most):
        own = extents[rows]
        low, high = own[:, :3].min(axis=0) - SKIRT, own[:, 3:].max(axis=0) + SKIRT
        is_other = np.zeros(len(pool), dtype=np.bool_)
        is_other[touching(extents, low, high)] = True
        is_other[rows] = False
        yield _with_skirt(vertices, local[rows], local[is_other])


def _with_surroundings(sheet: Sheet, tile: int) -> tuple[Rows, Floats]:
    """The tile's triangles, and after them those of others within the skirt's reach.

    Returns:
        Their rows (n,) in the mesh and their boxes (n, 6), see `triangle_boxes`.
    """
    mesh, boxes = sheet.mesh, sheet.boxes
    low, high = boxes[tile, :2] - SKIRT, boxes[tile, 2:] + SKIRT
    is_near = ((boxes[:, 2:] >= low) & (boxes[:, :2] <= high)).all(axis=1)
    vertices, triangles = read_only(mesh.vertices), read_only(mesh.triangles)
    rows, extents = [], []
    for number in (tile, *(k for k in np.flatnonzero(is_near).tolist() if k != tile)):
        first, last = mesh.starts[number : number + 2].tolist()
        each = triangle_boxes(vertices, triangles, first, last)
        near = np.arange(last - first) if number == tile else touching(each, low, high)
        rows.append(first + near)
        extents.append(each[near])
    return np.concatenate(rows), np.concatenate(extents)


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


def _marked(triangles: Triangles, count: int) -> npt.NDArray[np.bool_]:
    marks = np.zeros(count, dtype=np.bool_)
    marks[triangles] = True
    return marks


def compact(triangles: Triangles) -> tuple[Rows, Triangles]:
    """The vertices that triangles use, ascending, and the triangles in numbers of those."""
    first = int(triangles.min())
    marks = _marked(triangles - first, int(triangles.max()) - first + 1)
    numbers = np.cumsum(marks, dtype=np.int32) - np.int32(1)
    return np.flatnonzero(marks) + first, numbers[triangles - first]


def cut(centres: Floats, *, most: int) -> Iterator[Rows]:
    """Divides points (n, 2) into compact groups of at most `most`; gives their rows.

    Halved at the median of the longer side until they fit.
    """
    low = centres.min(axis=0)
    extent = max(float((centres.max(axis=0) - low).max()), 1e-9)
    # Whole numbers of 16 bits are sorted by radix: ten times as fast, and the same everywhere.
    keys = ((centres - low) * (_KEY_RANGE / extent)).astype(np.uint16)
    yield from _halved(keys, np.arange(len(keys)), most)


def _halved(keys: npt.NDArray[np.uint16], rows: Rows, most: int) -> Iterator[Rows]:
    if len(rows) <= most:
        yield rows
        return
    part = keys[rows]
    axis = int(np.argmax(np.ptp(part, axis=0)))
    order = rows[np.argsort(part[:, axis], kind="stable")]
    for half in np.array_split(order, 2):
        yield from _halved(keys, half, most)


def solid_pieces(mesh: Mesh, *, most: int = PIECE_TRIANGLES) -> Iterator[Piece]:
    """A mesh of closed solids, cut between them: a solid stays whole, however large it is.

    It is cut only where no later triangle uses a vertex of an earlier one.
    """
    triangles = mesh.triangles
    if not len(triangles):
        return
    highest = np.maximum.accumulate(triangles.max(axis=1))
    lowest = np.minimum.accumulate(triangles.min(axis=1)[::-1])[::-1]
    ends = np.append(np.flatnonzero(highest[:-1] < lowest[1:]) + 1, len(triangles))
    first = 0
    while first < len(triangles):
        fitting = int(np.searchsorted(ends, first + most, side="right")) - 1
        following = int(np.searchsorted(ends, first, side="right"))
        last = int(ends[max(fitting, following)])
        used, part = compact(triangles[first:last])
        yield mesh.vertices[used], part
        first = last
