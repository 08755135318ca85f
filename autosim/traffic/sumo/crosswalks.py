"""Adds the crosswalks of the world to the nodes of a network for SUMO.

SUMO's crosswalks are at nodes, from sidewalk to sidewalk, over both directions of a street. Where
the crosswalk of a world is far from junctions, the street is divided there.

Source: SUMO's documentation, Networks/PlainXML, "Pedestrian Crossings".
"""

from collections.abc import Sequence
from copy import deepcopy

import numpy as np
import shapely
import shapely.ops
from lxml import etree

from autosim.traffic.sumo.plain_xml import add, number, points_of, shape_text
from autosim.traffic.sumo.sidewalks import Crosswalk, crosswalks_of
from autosim.traffic.sumo.sumo_network import SumoNetwork

_WIDTH = 4.0
"""Width [m] of a crosswalk: that of the markings in most countries, and netconvert's."""

_NEAR = 15.0
"""Distance [m] up to which a crosswalk is at the junction at the end of its street: further off,
two cars wait between both."""


def add_crosswalks(network: SumoNetwork, files: Sequence[etree._Element]) -> None:
    """Adds the crosswalks of a world to `<connections>`, and their nodes and edges to the others.

    Args:
        network: the network.
        files: `<nodes>`, `<edges>` and `<connections>`, in which junctions are joined and edges
            have sidewalks.
    """
    _Crosswalks(network, files).add_all()


class _Crosswalks:
    """The streets of a network, which are divided at crosswalks.

    Args:
        network: the network.
        files: as for `add_crosswalks`.
    """

    def __init__(self, network: SumoNetwork, files: Sequence[etree._Element]) -> None:
        self._network = network
        self._nodes, self._edges, self._connections = files
        numbers = {name: edge for edge, names in enumerate(network.edges) for name in names}
        self._pieces: dict[int, list[etree._Element]] = {}
        self._streets: dict[int, list[int]] = {}
        for element in self._edges.iter("edge"):
            edge = numbers[element.get("id", "")]
            self._pieces.setdefault(edge, []).append(element)
        for edge, names in enumerate(network.edges):
            if edge in self._pieces:
                # In driving direction.
                self._pieces[edge].sort(key=lambda each, n=names: n.index(each.get("id", "")))  # type: ignore[misc]
                self._streets.setdefault(self._street_of(edge), []).append(edge)

    def add_all(self) -> None:
        """Adds all crosswalks."""
        # netconvert has removed the streets within junctions.
        crosswalks = [each for each in crosswalks_of(self._network) if each.edge in self._pieces]
        for crosswalk in crosswalks:
            self._place(crosswalk)
        # Now all streets are divided, and the edges have their last ends.
        crossed = {names: node for node, names in map(self._place, crosswalks)}
        for names, node in sorted(crossed.items()):
            edges = " ".join(names)
            add(self._connections, "crossing", node=node, edges=edges, width=_WIDTH, priority=1)

    def _street_of(self, edge: int) -> int:
        network = self._network
        return network.roads.lanes[network.lanes_of(edge)[0]].road

    def _place(self, crosswalk: Crosswalk) -> tuple[str, tuple[str, ...]]:
        """The node of a crosswalk, and the edges over which it leads."""
        pieces = self._pieces[crosswalk.edge]
        if crosswalk.length - crosswalk.station < _NEAR:
            return self._arm(pieces[-1], "to")
        if crosswalk.station < _NEAR:
            return self._arm(pieces[0], "from")
        lane = self._network.roads.lanes[self._network.lanes_of(crosswalk.edge)[0]]
        point = shapely.Point(lane.position(crosswalk.station)[:2])
        piece = min(pieces, key=lambda each: shapely.distance(_line_of(each), point))
        before, whole = _line_of(piece).project(point), _line_of(piece).length
        if min(before, whole - before) < _NEAR:
            return self._arm(piece, "from" if 2.0 * before < whole else "to")
        _, names = self._arm(piece, "to")
        node = f"crosswalk{len(self._nodes)}"
        x, y = number(point.x), number(point.y)
        add(self._nodes, "node", id=node, x=x, y=y, type="priority")
        for edge in self._streets[self._street_of(crosswalk.edge)]:
            for part in [each for each in self._pieces[edge] if each.get("id") in names]:
                self._divide(edge, part, node, point)
        return self._arm(piece, "to")

    def _arm(self, piece: etree._Element, end: str) -> tuple[str, tuple[str, ...]]:
        """The node at the end of an edge, and the edges of its street there in both directions."""
        ends = {piece.get("from"), piece.get("to")}
        street = self._street_of(
            next(edge for edge, pieces in self._pieces.items() if piece in pieces)
        )
        names = (
            each.get("id", "")
            for edge in self._streets[street]
            for each in self._pieces[edge]
            if {each.get("from"), each.get("to")} == ends
        )
        return piece.get(end, ""), tuple(sorted(names))

    def _divide(self, edge: int, piece: etree._Element, node: str, point: shapely.Point) -> None:
        """Divides an edge at a node; the second part has the position in its name, as in SUMO."""
        line, name = _line_of(piece), piece.get("id", "")
        at = min(max(line.project(point), 1.0), line.length - 1.0)
        second = deepcopy(piece)
        piece.set("to", node)
        second.set("from", node)
        second.set("id", f"{name}.{at:.0f}")
        for part, low, high in ((piece, 0.0, at), (second, at, line.length)):
            half = shapely.ops.substring(line, low, high)
            part.set("shape", shape_text(shapely.get_coordinates(half)))
        piece.addnext(second)
        pieces = self._pieces[edge]
        pieces.insert(pieces.index(piece) + 1, second)
        for each in self._connections.iter("connection"):
            if each.get("from") == name:
                each.set("from", second.get("id", ""))
        for lane in piece.iter("lane"):
            if lane.get("allow") != "pedestrian":
                ends = {"from": name, "to": second.get("id", "")}
                place = lane.get("index")
                add(self._connections, "connection", **ends, fromLane=place, toLane=place)


def _line_of(edge: etree._Element) -> shapely.LineString:
    return shapely.LineString(np.asarray(points_of(edge))[:, :2])
