"""Signals and people of a fleet's town: what cars see of them, and what ends their episodes."""

import numpy as np
import pytest

from autosim.environments.fleet import FleetVectorEnv
from autosim.environments.fleet.fleet_endings import HIT_PERSON, RAN_RED
from autosim.environments.fleet.fleet_tasks import fleet as named_fleet
from autosim.environments.fleet.shared_town import SIGNAL_WIDTH, SharedTown
from autosim.environments.fleet.signal_tables import TICK, state_table_of
from autosim.environments.tasks import FollowLane
from autosim.environments.terminations import Collided
from autosim.environments.traffic_endings import HitPerson, RanRed
from autosim.loading.loader import load_world
from autosim.tracks.conflict_view import HALF_LENGTH
from autosim.traffic.signals.signal_plan import make_plan
from autosim.world.lanes.lane_rules import SignalState
from autosim.world.pipeline.cache import compile_world

WORLD = "worlds/circle_town.xml"
WAITING = (SignalState.RED, SignalState.RED_AMBER)


def fleet(town: SharedTown, cars: int = 1, **options: object) -> FleetVectorEnv:
    given: dict[str, object] = {
        "threads": 1,
        "shared": town,
        "task": FollowLane(64, 400.0, offset=0.0, turn=0.0, endings=()),
        "autoreset_mode": "SameStep",
    }
    return FleetVectorEnv(WORLD, cars=cars, rays=0, **(given | options))  # type: ignore[arg-type]


def before_a_line(environment: FleetVectorEnv, metres: float) -> tuple[int, np.ndarray]:
    """Begins so far before a stop line with a signal; returns its point and the observation."""
    users, paths = environment.users, environment.paths
    assert users is not None
    for row in np.flatnonzero(users.line_signals >= 0).tolist():
        path = int(np.searchsorted(paths.starts, row, side="right")) - 1
        station = users.line_stations[row] - HALF_LENGTH - metres
        if station > 4.0 and not (users.line_signals[paths.starts[path] : row] >= 0).any():
            seen, _ = environment.reset(seed=1, options={"path": path, "station": station})
            return row, seen[0]
    raise AssertionError("no path of the town has a signal")


def show(environment: FleetVectorEnv, row: int, states: tuple[SignalState, ...]) -> None:
    """Sets the clock so that the signal at a point shows one of some states for a while."""
    users = environment.users
    assert users is not None
    signal = int(users.line_signals[row])
    length = int(users.state_lengths[signal])
    shown = np.isin(users.states[signal, :length], states)
    runs = [tick for tick in range(length - 12) if shown[tick : tick + 12].all()]
    users.clocks[:] = runs[0] * TICK


def test_signals_that_exclude_each_other_are_never_green_together() -> None:
    plan = make_plan(compile_world(load_world(WORLD).terrain), most=64)
    table = state_table_of(plan)
    assert (table.lengths > 20).all()
    for number, length in enumerate(table.lengths.tolist()):
        states = table.states[number, :length]
        assert SignalState.GREEN in states
        assert SignalState.RED in states
    lit = (SignalState.GREEN, SignalState.AMBER)
    for one, other in plan.apart.tolist():
        assert table.lengths[one] == table.lengths[other]
        both = np.isin(table.states[one], lit) & np.isin(table.states[other], lit)
        assert not both.any()


def test_the_next_signal_is_seen_with_its_distance() -> None:
    environment = fleet(SharedTown(cars=1, traffic=0, observed=1, has_signals=True))
    row, seen = before_a_line(environment, 30.0)
    assert seen[-SIGNAL_WIDTH] == 1.0
    assert seen[-SIGNAL_WIDTH + 1] == pytest.approx(0.5, abs=0.03)
    for states, told in (((SignalState.GREEN,), 0.0), (WAITING, 1.0)):
        show(environment, row, states)
        assert environment.look()[0, -1] == told
    without = fleet(SharedTown(cars=1, traffic=0, observed=1))
    assert without.single_observation_space.shape == (len(seen) - SIGNAL_WIDTH,)


@pytest.mark.parametrize(("states", "ended"), [(WAITING, RAN_RED), ((SignalState.GREEN,), 0)])
def test_an_episode_ends_where_a_car_passes_a_red_light(
    states: tuple[SignalState, ...], ended: int
) -> None:
    task = FollowLane(64, 400.0, offset=0.0, turn=0.0, endings=(RanRed(-7.0),), rewards=())
    town = SharedTown(cars=1, traffic=0, observed=1, has_signals=True)
    environment = fleet(town, task=task)
    row, _ = before_a_line(environment, 6.0)
    show(environment, row, states)
    found = []
    for _ in range(40):
        _, rewards, _, _, info = environment.step(np.array([[0.0, 1.0]], np.float32))
        if "ended_by" in info:
            found.append((int(info["ended_by"][0]), float(rewards[0])))
            break
    assert found == ([(ended, -7.0)] if ended else [])


def test_traffic_waits_at_red() -> None:
    environment = fleet(SharedTown(cars=1, traffic=16, observed=0, has_signals=True))
    environment.reset(seed=3)
    users, paths = environment.users, environment.paths
    assert users is not None
    passed = {True: 0, False: 0}
    before = users.stations.copy(), users.path.copy()
    for _ in range(900):
        environment.step(np.array([[0.0, -1.0]], np.float32))
        for vehicle in np.flatnonzero(users.path == before[1]).tolist():
            first = int(paths.starts[users.path[vehicle]])
            old, new = before[0][vehicle] + HALF_LENGTH, users.stations[vehicle] + HALF_LENGTH
            line = int(users.following[first + max(int(old / 2.0) - 1, 0)])
            if line >= 0 and old < users.line_stations[line] + 0.5 <= new < old + 4.0:
                signal = int(users.line_signals[line])
                tick = int(users.clocks[0] / TICK) % int(users.state_lengths[signal])
                passed[users.states[signal, tick] in WAITING] += 1
        before = users.stations.copy(), users.path.copy()
    assert passed[False] >= 3
    assert passed[True] == 0


def test_people_cross_at_crossings_and_arrive() -> None:
    environment = fleet(SharedTown(cars=1, traffic=0, observed=2, people=10, has_signals=True))
    environment.reset(seed=2)
    users = environment.users
    assert users is not None
    starts = users.walker_begun.copy()
    places, speeds = [], []
    for _ in range(600):
        environment.step(np.array([[0.0, -1.0]], np.float32))
        people = users.boxes[0, 1:]
        places.append(people[:, :2].copy())
        speeds.append(np.hypot(people[:, 6], people[:, 7]))
    assert (users.walker_begun > starts).sum() >= 5
    assert 0.05 < (np.array(speeds) > 0.5).mean() < 0.95  # they wait, and they walk
    roads = compile_world(load_world(WORLD).terrain).roads
    _, along = roads.nearest_lanes(np.concatenate(places[::50]))
    assert (np.abs(along[:, 1]) < 8.0).all()


def test_an_episode_ends_where_a_car_hits_a_person() -> None:
    task = FollowLane(
        64, 400.0, offset=0.0, turn=0.0, rewards=(), endings=(Collided(-5.0), HitPerson(-9.0))
    )
    environment = fleet(SharedTown(cars=1, traffic=0, observed=2, people=1), task=task)
    environment.reset(seed=2, options={"path": 0, "station": 10.0})
    users = environment.users
    assert users is not None
    x, y, yaw = environment.cars.poses[0, :3]
    ends = []
    for _ in range(30):
        # The person stands 8 m ahead of where the car began.
        users.walkers[0] = 0.0, 0.0, 1.0, 99.0
        users.walks[0, :2] = x + 8.0 * np.cos(yaw), y + 8.0 * np.sin(yaw)
        _, rewards, _, _, info = environment.step(np.array([[0.0, 1.0]], np.float32))
        if "ended_by" in info:
            ends.append((int(info["ended_by"][0]), float(rewards[0])))
            break
    assert ends == [(HIT_PERSON, -9.0)]


def test_the_same_seed_gives_the_same_bytes_with_people_and_signals() -> None:
    town = SharedTown(cars=8, traffic=4, observed=3, people=6, has_signals=True)
    rng = np.random.default_rng(0)
    actions = rng.uniform(-1.0, 1.0, (30, 32, 2)).astype(np.float32)
    results = []
    for threads in (1, 2):
        environment = fleet(town, cars=32, threads=threads)
        environment.reset(seed=5)
        results.append(np.stack([environment.step(each)[0] for each in actions]))
        environment.close()
    assert results[0].tobytes() == results[1].tobytes()


def test_endings_that_the_town_does_not_have_are_refused() -> None:
    task = FollowLane(endings=(RanRed(),))
    with pytest.raises(ValueError, match="a fleet does not support RanRed"):
        fleet(SharedTown(cars=1), task=task)
    town = SharedTown(cars=4, traffic=2, observed=2, people=4, has_signals=True)
    made = named_fleet(4, "Traffic", shared=town, threads=1)
    names = {type(each).__name__ for each in made.task.endings}
    assert {"HitPerson", "RanRed"} <= names
    made.close()
