"""Where to drive: a good place to start, and a long route that does not end in a dead end."""

import math
from collections import Counter

import numpy as np
import numpy.typing as npt

from autosim.world.curves import least_radius
from autosim.world.highways import BUILT_IN
from autosim.world.roads import Lane, RoadNetwork

Booleans = npt.NDArray[np.bool_]

WANTED_LENGTH = 600.0
_TIGHTEST = 5.0
_START_MARGIN = 8.0
_CANDIDATES = 24
_TRIALS_SEED = 0


def endless_lanes(network: RoadNetwork) -> Booleans:
    """Lanes (n,) from which one can drive on for ever: those that are left when all that lead
    nowhere are taken away, and then all that lead only to these.
    """
    counts = np.diff(network.successor_starts).astype(np.int64)
    predecessors = _predecessors(network)
    is_endless = np.ones(len(counts), dtype=bool)
    ended = [int(k) for k in np.flatnonzero(counts == 0)]
    while ended:
        lane = ended.pop()
        is_endless[lane] = False
        for before in predecessors[lane]:
            counts[before] -= 1
            if counts[before] == 0:
                ended.append(before)
    return is_endless


def _predecessors(network: RoadNetwork) -> list[list[int]]:
    before: list[list[int]] = [[] for _ in range(len(network.lanes))]
    for lane in network.lanes:
        for successor in lane.successors:
            before[successor].append(lane.index)
    return before


def route(network: RoadNetwork, start_lane: int, *, length: float, seed: int) -> list[int]:
    """A route of lanes, connectors among them, from a lane on.

    At each junction it takes what it has used least, then the straighter and the more important
    street; curves too tight for a car are a last resort. It avoids lanes that lead into a dead end
    and ends early only when it is in one. The same arguments give the same route.

    Args:
        network: the lanes.
        start_lane: index of the first lane; its whole length counts.
        length: how long [m] the route shall be at least.
        seed: chooses among streets that are equally good.

    Returns:
        Indices of lanes, each a successor of the one before.
    """
    rng = np.random.default_rng(seed)
    is_endless = endless_lanes(network)
    visits: Counter[int] = Counter({network.lanes[start_lane].road: 1})
    lanes = [start_lane]
    total = network.lanes[start_lane].length
    while total < length:
        choices = network.lanes[lanes[-1]].successors
        if not choices:
            break
        costs = [_cost(network, k, visits, is_endless) + 0.1 * rng.random() for k in choices]
        best = choices[int(np.argmin(costs))]
        lane = network.lanes[best]
        visits[lane.road] += 0 if lane.is_connector else 1
        lanes.append(best)
        total += lane.length
    return lanes


def _cost(network: RoadNetwork, index: int, visits: Counter[int], is_endless: Booleans) -> float:
    """How little a successor is wanted."""
    lane = network.lanes[index]
    turn = abs(math.remainder(lane.heading(lane.length) - lane.heading(0.0), math.tau))
    cost = 2.0 * visits[lane.road] + 0.3 * turn + 0.15 * _rank(lane)
    if least_radius(lane.centre_line) < _TIGHTEST:
        cost += 20.0
    return cost if is_endless[index] else cost + 1000.0


def _rank(lane: Lane) -> int:
    return BUILT_IN[lane.highway].rank if lane.highway in BUILT_IN else 5


def best_start(network: RoadNetwork) -> tuple[int, float]:
    """A lane and a place `s` [m] on it from which a long and varied drive is possible.

    Raises:
        ValueError: the network has no lanes.
    """
    if not len(network.lanes):
        raise ValueError("a network without lanes has no place to start")
    best = max(_candidates(network), key=lambda index: _worth(network, index))
    return best, min(_START_MARGIN, 0.5 * network.lanes[best].length)


def _candidates(network: RoadNetwork) -> list[int]:
    """The longest lanes of those that lead on for ever, if there are any."""
    is_street = ~network.connectors
    is_good = is_street & endless_lanes(network)
    chosen = np.flatnonzero(is_good if is_good.any() else is_street)
    order = np.argsort(-network.lengths()[chosen], kind="stable")
    return [int(k) for k in chosen[order[:_CANDIDATES]]]


def _worth(network: RoadNetwork, index: int) -> float:
    """Metres of different lanes on a route from a lane, less for tight curves on it."""
    lanes = route(network, index, length=WANTED_LENGTH, seed=_TRIALS_SEED)
    distinct = sum(network.lanes[k].length for k in set(lanes))
    tight = sum(least_radius(network.lanes[k].centre_line) < _TIGHTEST for k in lanes)
    return distinct - 100.0 * tight - 10.0 * _rank(network.lanes[index])
