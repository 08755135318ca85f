"""Environments in processes of their own, as libraries of learning run them."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv

from autosim.client.panda.renderer_errors import RendererError
from autosim.environments.driving import DrivingEnv
from autosim.environments.observations import CameraPicture, LaneView
from autosim.environments.tasks import FollowLane
from tests.environments.test_driving import AHEAD, TOWN
from tests.paths import ROOT

TASK = FollowLane(routes=4)
PICTURE = CameraPicture("chassis.front_view", width=16, height=12)


def make(**options: Any) -> DrivingEnv:
    """An environment; each process makes its own."""
    return DrivingEnv(TOWN, task=TASK, **options)


def make_with_a_picture() -> DrivingEnv:
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


def look_through_shared_memory() -> None:
    """Steps an environment with a camera in a process of its own, then draws in this one."""
    for context in ("fork", "spawn"):
        vector = AsyncVectorEnv([make_with_a_picture], shared_memory=True, context=context)
        seen, _ = vector.reset(seed=1)
        seen, *_ = vector.step(AHEAD[None])
        assert seen["numbers"].shape == (1, 16)
        assert seen["chassis.front_view"].shape == (1, 12, 16, 3)
        assert seen["chassis.front_view"].std() > 10.0
        vector.close()
    alone = make_with_a_picture()
    alone.reset(seed=1)
    alone.close()
    vector = AsyncVectorEnv([make_with_a_picture], context="fork")
    with pytest.raises(RendererError, match="forked from one that has rendered"):
        vector.reset(seed=1)
    vector.close(terminate=True)


def test_pictures_come_through_shared_memory_unless_this_process_has_drawn_and_forks() -> None:
    # In a process of its own: this one may have drawn already.
    script = (
        "from tests.environments.test_vectors import look_through_shared_memory as look; look()"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


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
