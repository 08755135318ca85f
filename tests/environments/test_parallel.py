"""Several cars learn in one simulation, with PettingZoo's interface."""

from collections.abc import Iterator

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

from autosim.environments.parallel import (
    LEAST_DISTANCE,
    ParallelDrivingEnv,
    parallel_env,
)
from autosim.environments.tasks import FollowLane
from autosim.tracks.lane_view import WIDTH
from tests.environments.test_driving import AHEAD, TOWN, follow


@pytest.fixture(scope="module")
def environment() -> Iterator[ParallelDrivingEnv]:
    """Three cars that follow lanes of the small town."""
    task = FollowLane(routes=8, offset=0.0, turn=0.0)
    made = ParallelDrivingEnv(TOWN, agents=3, task=task)
    yield made
    made.close()


def test_pettingzoo_finds_no_fault() -> None:
    made = parallel_env("autosim/Town-v0", agents=2, rays=30)
    parallel_api_test(made, num_cycles=30)
    made.close()


def test_pettingzoo_finds_the_same_with_the_same_seed() -> None:
    task = FollowLane(routes=4)
    parallel_seed_test(lambda: ParallelDrivingEnv(TOWN, task=task), num_cycles=10)


def test_each_car_follows_a_way_of_its_own(environment: ParallelDrivingEnv) -> None:
    seen, begun = environment.reset(seed=4)
    assert environment.agents == ["impreza_1", "impreza_2", "impreza_3"]
    for _ in range(60):
        actions = {name: follow(seen[name]) for name in environment.agents}
        seen, rewards, *_, infos = environment.step(actions)
    driven = [infos[name]["station"] - begun[name]["station"] for name in environment.agents]
    assert environment.agents == list(rewards)
    assert len(driven) == 3
    assert min(driven) > 15.0
    assert len({infos[name]["station"] for name in infos}) == 3


def test_cars_begin_apart(environment: ParallelDrivingEnv) -> None:
    for seed in range(5):
        environment.reset(seed=seed)
        places = np.array([car.place for car in environment.cars.values()])
        away = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
        assert away[~np.eye(3, dtype=bool)].min() >= LEAST_DISTANCE - 0.1


def test_a_car_whose_episode_has_ended_stands_while_the_others_go_on(
    environment: ParallelDrivingEnv,
) -> None:
    seen, _ = environment.reset(seed=4)
    first, *others = environment.agents
    for _ in range(80):
        actions = {name: follow(seen[name]) for name in environment.agents}
        actions[first] = np.array([1.0, 0.6], dtype=np.float32)
        seen, _, ended, _, infos = environment.step(actions)
        if ended[first]:
            break
    assert infos[first]["ended_by"] in ("OffLane", "Collided")
    assert environment.agents == others
    for _ in range(30):
        seen, *_ = environment.step({name: follow(seen[name]) for name in environment.agents})
        assert first not in seen
    car = environment.cars[first]
    car.look_around()
    assert abs(car.situation.speed) < 0.1


def test_episodes_are_cut_after_as_many_steps_as_are_wanted() -> None:
    made = ParallelDrivingEnv(TOWN, most_steps=3, task=FollowLane(routes=4))
    made.reset(seed=0)
    for step in range(3):
        _, _, ended, cut, _ = made.step(dict.fromkeys(made.agents, AHEAD))
        assert set(cut.values()) == {step == 2}
    assert not any(ended.values())
    assert not made.agents
    made.close()


def test_an_agent_without_an_action_is_named(environment: ParallelDrivingEnv) -> None:
    environment.reset(seed=0)
    with pytest.raises(ValueError, match="no action for impreza_2, impreza_3"):
        environment.step({"impreza_1": AHEAD})


@pytest.mark.parametrize("agents", [2, 4])
def test_cars_that_park_have_a_place_each(agents: int) -> None:
    made = parallel_env("autosim/Parking-v0", agents=agents)
    goals = set()
    for seed in range(3):
        seen, _ = made.reset(seed=seed)
        goals = {
            car.task.start(made.paths, np.random.default_rng(0), k).goal
            for k, car in enumerate(made.cars.values())
        }
        away = [float(np.hypot(*seen[name][:2])) for name in made.agents]
        assert max(away) < 2.0
    assert len(goals) == agents
    forward = {name: np.array([0.0, 0.5], dtype=np.float32) for name in made.agents}
    _, rewards, *_ = made.step(forward)
    assert len(rewards) == agents
    made.close()


def test_more_cars_than_places_to_park_at_are_refused() -> None:
    made = parallel_env("autosim/Parking-v0", agents=5)
    with pytest.raises(ValueError, match="4 places to park at"):
        made.reset(seed=0)
    made.close()


def test_options_choose_where_an_agent_starts(environment: ParallelDrivingEnv) -> None:
    options = {"starts": {"impreza_2": {"path": 5, "station": 20.0}}}
    _, infos = environment.reset(seed=1, options=options)
    assert infos["impreza_2"]["station"] == pytest.approx(20.0, abs=0.5)
    with pytest.raises(ValueError, match="no option 'impreza_9'"):
        environment.reset(seed=1, options={"starts": {"impreza_9": {}}})


def test_there_may_be_no_room_for_all() -> None:
    task = FollowLane(routes=1, length=40.0)
    made = ParallelDrivingEnv(TOWN, agents=12, task=task)
    with pytest.raises(ValueError, match="no room for 12 agents"):
        made.reset(seed=0)


def test_only_environments_of_autosim_in_this_process_have_several_cars() -> None:
    with pytest.raises(ValueError, match="not an environment of AutoSim"):
        parallel_env("CartPole-v1")
    with pytest.raises(ValueError, match="leave out the address"):
        parallel_env("autosim/Town-v0", address="127.0.0.1:2008")
    with pytest.raises(ValueError, match="one agent or more"):
        parallel_env("autosim/LaneKeeping-v0", agents=0)


def test_agents_see_and_hit_one_another() -> None:
    made = parallel_env("autosim/Traffic-v0", agents=2, vehicles=0, people=2)
    starts = {
        "impreza_1": {"path": 2, "station": 20.0},
        "impreza_2": {"path": 2, "station": 32.0},
    }
    seen, _ = made.reset(seed=1, options={"starts": starts})
    ahead, behind = (seen[name][WIDTH : WIDTH + 6] for name in made.agents)
    assert ahead[0] == behind[0] == 1.0
    assert ahead[1] * 50.0 == pytest.approx(12.0, abs=0.7)
    assert behind[1] * 50.0 == pytest.approx(-12.0, abs=0.7)
    full, brake = (np.array([0.0, each], dtype=np.float32) for each in (1.0, -1.0))
    endings = {}
    for _ in range(60):
        actions = {name: full if name == "impreza_1" else brake for name in made.agents}
        seen, _, ended, _, infos = made.step(actions)
        endings |= {name: infos[name]["ended_by"] for name in infos if ended[name]}
        if "impreza_1" in endings:
            break
    assert endings["impreza_1"] == "HitVehicle"
    made.close()


def test_a_scenario_has_several_agents_of_whom_the_first_is_its_car() -> None:
    made = parallel_env("autosim/Scenario-v0", agents=3)
    seen, _ = made.reset(seed=1)
    assert made.agents == ["impreza", "impreza_2", "impreza_3"]
    places = np.array([car.place for car in made.cars.values()])
    assert np.hypot(*np.diff(places, axis=0).T) == pytest.approx([12.0, 12.0], abs=1.0)
    assert (seen["impreza"][WIDTH] == 1.0).all()
    made.close()


def test_conditions_are_those_of_all_agents() -> None:
    made = parallel_env("autosim/LaneKeeping-v0", agents=2)
    made.reset(seed=1, options={"wetness": 0.5})
    assert made.simulation is not None
    assert made.simulation.world.physics.wetness == 0.5
    made.close()
