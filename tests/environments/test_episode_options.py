"""Options of `reset` choose goal, world, weather, tyres and traffic of an episode."""

from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest

import autosim.environments  # noqa: F401 (it registers the names)
from autosim.config.studies import Parameter
from autosim.environments.driving import DrivingEnv
from autosim.environments.episodes.episode_worlds import MOST_WORLDS
from autosim.environments.randomized import EpisodeOutcome, Randomized, Stages, draw_value
from autosim.environments.tasks import FollowTrack, Park
from autosim.errors import UserError
from autosim.tracks.lane_paths import NoPathError
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.lanes.routing import shortest_way
from tests.environments.test_driving import AHEAD, TOWN, follow

FRICTION = "robots/impreza.xml:Devices/WheelDevice/Friction"


@pytest.fixture(scope="module")
def environment() -> Iterator[DrivingEnv]:
    """A car among traffic."""
    made = gymnasium.make("autosim/Junction-v0", vehicles=4, people=2).unwrapped
    assert isinstance(made, DrivingEnv)
    yield made
    made.close()


def speed_after_full_braking(environment: DrivingEnv, **options: object) -> float:
    """Speed [m/s] after 1.5 s of full pedal and 0.8 s of full brake."""
    environment.reset(seed=1, options={"path": 2, "station": 30.0, **options})
    for pedal in [1.0] * 15 + [-1.0] * 8:
        info = environment.step(np.array([0.0, pedal], dtype=np.float32))[-1]
    return float(info["speed"])


def test_tyres_with_less_grip_brake_less(environment: DrivingEnv) -> None:
    usual = speed_after_full_braking(environment)
    assert speed_after_full_braking(environment, friction=0.1) > usual + 0.5
    assert speed_after_full_braking(environment) == usual


def test_rain_makes_streets_wet(environment: DrivingEnv) -> None:
    environment.reset(seed=1, options={"weather": {"rain": 0.7}})
    assert environment.simulation is not None
    world = environment.simulation.world
    assert (world.physics.wetness, world.graphics.sky.rain) == (0.7, 0.7)
    environment.reset(seed=1, options={"weather": {"rain": 0.7}, "wetness": 0.1})
    assert environment.simulation.world.physics.wetness == 0.1


def test_a_seed_of_traffic_changes_the_traffic_alone(environment: DrivingEnv) -> None:
    found = []
    for options in ({}, {"traffic_seed": 5}, {}):
        environment.reset(seed=2, options=options)
        found.append((environment.agent.place.tolist(), environment.digest))
    assert found[0] == found[2]
    assert found[0][0] == found[1][0]
    assert found[0][1] != found[1][1]


def test_a_goal_is_reached_along_the_lanes(environment: DrivingEnv) -> None:
    options = {"path": 2, "station": 10.0}
    environment.reset(seed=1, options=options)
    paths = environment.paths
    goal = paths.points[paths.starts[2] + 35, :2]
    seen, _ = environment.reset(seed=1, options={**options, "goal": goal})
    assert np.hypot(*environment.agent.situation.goal[:2]) < 75.0
    for _ in range(200):
        seen, _, ended, _, info = environment.step(follow(seen))
        if ended:
            break
    assert info["ended_by"] == "Arrived"
    assert np.hypot(*(environment.agent.place - goal)) < 8.0


def leads_back(roads: RoadNetwork, lane: int) -> bool:
    return any(shortest_way(roads, each, lane) for each in roads.lanes[lane].successors)


def test_a_goal_behind_the_car_is_reached_around_the_block() -> None:
    made = DrivingEnv(TOWN)
    roads = made.run.compiled.roads
    long = np.flatnonzero(~roads.connectors & (roads.lengths() > 40.0)).tolist()
    lane = next(each for each in long if leads_back(roads, each))
    start, goal = (roads.lanes[lane].position(each)[:2] for each in (30.0, 20.0))
    heading = roads.lanes[lane].heading(20.0)
    options = {"position": start, "yaw": heading, "goal": (*goal, heading)}
    made.reset(seed=1, options=options)
    assert made.agent.situation.length > 60.0
    assert made.agent.situation.goal[0] == pytest.approx(-10.0, abs=3.0)
    made.close()


def test_a_goal_in_a_field_is_refused(environment: DrivingEnv) -> None:
    with pytest.raises(NoPathError, match="no lane is within 20 m of x 5000 m"):
        environment.reset(seed=1, options={"goal": (5000.0, 0.0)})


def test_a_place_to_park_at_is_a_goal_with_a_start_near_it() -> None:
    made = DrivingEnv(TOWN, task=Park((0.0, -60.0, 0.0)))
    made.reset(seed=1, options={"goal": (40.0, -20.0, 1.5)})
    assert np.hypot(*(made.agent.place - (40.0, -20.0))) < 20.0
    assert np.hypot(*made.agent.situation.goal[:2]) < 20.0
    made.close()


def test_a_race_has_the_goal_of_its_track() -> None:
    corners = 20.0 * np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    made = DrivingEnv(TOWN, task=FollowTrack(corners, 3.0))
    with pytest.raises(ValueError, match="FollowTrack has the goal of its world"):
        made.reset(seed=1, options={"goal": (0.0, 0.0)})
    made.close()


def test_another_world_is_for_one_episode_and_has_the_same_traffic(
    environment: DrivingEnv,
) -> None:
    environment.reset(seed=1)
    before = environment.digest
    environment.reset(seed=1, options={"world": "worlds/highway_merge.xml"})
    assert environment.simulation is not None
    world = environment.simulation.world
    assert world.name == "highway_merge"
    assert world.traffic is not None
    assert world.traffic.vehicles == 4
    environment.step(AHEAD)
    environment.reset(seed=1)
    assert environment.digest == before


def test_settings_are_those_of_sweeps(environment: DrivingEnv) -> None:
    usual = speed_after_full_braking(environment)
    assert speed_after_full_braking(environment, settings={FRICTION: 0.1}) > usual + 0.5
    environment.reset(seed=1, options={"settings": {"world:Physics/Dynamics/Gravity": 1.6}})
    assert environment.run.world.physics.gravity == 1.6
    with pytest.raises(UserError, match="there is no 'Gravitation'"):
        environment.reset(options={"settings": {"world:Physics/Dynamics/Gravitation": 1.6}})


def test_worlds_that_are_not_used_are_closed(environment: DrivingEnv) -> None:
    for number in range(MOST_WORLDS + 2):
        options = {"settings": {"world:Physics/Dynamics/Gravity": 9.0 + 0.1 * number}}
        environment.reset(seed=1, options=options)
    assert environment.run.world.physics.gravity == pytest.approx(9.9)
    environment.reset(seed=1)
    assert environment.run.world.physics.gravity == pytest.approx(9.81, abs=0.01)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"goal": 3.0}, "goal: expected x and y"),
        ({"friction": -1.0}, "friction: expected a number from 0.05 to 2"),
        ({"weather": {"sun": 1.0}}, "weather has no 'sun'"),
        ({"weather": "rain"}, "weather: expected a mapping"),
        ({"traffic_seed": 1.5}, "traffic_seed: expected a whole number"),
        ({"world": 7}, "world: expected a file"),
        ({"settings": {"gravity": 1.0}}, "settings: expected an address"),
    ],
)
def test_options_without_a_meaning_are_refused(
    environment: DrivingEnv, options: dict[str, object], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        environment.reset(seed=1, options=options)


def test_a_world_whose_car_has_other_devices_is_refused() -> None:
    made = gymnasium.make("autosim/Town-v0", rays=16)
    with pytest.raises(ValueError, match="expected a file"):
        made.reset(options={"world": 7})
    seen, _ = made.reset(options={"world": "worlds/highway_merge.xml"})
    assert made.observation_space.contains(seen)
    made.close()


def test_random_parameters_are_options_weather_and_settings() -> None:
    parameters = [
        Parameter("wetness", low=0.2, high=0.4),
        Parameter("weather.rain", low=0.5, high=0.6),
        Parameter("world:Physics/Dynamics/Gravity", values=("9.0",)),
        Parameter("traffic_seed", low=0, high=3, is_whole=True),
    ]
    made = Randomized(gymnasium.make("autosim/Junction-v0", vehicles=2, people=0), parameters)
    chosen = [made.reset(seed=seed)[1]["options"] for seed in (1, 2, 1)]
    assert chosen[0] == chosen[2]
    assert all(0.2 <= each["wetness"] <= 0.4 for each in chosen)
    assert all(each["traffic_seed"] in (0.0, 1.0, 2.0, 3.0) for each in chosen)
    assert all(0.5 <= each["weather"]["rain"] <= 0.6 for each in chosen)
    simulation = made.unwrapped.simulation  # type: ignore[attr-defined]
    assert simulation.world.physics.gravity == 9.0
    assert made.reset(options={"wetness": 1.0})[1]["options"]["wetness"] == 1.0
    made.close()


def test_each_value_of_a_parameter_is_drawn() -> None:
    rng = np.random.default_rng(0)
    worlds = Parameter("world", values=(TOWN, "worlds/highway_merge.xml"))
    assert {draw_value(worlds, rng) for _ in range(20)} == {TOWN, "worlds/highway_merge.xml"}
    whole = Parameter("traffic_seed", low=1, high=3, is_whole=True)
    assert {draw_value(whole, rng) for _ in range(40)} == {1.0, 2.0, 3.0}
    even = [draw_value(Parameter("mass", low=0.1, high=10.0, is_log=True), rng) for _ in range(99)]
    assert 0.3 < np.median(even) < 3.0
    grid = Parameter("wetness", low=0.0, high=1.0, count=3)
    assert {draw_value(grid, rng) for _ in range(40)} == {0.0, 0.5, 1.0}


def outcome(is_success: bool) -> EpisodeOutcome:
    return EpisodeOutcome({}, is_success, "", 0.0, 1)


def test_a_stage_ends_after_enough_successes() -> None:
    easy, hard = [Parameter("wetness", values=("0",))], [Parameter("wetness", values=("1",))]
    stages = Stages([easy, hard], success=0.75, window=4)
    outcomes = [outcome(False)]
    assert stages(outcomes) == easy
    outcomes += [outcome(True)] * 3
    assert stages(outcomes) == hard
    assert stages([*outcomes, outcome(False)] * 4) == hard
    assert stages.stage == 1


def test_a_curriculum_receives_the_outcomes_of_episodes() -> None:
    received: list[int] = []

    def choose(outcomes: list[EpisodeOutcome]) -> list[Parameter]:
        received.append(len(outcomes))
        return [Parameter("wetness", values=(f"{0.1 * len(outcomes)}",))]

    made = Randomized(gymnasium.make("autosim/LaneKeeping-v0"), choose)
    for _ in range(3):
        made.reset(seed=1)
        made.step(AHEAD)
    assert received == [0, 1, 2]
    assert [each.options["wetness"] for each in made.outcomes] == [0.0, 0.1]
    made.close()


def test_a_parameter_without_a_range_is_refused() -> None:
    with pytest.raises(ValueError, match="'wetness' has neither values nor a range"):
        Randomized(gymnasium.make("autosim/LaneKeeping-v0"), [Parameter("wetness", low=1.0)])
