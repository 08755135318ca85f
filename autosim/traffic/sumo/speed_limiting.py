"""Obstacles that SUMO does not see: people, people about to cross, and robots off the lanes."""

import numpy as np

from autosim.arrays import Floats
from autosim.jit import compiled_without_refcounts
from autosim.traffic.vehicles.driving.car_following import (
    braking_to_stop,
    following_acceleration,
    safe_speed,
)
from autosim.traffic.vehicles.driving.off_lane_obstacles import (
    find_crossing_stop,
    find_off_lane_obstacle,
    mark_crossing_demand,
)
from autosim.traffic.vehicles.routes.vehicle_paths import planned_distance
from autosim.traffic.vehicles.traffic_context import TrafficContext

_LEFT = 0.8
"""Length [m] that is left before what is in the way, however hard one brakes."""


@compiled_without_refcounts
def limit_speeds(town: TrafficContext, interval: float, limits: Floats, known: Floats) -> None:
    """Writes how fast each vehicle may be at the end of an interval [s].

    Args:
        town: all.
        interval: [s] to the next decision.
        limits: (V,) m/s, written; infinite where nothing is in the way.
        known: (V,) m, written: how far ahead the path of each is known.
    """
    mark_crossing_demand(town.crossing_places, town.people, town.crossing_wanted)
    for i in range(len(town.rows)):
        row = town.rows[i]
        limits[i], known[i] = np.inf, np.inf
        if not row.active:
            continue
        known[i] = planned_distance(town.lanes, row)
        speed = row.speed
        horizon = speed * speed / (2.0 * row.ease) + 3.0 * speed + 20.0
        found = np.inf
        crossing = find_crossing_stop(town, i, horizon)
        if crossing < np.inf:
            found = braking_to_stop(speed, row.ease, crossing, interval)
        gap, ahead, _ = find_off_lane_obstacle(town, i)
        if gap < np.inf:
            # The desired speed does not count: SUMO knows it.
            slower = following_acceleration(row, speed, max(speed, 1.0), gap, ahead)
            bound = (safe_speed(gap - _LEFT, ahead, interval) - speed) / interval
            found = min(found, slower, bound)
        if found < np.inf:
            limits[i] = max(speed + found * interval, 0.0)
