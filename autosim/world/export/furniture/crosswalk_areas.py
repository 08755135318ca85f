"""Areas of crosswalks on the carriageway, from the lanes that lead over them."""

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from autosim.arrays import Floats
from autosim.world.export.furniture.mesh_outlines import ring_of, without_holes
from autosim.world.export.furniture.object_records import MapObject
from autosim.world.geometry import overlays
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.streets.crossings import LENGTH

_ONE_LEVEL = 2.0
"""Difference in height [m] of lanes from which on their crosswalks are apart."""

_CRACK = 0.1
"""Half the distance [m] of lanes over which a crosswalk continues."""


def crosswalk_objects(roads: RoadNetwork) -> list[MapObject]:
    """The crosswalks of a network: neighbouring and overlapping lanes share one."""
    lanes = roads.traffic.crossing_lanes.tolist()
    if not lanes:
        return []
    stations = roads.traffic.crossing_stations.tolist()
    found = [_of_lane(roads, lane, s) for lane, s in zip(lanes, stations, strict=True)]
    areas = np.array([shapely.Polygon(corners[:, :2]) for corners in found], dtype=object)
    heights = np.array([corners[:, 2].mean() for corners in found])
    wide = overlays.buffer(areas, _CRACK, quad_segs=1, join_style="mitre")
    first, second = shapely.STRtree(wide).query(wide, predicate="intersects")
    level = np.abs(heights[first] - heights[second]) < _ONE_LEVEL
    links = coo_array(
        (np.ones(int(level.sum())), (first[level], second[level])), shape=(len(areas),) * 2
    )
    count, labels = connected_components(links, directed=False)
    objects = []
    for label in range(count):
        rows = np.flatnonzero(labels == label)
        shape = overlays.buffer(
            overlays.union_all(wide[rows]), -_CRACK, quad_segs=1, join_style="mitre"
        )
        objects += [
            _object(polygon, float(heights[rows].mean()))
            for polygon in without_holes(overlays.simplify(shape, _CRACK / 2.0))
        ]
    return objects


def _of_lane(roads: RoadNetwork, number: int, s: float) -> Floats:
    """The corners (4, 3) of the part of a crosswalk on one lane."""
    lane = roads.lanes[number]
    before, after, half = s - LENGTH / 2.0, s + LENGTH / 2.0, lane.width / 2.0
    ends = ((before, -half), (after, -half), (after, half), (before, half))
    return np.array([lane.position(*end) for end in ends])


def _object(polygon: shapely.Polygon, height: float) -> MapObject:
    x, y = polygon.centroid.coords[0]
    ring = ring_of(polygon)
    west, south, east, north = polygon.bounds
    size = (east - west, north - south, 0.0)
    return MapObject("crosswalk", "pedestrian", "", (x, y, height), 0.0, size, outlines=(ring,))
