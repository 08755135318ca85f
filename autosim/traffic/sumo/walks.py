"""Ways through a town from edge to edge: those of vehicles that have nowhere to go."""

from functools import cache

import numpy as np
from numpy.random import Generator

from autosim.traffic.sumo.network import SumoNetwork
from autosim.traffic.vehicles.lane_table import LaneTable

_MOST_EDGES = 60
"""Number of edges of a way at most: several kilometres in a town."""

_AGAIN = 0.02
"""Factor on the weight of edges that a way has already: nobody circles."""


class Walks:
    """Which edges follow each other.

    Args:
        network: in SUMO's words.
        lanes: where each kind of vehicle may drive.
    """

    def __init__(self, network: SumoNetwork, lanes: LaneTable) -> None:
        self._lanes, self._owners = lanes, network.layout.owners
        self._carriageways = network.layout.carriageways
        self.ways_of = cache(self._ways_of)
        self._following = cache(self._edges_after)

    def edge_of(self, lane: int) -> int:
        """The edge of a lane, -1 of a way through a junction."""
        return self._owners[lane]

    def length_of(self, lane: int) -> float:
        """Length [m] of a lane."""
        return float(self._lanes.lengths[lane])

    def at_random(self, lane: int, kind: int, random: Generator) -> list[int]:
        """A way from a lane on for a kind of vehicle, up to where it ends or long enough."""
        edges = [self._owners[lane]]
        choices = self._after([lane], kind)
        while choices and len(edges) < _MOST_EDGES:
            weights = np.array(list(choices.values()))
            weights *= [_AGAIN if each in edges else 1.0 for each in choices]
            drawn = random.random() * weights.sum()
            chosen = int(np.searchsorted(np.cumsum(weights), drawn, side="right"))
            edges.append(list(choices)[min(chosen, len(choices) - 1)])
            choices = self._following(edges[-1], kind)
        return edges

    def _edges_after(self, edge: int, kind: int) -> dict[int, float]:
        return self._after(list(self._carriageways[edge].lanes), kind)

    def _after(self, lanes: list[int], kind: int) -> dict[int, float]:
        """The edges after some lanes with their weights; those without a way out only alone."""
        found: dict[int, float] = {}
        lasting: dict[int, float] = {}
        for lane in lanes:
            for ways in self.ways_of(lane, kind):
                last = ways[-1]
                edge, weight = self._owners[last], self._weight(lane, ways[0])
                found[edge] = max(found.get(edge, 0.0), weight)
                if self._lanes.lasting[kind, last]:
                    lasting[edge] = max(lasting.get(edge, 0.0), weight)
        return lasting or found

    def _ways_of(self, lane: int, kind: int) -> list[tuple[int, ...]]:
        """What follows a lane: connectors, each with the lane after it, and lanes that touch it."""
        found: list[tuple[int, ...]] = []
        if not self._lanes.allowed[kind, lane]:
            return found
        for follower in self._followers(lane):
            if not self._lanes.allowed[kind, follower]:
                continue
            if self._owners[follower] >= 0:
                found.append((follower,))
                continue
            (after,) = self._followers(follower)
            if self._lanes.allowed[kind, after]:
                found.append((follower, after))
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
