"""Finds a good place to start a drive, and long routes that avoid dead ends."""

from collections import Counter
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.osm.highways import BUILT_IN
from autosim.world.osm.tags import KMH

WANTED_LENGTH = 600.0
"""Length [m] of the drive by which `best_start` judges a lane: about a minute at 40 km/h."""

TIGHTEST = 6.0
"""Least radius [m] of a curve that a car follows with ease: its turning circle and a little
more."""

_START_MARGIN = 8.0
"""Distance [m] of a start from the beginning of its lane: a car stands clear of the junction."""

_SHORTEST_START = 20.0
"""Least length [m] of a lane to start on: a car that stands on it leaves some of it ahead."""

_CANDIDATES = 24
"""Number of lanes nearest to the middle that are tried as starts. Chosen: the streets
about the centre, each of which a whole drive judges."""

_BRISK = 50.0 * KMH
"""Speed limit [m/s] from which on a street is as good as any to start on: that of main streets."""

_TRIALS_SEED = 0
"""The seed of trial routes; any number will do, as long as it is always the same."""

_RANK_WITHOUT_CLASS = 5
"""Rank of a street whose class has none: that of a residential street."""


@dataclass(frozen=True, slots=True)
class RouteCosts:
    """The costs by which a route chooses the next lane, and `best_start` a lane to start on.

    All are chosen by looking at routes through the test maps; costs of lanes have no unit.
    """

    turn: float = 0.3
    """Cost per radian of a lane's turn: of two equally good streets the straighter one wins."""

    rank: float = 0.15
    """Cost per rank of a lane's street: half of a turn by a radian."""

    tight: float = 20.0
    """Cost of a curve tighter than `TIGHTEST`, as high as a number of ten visits: the last resort
    but one."""

    dead_end: float = 1000.0
    """Cost of a lane that leads to a dead end: the last resort, whatever the number of visits."""

    visit: float = 2.0
    """Cost of each time that the route has used the street: it outweighs a turn by a right
    angle."""

    chance: float = 0.1
    """Largest random cost of a lane, less than any step of the others: it breaks ties."""

    remoteness: float = 0.2
    """Cost of a start per metre [1/m] from the middle of the network, in metres of its drive."""

    tight_start: float = 100.0
    """Cost [m] of each tight curve on the drive from a start."""

    start_rank: float = 10.0
    """Cost [m] of a start per rank of its street."""


COSTS = RouteCosts()
"""The costs of every route."""


def least_radii(network: RoadNetwork) -> Floats:
    """The smallest radius [m] of each lane's bends (n,); infinity for a straight lane.

    At a point the turn between two segments is spread over half of both.
    """
    steps = np.diff(network.points[:, :2], axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    angles = portable.arctan2(steps[:, 1], steps[:, 0])
    turns = np.abs(portable.wrapped(np.diff(angles)))
    curvatures = turns / np.maximum(0.5 * (lengths[1:] + lengths[:-1]), 1e-9)
    inner = np.zeros(len(network.points))
    inner[1:-1] = curvatures
    inner[network.starts[:-1]] = 0.0
    inner[network.starts[1:] - 1] = 0.0
    sharpest = np.maximum.reduceat(inner, network.starts[:-1])
    radii: Floats = np.full(len(sharpest), np.inf)
    np.divide(1.0, sharpest, out=radii, where=sharpest > 1e-9)
    return radii


def endless_lanes(network: RoadNetwork, allowed: Booleans | None = None) -> Booleans:
    """Lanes (n,) from which a vehicle can drive on for ever.

    They remain when lanes that lead nowhere are taken away, then lanes that lead only to these, and
    so on.

    Args:
        network: the lanes.
        allowed: (n,) lanes that may be used; None for all.
    """
    count = len(network.roads)
    is_endless = np.ones(count, dtype=bool) if allowed is None else allowed.copy()
    sources = np.repeat(np.arange(count), np.diff(network.successor_starts))
    targets = network.successors
    while True:
        goes_on = np.zeros(count, dtype=bool)
        goes_on[sources[is_endless[targets]]] = True
        remaining = is_endless & goes_on
        if np.array_equal(remaining, is_endless):
            return is_endless
        is_endless = remaining


@dataclass(frozen=True, slots=True)
class RouteGuide:
    """The properties of each lane (n,) that decide whether a route takes it.

    `is_good`: a vehicle can drive on for ever from it without tight curves; `burden`: its cost
    before the route's own visits count.
    """

    network: RoadNetwork
    """The lanes."""
    is_good: Booleans
    is_tight: Booleans
    """Whether the lane has a tight curve."""
    burden: Floats

    @classmethod
    def of(cls, network: RoadNetwork) -> "RouteGuide":
        """The guide through a network: worth keeping for many routes."""
        is_tight = least_radii(network) < TIGHTEST
        is_good = endless_lanes(network, ~is_tight)
        if not is_good.any():
            is_good = endless_lanes(network)
        firsts, lasts = network.starts[:-1], network.starts[1:] - 1
        turned = network.tangents[lasts] - network.tangents[firsts]
        turns = np.abs(portable.wrapped(turned))
        burden = COSTS.turn * turns + COSTS.rank * _ranks(network)
        burden = burden + COSTS.tight * is_tight + COSTS.dead_end * ~is_good
        return cls(network, is_good, is_tight, burden)

    def follow(self, start: int, *, length: float, seed: int) -> list[int]:
        """The route from a lane on; see `route`."""
        rng = np.random.default_rng(seed)
        lengths = self.network.lengths()
        visits: Counter[int] = Counter({int(self.network.roads[start]): 1})
        barred = self.network.traffic.barred_paths()
        streets = [int(self.network.roads[start])]
        lanes, total = [start], float(lengths[start])
        while total < length:
            following = self.network.lanes[lanes[-1]].successors
            choices = [k for k in following if not self._is_barred(k, streets, barred)]
            if not choices:
                break
            costs = [self._cost(k, visits) + COSTS.chance * rng.random() for k in choices]
            best = choices[int(np.argmin(costs))]
            visits[int(self.network.roads[best])] += 0 if self.network.connectors[best] else 1
            if streets[-1] != self.network.roads[best]:
                streets.append(int(self.network.roads[best]))
            lanes.append(best)
            total += float(lengths[best])
        return lanes

    def _is_barred(self, lane: int, streets: list[int], barred: list[tuple[int, ...]]) -> bool:
        """Whether a restriction forbids a lane after the streets driven so far."""
        path = [*streets, int(self.network.roads[lane])]
        return any(tuple(path[-len(each) :]) == each for each in barred)

    def _cost(self, index: int, visits: Counter[int]) -> float:
        return float(self.burden[index]) + COSTS.visit * visits[int(self.network.roads[index])]


def _ranks(network: RoadNetwork) -> Integers:
    """Rank (n,) of each lane's class of street; 0 is the most important."""
    ranks = [
        BUILT_IN[name].rank if name in BUILT_IN else _RANK_WITHOUT_CLASS
        for name in network.highway_names
    ]
    return np.array(ranks, dtype=np.int64)[network.highways]


def shortest_way(network: RoadNetwork, start: int, goal: int) -> tuple[int, ...]:
    """The lanes of the shortest way between two lanes, both included; () where none leads."""
    best = {start: 0.0}
    queue: list[tuple[float, int, tuple[int, ...]]] = [(0.0, start, (start,))]
    while queue:
        metres, lane, way = heappop(queue)
        if lane == goal:
            return way
        for after in network.lanes[lane].successors:
            length = metres + network.lanes[after].length
            if length < best.get(after, np.inf):
                best[after] = length
                heappush(queue, (length, after, (*way, after)))
    return ()


def route(network: RoadNetwork, start_lane: int, *, length: float, seed: int) -> list[int]:
    """A route of lanes, connectors among them, from a lane on.

    At each junction it takes the street that it has used least, then the straighter and the more
    important one. It avoids lanes that lead into a dead end or into curves too tight for a car, and
    ends early only in a dead end. It obeys the turn restrictions. The same arguments give the same
    route.

    Args:
        network: the lanes.
        start_lane: index of the first lane; its whole length counts.
        length: least length [m] of the route.
        seed: chooses among streets that are equally good.

    Returns:
        Indices of lanes, each a successor of the one before it.
    """
    return RouteGuide.of(network).follow(start_lane, length=length, seed=seed)


def best_start(network: RoadNetwork) -> tuple[int, float]:
    """A lane and a place `s` [m] on it from which a long and varied drive is possible.

    It is the best of the lanes nearest to the middle of the network.

    Raises:
        ValueError: the network has no lanes.
    """
    if not len(network.lanes):
        raise ValueError("a network without lanes has no place to start")
    guide = RouteGuide.of(network)
    remoteness = _remoteness(network)
    best = max(
        _candidates(guide, remoteness),
        key=lambda k: _worth(guide, k) - COSTS.remoteness * remoteness[k],
    )
    return best, min(_START_MARGIN, 0.5 * float(network.lengths()[best]))


def _remoteness(network: RoadNetwork) -> Floats:
    """Distance [m] (n,) of each lane's start from the middle of the network."""
    starts = network.points[network.starts[:-1], :2]
    return np.asarray(np.linalg.norm(starts - np.median(starts, axis=0), axis=1))


def _candidates(guide: RouteGuide, remoteness: Floats) -> list[int]:
    """Central lanes of streets: long ones that lead on for ever if there are any, else others."""
    network = guide.network
    is_street = ~network.connectors
    is_long = network.lengths() >= _SHORTEST_START
    for chosen in (is_street & guide.is_good & is_long, is_street & guide.is_good, is_street):
        if chosen.any():
            rows = np.flatnonzero(chosen)
            order = np.argsort(remoteness[rows], kind="stable")
            return [int(k) for k in rows[order[:_CANDIDATES]]]
    return [0]


def _worth(guide: RouteGuide, index: int) -> float:
    """Length [m] of the different lanes on a drive from a lane, less for slow and tight ones."""
    network = guide.network
    lanes = guide.follow(index, length=WANTED_LENGTH, seed=_TRIALS_SEED)
    rows = sorted(set(lanes))
    pace = np.minimum(network.speed_limits[rows] / _BRISK, 1.0)
    distinct = float((pace * network.lengths()[rows]).sum())
    rank = int(_ranks(guide.network)[index])
    return (
        distinct - COSTS.tight_start * float(guide.is_tight[lanes].sum()) - COSTS.start_rank * rank
    )
