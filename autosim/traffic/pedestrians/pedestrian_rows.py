"""Data of each pedestrian in addition to the state: destination, pace, and causes of waiting."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from autosim.arrays import Bytes, Floats, Integers32
from autosim.jit import jitable
from autosim.model.noise import normal, uniform
from autosim.traffic.ways.walk_network import WalkNetwork

if TYPE_CHECKING:  # it needs graphs, which a simulation without people does not
    from autosim.traffic.pedestrians.destinations import Destinations


class PedestrianRow(NamedTuple):
    """Columns of a row. Lengths in m, times in s.

    `way` and `forward` (1 or -1) along it, at `station`; `goal` is a row of the destinations,
    `trips` how many there have been; `pace` [m/s]; `lean` (-1 to 1), the preferred position in a
    way's width; `speed_x`, `speed_y`, `speed_z` [m/s]; `waited`: time spent waiting for a gap or
    for green; `down`: remaining time lying; `careless`: 1 for those who cross away from crossings;
    `stuck`: time without progress; `radius` [m]; `turn` [rad/s]; `wants`: the crossing way that the
    pedestrian is on or waits at, -1 for none. `hit_by` is the number of the robot that has just hit
    the pedestrian, plus 1, and `hit_x` and `hit_y` [m/s] are its velocity, away from it.
    """

    way: int = 0
    forward: int = 1
    station: int = 2
    goal: int = 3
    trips: int = 4
    pace: int = 5
    lean: int = 6
    speed_x: int = 7
    speed_y: int = 8
    speed_z: int = 9
    waited: int = 10
    down: int = 11
    careless: int = 12
    stuck: int = 13
    radius: int = 14
    turn: int = 15
    wants: int = 16
    hit_by: int = 17
    hit_x: int = 18
    hit_y: int = 19


R, WIDTH = PedestrianRow(), len(PedestrianRow._fields)
"""The columns, and the number of columns of a row."""

PACE, PACE_SPREAD = 1.34, 0.2
"""Mean and deviation [m/s] of the speed of people who walk freely. Weidmann, Transporttechnik der
Fussgänger (1993), has 1.34 and 0.26; the slowest and the fastest are left out here."""

_RADIUS, _RADIUS_SPREAD = 0.20, 0.02
"""Mean radius [m] of people and what it varies by: circles that two need abreast, as in the
collision-free speed model's own calibration."""

CARELESS = 0.25
"""Share of people who cross beside crossings rather than walk a detour: chosen."""


class Network(NamedTuple):
    """The arrays of a `WalkNetwork` and its `Destinations` that kernels use."""

    points: Floats
    stations: Floats
    starts: Integers32
    lengths: Floats
    half_widths: Floats
    kinds: Bytes
    ends: Integers32
    lanes: Integers32
    lane_starts: Integers32
    goals: Integers32
    next_ways: Integers32
    first_goals: Integers32
    goal_counts: Integers32
    one_ways: Bytes

    @classmethod
    def of(cls, ways: WalkNetwork, destinations: "Destinations") -> "Network":
        """The arrays of both."""
        goals = destinations._asdict()
        return cls(*(goals[each] if each in goals else getattr(ways, each) for each in cls._fields))


@jitable
def stream_of_person(seed: int, person: int) -> np.uint64:
    """The stream of random numbers of a person."""
    return np.uint64(seed) ^ (np.uint64(person + 1) * np.uint64(0x9E6C63D0676A9A99))


@jitable
def init_pedestrian(row: Floats, stream: np.uint64) -> None:
    """Initialises the constant properties of a pedestrian: pace, habits, size."""
    row[R.pace] = PACE + PACE_SPREAD * min(max(normal(stream, np.uint64(20)), -2.0), 2.0)
    row[R.lean] = 2.0 * uniform(stream, np.uint64(1)) - 1.0
    row[R.careless] = 1.0 if uniform(stream, np.uint64(2)) < CARELESS else 0.0
    row[R.radius] = _RADIUS + _RADIUS_SPREAD * (2.0 * uniform(stream, np.uint64(3)) - 1.0)


@jitable
def draw_destination(row: Floats, node: int, network: Network, stream: np.uint64) -> None:
    """Gives a person at a node another destination in the same connected part."""
    count = network.goal_counts[node]
    if count <= 0:
        return
    first = network.first_goals[node]
    place = int(uniform(stream, np.uint64(100 + int(row[R.trips]))) * count)
    place = min(place, count - 1)
    if network.goals[first + place] == node:
        place = (place + 1) % count
    row[R.goal] = first + place
    row[R.trips] += 1.0


@jitable
def place_on_way(network: Network, way: int, station: float) -> tuple[int, float]:
    """The segment of a way at a station [m], and the share (0..1) of it before the station."""
    low, high = network.starts[way], network.starts[way + 1] - 2
    while low < high:
        middle = (low + high + 1) // 2
        if network.stations[middle] <= station:
            low = middle
        else:
            high = middle - 1
    length = max(network.stations[low + 1] - network.stations[low], 1e-9)
    return low, (station - network.stations[low]) / length
