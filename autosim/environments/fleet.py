"""A thousand cars in one compiled step, each in an episode of its own, for learning at scale.

Cars have no forces here: they move as their wheels steer, with limits of grip, steering and power
that are those of the car in the physics. They see the lane by the same kernel as
`DrivingEnvironment`, and the world by rays, so what is learned here drives there.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from secrets import randbits
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import WorldDescription
from autosim.environments import endings, rewards
from autosim.environments.fleet_kernels import (
    ARRIVED,
    OUT_OF_TIME,
    Cars,
    Weights,
    aim,
    begin_episodes,
    drive,
    end,
    see,
)
from autosim.environments.tasks import FollowLane
from autosim.loading.loader import load_world
from autosim.rays.batch import RayBatch
from autosim.rays.scene import RayScene
from autosim.simulation.noise import stream_of
from autosim.tracks.lane_paths import PathArrays
from autosim.tracks.lane_view import WIDTH
from autosim.world.compiled.compiled import CompiledWorld
from autosim.world.pipeline.cache import compile_world
from autosim.world.pipeline.forked_helpers import usable_processors

Observed = npt.NDArray[np.float32]

RAY_RANGE = 40.0
"""[m] of the rays: as far as a car brakes from 70 km/h."""


@dataclass(frozen=True, slots=True)
class _Share:
    """Cars that one thread computes, and room for their rays."""

    cars: Integers
    rays: RayBatch


class FleetEnvironment(gymnasium.vector.VectorEnv[Observed, Observed, Any]):
    """Cars that follow lanes of one map, none in the others' way.

    An episode that has ended begins anew in the same step; `info["final_obs"]` has what was seen
    last, where `info["_final_obs"]` says so. The same seed and actions give the same bytes,
    whatever the number of threads.

    Args:
        world: a world file, or what `load_world` made of one: its map is used, not its robots.
        cars: how many.
        rays: of each car, all around; 0: none.
        task: routes, starts, rewards and endings; of the kinds of `FollowLane`'s own.
        seconds: most of an episode [s].
        step_seconds: length of a step [s].
        threads: that compute; by default as many as there are processors.
        compiled: the compiled map; by default it comes from the cache, or is compiled.

    Raises:
        ValueError: a reward or an ending that cars without forces do not know; no cars, fewer than
            no rays, or no time.
        PathError: the map has no lane to follow.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 (as Gymnasium's)

    def __init__(
        self,
        world: str | Path | WorldDescription = "worlds/circle_town.xml",
        *,
        cars: int = 1000,
        rays: int = 32,
        task: FollowLane | None = None,
        seconds: float = 60.0,
        step_seconds: float = 0.1,
        threads: int | None = None,
        compiled: CompiledWorld | None = None,
    ) -> None:
        if cars < 1 or rays < 0 or min(seconds, step_seconds) <= 0.0:
            given = f"cars={cars}, rays={rays}, seconds={seconds:g}, step_seconds={step_seconds:g}"
            raise ValueError(f"a fleet has one car or more, no rays or more, and time: not {given}")
        read = world if isinstance(world, WorldDescription) else load_world(world)
        place = compiled or compile_world(read.terrain)
        self.task = task or FollowLane()
        self._weights = _weights_of(self.task)
        self._seconds, self._most_seconds = step_seconds, seconds
        self.paths: PathArrays = self.task.paths_in(place.roads)
        self._scene = RayScene.of(place)
        self.cars = Cars.of(cars, rays)
        self.num_envs, self._rays = cars, rays
        count = min(threads or usable_processors(), cars)
        ends = np.linspace(0, cars, count + 1).astype(int).tolist()
        self._shares = [
            _Share(np.arange(a, b), RayBatch.of((b - a) * rays)) for a, b in pairwise(ends)
        ]
        self._anew = RayBatch.of(cars * rays)
        self._pool = ThreadPoolExecutor(count) if count > 1 else None
        low = np.concatenate([np.full(WIDTH, -5.0), np.zeros(rays)]).astype(np.float32)
        high = np.concatenate([np.full(WIDTH, 5.0), np.ones(rays)]).astype(np.float32)
        self.single_observation_space = gymnasium.spaces.Box(low, high)
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,))
        self.observation_space = batch_space(self.single_observation_space, cars)
        self.action_space = batch_space(self.single_action_space, cars)
        self._seen: Observed = np.zeros((cars, WIDTH + rays), dtype=np.float32)
        self._streams = np.zeros(cars, dtype=np.uint64)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Begins an episode for each car.

        Args:
            seed: of all episodes from now on; None: go on with those that come.
            options: none.
        """
        if seed is not None or not self._streams.any():
            first = seed[0] if isinstance(seed, list) else seed
            number = first if first is not None else randbits(31)
            self._streams[:] = [stream_of(number, f"car {car}", 0) for car in range(self.num_envs)]
            self.cars.episodes[:] = 0
        self._begin(np.arange(self.num_envs))
        return self._seen.copy(), {}

    def step(
        self, actions: Observed
    ) -> tuple[Observed, Floats, npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Drives all cars on for a step.

        Raises:
            ValueError: the actions are no (cars, 2) finite numbers.
        """
        cars = self.cars
        chosen = np.asarray(actions, dtype=np.float64)
        if chosen.shape != cars.actions.shape or not np.isfinite(chosen).all():
            raise ValueError(f"actions are {cars.actions.shape} finite numbers, two for each car")
        np.clip(chosen, -1.0, 1.0, out=cars.actions)
        self._in_threads(self._drive)
        self._look(self._shares)
        self._in_threads(self._end)
        ended, worth = cars.ended.copy(), cars.rewards.copy()
        truncated = ended == OUT_OF_TIME
        terminated = (ended > 0) & ~truncated
        is_over = ended > 0
        info: dict[str, Any] = {}
        if is_over.any():
            info = {
                "final_obs": self._seen.copy(),
                "_final_obs": is_over,
                "ended_by": ended,
                "is_success": ended == ARRIVED,
                "episode": {"r": cars.returns[:, 0].copy(), "l": cars.returns[:, 1].copy()},
                "_episode": is_over,
            }
            self._begin(np.flatnonzero(is_over))
        return self._seen.copy(), worth, terminated, truncated, info

    def close_extras(self, **_: Any) -> None:
        """Ends the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def look(self) -> Observed:
        """What all cars see from where they are (cars, numbers)."""
        self._look(self._shares)
        return self._seen.copy()

    def _begin(self, chosen: Integers) -> None:
        """Begins episodes of the `chosen` cars."""
        task = self.task
        begin_episodes(self.paths, self.cars, self._streams, task.offset, task.turn, chosen)
        self._look([_Share(chosen, self._anew)])

    def _drive(self, share: _Share) -> None:
        drive(self.paths, self.cars, self._weights, self._seconds, share.cars)

    def _end(self, share: _Share) -> None:
        end(self.cars, self._weights, RAY_RANGE, self._most_seconds, share.cars)

    def _look(self, shares: Sequence[_Share]) -> None:
        """Casts rays and writes what is seen."""
        each = self._rays
        for share in shares:
            aim(self.paths, self.cars, share.rays, RAY_RANGE, share.cars)
        counts = [len(share.cars) * each for share in shares]
        if self._pool is None or len(shares) == 1:
            for share, count in zip(shares, counts, strict=True):
                self._scene.meet(share.rays, count)
        else:
            self._scene.meet_in_threads([share.rays for share in shares], counts, self._pool)
        for share in shares:
            see(self.cars, share.rays, self._seen, share.cars)

    def _in_threads(self, work: Callable[[_Share], None]) -> None:
        if self._pool is None:
            work(self._shares[0])
        else:
            list(self._pool.map(work, self._shares))


def _weights_of(task: FollowLane) -> Weights:
    """The rewards and endings of a task as numbers; one that lacks is never met.

    Raises:
        ValueError: there are others than those of `FollowLane`.
    """
    left: dict[type, Any] = {type(each): each for each in (*task.rewards, *task.endings)}
    progress = left.pop(rewards.Progress, rewards.Progress(0.0))
    middle = left.pop(rewards.OffMiddle, rewards.OffMiddle(0.0))
    jerking = left.pop(rewards.Jerking, rewards.Jerking(0.0))
    speeding = left.pop(rewards.Speeding, rewards.Speeding(0.0))
    corners = left.pop(rewards.Cornering, rewards.Cornering(0.0))
    never = np.inf
    lane = left.pop(endings.LeftLane, endings.LeftLane(never))
    turned = left.pop(endings.TurnedAround, endings.TurnedAround(never))
    stood = left.pop(endings.Stood, endings.Stood(never))
    arrived = left.pop(endings.Arrived, endings.Arrived(-never))
    collided = left.pop(endings.Collided, endings.Collided())
    if left:
        names = ", ".join(kind.__name__ for kind in left)
        raise ValueError(f"cars of a fleet know no {names}")
    return Weights(
        progress.weight,
        middle.weight,
        jerking.weight,
        speeding.weight,
        corners.weight,
        corners.most,
        lane.half_widths,
        lane.reward,
        turned.angle,
        turned.reward,
        stood.seconds,
        stood.reward,
        arrived.distance,
        arrived.reward,
        collided.reward,
    )
