"""Writes the lanes of a world as GeoJSON (RFC 7946): WGS 84, longitude first, heights in metres.

Each lane is a Feature with its centre line in driving direction. The world's bounds are a Polygon
whose ring runs counter-clockwise, as the right-hand rule of RFC 7946 demands.
"""

import json

import numpy as np

from autosim.arrays import Floats
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.lanes.roads import Lane, RoadNetwork
from autosim.world.streets.turn_lanes import turn_word

_DEGREE_DIGITS, _METRE_DIGITS = 8, 3
"""Number of decimal places of degrees and of metres: both keep a millimetre."""


def geojson(world: CompiledWorld) -> bytes:
    """The lanes of a world as a GeoJSON FeatureCollection.

    Properties of a lane: `lane` (its index), `highway`, `road`, `ways` (ids of OSM), `width_m`,
    `speed_limit_m_s`, `is_connector`, `successors` (indices), `length_m`, `friction` (relative to
    asphalt), `control` and `stop_line_m` (the control before the junction and the station where
    vehicles wait; null for none), `turns` (the turns at the lane's end, or of a connector its own),
    `gives_way_to` (the connectors that go first).
    """
    projection = MapProjection(world.origin)
    roads = world.roads
    places = projection.to_geographic(roads.points[:, :2])[:, ::-1].round(_DEGREE_DIGITS)
    points = np.column_stack([places, roads.points[:, 2].round(_METRE_DIGITS)])
    lines = np.split(points, roads.starts[1:-1])
    features = [_bounds(world, projection)]
    firsts = _firsts(roads)
    features += [
        _lane(lane, line, firsts.get(lane.index, []))
        for lane, line in zip(roads.lanes, lines, strict=False)
    ]
    collection = {
        "type": "FeatureCollection",
        "name": world.name,
        "attribution": world.attribution,
        "driving_side": world.driving_side,
        "features": features,
    }
    return json.dumps(collection, ensure_ascii=False).encode()


def _firsts(roads: RoadNetwork) -> dict[int, list[int]]:
    """For each connector that gives way, the connectors that go first."""
    found: dict[int, list[int]] = {}
    traffic = roads.traffic
    for pair, yields in zip(
        traffic.conflict_lanes.tolist(), traffic.conflict_yields.tolist(), strict=True
    ):
        if yields >= 0:
            found.setdefault(pair[yields], []).append(pair[1 - yields])
    return found


def _turns(lane: Lane) -> list[str]:
    """The turns of a lane from left to right, in the words of OSM's turn lanes."""
    lanes = lane.network.lanes
    through = [lane] if lane.is_connector else [lanes[k] for k in lane.successors]
    angles = sorted({round(each.turn, 2) for each in through if each.is_connector}, reverse=True)
    return list(dict.fromkeys(turn_word(angle) for angle in angles))


def _lane(lane: Lane, line: Floats, firsts: list[int]) -> dict[str, object]:
    return {
        "type": "Feature",
        "id": lane.index,
        "geometry": {"type": "LineString", "coordinates": line.tolist()},
        "properties": {
            "kind": "lane",
            "lane": lane.index,
            "highway": lane.highway,
            "road": lane.road,
            "ways": [way for way, _ in lane.ways],
            "width_m": round(lane.width, _METRE_DIGITS),
            "speed_limit_m_s": round(lane.speed_limit, _METRE_DIGITS),
            "is_connector": lane.is_connector,
            "successors": list(lane.successors),
            "length_m": round(lane.length, _METRE_DIGITS),
            "friction": lane.friction,
            "control": lane.control.name.lower() if lane.control else None,
            "stop_line_m": None if lane.stop_line is None else round(lane.stop_line, _METRE_DIGITS),
            "turns": _turns(lane),
            "gives_way_to": firsts,
        },
    }


def _bounds(world: CompiledWorld, projection: MapProjection) -> dict[str, object]:
    west, south, east, north = world.bounds
    ring = np.array([[west, south], [east, south], [east, north], [west, north], [west, south]])
    places = projection.to_geographic(ring)[:, ::-1].round(_DEGREE_DIGITS)
    return {
        "type": "Feature",
        "geometry": {"type": "Polygon", "coordinates": [places.tolist()]},
        "properties": {"kind": "bounds", "name": world.name},
    }
