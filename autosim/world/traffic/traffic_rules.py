"""Finds the rules of traffic on a finished network of lanes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autosim.arrays import Bytes, Floats
from autosim.world.lanes.lane_drafts import LanePlan
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.osm.osm_data import OsmData
from autosim.world.streets.crossings import is_crossing
from autosim.world.streets.junction_rules import JunctionRules
from autosim.world.streets.street_ends import StreetNodes
from autosim.world.streets.street_finding import Street
from autosim.world.traffic.conflicts import Conflicts
from autosim.world.traffic.lane_bus_stops import find_bus_stops
from autosim.world.traffic.lane_controls import (
    Directions,
    crossings_on_lanes,
    find_controls,
    street_ranks,
)
from autosim.world.traffic.signs import find_signs
from autosim.world.traffic.street_crossings import find_crossings


def with_controls(
    network: RoadNetwork,
    data: OsmData,
    points: Floats,
    *,
    streets: Sequence[Street],
    plan: LanePlan,
    rules: JunctionRules,
) -> tuple[RoadNetwork, Bytes]:
    """The network with the rules of traffic on it, but for conflicts.

    Args:
        network: the lanes of the plan, in its order.
        data: the map.
        points: (n, 2) places of its nodes in W [m].
        streets: the streets that the network's `roads` number.
        plan: tells in which direction each lane leads along its street.
        rules: restrictions of the junctions.

    Returns:
        The network, and the `Control` (n,) of each lane at the junction at its end.
    """
    if not len(network.roads):
        return network, np.zeros(0, dtype=np.uint8)
    nodes = StreetNodes.of(streets)
    people = [node for node in data.tagged_nodes if is_crossing(node.tags)]
    crossings = find_crossings(
        points[data.rows(tuple(node.id for node in people))],
        [node.tags for node in people],
        streets=streets,
        network=network,
    )
    forward = np.array([draft.is_forward for draft in plan.drafts], dtype=np.bool_)
    controls = find_controls(
        network,
        Directions(network.roads.astype(np.int64), forward),
        ranks=street_ranks(streets, {way.id: way.tags for way in data.ways}),
        signs=find_signs(data, points, nodes),
        nodes=nodes,
        crossings=crossings,
    )
    crossing_lanes, crossing_stations = crossings_on_lanes(network, crossings)
    bus_stop_lanes, bus_stop_stations = find_bus_stops(data, points, network)
    paths = [*rules.restrictions.barred_paths, *plan.barred_paths]
    traffic = replace(
        network.traffic,
        controls=controls.kinds,
        stop_lines=controls.stations,
        crossing_lanes=crossing_lanes,
        crossing_stations=crossing_stations,
        bus_stop_lanes=bus_stop_lanes,
        bus_stop_stations=bus_stop_stations,
        barred_streets=np.array([street for path in paths for street in path], dtype=np.int32),
        barred_starts=np.cumsum([0, *(len(path) for path in paths)]).astype(np.int32),
    )
    return replace(network, traffic=traffic), controls.approaches


def with_conflicts(network: RoadNetwork, conflicts: Conflicts) -> RoadNetwork:
    """The network with the conflicts in its junctions."""
    traffic = replace(
        network.traffic,
        conflict_lanes=conflicts.lanes,
        conflict_spans=conflicts.spans,
        conflict_yields=conflicts.yields,
    )
    return replace(network, traffic=traffic)
