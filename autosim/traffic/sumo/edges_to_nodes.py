"""Shapes of edges from node to node, between which netconvert draws the junctions."""

import numpy as np
from lxml import etree

from autosim.arrays import Floats
from autosim.traffic.sumo.plain_xml import shape_text, without_doubles
from autosim.traffic.sumo.sumo_network import SumoNetwork


def lead_to_nodes(network: SumoNetwork, nodes: etree._Element, edges: etree._Element) -> None:
    """Replaces the shapes of lanes: edges lead from node to node, and netconvert draws the rest."""
    places = {
        node.get("id", ""): np.array([float(node.get(axis, "")) for axis in "xyz"])
        for node in nodes
    }
    numbers = {name: edge for edge, names in enumerate(network.edges) for name in names}
    between = {(edge.get("from"), edge.get("to")) for edge in edges}
    for element in edges:
        edge = numbers[element.get("id", "")]
        names = network.edges[edge]
        has_opposite = (element.get("to"), element.get("from")) in between
        part = names.index(element.get("id", ""))
        line = reference_line(network, edge, part, is_border=has_opposite)
        ends = (places[element.get(each, "")] for each in ("from", "to"))
        element.set("shape", shape_text(without_doubles(np.vstack([next(ends), line, next(ends)]))))
        element.set("spreadType", "right" if has_opposite else "center")
        del element.attrib["length"]
        for lane in element:
            del lane.attrib["shape"]
            lane[:] = []


def reference_line(
    network: SumoNetwork, edge: int, part: int, *, is_border: bool, sidewalk: float = 0.0
) -> Floats:
    """The line (n, 3) [m] by which netconvert places the lanes of an edge.

    Args:
        network: the network.
        edge: the carriageway.
        part: which of its edges in SUMO.
        is_border: whether it is the border to oncoming traffic, else the middle of all lanes and
            the sidewalk.
        sidewalk: width [m] of the sidewalk at the kerb, 0 for none.
    """
    lanes = [network.roads.lanes[each] for each in network.lanes_of(edge)]
    count = len(network.edges[edge])
    total = sidewalk + sum(lane.width for lane in lanes)
    lane, left = lanes[-1], 1.0 if network.side == "right" else -1.0
    offset = left * (lane.width / 2.0 if is_border else (lane.width - total) / 2.0)
    low, high = part * lane.length / count, (part + 1) * lane.length / count
    between = lane.stations[(lane.stations > low) & (lane.stations < high)].tolist()
    return np.array([lane.position(station, offset) for station in (low, *between, high)])
