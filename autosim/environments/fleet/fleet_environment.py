"""A thousand cars in one compiled step, each in its own episode, for learning at scale.

With a `SharedTown` a few cars and vehicles of traffic each share a copy of the town, and follow,
see and hit one another. Cars have no forces here: they move as their wheels steer, with limits of
grip, steering and power that are those of the car in the physics. They see the lane by the same
kernel as `DrivingEnv`, and the world by rays, so what is learned here drives there.
"""

from collections.abc import Callable, Mapping, Sequence
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

from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import WorldDescription
from autosim.environments import terminations
from autosim.environments.action_mapping import STEERING
from autosim.environments.episodes.start_options import check_options
from autosim.environments.fleet.fleet_endings import mark_endings, weights_of
from autosim.environments.fleet.fleet_kernels import (
    ARRIVED,
    OUT_OF_TIME,
    OUTLINE_RAYS,
    Cars,
    aim,
    aim_outlines,
    begin_chosen,
    begin_episodes,
    drive,
    end,
    note_contacts,
    see,
)
from autosim.environments.fleet.fleet_people import begin_people, step_people
from autosim.environments.fleet.fleet_road_users import (
    begin_apart,
    begin_traffic,
    note_collisions,
    place_cars,
    see_others,
    shorten_rays,
    step_traffic,
    take_away,
)
from autosim.environments.fleet.fleet_signals import note_red_lights
from autosim.environments.fleet.shared_town import NEIGHBOURS, SIGNAL_WIDTH, FleetUsers, SharedTown
from autosim.environments.tasks import FollowLane
from autosim.loading.loader import load_world
from autosim.model.noise import stream_of
from autosim.rays.batch import RayBatch
from autosim.rays.ray_scene import RayScene
from autosim.tracks.lane_paths import SPACING, PathArrays
from autosim.tracks.lane_view import WIDTH
from autosim.tracks.mirrored_view import lane_signs, neighbour_signs
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world
from autosim.world.pipeline.forked_helpers import usable_processors

Observed = npt.NDArray[np.float32]

RAY_RANGE = 40.0
"""[m] of the rays: as far as a car brakes from 70 km/h."""


_LONGEST_CYCLE = 120.0
"""Time [s] within which the clocks of signals begin: more than a cycle takes."""

_START_OPTIONS = ("path", "station", "offset", "turn")
"""Options of `reset` that choose where cars start."""


@dataclass(frozen=True, slots=True)
class _Share:
    """Cars that one thread computes, and room for the rays that see and for those that touch.

    `copies` of the town are those whose traffic it moves.
    """

    cars: Integers
    rays: RayBatch
    outlines: RayBatch
    copies: Integers


class FleetVectorEnv(gymnasium.vector.VectorEnv[Observed, Observed, Any]):
    """Cars that follow lanes of one map, with others in their way where `shared` says so.

    The same seed and actions give the same bytes, whatever the number of threads. What happens when
    an episode has ended is Gymnasium's to say, by its modes:

    - `NEXT_STEP`, the default: the next step ignores the action of that car and begins a new
      episode, with a reward of 0. All of Gymnasium's vector wrappers work with it.
    - `SAME_STEP`: the new episode begins in the same step, and `info["final_obs"]` has the last
      observation where `info["_final_obs"]` says so.
    - `DISABLED`: the car stays where it is until `reset(options={"reset_mask": …})`.

    Where an episode has ended, `info` has `ended_by` (n,), `is_success` (n,), `episode_return` (n,)
    and `episode_length` (n,), each with a mask of the same name after an underscore.

    Args:
        world: a world file, or what `load_world` made of one: its map is used, not its robots.
        cars: how many.
        rays: of each car, all around; 0: none. Contacts are found without them.
        task: routes, starts, rewards and endings; of the kinds of `FollowLane`'s own. Without the
            ending `Collided` cars drive through what is in their way.
        seconds: longest episode [s].
        step_seconds: length of a step [s].
        threads: number of threads; by default as many as there are processors.
        compiled: the compiled map; by default it comes from the cache, or is compiled.
        autoreset_mode: see above.
        shared: the cars and vehicles of traffic in each copy of the town; None: each car is alone.
        is_mirrored: whether observations and steering are mirrored where traffic keeps to the left:
            what is learned on one side of the road then drives on the other.

    Raises:
        ValueError: a reward or an ending that cars without forces do not know; no cars, fewer than
            no rays, or no time.
        PathError: the map has no lane to follow.
    """

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
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        shared: SharedTown | None = None,
        is_mirrored: bool = False,
    ) -> None:
        if cars < 1 or rays < 0 or min(seconds, step_seconds) <= 0.0:
            given = f"cars={cars}, rays={rays}, seconds={seconds:g}, step_seconds={step_seconds:g}"
            raise ValueError(f"a fleet has one car or more, no rays or more, and time: not {given}")
        read = world if isinstance(world, WorldDescription) else load_world(world)
        place = compiled or compile_world(read.terrain)
        self.task = task or FollowLane()
        self._weights, self._shared_weights = weights_of(self.task, shared)
        self._collides = any(isinstance(each, terminations.Collided) for each in self.task.endings)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode}
        self._seconds, self._most_seconds = step_seconds, seconds
        self.paths: PathArrays = self.task.paths_in(place.roads)
        self._scene = RayScene.of(place)
        self.cars = Cars.of(cars, rays)
        self.num_envs, self._rays, self._town = cars, rays, shared
        self.users = FleetUsers.of(self.paths, shared, cars, place) if shared else None
        self._shares = _shares_of(cars, rays, threads or usable_processors(), shared)
        count = len(self._shares)
        self._first_rays = RayBatch.of(cars * rays)
        self._is_over: Booleans = np.zeros(cars, dtype=np.bool_)
        self._pool = ThreadPoolExecutor(count) if count > 1 else None
        widths = [WIDTH, shared.width if shared else 0]
        self._others = slice(WIDTH + rays, sum(widths) + rays)
        bounds = np.repeat([5.0, 1.0, 5.0], [WIDTH, rays, widths[1]]).astype(np.float32)
        low = -bounds
        low[WIDTH : WIDTH + rays] = 0.0
        self.single_observation_space = gymnasium.spaces.Box(low, bounds)
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,))
        self.observation_space = batch_space(self.single_observation_space, cars)
        self.action_space = batch_space(self.single_action_space, cars)
        self._seen: Observed = np.zeros((cars, len(bounds)), dtype=np.float32)
        self._streams = np.zeros(cars, dtype=np.uint64)
        self._mirror = None
        if is_mirrored and place.driving_side == "left":
            self._mirror = _mirror_of(rays, shared)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, object] | None = None,
    ) -> tuple[Observed, dict[str, Any]]:
        """Begins an episode for each car.

        Args:
            seed: of all episodes from now on, or one for each car; None: continue with the current
                seeds.
            options: `reset_mask` (cars,): the cars that begin an episode, by default all; `path`
                (cars,), `station` (cars,) [m], `offset` (cars,) [m] and `turn` (cars,) [rad], or
                one number for all of them, choose where they start.

        Raises:
            ValueError: there are not as many seeds as cars; an option is unknown, or of another
                shape.
        """
        given = dict(options or {})
        check_options(given, ("reset_mask", *_START_OPTIONS))
        chosen = np.flatnonzero(self._mask_of(given.pop("reset_mask", None)))
        self._seed(seed, chosen)
        if self.users is not None and (seed is not None or not self.users.begun.any()):
            self._begin_traffic(self.users, chosen)
        if given:
            self._begin_at(chosen, given)
        else:
            self._begin(chosen)
        return self._shown(), {}

    def _mask_of(self, mask: object) -> Booleans:
        if mask is None:
            return np.ones(self.num_envs, dtype=np.bool_)
        found = np.asarray(mask)
        if found.shape != (self.num_envs,) or found.dtype != np.bool_ or not found.any():
            raise ValueError(f"reset_mask: expected {self.num_envs} booleans, one of them True")
        return found

    def _seed(self, seed: int | Sequence[int | None] | None, chosen: Integers) -> None:
        """Gives the `chosen` cars new streams of random numbers, where they are to have some."""
        if seed is None:
            if not self._streams.any():
                self._seed(randbits(31), np.arange(self.num_envs))
            return
        seeds = [seed] * self.num_envs if isinstance(seed, int | np.integer) else list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"expected one seed, or {self.num_envs} of them, not {len(seeds)}")
        for car in chosen.tolist():
            number = seeds[car]
            if number is None and self._streams[car]:
                continue
            number = randbits(31) if number is None else int(number)
            self._streams[car] = stream_of(number, f"car {car}", 0)
            self.cars.episodes[car] = 0

    def _begin_traffic(self, users: FleetUsers, chosen: Integers) -> None:
        """Begins the traffic of the copies whose first car is `chosen`, by that car's numbers."""
        take_away(users, chosen)
        firsts = chosen[chosen % users.cars == 0]
        for car in firsts.tolist():
            first = car // users.cars * users.traffic
            for vehicle in range(first, first + users.traffic):
                number = int(self._streams[car])
                users.streams[vehicle] = stream_of(number, f"vehicle {vehicle}", 0)
            self._begin_people(users, car)
        begin_traffic(self.paths, users, firsts // users.cars)
        begin_people(users, firsts // users.cars)

    def _begin_people(self, users: FleetUsers, car: int) -> None:
        """Gives people and signals of the copy of a first car their random numbers."""
        copy, number = car // users.cars, int(self._streams[car])
        for walker in range(copy * users.people, (copy + 1) * users.people):
            users.walker_streams[walker] = stream_of(number, f"person {walker}", 0)
        tenths = round(10.0 * _LONGEST_CYCLE)
        users.clocks[copy] = int(stream_of(number, f"signals {copy}", 0)) % tenths / 10.0

    def step(
        self, actions: Observed
    ) -> tuple[Observed, Floats, npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Drives all cars on for a step.

        Raises:
            ValueError: the actions are no (cars, 2) finite numbers.
            RuntimeError: an episode has ended and was not reset, where nothing resets it.
        """
        cars = self.cars
        chosen = np.asarray(actions, dtype=np.float64)
        if chosen.shape != cars.actions.shape or not np.isfinite(chosen).all():
            raise ValueError(f"actions are {cars.actions.shape} finite numbers, two for each car")
        waiting = self._is_over.copy()
        if waiting.any() and self.autoreset_mode == AutoresetMode.DISABLED:
            raise RuntimeError(
                f"the episode of car {int(np.argmax(waiting))} has ended: call reset with "
                'options={"reset_mask": …}'
            )
        np.clip(chosen, -1.0, 1.0, out=cars.actions)
        if self._mirror is not None:
            cars.actions[:, STEERING] *= -1.0
        self._in_threads(self._drive)
        self._look(self._shares)
        self._touch()
        self._in_threads(self._end)
        if waiting.any():
            self._begin(np.flatnonzero(waiting))
            cars.rewards[waiting] = 0.0
        ended, worth = cars.ended.copy(), cars.rewards.copy()
        truncated = ended == OUT_OF_TIME
        is_over = ended > 0
        info = self._info(ended, is_over) if is_over.any() else {}
        self._is_over[:] = is_over
        if self.autoreset_mode == AutoresetMode.SAME_STEP and is_over.any():
            info["final_obs"], info["_final_obs"] = self._shown(), is_over.copy()
            self._begin(np.flatnonzero(is_over))
        return self._shown(), worth, is_over & ~truncated, truncated, info

    def _info(self, ended: npt.NDArray[np.uint8], is_over: Booleans) -> dict[str, object]:
        """The report on episodes that have ended, see the class."""
        returns = self.cars.returns
        values = {
            "ended_by": ended,
            "is_success": ended == ARRIVED,
            "episode_return": np.where(is_over, returns[:, 0], 0.0),
            "episode_length": np.where(is_over, returns[:, 1], 0.0).astype(np.int64),
        }
        return values | {f"_{name}": is_over.copy() for name in values}

    def reweigh(self, task: FollowLane) -> None:
        """Gives rewards and endings by those of another task from now on; paths and starts stay.

        Raises:
            ValueError: it has others than a fleet supports.
        """
        self._weights, self._shared_weights = weights_of(task, self._town)

    @property
    def memory(self) -> dict[str, npt.NDArray[np.generic]]:
        """All arrays that the next step depends on, by name; written in place, they are a state."""
        found: dict[str, npt.NDArray[np.generic]] = {
            "streams": self._streams,
            "is_over": self._is_over,
            "seen": self._seen,
        }
        for group, each in (("cars", self.cars), ("users", self.users)):
            if each is not None:
                arrays = {f"{group}_{name}": getattr(each, name) for name in each._fields}
                found |= {k: v for k, v in arrays.items() if isinstance(v, np.ndarray)}
        return found

    def close_extras(self, **_: object) -> None:
        """Ends the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def look(self) -> Observed:
        """The observations of all cars (cars, numbers)."""
        self._look(self._shares)
        return self._shown()

    def _shown(self) -> Observed:
        """A copy of the observations, in the mirror where there is one."""
        if self._mirror is None:
            return self._seen.copy()
        columns, signs = self._mirror
        shown: Observed = self._seen[:, columns] * signs
        return shown

    def _begin(self, chosen: Integers) -> None:
        """Begins episodes of the `chosen` cars where their task has them start."""
        task = self.task
        paths, cars, users = self.paths, self.cars, self.users
        if users is None:
            begin_episodes(paths, cars, self._streams, task.offset, task.turn, chosen)
        else:
            begin_apart(paths, cars, users, self._streams, task.offset, task.turn, chosen)
        self._look_first(chosen)

    def _begin_at(self, chosen: Integers, options: Mapping[str, object]) -> None:
        """Begins episodes of the `chosen` cars where options say.

        Raises:
            ValueError: an option has another shape, or lies outside the paths.
        """
        path, station, offset, turn = (
            _column(name, options.get(name, 0.0), self.num_envs)[chosen] for name in _START_OPTIONS
        )
        paths, starts = path.astype(np.int64), self.paths.starts
        if (paths != path).any() or (paths < 0).any() or (paths >= len(starts) - 1).any():
            raise ValueError(f"path: expected numbers from 0 to {len(starts) - 2}, not {path}")
        lengths = (starts[paths + 1] - starts[paths] - 1) * SPACING
        if (station < 0.0).any() or (station > lengths).any():
            raise ValueError(f"station: expected 0 to the length of the path [m], not {station}")
        rows = starts[paths] + np.rint(station / SPACING).astype(np.int64)
        places = np.column_stack([paths, rows])
        begin_chosen(self.paths, self.cars, places, np.column_stack([offset, turn]), chosen)
        if self.users is not None:
            place_cars(self.paths, self.cars, self.users, chosen)
        self._look_first(chosen)

    def _look_first(self, chosen: Integers) -> None:
        self._is_over[chosen] = False
        self._look([_Share(chosen, self._first_rays, self._first_rays, chosen)])

    def _drive(self, share: _Share) -> None:
        drive(self.paths, self.cars, self._weights, self._seconds, share.cars)
        if self.users is not None:
            place_cars(self.paths, self.cars, self.users, share.cars)
            step_traffic(self.paths, self.users, self._seconds, share.copies)
            step_people(self.users, self._seconds, share.copies)

    def _end(self, share: _Share) -> None:
        end(self.cars, self._weights, self._most_seconds, share.cars)
        if self.users is not None:
            if self.users.has_signals:
                note_red_lights(self.paths, self.cars, self.users, self._seconds, share.cars)
            mark_endings(self.cars, self.users, self._shared_weights, share.cars)

    def _look(self, shares: Sequence[_Share]) -> None:
        """Casts the rays that see, and writes the observations."""
        if self._rays:
            for share in shares:
                aim(self.paths, self.cars, share.rays, RAY_RANGE, share.cars)
            self._cast([(share.rays, len(share.cars) * self._rays) for share in shares])
        for share in shares:
            if self.users is not None:
                self._look_at_others(self.users, share)
            see(self.cars, share.rays, self._seen, share.cars)

    def _look_at_others(self, users: FleetUsers, share: _Share) -> None:
        """Ends the rays at others, and writes what is observed of these."""
        if self._rays:
            shorten_rays(self.cars, users, share.rays, RAY_RANGE, share.cars)
        first, width = self._others.start, self._others.stop - self._others.start
        see_others(self.paths, self.cars, users, self._seen, first, width, share.cars)

    def _touch(self) -> None:
        """Casts the rays that find contacts."""
        if not self._collides:
            return
        for share in self._shares:
            aim_outlines(self.paths, self.cars, share.outlines, share.cars)
        self._cast([(share.outlines, len(share.cars) * OUTLINE_RAYS) for share in self._shares])
        for share in self._shares:
            note_contacts(self.cars, share.outlines, share.cars)
            if self.users is not None:
                note_collisions(self.cars, self.users, share.cars)

    def _cast(self, batches: Sequence[tuple[RayBatch, int]]) -> None:
        if self._pool is None or len(batches) == 1:
            for rays, count in batches:
                self._scene.meet(rays, count)
        else:
            rays_of, counts = zip(*batches, strict=True)
            self._scene.meet_in_threads(rays_of, counts, self._pool)

    def _in_threads(self, work: Callable[[_Share], None]) -> None:
        if self._pool is None:
            work(self._shares[0])
        else:
            list(self._pool.map(work, self._shares))


def _mirror_of(rays: int, shared: SharedTown | None) -> tuple[Integers, Observed]:
    """The columns of observations in the order of a mirror, and their signs."""
    columns = np.arange(WIDTH + rays + (shared.width if shared else 0))
    columns[WIDTH : WIDTH + rays] = WIDTH + -np.arange(rays) % max(rays, 1)
    signs = np.ones(len(columns), np.float32)
    signs[:WIDTH] = lane_signs()
    if shared is not None and shared.observed:
        last = len(signs) - (SIGNAL_WIDTH if shared.has_signals else 0)
        signs[WIDTH + rays + NEIGHBOURS : last] = neighbour_signs(shared.observed)
    return columns, signs


def _shares_of(cars: int, rays: int, threads: int, shared: SharedTown | None) -> list[_Share]:
    """Cars by threads; copies of a town are never divided."""
    size = shared.cars if shared else 1
    copies = -(-cars // size)
    count = min(threads, copies)
    ends = np.linspace(0, copies, count + 1).astype(int).tolist()
    shares = []
    for a, b in pairwise(ends):
        chosen = np.arange(a * size, min(b * size, cars))
        outlines = RayBatch.of(len(chosen) * OUTLINE_RAYS)
        shares.append(_Share(chosen, RayBatch.of(len(chosen) * rays), outlines, np.arange(a, b)))
    return shares


def _column(name: str, value: object, count: int) -> Floats:
    """An option for each of `count` cars, given for each of them or once for all.

    Raises:
        ValueError: it is not a number, or has another shape.
    """
    try:
        found = np.broadcast_to(np.asarray(value, dtype=np.float64), (count,))
    except (TypeError, ValueError):
        found = np.full(count, np.nan)
    if not np.isfinite(found).all():
        raise ValueError(f"{name}: expected a number, or one for each of {count} cars")
    return found
