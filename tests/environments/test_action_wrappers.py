"""Other actions: waypoints, lane changes, delay, noise, and those that Gymnasium brings."""

from collections.abc import Iterator, Mapping

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import DiscretizeAction, RepeatAction

from autosim.environments.action_mapping import acceleration_of, pedal_for
from autosim.environments.action_wrappers import (
    FASTER,
    IDLE,
    LANE_LEFT,
    LANE_RIGHT,
    SLOWER,
    DelayedAction,
    LaneActions,
    NoisyAction,
    WaypointActions,
)
from autosim.environments.driving import DrivingEnv
from autosim.environments.tasks import FollowLane
from autosim.environments.terminations import Arrived
from tests.environments.test_driving import TOWN

TASK = FollowLane(routes=4, offset=0.0, turn=0.0)


def number(info: Mapping[str, object], name: str) -> float:
    found = info[name]
    assert isinstance(found, float)
    return found


@pytest.fixture
def car() -> Iterator[DrivingEnv]:
    made = DrivingEnv(TOWN, task=TASK)
    yield made
    made.close()


def test_a_pedal_asks_for_the_acceleration_that_it_was_made_for() -> None:
    for speed in (0.0, 1.0, 12.0):
        for wanted in (-5.0, -1.0, -0.1, 0.7, 2.9):
            assert acceleration_of(pedal_for(wanted, speed), speed) == pytest.approx(wanted)
    assert pedal_for(9.0, 5.0) == 1.0
    assert pedal_for(-9.0, 5.0) == -1.0


def test_a_car_begins_at_the_speed_of_an_option(car: DrivingEnv) -> None:
    _, info = car.reset(seed=1, options={"speed": 8.0})
    assert number(info, "speed") == pytest.approx(8.0, abs=0.1)
    for _ in range(5):
        _, _, _, _, info = car.step(np.zeros(2, np.float32))
    assert number(info, "speed") == pytest.approx(8.0, abs=0.5)
    with pytest.raises(ValueError, match="speed: expected a number from 0 to 40, not -1"):
        car.reset(options={"speed": -1.0})


def test_waypoints_ahead_keep_the_car_in_its_lane_at_their_speed(car: DrivingEnv) -> None:
    env = WaypointActions(car, reach=20.0, aside=10.0, speed=10.0)
    env.reset(seed=2, options={"path": 0, "station": 10.0})
    info: dict[str, object] = {}
    for _ in range(60):
        situation = car.agent.situation
        row = int(situation.station + 5.0)
        x, y, yaw, _ = car.agent.pose.tolist()
        dx, dy = (situation.route[row, :2] - [x, y]).tolist()
        ahead, left = (np.cos(yaw) * dx + np.sin(yaw) * dy, np.cos(yaw) * dy - np.sin(yaw) * dx)
        _, _, ended, _, info = env.step(np.array([ahead / 20.0, left / 10.0, 0.6], np.float32))
        assert not ended
    assert number(info, "speed") == pytest.approx(6.0, abs=0.5)
    assert abs(number(info, "offset")) < 0.5
    with pytest.raises(ValueError, match="three finite numbers, x, y and speed"):
        env.step(np.zeros(2, np.float32))


def test_lanes_are_changed_where_there_is_another_one() -> None:
    task = FollowLane(
        4, 900.0, offset=0.0, turn=0.0, kind="motorway", share=0.2, endings=(Arrived(),)
    )
    car = DrivingEnv("worlds/highway_merge.xml", task=task)
    env = LaneActions(car)
    _, info = env.reset(seed=3, options={"speed": 15.0})
    for _ in range(20):
        _, _, _, _, info = env.step(IDLE)
    assert abs(number(info, "offset")) < 0.3
    changed = []
    for action in (LANE_LEFT, LANE_RIGHT):
        env.reset(seed=3, options={"speed": 15.0})
        offsets = []
        for _ in range(4):  # there are fewer lanes than that
            _, _, _, _, info = env.step(action)
            for _ in range(50):
                _, _, _, _, info = env.step(IDLE)
            assert number(info, "offset") == pytest.approx(number(info, "lane_offset"), abs=1.0)
            offsets.append(number(info, "lane_offset"))
        assert offsets[-1] == offsets[-2]
        assert offsets[-1] == 0.0 or (offsets[-1] > 2.0) == (action == LANE_LEFT)
        changed.append(abs(offsets[-1]) > 2.0)
    assert any(changed)
    wanted = number(info, "wanted_speed")
    _, _, _, _, info = env.step(SLOWER)
    assert number(info, "wanted_speed") == wanted - 2.0
    _, _, _, _, info = env.step(FASTER)
    assert number(info, "wanted_speed") == wanted
    with pytest.raises(ValueError, match="from 0 to 4, not 7"):
        env.step(7)
    env.close()


def test_delayed_actions_come_later(car: DrivingEnv) -> None:
    env = DelayedAction(car, steps=2)
    env.reset(seed=4)
    full = np.array([0.0, 1.0], np.float32)
    for _ in range(2):
        env.step(full)
        assert car.agent.situation.action.tolist() == [0.0, 0.0]
    env.step(full)
    assert car.agent.situation.action.tolist() == [0.0, 1.0]


def test_noise_of_actions_follows_from_the_seed(car: DrivingEnv) -> None:
    env = NoisyAction(car, deviation=0.1)
    taken = []
    for seed in (5, 5, 6):
        env.reset(seed=seed)
        env.step(np.zeros(2, np.float32))
        taken.append(car.agent.situation.action.tolist())
    assert taken[0] == taken[1] != taken[2]
    assert 0.0 < abs(taken[0][0]) < 0.5


def test_gymnasiums_own_wrappers_make_discrete_and_repeated_actions(car: DrivingEnv) -> None:
    env = RepeatAction(DiscretizeAction(car, bins=(3, 5)), 4)
    assert env.action_space == gymnasium.spaces.Discrete(15)
    env.reset(seed=6)
    env.step(env.action_space.sample())
    assert car.agent.situation.time == pytest.approx(0.4)


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version")
def test_wrapped_environments_pass_gymnasiums_checks(car: DrivingEnv) -> None:
    check_env(WaypointActions(car), skip_render_check=True)
