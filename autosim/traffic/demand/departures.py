"""Vehicles set out: each at its time, as soon as there is room on its first street."""

from collections import defaultdict, deque
from collections.abc import Sequence
from math import inf

import numpy as np

from autosim.arrays import Floats
from autosim.config.demand import Demand, Departure
from autosim.model.snapshot import Memory
from autosim.traffic.demand.edges import Edges
from autosim.traffic.demand.route_resolution import resolve_routes
from autosim.traffic.traffic_node import KIND, NAME
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES
from autosim.traffic.vehicles import spawning
from autosim.traffic.vehicles.traffic_context import TrafficContext
from autosim.traffic.vehicles.vehicle_pool import (
    lane_on_path,
)

_CLEAR = 0.5
"""Length [m] that a vehicle has behind it on the street on which it sets out."""

_FIELDS = {
    "time_gap": "time_gap",
    "least_gap": "least_gap",
    "acceleration": "gain",
    "deceleration": "ease",
    "speed_factor": "speed_factor",
}
"""Fields of `VehicleRow` for what a type of vehicles states."""


class Departures:
    """The vehicles of a demand that have not set out yet.

    Args:
        demand: all of them.
        edges: of the world.

    Raises:
        DemandError: a street is unknown, or no way leads from one to the next.

    `longest`: number of streets of the longest route.
    """

    def __init__(self, demand: Demand, edges: Edges) -> None:
        self._demand, self._edges = demand, edges
        self._kinds = [KIND_NAMES.index(each.kind) for each in demand.types]
        self._ways = {
            (route, kind): _startable(way, edges, kind)
            for (route, kind), way in resolve_routes(demand, edges).items()
        }
        self.longest = max((len(way) for way in self._ways.values()), default=0)
        self._times = np.array([each.seconds for each in demand.departures])
        self._done: Floats = np.zeros((len(self._times), 1))
        self.restore()

    @property
    def memories(self) -> tuple[Memory, ...]:
        """State: which vehicles have departed."""
        names = tuple(f"{NAME}.departure{number}" for number in range(len(self._done)))
        return (Memory(f"{KIND} departures", names, self._done),)

    def restore(self) -> None:
        """Continues from the content of `memories`."""
        self._come = 0
        self._waiting: dict[int, deque[int]] = defaultdict(deque)

    def waiting(self) -> int:
        """Number of vehicles that wait for room."""
        return sum(len(each) for each in self._waiting.values())

    def set_out(
        self, town: TrafficContext, seconds: float, most: int, seed: np.uint64, imperfection: float
    ) -> None:
        """Starts the vehicles whose departure time has come, where there is room.

        Args:
            town: all; rows of the pool, routes, the occupancy and `counts` are written.
            seconds: the time [s].
            most: largest number of departures now.
            seed: of the run.
            imperfection: how much drivers differ.
        """
        due = int(np.searchsorted(self._times, seconds, side="right"))
        for number in range(self._come, due):
            if not self._done[number, 0]:
                self._waiting[self._way_of(number)[0]].append(number)
        self._come = due
        for queue in self._waiting.values():
            while queue and most > 0 and self._begin(town, queue[0], seed, imperfection):
                self._done[queue.popleft(), 0] = 1.0
                most -= 1

    def type_of(self, departure: int) -> int:
        """The place of a vehicle's type in `Demand.types`."""
        return self._demand.departures[departure].type

    def reroute(self, town: TrafficContext) -> None:
        """Finds new ways for those who have left theirs, to where they want to go."""
        for place in np.flatnonzero(town.rows["lost"] & town.rows["active"]).tolist():
            row = town.rows[place]
            row.lost = False
            way = self._way_back(town, place) if row.departure >= 0 else None
            if way is None:
                row.route = -1
                continue
            take_route(town, place, self._edges, way)

    def _way_back(self, town: TrafficContext, place: int) -> list[int] | None:
        row = town.rows[place]
        here = self._edges.edge_of(lane_on_path(row, row.count - 1))
        target = self._way_of(row.departure)[-1]
        if here == target:
            return [here]
        found = self._edges.way_between({here: 0.0}, [target], int(town.kinds[place]))
        return found[target][1] if found else None

    def _way_of(self, number: int) -> tuple[int, ...]:
        each = self._demand.departures[number]
        return self._ways[each.route, self._kinds[each.type]]

    def _begin(
        self, town: TrafficContext, number: int, seed: np.uint64, imperfection: float
    ) -> bool:
        """Puts a vehicle onto its first street, if there is room; whether it is there now."""
        each, way = self._demand.departures[number], self._way_of(number)
        place = _free_place(town, self._kinds[each.type])
        if place < 0:
            return False
        length = float(town.sizes[place].length)
        for lane in self._lanes_of(each, way, int(town.kinds[place])):
            station = min(length + _CLEAR, self._edges.length_of(lane) - 0.1)
            speed = spawning.free_speed(town, lane, station, length)
            if speed < 0.0:
                continue
            speed = speed if each.speed is None else min(speed, each.speed)
            if spawning.spawn_at(town, place, lane, station, speed, seed, imperfection):
                take_route(town, place, self._edges, way)
                town.rows["departure"][place] = number
                self.drive_as_stated(town, place)
                return True
        return False

    def drive_as_stated(self, town: TrafficContext, place: int) -> None:
        """Applies the driving parameters of a vehicle's type."""
        row = town.rows[place]
        town.sizes[place].top_speed = FLEET[int(town.kinds[place])].driving.top_speed
        if row.departure < 0:
            return
        for name, value in self._demand.types[self.type_of(row.departure)].driving:
            if name in _FIELDS:
                setattr(row, _FIELDS[name], value)
            else:
                town.sizes[place].top_speed = value

    def _lanes_of(self, each: Departure, way: tuple[int, ...], kind: int) -> list[int]:
        """The lanes on which a vehicle may begin, those first that lead along its way."""
        lanes = self._edges.lanes_of(way[0])
        if each.lane is not None:
            return list(lanes[each.lane : each.lane + 1]) or list(lanes[-1:])
        following = way[1] if len(way) > 1 else -1
        return sorted(lanes, key=lambda lane: not self._edges.leads(lane, following, kind))


def take_route(town: TrafficContext, place: int, edges: Edges, way: Sequence[int]) -> None:
    """Gives a vehicle a route, whose first edge is that under the end of its path."""
    way = way[: town.routes.shape[2]]
    town.routes[place, 0, : len(way)] = [edges.street_of(edge) for edge in way]
    town.routes[place, 1, : len(way)] = edges.lanes_along(way, int(town.kinds[place]))
    town.rows["route"][place], town.rows["route_place"][place] = len(way), 1


def _startable(way: tuple[int, ...], edges: Edges, kind: int) -> tuple[int, ...]:
    """A way without the first edges that are too short for a vehicle."""
    wanted = FLEET[kind].length + 2.0 * _CLEAR
    for place, edge in enumerate(way[:-1]):
        if max(edges.length_of(lane) for lane in edges.lanes_of(edge)) >= wanted:
            return way[place:]
    return way[-1:]


def _free_place(town: TrafficContext, kind: int) -> int:
    """A free place of the pool, of a kind or, where it has none at all, the most alike; else -1."""
    lengths = np.array([abs(each.length - FLEET[kind].length) for each in FLEET])[town.kinds]
    fitting = town.kinds == kind
    if not fitting.any():
        fitting = lengths == lengths.min(initial=inf)
    is_free = ~town.rows["active"] & ~town.rows["leaves"] & fitting
    found = np.flatnonzero(is_free)
    return int(found[0]) if len(found) else -1
