"""Writes the network of a world as a file that SUMO reads (`.net.xml`).

netconvert builds it from plain XML (see `plain_files`), so right of way and the places to wait
within junctions are SUMO's own. Foes that it misses are added (see `foes`).

Source: SUMO's documentation, Networks/SUMO Road Networks.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from lxml import etree

from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.sumo.foes import complete_foes, edges_in_the_way
from autosim.traffic.sumo.netconvert import build_network
from autosim.traffic.sumo.plain_files import number, plain_files
from autosim.traffic.sumo.sumo_network import SumoNetwork, sumo_network
from autosim.traffic.traffic_node import MOST_SIGNALS
from autosim.traffic.vehicle_kinds import FLEET
from autosim.traffic.vehicles.lanes.lane_table import lane_table_of
from autosim.world.compiled.compiled_world import CompiledWorld

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


_WIDE_RADIUS = 8.0
"""Radius [m] of the corners of junctions in which vehicles would pass through the place where
others wait with netconvert's 4 m."""


def sumo_file(world: CompiledWorld) -> bytes:
    """The lanes and signals of a world as the text of a `.net.xml` file.

    Raises:
        SumoError: netconvert is not installed.
    """
    allowed = lane_table_of(world.roads, range(len(FLEET))).allowed
    plan = make_plan(world, most=MOST_SIGNALS)
    network = sumo_network(world.roads, world.driving_side, plan, allowed)
    return network_text(build(network, is_exact=False), world)


def build(network: SumoNetwork, *, is_exact: bool) -> etree._Element:
    """The `<net>` of a network, with its rules.

    Args:
        network: the network.
        is_exact: whether all lanes have exactly the shapes that they have in the world. Otherwise
            netconvert draws the junctions, and joins those that belong together.

    Raises:
        SumoError: netconvert is not installed.
    """
    options = dict(_OPTIONS)
    if network.side == "left":
        options["lefthand"] = ""
    if not is_exact:
        options["junctions.join"] = ""
        options["tls.default-type"] = "actuated"
    files = plain_files(network, is_exact=is_exact)
    root = build_network(files, options)
    if not is_exact and _widen(files, edges_in_the_way(root)):
        root = build_network(files, options)
    for edge in root.iter("edge"):
        if edge.get("function") is None:
            for lane in edge.iter("lane"):
                lane.set("length", f"{max(float(lane.get('length', '')), _MIN_LENGTH):.3f}")
    complete_foes(root)
    waits = waits_of_signals(root)
    for program in root.iter("tlLogic"):
        own = waits.get(program.get("id", ""), {})
        for phase in program.iter("phase"):
            phase.set("state", minor_greens(phase.get("state", ""), own))
    return root


def _widen(files: Sequence[etree._Element], names: set[str]) -> bool:
    """Gives the junctions at which some edges end more room; whether there is any."""
    nodes, edges = files[:2]
    ends = {each.get("to") for each in edges if each.get("id") in names}
    for node in nodes:
        if node.get("id") in ends:
            node.set("radius", number(_WIDE_RADIUS))
    return bool(ends)


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
    starting: dict[str, list[etree._Element]] = defaultdict(list)
    for each in root.iter("connection"):
        starting[f"{each.get('from')}_{each.get('fromLane')}"].append(each)
    found: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for junction in root.iter("junction"):
        # Requests are in the order of the lanes into a junction, and of connections on each.
        links = [each for lane in junction.get("incLanes", "").split() for each in starting[lane]]
        for request in junction.iter("request"):
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
