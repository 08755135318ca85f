"""Small networks and crowds for tests of people on foot."""

import numpy as np

from autosim.traffic.pedestrians.cell_lists import CellList, Posts
from autosim.traffic.pedestrians.destinations import Destinations
from autosim.traffic.pedestrians.pedestrian_motion import (
    PedestrianContext,
    decide_walking,
    move_pedestrians,
)
from autosim.traffic.pedestrians.pedestrian_rows import (
    Network,
    PedestrianRow,
    init_pedestrian,
    stream_of_person,
)
from autosim.traffic.pedestrians.pedestrian_traffic import Pedestrians
from autosim.traffic.pedestrians.vehicle_avoidance import NEAR
from autosim.traffic.road_users import BOX, WALKER, B, RoadUsers
from autosim.traffic.traffic_node import PERSON, P
from autosim.traffic.typed_rows import make_rows
from autosim.traffic.ways.walk_network import WalkNetwork, WayKind, network_of_lines

SECONDS = 1.0 / 20.0
NO_BOXES = np.zeros((0, BOX))
NO_SIGNALS = np.zeros(0, dtype=np.int64)


def block(edge: float = 40.0, half: float = 1.0) -> WalkNetwork:
    """Pavements round a square block with its corner at the origin."""
    nodes = np.array([(0.0, 0.0, 0.0), (edge, 0.0, 0.0), (edge, edge, 0.0), (0.0, edge, 0.0)])
    lines = [
        (np.stack([nodes[k], nodes[(k + 1) % 4]]), k, (k + 1) % 4, half, WayKind.PAVEMENT)
        for k in range(4)
    ]
    return network_of_lines(lines, nodes)


def street(kind: WayKind) -> WalkNetwork:
    """Two pavements along x, at y = -6 and y = 6, joined at x = 0 across lane 0."""
    nodes = np.array([(-60.0, -6.0, 0.0), (0.0, -6.0, 0.0), (0.0, 6.0, 0.0), (-60.0, 6.0, 0.0)])
    lines = [
        (nodes[[0, 1]], 0, 1, 0.8, WayKind.PAVEMENT),
        (nodes[[1, 2]], 1, 2, 0.8, kind),
        (nodes[[2, 3]], 2, 3, 0.8, WayKind.PAVEMENT),
    ]
    return network_of_lines(lines, nodes, [(), (0,), ()])


def around(count: int, vehicles=NO_BOXES, robots=NO_BOXES, signals=NO_SIGNALS) -> RoadUsers:
    """What people meet."""
    return RoadUsers(vehicles, robots, np.zeros((count, WALKER)), signals)


def box(x: float, y: float, speed: float = 0.0) -> np.ndarray:
    """One car along x at a place, with its speed [m/s] eastwards."""
    row = np.zeros((1, BOX))
    row[0, B.x], row[0, B.y], row[0, B.speed_x] = x, y, speed
    row[0, B.half_length], row[0, B.half_width] = 2.3, 0.9
    return row


def crowd(
    network: WalkNetwork, count: int, seed: int = 1, **options
) -> tuple[Pedestrians, np.ndarray]:
    """People who have just begun, and their rows of the state; they decide in each step."""
    people = Pedestrians(network, count=count, seed=seed, step_seconds=SECONDS, **options)
    state = np.zeros((count, PERSON))
    people.begin(state, np.zeros((count, WALKER)))
    return people, state


def walk(people: Pedestrians, state: np.ndarray, seconds: float, met: RoadUsers, first: int = 0):
    """Lets people walk; gives the number of the next step."""
    steps = round(seconds / SECONDS)
    for step in range(first, first + steps):
        people.advance(step, state, met)
    return first + steps


def room_between(people: Pedestrians, state: np.ndarray) -> float:
    """The least distance [m] between two people less their radii."""
    places = state[:, P.x : P.y + 1]
    gaps = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    radii = people.rows["radius"]
    gaps -= radii[:, None] + radii[None]
    np.fill_diagonal(gaps, np.inf)
    return float(gaps.min())


def ring(radius: float, half: float) -> Network:
    """A way that leads round a circle, and never to its goal."""
    angles = np.linspace(0.0, 2.0 * np.pi, 181)
    points = radius * np.column_stack([np.cos(angles), np.sin(angles), 0.0 * angles])
    one = network_of_lines([(points, 0, 0, half, WayKind.PAVEMENT)], points[:1])
    goals, ways = np.array([1], np.int32), np.zeros((2, 1, 1), np.int32)
    firsts, counts = np.zeros(1, np.int32), np.ones(1, np.int32)
    return Network.of(one, Destinations(goals, ways, firsts, counts))


def speed_in_ring(density: float, *, radius: float = 7.0, half: float = 1.25) -> float:
    """The mean speed [m/s] of people who all walk round at a density [1/m²]."""
    width = 2.0 * (half + 0.25)
    count = round(density * 2.0 * np.pi * radius * width)
    people, rows = np.zeros((count, PERSON)), make_rows(PedestrianRow, count)
    files = max(1, int(np.ceil(np.sqrt(count * 2.0 * half / (2.0 * np.pi * radius)))))
    for i in range(count):
        with np.errstate(over="ignore"):
            init_pedestrian(rows[i], stream_of_person(5, i))
        angle = 2.0 * np.pi * (i // files + 0.5 * (i % files % 2)) / np.ceil(count / files)
        out = radius + half - 2.0 * half * (i % files + 0.5) / files
        people[i, P.x], people[i, P.y] = out * np.cos(angle), out * np.sin(angle)
        rows[i].station, rows[i].forward, rows[i].wants = angle * radius, 1, -1
    ways = PedestrianContext(
        rows=rows,
        network=ring(radius, half),
        way_signals=NO_SIGNALS,
        wanted=np.zeros(1, np.int64),
        posts=Posts.of(np.zeros((0, 3))),
        cells=CellList.of(count),
        wishes=np.zeros((count, 3)),
        near=np.zeros((count, NEAR), np.int64),
        falls=np.zeros(2),
        seed=1,
        seconds=SECONDS,
        side=1.0,
    )
    speeds = []
    for step in range(round(25.0 / SECONDS)):
        decide_walking(ways, people, around(count))
        before = people[:, P.x : P.y + 1].copy()
        move_pedestrians(people, rows, SECONDS)
        if step * SECONDS > 12.0:
            outwards = before / np.linalg.norm(before, axis=1, keepdims=True)
            moved = (people[:, P.x : P.y + 1] - before) / SECONDS
            speeds.append(np.mean(moved[:, 1] * outwards[:, 0] - moved[:, 0] * outwards[:, 1]))
    return float(np.mean(speeds))
