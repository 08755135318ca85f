"""Routes ordered for vehicles while they drive: taken once, and kept to the last street."""

import zlib
from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.traffic.demand.departures import take_route
from autosim.traffic.demand.edges import Edges
from autosim.traffic.vehicles.routes.route_choice import forget_ahead
from autosim.traffic.vehicles.traffic_context import TrafficContext
from autosim.traffic.vehicles.vehicle_pool import (
    lane_on_path,
)


class RouteOrders:
    """The ways of vehicles that programs tell them.

    Args:
        town: whose vehicles they are.
        edges: its streets.
    """

    def __init__(self, town: TrafficContext, edges: Edges) -> None:
        self._town, self._edges = town, edges
        self._told: dict[int, tuple[int, ...]] = {}

    def apply(self, ways: Floats) -> list[tuple[int, list[int]]]:
        """Gives vehicles their ways, (n, 2) by `VEHICLE_ROUTE_COLUMNS`; those that are gone end.

        Returns:
            The vehicles that have a new way, and the edges of it from where each is.
        """
        self._told = _by_vehicle(ways, len(self._town.rows), len(self._town.lanes.lengths))
        rows, changed = self._town.rows, []
        for place in np.flatnonzero(rows["told_way"]).tolist():
            if place not in self._told:
                rows["route"][place], rows["told_way"][place] = -1, 0
        for place, lanes in self._told.items():
            number = float(zlib.crc32(np.array(lanes).tobytes()) + 1)
            if not rows["active"][place] or rows["told_way"][place] == number:
                continue
            rows["told_way"][place] = number
            if (way := self._take(place, lanes)) is not None:
                changed.append((place, way))
        return changed

    def reroute(self) -> None:
        """Finds new ways to the last streets for those who have left theirs."""
        rows = self._town.rows
        for place in np.flatnonzero(rows["lost"] & rows["active"]).tolist():
            if rows["told_way"][place] and place in self._told:
                rows["lost"][place] = False
                self._take(place, self._told[place][-1:])

    def _take(self, place: int, lanes: Sequence[int]) -> list[int] | None:
        """Routes a vehicle through streets, by the fastest way between them.

        Streets that cannot be reached, and those after them, are left out.
        """
        town, edges, kind = self._town, self._edges, int(self._town.kinds[place])
        row = town.rows[place]
        if row.committed == 0.0:
            forget_ahead(town.lanes, town.routes[place], row)
        way = [edges.edge_of(lane_on_path(row, row.count - 1))]
        for lane in lanes:
            target = edges.edge_of(lane)
            if target == way[-1]:
                continue
            found = edges.way_between({way[-1]: 0.0}, [target], kind)
            if target not in found:
                break
            way += found[target][1][1:]
        if len(way) == 1:
            row.route = -1
            return None
        take_route(town, place, edges, way)
        return way


def _by_vehicle(ways: Floats, vehicles: int, lanes: int) -> dict[int, tuple[int, ...]]:
    """The lanes of each vehicle's way, without rows of none."""
    found: dict[int, tuple[int, ...]] = {}
    for place, lane in ways.tolist():
        if 0.0 <= place < vehicles and 0.0 <= lane < lanes:
            found[int(place)] = (*found.get(int(place), ()), int(lane))
    return found
