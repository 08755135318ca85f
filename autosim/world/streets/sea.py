"""The sea. OSM has only its shore: a coastline with the land on its left."""

from collections.abc import Sequence

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.extent import Box
from autosim.world.osm.osm_data import OsmData
from autosim.world.osm.tags import Tags

_STEP_ASIDE = 0.05
"""Distance [m] to the right of a coast at which a point lies in the sea: nearer than any other
shore, and far beyond rounding."""

_SHORTEST = 0.5
"""Least length [m] of a piece of coast whose right side is trusted: shorter ones turn in
corners."""


def is_coast(tags: Tags) -> bool:
    """Whether a way is a coastline."""
    return tags.get("natural") == "coastline"


def find_sea(data: OsmData, points: Floats, box: Box) -> BaseGeometry:
    """The part of the box that is sea.

    A coastline that ends inside the box, as in an extract cut short, bounds no sea.

    Args:
        data: the map.
        points: (n, 2) places of the map's nodes in W [m].
        box: of the ground [m] in W.
    """
    ways = [way for way in data.ways if is_coast(way.tags) and len(way.refs) > 1]
    coast = [shapely.LineString(points[data.rows(way.refs)]) for way in ways]
    return _right_of(coast, shapely.box(*box))


def _right_of(coast: Sequence[BaseGeometry], window: shapely.Polygon) -> BaseGeometry:
    inside = overlays.intersection(overlays.union_all(list(coast)), window)
    if inside.is_empty:
        return shapely.Polygon()
    lines = overlays.union_all([inside, window.exterior])
    faces = shapely.get_parts(overlays.polygonize(shapely.get_parts(lines).tolist()))
    wet = _points_at_sea(coast)
    found = shapely.STRtree(faces).query(wet, predicate="intersects")[1]
    return overlays.union_all(faces[np.unique(found)])


def _points_at_sea(coast: Sequence[BaseGeometry]) -> "np.ndarray[tuple[int], np.dtype[np.object_]]":
    """Points a little to the right of the middle of each piece of coast."""
    points = []
    for line in coast:
        corners = shapely.get_coordinates(line)
        along = np.diff(corners, axis=0)
        lengths = np.linalg.norm(along, axis=1)
        long = lengths > _SHORTEST
        right = np.column_stack([along[:, 1], -along[:, 0]])[long] / lengths[long, None]
        points.append(0.5 * (corners[:-1] + corners[1:])[long] + _STEP_ASIDE * right)
    found = shapely.points(np.vstack(points))
    return np.asarray(found, dtype=object)
