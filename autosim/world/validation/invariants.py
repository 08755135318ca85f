"""Counts violations of the invariants of a compiled world; each count should be 0.

- `open_edges`: edges of only one triangle inside the world's bounds, cracks in the ground.
- `non_manifold_edges`: edges of more than two triangles.
- `road_slivers`: triangles of the carriageway lower than 1 cm.
- `downward_faces`: triangles of the ground that face down.
- `missed_rays`: points, of 20 000 random ones inside the bounds, without ground under them, except
  in the holes that tunnels need.
- `floating_buildings`: parts of buildings above the ground that nothing holds up (`standing`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Booleans, Floats, Integers32
from autosim.world.buildings.solid_support import unsupported_solids
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh, Surface, odd_edges
from autosim.world.surfaces.slivers import SLIVER_HEIGHT

Triangles = Integers32
Box = tuple[float, float, float, float]

_RAYS = 20_000
"""Number of random points: on 1 km² one for every 7 m by 7 m, in a tenth of a second."""

_BATCH = 200_000
"""Number of triangles handled at once: their corners take some megabytes."""

_AT_BORDER = 0.05
"""Distance [m] from the world's bounds within which an edge ends the world: cleaning moves it."""

_AT_RIM = 0.06
"""Distance [m] from a hole's border within which an edge is its rim: cleaning moves it by 5 cm."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One invariant's value, and the place (2,) or (3,) [m] in W where it is worst, if any.

    `cause` names the cause there as far as it is known.
    """

    name: str
    """Name of the invariant."""
    value: float
    place: Floats | None = None
    cause: str = ""


_NO_HOLES: BaseGeometry = shapely.MultiPolygon()


def measure(
    index: GroundIndex, bounds: Box, holes: BaseGeometry = _NO_HOLES
) -> tuple[Finding, ...]:
    """Measures the invariants of a world's ground; each has one place that violates it.

    Args:
        index: index of the ground.
        bounds: (x_min, y_min, x_max, y_max) [m].
        holes: where the ground is open for the mouths of tunnels.
    """
    ground = index.mesh
    edges, uses = odd_edges(ground.triangles)
    middles = ground.vertices[edges].mean(axis=1)
    is_open = (uses == 1) & ~_at_border(middles[:, :2], bounds)
    rows = np.flatnonzero(is_open)
    gaps = shapely.distance(shapely.points(middles[rows, :2]), holes.boundary)
    is_open[rows] = ~(gaps <= _AT_RIM)
    return (
        _counted("open_edges", middles[is_open]),
        _counted("non_manifold_edges", middles[uses > 2]),
        _counted("road_slivers", _slivers(ground)),
        _counted("downward_faces", _downward(ground)),
        _counted("missed_rays", _missed_rays(index, bounds, holes)),
    )


def floating_buildings(
    shapes: Sequence[BaseGeometry], spans: Floats, is_raised: Booleans
) -> Finding:
    """Counts parts of buildings that hang in the air; place and cause are of the largest.

    Args:
        shapes: (n) of all buildings in plan.
        spans: (n, 2) heights [m] of their undersides and tops in W.
        is_raised: (n,) whether they begin above the ground.
    """
    found = unsupported_solids(shapes, spans, is_raised)
    if not found:
        return Finding("floating_buildings", 0.0)
    largest = max(found, key=lambda number: shapes[number].area)
    place = shapely.get_coordinates(shapely.point_on_surface(shapes[largest]))[0]
    cause = f"{shapes[largest].area:.0f} m² of a building, with nothing under it"
    return Finding(
        "floating_buildings", float(len(found)), np.append(place, spans[largest, 0]), cause
    )


def _counted(name: str, places: Floats) -> Finding:
    return Finding(name, float(len(places)), places[0] if len(places) else None)


def _downward(mesh: Mesh) -> Floats:
    """Middles (n, 3) of the triangles that face down."""
    is_down = np.concatenate(
        [_doubled_areas(mesh.vertices, t) <= 0.0 for t in _batches(mesh.triangles)]
    )
    return np.asarray(mesh.vertices[mesh.triangles[is_down]].mean(axis=1))


def _batches(triangles: Triangles) -> list[Triangles]:
    """Triangles in batches: temporary arrays for all triangles of a country exceed memory."""
    return np.array_split(triangles, len(triangles) // _BATCH + 1)


def _at_border(points: Floats, bounds: Box) -> Booleans:
    low, high = np.array(bounds[:2]), np.array(bounds[2:])
    gaps = np.minimum(np.abs(points - low), np.abs(points - high))
    return np.asarray(gaps.min(axis=1) < _AT_BORDER)


def _doubled_areas(vertices: Floats, triangles: Triangles) -> Floats:
    a, b, c = (vertices[triangles[:, k], :2] for k in range(3))
    u, v = b - a, c - a
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]


def _slivers(mesh: Mesh) -> Floats:
    """Middles (n, 3) of the carriageway's slivers."""
    roads = mesh.triangles[mesh.surfaces == Surface.CARRIAGEWAY]
    is_sliver = np.concatenate([_are_slivers(mesh.vertices, each) for each in _batches(roads)])
    return np.asarray(mesh.vertices[roads[is_sliver]].mean(axis=1))


def _are_slivers(vertices: Floats, triangles: Triangles) -> Booleans:
    corners = vertices[triangles, :2]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    return np.asarray(np.abs(_doubled_areas(vertices, triangles)) / longest < SLIVER_HEIGHT)


def _missed_rays(index: GroundIndex, bounds: Box, holes: BaseGeometry) -> Floats:
    low, high = np.array(bounds[:2]) + _AT_BORDER, np.array(bounds[2:]) - _AT_BORDER
    points = np.random.default_rng(0).uniform(low, high, size=(_RAYS, 2))
    missed = points[index.triangles_at(points) < 0]
    return missed[~(shapely.distance(shapely.points(missed), holes) <= _AT_RIM)]
