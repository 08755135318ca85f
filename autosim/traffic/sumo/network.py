"""The lanes of a world under the names that they have in SUMO.

Parallel lanes of one direction are one edge of SUMO, and each way through a junction is an edge of
its own within it (see `autosim.world.export.carriageways`). Lanes count from the kerb.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans
from autosim.config.descriptions import DrivingSide
from autosim.traffic.demand.edges import from_kerb
from autosim.traffic.demand.street_names import edge_names
from autosim.traffic.fleet import FLEET
from autosim.traffic.signals.plan import SignalPlan
from autosim.world.export.carriageways import Connection, Layout, lay_out
from autosim.world.lanes.roads import RoadNetwork

SUMO_CLASSES: Mapping[str, str] = {
    "hatchback": "passenger",
    "saloon": "private",
    "estate": "hov",
    "van": "delivery",
    "lorry": "truck",
    "bus": "bus",
    "motorcycle": "motorcycle",
    "bicycle": "bicycle",
}
"""The class of vehicles that each kind has in SUMO: one each, as each has lanes of its own."""


@dataclass(frozen=True, slots=True)
class Link:
    """A way through a junction.

    Attributes:
        connection: the lanes that it connects.
        way: the name of its lane within the junction.
        controller: the number of the controller of its signals, -1 for none.
        place: its place among all links of that controller, -1 for none.
        group: the signal group that it obeys, -1 for none.
        waits: whether, under a green light, it lets others go first.
    """

    connection: Connection
    way: str
    controller: int
    place: int
    group: int
    waits: bool


@dataclass(frozen=True, slots=True)
class SumoNetwork:
    """A network in SUMO's words.

    Attributes:
        roads: the lanes.
        side: where traffic keeps.
        plan: of the signals.
        layout: the carriageways, which are edges, and the connections between them.
        edges: (carriageways,) the name of each.
        lane_names: (lanes,) the name of each lane, also of connectors.
        ends: (carriageways,) names of the junctions at which each begins and ends.
        junctions: the links of each junction, by its name, in SUMO's order.
        allowed: (kinds, lanes) where each kind of vehicle may drive.
    """

    roads: RoadNetwork
    side: DrivingSide
    plan: SignalPlan
    layout: Layout
    edges: tuple[str, ...]
    lane_names: tuple[str, ...]
    ends: tuple[tuple[str, str], ...]
    junctions: dict[str, tuple[Link, ...]]
    allowed: Booleans

    def forbidden(self, lane: int) -> str:
        """The classes of SUMO that a lane is too narrow or too bent for, or that it is not for."""
        off = [
            SUMO_CLASSES[kind.name]
            for kind, may in zip(FLEET, self.allowed[:, lane], strict=True)
            if not may
        ]
        return " ".join(["pedestrian", "rail", "tram", *off])

    def lanes_of(self, edge: int) -> tuple[int, ...]:
        """The lanes of a carriageway, from the kerb on."""
        return from_kerb(self.layout, edge, self.side)

    def length_of(self, edge: int) -> float:
        """Length [m] of a carriageway in SUMO: the mean of its lanes, as they have only one."""
        lanes = self.layout.carriageways[edge].lanes
        return sum(self.roads.lanes[lane].length for lane in lanes) / len(lanes)

    def edge_near(self, lane: int) -> int:
        """The carriageway of a lane; of a connector, the one into which it leads."""
        while self.layout.owners[lane] < 0:
            lane = self.roads.lanes[lane].successors[0]
        return self.layout.owners[lane]

    def links_of_controllers(self) -> dict[int, tuple[Link, ...]]:
        """The links that each controller of signals has, in its order."""
        found: dict[int, list[Link]] = defaultdict(list)
        for links in self.junctions.values():
            for link in links:
                if link.controller >= 0:
                    found[link.controller].append(link)
        return {
            number: tuple(sorted(links, key=lambda link: link.place))
            for number, links in sorted(found.items())
        }


def controller_name(number: int) -> str:
    """The name of a controller of signals in SUMO."""
    return f"signals{number}"


def sumo_network(
    roads: RoadNetwork, side: DrivingSide, plan: SignalPlan, allowed: Booleans
) -> SumoNetwork:
    """Names the lanes of a world, its junctions and its signals for SUMO.

    Args:
        roads: the lanes.
        side: where traffic keeps.
        plan: of the signals.
        allowed: (kinds, lanes) where each kind of vehicle may drive.
    """
    layout = lay_out(roads)
    edges = edge_names(roads, layout)
    names = [""] * len(roads.roads)
    for edge, name in enumerate(edges):
        for place, lane in enumerate(from_kerb(layout, edge, side)):
            names[lane] = f"{name}_{place}"
    junctions = _junctions(layout, plan, names, _waiting(roads))
    return SumoNetwork(
        roads=roads,
        side=side,
        plan=plan,
        layout=layout,
        edges=edges,
        lane_names=tuple(names),
        ends=_ends(layout),
        junctions=junctions,
        allowed=allowed,
    )


def _junction_name(number: int) -> str:
    return f"junction{number}"


def _ends(layout: Layout) -> tuple[tuple[str, str], ...]:
    """The junctions at the two ends of each carriageway; where there is none, a dead end."""
    ends = [[f"begin{edge}", f"end{edge}"] for edge in range(len(layout.carriageways))]
    for each in layout.connections:
        ends[layout.owners[each.start]][1] = _junction_name(each.junction)
        ends[layout.owners[each.end]][0] = _junction_name(each.junction)
    return tuple((first, last) for first, last in ends)


def _waiting(roads: RoadNetwork) -> frozenset[int]:
    """The connectors that let others go first by a rule."""
    rules = roads.traffic
    pairs, yields = rules.conflict_lanes, rules.conflict_yields
    rows = np.flatnonzero(yields >= 0)
    return frozenset(pairs[rows, yields[rows]].tolist())


def _junctions(
    layout: Layout, plan: SignalPlan, names: list[str], waiting: frozenset[int]
) -> dict[str, tuple[Link, ...]]:
    """The links of each junction in SUMO's order; writes the names of connectors."""
    at: dict[int, list[Connection]] = defaultdict(list)
    for each in layout.connections:
        at[each.junction].append(each)
    counts: dict[int, int] = defaultdict(int)
    found = {}
    for number, connections in sorted(at.items()):
        links = []
        for place, each in enumerate(_in_order(layout, connections, names)):
            way = f":{_junction_name(number)}_{place}_0"
            if each.connector is not None:
                names[each.connector] = way
            group = int(plan.lane_groups[each.start])
            controller = int(plan.controllers[group]) if group >= 0 else -1
            signal = counts[controller] if group >= 0 else -1
            waits = each.connector in waiting
            links.append(Link(each, way, controller, signal, group, waits))
            counts[controller] += 1
        found[_junction_name(number)] = tuple(links)
    return found


def _in_order(
    layout: Layout, connections: Sequence[Connection], names: Sequence[str]
) -> list[Connection]:
    """Connections from lane to lane, those of one edge together: the order of SUMO's requests."""
    return sorted(
        connections, key=lambda each: (layout.owners[each.start], names[each.start], each.end)
    )
