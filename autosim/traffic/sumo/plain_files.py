"""Writes a network as plain XML, from which netconvert builds it.

Edges have the lanes, widths, limits and connections that streets have here; netconvert adds what
follows from that: right of way, foes, places to wait within junctions. For SUMO as the engine,
lanes and ways through junctions also have exactly the shapes that they have here, and signals the
same programs. For other uses, edges lead to nodes, netconvert draws the junctions and times their
signals, and what is one junction for SUMO is joined before (see `joining`).

Source: SUMO's documentation, Networks/PlainXML.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import inf, sqrt

import numpy as np
import shapely
from lxml import etree

from autosim import portable
from autosim.arrays import Floats
from autosim.traffic.sumo.edges_to_nodes import lead_to_nodes
from autosim.traffic.sumo.joining import joined
from autosim.traffic.sumo.plain_xml import add, number, shape_text, without_doubles
from autosim.traffic.sumo.signal_programs import write_program
from autosim.traffic.sumo.sumo_network import SumoConnection, SumoNetwork, controller_name
from autosim.traffic.vehicles.lanes.lane_table import LATERAL, MIN_BEND_SPEED, speed_in_bend
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import Lane

_LATERAL_ACCELERATION = 2.4
"""Lateral acceleration [m/s²] at speed in turns, that of the cars in `fleet`."""

_MIN_STOP_OFFSET = 0.1
"""Distance [m] between a stop line and the end of its lane above which SUMO needs to know it."""

_PULL = 0.02
"""Weight of the distance from the end of an edge to the node to which it leads, where that across
the edge has the weight 1."""

_VISIBILITY = 30.0
"""Distance [m] before a junction from which drivers see who comes on the other streets, where SUMO
has 4.5 m: with that, they slow down to a walk even if the way is free."""

_NO_CHANGES = "authority"
"""Classes of vehicles that may change to a way through a junction beside which others part: cars
do not, since SUMO's do not see who drives there."""

_CLASSES = (
    "service",
    "living_street",
    "residential",
    "unclassified",
    "tertiary_link",
    "secondary_link",
    "primary_link",
    "trunk_link",
    "motorway_link",
    "tertiary",
    "secondary",
    "primary",
    "trunk",
    "motorway",
)
"""Streets from the least important to the most, as in SUMO's `osmNetconvert.typ.xml`."""

_FIRST = len(_CLASSES) + 1
"""Number by which the priority of an edge grows if its vehicles go first at its end."""


def plain_files(network: SumoNetwork, *, is_exact: bool) -> tuple[etree._Element, ...]:
    """The network as `<nodes>`, `<edges>` and `<connections>`, and `<tlLogics>` if it is exact.

    Args:
        network: the network.
        is_exact: whether all lanes have exactly the shapes that they have in the world, and signals
            the programs. Otherwise netconvert makes programs, as junctions are joined.
    """
    if is_exact:
        nodes, edges = _nodes(network, is_exact=True), _edges(network)
        return nodes, edges, _connections(network, is_exact=True), _signals(network)
    network = joined(network)
    nodes, edges = _nodes(network, is_exact=False), _edges(network)
    lead_to_nodes(network, nodes, edges)
    return nodes, edges, _connections(network, is_exact=False)


def _nodes(network: SumoNetwork, *, is_exact: bool) -> etree._Element:
    root = etree.Element("nodes")
    meeting: dict[str, list[tuple[int, float]]] = {}
    for edge, ends in enumerate(network.ends):
        if not network.edges[edge]:
            continue
        meeting.setdefault(ends[0], []).append((edge, 0.0))
        meeting.setdefault(ends[1], []).append((edge, inf))
        if len(network.edges[edge]) > 1:
            lane = network.roads.lanes[network.lanes_of(edge)[0]]
            _add_node(root, _loop_node(edge), "priority", lane.position(lane.length / 2.0))
    for name, edges in meeting.items():
        links = network.junctions.get(name, ())
        middle, shape = _outline(network, edges)
        if not is_exact and len(edges) > 1:
            middle = _meeting_point(network, edges, middle)
        node = _add_node(root, name, _type_of(network, links), middle)
        if links and is_exact:
            node.set("shape", shape)
        controllers = dict.fromkeys(link.controller for link in links if link.controller >= 0)
        if controllers and is_exact:
            node.set("tl", " ".join(controller_name(each) for each in controllers))
    return root


def _add_node(root: etree._Element, name: str, kind: str, point: Floats) -> etree._Element:
    x, y, z = (number(each) for each in point.tolist())
    return add(root, "node", id=name, type=kind, x=x, y=y, z=z)


def _type_of(network: SumoNetwork, links: Sequence[SumoConnection]) -> str:
    if not links:
        return "dead_end"
    if any(link.group >= 0 for link in links):
        return "traffic_light"
    controls = {network.roads.lanes[link.connection.start].control for link in links}
    # SUMO's vehicles collide in wide junctions where all stop.
    if Control.ALL_WAY_STOP in controls and not any(link.passed for link in links):
        return "allway_stop"
    if Control.STOP in controls:
        return "priority_stop"
    # "Right before left" is mirrored by netconvert where traffic keeps left.
    equals = "right_before_left" if network.side == "right" else "left_before_right"
    return equals if {Control.EQUAL, Control.ALL_WAY_STOP} & controls else "priority"


def _outline(network: SumoNetwork, edges: Iterable[tuple[int, float]]) -> tuple[Floats, str]:
    """The middle (3,) [m] of a junction, and the text of its shape."""
    points, corners = [], []
    for edge, station in edges:
        for index in network.layout.carriageways[edge].lanes:
            lane = network.roads.lanes[index]
            at, half = min(station, lane.length), lane.width / 2.0
            points.append(lane.position(at))
            corners += [lane.position(at, half)[:2], lane.position(at, -half)[:2]]
    hull = shapely.convex_hull(shapely.multipoints(np.array(corners)))
    return np.mean(points, axis=0), shape_text(shapely.get_coordinates(hull))


def _meeting_point(
    network: SumoNetwork, edges: Sequence[tuple[int, float]], middle: Floats
) -> Floats:
    """The point (3,) [m] to which edges lead straight on from where their lanes end.

    It has the least sum of squared distances from the lines of all edges, and a little of those
    from their ends, so that edges that lead straight into each other meet between their ends.
    """
    matrix, vector = np.zeros((2, 2)), np.zeros(2)
    farthest = 0.0
    for edge, station in edges:
        for index in network.layout.carriageways[edge].lanes:
            lane = network.roads.lanes[index]
            at = min(station, lane.length)
            place = lane.position(at)[:2] - middle[:2]
            s, c = portable.sin_cos(lane.heading(at))
            across = np.array([[s * s, -s * c], [-s * c, c * c]]) + _PULL * np.eye(2)
            matrix += across
            vector += across[:, 0] * place[0] + across[:, 1] * place[1]
            farthest = max(farthest, portable.length(place))
    a, b, c, d = matrix.ravel().tolist()
    x, y = vector.tolist()
    shift = np.array([d * x - b * y, a * y - c * x]) / (a * d - b * c)
    shift *= min(1.0, farthest / max(portable.length(shift), 1e-9))
    meeting: Floats = middle + np.append(shift, 0.0)
    return meeting


def _edges(network: SumoNetwork) -> etree._Element:
    root, minor = etree.Element("edges"), _minor_edges(network)
    for edge, names in enumerate(network.edges):
        if not names:
            continue
        begin, end = network.ends[edge]
        stops = [begin, *(_loop_node(edge) for _ in names[1:]), end]
        for part, name in enumerate(names):
            element = _add_edge(root, network, edge, part)
            element.attrib.update({"id": name, "from": stops[part], "to": stops[part + 1]})
            lane = network.roads.lanes[network.lanes_of(edge)[0]]
            element.set("priority", str(_priority(lane.highway, edge in minor)))
    return root


def _loop_node(edge: int) -> str:
    return f"loop{edge}"


def _add_edge(root: etree._Element, network: SumoNetwork, edge: int, part: int) -> etree._Element:
    """Adds a part of a carriageway with its lanes."""
    own = [network.roads.lanes[each] for each in network.lanes_of(edge)]
    count = len(network.edges[edge])
    length = network.length_of(edge) / count
    element = add(
        root,
        "edge",
        numLanes=len(own),
        type=f"highway.{own[0].highway}",
        spreadType="center",
        length=number(length),
        shape=shape_text(_part_of(own[len(own) // 2], part, count)),
    )
    for place, lane in enumerate(own):
        line = add(
            element,
            "lane",
            index=place,
            disallow=network.forbidden(lane.index),
            speed=number(lane.speed_limit),
            width=number(lane.width),
            shape=shape_text(_part_of(lane, part, count)),
        )
        stop = lane.stop_line
        if part == count - 1 and stop is not None and lane.length - stop > _MIN_STOP_OFFSET:
            add(line, "stopOffset", value=number(lane.length - stop))
    return element


def _part_of(lane: Lane, part: int, count: int) -> Floats:
    """The centre line (n, 3) [m] of one of several equal parts of a lane."""
    if count == 1:
        return lane.centre_line
    low, high = part * lane.length / count, (part + 1) * lane.length / count
    stations = lane.stations
    within = lane.centre_line[(stations > low) & (stations < high)]
    return np.vstack([lane.position(low), within, lane.position(high)])


def _priority(highway: str, is_minor: bool) -> int:
    """Priority at the end of an edge: without a sign first, then by class of street."""
    own = _CLASSES.index(highway) if highway in _CLASSES else 0
    return 1 + own + (0 if is_minor else _FIRST)


def _minor_edges(network: SumoNetwork) -> frozenset[int]:
    """The carriageways whose vehicles give way where they end, also on the straightest way."""
    rules, lanes = network.roads.traffic, network.roads.lanes
    decided = np.flatnonzero(rules.conflict_yields >= 0)
    waiting = set(rules.conflict_lanes[decided, rules.conflict_yields[decided]].tolist())
    straightest: dict[int, tuple[float, int]] = {}
    for each in network.layout.connections:
        if each.connector is not None:
            way = abs(lanes[each.connector].turn), each.connector
            edge = network.layout.owners[each.start]
            straightest[edge] = min(straightest.get(edge, way), way)
    return frozenset(edge for edge, (_, way) in straightest.items() if way in waiting)


def _connections(network: SumoNetwork, *, is_exact: bool) -> etree._Element:
    root = etree.Element("connections")
    going = set()
    for links in network.junctions.values():
        has_signals = any(link.group >= 0 for link in links)
        parting = _parting_lanes(network, links)
        for link in links:
            going.add(network.layout.owners[link.connection.start])
            element = add(root, "connection", **ends_of(network, link))
            _describe(element, network, link, is_exact=is_exact)
            if is_exact and has_signals and link.group < 0:
                element.set("uncontrolled", "true")
            if is_exact:
                element.set("visibility", number(_VISIBILITY))
            else:
                _forbid_changes(element, network, link, parting)
    for edge, names in enumerate(network.edges):
        for before, after in pairwise(names):
            for place in range(len(network.lanes_of(edge))):
                lanes = {"fromLane": place, "toLane": place}
                add(root, "connection", **{"from": before}, to=after, **lanes)
        # Otherwise netconvert finds ways for edges that have none, such as turning round at an end.
        # (It crashes when it joins a junction at which an edge ends that is to have none.)
        if is_exact and edge not in going:
            add(root, "connection", **{"from": names[-1]})
    return root


def _parting_lanes(network: SumoNetwork, links: Sequence[SumoConnection]) -> set[int]:
    """The lanes from which ways lead to several carriageways."""
    ends = {(link.connection.start, network.layout.owners[link.connection.end]) for link in links}
    counts = Counter(start for start, _ in ends)
    return {start for start, count in counts.items() if count > 1}


def _forbid_changes(
    element: etree._Element, network: SumoNetwork, link: SumoConnection, parting: set[int]
) -> None:
    """Forbids changes within a junction to ways beside which others part to another street."""
    start = link.connection.start
    lanes, place = network.lanes_of(network.layout.owners[start]), network.place_of(start)
    # "Right" is the lower index for SUMO, also where traffic keeps left.
    if place > 0 and lanes[place - 1] in parting:
        element.set("changeRight", _NO_CHANGES)
    if place + 1 < len(lanes) and lanes[place + 1] in parting:
        element.set("changeLeft", _NO_CHANGES)


def _signals(network: SumoNetwork) -> etree._Element:
    """The programs of all signals, and the connections that they control."""
    root = etree.Element("tlLogics")
    for controller, links in network.links_of_controllers().items():
        write_program(root, network.plan, controller, links)
    for links in network.junctions.values():
        for link in links:
            if link.group >= 0:
                name = controller_name(link.controller)
                add(root, "connection", **ends_of(network, link), tl=name, linkIndex=link.place)
    return root


def ends_of(network: SumoNetwork, link: SumoConnection) -> dict[str, str]:
    """The lanes that a link connects, as attributes of a connection."""
    connection, owners = link.connection, network.layout.owners
    return {
        "from": network.edges[owners[connection.start]][-1],
        "to": network.edges[owners[connection.end]][0],
        "fromLane": str(network.place_of(connection.start)),
        "toLane": str(network.place_of(connection.end)),
    }


def _describe(
    element: etree._Element, network: SumoNetwork, link: SumoConnection, *, is_exact: bool
) -> None:
    """Adds the shape, speed and classes of a link to its connection."""
    if not link.lanes:
        return
    element.set("disallow", network.forbidden(*link.lanes))
    if is_exact and link.connection.connector is not None:
        lane = network.roads.lanes[link.connection.connector]
        element.set("shape", shape_text(line_of(network, link)))
        element.set("speed", number(min(lane.speed_limit, turning_speed(lane))))


def line_of(network: SumoNetwork, link: SumoConnection) -> Floats:
    """The line (n, 3) [m] of a link, from the end of one lane to the beginning of the other."""
    lanes, connection = network.roads.lanes, link.connection
    between = () if connection.connector is None else (lanes[connection.connector].centre_line,)
    points = np.vstack(
        [
            lanes[connection.start].centre_line[-1:],
            *between,
            lanes[connection.end].centre_line[:1],
        ]
    )
    return without_doubles(points)


def turning_speed(lane: Lane) -> float:
    """Speed [m/s] at which vehicles drive on a connector because of its bend."""
    turn = abs(lane.turn)
    if turn < 0.1:
        return inf
    speed = float(speed_in_bend(np.array([turn / lane.length]))[0])
    return max(speed, MIN_BEND_SPEED) * sqrt(_LATERAL_ACCELERATION / LATERAL)
