"""Takes closed solids out of a mesh: the outline of each in plan, and its heights."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.meshes import Mesh, Surface

_TOLERANCE = 0.02
"""Distance [m] by which corners may leave an outline: finer than maps are drawn."""

_FLAT = 1e-6
"""Doubled area [m²] in plan up to which a triangle is upright."""

_SMALLEST = 0.005
"""Area [m²] of the smallest outline."""


@dataclass(frozen=True, slots=True)
class SolidOutline:
    """A solid of a mesh: the polygons of its plan without holes, and what it is made of.

    Attributes:
        polygons: in plan [m] in W.
        low: lowest height [m] in W.
        high: greatest height [m] in W.
        surface: that of its first triangle.
    """

    polygons: tuple[shapely.Polygon, ...]
    low: float
    high: float
    surface: Surface


def solid_outlines(mesh: Mesh) -> Iterator[SolidOutline]:
    """The solids of a mesh: triangles that share vertices are of one solid."""
    if not len(mesh.triangles):
        return
    a, b, c = mesh.triangles.T.astype(np.int64)
    pairs = np.concatenate([a, b]), np.concatenate([b, c])
    links = coo_array((np.ones(2 * len(a)), pairs), shape=(len(mesh.vertices),) * 2)
    _, labels = connected_components(links, directed=False)
    of = labels[a]
    order = np.argsort(of, kind="stable")
    starts = np.flatnonzero(np.diff(of[order], prepend=-1))
    corners = mesh.vertices[mesh.triangles]
    ahead, away = corners[:, 1, :2] - corners[:, 0, :2], corners[:, 2, :2] - corners[:, 0, :2]
    doubled = ahead[:, 0] * away[:, 1] - ahead[:, 1] * away[:, 0]
    for rows in np.split(order, starts[1:]):
        z = corners[rows, :, 2]
        upper = corners[rows[doubled[rows] > _FLAT]][:, :, :2]
        polygons = tuple(_polygons(upper))
        if polygons:
            surface = Surface(int(mesh.surfaces[rows[0]]))
            yield SolidOutline(polygons, float(z.min()), float(z.max()), surface)


def _polygons(triangles: Floats) -> Iterator[shapely.Polygon]:
    """The union of triangles (n, 3, 2) as polygons without holes."""
    if not len(triangles):
        return
    rings = np.concatenate([triangles, triangles[:, :1]], axis=1)
    shape = overlays.union_all(np.asarray(shapely.polygons(rings), dtype=object))
    yield from without_holes(overlays.simplify(shape, _TOLERANCE))


def without_holes(shape: BaseGeometry) -> Iterator[shapely.Polygon]:
    """The polygons of a shape, those with holes cut in two through each hole."""
    for part in overlays.polygons_of(shape).geoms:
        if part.area < _SMALLEST:
            continue
        if not part.interiors:
            yield part
            continue
        x = float(shapely.Polygon(part.interiors[0]).centroid.x)
        west, south, east, north = part.bounds
        for box in ((west, south, x, north), (x, south, east, north)):
            yield from without_holes(overlays.intersection(part, shapely.box(*box)))


def ring_of(polygon: shapely.Polygon) -> Floats:
    """The corners (n, 2) [m] of a polygon, counter-clockwise, each once."""
    ring = shapely.get_coordinates(polygon.exterior)[:-1, :2]
    return ring if polygon.exterior.is_ccw else ring[::-1]
