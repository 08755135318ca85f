"""Shelter from rain: roads under bridges, which stay dry when it wets all others.

A vertex is sheltered or not, and between two of them wetness goes over evenly; so a level has short
edges where those of a bridge are over it. All surfaces of a level are divided there in the same
way, and no crack opens between them.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from autosim.arrays import Booleans, Floats32, Integers32
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.material_kinds import WETTED
from autosim.client.materials.surface_meshes import face_normals, normalised
from autosim.client.materials.surfaces import Coat, Looks
from autosim.world.compiled.ceilings import Ceilings
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh
from autosim.world.geometry.renumbering import unique_rows

_Holds = Callable[[Floats32], Booleans]

_HEADROOM = 2.0
"""Least height [m] above a point of what shelters it: a deck, and not its kerb."""
_LONG = 1.5
"""Greatest length [m] of an edge with one wet and one dry end."""
_ROUNDS = 5
"""Number of rounds of halving: edges of up to 48 m come below `_LONG`, and
no triangle makes it endless."""


class Shelter:
    """Shelter of levels by the bridges and tunnels above them.

    Args:
        structures: those of a tile and a little around it.
        looks: of all surfaces.
    """

    def __init__(self, structures: Mesh, looks: Looks) -> None:
        self._looks = looks
        # Of the closed solids that they are, the highest over a place looks up.
        upward = face_normals(structures.vertices, structures.triangles)[:, 2] > 0.0
        tops = structures.select(upward)
        self._is_empty = not len(tops.triangles)
        if not self._is_empty:
            self._index = GroundIndex.build(tops)
            self._ceilings = Ceilings(self._index)

    def over(self, drawn: dict[Coat, DrawMesh]) -> dict[Coat, DrawMesh]:
        """The meshes of a level, those of roads with alpha 0 where they are sheltered."""
        if self._is_empty:
            return drawn
        return {surface: self._over(mesh, surface) for surface, mesh in drawn.items()}

    def _over(self, mesh: DrawMesh, surface: Coat) -> DrawMesh:
        divided, is_dry = _divided_at_edges(mesh, self._holds)
        if self._looks[surface].shader_kind not in WETTED or not is_dry.any():
            return divided
        colours = divided.colours.copy()
        colours[is_dry, 3] = 0
        return replace(divided, colours=colours)

    def _holds(self, points: Floats32) -> Booleans:
        """Whether each of n points (n, 3) [m] in W has something high enough above it."""
        places = points.astype(np.float64)
        least = places[:, 2] + _HEADROOM
        near = np.flatnonzero(self._ceilings.over(places) > least)
        rows, _, heights = self._index.hits(places[near])
        found = np.zeros(len(points), dtype=np.bool_)
        found[near[rows[heights > least[near[rows]]]]] = True
        return found


def _divided_at_edges(mesh: DrawMesh, sheltered: _Holds) -> tuple[DrawMesh, Booleans]:
    """The mesh with long edges halved, round by round, that lead into the shelter or through it.

    What a round leaves whole stays so, and the next one looks at what it has cut alone.

    Returns:
        The mesh, and which of its vertices (n,) are sheltered.
    """
    is_dry = sheltered(mesh.vertices)
    whole, rest = [], mesh.triangles
    for _ in range(_ROUNDS):
        edges = np.stack([rest, np.roll(rest, -1, axis=1)], axis=2).reshape(-1, 2)
        is_marked, is_middle_dry = _marked(mesh.vertices, edges, is_dry, sheltered)
        if not is_marked.any():
            break
        marked = np.sort(edges[is_marked], axis=1)
        first, number = unique_rows(marked)
        middles = np.full(len(edges), -1, dtype=np.int32)
        middles[is_marked] = len(mesh.vertices) + number
        is_dry = np.concatenate([is_dry, is_middle_dry[first]])
        mesh = _with_middles(mesh, marked[first])
        kept, rest = _cut(rest, middles.reshape(-1, 3))
        whole.append(kept)
    return replace(mesh, triangles=np.vstack([*whole, rest])), is_dry


def _marked(
    vertices: Floats32, edges: Integers32, is_dry: Booleans, sheltered: _Holds
) -> tuple[Booleans, Booleans]:
    """Long edges (k, 2) between wet and dry, and whether the middle of each is dry."""
    ends = vertices[edges]
    long = np.flatnonzero(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) > _LONG)
    is_middle_dry = sheltered(ends[long].mean(axis=1))
    first, last = is_dry[edges[long]].T
    goes_over = (first != last) | (first != is_middle_dry)
    is_marked = np.zeros(len(edges), dtype=np.bool_)
    is_marked[long[goes_over]] = True
    return is_marked, is_middle_dry[goes_over]


def _with_middles(mesh: DrawMesh, edges: Integers32) -> DrawMesh:
    """The mesh with a vertex more in the middle of each edge (k, 2)."""
    normals = normalised(mesh.normals[edges].astype(np.float64).mean(axis=1))
    return DrawMesh(
        np.vstack([mesh.vertices, mesh.vertices[edges].mean(axis=1)]),
        np.vstack([mesh.normals, normals.astype(np.float32)]),
        np.vstack([mesh.colours, mesh.colours[edges].mean(axis=1).round().astype(np.uint8)]),
        np.vstack([mesh.uvs, mesh.uvs[edges].mean(axis=1)]),
        mesh.triangles,
        np.vstack([mesh.labels, mesh.labels[edges[:, 0]]]) if len(mesh.labels) else mesh.labels,
    )


def _cut(triangles: Integers32, middles: Integers32) -> tuple[Integers32, Integers32]:
    """Triangles (m, 3) that stay whole, and the parts of those that are cut.

    middles: (m, 3) that of the edge after each corner, -1 where it is not cut.
    """
    count = (middles >= 0).sum(axis=1)
    parts = []
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
    return triangles[count == 0], np.vstack(parts)
