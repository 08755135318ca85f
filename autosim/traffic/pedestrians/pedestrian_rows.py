"""Data of each pedestrian in addition to the state: destination, pace, and causes of waiting."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from autosim.arrays import Bytes, Floats, Integers32
from autosim.jit import jitable
from autosim.model.noise import normal, uniform
from autosim.traffic.pedestrians.pedestrian_model import PEDESTRIAN
from autosim.traffic.typed_rows import RowRecord
from autosim.traffic.ways.walk_network import WalkNetwork

if TYPE_CHECKING:  # it needs graphs, which a simulation without people does not
    from autosim.traffic.pedestrians.destinations import Destinations


class PedestrianRow(RowRecord):
    """Record of a pedestrian."""

    way: int
    """Number of the way."""
    forward: int
    """Direction along the way: 1, or -1 against the order of its points."""
    station: float
    """Position [m] along the way."""
    goal: int
    """Number of the destination."""
    trips: int
    """Number of destinations so far."""
    pace: float
    """Desired speed [m/s]."""
    lean: float
    """Preferred position across the way, from -1 to 1."""
    speed_x: float
    """Velocity to the east [m/s]."""
    speed_y: float
    """Velocity to the north [m/s]."""
    speed_z: float
    """Velocity upwards [m/s]."""
    waited: float
    """Time [s] spent waiting for a gap or for green."""
    down: float
    """Remaining time [s] lying after a fall."""
    careless: bool
    """Whether the pedestrian crosses away from crossings rather than walk a detour."""
    stuck: float
    """Time [s] without progress."""
    radius: float
    """Radius [m] of the circle that stands for the body."""
    turn: float
    """Angular speed [rad/s]."""
    wants: int
    """Number of the crossing way that the pedestrian is on or waits at; -1 for none."""
    hit_by: int
    """Number of the robot that has just hit the pedestrian, plus 1; 0 for none."""
    hit_x: float
    """Velocity of that robot towards the pedestrian [m/s], to the east."""
    hit_y: float
    """The same to the north [m/s]."""


class Network(NamedTuple):
    """The arrays of a `WalkNetwork` and its `Destinations` that kernels use.

    Attributes:
        points: (p, 3) [m] in W, the middle lines of all ways.
        stations: (p,) [m] along the ways.
        starts: (n + 1,) first point of each way.
        lengths: (n,) of the ways [m].
        half_widths: (n,) of the ways [m].
        kinds: (n,) `WayKind`.
        ends: (n, 2) nodes at the start and the end of each way.
        lanes: lanes that ways cross, one way after another.
        lane_starts: (n + 1,) first of `lanes` of each way.
        goals: (g,) nodes, those of one connected part one after another.
        next_ways: (2, g, nodes) way from a node towards a goal, of the careful and of the careless.
        first_goals: (nodes,) first goal of a node's part.
        goal_counts: (nodes,) number of goals of a node's part.
        one_ways: (n,) 1 for ways that lead along their points only.
    """

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
def init_pedestrian(row: PedestrianRow, stream: np.uint64) -> None:
    """Initialises the constant properties of a pedestrian: pace, habits, size."""
    row.pace = PEDESTRIAN.pace + PEDESTRIAN.pace_spread * min(
        max(normal(stream, np.uint64(20)), -2.0), 2.0
    )
    row.lean = 2.0 * uniform(stream, np.uint64(1)) - 1.0
    row.careless = uniform(stream, np.uint64(2)) < PEDESTRIAN.careless
    row.radius = PEDESTRIAN.radius + PEDESTRIAN.radius_spread * (
        2.0 * uniform(stream, np.uint64(3)) - 1.0
    )


@jitable
def draw_destination(row: PedestrianRow, node: int, network: Network, stream: np.uint64) -> None:
    """Gives a person at a node another destination in the same connected part."""
    count = network.goal_counts[node]
    if count <= 0:
        return
    first = network.first_goals[node]
    place = int(uniform(stream, np.uint64(100 + row.trips)) * count)
    place = min(place, count - 1)
    if network.goals[first + place] == node:
        place = (place + 1) % count
    row.goal = first + place
    row.trips += 1


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
