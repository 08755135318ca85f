"""What SUMO does not see: people, those who want to cross, and robots beside the lanes."""

import numpy as np

from autosim.arrays import Floats
from autosim.jit import uncounted
from autosim.traffic.vehicles.car_following import (
    following_acceleration,
    safe_speed,
    stopping_acceleration,
)
from autosim.traffic.vehicles.paths import planned
from autosim.traffic.vehicles.pool import ACTIVE, EASE, SPEED
from autosim.traffic.vehicles.sight import find_crossing, find_obstacle, watch_crossings
from autosim.traffic.vehicles.town import Town

_LEFT = 0.8
"""Length [m] that is left before what is in the way, however hard one brakes."""


@uncounted
def watch(town: Town, interval: float, limits: Floats, known: Floats) -> None:
    """Writes how fast each vehicle may be at the end of an interval [s].

    Args:
        town: all.
        interval: [s] to the next decision.
        limits: (V,) m/s, written; infinite where nothing is in the way.
        known: (V,) m, written: how far ahead the path of each is known.
    """
    watch_crossings(town.crossing_places, town.people, town.crossing_wanted)
    for i in range(len(town.rows)):
        row = town.rows[i]
        limits[i], known[i] = np.inf, np.inf
        if row[ACTIVE] == 0.0:
            continue
        known[i] = planned(town.lanes, row)
        speed = row[SPEED]
        horizon = speed * speed / (2.0 * row[EASE]) + 3.0 * speed + 20.0
        found = np.inf
        crossing = find_crossing(town, i, horizon)
        if crossing < np.inf:
            found = stopping_acceleration(speed, row[EASE], crossing, interval)
        gap, ahead, _ = find_obstacle(town, i)
        if gap < np.inf:
            # The speed that he would like does not count: SUMO knows it.
            slower = following_acceleration(row, speed, max(speed, 1.0), gap, ahead)
            bound = (safe_speed(gap - _LEFT, ahead, interval) - speed) / interval
            found = min(found, slower, bound)
        if found < np.inf:
            limits[i] = max(speed + found * interval, 0.0)
