"""The lanes of a world under the names that they have in SUMO.

Parallel lanes of one direction are one edge of SUMO (see `autosim.world.export.carriageway_graph`).
Lanes count from the kerb.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans
from autosim.config.descriptions import DrivingSide
from autosim.traffic.demand.edges import from_kerb
from autosim.traffic.demand.street_names import LOOP_ENDING, edge_names
from autosim.traffic.signals.signal_plan import SignalPlan
from autosim.traffic.vehicle_kinds import FLEET
from autosim.world.export.carriageway_graph import (
    CarriagewayGraph,
    CarriagewayLink,
    build_carriageway_graph,
)
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
"""The vehicle class of each kind in SUMO: one each, as each kind has its own permitted lanes."""

_MAX_INNER_DISTANCE = 40.0
"""Distance [m] behind a signal up to which another one of the same controller is an inner one: that
of two wide carriageways with a median."""


@dataclass(frozen=True, slots=True)
class SumoConnection:
    """A way through a junction, which is a connection of SUMO.

    Attributes:
        connection: the lanes that it connects.
        controller: number of the controller of its signals, -1 for none.
        place: its index among all links of that controller, -1 for none.
        group: the signal group that it obeys, -1 for none.
        passed: the lanes on the way, if it leads past short streets within the junction.
    """

    connection: CarriagewayLink
    controller: int = -1
    place: int = -1
    group: int = -1
    passed: tuple[int, ...] = ()

    @property
    def lanes(self) -> tuple[int, ...]:
        """The lanes between the two that it connects."""
        connector = self.connection.connector
        return self.passed or (() if connector is None else (connector,))


@dataclass(frozen=True, slots=True)
class SumoNetwork:
    """A network with the names that SUMO uses.

    Attributes:
        roads: the lanes.
        side: side on which traffic keeps.
        plan: of the signals.
        layout: the carriageways and the connections between them.
        edges: (carriageways,) the edges of each: one, or two where a street leads back to the
            junction at which it begins, as no edge of SUMO does.
        ends: (carriageways,) names of the junctions at which each begins and ends.
        junctions: the links of each junction, by its name.
        allowed: (kinds, lanes) where each kind of vehicle may drive.
    """

    roads: RoadNetwork
    side: DrivingSide
    plan: SignalPlan
    layout: CarriagewayGraph
    edges: tuple[tuple[str, ...], ...]
    ends: tuple[tuple[str, str], ...]
    junctions: dict[str, tuple[SumoConnection, ...]]
    allowed: Booleans

    def forbidden(self, *lanes: int) -> str:
        """The classes of SUMO that may not drive on some of the lanes."""
        permitted: Booleans = np.all(self.allowed[:, list(lanes)], axis=1)
        off = [
            SUMO_CLASSES[kind.name] for kind, may in zip(FLEET, permitted, strict=True) if not may
        ]
        return " ".join(["pedestrian", "rail", "tram", *off])

    def lanes_of(self, edge: int) -> tuple[int, ...]:
        """The lanes of a carriageway, from the kerb on."""
        return from_kerb(self.layout, edge, self.side)

    def length_of(self, edge: int) -> float:
        """Length [m] of a carriageway in SUMO: the mean of its lanes, as an edge has only one."""
        lanes = self.layout.carriageways[edge].lanes
        return sum(self.roads.lanes[lane].length for lane in lanes) / len(lanes)

    def place_of(self, lane: int) -> int:
        """The index of a lane on its edge, from the kerb on."""
        return self.lanes_of(self.layout.owners[lane]).index(lane)

    def edge_near(self, lane: int) -> int:
        """The carriageway of a lane; of a connector, the one into which it leads."""
        while self.layout.owners[lane] < 0:
            lane = self.roads.lanes[lane].successors[0]
        return self.layout.owners[lane]

    def links_of_controllers(self) -> dict[int, tuple[SumoConnection, ...]]:
        """The links that each controller of signals has, in the order of their places."""
        found: dict[int, list[SumoConnection]] = defaultdict(list)
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
        side: side on which traffic keeps.
        plan: of the signals.
        allowed: (kinds, lanes) where each kind of vehicle may drive.
    """
    layout = build_carriageway_graph(roads)
    ends = _ends(layout)
    names = edge_names(roads, layout)
    edges = (
        (name, f"{name}{LOOP_ENDING}") if first == last else (name,)
        for name, (first, last) in zip(names, ends, strict=True)
    )
    return SumoNetwork(
        roads=roads,
        side=side,
        plan=plan,
        layout=layout,
        edges=tuple(edges),
        ends=ends,
        junctions=_junctions(roads, layout, plan),
        allowed=allowed,
    )


def _junction_name(number: int) -> str:
    return f"junction{number}"


def _ends(layout: CarriagewayGraph) -> tuple[tuple[str, str], ...]:
    """The junctions at the two ends of each carriageway; where there is none, a dead end."""
    ends = [[f"begin{edge}", f"end{edge}"] for edge in range(len(layout.carriageways))]
    for each in layout.connections:
        ends[layout.owners[each.start]][1] = _junction_name(each.junction)
        ends[layout.owners[each.end]][0] = _junction_name(each.junction)
    return tuple((first, last) for first, last in ends)


def _junctions(
    roads: RoadNetwork, layout: CarriagewayGraph, plan: SignalPlan
) -> dict[str, tuple[SumoConnection, ...]]:
    """The links of each junction, with their signals."""
    at: dict[int, list[CarriagewayLink]] = defaultdict(list)
    for each in layout.connections:
        at[each.junction].append(each)
    inner = _inner_lanes(roads, plan)
    counts: dict[int, int] = defaultdict(int)
    found: dict[str, tuple[SumoConnection, ...]] = {}
    for number, connections in sorted(at.items()):
        links = [
            SumoConnection(each) for each in sorted(connections, key=lambda c: (c.start, c.end))
        ]
        groups = [
            -1 if link.connection.start in inner else int(plan.lane_groups[link.connection.start])
            for link in links
        ]
        # A junction of SUMO has one controller.
        controller = next((int(plan.controllers[group]) for group in groups if group >= 0), -1)
        for row, group in enumerate(groups):
            if group >= 0 and plan.controllers[group] == controller:
                links[row] = SumoConnection(
                    links[row].connection, controller, counts[controller], group
                )
                counts[controller] += 1
        found[_junction_name(number)] = tuple(links)
    return found


def _inner_lanes(roads: RoadNetwork, plan: SignalPlan) -> frozenset[int]:
    """The lanes between signals of one controller, as those between two carriageways.

    Vehicles of SUMO do not look past a signal, so they would wait there and block the junction
    behind them.
    """
    found = set()
    for first in (lane for lane, group in enumerate(plan.lane_groups.tolist()) if group >= 0):
        controller = plan.controllers[plan.lane_groups[first]]
        ways = [(each, 0.0) for each in roads.lanes[first].successors]
        seen = set()
        while ways:
            lane, distance = ways.pop()
            if lane in seen or lane == first or distance > _MAX_INNER_DISTANCE:
                continue
            seen.add(lane)
            group = int(plan.lane_groups[lane])
            if group >= 0:
                if plan.controllers[group] == controller:
                    found.add(lane)
                continue
            farther = distance + roads.lanes[lane].length
            ways += [(each, farther) for each in roads.lanes[lane].successors]
    return frozenset(found)
