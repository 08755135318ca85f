"""Where no rain comes: on roads under bridges, which stay dry when it wets all others.

A vertex is sheltered or not, and between two of them wetness goes over evenly; so a sheet has short
edges where those of a bridge are over it. All surfaces of a sheet are divided there in the same
way, and no crack opens between them.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from autosim.client.geometry import DrawMesh
from autosim.client.meshes import normalised
from autosim.client.sheens import Sheen
from autosim.client.surfaces import Looks
from autosim.world.compiled import Mesh, Surface
from autosim.world.ground_index import GroundIndex

Booleans = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int32]
_Holds = Callable[[npt.NDArray[np.float32]], Booleans]

_HEADROOM = 2.0
"""How far [m] over a place something must be to shelter it: a deck, and not its kerb."""
_LONG = 1.5
"""How long [m] an edge may be of which one end is wet and the other one dry."""
_ROUNDS = 5


class Shelter:
    """What bridges and tunnels shelter of the sheets below them.

    Args:
        structures: those of a tile and a little around it.
        looks: of all surfaces.
    """

    def __init__(self, structures: Mesh, looks: Looks) -> None:
        self._looks = looks
        self._is_empty = not len(structures.triangles)
        if not self._is_empty:
            self._index = GroundIndex.build(structures)
            corners = structures.vertices[structures.triangles, :2]
            self._low, self._high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))

    def over(self, drawn: dict[Surface, DrawMesh]) -> dict[Surface, DrawMesh]:
        """The meshes of a sheet, those of roads with alpha 0 where they are sheltered."""
        if self._is_empty:
            return drawn
        divided = {surface: _divided_at_edges(mesh, self.holds) for surface, mesh in drawn.items()}
        return {
            surface: self._dry(mesh) if self._looks[surface].sheen is Sheen.ROAD else mesh
            for surface, mesh in divided.items()
        }

    def _dry(self, mesh: DrawMesh) -> DrawMesh:
        colours = mesh.colours.copy()
        colours[self.holds(mesh.vertices), 3] = 0
        return replace(mesh, colours=colours)

    def holds(self, points: npt.NDArray[np.float32]) -> Booleans:
        """Which of points (n, 3) [m] in W have a deck over them."""
        is_near = (points[:, :2] >= self._low) & (points[:, :2] <= self._high)
        near = np.flatnonzero(is_near.all(axis=1))
        places = points[near].astype(np.float64)
        rows, _, heights = self._index.hits(places)
        found = np.zeros(len(points), dtype=np.bool_)
        found[near[rows[heights > places[rows, 2] + _HEADROOM]]] = True
        return found


def _divided_at_edges(mesh: DrawMesh, sheltered: _Holds) -> DrawMesh:
    """The mesh with long edges halved, round by round, that lead into the shelter or through it."""
    for _ in range(_ROUNDS):
        edges, of_triangle = _edges(mesh.triangles)
        ends = mesh.vertices[edges]
        is_dry, middles = sheltered(mesh.vertices), ends.mean(axis=1)
        is_marked = (is_dry[edges[:, 0]] != is_dry[edges[:, 1]]) | (
            is_dry[edges[:, 0]] != sheltered(middles)
        )
        is_marked &= np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) > _LONG
        if not is_marked.any():
            break
        mesh = _halved(mesh, edges, of_triangle, is_marked)
    return mesh


def _edges(triangles: Ints) -> tuple[Ints, npt.NDArray[np.int64]]:
    """The edges (k, 2) of triangles, and which three each one has, the one after corner i at i."""
    pairs = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    edges, of_triangle = np.unique(np.sort(pairs, axis=1), axis=0, return_inverse=True)
    return edges.astype(np.int32), of_triangle.reshape(-1, 3)


def _halved(
    mesh: DrawMesh, edges: Ints, of_triangle: npt.NDArray[np.int64], is_marked: Booleans
) -> DrawMesh:
    """The mesh with a vertex in the middle of each marked edge (k,)."""
    chosen = edges[is_marked]
    middle = np.full(len(edges), -1, dtype=np.int32)
    middle[is_marked] = len(mesh.vertices) + np.arange(len(chosen), dtype=np.int32)
    normals = normalised(mesh.normals[chosen].astype(np.float64).mean(axis=1))
    return DrawMesh(
        np.vstack([mesh.vertices, mesh.vertices[chosen].mean(axis=1)]),
        np.vstack([mesh.normals, normals.astype(np.float32)]),
        np.vstack([mesh.colours, mesh.colours[chosen].mean(axis=1).round().astype(np.uint8)]),
        np.vstack([mesh.uvs, mesh.uvs[chosen].mean(axis=1)]),
        _with_middles(mesh.triangles, middle[of_triangle]),
    )


def _with_middles(triangles: Ints, middles: Ints) -> Ints:
    """Triangles (m, 3) cut at those of their edges that have a middle (m, 3), which is not -1."""
    count = (middles >= 0).sum(axis=1)
    parts = [triangles[count == 0]]
    # Turned so that of one middle it comes first, and of two the edge without one comes last.
    first = np.where(count == 1, np.argmax(middles >= 0, axis=1), (np.argmin(middles, axis=1) + 1))
    turned = (first[:, None] + np.arange(3)) % 3
    a, b, c = np.take_along_axis(triangles, turned, axis=1).T
    ab, bc, ca = np.take_along_axis(middles, turned, axis=1).T
    for number, cut in (
        (1, [(a, ab, c), (ab, b, c)]),
        (2, [(ab, b, bc), (a, ab, bc), (a, bc, c)]),
        (3, [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]),
    ):
        rows = count == number
        parts += [np.stack(corners, axis=1)[rows] for corners in cut]
    return np.vstack(parts).astype(np.int32)
