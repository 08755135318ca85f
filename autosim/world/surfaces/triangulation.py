"""Triangulates a partition: one constrained Delaunay triangulation of all its borders at once.

Every border is an edge of that one triangulation, so neighbouring surfaces share their edges by
construction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pythoncdt as cdt
import shapely
from scipy.spatial import cKDTree

from autosim.arrays import Bytes, Floats, Integers, Integers32
from autosim.world.geometry.extent import Box
from autosim.world.geometry.height_function import IsUneven
from autosim.world.geometry.meshes import Surface, distinct_edges
from autosim.world.surfaces.partition import NOTHING, Partition
from autosim.world.surfaces.seams import with_chains
from autosim.world.surfaces.slivers import without_slivers

_CLASSES = (
    Surface.CARRIAGEWAY,
    Surface.KERB,
    Surface.PAVEMENT,
    Surface.WATER,
    Surface.PARK,
    Surface.PAVING,
    Surface.SETT,
    Surface.ASPHALT,
    Surface.GRAVEL,
    NOTHING,
)
_LEAST_GAP = 0.4
"""Distance [m] from a border within which an extra point is left out: nearer ones make slivers."""

_GRID_CLEARANCE = 0.45
"""Distance between a grid point and the nearest border, as a share of the grid's spacing, below
which the point is left out: the triangles of a nearer one would be low."""

_ROW_SPACING = 0.866
"""Distance of the rows of a triangular grid as a share of its spacing: sin 60°, so that its
triangles are equilateral."""


@dataclass(frozen=True, slots=True)
class Density:
    """Spacing of the vertices of a level.

    Flat ground needs few triangles. Uneven ground takes a grid fine enough for the profiles of
    streets and for terrain that is sampled every 30 m.
    """

    edge: float = 16.0
    """Longest edge [m] of a border on flat ground."""

    near: float = 20.0
    """Spacing [m] of the grid near borders on flat ground."""

    far: float = 60.0
    """Spacing [m] of the grid far from borders on flat ground."""

    uneven_edge: float = 4.0
    """Longest edge [m] of a border on uneven ground: about the length of a car."""

    uneven_near: float = 8.0
    """Spacing [m] of the grid near borders on uneven ground."""

    uneven_far: float = 25.0
    """Spacing [m] of the grid far from borders on uneven ground: a little finer than the terrain's
    own grid of 30 m."""

    near_distance: float = 40.0
    """Distance [m] from a border up to which the finer grid is used."""


@dataclass(frozen=True, slots=True)
class FlatMesh:
    """Triangles in the plane: vertices (n, 2) [m], triangles (m, 3) int32, surfaces (m,) uint8."""

    vertices: Floats
    triangles: Integers32
    surfaces: Bytes


def triangulate(
    partition: Partition,
    *,
    density: Density,
    is_uneven: IsUneven,
    rest: int,
    grid: Box | None = None,
    extra: Floats | None = None,
    chains: Sequence[Floats] = (),
) -> FlatMesh:
    """The triangles of a partition, counter-clockwise, each with its surface.

    Args:
        partition: the polygons.
        density: spacing of the vertices.
        is_uneven: tells where the level is uneven.
        rest: the surface of triangles in no polygon; `NOTHING` leaves them out.
        grid: the box to fill with inner points; None for borders alone.
        extra: (n, 2) further inner points; those too near a border are left out.
        chains: (n, 2) the vertices of each side on which the level continues in another block.
    """
    corners, edges = borders(partition)
    whole = edges[:0]
    if chains:
        corners, edges, whole = with_chains(corners, edges, chains)
    vertices, edges = _divided(corners, edges, density, is_uneven)
    edges = np.vstack([edges, whole])
    inner = [vertices]
    if extra is not None and len(extra):
        inner.append(_clear_of(vertices[edges], extra))
    if grid is not None:
        inner.append(_inner_points(grid, np.vstack(inner), density, is_uneven))
    points, triangles = _constrained_delaunay(np.vstack(inner), edges)
    surfaces = _classified(partition, points[triangles].mean(axis=1), rest)
    triangles = without_slivers(points, triangles, surfaces, edges)
    inside = surfaces != NOTHING
    return _without_unused(FlatMesh(points, triangles[inside], surfaces[inside]))


def _clear_of(edges: Floats, points: Floats) -> Floats:
    """The points (n, 2) that are not near any of the border edges (m, 2, 2)."""
    lines = np.asarray(shapely.linestrings(edges), dtype=object)
    near = shapely.STRtree(lines).query(
        shapely.points(points), predicate="dwithin", distance=_LEAST_GAP
    )
    is_clear = np.ones(len(points), dtype=np.bool_)
    is_clear[near[0]] = False
    return points[is_clear]


def _without_unused(mesh: FlatMesh) -> FlatMesh:
    used, renumbered = np.unique(mesh.triangles, return_inverse=True)
    triangles = renumbered.reshape(-1, 3).astype(np.int32)
    return FlatMesh(mesh.vertices[used], triangles, mesh.surfaces)


def borders(partition: Partition) -> tuple[Floats, Integers]:
    """The distinct vertices (n, 2) and distinct edges (m, 2) of all rings of a partition."""
    rings = shapely.get_rings(partition.polygons)
    coordinates, ring_of = shapely.get_coordinates(rings, return_index=True)
    # NumPy sorts complex numbers by x and then by y, many times faster than rows of an array.
    corners, index = np.unique(coordinates.view(np.complex128).reshape(-1), return_inverse=True)
    is_same_ring = ring_of[:-1] == ring_of[1:]
    edges = np.column_stack([index[:-1], index[1:]])[is_same_ring]
    return corners.view(np.float64).reshape(-1, 2), distinct_edges(edges)


def _divided(
    corners: Floats, edges: Integers, density: Density, is_uneven: IsUneven
) -> tuple[Floats, Integers]:
    """Splits long edges into equal parts."""
    spans = np.linalg.norm(corners[edges[:, 1]] - corners[edges[:, 0]], axis=1)
    longest = longest_edges(corners[edges], density, is_uneven)
    pieces = np.maximum(np.ceil(spans / longest).astype(np.int64), 1)
    of = np.repeat(np.arange(len(edges)), pieces)
    step = np.arange(len(of)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    share = (step / pieces[of])[:, None]
    start, end = corners[edges[of, 0]], corners[edges[of, 1]]
    is_new = step > 0
    numbers = np.where(is_new, len(corners) + np.cumsum(is_new) - 1, edges[of, 0])
    following = np.roll(numbers, -1)
    is_last = step == pieces[of] - 1
    following[is_last] = edges[of[is_last], 1]
    vertices = np.vstack([corners, (start + share * (end - start))[is_new]])
    return vertices, np.column_stack([numbers, following])


def longest_edges(ends: Floats, density: Density, is_uneven: IsUneven) -> Floats:
    """The greatest length (n,) [m] of border edges from `ends[:, 0]` to `ends[:, 1]`, (n, 2, 2)."""
    return np.where(is_uneven(ends.mean(axis=1)), density.uneven_edge, density.edge)


def _inner_points(window: Box, vertices: Floats, density: Density, is_uneven: IsUneven) -> Floats:
    """Grid points inside the surfaces: a finer grid near borders, and no point close to one."""
    distances = cKDTree(vertices)

    def level(points: Floats) -> Floats:
        return points[~is_uneven(points)]

    def uneven(points: Floats) -> Floats:
        return points[is_uneven(points)]

    parts = []
    for near, far, chosen in (
        (density.near, density.far, level),
        (density.uneven_near, density.uneven_far, uneven),
    ):
        grids = chosen(_grid(window, near)), chosen(_grid(window, far))
        parts.append(_graded(*grids, spacing=near, borders=distances, density=density))
    return np.vstack(parts)


def _graded(
    close: Floats, distant: Floats, *, spacing: float, borders: cKDTree, density: Density
) -> Floats:
    """Takes points near borders from a fine grid of `spacing` [m], the others from a coarse one."""
    to_close, _ = borders.query(close)
    to_distant, _ = borders.query(distant)
    is_close = (to_close > _GRID_CLEARANCE * spacing) & (to_close < density.near_distance)
    return np.vstack([close[is_close], distant[to_distant >= density.near_distance]])


def _grid(window: Box, spacing: float) -> Floats:
    """Points of a triangular grid strictly inside a box."""
    x_min, y_min, x_max, y_max = window
    rows = np.arange(y_min + spacing / 2.0, y_max - spacing / 4.0, spacing * _ROW_SPACING)
    columns = np.arange(x_min + spacing / 2.0, x_max - spacing * 0.75, spacing)
    x, y = np.meshgrid(columns, rows)
    x[1::2] += spacing / 2.0
    return np.column_stack([x.ravel(), y.ravel()])


def _constrained_delaunay(points: Floats, edges: Integers) -> tuple[Floats, Integers32]:
    triangulation = cdt.Triangulation(
        cdt.VertexInsertionOrder.AUTO, cdt.IntersectingConstraintEdges.TRY_RESOLVE, 0.0
    )
    triangulation.insert_vertices(np.ascontiguousarray(points, dtype=np.float64))
    triangulation.insert_edges(np.ascontiguousarray(edges, dtype=np.uint32))
    triangulation.erase_outer_triangles()
    vertices = triangulation.vertices_array()
    triangles = triangulation.triangles_array()["vertices"].astype(np.int32)
    return _structured_to_plain(vertices), triangles


def _structured_to_plain(vertices: npt.NDArray[np.void]) -> Floats:
    return np.column_stack([vertices["x"], vertices["y"]]).astype(np.float64)


def _classified(partition: Partition, centres: Floats, rest: int) -> Bytes:
    """`Surface` of each centre (n, 2), `rest` outside all polygons."""
    surfaces = np.full(len(centres), rest, dtype=np.uint8)
    is_open = np.ones(len(centres), dtype=bool)
    for surface in _CLASSES:
        shape = partition.shape(surface)
        shapely.prepare(shape)
        rows = np.flatnonzero(is_open)
        hits = rows[shapely.contains_xy(shape, centres[rows, 0], centres[rows, 1])]
        surfaces[hits] = surface
        is_open[hits] = False
    return surfaces
