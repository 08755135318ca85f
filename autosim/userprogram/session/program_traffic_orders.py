"""Orders of a program to the signals and vehicles of traffic."""

from collections.abc import Callable, Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.model.commands import DeviceError, DeviceErrorCode, find_device
from autosim.model.state import State
from autosim.traffic.demand.street_names import StreetNames, UnknownEdgeError
from autosim.traffic.traffic_node import (
    MOST_ROUTE_STREETS,
    SIGNAL_ORDERS,
    VEHICLE_ORDERS,
    VEHICLE_ROUTES,
    traffic_arrays_of,
)
from autosim.traffic.traffic_node import NAME as TRAFFIC
from autosim.userprogram.session.traffic_vehicles import (
    NO_LANE,
    VehicleOrder,
    route_rows,
    rows_of,
)
from autosim.world.lanes.lane_rules import SignalState
from autosim.world.lanes.roads import RoadNetwork

SIGNALS, VEHICLES, ROUTES = (
    f"{TRAFFIC}.{each}" for each in (SIGNAL_ORDERS, VEHICLE_ORDERS, VEHICLE_ROUTES)
)
"""Qualified names of the devices that take the orders."""

Roads = Callable[[], RoadNetwork]
"""Loads the lanes of the world, where they are needed."""


class TrafficOrders:
    """The orders of one program that are in force, as values of the devices of traffic.

    Each method changes the orders and returns all of a device. They raise DeviceError,
    INVALID_OPERATION, for a signal, a vehicle, a lane or a street that does not exist.
    """

    def __init__(self) -> None:
        self._signals: dict[int, float] | None = None
        self._vehicles: dict[int, VehicleOrder] = {}
        self._routes: dict[int, list[int]] = {}
        self._street_names: StreetNames | None = None

    def of_signal(
        self, state: State, roads: Roads, number: int | None, shown: SignalState | None
    ) -> Floats:
        """Orders what a signal shows, None: its own phase; (n, 2) numbers and what they show."""
        node = find_device(state.tree, SIGNALS)
        signals = roads().signals
        count = len(signals.shown) if signals is not None else 0
        if number is None or not 0 <= number < count:
            known = f"0 to {count - 1}" if count else "none"
            reason = (
                f"expected the number of a signal (this world has {known}), as "
                f"lane.signal_number, not {number} (None: the lane has no signal)"
            )
            raise DeviceError(DeviceErrorCode.INVALID_OPERATION, reason)
        if self._signals is None:
            rows = state.value(node, node.fields[0])
            assert isinstance(rows, np.ndarray)
            self._signals = {int(signal): float(value) for signal, value in rows}
        self._signals.pop(number, None)
        if shown is not None:
            self._signals[number] = float(SignalState(shown))
        return np.array(list(self._signals.items())).reshape(-1, 2)

    def of_vehicle(
        self, state: State, roads: Roads, number: int, order: VehicleOrder | None
    ) -> Floats:
        """Orders what a vehicle does, None: what it likes; rows as of `rows_of`."""
        find_device(state.tree, VEHICLES)
        traffic = traffic_arrays_of(state)
        if traffic is None or not 0 <= number < len(traffic.vehicles):
            reason = f"expected the number of a vehicle of traffic, not {number}"
            raise DeviceError(DeviceErrorCode.INVALID_OPERATION, reason)
        if order is not None and order.lane != NO_LANE:
            _check_place(roads(), order.lane, order.station)
        self._vehicles.pop(number, None)
        if order is not None:
            self._vehicles[number] = order
        return rows_of(self._vehicles.values())

    def of_route(self, roads: Roads, number: int, route: Sequence[str] | None) -> Floats | None:
        """Sets the streets that a vehicle takes, by name; rows as of `route_rows`.

        Returns:
            None if there was no route and there is none.
        """
        before = self._routes.pop(number, None)
        if route:
            lanes = self._lanes_of_streets(roads, route)
            if sum(map(len, self._routes.values())) + len(lanes) > MOST_ROUTE_STREETS:
                reason = f"more than {MOST_ROUTE_STREETS} streets in the routes of all vehicles"
                raise DeviceError(DeviceErrorCode.INVALID_OPERATION, reason)
            self._routes[number] = lanes
        return route_rows(self._routes) if route or before else None

    def _lanes_of_streets(self, roads: Roads, route: Sequence[str]) -> list[int]:
        """A lane of each street of a route, by its name."""
        if self._street_names is None:
            self._street_names = StreetNames(roads())
        streets = self._street_names
        try:
            edges = [edge for name in route for edge in streets.named(name)]
        except UnknownEdgeError as error:
            raise DeviceError(DeviceErrorCode.INVALID_OPERATION, str(error)) from error
        return [streets.first_lane_of(edge) for edge in edges]


def _check_place(roads: RoadNetwork, lane: int, station: float) -> None:
    """Refuses a place on no lane of the world."""
    lanes = roads.lanes
    if not 0 <= lane < len(lanes):
        known = f"0 to {len(lanes) - 1}" if lanes else "none"
        reason = f"place: expected the number of a lane (this world has {known}), not {lane}"
        raise DeviceError(DeviceErrorCode.INVALID_OPERATION, reason)
    if not 0.0 <= station <= lanes[lane].length:
        reason = (
            f"place: lane {lane} is {lanes[lane].length:.1f} m long, and has no place at "
            f"{station:g} m"
        )
        raise DeviceError(DeviceErrorCode.INVALID_OPERATION, reason)
