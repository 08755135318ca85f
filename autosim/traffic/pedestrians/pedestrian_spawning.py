"""Initial positions of pedestrians, and positions at which they reappear."""

from math import sqrt

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compiled, jitable
from autosim.model.noise import uniform
from autosim.portable import arctan2
from autosim.traffic.pedestrians.pedestrian_rows import (
    Network,
    R,
    draw_destination,
    init_pedestrian,
    place_on_way,
    stream_of_person,
)
from autosim.traffic.road_users import B
from autosim.traffic.traffic_node import P
from autosim.traffic.vehicles.spawning import SPAWN_VISIBILITY

_KINDS = 4
"""Number of the kinds of people."""

_COLOURS = 840
"""Number of the colours of people: clothes, skins and sizes follow from it."""

_APART = 0.8
"""Distance [m] that people keep from each other at first."""

_TRIES = 12
"""Number of positions that are tried for a pedestrian; if all are taken, none is spawned."""


@compiled
def spawn_pedestrians(
    people: Floats,
    rows: Floats,
    network: Network,
    ways: Integers,
    ends: Floats,
    posts: Floats,
    robots: Floats,
    seed: int,
    first: int,
    end: int,
    step: int,
) -> None:
    """Puts people, from the number `first` to before `end`, somewhere on pavements.

    Args:
        people: (n, 9) of the state, of which those are free; written.
        rows: (n, WIDTH); written.
        network: the ways.
        ways: (w,) those on which people may be.
        ends: (w,) the lengths of these ways, added up [m].
        posts: (p, 3) of which people keep clear.
        robots: (r, 8) boxes, in whose sight no pedestrian is spawned.
        seed: of all random numbers.
        first: the number of the first of them.
        end: that after the last.
        step: in which they come.
    """
    for i in range(first, end):
        stream = stream_of_person(seed, i)
        init_pedestrian(rows[i], stream)
        for attempt in range(_TRIES):
            at = uniform(stream, np.uint64(40 + attempt + (step << 8))) * ends[-1]
            k = 0
            while k < len(ways) - 1 and ends[k] < at:
                k += 1
            station = network.lengths[ways[k]] - (ends[k] - at)
            if _stand(people, rows[i], i, network, ways[k], station, posts, robots, stream):
                break


@jitable
def _stand(
    people: Floats,
    row: Floats,
    i: int,
    network: Network,
    way: int,
    station: float,
    posts: Floats,
    robots: Floats,
    stream: np.uint64,
) -> bool:
    """Places a pedestrian at a position that is free and out of sight; whether it was possible."""
    k, share = place_on_way(network, way, station)
    ax, ay, az = network.points[k, 0], network.points[k, 1], network.points[k, 2]
    ux, uy = network.points[k + 1, 0] - ax, network.points[k + 1, 1] - ay
    length = max(sqrt(ux * ux + uy * uy), 1e-9)
    aside = 0.7 * network.half_widths[way] * row[R.lean] / length
    x, y = ax + share * ux - aside * uy, ay + share * uy + aside * ux
    for j in range(len(people)):
        if j == i or people[j, P.kind] < 0.0:
            continue
        if _gap(people[j, P.x] - x, people[j, P.y] - y) < _APART:
            return False
    for j in range(len(posts)):
        if _gap(posts[j, 0] - x, posts[j, 1] - y) < posts[j, 2] + _APART / 2.0:
            return False
    for j in range(len(robots)):
        if _gap(robots[j, B.x] - x, robots[j, B.y] - y) < SPAWN_VISIBILITY:
            return False
    row[R.way], row[R.station], row[R.wants] = way, station, -1.0
    forward = 1.0 if uniform(stream, np.uint64(4)) < 0.5 else -1.0
    row[R.forward] = forward
    draw_destination(row, network.ends[way, 0], network, stream)
    person = people[i]
    person[P.x], person[P.y] = x, y
    person[P.z] = az + share * (network.points[k + 1, 2] - az)
    person[P.yaw] = arctan2(forward * uy, forward * ux)
    person[P.kind] = np.floor(_KINDS * uniform(stream, np.uint64(5)))
    person[P.colour] = np.floor(_COLOURS * uniform(stream, np.uint64(6)))
    person[P.walked] = 2.0 * uniform(stream, np.uint64(7))
    return True


@jitable
def _gap(x: float, y: float) -> float:
    return sqrt(x * x + y * y)
