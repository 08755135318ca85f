"""Environments show what cameras see, and the car to somebody who watches."""

from collections.abc import Iterator

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from autosim.config.semantic_classes import class_number
from autosim.environments.driving import DrivingEnv
from autosim.environments.episodes.episode_pictures import FOLLOWING
from autosim.environments.observations import CameraPicture, LaneView
from autosim.environments.parallel import ParallelDrivingEnv
from autosim.environments.tasks import FollowLane
from autosim.model.commands import DeviceError
from tests.environments.test_driving import AHEAD, TOWN

FRONT = "chassis.front_view"
TASK = FollowLane(routes=4, offset=0.0, turn=0.0)


@pytest.fixture(scope="module")
def environment() -> Iterator[DrivingEnv]:
    """A car that sees the lane, and pictures of three kinds."""
    kinds = [CameraPicture(FRONT, kind, 48, 32) for kind in ("rgb", "depth", "semantic")]
    made = DrivingEnv(TOWN, task=TASK, observations=(LaneView(), *kinds), render_mode="rgb_array")
    yield made
    made.close()


def test_pictures_are_seen_beside_the_numbers(environment: DrivingEnv) -> None:
    seen, _ = environment.reset(seed=1)
    assert isinstance(seen, dict)
    assert environment.observation_space.contains(seen)
    assert set(seen) == {"numbers", FRONT, f"{FRONT}.depth", f"{FRONT}.semantic"}
    classes = seen[f"{FRONT}.semantic"][..., 0]
    assert classes.shape == (32, 48)
    assert (classes[0] == class_number("sky")).any()
    assert (classes[20:28] == class_number("road")).any()
    assert seen[f"{FRONT}.depth"].max() == 100.0
    assert 0.0 < seen[f"{FRONT}.depth"].min() < 3.0
    assert seen[FRONT].std() > 20.0


def test_the_same_episode_shows_the_same_pictures(environment: DrivingEnv) -> None:
    pictures = []
    for seed in (3, 4, 3):
        environment.reset(seed=seed)
        for _ in range(3):
            seen, *_ = environment.step(AHEAD)
        assert isinstance(seen, dict)
        pictures.append(seen[FRONT])
    assert (pictures[0] == pictures[2]).all()
    assert (pictures[0] != pictures[1]).any()


def test_the_weather_of_an_episode_is_seen_in_that_episode_only(environment: DrivingEnv) -> None:
    pictures = []
    for weather in ({}, {"hours": 1.0}, {}):
        seen, _ = environment.reset(seed=3, options={"weather": weather})
        assert isinstance(seen, dict)
        pictures.append(seen[FRONT])
    assert pictures[1].mean() < 0.5 * pictures[0].mean()
    assert (pictures[0] == pictures[2]).all()


def test_who_watches_sees_the_car_from_behind(environment: DrivingEnv) -> None:
    environment.reset(seed=1)
    picture = environment.render()
    assert picture is not None
    assert picture.shape == (FOLLOWING[1], FOLLOWING[0], 3)
    middle = picture[230:260, 300:340].astype(int)
    assert (middle[..., 2] > middle[..., 0] + 20).mean() > 0.2, "the car is blue"


def test_one_picture_alone_is_all_that_is_seen() -> None:
    made = DrivingEnv(TOWN, task=TASK, observations=(CameraPicture(FRONT),))
    assert isinstance(made.observation_space, gymnasium.spaces.Box)
    check_env(made, skip_render_check=True)
    made.close()


def test_gymnasium_finds_no_fault_with_pictures(environment: DrivingEnv) -> None:
    check_env(environment, skip_render_check=True)


def test_each_of_several_cars_has_a_camera() -> None:
    made = ParallelDrivingEnv(
        TOWN,
        task=TASK,
        observations=(CameraPicture(FRONT, width=32, height=24),),
        render_mode="rgb_array",
    )
    seen, _ = made.reset(seed=2)
    one, other = seen.values()
    assert one.shape == other.shape == (24, 32, 3)
    assert (one != other).any()
    assert made.render() is not None
    made.close()


def test_nothing_is_drawn_for_nobody() -> None:
    made = DrivingEnv(TOWN, task=TASK)
    made.reset(seed=0)
    assert made.render() is None
    with pytest.raises(ValueError, match="no render mode 'ansi'"):
        DrivingEnv(TOWN, task=TASK, render_mode="ansi")
    made.close()


def test_cameras_that_are_not_there_are_named() -> None:
    with pytest.raises(DeviceError, match="rear_view"):
        DrivingEnv(TOWN, task=TASK, observations=(CameraPicture("chassis.rear_view"),))
    with pytest.raises(ValueError, match="of one size"):
        DrivingEnv(
            TOWN,
            task=TASK,
            observations=(CameraPicture(FRONT), CameraPicture(FRONT, "depth", 10, 10)),
        )
    with pytest.raises(ValueError, match="rgb, depth, semantic"):
        CameraPicture(FRONT, "flow")
