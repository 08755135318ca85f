"""Triangle meshes of the world: how they are stored, joined and taken apart."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from autosim.arrays import Booleans, Bytes, Floats, Integers, Integers32
from autosim.world.geometry.renumbering import renumbered


class Surface(IntEnum):
    """The material of a triangle; it decides the look and the grip."""

    GROUND = 0
    CARRIAGEWAY = 1
    PAVEMENT = 2
    KERB = 3
    PARK = 4
    WATER = 5
    WALL = 6
    ROOF = 7
    CONCRETE = 8
    PAINT = 9
    PAINT_YELLOW = 10
    BALLAST = 11
    RAIL = 12
    MASONRY = 13
    TIMBER = 14
    HEDGE = 15
    STEM = 16
    PAVING = 17
    """Slabs level with the ground."""
    SETT = 18
    ASPHALT = 19
    """Of paths and yards; that of streets is `CARRIAGEWAY`."""
    GRAVEL = 20
    DOOR = 21
    SHOP_WINDOW = 22
    AWNING = 23
    STEEL = 24
    SIGN = 25


def no_starts() -> Integers:
    """The `starts` of a mesh that is not in tiles."""
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Mesh:
    """A triangle mesh in W, counter-clockwise seen from outside (from above for the ground).

    vertices: (n, 3) float64 [m]; triangles: (m, 3) int32; surfaces: (m,) uint8 of `Surface`.
    starts: (tiles + 1,) int64, the first triangle of each tile of the world's `TileGrid` and the
    number of all; empty for a mesh that is not in tiles.
    """

    vertices: Floats
    triangles: Integers32
    surfaces: Bytes
    starts: Integers = field(default_factory=no_starts)

    def tile(self, number: int) -> "Mesh":
        """The part in one tile, with the vertices that it uses. Reads nothing else of a file."""
        return self.select(slice(*self.starts[number : number + 2].tolist()))

    def select(self, chosen: Booleans | Integers | slice) -> "Mesh":
        """The mesh of the chosen triangles alone, with the vertices that these use."""
        used, triangles = renumbered(self.triangles[chosen])
        return Mesh(self.vertices[used], triangles, np.asarray(self.surfaces[chosen]))


def empty_mesh() -> Mesh:
    """A mesh without triangles."""
    return Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, np.uint8))


Edges = Integers32
"""Pairs (n, 2) of numbers of vertices."""

_BITS = 32
"""Number of bits of a vertex's number in the key of an edge, of which an int64 holds two."""

_BATCH = 500_000
"""Number of triangles whose edges are sorted at once: 12 MB of keys, little beside a large mesh."""


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one."""
    filled = [mesh for mesh in meshes if len(mesh.triangles)]
    if not filled:
        return empty_mesh()
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in filled[:-1])])
    return Mesh(
        np.vstack([mesh.vertices for mesh in filled]),
        np.vstack(
            [mesh.triangles + np.int32(start) for mesh, start in zip(filled, starts, strict=True)]
        ),
        np.concatenate([mesh.surfaces for mesh in filled]),
    )


def boundary_edges(triangles: Integers32) -> Edges:
    """Directed edges (n, 2) that only one triangle has, with the triangle on their left."""
    directed = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    _, index, uses = np.unique(_keys(*directed.T), return_index=True, return_counts=True)
    return np.asarray(directed[index[uses == 1]])


def distinct_edges(edges: Integers) -> Integers:
    """Each of edges (n, 2) between two vertices once, whatever its direction: (m, 2), in order.

    The lower vertex of an edge comes first.
    """
    keys = np.unique(_keys(*edges.T))
    found = np.column_stack([keys >> _BITS, keys & (2**_BITS - 1)])
    return np.asarray(found[found[:, 0] != found[:, 1]])


def odd_edges(triangles: Integers32) -> tuple[Edges, Integers]:
    """The edges (n, 2) that do not have exactly two triangles, and the number (n,) that each has.

    The lower vertex of an edge comes first. The edges of large meshes are many, so they are sorted
    in batches, by the number of their lower vertex.
    """
    count = int(triangles.max(initial=-1)) + 1
    batches = len(triangles) // _BATCH + 1
    bounds = np.linspace(0, count, batches + 1).astype(np.int32)
    parts = [_odd_edges(triangles, low, high) for low, high in itertools.pairwise(bounds)]
    edges, uses = zip(*parts, strict=True)
    return np.concatenate(edges), np.concatenate(uses)


def _odd_edges(triangles: Integers32, low: np.int32, high: np.int32) -> tuple[Edges, Integers]:
    """The `odd_edges` whose lower vertex is at least `low` and less than `high`."""
    parts = []
    for a, b in itertools.combinations(triangles.T, 2):
        lower = np.minimum(a, b)
        rows = np.flatnonzero((lower >= low) & (lower < high))
        parts.append(_keys(a[rows], b[rows]))
    keys = np.concatenate(parts)
    keys.sort()
    first = np.flatnonzero(np.concatenate([[True][: len(keys)], keys[1:] != keys[:-1]]))
    uses = np.diff(first, append=len(keys))
    odd = keys[first[uses != 2]]
    return np.column_stack([odd >> _BITS, odd & (2**_BITS - 1)]).astype(np.int32), uses[uses != 2]


def _keys(a: npt.NDArray[np.integer], b: npt.NDArray[np.integer]) -> Integers:
    """A number for each edge from `a` to `b` (n,), whatever its direction: it sorts fast."""
    return np.asarray((np.minimum(a, b).astype(np.int64) << _BITS) | np.maximum(a, b))
