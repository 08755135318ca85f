"""Many cars in one step do what one car does in its own, and the same in each run."""

import numpy as np
import pytest

from autosim.environments.endings import Ending, LeftLane, Parked
from autosim.environments.fleet import FleetEnvironment
from autosim.environments.fleet_kernels import ARRIVED, COLLIDED, LEFT_LANE, OUT_OF_TIME, STOOD
from autosim.environments.rewards import LANE_REWARDS
from autosim.environments.situation import Situation
from autosim.environments.tasks import FollowLane
from autosim.tracks import lane_view

SPEED, BEARING = lane_view.SPEED, lane_view.BEARINGS + 1


def fleet(**options: object) -> FleetEnvironment:
    given: dict[str, object] = {"cars": 24, "rays": 8, "threads": 1}
    return FleetEnvironment(**(given | options))  # type: ignore[arg-type]


def follow(seen: np.ndarray, speed: float = 6.0) -> np.ndarray:
    """Steers towards the paths some metres ahead, and keeps to a speed [m/s]."""
    actions = np.zeros((len(seen), 2), dtype=np.float32)
    actions[:, 0] = np.clip(2.5 * seen[:, BEARING], -1.0, 1.0)
    actions[:, 1] = np.where(seen[:, SPEED] < speed / lane_view.SPEED_UNIT, 0.5, -0.1)
    return actions


def test_cars_that_steer_along_their_paths_stay_on_them() -> None:
    environment = fleet()
    seen, _ = environment.reset(seed=1)
    ends = 0
    for _ in range(200):
        seen, rewards, ended, _, info = environment.step(follow(seen))
        ends += int((ended & ~info.get("is_success", np.zeros(24, bool))).sum())
    assert ends <= 2
    assert np.abs(seen[:, lane_view.OFFSET]).mean() < 0.3
    assert rewards.mean() > 0.0


def test_any_number_of_threads_gives_the_same_bytes() -> None:
    found = []
    for threads in (1, 2, 3):
        environment = fleet(threads=threads)
        seen, _ = environment.reset(seed=4)
        for _ in range(60):
            seen, *_ = environment.step(follow(seen, 9.0))
        found.append(seen.tobytes() + environment.cars.poses.tobytes())
        environment.close()
    assert found[0] == found[1] == found[2]


def test_another_seed_begins_elsewhere() -> None:
    environment = fleet()
    first, _ = environment.reset(seed=1)
    other, _ = environment.reset(seed=2)
    again, _ = environment.reset(seed=1)
    assert (first == again).all()
    assert (first != other).any()


def test_an_episode_that_has_ended_begins_anew_in_the_same_step() -> None:
    environment = fleet(seconds=1.0)
    environment.reset(seed=1)
    nothing = np.zeros((24, 2), dtype=np.float32)
    for _ in range(9):
        *_, ended, cut, info = environment.step(nothing)
        assert not ended.any()
        assert not cut.any()
        assert not info
    seen, _, ended, cut, info = environment.step(nothing)
    assert cut.all()
    assert not ended.any()
    assert (info["ended_by"] == OUT_OF_TIME).all()
    assert (info["episode"]["l"] == 10).all()
    assert (info["final_obs"] != seen).any()
    assert (environment.cars.since == 0.0).all()


def test_the_rewards_are_those_of_the_records() -> None:
    environment = fleet()
    seen, _ = environment.reset(seed=2)
    for _ in range(30):
        before, last = environment.cars.told.copy(), environment.cars.last_actions.copy()
        yaws = environment.cars.poses[:, 2].copy()
        actions = follow(seen, 12.0)
        seen, rewards, ended, cut, _ = environment.step(actions)
        told, poses = environment.cars.told, environment.cars.poses
        for car in np.flatnonzero(~(ended | cut)):
            turned = np.remainder(poses[car, 2] - yaws[car] + np.pi, 2 * np.pi) - np.pi
            situation = Situation(
                0.1,
                lateral=poses[car, 3] * turned / 0.1,
                speed=poses[car, 3],
                offset=told[car, lane_view.SIDE],
                half_width=told[car, lane_view.HALF],
                limit=told[car, lane_view.ALLOWED],
                progress=told[car, lane_view.STATION] - before[car, lane_view.STATION],
                action=actions[car].astype(float),
                last_action=last[car],
            )
            wanted = sum(each.of(situation) for each in LANE_REWARDS)
            assert rewards[car] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(
    ("action", "seconds", "why"),
    [((1.0, 0.5), 20.0, LEFT_LANE), ((0.0, 0.0), 20.0, STOOD)],
)
def test_what_ends_an_episode_is_told(
    action: tuple[float, float], seconds: float, why: int
) -> None:
    environment = fleet(seconds=seconds)
    environment.reset(seed=1)
    found = []
    for _ in range(150):
        *_, info = environment.step(np.tile(np.array(action, dtype=np.float32), (24, 1)))
        found += info.get("ended_by", np.zeros(0))[info.get("_episode", slice(0))].tolist()
    assert found.count(why) >= 20


def test_a_car_that_drives_into_a_wall_has_collided() -> None:
    anywhere = FollowLane(endings=(LeftLane(1e9),))
    environment = fleet(task=anywhere, rays=32, seconds=1e9)
    environment.reset(seed=3)
    ahead = np.tile(np.array([0.0, 0.4], dtype=np.float32), (24, 1))
    found = []
    for _ in range(400):
        *_, info = environment.step(ahead)
        found += info.get("ended_by", np.zeros(0))[info.get("_episode", slice(0))].tolist()
    assert found.count(COLLIDED) >= 5
    assert set(found) == {COLLIDED}


def test_a_ray_sees_what_the_world_has_there() -> None:
    environment = fleet(rays=16)
    environment.reset(seed=1)
    seen, *_ = environment.step(np.zeros((24, 2), dtype=np.float32))
    shares = seen[:, lane_view.WIDTH :]
    assert (shares < 1.0).any()
    assert (shares > 0.02).all()


def test_what_a_fleet_does_not_know_is_refused() -> None:
    endings: tuple[Ending, ...] = (LeftLane(), Parked())
    with pytest.raises(ValueError, match="know no Parked"):
        fleet(task=FollowLane(endings=endings))


@pytest.mark.parametrize("actions", [np.zeros((3, 2)), np.full((24, 2), np.nan)])
def test_what_are_no_actions_is_refused(actions: np.ndarray) -> None:
    environment = fleet()
    environment.reset(seed=0)
    with pytest.raises(ValueError, match="finite numbers, two for each car"):
        environment.step(actions)


@pytest.mark.parametrize("given", [{"cars": 0}, {"rays": -1}, {"seconds": 0.0}])
def test_a_fleet_of_nothing_is_refused(given: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="one car or more, no rays or more, and time"):
        fleet(**given)


def test_routes_are_driven_to_their_ends() -> None:
    environment = fleet(task=FollowLane(length=80.0, routes=8), seconds=60.0)
    seen, _ = environment.reset(seed=1)
    found = []
    for _ in range(200):
        seen, *_, info = environment.step(follow(seen))
        found += info.get("ended_by", np.zeros(0))[info.get("_episode", slice(0))].tolist()
    assert found.count(ARRIVED) >= 20
