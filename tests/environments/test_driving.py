"""An environment is a simulation, with Gymnasium's interface."""

import gc
import pickle
from collections.abc import Callable, Iterator

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import autosim.environments  # noqa: F401 (it registers the names)
from autosim.environments.driving import PHYSICS_STEPS, DrivingEnv
from autosim.environments.observations import DeviceValues, LaneView
from autosim.environments.tasks import FollowLane, Park
from autosim.tracks import lane_view
from autosim.tracks.lane_paths import NoPathError, make_paths
from autosim.world.lanes.roads import RoadNetwork

TOWN = "worlds/circle_town.xml"
AHEAD = np.array([0.0, 0.5], dtype=np.float32)


@pytest.fixture(scope="module")
def environment() -> Iterator[DrivingEnv]:
    """A car that follows lanes of the small town."""
    made = DrivingEnv(TOWN, task=FollowLane(routes=8, offset=0.0, turn=0.0))
    yield made
    made.close()


def follow(seen: np.ndarray) -> np.ndarray:
    """Steers towards the path some metres ahead, and keeps to 6 m/s."""
    steering = 2.0 * seen[lane_view.BEARINGS + 1]
    pedal = 0.5 if seen[lane_view.SPEED] < 6.0 / lane_view.SPEED_UNIT else -0.1
    return np.clip(np.array([steering, pedal], dtype=np.float32), -1.0, 1.0)


@pytest.mark.parametrize("name", ["LaneKeeping", "Parking", "Junction", "Crossing"])
def test_gymnasium_finds_no_fault_with_those_that_are_shipped(name: str) -> None:
    made = gymnasium.make(f"autosim/{name}-v0")
    check_env(made.unwrapped, skip_render_check=True)
    made.close()


@pytest.mark.parametrize(("name", "endings"), [("Junction", {"Arrived"}), ("Crossing", set())])
def test_a_car_that_follows_its_route_sees_others(name: str, endings: set[str]) -> None:
    made = gymnasium.make(f"autosim/{name}-v0")
    made.reset(seed=1)
    seen, ends, near = None, set(), 0
    for _ in range(200):
        seen, _, ended, cut, info = made.step(AHEAD if seen is None else follow(seen))
        near += bool(seen[lane_view.WIDTH :].any())
        if ended or cut:
            ends.add(info["ended_by"])
            made.reset(seed=2)
            seen = None
    made.close()
    assert ends == endings
    assert near > 100


def test_the_town_is_seen_with_a_lidar_too() -> None:
    made = gymnasium.make("autosim/Town-v0")
    seen, _ = made.reset(seed=0)
    scans = seen[lane_view.WIDTH :]
    assert len(scans) > 100
    assert (scans >= 0.0).all()
    assert (scans < 1.0).any()
    made.close()


def test_a_race_begins_between_the_cones_and_leads_around_them() -> None:
    made = gymnasium.make("autosim/Race-v0")
    seen, info = made.reset(seed=0)
    for _ in range(30):
        seen, _, ended, _, info = made.step(follow(seen))
    assert not ended
    assert abs(info["offset"]) < 1.0
    assert info["speed"] > 1.0
    made.close()


def test_who_steers_along_the_path_stays_on_it_and_is_paid(environment: DrivingEnv) -> None:
    seen, begun = environment.reset(seed=3)
    rewards = []
    for _ in range(100):
        seen, reward, ended, _, info = environment.step(follow(seen))
        rewards.append(reward)
    assert not ended
    assert abs(info["offset"]) < 0.8
    assert info["station"] > begun["station"] + 30.0
    assert sum(rewards[20:]) > 0.0


def test_who_leaves_the_lane_ends_his_episode_and_pays(environment: DrivingEnv) -> None:
    environment.reset(seed=3)
    for _ in range(100):
        _, reward, ended, _, info = environment.step(np.array([1.0, 0.6], dtype=np.float32))
        if ended:
            break
    assert info["ended_by"] in ("OffLane", "Collided")
    assert reward < -4.0
    assert not info["is_success"]


def test_the_same_seed_and_actions_give_the_same_bytes_in_each_episode(
    environment: DrivingEnv,
) -> None:
    digests = []
    for seed in (5, 6, 5):
        environment.reset(seed=seed)
        for step in range(20):
            environment.step(np.array([0.1 * np.sin(step), 0.6], dtype=np.float32))
        digests.append(environment.digest)
    assert digests[0] == digests[2] != digests[1]


def test_episodes_leave_nothing_behind(environment: DrivingEnv) -> None:
    def count_lists() -> int:
        gc.collect()
        return sum(type(each) is list for each in gc.get_objects())

    for seed in (1, 2):
        environment.reset(seed=seed)
    before = count_lists()
    for seed in (1, 2, 1, 2):
        environment.reset(seed=seed)
    assert count_lists() < before + 200


def test_a_step_is_six_of_the_physics(environment: DrivingEnv) -> None:
    environment.reset(seed=0)
    environment.step(AHEAD)
    assert environment.state.step == PHYSICS_STEPS
    assert environment.state.time == pytest.approx(0.1)


def test_devices_are_observed_in_units_of_choice() -> None:
    values = DeviceValues("chassis.velocimeter", 10.0)
    made = DrivingEnv(TOWN, observations=(values, LaneView()))
    seen, _ = made.reset(seed=0)
    for _ in range(20):
        seen, *_, info = made.step(AHEAD)
    assert seen[0] == pytest.approx(info["speed"] / 10.0, abs=0.02) != 0.0
    made.close()


@pytest.mark.parametrize("action", [[0.0], [0.0, np.nan], [[0.0, 0.0, 0.0]]])
def test_what_is_no_action_is_refused(environment: DrivingEnv, action: object) -> None:
    environment.reset(seed=0)
    with pytest.raises(ValueError, match="two finite numbers, steering and pedal"):
        environment.step(np.array(action, dtype=np.float32))


def test_a_step_before_the_first_episode_is_refused() -> None:
    made = DrivingEnv(TOWN)
    with pytest.raises(RuntimeError, match="call reset"):
        made.step(AHEAD)


def test_a_map_without_lanes_has_no_path() -> None:
    with pytest.raises(NoPathError, match="no lanes"):
        make_paths(RoadNetwork.from_lanes([]), count=1, length=100.0, seed=0)


def test_an_unknown_robot_is_named() -> None:
    with pytest.raises(ValueError, match="no robot 'impresa'"):
        DrivingEnv(TOWN, car="impresa")


def test_a_copy_begins_the_same_episodes(environment: DrivingEnv) -> None:
    seen, _ = environment.reset(seed=2)
    copied = pickle.loads(pickle.dumps(environment))
    again, _ = copied.reset(seed=2)
    assert (again == seen).all()
    copied.close()


def test_closing_twice_does_no_harm_and_the_next_episode_begins_anew() -> None:
    made = DrivingEnv(TOWN, task=FollowLane(routes=2))
    first, _ = made.reset(seed=1)
    made.close()
    made.close()
    with pytest.raises(RuntimeError, match="call reset"):
        made.step(AHEAD)
    assert (made.reset(seed=1)[0] == first).all()
    made.close()


@pytest.mark.parametrize(
    "make",
    [
        lambda: FollowLane(routes=0),
        lambda: FollowLane(length=-1.0),
        lambda: DeviceValues("chassis.gyro_yaw", unit=0.0),
        lambda: DeviceValues("chassis.gyro_yaw", low=1.0),
        lambda: DrivingEnv(TOWN, step_seconds=float("nan")),
        lambda: DrivingEnv(TOWN, physics_steps=0),
        lambda: DrivingEnv(TOWN, observations=()),
    ],
)
def test_what_makes_no_environment_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"not |expected"):
        make()


def test_options_choose_a_place_on_a_path(environment: DrivingEnv) -> None:
    _, info = environment.reset(seed=1, options={"path": 2, "station": 30.0, "offset": -0.5})
    assert info["station"] == pytest.approx(30.0, abs=0.1)
    assert info["offset"] == pytest.approx(-0.5, abs=0.05)


def test_options_choose_a_place_in_the_world(environment: DrivingEnv) -> None:
    wanted = environment.paths.points[40, :2] + [0.3, -0.2]
    options = {"position": wanted, "yaw": environment.paths.headings[40]}
    environment.reset(seed=1, options=options)
    assert environment.agent.place == pytest.approx(wanted, abs=0.05)


def driven(environment: DrivingEnv, options: dict[str, object]) -> float:
    """Speed [m/s] after a second of full brake from a second of full pedal."""
    environment.reset(seed=1, options={"path": 2, "station": 30.0, **options})
    for pedal in (1.0, 1.0, -1.0):
        for _ in range(10):
            info = environment.step(np.array([0.0, pedal], dtype=np.float32))[-1]
    return float(info["speed"])


def test_options_choose_the_mass_of_the_car_and_the_wetness_of_streets(
    environment: DrivingEnv,
) -> None:
    usual = driven(environment, {})
    assert driven(environment, {"mass": 1.0}) == usual
    assert driven(environment, {"mass": 2.0}) != usual
    assert environment.run.simulation is not None
    assert driven(environment, {"wetness": 1.0}) != usual
    assert environment.run.simulation.world.physics.wetness == 1.0
    assert driven(environment, {}) == usual


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lane": 1}, "no option 'lane' .*mass, .*wetness"),
        ({"mass": 0.0}, "mass: expected a number from 0.2 to 5, not 0.0"),
        ({"wetness": "much"}, "wetness: expected a number from 0 to 1, not 'much'"),
        ({"path": 99}, "path=99 does not exist"),
        ({"station": 1e6}, "station=1e\\+06 lies outside"),
        ({"position": (1.0, 2.0, 3.0)}, "position: expected x and y"),
        ({"yaw": "north"}, "yaw: expected a number"),
        ({"path": 1, "yaw": 0.0}, "not by both"),
    ],
)
def test_options_that_choose_no_place_are_refused(
    environment: DrivingEnv, options: dict[str, object], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        environment.reset(seed=1, options=options)


def test_a_car_without_an_action_creeps_and_a_braked_one_stands(
    environment: DrivingEnv,
) -> None:
    speeds = {}
    for pedal in (0.0, -1.0):
        environment.reset(seed=1)
        for _ in range(60):
            *_, info = environment.step(np.array([0.0, pedal], dtype=np.float32))
        speeds[pedal] = info["speed"]
    assert 0.5 < speeds[0.0] < 2.5
    assert abs(speeds[-1.0]) < 0.05


def test_cones_of_a_race_stay_where_they_are_and_end_the_episode() -> None:
    made = gymnasium.make("autosim/Race-v0").unwrapped
    made.reset(seed=0)
    cone = made.state.tree.find("blue_1")
    words = slice(cone.start // 8, cone.start // 8 + 3)
    before = made.state.floats[words].copy()
    info = {"ended_by": ""}
    for _ in range(150):
        *_, ended, _, info = made.step(np.array([0.6, 0.6], dtype=np.float32))
        if ended:
            break
    assert info["ended_by"] in ("Collided", "OffLane")
    assert (made.state.floats[words] == before).all()
    made.close()


def test_a_car_that_stands_at_its_goal_has_parked() -> None:
    place = (0.0, -60.0, 0.0)
    made = DrivingEnv(TOWN, task=Park(place, distance=0.5, turn=0.0))
    made.reset(seed=0)
    for _ in range(30):
        *_, ended, _, info = made.step(np.array([0.0, -1.0], dtype=np.float32))
        if ended:
            break
    assert info["ended_by"] == "Parked"
    assert info["is_success"]
    made.close()
