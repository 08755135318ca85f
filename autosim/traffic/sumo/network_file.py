"""Writes the network of a world as a file that SUMO reads (`.net.xml`).

netconvert builds it from plain XML (see `plain_files`), so right of way and the places to wait
within junctions are SUMO's own. Foes that it misses are added (see `foes`).

Source: SUMO's documentation, Networks/SUMO Road Networks.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from lxml import etree

from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.sumo.crosswalks import add_crosswalks
from autosim.traffic.sumo.foes import (
    complete_foes,
    edges_in_the_way,
    requests_of_junctions,
)
from autosim.traffic.sumo.netconvert import build_network, processed_files
from autosim.traffic.sumo.plain_files import plain_files
from autosim.traffic.sumo.plain_xml import number
from autosim.traffic.sumo.sidewalks import add_sidewalks, sidewalk_widths
from autosim.traffic.sumo.sumo_network import SumoNetwork, sumo_network
from autosim.traffic.traffic_node import MOST_SIGNALS
from autosim.traffic.vehicle_kinds import FLEET
from autosim.traffic.vehicles.lanes.lane_table import lane_table_of
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.geometry.curves import length_of

_OPTIONS = {
    "no-turnarounds.except-deadend": "",
    "offset.disable-normalization": "",
    "precision": "3",
    "geometry.max-angle": "360",
    "geometry.min-radius": "0",
}
"""Options of netconvert: no additional connections, our coordinates, no warnings about the bends
of streets."""


_MIN_LENGTH = 8.0
"""Length [m] of the shortest edge, also where its shape is shorter: a queued car (7.5 m in SUMO)
and a margin. A vehicle that does not fit on an edge waits in the junction behind it and blocks it.
"""


_MIN_WAY = 0.1
"""Length [m] of the shortest way through a junction, as in netconvert's networks."""

_WIDE_RADIUS = 8.0
"""Radius [m] of the corners of junctions in which vehicles would pass through the place where
others wait with netconvert's 4 m."""

_ROUNDS = 3
"""Number of times that such places are moved: first all by the radius, then each by itself."""


def sumo_file(world: CompiledWorld) -> bytes:
    """The lanes and signals of a world as the text of a `.net.xml` file.

    Raises:
        SumoError: netconvert is not installed.
    """
    allowed = lane_table_of(world.roads, range(len(FLEET))).allowed
    plan = make_plan(world, most=MOST_SIGNALS)
    network = sumo_network(world.roads, world.driving_side, plan, allowed)
    sidewalks = sidewalk_widths(world, network)
    return network_text(build(network, is_exact=False, sidewalks=sidewalks), world)


def build(
    network: SumoNetwork, *, is_exact: bool, sidewalks: Mapping[int, float] | None = None
) -> etree._Element:
    """The `<net>` of a network, with its rules.

    Args:
        network: the network.
        is_exact: whether all lanes have exactly the shapes that they have in the world. Otherwise
            netconvert draws the junctions, and joins those that belong together.
        sidewalks: width [m] of the sidewalk of each carriageway that has one, if it is not exact.

    Raises:
        SumoError: netconvert is not installed.
    """
    options = dict(_OPTIONS)
    if network.side == "left":
        options["lefthand"] = ""
    files = plain_files(network, is_exact=is_exact)
    if not is_exact:
        options["tls.default-type"] = "actuated"
        # With sidewalks, netconvert would join other junctions.
        files = processed_files(files, {**options, "junctions.join": ""})
        options["walkingareas"] = ""
        add_sidewalks(network, files, sidewalks or {})
        add_crosswalks(network, files)
    root = build_network(files, options)
    for turn in range(0 if is_exact else _ROUNDS):
        in_the_way = edges_in_the_way(root)
        if in_the_way:
            _make_room(files, in_the_way, is_first=turn == 0)
            root = build_network(files, options)
    _lengthen_edges(root)
    if not is_exact:
        _measure_ways(root)
    complete_foes(root)
    waits = waits_of_signals(root)
    for program in root.iter("tlLogic"):
        own = waits.get(program.get("id", ""), {})
        for phase in program.iter("phase"):
            phase.set("state", minor_greens(phase.get("state", ""), own))
    return root


def _lengthen_edges(root: etree._Element) -> None:
    """Gives each edge the length [m] of a queued vehicle at least."""
    for edge in root.iter("edge"):
        if edge.get("function") is None:
            for lane in edge.iter("lane"):
                lane.set("length", f"{max(float(lane.get('length', '')), _MIN_LENGTH):.3f}")


def _measure_ways(root: etree._Element) -> None:
    """Gives each way through a junction the length [m] of its shape.

    netconvert writes the mean of all lanes of a way. SUMO's vehicles then misjudge where a way
    parts from another one, and touch the vehicle that has turned off before them.
    """
    for edge in root.iter("edge"):
        if edge.get("function") == "internal":
            for lane in edge.iter("lane"):
                points = [place.split(",")[:2] for place in lane.get("shape", "").split()]
                length = length_of(np.array(points, dtype=np.float64))
                lane.set("length", f"{max(length, _MIN_WAY):.3f}")


def _make_room(
    files: Sequence[etree._Element], in_the_way: Mapping[str, float], *, is_first: bool
) -> None:
    """Widens the junctions at which some edges end (`is_first`), or ends those edges earlier."""
    nodes, edges = files[:2]
    if is_first:
        ends = {each.get("to") for each in edges if each.get("id") in in_the_way}
        for node in nodes:
            if node.get("id") in ends:
                node.set("radius", number(_WIDE_RADIUS))
        return
    for edge in edges:
        distance = in_the_way.get(edge.get("id", ""))
        if distance is not None:
            edge.set("endOffset", number(float(edge.get("endOffset", "0")) + distance))


def network_text(root: etree._Element, world: CompiledWorld | None = None) -> bytes:
    """A `<net>` as the text of a file, which says where on earth it is if a world is given."""
    if world is not None:
        root.insert(0, etree.Comment(f" {world.attribution} "))
        latitude, longitude = world.origin
        location = root.find("location")
        if location is not None:
            location.set(
                "projParameter",
                f"+proj=tmerc +lat_0={latitude!r} +lon_0={longitude!r} +k=1 +x_0=0 +y_0=0 "
                "+datum=WGS84 +units=m +no_defs",
            )
    text: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return text


UNCONTROLLED = -1
"""Number that stands for the links of a junction without signals among those that go first."""

Waits = Mapping[int, Sequence[int]]
"""For each link of a controller, by its index, those to which it gives way under a green light."""


def waits_of_signals(root: etree._Element) -> dict[str, Waits]:
    """Right of way among the links of each controller, by the name of the controller."""
    found: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for requests, links in requests_of_junctions(root):
        for request in requests:
            link = links[int(request.get("index", ""))]
            controller = link.get("tl")
            if not controller:
                continue
            own = found[controller][int(link.get("linkIndex", ""))]
            for other, waits in zip(links, request.get("response", "")[::-1], strict=False):
                if waits == "1":
                    is_same = other.get("tl") == controller
                    own.add(int(other.get("linkIndex", "")) if is_same else UNCONTROLLED)
    return {
        name: {index: tuple(sorted(others)) for index, others in links.items()}
        for name, links in found.items()
    }


def minor_greens(state: str, waits: Waits) -> str:
    """A state of signals with `g` in place of `G` for links that have to give way in it."""
    letters = list(state)
    for index, letter in enumerate(state):
        if letter == "G" and any(
            other == UNCONTROLLED or state[other] in "Ggy" for other in waits.get(index, ())
        ):
            letters[index] = "g"
    return "".join(letters)
