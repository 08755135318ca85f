"""Builds a closed solid over a floor from the cross-section at each of its vertices.

Walls stand along the closed part of the floor's border, and a roof covers the roofed triangles.
"""

import itertools
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans, Floats, Integers32
from autosim.world.geometry.meshes import Mesh, Surface, boundary_edges
from autosim.world.structures.decks import WALL

Triangles = Integers32

_TINY = 1e-9
"""Length [m] or doubled area [m²] below which an edge or a triangle is degenerate."""

_LONGEST_MITRE = 1.5
"""Length of a mitre as a multiple of the wall's thickness; sharper corners are cut off there."""


@dataclass(frozen=True, slots=True)
class CrossSections:
    """A cross-section over each vertex of a floor, as heights (n,) [m] above it.

    Attributes:
        floor: the floor.
        inner_top: top of the walls' inner faces, and the ceiling where there is a roof.
        top: top of the walls, and the roof where there is one.
        bottom: underside of the slab, negative.
        is_roofed: (m,) which triangles of the floor have a ceiling and a roof over them.
    """

    floor: Mesh
    inner_top: Floats
    top: Floats
    bottom: Floats
    is_roofed: Booleans

    def solid(self, edges: Triangles, is_open: Booleans) -> Mesh:
        """The closed solid, with walls along the border edges that are not open."""
        side, opening = edges[~is_open], edges[is_open]
        vertices, columns = self._vertices(side)
        floor = self.floor.triangles
        roof = floor[self.is_roofed]
        eaves = boundary_edges(roof)
        concrete = [
            floor[:, ::-1] + columns.bottom,
            roof[:, ::-1] + columns.inner_top,
            roof + columns.top,
            *_walls(side, side[~_are_among(side, eaves)], columns),
            *_ends(opening, columns.bottom, 0),
            *_ends(eaves[~_are_among(eaves, side)], columns.inner_top, columns.top),
            *_end_caps(side, opening, columns),
        ]
        faces = np.vstack(concrete).astype(np.int32)
        faces = faces[_has_area(vertices, faces)]
        triangles = np.vstack([floor, faces]).astype(np.int32)
        rest = len(faces)
        surfaces = np.concatenate(
            [self.floor.surfaces, np.full(rest, Surface.CONCRETE, dtype=np.uint8)]
        )
        return Mesh(vertices, triangles, surfaces)

    def _vertices(self, side: Triangles) -> tuple[Floats, "_Columns"]:
        """Six copies of the floor's vertices: one for each corner of the cross-section."""
        base = self.floor.vertices
        outer = base.copy()
        outer[:, :2] += WALL * _corner_normals(base, side)
        rise = [
            (base, np.zeros(len(base))),
            (base, self.inner_top),
            (base, self.top),
            (outer, self.top),
            (outer, self.bottom),
            (base, self.bottom),
        ]
        return np.vstack([_raised(points, up) for points, up in rise]), _Columns(len(base))


@dataclass(frozen=True, slots=True)
class _Columns:
    """Offsets from a vertex of the floor to the corners of the cross-section over it."""

    count: int

    @property
    def inner_top(self) -> int:
        return self.count

    @property
    def top(self) -> int:
        return 2 * self.count

    @property
    def outer_top(self) -> int:
        return 3 * self.count

    @property
    def outer_bottom(self) -> int:
        return 4 * self.count

    @property
    def bottom(self) -> int:
        return 5 * self.count

    @property
    def ring(self) -> tuple[int, ...]:
        """The corners of a wall's cross-section in order, from the floor up and round."""
        return (0, self.inner_top, self.top, self.outer_top, self.outer_bottom, self.bottom)


def outward_normals(ends: Floats) -> Floats:
    """Unit vectors (n, 2) to the right of edges (n, 2, 3)."""
    ahead = ends[:, 1, :2] - ends[:, 0, :2]
    ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), _TINY)
    return np.column_stack([ahead[:, 1], -ahead[:, 0]])


def _raised(points: Floats, up: Floats) -> Floats:
    return np.column_stack([points[:, :2], points[:, 2] + up])


def _has_area(vertices: Floats, triangles: Triangles) -> Booleans:
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return np.asarray(areas > _TINY)


def _corner_normals(points: Floats, side: Triangles) -> Floats:
    """Outward vectors (n, 2) at each vertex, as long as a mitre of walls 1 m thick needs."""
    sums, counts = np.zeros((len(points), 2)), np.zeros(len(points))
    outward = outward_normals(points[side])
    for end in (0, 1):
        np.add.at(sums, side[:, end], outward)
        np.add.at(counts, side[:, end], 1.0)
    lengths = np.linalg.norm(sums, axis=1)
    mean = lengths / np.maximum(counts, 1.0)
    scale = np.minimum(1.0 / np.maximum(mean, 1e-6), _LONGEST_MITRE) / np.maximum(lengths, _TINY)
    return np.asarray(sums * scale[:, None])


def _are_among(edges: Triangles, others: Triangles) -> Booleans:
    """Mask of edges (n, 2) that are among others (m, 2)."""
    first, second = (each[:, 0].astype(np.int64) << 32 | each[:, 1] for each in (edges, others))
    return np.isin(first, second)


def _walls(side: Triangles, roofless: Triangles, columns: _Columns) -> list[Triangles]:
    """The faces of walls along edges, corner by corner of the cross-section.

    Only `roofless` edges get a face between the inner top and the top: elsewhere a roof is there.
    """
    return [
        face
        for low, high in itertools.pairwise(columns.ring)
        for edges in (roofless if (low, high) == (columns.inner_top, columns.top) else side,)
        for face in _quads(edges + low, edges + high)
    ]


def _ends(edges: Triangles, low: int, high: int) -> list[Triangles]:
    """Closes the end of a slab over edges, from its lower to its upper side."""
    return [face[:, ::-1] for face in _quads(edges + low, edges + high)]


def _quads(low: Triangles, high: Triangles) -> list[Triangles]:
    """Faces between edges (n, 2) and the same edges farther round the cross-section."""
    a, b, c, d = low[:, 0], low[:, 1], high[:, 1], high[:, 0]
    return [np.column_stack([a, c, b]), np.column_stack([a, d, c])]


def _end_caps(side: Triangles, opening: Triangles, columns: _Columns) -> list[Triangles]:
    """Closes the ends of walls where a closed border meets an opening."""
    ends = np.intersect1d(side[:, 1], opening[:, 0])
    starts = np.intersect1d(side[:, 0], opening[:, 1])
    ring = columns.ring
    hub, others = ring[3], [*ring[4:], *ring[:3]]
    fans = [(hub, first, second) for first, second in itertools.pairwise(others)]
    forward = [np.column_stack([ends + corner for corner in fan]) for fan in fans]
    backward = [np.column_stack([starts + corner for corner in fan[::-1]]) for fan in fans]
    return [*forward, *backward]
