"""A fleet as a native environment of PufferLib (pip install pufferlib-core).

pufferlib.vector.make(FleetPufferEnv, backend=pufferlib.vector.PufferEnv)
"""

from collections.abc import MutableMapping

import numpy as np

from autosim.environments.fleet.fleet_environment import Observed
from autosim.environments.fleet.fleet_tasks import fleet

try:
    from pufferlib import PufferEnv
except ImportError as error:
    reason = "this adapter needs PufferLib: pip install pufferlib-core"
    raise ImportError(reason) from error

Infos = list[dict[str, float]]
Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]


class FleetPufferEnv(PufferEnv):  # type: ignore[misc]
    """Cars of a fleet, whose values are written into PufferLib's arrays.

    A new episode begins in the step in which one ends. After steps with ended episodes, `infos` has
    the mean of their returns, lengths and successes.

    Args:
        cars: how many.
        buf: PufferLib's arrays; None: its own.
        seed: unused; `reset` is given one.
        options: those of `fleet_tasks.fleet`.
    """

    def __init__(
        self,
        cars: int = 1024,
        buf: MutableMapping[str, object] | None = None,
        seed: int = 0,
        **options: object,
    ) -> None:
        self.fleet = fleet(cars, **{**options, "autoreset_mode": "SameStep"})  # type: ignore[arg-type]
        self.single_observation_space = self.fleet.single_observation_space
        self.single_action_space = self.fleet.single_action_space
        self.num_agents = cars
        super().__init__(buf)

    def reset(self, seed: int | None = None) -> tuple[Observed, Infos]:
        """Begins an episode of each car."""
        seen, _ = self.fleet.reset(seed=seed)
        self.observations[:] = seen
        return self.observations, []

    def step(self, actions: Observed) -> tuple[Observed, Observed, Flags, Flags, Infos]:
        """Drives all cars for a step."""
        seen, rewards, ended, cut, info = self.fleet.step(actions)
        self.observations[:], self.rewards[:] = seen, rewards
        self.terminals[:], self.truncations[:] = ended, cut
        is_over = ended | cut
        infos: Infos = []
        if is_over.any():
            names = ("episode_return", "episode_length", "is_success")
            infos.append({name: float(info[name][is_over].mean()) for name in names})
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def close(self) -> None:
        """Ends the threads of the fleet."""
        self.fleet.close()
