"""Destinations of pedestrians: a few places of a network, and the way to each from everywhere."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra

from autosim.arrays import Floats, Integers, Integers32
from autosim.traffic.ways.walk_network import WalkNetwork, WayKind

_MOST = 40
"""Number of destinations, at most: each takes a number for each node."""

_LEAST_LENGTH = 60.0
"""Length [m] of connected ways from which on people walk there."""

_PATIENCE = {WayKind.PAVEMENT: (0.0, 0.0), WayKind.CROSSING: (6.0, 6.0)}
_DETOUR = (60.0, 4.0)
"""Detour [m] that the careful and the careless accept rather than cross beside crossings."""


class Destinations(NamedTuple):
    """Goals, and which way leads to each.

    goals: (g,) int32 nodes, those of one connected part one after another; next_ways: (2, g, nodes)
    int32, the way to take from a node towards a goal, of the careful and of the careless, -1 for
    none; first_goals and goal_counts: (nodes,) int32, the goals of the part that a node is in.
    """

    goals: Integers32
    next_ways: Integers32
    first_goals: Integers32
    goal_counts: Integers32


def find_destinations(network: WalkNetwork, seed: int) -> Destinations:
    """The destinations of a network, drawn by `seed`."""
    count = len(network.nodes)
    first = np.zeros(count, np.int32)
    counts = np.zeros(count, np.int32)
    goals: list[int] = []
    if not len(network.lengths):
        return Destinations(first[:0], np.zeros((2, 0, count), np.int32), first, counts)
    generator = np.random.default_rng(seed)
    parts = _parts(network)
    lengths = np.bincount(parts[network.ends[:, 0]], weights=network.lengths, minlength=1)
    for part in np.flatnonzero(lengths >= _LEAST_LENGTH).tolist():
        nodes = np.flatnonzero(parts == part)
        wanted = max(2, round(_MOST * lengths[part] / lengths.sum()))
        chosen = sorted(generator.permutation(nodes)[:wanted].tolist())
        first[nodes], counts[nodes] = len(goals), len(chosen)
        goals += chosen
    ways = np.stack([_next_ways(network, goals, careless) for careless in (0, 1)])
    return Destinations(np.array(goals, dtype=np.int32), ways, first, counts)


def _parts(network: WalkNetwork) -> Integers:
    a, b = network.ends.T
    count = len(network.nodes)
    graph = csr_matrix((np.ones(len(a)), (a, b)), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _costs(network: WalkNetwork, careless: int) -> Floats:
    detours = np.zeros(len(network.kinds))
    for kind in WayKind:
        detour = _PATIENCE[kind][careless] if kind in _PATIENCE else _DETOUR[careless]
        detours[network.kinds == kind] = detour
    return network.lengths + detours + 1e-6


def _next_ways(network: WalkNetwork, goals: list[int], careless: int) -> Integers32:
    count = len(network.nodes)
    if not goals:
        return np.zeros((0, count), np.int32)
    costs = _costs(network, careless)
    # The cheapest of several ways between two nodes; both directions.
    order = np.argsort(costs, kind="stable")[::-1]
    a, b = network.ends[order].T.astype(np.int64)
    ways = {}
    for way, start, end in zip(order.tolist(), a.tolist(), b.tolist(), strict=True):
        # The search begins at goals, and goes against the direction in which one goes.
        ways[end, start] = way
        if not network.one_ways[way]:
            ways[start, end] = way
    pairs = np.array(list(ways))
    values = costs[list(ways.values())]
    graph = csr_matrix((values, (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    _, before = dijkstra(graph, indices=goals, return_predecessors=True)
    found = np.full(before.shape, -1, np.int32)
    goal, node = np.nonzero(before >= 0)
    numbers = pairs[:, 0] * count + pairs[:, 1]
    ordered = np.argsort(numbers, kind="stable")
    at = np.searchsorted(numbers, before[goal, node] * np.int64(count) + node, sorter=ordered)
    found[goal, node] = np.array(list(ways.values()))[ordered[at]]
    return found
