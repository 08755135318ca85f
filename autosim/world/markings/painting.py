"""Paints all markings of a world as one mesh."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.markings.arrows import TurnLanes, arrow_patches, turn_lanes_of
from autosim.world.markings.bays import bay_patches
from autosim.world.markings.crossing_markings import crossing_patches
from autosim.world.markings.lines import lane_lines, line_patches
from autosim.world.markings.patches import Patches, laid
from autosim.world.markings.stop_lines import waiting_lines, waiting_patches
from autosim.world.markings.traits import centre_paint, traits_of
from autosim.world.osm.osm_data import OsmData
from autosim.world.streets.crossings import is_marked_crossing
from autosim.world.streets.street_finding import Street
from autosim.world.surfaces.parking_strips import BayRows
from autosim.world.traffic.street_crossings import find_crossings


def paint_markings(
    data: OsmData,
    points: Floats,
    *,
    streets: Sequence[Street],
    network: RoadNetwork,
    road: GroundIndex,
    origin: tuple[float, float],
    bays: BayRows,
) -> Mesh:
    """Makes the markings of a world, which are drawn and do not collide.

    Args:
        data: the map, whose tags state crossings, signals, signs and turn lanes.
        points: (n, 2) places of its nodes in W [m].
        streets: the streets that the network's `roads` number.
        network: the lanes.
        road: the ground, on which the paint lies.
        origin: latitude and longitude [deg], which decide the colour of centre lines.
        bays: those along streets.
    """
    if not len(network.roads):
        return laid(Patches.joined([]), road)
    traits = traits_of(streets, {way.id: way.tags for way in data.ways})
    nodes = [node for node in data.tagged_nodes if is_marked_crossing(node.tags)]
    crossings = find_crossings(
        points[data.rows(tuple(node.id for node in nodes))],
        [node.tags for node in nodes],
        streets=streets,
        network=network,
    )
    waiting = waiting_lines(network, traits)
    lines = lane_lines(network, traits, centre=centre_paint(origin))
    patches = Patches.joined(
        [
            line_patches(lines, network, road, crossings=crossings),
            waiting_patches(waiting, network),
            crossing_patches(crossings),
            arrow_patches(_turn_lanes(data, points), network),
            bay_patches(bays, traits, network),
        ]
    )
    return laid(patches, road)


def _turn_lanes(data: OsmData, points: Floats) -> list[TurnLanes]:
    return [
        turns
        for way in data.ways
        if "highway" in way.tags and any(key.startswith("turn:lanes") for key in way.tags)
        for line in [points[data.rows(way.refs)]]
        if len(line) > 1 and np.ptp(line, axis=0).max() > 0.0
        for turns in turn_lanes_of(line, way.tags)
    ]
