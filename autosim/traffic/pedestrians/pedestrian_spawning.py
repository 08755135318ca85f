"""Initial positions of pedestrians, and positions at which they reappear."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compiled, jitable
from autosim.model.noise import uniform
from autosim.portable import arctan2
from autosim.traffic.pedestrians.pedestrian_rows import (
    Network,
    PedestrianRow,
    draw_destination,
    init_pedestrian,
    place_on_way,
    stream_of_person,
)
from autosim.traffic.road_users import B
from autosim.traffic.traffic_node import P
from autosim.traffic.typed_rows import Rows
from autosim.traffic.vehicles.spawning import SPAWN_VISIBILITY

_KINDS = 4
"""Number of the kinds of people."""

_COLOURS = 840
"""Number of the colours of people: clothes, skins and sizes follow from it."""

_APART = 0.8
"""Distance [m] that people keep from each other at first."""

_TRIES = 12
"""Number of positions that are tried for a pedestrian; if all are taken, none is spawned."""


class SpawnPlaces(NamedTuple):
    """Places at which pedestrians may appear."""

    network: Network
    """All ways."""
    ways: Integers
    """Numbers (w,) of the ways on which they may."""
    ends: Floats
    """Lengths (w,) of these ways, added up [m]."""
    posts: Floats
    """Posts (p, 3): x, y and radius [m], of which they keep clear."""


@compiled
def spawn_pedestrians(
    people: Floats,
    rows: Rows[PedestrianRow],
    places: SpawnPlaces,
    robots: Floats,
    seed: int,
    first: int,
    end: int,
    step: int,
) -> None:
    """Puts people, from the number `first` to before `end`, somewhere on pavements.

    Args:
        people: (n, 9) of the state, of which those are free; written.
        rows: (n,); written.
        places: where they may appear.
        robots: (r, 8) boxes, in whose sight no pedestrian is spawned.
        seed: of all random numbers.
        first: the number of the first of them.
        end: that after the last.
        step: in which they come.
    """
    ways, ends = places.ways, places.ends
    for i in range(first, end):
        stream = stream_of_person(seed, i)
        init_pedestrian(rows[i], stream)
        for attempt in range(_TRIES):
            at = uniform(stream, np.uint64(40 + attempt + (step << 8))) * ends[-1]
            k = 0
            while k < len(ways) - 1 and ends[k] < at:
                k += 1
            station = places.network.lengths[ways[k]] - (ends[k] - at)
            if _stand(people, rows, i, places, ways[k], station, robots, stream):
                break


@jitable
def _stand(
    people: Floats,
    rows: Rows[PedestrianRow],
    i: int,
    places: SpawnPlaces,
    way: int,
    station: float,
    robots: Floats,
    stream: np.uint64,
) -> bool:
    """Places a pedestrian at a position that is free and out of sight; whether it was possible."""
    network, posts, row = places.network, places.posts, rows[i]
    k, share = place_on_way(network, way, station)
    ax, ay, az = network.points[k, 0], network.points[k, 1], network.points[k, 2]
    ux, uy = network.points[k + 1, 0] - ax, network.points[k + 1, 1] - ay
    length = max(sqrt(ux * ux + uy * uy), 1e-9)
    aside = 0.7 * network.half_widths[way] * row.lean / length
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
    row.way, row.station, row.wants = way, station, -1
    forward = 1 if uniform(stream, np.uint64(4)) < 0.5 else -1
    row.forward = forward
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
