"""Training of a policy in fleets of cars, a fleet for each town."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import WorldDescription
from autosim.environments.fleet import FleetVectorEnv
from autosim.environments.fleet.fleet_endings import HIT_PERSON, HIT_VEHICLE
from autosim.environments.fleet.fleet_kernels import ARRIVED, COLLIDED, LEFT_LANE, OUT_OF_TIME
from autosim.environments.fleet.fleet_tasks import FleetTask
from autosim.learning.network_kernels import Samples, Singles, advantages
from autosim.learning.policy_file import Policy
from autosim.learning.ppo import Learner, PpoSettings

TRIAL_SAMPLES = 4_000_000
"""Steps of cars between two trials of the policy: about forty seconds."""

TRIAL_EPISODES = 288
"""Episodes of a trial in all towns: about a second."""

_TRIAL_SEED = 7
"""Seed of the starts and of traffic in trials."""


@dataclass(slots=True)
class Outcomes:
    """Counts of ended episodes.

    All `episodes`, and those that `arrived`, `collided`, `left_lane` or were `out_of_time`.
    """

    episodes: int = 0
    arrived: int = 0
    collided: int = 0
    left_lane: int = 0
    out_of_time: int = 0
    rewards: float = 0.0
    """Sum of the rewards of all steps."""
    steps: int = 0
    """Steps of cars."""

    def __iadd__(self, other: "Outcomes") -> "Outcomes":
        """Adds other episodes."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
        return self

    def add(self, info: dict[str, np.ndarray[tuple[int], np.dtype[np.int64]]]) -> None:
        """Counts the endings of a step."""
        if "ended_by" not in info:
            return
        ended = info["ended_by"][info["_ended_by"]]
        self.episodes += len(ended)
        self.arrived += int((ended == ARRIVED).sum())
        self.collided += int(np.isin(ended, (COLLIDED, HIT_PERSON, HIT_VEHICLE)).sum())
        self.left_lane += int((ended == LEFT_LANE).sum())
        self.out_of_time += int((ended == OUT_OF_TIME).sum())


class CostChange(NamedTuple):
    """A cost of collisions, `collision_cost`, that applies after a number of steps, `samples`."""

    samples: int
    collision_cost: float


@dataclass(slots=True)
class Training:
    """A policy and the fleets that it drives.

    Args:
        task: what it learns.
        worlds: towns.
        cars: number of cars in all towns together.
        seed: of the policy, of starts and of traffic; routes are those of the town.
        threads: how many; their number changes no byte.
        settings: of the algorithm.

    After each `TRIAL_SAMPLES` the policy drives some episodes in each town without noise; the best
    one so far is kept.

    Attributes:
        learner: updates the policy.
        fleets: one for each town.
        samples: number of steps of cars so far.
    """

    task: FleetTask
    worlds: Sequence[WorldDescription]
    cars: int
    seed: int
    threads: int
    settings: PpoSettings = field(default_factory=PpoSettings)
    change: CostChange | None = None
    """Change of the cost of collisions during the training."""
    learner: Learner = field(init=False)
    fleets: list[FleetVectorEnv] = field(init=False)
    _seen: Singles = field(init=False)
    _state: Floats = field(init=False)
    _best: Singles = field(init=False)
    _trial_fleets: list[FleetVectorEnv] = field(init=False)

    def __post_init__(self) -> None:
        each = max(1, self.cars // len(self.worlds))
        self.fleets = [
            make_fleet(world, self.task, each, self.threads, number)
            for number, world in enumerate(self.worlds)
        ]
        first, _ = self.fleets[0].reset(seed=self.seed)
        inputs = first.shape[1]
        self.learner = Learner(inputs, 2, self.settings, seed=self.seed, threads=self.threads)
        seen = [fleet.reset(seed=self.seed + k)[0] for k, fleet in enumerate(self.fleets)]
        self._seen = self.learner.padded(np.concatenate(seen))
        self._state = np.array([0.0, -np.inf])
        self._best = np.zeros_like(self.learner.averages)
        each = max(1, TRIAL_EPISODES // len(self.worlds))
        self._trial_fleets = [
            make_fleet(world, self.task, each, self.threads, number)
            for number, world in enumerate(self.worlds)
        ]

    @property
    def samples(self) -> int:
        """Steps of cars so far."""
        return int(self._state[0])

    @property
    def best_score(self) -> float:
        """Score of the best policy, see `score_of`; negative infinity before the first trial."""
        return float(self._state[1])

    @property
    def policy(self) -> Policy:
        """The best policy so far; before the first trial, the policy as it is now."""
        return self._policy_of(self._best) if np.isfinite(self.best_score) else self.last_policy

    @property
    def last_policy(self) -> Policy:
        """The averaged policy as it is now."""
        return self._policy_of(self.learner.averages)

    def _policy_of(self, weights: Singles) -> Policy:
        layers = self.learner.actor_of(weights)
        return Policy.of(layers, self.learner.inputs, self.task.shared.observed)

    @property
    def memory(self) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
        """All arrays that a continued training needs, by name; they are written in place."""
        found: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]] = {
            "seen": self._seen,
            "training": self._state,
            "best": self._best,
        }
        found |= self.learner.memory
        for number, fleet in enumerate(self.fleets):
            found |= {f"fleet_{number}_{name}": each for name, each in fleet.memory.items()}
        return found

    def update(self) -> Outcomes:
        """Drives all cars for some steps and learns from them."""
        self._apply_change()
        settings, learner, outcomes = self.settings, self.learner, Outcomes()
        count, width = self._seen.shape
        seen = np.zeros((settings.steps, count, width), np.float32)
        actions = np.zeros((settings.steps, count, 2), np.float32)
        chances, rewards, is_over = np.zeros((3, settings.steps, count), np.float32)
        values = np.zeros((settings.steps + 1, count), np.float32)
        for step in range(settings.steps):
            seen[step] = self._seen
            values[step] = learner.values(self._seen)
            actions[step], chances[step] = learner.act(self._seen)
            rewards[step], is_over[step] = self._drive(actions[step], outcomes)
        values[settings.steps] = learner.values(self._seen)
        gains = np.zeros_like(rewards)
        advantages(values, rewards, is_over, settings.discount, settings.trace, gains)
        returns = (gains + values[:-1]).reshape(-1)
        learner.learn(
            Samples(
                seen.reshape(-1, width),
                actions.reshape(-1, 2),
                chances.reshape(-1),
                gains.reshape(-1),
                returns,
            )
        )
        trials = self.samples // TRIAL_SAMPLES
        self._state[0] += rewards.size
        if self.samples // TRIAL_SAMPLES > trials:
            self._try()
        return outcomes

    def _apply_change(self) -> None:
        """Changes the cost of collisions when it is time."""
        change = self.change
        if change is None or self.samples < change.samples:
            return
        if self.task.collision_cost != change.collision_cost:
            self.task = replace(self.task, collision_cost=change.collision_cost)
            for number, fleet in enumerate(self.fleets):
                fleet.reweigh(self.task.lane_task(number))

    def _try(self) -> None:
        """Drives the trial and keeps the policy if it is the best so far."""
        outcomes = Outcomes()
        for fleet in self._trial_fleets:
            actions = self.learner.steady_actions
            outcomes += drive_episodes(actions, fleet, rounds=1, seed=_TRIAL_SEED)
        score = score_of(outcomes)
        if score > self.best_score:
            self._state[1] = score
            self._best[:] = self.learner.averages

    def _drive(self, actions: Singles, outcomes: Outcomes) -> tuple[Singles, Singles]:
        """Drives all fleets for a step: rewards (n,), and 1 where an episode ended (n,)."""
        rewards, is_over = np.zeros((2, len(actions)), np.float32)
        inputs, first = self.learner.inputs, 0
        for fleet in self.fleets:
            rows = slice(first, first + fleet.num_envs)
            first = rows.stop
            seen, gained, ended, cut, info = fleet.step(actions[rows])
            rewards[rows], is_over[rows] = gained, ended | cut
            outcomes.rewards += float(gained.sum())
            outcomes.steps += len(gained)
            outcomes.add(info)
            if cut.any():  # What time has cut short would have continued.
                later = self.learner.values(self.learner.padded(info["final_obs"][cut]))
                rewards[first - fleet.num_envs + np.flatnonzero(cut)] += (
                    np.float32(self.settings.discount) * later
                )
            self._seen[rows, :inputs] = seen
        return rewards, is_over

    def close(self) -> None:
        """Ends the threads."""
        self.learner.close()
        for fleet in [*self.fleets, *self._trial_fleets]:
            fleet.close()


def make_fleet(
    world: WorldDescription, task: FleetTask, cars: int, threads: int, seed: int = 0
) -> FleetVectorEnv:
    """A fleet with a training task in a town; `seed` chooses the routes."""
    return task.fleet(cars, seed=seed, world=world, threads=threads, autoreset_mode="SameStep")


def evaluate(
    policy: Policy,
    world: WorldDescription,
    task: FleetTask,
    *,
    episodes: int,
    seed: int,
    cars: int = 96,
    threads: int = 1,
) -> Outcomes:
    """Endings of at least `episodes` episodes of a policy, without noise.

    The first episode of each car is driven to its end, then the next ones, so short episodes do not
    count more than long ones.
    """
    fleet = make_fleet(world, task, cars, threads, seed)
    outcomes = drive_episodes(policy.actions, fleet, rounds=-(-episodes // cars), seed=seed)
    fleet.close()
    return outcomes


def drive_episodes(
    actions: Callable[[Singles], Singles], fleet: FleetVectorEnv, *, rounds: int, seed: int
) -> Outcomes:
    """Endings of the first `rounds` episodes of each car of a fleet, which begins again.

    `actions` (n, 2) for what is seen (n, inputs).
    """
    seen, _ = fleet.reset(seed=seed)
    outcomes, left = Outcomes(), np.full(fleet.num_envs, rounds)
    while left.any():
        seen, gained, _, _, info = fleet.step(actions(seen))
        counts = left > 0
        outcomes.rewards += float(gained[counts].sum())
        outcomes.steps += int(counts.sum())
        if "_ended_by" in info:
            is_over = info["_ended_by"] & counts
            outcomes.add({"ended_by": info["ended_by"], "_ended_by": is_over})
            left -= is_over
    return outcomes


def score_of(outcomes: Outcomes) -> float:
    """Share of episodes that arrived less that of collisions: a policy with more is better."""
    return (outcomes.arrived - outcomes.collided) / max(outcomes.episodes, 1)
