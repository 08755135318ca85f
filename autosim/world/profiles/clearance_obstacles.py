"""Obstacles: water and railways on the ground that bridges must clear."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from autosim.arrays import Floats, Integers
from autosim.world.geometry import overlays
from autosim.world.geometry.curves import resample
from autosim.world.osm.osm_data import OsmData
from autosim.world.osm.tags import layer_of
from autosim.world.profiles.design_standard import STANDARD
from autosim.world.streets.street_finding import Street
from autosim.world.streets.waters import find_waters

_SPACING = 8.0
"""Distance [m] between places on a bridge above water: that of the heights of its profile."""

_RAILWAYS = frozenset({"rail", "light_rail", "tram", "narrow_gauge", "subway"})
"""Values of `railway` whose trains a bridge must clear; a subway counts where it surfaces."""

_STREAMS = frozenset({"river", "canal", "stream"})
"""Values of `waterway` that a map has as a line."""


@dataclass(frozen=True, slots=True)
class Obstacles:
    """Places (n,) at `s` [m] of streets that must lie at least `height` [m] above the terrain."""

    street: Integers
    """Numbers of the streets."""
    s: Floats
    height: Floats


def find_obstacles(data: OsmData, points: Floats, streets: Sequence[Street]) -> Obstacles:
    """Places of bridges above water and railways on the ground.

    Args:
        data: the map.
        points: (n, 2) places of the map's nodes in W [m].
        streets: those of the map.
    """
    bridges = [k for k, street in enumerate(streets) if street.layer > 0]
    shapes, heights = _things_below(data, points) if bridges else ([], [])
    rows: list[tuple[int, float, float]] = []
    tree = shapely.STRtree(shapes)
    for bridge in bridges:
        line = shapely.LineString(streets[bridge].points)
        for thing in tree.query(line, predicate="intersects").tolist():
            shared = shapely.get_coordinates(overlays.intersection(line, shapes[thing]))
            places = shapely.points(resample(shared, _SPACING) if len(shared) > 1 else shared)
            for s in np.atleast_1d(shapely.line_locate_point(line, places)):
                rows.append((bridge, float(s), heights[thing]))
    table = np.array(sorted(rows), dtype=np.float64).reshape(-1, 3)
    return Obstacles(table[:, 0].astype(np.int64), table[:, 1], table[:, 2])


def _things_below(data: OsmData, points: Floats) -> tuple[list[shapely.Geometry], list[float]]:
    shapes: list[shapely.Geometry] = list(find_waters(data, points))
    heights = [STANDARD.over_water] * len(shapes)
    for way in data.ways:
        is_railway = way.tags.get("railway") in _RAILWAYS
        is_stream = way.tags.get("waterway") in _STREAMS
        if (is_railway or is_stream) and len(way.refs) > 1 and layer_of(way.tags) == 0:
            shapes.append(shapely.LineString(points[data.rows(way.refs)]))
            heights.append(STANDARD.over_railway if is_railway else STANDARD.over_water)
    return shapes, heights
