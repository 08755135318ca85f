"""Polygons of a map: closed ways and multipolygon relations, in W."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.overlays import made_valid, polygons_of
from autosim.world.osm.osm_data import OsmData, OsmRelation, OsmWay
from autosim.world.osm.tags import Tags


@dataclass(frozen=True, slots=True)
class Area:
    """A polygon (or several) with the tags of its way or relation, valid, in W [m].

    `ground_at`: the place in W [m] on whose ground its heights are based; None for its own place.
    """

    id: int
    """Of the way or relation in OSM."""
    tags: Tags
    shape: BaseGeometry
    """The outline, with its holes."""
    ground_at: tuple[float, float] | None = None


def find_areas(data: OsmData, points: Floats, wanted: Callable[[Tags], bool]) -> list[Area]:
    """All areas with wanted tags. Rings that do not close make no area.

    Args:
        data: the map.
        points: (n, 2) places of the map's nodes in W [m].
        wanted: tells by its tags whether an area is wanted.
    """
    ways = {way.id: way for way in data.ways}
    rings = [
        way
        for way in data.ways
        if len(way.refs) > 3 and way.refs[0] == way.refs[-1] and wanted(way.tags)
    ]
    areas = [
        Area(way.id, way.tags, shape)
        for way, shape in zip(rings, _polygons(data, points, rings), strict=True)
        if shape.area > 0.0
    ]
    for relation in data.relations:
        if relation.tags.get("type") == "multipolygon" and wanted(relation.tags):
            shape = _multipolygon(data, points, ways, relation)
            if shape.area > 0.0:
                areas.append(Area(relation.id, relation.tags, shape))
    return areas


def _polygons(data: OsmData, points: Floats, rings: Sequence[OsmWay]) -> list[BaseGeometry]:
    """The polygon inside each ring, all at once: a country has many buildings."""
    rows = data.rows(tuple(ref for ring in rings for ref in ring.refs))
    of = np.repeat(np.arange(len(rings)), [len(ring.refs) for ring in rings])
    polygons = np.asarray(shapely.polygons(shapely.linearrings(points[rows], indices=of)))
    shapes = np.asarray(shapely.multipolygons(polygons, indices=np.arange(len(rings))))
    for row in np.flatnonzero(~shapely.is_valid(polygons)).tolist():
        shapes[row] = made_valid(polygons[row])
    return list(shapes)


def _coordinates(data: OsmData, points: Floats, way: OsmWay) -> Floats:
    return points[data.rows(way.refs)]


def _multipolygon(
    data: OsmData, points: Floats, ways: Mapping[int, OsmWay], relation: OsmRelation
) -> BaseGeometry:
    def lines(is_inner: bool) -> list[BaseGeometry]:
        return [
            shapely.LineString(_coordinates(data, points, ways[ref]))
            for kind, ref, role in relation.members
            if kind == "way"
            and ref in ways
            and len(ways[ref].refs) > 1
            and (role == "inner") == is_inner
        ]

    return polygons_of(made_valid(overlays.difference(_closed(lines(False)), _closed(lines(True)))))


def _closed(lines: Iterable[BaseGeometry]) -> BaseGeometry:
    """The polygons that lines enclose."""
    noded = overlays.union_all(list(lines))
    return overlays.union_all(shapely.get_parts(overlays.polygonize([noded])))


def is_water(tags: Tags) -> bool:
    """Whether an area is open water."""
    return (
        tags.get("natural") == "water"
        or tags.get("waterway") in ("riverbank", "dock")
        or tags.get("landuse") in ("reservoir", "basin")
    )


_GREEN_LANDUSE = frozenset(
    {"grass", "forest", "meadow", "recreation_ground", "village_green", "cemetery", "orchard"}
)
_GREEN_LEISURE = frozenset({"park", "garden", "pitch", "golf_course", "playground"})
_GREEN_NATURAL = frozenset({"wood", "scrub", "grassland", "heath"})


def is_green(tags: Tags) -> bool:
    """Whether an area is a park, grass or wood."""
    return (
        tags.get("leisure") in _GREEN_LEISURE
        or tags.get("landuse") in _GREEN_LANDUSE
        or tags.get("natural") in _GREEN_NATURAL
    )


def is_building(tags: Tags) -> bool:
    """Whether an area is a building, or a part of one, that stands on the ground or on parts."""
    kind = tags.get("building", tags.get("building:part"))
    if kind is None or kind in ("no", "roof", "carport"):
        return False
    layer = tags.get("layer", "0")
    return not layer.startswith("-") and tags.get("location") != "underground"
