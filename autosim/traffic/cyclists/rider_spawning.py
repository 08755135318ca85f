"""Initial positions of cyclists on their ways."""

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compiled, jitable
from autosim.model.noise import uniform
from autosim.portable import arctan2
from autosim.traffic.cyclists.cyclist_model import CYCLIST
from autosim.traffic.cyclists.rider_rows import RiderRow
from autosim.traffic.cyclists.rider_steering import place_and_slope
from autosim.traffic.pedestrians.pedestrian_rows import (
    Network,
    draw_destination,
    stream_of_person,
)
from autosim.traffic.typed_rows import Rows, make_rows

_TRIES = 20
"""Number of places that are tried for a cyclist."""

_APART = 6.0
"""Distance [m] between cyclists at first."""

_RADIUS = 0.35
"""Radius [m] of a cyclist to drivers, who brake for cyclists as for pedestrians."""

_FREE = make_rows(RiderRow, 1)
"""The record of a free place."""


@compiled
def place_riders(
    rows: Rows[RiderRow], network: Network, ways: Integers, ends: Floats, seed: int
) -> None:
    """Puts cyclists somewhere on their ways.

    Args:
        rows: (n,); written.
        network: the ways.
        ways: (w,) those on which they may be.
        ends: (w,) the lengths of these ways, added up [m].
        seed: of all random numbers.
    """
    slowest = CYCLIST.min_desired_speed
    for i in range(len(rows)):
        rows[i] = _FREE[0]
        row, stream = rows[i], stream_of_person(seed, i)
        pace = uniform(stream, np.uint64(1))
        row.pace = slowest + (CYCLIST.max_desired_speed - slowest) * pace
        row.radius = _RADIUS
        row.colour = int(8.0 * uniform(stream, np.uint64(2)))
        row.wants = -1
        for attempt in range(_TRIES):
            at = uniform(stream, np.uint64(40 + attempt)) * ends[-1]
            k = min(np.searchsorted(ends, at), len(ways) - 1)
            way = ways[k]
            station = network.lengths[way] - (ends[k] - at)
            forward = 1
            if not network.one_ways[way] and uniform(stream, np.uint64(3)) < 0.5:
                forward = -1
            row.way, row.station, row.forward = way, station, forward
            if _stand(rows, i, network, stream):
                break


@jitable
def _stand(rows: Rows[RiderRow], i: int, network: Network, stream: np.uint64) -> bool:
    """Places a cyclist as its row says, if the place is free; whether it was."""
    row = rows[i]
    way = row.way
    x, y, z, ux, uy, _ = place_and_slope(network, way, row.station)
    for j in range(i):
        gx, gy = rows[j].x - x, rows[j].y - y
        if rows[j].about and gx * gx + gy * gy < _APART * _APART:
            return False
    row.x, row.y, row.z = x, y, z
    row.yaw = arctan2(row.forward * uy, row.forward * ux)
    row.speed, row.about = 0.5 * row.pace, True
    draw_destination(row, network.ends[way, 1 if row.forward > 0 else 0], network, stream)
    return True
