"""Finds the places on lanes at which buses stop."""

import numpy as np
from scipy.spatial import cKDTree

from autosim.arrays import Floats, Integers32
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.osm.osm_data import OsmData
from autosim.world.streets.bus_stop_tags import is_bus_stop

_FARTHEST = 9.0
"""Distance [m] from the middle of a lane up to which a stop belongs to it: half of the lane, a
cycle track and the pavement."""

_BUS = 13.0
"""Length [m] of a lane that a bus needs to stand on it."""

_BEFORE_JUNCTION = 12.0
"""Distance [m] of bus stops from the end of a lane, so that turning vehicles can pass."""

_APART = 20.0
"""Distance [m] of two stops on a lane below which they are one: its pole and its platform."""


def find_bus_stops(
    data: OsmData, points: Floats, network: RoadNetwork
) -> tuple[Integers32, Floats]:
    """The lanes (b,) of bus stops, and the stations (b,) [m] at which the fronts of buses stand.

    Args:
        data: the map.
        points: (n, 2) places of its nodes in W [m].
        network: the lanes.
    """
    nodes = [node for node in data.tagged_nodes if is_bus_stop(node.tags)]
    places = points[data.rows(tuple(node.id for node in nodes))].reshape(-1, 2)
    rows = np.flatnonzero(~network.connectors[network.lane_of_points()])
    found: dict[int, list[float]] = {}
    if len(places) and len(rows):
        _, nearest = cKDTree(network.points[rows, :2]).query(places)
        lanes = network.lane_of_points()[rows[nearest]].tolist()
        for place, number in sorted(zip(places.tolist(), lanes, strict=True)):
            lane = network.lanes[number]
            station, across = lane.local_coordinates(np.array(place))
            if abs(across) > _FARTHEST or lane.length < _BUS + _BEFORE_JUNCTION:
                continue
            station = min(max(station, _BUS), lane.length - _BEFORE_JUNCTION)
            others = found.setdefault(number, [])
            if all(abs(station - other) > _APART for other in others):
                others.append(station)
    pairs = [(lane, station) for lane in sorted(found) for station in sorted(found[lane])]
    return (
        np.array([lane for lane, _ in pairs], dtype=np.int32),
        np.array([station for _, station in pairs], dtype=np.float64),
    )
