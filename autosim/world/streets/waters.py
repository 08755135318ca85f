"""Open water on the ground, also where a map has only a part of its shore.

An extract is cut from a larger map. It holds only some of the ways around a bay or a broad river,
and their ring has gaps. Straight lines close a gap, from each end to the nearest one, if the gaps
are short and the ring encloses no streets.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.overlays import polygons_of
from autosim.world.osm.areas import find_areas, is_water
from autosim.world.osm.osm_data import OsmData, OsmRelation, OsmWay
from autosim.world.osm.tags import layer_of

_LARGEST_GAPS = 0.3
"""Largest ratio of the gaps to the known shore: with larger ones the ring is a guess."""

_MOST_STREETS = 0.1
"""Largest ratio of the streets inside a ring to its shore, both lengths. Chosen: a bridge or two
cross water; land is full of streets."""

_ASHORE = 3.0
"""Distance [m] from the shore within which a street does not count: quays run along it."""


def find_waters(data: OsmData, points: Floats) -> list[BaseGeometry]:
    """All open waters in plan.

    Args:
        data: the map.
        points: (n, 2) places of the map's nodes in W [m].
    """
    return [
        *(area.shape for area in find_areas(data, points, is_water)),
        *_cut_waters(data, points),
    ]


def _cut_waters(data: OsmData, points: Floats) -> list[BaseGeometry]:
    """The areas inside the shores of waters whose ring lacks ways."""
    ways = {way.id: way for way in data.ways}
    cut = [each for each in data.relations if _is_cut(each, ways)]
    if not cut:
        return []
    streets = shapely.STRtree(_streets(data, points))
    found: list[BaseGeometry] = []
    for relation in cut:
        shores = [
            shapely.LineString(points[data.rows(ways[ref].refs)])
            for kind, ref, role in relation.members
            if kind == "way" and ref in ways and role != "inner" and len(ways[ref].refs) > 1
        ]
        found += [each for each in _closed(shores) if _is_open_water(each, streets)]
    return found


def _is_cut(relation: OsmRelation, ways: Mapping[int, OsmWay]) -> bool:
    is_area = relation.tags.get("type") == "multipolygon" and is_water(relation.tags)
    return is_area and any(kind == "way" and ref not in ways for kind, ref, _ in relation.members)


def _streets(data: OsmData, points: Floats) -> list[BaseGeometry]:
    """The ways on the ground for traffic. Areas such as a jetty do not count: they may float."""
    return [
        shapely.LineString(points[data.rows(way.refs)])
        for way in data.ways
        if "highway" in way.tags and "area" not in way.tags
        if layer_of(way.tags) == 0 and len(way.refs) > 1
    ]


def _closed(shores: Sequence[BaseGeometry]) -> list[BaseGeometry]:
    """The polygons of shores with short gaps; closed rings are known already."""
    merged = shapely.get_parts(overlays.line_merge(overlays.union_all(list(shores))))
    chains = [shapely.get_coordinates(line) for line in merged if not shapely.is_closed(line)]
    found: list[BaseGeometry] = []
    while chains:
        ring, gaps = _ring(chains)
        length = float(np.linalg.norm(np.diff(ring, axis=0), axis=1).sum())
        if len(ring) > 2 and gaps < _LARGEST_GAPS * length:
            found.append(polygons_of(overlays.make_valid(shapely.Polygon(ring))))
    return found


def _ring(chains: list[Floats]) -> tuple[Floats, float]:
    """A ring of the first chain and those that follow, taken from `chains`; its gaps [m]."""
    ring, gaps = chains.pop(0), 0.0
    while True:
        tips = [ring[0], *(tip for chain in chains for tip in (chain[0], chain[-1]))]
        distances = np.linalg.norm(np.array(tips) - ring[-1], axis=1)
        nearest = int(np.argmin(distances))
        gaps += float(distances[nearest])
        if nearest == 0:
            return ring, gaps
        chain = chains.pop((nearest - 1) // 2)
        ring = np.vstack([ring, chain if nearest % 2 else chain[::-1]])


def _is_open_water(shape: BaseGeometry, streets: shapely.STRtree) -> bool:
    """Whether hardly any street lies inside: otherwise the shore encloses land."""
    within = overlays.buffer(shape, -_ASHORE)
    crossed = streets.geometries[streets.query(within, predicate="intersects")]
    on_it = float(shapely.length(overlays.intersection(crossed, within)).sum())
    return not within.is_empty and on_it < _MOST_STREETS * float(shapely.length(shape))
