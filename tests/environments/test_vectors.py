"""Environments in processes of their own, as libraries of learning run them."""

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv

from autosim.environments.driving import DrivingEnvironment
from autosim.environments.observations import CameraPicture, LaneView
from autosim.environments.tasks import FollowLane
from tests.environments.test_driving import AHEAD, TOWN

TASK = FollowLane(routes=4)
PICTURE = CameraPicture("chassis.front_view", width=16, height=12)


def make(**options: Any) -> DrivingEnvironment:
    """An environment; each process makes its own."""
    return DrivingEnvironment(TOWN, task=TASK, **options)


def make_with_a_picture() -> DrivingEnvironment:
    return make(observations=(LaneView(), PICTURE))


def test_processes_show_in_shared_memory_what_one_process_shows() -> None:
    vector = AsyncVectorEnv([make, make], shared_memory=True)
    seen, _ = vector.reset(seed=[1, 2])
    for _ in range(5):
        seen, rewards, *_ = vector.step(np.stack([AHEAD, AHEAD]))
    digests = vector.get_attr("digest")
    vector.close()
    alone = make()
    for row, seed in enumerate((1, 2)):
        alone.reset(seed=seed)
        for _ in range(5):
            last, reward, *_ = alone.step(AHEAD)
        assert (seen[row] == last).all()
        assert rewards[row] == reward
        assert digests[row] == alone.digest
    alone.close()


def test_numbers_and_pictures_come_through_shared_memory() -> None:
    # Not forked: a process that has drawn before has threads of the renderer, which a copy lacks.
    vector = AsyncVectorEnv([make_with_a_picture], shared_memory=True, context="spawn")
    seen, _ = vector.reset(seed=1)
    seen, *_ = vector.step(AHEAD[None])
    assert seen["numbers"].shape == (1, 16)
    assert seen["chassis.front_view"].shape == (1, 12, 16, 3)
    assert seen["chassis.front_view"].std() > 10.0
    vector.close()


def test_stable_baselines_runs_them_in_processes() -> None:
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.vec_env import SubprocVecEnv

    vector = SubprocVecEnv([make, make], start_method="forkserver")
    vector.seed(1)
    seen = vector.reset()
    for _ in range(3):
        seen, rewards, _, _ = vector.step(np.stack([AHEAD, AHEAD]))
    assert seen.shape == (2, 16)
    assert np.isfinite(rewards).all()
    vector.close()
