"""Sidewalks of the carriageways for SUMO, and the crosswalks between them.

SUMO's pedestrians walk on the first lane of an edge, and cross streets at nodes only.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from lxml import etree

from autosim.traffic.sumo.edges_to_nodes import reference_line
from autosim.traffic.sumo.plain_xml import number, points_of, shape_text, without_doubles
from autosim.traffic.sumo.sumo_network import SumoNetwork
from autosim.traffic.ways.network_builder import WalkableWorld
from autosim.traffic.ways.pavement_strips import MARGIN, find_strips
from autosim.world.compiled.compiled_world import CompiledWorld

_USUAL_WIDTH = 2.0
"""Width [m] of the sidewalk where the world has a crosswalk but no strip beside the street: that
which netconvert gives to sidewalks."""

_LEAST_SHARE = 0.5
"""Share of the length of a lane from which on a strip beside it is a sidewalk."""


_SPEED = 2.78
"""Highest speed [m/s] on sidewalks, as netconvert has it for footways of OpenStreetMap."""


@dataclass(frozen=True, slots=True)
class Crosswalk:
    """A crosswalk over a carriageway.

    Attributes:
        edge: the carriageway, -1 for none.
        station: arc length [m] on it.
        length: [m] of the carriageway.
    """

    edge: int
    station: float
    length: float


def sidewalk_widths(world: CompiledWorld, network: SumoNetwork) -> Mapping[int, float]:
    """The width [m] of the sidewalk of each carriageway: where people walk in the world.

    That is on pavements, and in towns on the verges of streets that have none.
    """
    kerb = -1 if network.side == "right" else 1
    owners, lanes = network.layout.owners, network.roads.lanes
    covered: dict[int, float] = {}
    widths: dict[int, float] = {}
    for strip in find_strips(world, WalkableWorld(world).ground):
        edge = owners[strip.lane]
        if strip.side != kerb or edge < 0 or network.lanes_of(edge)[0] != strip.lane:
            continue
        covered[edge] = covered.get(edge, 0.0) + float(strip.stations[-1] - strip.stations[0])
        widths[edge] = 2.0 * (strip.half_width + (MARGIN if strip.has_pavement else 0.0))
    found = {
        edge: width
        for edge, width in widths.items()
        if covered[edge] > _LEAST_SHARE * lanes[network.lanes_of(edge)[0]].length
    }
    for crosswalk in crosswalks_of(network):
        found.setdefault(crosswalk.edge, _USUAL_WIDTH)
    return dict(sorted(found.items()))


def crosswalks_of(network: SumoNetwork) -> Iterator[Crosswalk]:
    """The crosswalks of the world over carriageways.

    Those within junctions belong to the carriageway from which a connector comes, or to which it
    leads, whichever is nearer.
    """
    owners, rules, lengths = network.layout.owners, network.roads.traffic, network.roads.lengths()
    links = {
        each.connector: each for each in network.layout.connections if each.connector is not None
    }
    for lane, station in zip(
        rules.crossing_lanes.tolist(), rules.crossing_stations.tolist(), strict=True
    ):
        link = links.get(lane)
        if link is None:
            yield Crosswalk(owners[lane], station, float(lengths[lane]))
        elif station < lengths[lane] / 2.0:
            length = float(lengths[link.start])
            yield Crosswalk(owners[link.start], length, length)
        else:
            yield Crosswalk(owners[link.end], 0.0, float(lengths[link.end]))


def add_sidewalks(
    network: SumoNetwork, files: Sequence[etree._Element], widths: Mapping[int, float]
) -> None:
    """Adds a lane for pedestrians at the kerb of edges.

    Args:
        network: the network.
        files: `<nodes>`, `<edges>` and `<connections>`, in which junctions are joined.
        widths: [m] of the sidewalk of each carriageway that has one.
    """
    nodes, edges, connections = files
    places = {node.get("id"): f"{node.get('x')},{node.get('y')}" for node in nodes.iter("node")}
    numbers = {name: edge for edge, names in enumerate(network.edges) for name in names}
    for element in edges.iter("edge"):
        edge = numbers[element.get("id", "")]
        if not element.get("shape"):
            # netconvert leaves out the shape of edges straight from node to node.
            element.set("shape", f"{places[element.get('from')]} {places[element.get('to')]}")
        for place, lane in enumerate(element):
            # Otherwise it would end where it ended without sidewalks.
            lane.attrib.pop("shape", "")
            lane.set("index", str(place + (edge in widths)))
        if edge in widths:
            _widen(network, element, edge, widths[edge])
    for element in connections.iter("connection"):
        for end, index in (("from", "fromLane"), ("to", "toLane")):
            given = element.get(index)
            if given is not None and numbers[element.get(end, "")] in widths:
                element.set(index, str(int(given) + 1))


def _widen(network: SumoNetwork, element: etree._Element, edge: int, width: float) -> None:
    """Adds the first lane of an edge, and keeps the others where they are."""
    element.set("numLanes", str(int(element.get("numLanes", "")) + 1))
    for name in ("allow", "disallow"):
        element.attrib.pop(name, "")
    words = {"index": "0", "allow": "pedestrian", "speed": number(_SPEED), "width": number(width)}
    element.insert(0, etree.Element("lane", words))
    if element.get("spreadType") == "center":
        part = network.edges[edge].index(element.get("id", ""))
        old = reference_line(network, edge, part, is_border=False)[:, :2]
        line = reference_line(network, edge, part, is_border=False, sidewalk=width)[:, :2]
        shape = points_of(element)
        first, last = shape[0] + line[0] - old[0], shape[-1] + line[-1] - old[-1]
        element.set("shape", shape_text(without_doubles(np.vstack([first, line, last]))))
