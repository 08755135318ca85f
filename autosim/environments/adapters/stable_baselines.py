"""A fleet as a vector environment of Stable-Baselines3 (pip install stable-baselines3).

PPO("MlpPolicy", FleetVecEnv(cars=256)).learn(1_000_000)
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from autosim.environments.fleet.fleet_environment import Observed
from autosim.environments.fleet.fleet_tasks import fleet

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    reason = "this adapter needs Stable-Baselines3: pip install stable-baselines3"
    raise ImportError(reason) from error

Indices = int | Sequence[int] | None
StepReturn = tuple[Observed, Observed, npt.NDArray[np.bool_], list[dict[str, object]]]


class FleetVecEnv(VecEnv):  # type: ignore[misc]
    """Cars of a fleet; a new episode begins in the step in which one ends.

    Args:
        cars: how many.
        options: those of `fleet_tasks.fleet`.
    """

    def __init__(self, cars: int = 256, **options: object) -> None:
        self.fleet = fleet(cars, **{**options, "autoreset_mode": "SameStep"})  # type: ignore[arg-type]
        self.render_mode = None
        spaces = self.fleet.single_observation_space, self.fleet.single_action_space
        super().__init__(cars, *spaces)

    def reset(self) -> Observed:
        """Begins an episode of each car, by the seeds that `seed` has set."""
        seeds = self._seeds if any(each is not None for each in self._seeds) else None
        seen, _ = self.fleet.reset(seed=seeds)
        self._reset_seeds()
        return seen

    def step_async(self, actions: Observed) -> None:
        """Notes the actions (cars, 2) of the next step."""
        self._actions = actions

    def step_wait(self) -> StepReturn:
        """Drives all cars for a step."""
        seen, rewards, ended, cut, info = self.fleet.step(self._actions)
        is_over = ended | cut
        infos: list[dict[str, object]] = [{} for _ in range(self.num_envs)]
        for car in np.flatnonzero(is_over).tolist():
            infos[car] = {
                "terminal_observation": info["final_obs"][car],
                "TimeLimit.truncated": bool(cut[car]),
                "is_success": bool(info["is_success"][car]),
                "episode": {
                    "r": float(info["episode_return"][car]),
                    "l": int(info["episode_length"][car]),
                },
            }
        return seen, rewards.astype(np.float32), is_over, infos

    def close(self) -> None:
        """Ends the threads of the fleet."""
        self.fleet.close()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[object]:
        """An attribute of the fleet, the same for each car."""
        found = getattr(self.fleet, attr_name, None) if attr_name != "render_mode" else None
        return [found for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: object, indices: Indices = None) -> None:
        """Sets an attribute of the fleet."""
        setattr(self.fleet, attr_name, value)

    def env_method(
        self, method_name: str, *arguments: object, indices: Indices = None, **named: object
    ) -> list[object]:
        """Calls a method of the fleet once; the result is that of each car."""
        result = getattr(self.fleet, method_name)(*arguments, **named)
        return [result for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """False: cars of a fleet have no wrappers of their own."""
        return [False for _ in self._get_indices(indices)]
