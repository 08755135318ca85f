"""What a drive between cones comes to: laps, cones, time off the track, as the rules count them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from autosim import Simulation
from autosim.applications.common.open_worlds import open_named_world
from autosim.applications.run.demo import wheel_places
from autosim.applications.run.race import Race, judge
from autosim.arrays import Floats
from autosim.cli import main
from autosim.config.descriptions import WorldDescription
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.tracks.cone_track import Cone, ConeTrack, track_between
from autosim.world.pipeline.cache import compile_world
from tests.paths import ROOT

INTERVAL = 0.1  # s
SPEED = 10.0  # m/s


@pytest.fixture(scope="module")
def world() -> WorldDescription:
    world = open_named_world(str(ROOT / "worlds/cone_track.xml"))
    return replace(world, robots=tuple(replace(each, program=None) for each in world.robots))


@pytest.fixture(scope="module")
def simulation(world: WorldDescription) -> Iterator[Simulation]:
    with Simulation(world, compiled=compile_world(world.terrain)) as made:
        for _ in range(60):
            made.step()
        yield made


@pytest.fixture
def state(simulation: Simulation) -> State:
    """A copy of the state, in which cones may be moved."""
    copy = State(simulation.state.tree)
    copy.floats[:] = simulation.state.floats
    return copy


@pytest.fixture(scope="module")
def track(world: WorldDescription) -> ConeTrack:
    found = track_between(Cone(thing.name, *thing.position[:2]) for thing in world.objects)
    assert found is not None
    return found


def driven(track: ConeTrack, metres: float, aside: float = 0.0) -> Floats:
    """Where a robot was (n, 4) that began before the line and drove so far beside the middle."""
    stations = np.arange(-6.0, metres - 6.0, SPEED * INTERVAL) % track.centre.length
    points = np.vstack([track.centre.points, track.centre.points[:1]])
    tangents = np.vstack([track.centre.tangents, track.centre.tangents[:1]])
    columns = [np.interp(stations, track.centre.distances, points[:, k]) for k in (0, 1)]
    ahead = [np.interp(stations, track.centre.distances, tangents[:, k]) for k in (0, 1)]
    yaw = np.arctan2(ahead[1], ahead[0])
    x, y = columns[0] - aside * np.sin(yaw), columns[1] + aside * np.cos(yaw)
    return np.column_stack([x, y, np.zeros(len(x)), yaw])


def judged(world: WorldDescription, state: State, samples: Floats) -> Race:
    wheels = wheel_places(samples, world.robots[0].robot)
    race = judge(world, state, wheels=wheels, middle=samples[:, :2], interval=INTERVAL)
    assert race is not None
    return race


def test_laps_are_counted_and_timed(
    world: WorldDescription, state: State, track: ConeTrack
) -> None:
    length = track.centre.length
    race = judged(world, state, driven(track, 2.5 * length))
    assert race.laps == 2
    assert race.lap_seconds == pytest.approx([length / SPEED] * 2, rel=0.01)
    assert (race.cones_hit, race.off_track_seconds) == (0, 0.0)


def test_with_all_wheels_outside_the_cones_it_is_off_the_track(
    world: WorldDescription, state: State, track: ConeTrack
) -> None:
    assert judged(world, state, driven(track, 100.0, aside=1.7)).off_track_seconds == 0.0
    assert judged(world, state, driven(track, 100.0, aside=3.2)).off_track_seconds == pytest.approx(
        10.0, abs=0.3
    )


def test_cones_that_lie_or_are_moved_are_hit(
    world: WorldDescription, state: State, track: ConeTrack
) -> None:
    def words(name: str) -> slice:
        node = state.tree.find(name)
        assert node is not None
        first = node.field_offset("position") // WORD
        return slice(first, first + 7)

    still = driven(track, 10.0)
    assert judged(world, state, still).cones_hit == 0
    state.floats[words("blue_3")][0] += 0.1  # m: still in its box
    assert judged(world, state, still).cones_hit == 0
    state.floats[words("blue_3")][0] += 0.2  # m
    state.floats[words("yellow_9")][3:7] = [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]  # lies
    state.floats[words("orange_1")][3:7] = [0.0, 0.0, 1.0, 0.0]  # turned, but stands
    assert judged(world, state, still).cones_hit == 2


def test_a_cone_falls_when_the_car_drives_into_it(
    world: WorldDescription, simulation: Simulation
) -> None:
    cone = next(thing for thing in world.objects if thing.name == "blue_20")
    x, y, _ = cone.position
    simulation.place(world.robots[0].name, (x - 3.5, y + 0.1), yaw=0.0, velocity=(10.0, 0.0, 0.0))
    for _ in range(150):
        simulation.step()
    assert judged(world, simulation.state, np.zeros((1, 4))).cones_hit >= 1


def test_without_cones_there_is_no_race(world: WorldDescription, state: State) -> None:
    empty = replace(world, objects=())
    samples = np.zeros((2, 4))
    wheels = wheel_places(samples, world.robots[0].robot)
    assert judge(empty, state, wheels=wheels, middle=samples[:, :2], interval=0.1) is None


def test_a_demo_takes_a_world_or_an_extract() -> None:
    result = CliRunner().invoke(main, ["demo", "--world", "a.xml", "--osm", "b.osm"])
    assert result.exit_code == 2
    assert "not both" in result.stderr
