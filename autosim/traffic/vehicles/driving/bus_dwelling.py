"""Buses stop at the stops of the map."""

import numpy as np

from autosim.jit import jitable
from autosim.model.noise import uniform
from autosim.traffic.vehicle_kinds import KIND_NAMES
from autosim.traffic.vehicles.traffic_context import TrafficContext
from autosim.traffic.vehicles.vehicle_pool import (
    lane_on_path,
    stream_of_driver,
)

_BUS = KIND_NAMES.index("bus")

_PASSED = 2.0
"""Distance [m] beyond a stop from which on a bus has passed it: doors reach so far."""

_THERE = 1.5
"""Distance [m] from a stop at which a bus that stands stands at it."""

_STANDS = 0.3
"""Speed [m/s] below which it stands."""

_DWELLS = (9.0, 12.0)
"""Least time [s] for which a bus stands at a stop, and the range of it: a few people get on and off
(TCRP Report 165, Transit Capacity and Quality of Service Manual, 2013: 10 s to 30 s)."""

_STOPS = np.uint64(1 << 30)
"""Number of the first random number of a driver that is spent on stops."""

INDICATES = 30.0
"""Distance [m] before a stop from which a bus indicates."""


@jitable
def find_bus_stop(town: TrafficContext, i: int, horizon: float) -> float:
    """Distance [m] to a bus's next stop; infinite for other vehicles, and without a stop."""
    if town.kinds[i] != _BUS:
        return np.inf
    lanes, row = town.lanes, town.rows[i]
    offset = -row.station
    for place in range(row.front, row.count):
        if offset > horizon:
            break
        lane = lane_on_path(row, place)
        for k in range(lanes.bus_stop_starts[lane], lanes.bus_stop_starts[lane + 1]):
            at = offset + lanes.bus_stops[k]
            if -_PASSED < at < horizon and row.served != k:
                return float(max(at, 0.0))
        offset += lanes.lengths[lane]
    return np.inf


@jitable
def dwell(town: TrafficContext, i: int, at: float, interval: float, seed: np.uint64) -> None:
    """Counts the time at a stop `at` [m] ahead; after it the bus continues."""
    row, lanes = town.rows[i], town.lanes
    if at > _THERE or row.speed > _STANDS:
        row.dwelt = 0.0
        return
    row.dwelt += interval
    lane = lane_on_path(row, row.front)
    for k in range(lanes.bus_stop_starts[lane], lanes.bus_stop_starts[lane + 1]):
        if abs(lanes.bus_stops[k] - row.station) <= _PASSED and row.served != k:
            chance = uniform(stream_of_driver(seed, row.serial), _STOPS + np.uint64(k))
            if row.dwelt > _DWELLS[0] + _DWELLS[1] * chance:
                row.served, row.dwelt = k, 0.0
            return
