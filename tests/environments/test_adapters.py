"""Libraries of learning drive cars: each is tested where it is installed."""

import gymnasium
import numpy as np
import pytest

import autosim.environments  # noqa: F401 (it registers the names)
from autosim.environments.fleet import FleetVectorEnv
from autosim.environments.fleet.fleet_tasks import fleet

SMALL = {"cars": 24, "threads": 1}


def test_a_fleet_has_a_vector_entry_point() -> None:
    made = gymnasium.make_vec("autosim/Fleet-v0", num_envs=24, threads=1)
    assert isinstance(made.unwrapped, FleetVectorEnv)
    assert made.spec is not None
    seen, _ = made.reset(seed=1)
    assert made.observation_space.contains(seen)
    seen, rewards, *_ = made.step(np.tile(np.float32([0.0, 0.5]), (24, 1)))
    assert rewards.shape == (24,)
    made.close()


def test_a_task_of_fleets_is_one_of_those_that_are_trained() -> None:
    made = fleet(4, task="LaneKeeping", threads=1, rays=8)
    alone = made.users
    assert alone is not None
    assert (alone.cars, alone.traffic) == (1, 0)
    assert made.single_observation_space.shape[0] > 24
    made.close()
    with pytest.raises(ValueError, match="'Parking' is not a task of fleets"):
        fleet(4, task="Parking")


# Libraries warn on their import.
@pytest.mark.filterwarnings("ignore")
def test_stable_baselines_learns_in_a_fleet() -> None:
    stable_baselines3 = pytest.importorskip("stable_baselines3")
    from autosim.environments.adapters.stable_baselines import FleetVecEnv

    made = FleetVecEnv(**SMALL, seconds=1.0)
    model = stable_baselines3.PPO("MlpPolicy", made, n_steps=16, batch_size=64, seed=1)
    model.learn(24 * 32)
    assert model.num_timesteps == 24 * 32
    lengths = [each["l"] for each in model.ep_info_buffer]
    assert lengths
    assert max(lengths) <= 10
    made.close()


@pytest.mark.filterwarnings("ignore")
def test_pufferlib_steps_a_fleet_and_a_car() -> None:
    pytest.importorskip("pufferlib")
    import pufferlib.emulation
    import pufferlib.vector

    from autosim.environments.adapters.puffer import FleetPufferEnv

    made = pufferlib.vector.make(
        FleetPufferEnv, env_kwargs=SMALL, backend=pufferlib.vector.PufferEnv
    )
    seen, _ = made.reset(seed=1)
    seen, rewards, *_ = made.step(np.tile(np.float32([0.0, 0.5]), (24, 1)))
    assert seen.shape[0] == len(rewards) == 24
    assert np.isfinite(rewards).all()
    made.close()
    car = pufferlib.emulation.GymnasiumPufferEnv(gymnasium.make("autosim/LaneKeeping-v0"))
    seen, _ = car.reset(seed=1)
    assert seen.size == 16
    car.close()


@pytest.mark.filterwarnings("ignore")
def test_torchrl_rolls_a_car_out() -> None:
    pytest.importorskip("torchrl")
    from torchrl.envs import GymWrapper

    made = GymWrapper(gymnasium.make("autosim/LaneKeeping-v0"))
    made.set_seed(1)
    rollout = made.rollout(5)
    assert rollout["observation"].shape == (5, 16)
    assert rollout["next", "reward"].shape == (5, 1)
    made.close()


@pytest.mark.filterwarnings("ignore")
def test_torchrl_rolls_a_fleet_out() -> None:
    pytest.importorskip("torchrl")
    from torchrl.envs import GymWrapper

    made = GymWrapper(
        gymnasium.make_vec(
            "autosim/Fleet-v0", num_envs=12, threads=1, autoreset_mode="SameStep", seconds=0.3
        )
    )
    rollout = made.rollout(6, break_when_any_done=False)
    assert rollout["next", "reward"].shape == (12, 6, 1)
    made.close()


@pytest.mark.filterwarnings("ignore")
def test_rllib_steps_several_cars() -> None:
    pytest.importorskip("ray.rllib", exc_type=ImportError)
    wrappers = pytest.importorskip("ray.rllib.env.wrappers.pettingzoo_env", exc_type=ImportError)
    from autosim.environments.parallel import parallel_env

    made = wrappers.ParallelPettingZooEnv(parallel_env("autosim/Junction-v0", agents=2))
    seen, _ = made.reset(seed=1)
    assert set(seen) == {"impreza_1", "impreza_2"}
    seen, rewards, ended, *_ = made.step({name: np.zeros(2, np.float32) for name in seen})
    assert set(rewards) == set(seen)
    assert not ended["__all__"]
    made.close()
