"""Writes the network of a world as a file that SUMO reads (`.net.xml`).

The lanes have exactly the shapes that they have here, and each way through a junction the rules
that hold here: who gives way to whom, and the signals with their fixed times. So no netconvert is
needed, and vehicles in SUMO drive on the same lanes.

Source: SUMO's documentation, Networks/SUMO Road Networks.
"""

from collections.abc import Sequence
from math import inf, sqrt

import numpy as np
import shapely
from lxml import etree

from autosim import portable
from autosim.arrays import Floats
from autosim.traffic.demand.edges import from_kerb
from autosim.traffic.fleet import FLEET
from autosim.traffic.node import MOST_SIGNALS
from autosim.traffic.signals.plan import SignalPlan, make_plan
from autosim.traffic.sumo.network import Link, SumoNetwork, controller_name, sumo_network
from autosim.traffic.vehicles.lane_table import lane_table_of
from autosim.world.compiled.compiled import CompiledWorld
from autosim.world.lanes.roads import Lane
from autosim.world.lanes.traffic_arrays import Control, SignalState

_LATERAL = 2.4
"""Lateral acceleration [m/s²] in turns, that of the cars in `fleet`."""

_SLOWEST = 2.0
"""Speed [m/s] at which even the tightest turn is driven: that of `lane_table`."""

_SHORTEST = 0.1
"""Length [m] of the shortest lane that SUMO knows."""

_ACROSS = 0.5
"""Angle [rad] of a turn from which it has a direction: about 30°."""

_BACK = 2.6
"""Angle [rad] from which it leads back: about 150°."""


_LETTERS = {
    SignalState.OFF: "O",
    SignalState.RED: "r",
    SignalState.RED_AMBER: "u",
    SignalState.GREEN: "G",
    SignalState.AMBER: "y",
    SignalState.FLASHING: "o",
}
"""SUMO's letters for what signals show."""


def sumo_file(world: CompiledWorld) -> bytes:
    """The lanes and signals of a world as the text of a `.net.xml` file."""
    allowed = lane_table_of(world.roads, range(len(FLEET))).allowed
    plan = make_plan(world, most=MOST_SIGNALS)
    return write_network(world, sumo_network(world.roads, world.driving_side, plan, allowed))


def write_network(world: CompiledWorld, network: SumoNetwork, *, is_placed: bool = True) -> bytes:
    """The network as the text of a `.net.xml` file.

    Args:
        world: the place.
        network: its lanes in SUMO's words.
        is_placed: whether the file says where on earth it is.
    """
    root = etree.Element("net", version="1.20", junctionCornerDetail="5", limitTurnSpeed="-1")
    if network.side == "left":
        root.set("lefthand", "true")
    root.append(etree.Comment(f" {world.attribution} "))
    _write_place(root, world, is_placed)
    writer = _Writer(root, network)
    for name, links in network.junctions.items():
        writer.write_ways(name, links)
    for edge in range(len(network.edges)):
        writer.write_edge(edge)
    for number, links in network.links_of_controllers().items():
        write_program(root, network.plan, number, links)
    for name in dict.fromkeys(end for ends in network.ends for end in ends):
        writer.write_junction(name, network.junctions.get(name, ()))
    for links in network.junctions.values():
        writer.write_connections(links)
    text: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return text


def _write_place(root: etree._Element, world: CompiledWorld, is_placed: bool) -> None:
    latitude, longitude = world.origin
    projection = (
        f"+proj=tmerc +lat_0={latitude!r} +lon_0={longitude!r} +k=1 +x_0=0 +y_0=0 "
        "+datum=WGS84 +units=m +no_defs"
    )
    bounds = ",".join(_number(each) for each in world.bounds)
    _add(
        root,
        "location",
        netOffset="0.00,0.00",
        convBoundary=bounds,
        origBoundary=bounds,
        projParameter=projection if is_placed else "!",
    )


class _Writer:
    """Writes edges, junctions and connections."""

    def __init__(self, root: etree._Element, network: SumoNetwork) -> None:
        self._root, self._network = root, network
        self._lanes = network.roads.lanes
        self._waits, self._conflicts = _rules(network)
        self._incoming: dict[str, list[int]] = {}
        for edge, (_, end) in enumerate(network.ends):
            self._incoming.setdefault(end, []).append(edge)

    def write_edge(self, edge: int) -> None:
        network = self._network
        begin, end = network.ends[edge]
        lanes = network.lanes_of(edge)
        element = _add(
            self._root,
            "edge",
            id=network.edges[edge],
            **{"from": begin, "to": end},
            priority="-1",
            type=f"highway.{self._lanes[lanes[0]].highway}",
        )
        length = network.length_of(edge)
        for place, number in enumerate(lanes):
            lane = self._lanes[number]
            name, forbidden = network.lane_names[number], network.forbidden(number)
            line = _add_lane(element, name, place, lane, forbidden, length)
            stop = lane.stop_line
            if stop is not None and lane.length - stop > _SHORTEST:
                _add(line, "stopOffset", value=_number(lane.length - stop))

    def write_ways(self, name: str, links: Sequence[Link]) -> None:
        """The lanes within a junction, each on an edge of its own."""
        for place, link in enumerate(links):
            element = _add(self._root, "edge", id=f":{name}_{place}", function="internal")
            connector = link.connection.connector
            if connector is not None:
                lane = self._lanes[connector]
                speed = min(lane.speed_limit, turning_speed(lane))
                forbidden = self._network.forbidden(connector)
                _add_lane(element, link.way, 0, lane, forbidden, lane.length, speed)
            else:
                start, end = self._lanes[link.connection.start], self._lanes[link.connection.end]
                line = _least_line(start, end)
                length = float(portable.hypot(*(line[1] - line[0])[:2]))
                forbidden = self._network.forbidden(end.index)
                _add_shape(element, link.way, 0, end, line, forbidden, length, end.speed_limit)

    def write_junction(self, name: str, links: Sequence[Link]) -> None:
        network = self._network
        edges = self._incoming.get(name, [])
        incoming = [
            network.lane_names[lane]
            for edge in edges
            for lane in from_kerb(network.layout, edge, network.side)
        ]
        middle, shape = self._outline(name, links)
        element = _add(
            self._root,
            "junction",
            id=name,
            type=self._kind(links),
            x=_number(middle[0]),
            y=_number(middle[1]),
            z=_number(middle[2]),
            incLanes=" ".join(incoming),
            intLanes=" ".join(link.way for link in links),
            shape=shape,
        )
        ways = [_way_of(link) for link in links]
        for place in range(len(links)):
            waits, foes = "", ""
            for other_place in range(len(links) - 1, -1, -1):
                is_foe, is_first = self._meets(links, ways, place, other_place)
                foes += str(int(is_foe))
                waits += str(int(is_foe and is_first))
            _add(element, "request", index=place, response=waits, foes=foes, cont=0)

    def _kind(self, links: Sequence[Link]) -> str:
        if not links:
            return "dead_end"
        if any(link.group >= 0 for link in links):
            return "traffic_light"
        controls = {self._lanes[link.connection.start].control for link in links}
        return "allway_stop" if Control.ALL_WAY_STOP in controls else "priority"

    def _meets(
        self, links: Sequence[Link], ways: Sequence[int], place: int, other: int
    ) -> tuple[bool, bool]:
        """Whether two links of a junction are in each other's way, and whether the other is first.

        Without a rule, the one that comes first in the list goes first, as somebody has to.
        """
        own, theirs = links[place].connection, links[other].connection
        if place == other or own.start == theirs.start:
            return False, False
        pair = ways[place], ways[other]
        is_foe = own.end == theirs.end or pair in self._conflicts
        rule = self._waits.get(pair, 0)
        return is_foe, rule > 0 or (rule == 0 and other < place)

    def write_connections(self, links: Sequence[Link]) -> None:
        network, layout = self._network, self._network.layout
        for place, link in enumerate(links):
            start, end = link.connection.start, link.connection.end
            target = layout.owners[end]
            common = {"to": network.edges[target], "toLane": _place(network, end)}
            found = _add(
                self._root,
                "connection",
                **{"from": network.edges[layout.owners[start]]},
                fromLane=_place(network, start),
                **common,
                via=link.way,
            )
            if link.group >= 0:
                found.set("tl", controller_name(link.controller))
                found.set("linkIndex", str(link.place))
            direction = _direction(self._lanes, link)
            found.set("dir", direction)
            found.set("state", self._state(links, place))
            edge = link.way.rsplit("_", 1)[0]
            _add(
                self._root,
                "connection",
                **{"from": edge},
                fromLane=0,
                **common,
                dir=direction,
                state="M",
            )

    def _state(self, links: Sequence[Link], place: int) -> str:
        link = links[place]
        if link.group >= 0:
            return "o"
        control = self._lanes[link.connection.start].control
        if control is Control.ALL_WAY_STOP:
            return "w"
        if control is Control.STOP:
            return "s"
        ways = [_way_of(each) for each in links]
        met = (self._meets(links, ways, place, other) for other in range(len(links)))
        if not any(is_foe and is_first for is_foe, is_first in met):
            return "M"
        return "=" if control is Control.EQUAL else "m"

    def _outline(self, name: str, links: Sequence[Link]) -> tuple[Floats, str]:
        """The middle (3,) [m] of a junction, and the text of its shape."""
        network = self._network
        points, corners = [], []
        for edge, ends in enumerate(network.ends):
            for which, station in ((0, 0.0), (1, inf)):
                if ends[which] != name:
                    continue
                for number in network.layout.carriageways[edge].lanes:
                    lane = self._lanes[number]
                    at, half = min(station, lane.length), lane.width / 2.0
                    points.append(lane.position(at))
                    corners += [lane.position(at, half)[:2], lane.position(at, -half)[:2]]
        hull = shapely.convex_hull(shapely.multipoints(np.array(corners)))
        return np.mean(points, axis=0), _shape(shapely.get_coordinates(hull)) if links else ""


def _rules(network: SumoNetwork) -> tuple[dict[tuple[int, int], int], set[tuple[int, int]]]:
    """Of pairs of ways: 1 where the first waits for the second, -1 if not; all that conflict."""
    rules = network.roads.traffic
    waits: dict[tuple[int, int], int] = {}
    pairs = set()
    yields = rules.conflict_yields.tolist()
    for (first, second), which in zip(rules.conflict_lanes.tolist(), yields, strict=True):
        pairs |= {(first, second), (second, first)}
        if which >= 0:
            waits[first, second] = 1 if which == 0 else -1
            waits[second, first] = -waits[first, second]
    return waits, pairs


def _way_of(link: Link) -> int:
    return -1 if link.connection.connector is None else link.connection.connector


def _place(network: SumoNetwork, lane: int) -> str:
    return network.lane_names[lane].rsplit("_", 1)[1]


def _direction(lanes: Sequence[Lane], link: Link) -> str:
    connector = link.connection.connector
    turn = 0.0 if connector is None else lanes[connector].turn
    if abs(turn) < _ACROSS:
        return "s"
    if abs(turn) > _BACK:
        return "t"
    return "l" if turn > 0.0 else "r"


def turning_speed(lane: Lane) -> float:
    """How fast [m/s] vehicles drive on a connector for the sake of its bend."""
    turn = abs(lane.turn)
    return inf if turn < 0.1 else max(sqrt(_LATERAL * lane.length / turn), _SLOWEST)


def _least_line(start: Lane, end: Lane) -> Floats:
    """A line (2, 3) [m] of at least `_SHORTEST` from one lane to another that it touches."""
    first, last = start.position(start.length), end.position(0.0)
    if portable.hypot(*(last - first)[:2]) < _SHORTEST:
        first = last - (end.position(_SHORTEST) - last)
    return np.array([first, last])


def _add_lane(
    edge: etree._Element,
    name: str,
    place: int,
    lane: Lane,
    forbidden: str,
    length: float,
    speed: float | None = None,
) -> etree._Element:
    speed = lane.speed_limit if speed is None else speed
    return _add_shape(edge, name, place, lane, lane.centre_line, forbidden, length, speed)


def _add_shape(
    edge: etree._Element,
    name: str,
    place: int,
    lane: Lane,
    line: Floats,
    forbidden: str,
    length: float,
    speed: float,
) -> etree._Element:
    return _add(
        edge,
        "lane",
        id=name,
        index=place,
        disallow=forbidden,
        speed=_number(speed),
        length=_number(max(length, _SHORTEST)),
        width=_number(lane.width),
        shape=_shape(line),
    )


def write_program(
    root: etree._Element, plan: SignalPlan, number: int, links: Sequence[Link]
) -> None:
    """The fixed times of a controller: greens, amber, red for all, red and amber."""
    element = _add(
        root, "tlLogic", id=controller_name(number), type="static", programID="0", offset=0
    )
    phases = list(plan.phases_of(number))
    first = int(plan.phase_starts[number])
    for place, greens in enumerate(phases):
        following = phases[(place + 1) % len(phases)]
        ends = [group for group in greens if group not in following]
        seconds = float(plan.fixed_greens[first + place])
        amber = max((float(plan.ambers[group]) for group in ends), default=0.0)
        clear = max((float(plan.clearances[group]) for group in ends), default=0.0)
        stays = [group for group in greens if group in following]
        begins = [group for group in following if group not in greens]
        _phase(element, links, seconds, {SignalState.GREEN: greens})
        _phase(element, links, amber, {SignalState.GREEN: stays, SignalState.AMBER: ends})
        _phase(element, links, clear - plan.red_amber, {SignalState.GREEN: stays})
        _phase(
            element,
            links,
            plan.red_amber,
            {SignalState.GREEN: stays, SignalState.RED_AMBER: begins},
        )


def _phase(
    element: etree._Element,
    links: Sequence[Link],
    seconds: float,
    shown: dict[SignalState, Sequence[int]],
) -> None:
    if seconds <= 0.0:
        return
    states = {group: state for state, groups in shown.items() for group in groups}
    letters = (signal_letter(states.get(link.group, SignalState.RED), link) for link in links)
    _add(element, "phase", duration=_number(seconds), state="".join(letters))


def signal_letter(state: int, link: Link) -> str:
    """What SUMO calls a state of the signal of a link."""
    if state == SignalState.GREEN and link.waits:
        return "g"
    return _LETTERS[SignalState(state)]


def _shape(points: Floats) -> str:
    return " ".join(",".join(_number(each) for each in point) for point in points.tolist())


def _add(parent: etree._Element, tag: str, /, **attributes: object) -> etree._Element:
    return etree.SubElement(parent, tag, {key: str(value) for key, value in attributes.items()})


def _number(value: float) -> str:
    return f"{value:.3f}"
