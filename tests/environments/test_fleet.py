"""Many cars in one step do what one car does in its own, and the same in each run."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector

from autosim.environments.fleet import FleetVectorEnv
from autosim.environments.fleet.fleet_kernels import (
    ARRIVED,
    COLLIDED,
    LEFT_LANE,
    OUT_OF_TIME,
    STOOD,
)
from autosim.environments.rewards import LANE_REWARDS
from autosim.environments.situation import Situation
from autosim.environments.tasks import FollowLane
from autosim.environments.terminations import Collided, OffLane, Parked, Termination
from autosim.tracks import lane_view

SPEED, BEARING = lane_view.SPEED, lane_view.BEARINGS + 1


def fleet(**options: object) -> FleetVectorEnv:
    given: dict[str, object] = {
        "cars": 24,
        "rays": 8,
        "threads": 1,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    return FleetVectorEnv(**(given | options))  # type: ignore[arg-type]


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
    assert (info["episode_length"] == 10).all()
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
    [((1.0, 0.5), 20.0, LEFT_LANE), ((0.0, -1.0), 20.0, STOOD)],
)
def test_what_ends_an_episode_is_told(
    action: tuple[float, float], seconds: float, why: int
) -> None:
    environment = fleet(seconds=seconds)
    environment.reset(seed=1)
    found = []
    for _ in range(150):
        *_, info = environment.step(np.tile(np.array(action, dtype=np.float32), (24, 1)))
        found += info.get("ended_by", np.zeros(0))[info.get("_ended_by", slice(0))].tolist()
    assert found.count(why) >= 20


@pytest.mark.parametrize("rays", [0, 32])
def test_a_car_that_drives_into_a_wall_has_collided(rays: int) -> None:
    anywhere = FollowLane(endings=(OffLane(1e9), Collided()))
    environment = fleet(task=anywhere, rays=rays, seconds=1e9)
    environment.reset(seed=3)
    ahead = np.tile(np.array([0.0, 0.4], dtype=np.float32), (24, 1))
    found = []
    for _ in range(400):
        *_, info = environment.step(ahead)
        found += info.get("ended_by", np.zeros(0))[info.get("_ended_by", slice(0))].tolist()
    assert found.count(COLLIDED) >= 5
    assert set(found) == {COLLIDED}


def test_without_the_ending_cars_drive_through_walls() -> None:
    environment = fleet(task=FollowLane(endings=(OffLane(1e9),)), seconds=1e9)
    environment.reset(seed=3)
    ahead = np.tile(np.array([0.0, 0.4], dtype=np.float32), (24, 1))
    for _ in range(200):
        *_, info = environment.step(ahead)
        assert not info


def test_a_policy_without_a_preference_drives() -> None:
    """Exploration begins with noise around 0: cars have to get somewhere with it, and without."""
    for deviation in (0.0, 0.5):
        environment = fleet(seconds=1e9, task=FollowLane(turn=0.0, endings=()))
        environment.reset(seed=1)
        rng = np.random.default_rng(0)
        begun = environment.cars.told[:, lane_view.STATION].copy()
        for _ in range(100):
            actions = rng.normal(0.0, deviation, (24, 2)) * [0.1, 1.0]
            environment.step(actions.astype(np.float32))
        driven = environment.cars.told[:, lane_view.STATION] - begun
        assert np.median(driven) > 5.0


def test_with_next_step_an_ended_episode_begins_in_the_step_that_follows() -> None:
    environment = fleet(seconds=1.0, autoreset_mode=AutoresetMode.NEXT_STEP)
    first, _ = environment.reset(seed=1)
    forward = np.tile(np.array([0.0, 1.0], dtype=np.float32), (24, 1))
    for _ in range(10):
        seen, _, ended, cut, _ = environment.step(forward)
    assert (ended | cut).all()
    assert (environment.cars.poses[:, 3] > 1.0).all()
    seen, rewards, ended, cut, info = environment.step(forward)
    assert not (ended | cut).any()
    assert not rewards.any()
    assert not info
    assert (environment.cars.poses[:, 3] == 0.0).all()
    assert (seen != first).any()


def test_without_autoreset_a_mask_says_which_cars_begin() -> None:
    environment = fleet(seconds=1.0, autoreset_mode=AutoresetMode.DISABLED)
    environment.reset(seed=1)
    nothing = np.zeros((24, 2), dtype=np.float32)
    for _ in range(10):
        environment.step(nothing)
    with pytest.raises(RuntimeError, match="reset_mask"):
        environment.step(nothing)
    mask = np.arange(24) < 12
    environment.reset(options={"reset_mask": mask})
    assert (environment.cars.since[:12, 0] == 0.0).all()
    assert (environment.cars.since[12:, 0] > 0.9).all()
    environment.reset(options={"reset_mask": ~mask})
    environment.step(nothing)


def test_gymnasium_wrappers_work_on_a_fleet() -> None:
    environment = vector.RecordEpisodeStatistics(
        vector.NormalizeReward(
            vector.NormalizeObservation(
                vector.ClipReward(
                    fleet(seconds=1.0, autoreset_mode=AutoresetMode.NEXT_STEP), -1.0, 1.0
                )
            )
        )
    )
    environment.reset(seed=1)
    lengths = []
    for _ in range(25):
        *_, info = environment.step(environment.action_space.sample())
        if "episode" in info:
            lengths += info["episode"]["l"][info["_episode"]].tolist()
    assert lengths
    assert max(lengths) == 10


def test_statistics_of_episodes_that_begin_in_the_same_step() -> None:
    environment = vector.RecordEpisodeStatistics(fleet(seconds=1.0))
    environment.reset(seed=1)
    for _ in range(10):
        *_, info = environment.step(np.zeros((24, 2), dtype=np.float32))
    assert (info["episode"]["l"] == 10).all()
    assert np.allclose(info["episode"]["r"], info["episode_return"])


def test_options_choose_where_cars_start() -> None:
    environment = fleet()
    environment.reset(seed=1, options={"path": 3, "station": np.arange(24) * 2.0, "offset": 0.5})
    cars = environment.cars
    assert (cars.path == 3).all()
    assert cars.told[:, lane_view.STATION] == pytest.approx(np.arange(24) * 2.0, abs=0.1)
    assert cars.told[:, lane_view.SIDE] == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"paths": 1}, "no option 'paths'"),
        ({"path": 1000}, "path: expected numbers"),
        ({"station": -1.0}, "station: expected"),
        ({"offset": "left"}, "offset: expected"),
        ({"reset_mask": np.zeros(24, bool)}, "reset_mask: expected"),
    ],
)
def test_options_without_a_meaning_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fleet().reset(seed=1, options=options)


def test_each_car_may_have_a_seed() -> None:
    environment = fleet()
    same, _ = environment.reset(seed=5)
    listed, _ = environment.reset(seed=[5] * 24)
    assert (same == listed).all()
    other, _ = environment.reset(seed=[5] * 23 + [6])
    assert (same[:23] == other[:23]).all()
    assert (same[23] != other[23]).any()
    with pytest.raises(ValueError, match="expected one seed"):
        environment.reset(seed=[1, 2])


def test_a_ray_sees_what_the_world_has_there() -> None:
    environment = fleet(rays=16)
    environment.reset(seed=1)
    seen, *_ = environment.step(np.zeros((24, 2), dtype=np.float32))
    shares = seen[:, lane_view.WIDTH :]
    assert (shares < 1.0).any()
    assert (shares > 0.02).all()


def test_what_a_fleet_does_not_know_is_refused() -> None:
    endings: tuple[Termination, ...] = (OffLane(), Parked())
    with pytest.raises(ValueError, match="does not support Parked"):
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
        found += info.get("ended_by", np.zeros(0))[info.get("_ended_by", slice(0))].tolist()
    assert found.count(ARRIVED) >= 20
