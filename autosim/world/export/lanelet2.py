"""Writes the lanes of a world as a Lanelet2 file: lanelets with borders, rules and speed limits.

Lanelets that follow one another share the nodes at the ends of their borders, and neighbours share
a border, so that the routing graph of Lanelet2 has the successors and lane changes of the world.
Nodes have latitude and longitude, and their place in W as `local_x` and `local_y`.

Source: the tagging documents of Lanelet2 1.2.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from lxml import etree

from autosim import portable
from autosim.arrays import Floats
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.export.carriageway_graph import build_carriageway_graph
from autosim.world.export.lanelet_corners import Corner, LaneletCorners
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import Lane

_SUBTYPES = {"motorway": "highway", "motorway_link": "highway", "living_street": "play_street"}
"""Subtypes of lanelets by OSM's `highway`; others are `road`."""

_ABOVE = 5.0
"""Height [m] of lights above the road."""

_LINE = {"type": "line_thin", "subtype": "dashed"}
_EDGE = {"type": "road_border"}
_NONE = {"type": "virtual"}

Tags = Mapping[str, str]


def lanelet2(world: CompiledWorld) -> bytes:
    """Writes the lanes of a world as a Lanelet2 document."""
    text: bytes = etree.tostring(
        _Document(world).element(), encoding="UTF-8", xml_declaration=True, pretty_print=True
    )
    return text


class _Document:
    """The elements of a file while they are made; ids count from 1."""

    def __init__(self, world: CompiledWorld) -> None:
        self._lanes: Sequence[Lane] = list(world.roads.lanes)
        self._traffic = world.roads.traffic
        self._attribution = world.attribution
        self._projection = MapProjection(world.origin)
        self._last = 0
        self._points: list[Floats] = []
        self._nodes: list[int] = []
        self._ways: list[etree._Element] = []
        self._relations: list[etree._Element] = []
        self._lanelets: dict[int, etree._Element] = {}
        graph = build_carriageway_graph(world.roads)
        self._corners = LaneletCorners(world.roads, graph)
        self._at: dict[int, int] = {}
        self._borders: dict[tuple[int, int], int] = {}

    def element(self) -> etree._Element:
        """The whole document."""
        for lane in self._lanes:
            self._add_lanelet(lane)
        self._add_lights()
        self._add_rights_of_way()
        root = etree.Element("osm", version="0.6", generator="AutoSim")
        if self._attribution:
            root.append(etree.Comment(self._attribution.replace("--", "-")))
        root.extend(self._node_elements())
        root.extend(self._ways)
        root.extend(self._relations)
        return root

    def _next(self) -> int:
        self._last += 1
        return self._last

    def _node(self, point: Floats) -> int:
        self._points.append(point)
        self._nodes.append(self._next())
        return self._nodes[-1]

    def _corner(self, corner: Corner) -> int:
        """The node at the end of a border; ends that are one have one node."""
        place = self._corners.place_of(corner)
        if place not in self._at:
            self._at[place] = self._node(self._corners.points[place])
        return self._at[place]

    def _node_elements(self) -> list[etree._Element]:
        points = np.array(self._points).reshape(-1, 3)
        places = self._projection.to_geographic(points[:, :2])
        found = []
        for id_, point, place in zip(self._nodes, points.tolist(), places.tolist(), strict=True):
            node = etree.Element("node", id=str(id_), version="1", visible="true")
            node.attrib.update({"lat": f"{place[0]:.11f}", "lon": f"{place[1]:.11f}"})
            x, y, z = (f"{value:.6f}" for value in point)
            _tag(node, {"ele": z, "local_x": x, "local_y": y})
            found.append(node)
        return found

    def _way(self, nodes: Sequence[int], tags: Tags) -> int:
        way = etree.Element("way", id=str(self._next()), version="1", visible="true")
        for node in nodes:
            etree.SubElement(way, "nd", ref=str(node))
        _tag(way, tags)
        self._ways.append(way)
        return self._last

    def _relation(self, members: Sequence[tuple[str, int, str]], tags: Tags) -> etree._Element:
        relation = etree.Element("relation", id=str(self._next()), version="1", visible="true")
        for kind, ref, role in members:
            etree.SubElement(relation, "member", type=kind, ref=str(ref), role=role)
        _tag(relation, tags)
        self._relations.append(relation)
        return relation

    def _add_lanelet(self, lane: Lane) -> None:
        ways = [self._border(lane, side) for side in (1, -1)]
        limit = f"{lane.speed_limit * 3.6:.0f} km/h"
        tags = {
            "type": "lanelet",
            "subtype": _SUBTYPES.get(lane.highway, "road"),
            "location": "urban",
            "one_way": "yes",
            "speed_limit": limit,
        }
        if lane.is_connector:
            tags["turn_direction"] = _turn_of(lane)
        members = [("way", ways[0], "left"), ("way", ways[1], "right")]
        self._lanelets[lane.index] = self._relation(members, tags)

    def _border(self, lane: Lane, side: int) -> int:
        """The way of a border; that of a neighbour where both are one."""
        owner, owner_side = self._corners.owner_of(lane.index, side)
        known = self._borders.get((owner, owner_side))
        if known is not None:
            return known
        is_shared = self._corners.is_shared(owner, owner_side)
        tags = _NONE if lane.is_connector else _LINE if is_shared else _EDGE
        first, last = (Corner(owner, at_start, owner_side) for at_start in (True, False))
        inner = [self._node(point) for point in self._corners.border(owner, owner_side)[1:-1]]
        way = self._way([self._corner(first), *inner, self._corner(last)], tags)
        self._borders[owner, owner_side] = way
        return way

    def _add_lights(self) -> None:
        for lane in self._lanes:
            if lane.control is not Control.SIGNALS:
                continue
            stop = self._stop_line(lane)
            end = lane.position(lane.length)
            ends = (lane.position(lane.length, aside) for aside in (0.2, -0.2))
            light = [self._node(point + np.array([0.0, 0.0, _ABOVE])) for point in ends]
            tags = {"type": "traffic_light", "subtype": "red_yellow_green"}
            way = self._way(light, tags | {"height": f"{end[2] + _ABOVE:.2f}"})
            members = [("way", way, "refers"), ("way", stop, "ref_line")]
            self._refer(lane.index, members, "traffic_light")

    def _stop_line(self, lane: Lane) -> int:
        station = lane.stop_line if lane.stop_line is not None else lane.length
        half = lane.width / 2.0 - 0.1
        nodes = [self._node(lane.position(station, aside)) for aside in (half, -half)]
        return self._way(nodes, {"type": "stop_line"})

    def _add_rights_of_way(self) -> None:
        """The lanes that give way or stop, with the ways through the junction that go first."""
        waiting = (Control.GIVE_WAY, Control.STOP)
        first = self._going_first()
        for lane in self._lanes:
            others = sorted({k for each in lane.successors for k in first.get(each, ())})
            if lane.control not in waiting or not others:
                continue
            members = [("relation", self._id_of(k), "right_of_way") for k in others]
            members += [
                ("relation", self._id_of(lane.index), "yield"),
                ("way", self._stop_line(lane), "ref_line"),
            ]
            if lane.control is Control.STOP:
                beside = [lane.position(lane.length, -lane.width / 2.0 - k) for k in (0.8, 1.4)]
                nodes = [self._node(point) for point in beside]
                sign = self._way(nodes, {"type": "traffic_sign", "subtype": "de206"})
                members.append(("way", sign, "refers"))
            self._refer(lane.index, members, "right_of_way")

    def _going_first(self) -> dict[int, list[int]]:
        """The connectors that go before each connector."""
        found: dict[int, list[int]] = defaultdict(list)
        rules = self._traffic
        for pair, yields in zip(
            rules.conflict_lanes.tolist(), rules.conflict_yields.tolist(), strict=True
        ):
            if yields in (0, 1):
                found[pair[yields]].append(pair[1 - yields])
        return found

    def _id_of(self, lane: int) -> int:
        return int(self._lanelets[lane].get("id", "0"))

    def _refer(self, lane: int, members: Sequence[tuple[str, int, str]], subtype: str) -> None:
        """Adds a regulatory element, to which the lanelet refers."""
        rule = self._relation(members, {"type": "regulatory_element", "subtype": subtype})
        member = etree.Element("member", type="relation", ref=str(rule.get("id")))
        member.set("role", "regulatory_element")
        self._lanelets[lane].insert(2, member)


def _turn_of(lane: Lane) -> str:
    """Whether a connector leads straight on, to the left or to the right."""
    turn = float(portable.wrapped(lane.heading(lane.length) - lane.heading(0.0)))
    return "straight" if abs(turn) < np.radians(30.0) else "left" if turn > 0.0 else "right"


def _tag(element: etree._Element, tags: Tags) -> None:
    for key, value in tags.items():
        etree.SubElement(element, "tag", k=key, v=value)
