"""Origins and destinations by class of road and land use: a gravity model of a town.

Trips begin and end along streets, at buildings and on car parks, and where streets cross the border
of the map. Their number follows from the class of each street and from the buildings along it, and
the pairs of origins and destinations from the time between them
(`autosim.traffic.vehicles.routes.trips`). Ways for access (`service`, `track`) are used by trips
that begin or end there, never by others.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.traffic.vehicle_kinds import FLEET, VehicleClass
from autosim.traffic.vehicles.lanes.lane_table import NARROW, LaneTable, turns_of
from autosim.traffic.vehicles.routes.trip_table import SHORTEST_TRIP, TripTable, no_trips
from autosim.world.lanes.roads import RoadNetwork


class RoadDemand(NamedTuple):
    """Trip parameters of a class of road.

    `flow`: vehicles that enter by a lane where the road crosses the border, relative to a lane
    of a primary road; `frontage`: trips that begin or end along a metre of lane, relative to a
    residential street; `entry_seconds`: cost [s] of turning into it from a more important
    road.
    """

    flow: float
    frontage: float
    entry_seconds: float


ACCESS_SECONDS = 900.0
"""Cost [s] of turning into a way for access: more than any detour in a town, so that only trips
that begin or end there use it."""

_CALM_SECONDS = 120.0
"""Cost [s] of turning into a living street: many countries close them to through traffic."""

_LOCAL_SECONDS = 10.0
"""Cost [s] of turning into a local street: drivers prefer main roads that take as long."""

DEMANDS: Mapping[str, RoadDemand] = MappingProxyType(
    {
        "motorway": RoadDemand(2.0, 0.0, 0.0),
        "trunk": RoadDemand(1.6, 0.05, 0.0),
        "primary": RoadDemand(1.0, 0.3, 0.0),
        "secondary": RoadDemand(0.6, 0.5, 0.0),
        "tertiary": RoadDemand(0.3, 0.7, 0.0),
        "unclassified": RoadDemand(0.1, 0.8, _LOCAL_SECONDS),
        "residential": RoadDemand(0.06, 1.0, _LOCAL_SECONDS),
        "living_street": RoadDemand(0.01, 1.0, _CALM_SECONDS),
        "road": RoadDemand(0.06, 0.5, _LOCAL_SECONDS),
        "motorway_link": RoadDemand(0.6, 0.0, 0.0),
        "trunk_link": RoadDemand(0.5, 0.0, 0.0),
        "primary_link": RoadDemand(0.4, 0.0, 0.0),
        "secondary_link": RoadDemand(0.3, 0.0, 0.0),
        "tertiary_link": RoadDemand(0.2, 0.0, 0.0),
        "unsurfaced": RoadDemand(0.02, 0.3, ACCESS_SECONDS),
        "service": RoadDemand(0.01, 0.25, ACCESS_SECONDS),
        "track": RoadDemand(0.002, 0.02, ACCESS_SECONDS),
    }
)
"""Classes of road. Flows are the usual ratios of daily traffic on a lane of each class (10 000
vehicles on a primary road; FHWA, Highway Functional Classification, 2013, table 3-5)."""

_OTHER = DEMANDS["road"]
"""Parameters of a class that has no row."""

_MAJOR_FLOW = 0.25
"""Flow, relative to the weight 1 of a primary road, from which on a road that ends on the map leads
beyond it, wherever it ends."""

_BORDER = 60.0
"""Distance [m] from the map's border within which a smaller road counts as leading beyond it."""

_MOST_INSIDE, _MOST_EXITS = 64, 48
"""Number of destinations in the town, and beyond its border: each costs a number for each lane."""

_SHORTEST = 12.0
"""Length [m] of a lane at least on which trips begin and end: that of a bus."""

_CHANGE_SECONDS, _HARD_CHANGE_SECONDS, _EASY_CHANGE = 3.0, 25.0, 50.0
"""Cost [s] of a change of lane, on a lane shorter than `_EASY_CHANGE` [m], and that length."""

_TURN, _TURN_BACK = np.radians(30.0), np.radians(140.0)
"""Angles [rad] between two lanes from which on a way turns, and turns back."""

_TURN_SECONDS, _BACK_SECONDS = 4.0, 60.0
"""Cost [s] of such a turn, and of turning back."""

_CELL, _CELLS_OF_ROW = 64, 8
"""Number of cells across the map in whose order destinations are spread over it, and number of them
in the height of a row."""


def trip_table_of(
    roads: RoadNetwork,
    lanes: LaneTable,
    *,
    kinds: tuple[int, ...],
    bounds: tuple[float, float, float, float],
    attractions: Callable[[], Floats] | None = None,
) -> TripTable:
    """Prepares the trips of a town, once for all simulations of it.

    Args:
        roads: its lanes.
        lanes: the same, for kernels.
        kinds: of vehicles in use, indices in `FLEET`.
        bounds: (x_min, y_min, x_max, y_max) [m] of the map.
        attractions: returns the floor area [m²] (lanes,) reached from each lane; None if it is
        unknown.
    """
    key = ("trips", tuple(sorted(set(kinds))), bounds, attractions is None)
    return roads.derived(key, lambda: _make_trip_table(roads, lanes, kinds, bounds, attractions))


def _make_trip_table(
    roads: RoadNetwork,
    lanes: LaneTable,
    kinds: tuple[int, ...],
    bounds: tuple[float, float, float, float],
    attractions: Callable[[], Floats] | None,
) -> TripTable:
    table = no_trips(len(FLEET), len(roads.roads), len(roads.successors))
    usable = lanes.allowed.any(axis=0) & ~roads.connectors
    if not usable.any():
        return table
    demand = _demands(roads)
    weights = np.where(usable, _weights(roads, demand[:, 1], attractions), 0.0)
    enters, leaves = _borders(roads, bounds, demand[:, 0], usable)
    inside = _spread(roads, weights, _MOST_INSIDE)
    exits = np.flatnonzero(leaves)
    exits = np.sort(exits[np.argsort(-demand[exits, 0], kind="stable")][:_MOST_EXITS])
    targets = np.concatenate([inside, exits])
    shares = np.concatenate([np.ones(len(inside)), demand[exits, 0]])
    penalties = _penalties(roads, demand[:, 2])
    changes = np.where(roads.lengths() < _EASY_CHANGE, _HARD_CHANGE_SECONDS, _CHANGE_SECONDS)
    origins, entries = np.flatnonzero(weights > 0.0), np.flatnonzero(enters)
    is_exit = np.arange(len(targets)) >= len(inside)
    groups, costs = np.full(len(FLEET), -1, dtype=np.int64), list[Floats]()
    for members in _groups(kinds):
        allowed: Booleans = np.asarray(lanes.allowed[members].all(axis=0))
        found = _costs(roads, lanes, allowed, penalties, changes, targets)
        least = np.where(is_exit, 0.0, SHORTEST_TRIP)[:, None]
        is_trip = np.isfinite(found) & (found >= least)
        if is_trip[:, np.concatenate([origins, entries])].any():
            groups[members] = len(costs)
            costs.append(found)
    if not costs:
        return table
    return table._replace(
        groups=groups,
        origins=origins,
        origin_ends=np.cumsum(weights[origins]),
        entries=entries,
        entry_ends=np.cumsum(demand[entries, 0]),
        targets=targets,
        weights=shares,
        leave=is_exit,
        costs=np.array(costs, dtype=np.float32),
        penalties=penalties,
        changes=changes,
    )


def _demands(roads: RoadNetwork) -> Floats:
    """`RoadDemand` (lanes, 3) of each lane."""
    rows = [DEMANDS.get(name, _OTHER) for name in roads.highway_names]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)[roads.highways]


def is_for_access(roads: RoadNetwork) -> Booleans:
    """The lanes (n,) of ways that only trips use that begin or end there."""
    return np.asarray(_demands(roads)[:, 2] == ACCESS_SECONDS)


def drivable_metres(roads: RoadNetwork, lanes: LaneTable) -> float:
    """Length [m] of the lanes of streets on which some kind of vehicle drives, without junctions.

    Ways for access count only where there are no others.
    """
    usable = lanes.allowed.any(axis=0) & ~roads.connectors
    is_street = usable & ~is_for_access(roads)
    return float(roads.lengths()[is_street if is_street.any() else usable].sum())


def _groups(kinds: tuple[int, ...]) -> list[list[int]]:
    """The kinds of vehicles that share ways: narrow, heavy, and bicycles."""

    def group(kind: int) -> int:
        each = FLEET[kind]
        return 2 if each.vehicle_class is VehicleClass.BICYCLE else int(each.width > NARROW)

    found = [[kind for kind in sorted(set(kinds)) if group(kind) == k] for k in range(3)]
    return [each for each in found if each]


def _weights(
    roads: RoadNetwork, frontage: Floats, attractions: Callable[[], Floats] | None
) -> Floats:
    """Trips (lanes,) that begin, and that end, on each lane, relative to each other.

    Half of them follow from the class of the road, half from the floor area along it, where
    that is known.
    """
    lengths = roads.lengths()
    along = np.where(lengths >= _SHORTEST, lengths * frontage, 0.0)
    if attractions is None:
        return along
    floors = np.where(along > 0.0, attractions(), 0.0)
    if floors.sum() == 0.0 or along.sum() == 0.0:
        return along
    return np.asarray(along / along.sum() + floors / floors.sum())


def _borders(
    roads: RoadNetwork, bounds: tuple[float, float, float, float], flow: Floats, usable: Booleans
) -> tuple[Booleans, Booleans]:
    """The lanes (n,) on which vehicles come in from beyond the border, and leave over it."""
    follows = np.zeros(len(roads.roads), dtype=np.bool_)
    follows[roads.successors] = True
    leads = np.diff(roads.successor_starts) > 0
    found = []
    for is_open, rows in ((~follows, roads.starts[:-1]), (~leads, roads.starts[1:] - 1)):
        x, y = roads.points[rows, 0], roads.points[rows, 1]
        edge = np.minimum(
            np.minimum(x - bounds[0], bounds[2] - x), np.minimum(y - bounds[1], bounds[3] - y)
        )
        found.append(is_open & usable & ((flow >= _MAJOR_FLOW) | (edge < _BORDER)))
    return found[0], found[1]


def _spread(roads: RoadNetwork, weights: Floats, most: int) -> Integers:
    """At most `most` lanes, spread over the map by their weights: each represents as much."""
    chosen = np.flatnonzero(weights > 0.0)
    if len(chosen) <= most:
        return chosen
    middles = roads.points[(roads.starts[:-1] + roads.starts[1:]) // 2, :2][chosen]
    low, high = middles.min(axis=0), middles.max(axis=0)
    cells = ((middles - low) / np.maximum(high - low, 1.0) * (_CELL - 1)).astype(np.int64)
    # Row by row, to and fro: neighbours in the order are neighbours on the map.
    rows = cells[:, 1] // _CELLS_OF_ROW
    across = np.where(rows % 2 == 0, cells[:, 0], _CELL - cells[:, 0])
    order = np.lexsort((chosen, across, rows))
    ends = np.cumsum(weights[chosen[order]])
    wanted = (np.arange(most) + 0.5) * (ends[-1] / most)
    return np.unique(chosen[order[np.searchsorted(ends, wanted)]])


def _penalties(roads: RoadNetwork, entry_seconds: Floats) -> Floats:
    """Cost of each successor in addition to its time [s]."""
    sources = np.repeat(np.arange(len(roads.roads)), np.diff(roads.successor_starts))
    targets = roads.successors
    turns = turns_of(roads)[targets]
    turning = np.where(
        turns > _TURN_BACK, _BACK_SECONDS, np.where(turns > _TURN, _TURN_SECONDS, 0.0)
    )
    entering = np.maximum(entry_seconds[targets] - entry_seconds[sources], 0.0)
    return np.asarray(turning + entering)


def _costs(
    roads: RoadNetwork,
    lanes: LaneTable,
    allowed: Booleans,
    penalties: Floats,
    changes: Floats,
    targets: Integers,
) -> Floats:
    """Time [s] (targets, lanes) from the beginning of each lane to each target."""
    # Imported here: simulations without traffic do without SciPy, which takes long to import.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    count = len(roads.roads)
    seconds = roads.lengths() / roads.speed_limits
    sources = np.repeat(np.arange(count), np.diff(roads.successor_starts))
    ends = roads.successors.astype(np.int64)
    froms, tos, costs = [sources], [ends], [seconds[sources] + penalties]
    for beside in (lanes.left, lanes.right):
        has = np.flatnonzero(beside >= 0)
        froms.append(has)
        tos.append(beside[has])
        costs.append(changes[has])
    source, end, cost = np.concatenate(froms), np.concatenate(tos), np.concatenate(costs)
    kept = allowed[source] & allowed[end]
    source, end, cost = source[kept], end[kept], cost[kept]
    # Of several links between two lanes the cheapest counts; a sparse array would add them.
    order = np.lexsort((cost, source, end))
    source, end, cost = source[order], end[order], cost[order]
    first = np.ones(len(end), dtype=np.bool_)
    first[1:] = (np.diff(end) != 0) | (np.diff(source) != 0)
    shape = (count, count)
    links = csr_array((cost[first] + 1e-6, (end[first], source[first])), shape=shape)
    found: Floats = dijkstra(links, directed=True, indices=targets)
    found[:, ~allowed] = np.inf
    return found
