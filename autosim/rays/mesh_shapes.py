"""Rays against the meshes that bodies are made of, each in its own axes.

Each mesh has a tree of boxes, written down depth first: where a ray misses a box, it skips
everything in it. One array holds all meshes, since each that a kernel is given costs time in every
call.
"""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.model.rigid_bodies.shapes import MeshShape
from autosim.model.vector_kernels import Triple, cross, dot, vec_sub
from autosim.rays.traversal import NOTHING, Ray, meet_leaf, prepared

LEAF_TRIANGLES = 4
"""Number of triangles in a box that is not divided further."""

_MARGIN = 1e-6
"""Boxes are this much larger [m] than what is in them: more than the arithmetic of rays loses."""

_NEXT, _FIRST, _COUNT, _COLUMNS = 6, 7, 8, 9
"""Columns of a node after those of its box: the row behind it, and its triangles if it is a leaf.
"""


class MeshTrees:
    """The trees of several meshes.

    `rows` (n, 9) are nodes and triangles: of a node the least and largest x, y, z [m] of its box,
    the row of the node that follows all that is in it, and the row of its first triangle and how
    many there are; of a triangle the corners [m]. `ranges`: the first node of each mesh, and the
    row after its last; meshes that are alike share them.
    """

    def __init__(self, meshes: Sequence[MeshShape]) -> None:
        self._nodes: list[list[float]] = []
        self._triangles: list[Floats] = [np.zeros((0, _COLUMNS))]
        self._placed = 0
        found: dict[bytes, tuple[int, int]] = {}
        self.ranges: list[tuple[int, int]] = []
        for mesh in meshes:
            corners = mesh.vertices[mesh.triangles].reshape(-1, _COLUMNS)
            same = corners.tobytes()
            if same not in found:
                first = len(self._nodes)
                self._add(corners)
                found[same] = first, len(self._nodes)
            self.ranges.append(found[same])
        nodes = np.array(self._nodes, dtype=np.float64).reshape(-1, _COLUMNS)
        nodes[:, _FIRST] += len(nodes)
        self.rows: Floats = np.concatenate([nodes, *self._triangles])

    def _add(self, corners: Floats) -> None:
        """Writes the node of triangles (n, 9), and all below it."""
        points = corners.reshape(-1, 3)
        low, high = points.min(axis=0) - _MARGIN, points.max(axis=0) + _MARGIN
        row = [*low.tolist(), *high.tolist(), 0.0, 0.0, 0.0]
        self._nodes.append(row)
        if len(corners) <= LEAF_TRIANGLES:
            row[_FIRST], row[_COUNT] = self._placed, len(corners)
            self._triangles.append(corners)
            self._placed += len(corners)
        else:
            middles = corners.reshape(-1, 3, 3).sum(axis=1)
            axis = int(np.argmax(middles.max(axis=0) - middles.min(axis=0)))
            order = np.argsort(middles[:, axis], kind="stable")
            for half in np.array_split(order, 2):
                self._add(corners[half])
        row[_NEXT] = len(self._nodes)


@jitable
def enter_mesh(
    rows: Floats,
    first: int,
    end: int,
    start: Triple,
    way: Triple,
    is_convex: bool,
    limit: float,
) -> float:
    """Share of a ray's way at which it meets a mesh, whose triangles have two sides.

    Args:
        rows: see `MeshTrees`.
        first: node of the mesh.
        end: the row after its last.
        start: m in the mesh's axes.
        way: to the ray's end [m].
        is_convex: whether a ray that begins inside has met it at once.
        limit: share of the way beyond which nothing counts.

    Returns:
        The share of the way, `limit` where it misses.
    """
    if way[0] == 0.0 and way[1] == 0.0 and way[2] == 0.0:
        return limit
    ray = prepared(start, way)
    best, hit, node = limit, NOTHING, first
    while node < end:
        if not _enters(rows, node, ray, best):
            node = int(rows[node, _NEXT])
            continue
        if rows[node, _COUNT] > 0.0:
            place, count = int(rows[node, _FIRST]), int(rows[node, _COUNT])
            best, hit = meet_leaf(rows, place, count, ray, best, hit)
        node += 1
    if hit != NOTHING and is_convex and _is_back(rows, hit, way):
        return 0.0
    return best


@jitable
def _enters(nodes: Floats, node: int, ray: Ray, limit: float) -> bool:
    """Whether a ray comes through a box before `limit` (slab method, Kay and Kajiya 1986)."""
    enter, leave = 0.0, limit
    for k in range(3):
        a = (nodes[node, k] - ray.origin[k]) * ray.inverse[k]
        b = (nodes[node, k + 3] - ray.origin[k]) * ray.inverse[k]
        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    return enter <= leave


@jitable
def _is_back(corners: Floats, hit: int, way: Triple) -> bool:
    """Whether a ray meets a triangle from the side where its corners go round clockwise."""
    a = corners[hit, 0], corners[hit, 1], corners[hit, 2]
    b = corners[hit, 3], corners[hit, 4], corners[hit, 5]
    c = corners[hit, 6], corners[hit, 7], corners[hit, 8]
    return dot(cross(vec_sub(b, a), vec_sub(c, a)), way) > 0.0
