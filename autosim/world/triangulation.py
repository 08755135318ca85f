"""From the partition to triangles: one constrained Delaunay triangulation of all borders at once.

Because every border is an edge of the one triangulation, neighbouring surfaces share their edges
by construction.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pythoncdt as cdt
import shapely
from scipy.spatial import cKDTree

from autosim.world.compiled import Surface
from autosim.world.partition import Partition
from autosim.world.window import Box

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_CLASSES = (
    Surface.CARRIAGEWAY,
    Surface.KERB,
    Surface.PAVEMENT,
    Surface.WATER,
    Surface.PARK,
)


@dataclass(frozen=True, slots=True)
class Density:
    """How fine the ground is: longest border edge and grids near and far from streets [m]."""

    edge: float
    near: float
    far: float
    near_distance: float = 40.0


FLAT = Density(edge=16.0, near=20.0, far=60.0)
RELIEF = Density(edge=8.0, near=8.0, far=25.0)


@dataclass(frozen=True, slots=True)
class FlatMesh:
    """Triangles in the plane: vertices (n, 2) [m], triangles (m, 3) int32, surfaces (m,) uint8."""

    vertices: Floats
    triangles: npt.NDArray[np.int32]
    surfaces: npt.NDArray[np.uint8]


def triangulate(partition: Partition, window: Box, density: Density) -> FlatMesh:
    """The triangles of a partition, counter-clockwise, each with its surface."""
    corners, edges = _borders(partition)
    vertices, edges = _divided(corners, edges, density.edge)
    inner = _inner_points(window, vertices, density)
    points, triangles = _constrained_delaunay(np.vstack([vertices, inner]), edges)
    centres = points[triangles].mean(axis=1)
    return FlatMesh(points, triangles, _classified(partition, centres))


def _borders(partition: Partition) -> tuple[Floats, Integers]:
    """Distinct vertices (n, 2) and distinct edges (m, 2) of all rings."""
    rings = shapely.get_rings(partition.polygons)
    coordinates, ring_of = shapely.get_coordinates(rings, return_index=True)
    corners, index = np.unique(coordinates, axis=0, return_inverse=True)
    index = index.reshape(-1)
    is_same_ring = ring_of[:-1] == ring_of[1:]
    edges = np.column_stack([index[:-1], index[1:]])[is_same_ring]
    edges = np.unique(np.sort(edges, axis=1), axis=0)
    return corners, edges[edges[:, 0] != edges[:, 1]]


def _divided(corners: Floats, edges: Integers, longest: float) -> tuple[Floats, Integers]:
    """Splits edges longer than `longest` [m] into equal parts."""
    spans = np.linalg.norm(corners[edges[:, 1]] - corners[edges[:, 0]], axis=1)
    pieces = np.maximum(np.ceil(spans / longest).astype(np.int64), 1)
    of = np.repeat(np.arange(len(edges)), pieces)
    step = np.arange(len(of)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    share = (step / pieces[of])[:, None]
    start, end = corners[edges[of, 0]], corners[edges[of, 1]]
    is_new = step > 0
    numbers = np.where(is_new, len(corners) + np.cumsum(is_new) - 1, edges[of, 0])
    following = np.append(numbers[1:], 0)
    is_last = step == pieces[of] - 1
    following[is_last] = edges[of[is_last], 1]
    vertices = np.vstack([corners, (start + share * (end - start))[is_new]])
    return vertices, np.column_stack([numbers, following])


def _inner_points(window: Box, vertices: Floats, density: Density) -> Floats:
    """Grid points inside the surfaces, finer near borders, none close to one."""
    distances = cKDTree(vertices)
    near, far = _grid(window, density.near), _grid(window, density.far)
    to_near, _ = distances.query(near)
    to_far, _ = distances.query(far)
    lower = 0.45 * density.near
    return np.vstack(
        [
            near[(to_near > lower) & (to_near < density.near_distance)],
            far[to_far >= density.near_distance],
        ]
    )


def _grid(window: Box, spacing: float) -> Floats:
    """Points of a triangular grid strictly inside a box."""
    x_min, y_min, x_max, y_max = window
    rows = np.arange(y_min + spacing / 2.0, y_max - spacing / 4.0, spacing * 0.866)
    columns = np.arange(x_min + spacing / 2.0, x_max - spacing * 0.75, spacing)
    x, y = np.meshgrid(columns, rows)
    x[1::2] += spacing / 2.0
    return np.column_stack([x.ravel(), y.ravel()])


def _constrained_delaunay(points: Floats, edges: Integers) -> tuple[Floats, npt.NDArray[np.int32]]:
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


def _classified(partition: Partition, centres: Floats) -> npt.NDArray[np.uint8]:
    surfaces = np.full(len(centres), Surface.GROUND, dtype=np.uint8)
    is_open = np.ones(len(centres), dtype=bool)
    for surface in _CLASSES:
        shape = partition.shape(surface)
        shapely.prepare(shape)
        rows = np.flatnonzero(is_open)
        hits = rows[shapely.contains_xy(shape, centres[rows, 0], centres[rows, 1])]
        surfaces[hits] = surface
        is_open[hits] = False
    return surfaces
