"""What must hold for every compiled world, counted; each count should be 0.

`open_edges`: edges of only one triangle inside the world's bounds, cracks in the ground.
`non_manifold_edges`: edges of more than two triangles. `road_slivers`: triangles of the
carriageway lower than 1 cm. `downward_faces`: triangles of the ground that face down.
`missed_rays`: of 20 000 random points inside the bounds, those with no ground under them outside
the holes that tunnels need.
"""

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.world.compiled import Mesh, Surface
from autosim.world.ground_index import GroundIndex
from autosim.world.meshes import odd_edges

Floats = npt.NDArray[np.float64]
Box = tuple[float, float, float, float]

SLIVER_HEIGHT = 0.01
_RAYS = 20_000
_AT_BORDER = 0.05
_AT_RIM = 0.06
_NO_HOLES: BaseGeometry = shapely.MultiPolygon()


def measure(
    index: GroundIndex, bounds: Box, holes: BaseGeometry = _NO_HOLES
) -> tuple[tuple[str, float], ...]:
    """The invariants of a world's ground as (name, count) pairs.

    Args:
        index: of the ground's sheet.
        bounds: (x_min, y_min, x_max, y_max) [m].
        holes: where the ground is open on purpose, for the mouths of tunnels.
    """
    ground = index.mesh
    edges, uses = odd_edges(ground.triangles)
    middles = ground.vertices[edges[uses == 1], :2].mean(axis=1)
    middles = middles[~_at_border(middles, bounds)]
    is_open = shapely.distance(shapely.points(middles), holes.boundary) > _AT_RIM
    return (
        ("open_edges", float(is_open.sum())),
        ("non_manifold_edges", float((uses > 2).sum())),
        ("road_slivers", float(_count_slivers(ground))),
        ("downward_faces", float((_doubled_areas(ground.vertices, ground.triangles) <= 0.0).sum())),
        ("missed_rays", float(_count_missed_rays(index, bounds, holes))),
    )


def _at_border(points: Floats, bounds: Box) -> npt.NDArray[np.bool_]:
    low, high = np.array(bounds[:2]), np.array(bounds[2:])
    gaps = np.minimum(np.abs(points - low), np.abs(points - high))
    return np.asarray(gaps.min(axis=1) < _AT_BORDER)


def _doubled_areas(vertices: Floats, triangles: npt.NDArray[np.int32]) -> Floats:
    a, b, c = (vertices[triangles[:, k], :2] for k in range(3))
    u, v = b - a, c - a
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]


def _count_slivers(mesh: Mesh) -> int:
    roads = mesh.triangles[mesh.surfaces == Surface.CARRIAGEWAY]
    corners = mesh.vertices[roads, :2]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    return int((np.abs(_doubled_areas(mesh.vertices, roads)) / longest < SLIVER_HEIGHT).sum())


def _count_missed_rays(index: GroundIndex, bounds: Box, holes: BaseGeometry) -> int:
    low, high = np.array(bounds[:2]) + _AT_BORDER, np.array(bounds[2:]) - _AT_BORDER
    points = np.random.default_rng(0).uniform(low, high, size=(_RAYS, 2))
    missed = points[index.triangles_at(points) < 0]
    if not len(missed):
        return 0
    return int((shapely.distance(shapely.points(missed), holes) > _AT_RIM).sum())
