"""Proximal policy optimisation of a small policy, to the same bytes for any number of threads.

Source: Schulman, Wolski, Dhariwal, Radford, Klimov: Proximal Policy Optimization Algorithms, 2017.
The learning rate follows the divergence of an update, as in Rudin, Hoeller, Reist, Hutter: Learning
to Walk in Minutes, 2021; so it depends on no planned length of the training.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeVar

import numpy as np

from autosim.arrays import Integers
from autosim.learning.network_kernels import (
    BLOCK,
    TILE,
    Layers,
    Samples,
    Scratch,
    Singles,
    add_actor_gradient,
    add_critic_gradient,
    draw_actions,
    improve,
    normalise,
    outputs_of,
)
from autosim.model.noise import stream_of

Part = TypeVar("Part")

_SHARES = 8
"""Parts of a minibatch whose gradients are added in this order, whatever the number of threads."""


@dataclass(frozen=True, slots=True)
class PpoSettings:
    """Numbers of the algorithm."""

    hidden: int = 64
    """Width of both hidden layers."""
    steps: int = 32
    """Steps of each car between two updates."""
    epochs: int = 2
    """Passes over the samples of an update."""
    minibatches: int = 8
    """Parts of the samples, each of which makes one step of the weights."""
    discount: float = 0.99
    """Factor of rewards a step later."""
    trace: float = 0.95
    """Lambda of the estimate of advantages."""
    clip: float = 0.2
    """Largest change of a density that is rewarded."""
    entropy: float = 0.001
    """Reward of the entropy of actions."""
    rate: float = 1e-3
    """Learning rate of the first update."""
    divergence: float = 0.01
    """Divergence of an update that keeps the rate; twice and half of it change the rate."""
    longest_gradient: float = 1.0
    """Gradients are shortened to this length."""
    first_deviation: float = 0.5
    """Deviation of actions, at first."""
    averaged: float = 50.0
    """Number of updates over which the weights of policies are averaged."""
    least_deviation: float = 0.12
    """Least deviation of actions: below it nothing new is tried, and a policy stays as it is."""


_RATE_BOUNDS = (1e-4, 3e-3)
"""Least and largest learning rate [1], a share of the scale of weights: outside, updates change
nothing, or everything."""

_RATE_STEP = 1.3
"""Factor by which the rate changes."""


class Learner:
    """A policy that improves from what it has driven.

    Args:
        inputs: numbers that are seen.
        actions: numbers of an action.
        settings: of the algorithm.
        seed: of the first weights, the actions and the order of samples.
        threads: how many.

    `memory`: all arrays that a continued training needs.
    """

    def __init__(
        self, inputs: int, actions: int, settings: PpoSettings, *, seed: int, threads: int
    ) -> None:
        self.settings, self.inputs = settings, inputs
        self._padded = -(-inputs // BLOCK) * BLOCK
        self._seed = seed
        h = settings.hidden
        self._actor_size = _size(self._padded, h, actions)
        critic_size = _size(self._padded, h, 1)
        self.weights: Singles = np.zeros(self._actor_size + critic_size + actions, np.float32)
        self._moments: Singles = np.zeros((2, len(self.weights)), np.float32)
        self._averages: Singles = np.zeros(self._actor_size, np.float32)
        self._state = np.array([settings.rate, 0.0, 0.0])
        self._rows: list[Singles] = []
        rng = np.random.Generator(np.random.PCG64(seed))
        self.actor = _layers(self.weights[: self._actor_size], self._padded, h, actions)
        self._critic = _layers(self.weights[self._actor_size : -actions], self._padded, h, 1)
        self._log_deviations = self.weights[-actions:]
        self._log_deviations[:] = np.log(settings.first_deviation)
        for layers, gain in ((self.actor, 0.01), (self._critic, 1.0)):
            _fill(layers, inputs, gain, rng)
        self._averages[:] = self.weights[: self._actor_size]
        self._gradients = np.zeros((_SHARES, len(self.weights)), np.float32)
        self._rooms = [Scratch.of(h) for _ in range(_SHARES)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    @property
    def memory(self) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32 | np.float64]]]:
        """Arrays that a continued training needs, by name."""
        return {
            "weights": self.weights,
            "moments": self._moments,
            "averages": self._averages,
            "learner": self._state,
        }

    @property
    def averages(self) -> Singles:
        """Moving averages of the actor's weights over the last updates.

        A single update makes it better at one thing and worse at another; averages are steadier.
        """
        return self._averages

    def actor_of(self, weights: Singles) -> Layers:
        """An actor of other weights, in the order of `averages`."""
        return _layers(weights, self._padded, self.settings.hidden, len(self._log_deviations))

    @property
    def rate(self) -> float:
        """Learning rate."""
        return float(self._state[0])

    @property
    def deviations(self) -> Singles:
        """Deviations (a,) of actions."""
        return np.exp(self._log_deviations)

    def padded(self, seen: Singles) -> Singles:
        """Inputs (n, inputs) with columns of zeros, as many as kernels need."""
        found = np.zeros((len(seen), self._padded), np.float32)
        found[:, : self.inputs] = seen
        return found

    def means(self, seen: Singles) -> Singles:
        """Actions (n, a) without noise for padded inputs."""
        return self._outputs(self.actor, seen)

    def steady_actions(self, seen: Singles) -> Singles:
        """Actions (n, a) in [-1, 1] of the averaged actor without noise, for (n, inputs) seen."""
        found = self._outputs(self.actor_of(self._averages), self.padded(seen))
        return np.clip(found, -1.0, 1.0)

    def values(self, seen: Singles) -> Singles:
        """Expected returns (n,) for padded inputs."""
        return self._outputs(self._critic, seen)[:, 0]

    def act(self, seen: Singles) -> tuple[Singles, Singles]:
        """Draws actions (n, a) for padded inputs, and logarithms of their densities (n,)."""
        means = self.means(seen)
        actions, chances = np.zeros_like(means), np.zeros(len(means), np.float32)
        stream = np.uint64(stream_of(self._seed, "actions", 0))
        counter = int(self._state[1])
        draw_actions(means, self._log_deviations, stream, counter, actions, chances)
        self._state[1] += means.size
        return actions, chances

    def learn(self, samples: Samples) -> float:
        """Improves from samples; returns the mean divergence of the policy."""
        settings, count = self.settings, len(samples.returns)
        normalise(samples.gains)
        updates = int(self._state[2])
        rng = np.random.Generator(np.random.PCG64([self._seed, updates]))
        size = count // settings.minibatches // (_SHARES * TILE) * _SHARES * TILE
        if not size:
            raise ValueError(f"{count} samples are too few for {settings.minibatches} minibatches")
        divergence = 0.0
        for _ in range(settings.epochs):
            order = rng.permutation(count)
            for first in range(0, settings.minibatches * size, size):
                divergence = self._descend(samples, order[first : first + size])
                updates += 1
                self._state[2] = updates
        # The last minibatch judges the whole update.
        rate = self.rate
        if divergence > 2.0 * settings.divergence:
            rate = max(rate / _RATE_STEP, _RATE_BOUNDS[0])
        elif divergence < 0.5 * settings.divergence:
            rate = min(rate * _RATE_STEP, _RATE_BOUNDS[1])
        self._state[0] = rate
        share = np.float32(1.0 / settings.averaged)
        self._averages += share * (self.weights[: self._actor_size] - self._averages)
        return divergence

    def _descend(self, samples: Samples, rows: Integers) -> float:
        """A step of the weights by some samples; returns their mean divergence."""
        self._gradients[:] = 0.0
        parts = np.split(rows, _SHARES)
        found = self._map(partial(self._share, samples, len(rows)), list(enumerate(parts)))
        total = self._gradients[0].copy()
        for each in self._gradients[1:]:
            total += each
        actions = len(self._log_deviations)
        total[-actions:] -= self.settings.entropy
        step = int(self._state[2]) + 1
        for part in (
            slice(0, self._actor_size),
            slice(self._actor_size, len(total) - actions),
            slice(len(total) - actions, len(total)),
        ):
            moments = np.ascontiguousarray(self._moments[:, part])
            longest = self.settings.longest_gradient
            improve(self.weights[part], total[part], moments, self.rate, step, longest)
            self._moments[:, part] = moments
        least = np.float32(np.log(self.settings.least_deviation))
        np.maximum(self._log_deviations, least, out=self._log_deviations)
        return sum(found) / len(rows)

    def _share(self, samples: Samples, count: int, part: tuple[int, Integers]) -> float:
        """The gradient of one share of a minibatch of `count` samples; returns its divergence."""
        number, rows = part
        chosen = Samples(*(each[rows] for each in samples))
        gradient, room = self._gradients[number], self._rooms[number]
        h, actions = self.settings.hidden, len(self._log_deviations)
        actor = _layers(gradient[: self._actor_size], self._padded, h, actions)
        critic = _layers(gradient[self._actor_size : -actions], self._padded, h, 1)
        divergence: float = add_actor_gradient(
            self.actor,
            self._log_deviations,
            chosen,
            self.settings.clip,
            1.0 / count,
            actor,
            gradient[-actions:],
            room,
        )
        add_critic_gradient(self._critic, chosen, 1.0 / count, critic, room)
        return divergence

    def _outputs(self, layers: Layers, seen: Singles) -> Singles:
        found = np.zeros((len(seen), len(layers.last_bias)), np.float32)
        ends = np.linspace(0, len(seen), _SHARES + 1).astype(int).tolist()

        def compute(part: tuple[int, tuple[int, int]]) -> float:
            number, (a, b) = part
            outputs_of(layers, seen[a:b], found[a:b], self._rooms[number])
            return 0.0

        self._map(compute, list(enumerate(pairwise(ends))))
        return found

    def _map(self, work: Callable[[Part], float], parts: list[Part]) -> list[float]:
        if self._pool is None:
            return [work(each) for each in parts]
        return list(self._pool.map(work, parts))

    def close(self) -> None:
        """Ends the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def _size(inputs: int, hidden: int, outputs: int) -> int:
    return (inputs + 1) * hidden + (hidden + 1) * hidden + (hidden + 1) * outputs


def _layers(flat: Singles, inputs: int, hidden: int, outputs: int) -> Layers:
    """Views of a network's layers into an array of all its weights."""
    shapes = (
        *((inputs, hidden), (hidden,), (hidden, hidden), (hidden,)),
        *((outputs, hidden), (outputs,)),
    )
    found, first = [], 0
    for shape in shapes:
        size = int(np.prod(shape))
        found.append(flat[first : first + size].reshape(shape))
        first += size
    return Layers(*found)


def _fill(layers: Layers, inputs: int, gain: float, rng: np.random.Generator) -> None:
    """Draws the first weights: uniform, with variance 1 / inputs (LeCun), small ones last."""
    for weights, count, scale in (
        (layers.first[:inputs], inputs, 1.5),
        (layers.second, len(layers.second), 1.5),
        (layers.last, layers.last.shape[1], gain),
    ):
        bound = scale * (3.0 / count) ** 0.5
        weights[:] = (2.0 * rng.random(weights.shape) - 1.0) * bound
