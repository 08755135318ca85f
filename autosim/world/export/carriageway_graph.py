"""Bundles parallel lanes of one street and direction, and connects the bundles at junctions.

Other formats have roads with several lanes, where each lane of AutoSim has its own curve. Parallel
lanes become one carriageway; a lane without a parallel one becomes its own carriageway.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from autosim.world.lanes.roads import Lane, RoadNetwork

_SIDEWAYS = 0.3
"""Difference [m] of the distance of two lanes from their widths up to which they touch."""

_LENGTHWAYS = 1.5
"""Difference [m] of two lanes along the street up to which they begin and end together."""


@dataclass(frozen=True, slots=True)
class Carriageway:
    """Parallel lanes of one direction, by index, from left to right."""

    lanes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CarriagewayLink:
    """A way from the end of one carriageway's lane to the start of another's.

    `connector` is the lane through the junction, None where the two lanes touch. `junction` is the
    number of the junction.
    """

    start: int
    end: int
    connector: int | None
    junction: int


@dataclass(frozen=True, slots=True)
class CarriagewayGraph:
    """A network as carriageways and connections.

    `owners` (n,) is the carriageway of each lane, -1 for connectors that are `CarriagewayLink`s.
    """

    carriageways: tuple[Carriageway, ...]
    connections: tuple[CarriagewayLink, ...]
    owners: tuple[int, ...]


def build_carriageway_graph(roads: RoadNetwork) -> CarriagewayGraph:
    """The carriageways of a network and the connections between their lanes."""
    through = _plain_connectors(roads)
    carriageways = _carriageways(lane for lane in roads.lanes if lane.index not in through)
    owners = [-1] * len(roads.lanes)
    for number, carriageway in enumerate(carriageways):
        for lane in carriageway.lanes:
            owners[lane] = number
    pairs = [
        (lane.index, roads.lanes[k].successors[0] if k in through else k, through.get(k))
        for lane in roads.lanes
        if lane.index not in through
        for k in lane.successors
    ]
    junctions = _junctions([(owners[start], owners[end]) for start, end, _ in pairs])
    connections = tuple(
        CarriagewayLink(start, end, connector, junction)
        for (start, end, connector), junction in zip(pairs, junctions, strict=True)
    )
    return CarriagewayGraph(tuple(carriageways), connections, tuple(owners))


def _plain_connectors(roads: RoadNetwork) -> dict[int, int]:
    """Connectors from one ordinary lane to another, each under its own index."""
    before: dict[int, list[int]] = defaultdict(list)
    for lane in roads.lanes:
        for k in lane.successors:
            before[k].append(lane.index)
    return {
        lane.index: lane.index
        for lane in roads.lanes
        if lane.is_connector
        and len(lane.successors) == 1
        and len(before[lane.index]) == 1
        and not roads.connectors[[lane.successors[0], before[lane.index][0]]].any()
    }


def _carriageways(lanes: Iterable[Lane]) -> list[Carriageway]:
    streets: dict[int, list[Lane]] = defaultdict(list)
    for lane in lanes:
        streets[lane.road].append(lane)
    found = []
    for road in sorted(streets):
        rest = streets[road]
        while rest:
            bundle = _bundle(rest)
            found.append(Carriageway(tuple(lane.index for lane in bundle)))
            rest = [lane for lane in rest if lane not in bundle]
    return found


def _bundle(lanes: Sequence[Lane]) -> list[Lane]:
    """The lanes that lie side by side with the first one, from left to right."""
    first = lanes[0]
    along = [lane for lane in lanes if _leads_along(first, lane)]
    order = sorted(along, key=lambda lane: -_lateral(first, lane))
    at = order.index(first)
    low = high = at
    while low > 0 and _are_neighbours(order[low - 1], order[low]):
        low -= 1
    while high + 1 < len(order) and _are_neighbours(order[high], order[high + 1]):
        high += 1
    return order[low : high + 1]


def _leads_along(first: Lane, lane: Lane) -> bool:
    turn = lane.heading(lane.length / 2.0) - first.heading(first.length / 2.0)
    return first.is_connector == lane.is_connector and bool(np.cos(turn) > 0.0)


def _lateral(first: Lane, lane: Lane) -> float:
    return first.local_coordinates(lane.position(lane.length / 2.0))[1]


def _are_neighbours(left: Lane, right: Lane) -> bool:
    """Whether a lane touches another one along its whole length."""
    gap = (left.width + right.width) / 2.0
    for share in (0.0, 0.5, 1.0):
        s, t = left.local_coordinates(right.position(share * right.length))
        if abs(t + gap) > _SIDEWAYS or abs(s - share * left.length) > _LENGTHWAYS:
            return False
    return True


def _junctions(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Junction numbers of connections; connections that share an end of a carriageway share one."""
    parents: dict[tuple[int, bool], tuple[int, bool]] = {}

    def root(end: tuple[int, bool]) -> tuple[int, bool]:
        while parents.setdefault(end, end) != end:
            end = parents[end]
        return end

    for start, end in pairs:
        parents[root((start, True))] = root((end, False))
    numbers: dict[tuple[int, bool], int] = {}
    return [numbers.setdefault(root((start, True)), len(numbers)) for start, _ in pairs]
