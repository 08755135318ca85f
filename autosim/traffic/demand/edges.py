"""The streets of a world as edges: one for each direction, and which may follow.

Parallel lanes of one direction are one edge, as in SUMO.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from heapq import heappop, heappush

import numpy as np
from numpy.random import Generator

from autosim.config.descriptions import DrivingSide
from autosim.traffic.demand.street_names import StreetNames
from autosim.traffic.vehicles.lanes.lane_table import LaneTable
from autosim.world.export.carriageway_graph import CarriagewayGraph
from autosim.world.lanes.roads import RoadNetwork

_MOST_EDGES = 60
"""Number of edges of a way by chance at most: several kilometres in a town."""

_FORESEEN = 250.0
"""Distance [m] for which drivers choose their lane: that of signs before junctions in towns."""

_AGAIN = 0.02
"""Factor on the weight of edges that a route already contains, to avoid circles."""


def from_kerb(layout: CarriagewayGraph, edge: int, side: DrivingSide) -> tuple[int, ...]:
    """The lanes of an edge from the kerb on, as SUMO counts them."""
    lanes = layout.carriageways[edge].lanes
    return lanes if side == "left" else lanes[::-1]


class Edges(StreetNames):
    """The edges of a world, for vehicles.

    Args:
        roads: the lanes.
        lanes: where each kind of vehicle may drive.
        side: where traffic keeps.
    """

    def __init__(self, roads: RoadNetwork, lanes: LaneTable, side: DrivingSide) -> None:
        super().__init__(roads)
        self._lanes, self._side = lanes, side
        self._owners = self.layout.owners
        self._seconds = [self._seconds_of(each.lanes[0]) for each in self.layout.carriageways]
        self.ways_of = cache(self._ways_of)
        self.following = cache(self._edges_after)

    def edge_of(self, lane: int) -> int:
        """The edge of a lane; of a way through a junction, that into which it leads."""
        while self._owners[lane] < 0:
            (lane,) = self._followers(lane)
        return self._owners[lane]

    def lanes_of(self, edge: int) -> tuple[int, ...]:
        """The lanes of an edge from the kerb on."""
        return from_kerb(self.layout, edge, self._side)

    def leads(self, lane: int, edge: int, kind: int) -> bool:
        """Whether a kind of vehicle gets from a lane to an edge; to none (-1), from any lane."""
        ways = self.ways_of(lane, kind)
        return edge < 0 or any(self._owners[each[-1]] == edge for each in ways)

    def length_of(self, lane: int) -> float:
        """Length [m] of a lane."""
        return float(self._lanes.lengths[lane])

    def way_between(
        self, sources: Mapping[int, float], targets: Iterable[int], kind: int
    ) -> dict[int, tuple[float, list[int]]]:
        """The fastest ways to targets for a kind of vehicle.

        Args:
            sources: edges from which they lead, with the cost [s] that each has already.
            targets: edges to which they lead, each after a source.
            kind: place in `FLEET`.

        Returns:
            Of each target that can be reached, the cost [s] and the edges from a source to it.
        """
        wanted, before, done = set(targets), dict[int, int](), set[int]()
        found: dict[int, tuple[float, list[int]]] = {}
        heap: list[tuple[float, int, int]] = []
        for edge, cost in sources.items():
            for follower in self.following(edge, kind):
                heappush(heap, (cost + self._seconds[follower], follower, edge))
        while heap and len(found) < len(wanted):
            cost, edge, origin = heappop(heap)
            if edge in done:
                continue
            done.add(edge)
            before[edge] = origin
            if edge in wanted:
                found[edge] = cost, _traced(edge, before, sources)
            for follower in self.following(edge, kind):
                if follower not in done:
                    heappush(heap, (cost + self._seconds[follower], follower, edge))
        return found

    def at_random(self, lane: int, kind: int, random: Generator) -> list[int]:
        """A way by chance from a lane on, up to where it ends or long enough."""
        edges = [self._owners[lane]]
        choices = self._after([lane], kind)
        while choices and len(edges) < _MOST_EDGES:
            weights = np.array(list(choices.values()))
            weights *= [_AGAIN if each in edges else 1.0 for each in choices]
            drawn = random.random() * weights.sum()
            chosen = int(np.searchsorted(np.cumsum(weights), drawn, side="right"))
            edges.append(list(choices)[min(chosen, len(choices) - 1)])
            choices = self.following(edges[-1], kind)
        return edges

    def along(self, lane: int, streets: Iterable[int], kind: int) -> list[int]:
        """The edges from a lane on along streets, as far as they follow each other."""
        edges = [self.edge_of(lane)]
        for street in streets:
            after = self.following(edges[-1], kind)
            fitting = [edge for edge in after if self.street_of(edge) == street]
            if not fitting:
                break
            edges.append(fitting[0])
        return edges

    def lanes_along(self, way: Sequence[int], kind: int) -> list[int]:
        """The lanes of each edge that lead furthest along a route, as bits by `places`.

        Distances beyond `_FORESEEN` do not count.
        """
        masks: list[int] = []
        reaches: dict[int, float] = {}
        for place in range(len(way) - 1, -1, -1):
            lanes = [k for k in self.lanes_of(way[place]) if self._lanes.allowed[kind, k]]
            if place == len(way) - 1:
                reaches = dict.fromkeys(lanes, _FORESEEN)
            else:
                reaches = {lane: self._reach(lane, kind, reaches) for lane in lanes}
            best = max(reaches.values(), default=0.0)
            good = [lane for lane, reach in reaches.items() if reach == best]
            masks.append(sum(1 << int(self._lanes.places[lane]) for lane in good))
        return masks[::-1]

    def _reach(self, lane: int, kind: int, after: Mapping[int, float]) -> float:
        """Length [m] of a route that a lane serves, if those of the next edge serve `after`."""
        ways = [each for each in self.ways_of(lane, kind) if each[-1] in after]
        if not ways:
            return 0.0
        reach = max(self.length_of(each[-1]) + after[each[-1]] for each in ways)
        return min(reach, _FORESEEN)

    def _edges_after(self, edge: int, kind: int) -> dict[int, float]:
        return self._after(self.layout.carriageways[edge].lanes, kind)

    def _after(self, lanes: Iterable[int], kind: int) -> dict[int, float]:
        """The edges after some lanes with their weights for chance."""
        found: dict[int, float] = {}
        for lane in lanes:
            for ways in self.ways_of(lane, kind):
                edge, weight = self._owners[ways[-1]], self._weight(lane, ways[0])
                if not self._lanes.lasting[kind, ways[-1]]:
                    weight *= _AGAIN
                found[edge] = max(found.get(edge, 0.0), weight)
        return found

    def _ways_of(self, lane: int, kind: int) -> list[tuple[int, ...]]:
        """Successors of a lane: connectors with the lane after each, and touching lanes."""
        found: list[tuple[int, ...]] = []
        if not self._lanes.allowed[kind, lane]:
            return found
        for follower in self._followers(lane):
            ways = [follower]
            while self._owners[ways[-1]] < 0:
                ways += self._followers(ways[-1])
            if self._lanes.allowed[kind, ways].all():
                found.append(tuple(ways))
        return found

    def _followers(self, lane: int) -> list[int]:
        starts = self._lanes.successor_starts
        followers: list[int] = self._lanes.successors[starts[lane] : starts[lane + 1]].tolist()
        return followers

    def _weight(self, lane: int, follower: int) -> float:
        starts, successors = self._lanes.successor_starts, self._lanes.successors
        own = slice(int(starts[lane]), int(starts[lane + 1]))
        place = int(np.flatnonzero(successors[own] == follower)[0])
        return float(self._lanes.weights[own][place])

    def _seconds_of(self, lane: int) -> float:
        return float(self._lanes.lengths[lane] / self._lanes.limits[lane])


def _traced(edge: int, before: Mapping[int, int], sources: Mapping[int, float]) -> list[int]:
    """The edges up to one, from the source on."""
    edges = [edge, before[edge]]
    while edges[-1] not in sources:
        edges.append(before[edges[-1]])
    return edges[::-1]
