"""The controller: it tries thousands of plans around the last one, and takes their weighted mean.

Source: G. Williams et al., Information Theoretic MPC for Model-Based Reinforcement Learning, ICRA
2017, algorithm 2 (model predictive path integral control, MPPI). Noise is counted after the limits
have acted on it, as `pytorch_mppi` does, whose actions the tests compare with.
"""

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats, Floats32
from autosim.control import array_rollouts, rollouts
from autosim.control.array_libraries import ArrayLibrary, array_library
from autosim.control.car_models import (
    KINEMATIC,
    SINGLE_TRACK,
    SLIPLESS,
    CarModel,
    SingleTrackCar,
    step_of,
)
from autosim.control.costs import DISTANCE, INSIDE, NOWHERE, OPEN, Costs
from autosim.control.rollout_noise import BLOCK, correlate, draw_noise
from autosim.control.rollouts import Problem, Sampling
from autosim.estimation.slipless import SliplessCar
from autosim.model.noise import stream_of
from autosim.portable import sin_cos
from autosim.tracks.curvilinear_table import CurvilinearTable

_STATE_SIZES = {SLIPLESS: 4, KINEMATIC: 5, SINGLE_TRACK: 7}
"""Number of items of a state by the model."""

_SHARES = 4
"""Number of shares of the work for each thread, which takes the next if others are slower."""


class Tried(NamedTuple):
    """Plans that a command has tried.

    `plan` (T, 2) around which; `noise` (blocks, T, 2, BLOCK) that was added after the limits; the
    `costs` (K,) of each plan.
    """

    plan: Floats
    noise: Floats
    costs: Floats


class MPPI:
    """A controller for one car.

    An action is two numbers; what they are, the model says.

    Args:
        model: how the car moves.
        least, most: limits of an action.
        deviation: of the noise on each number of each step.
        rates: the largest changes of both per second; none without.
        costs: what a step of a plan costs.
        samples: number of plans that are tried in each command.
        steps: number of steps of a plan.
        seconds: length of a step [s], and from command to command.
        temperature: difference of costs at which a plan counts e times less than another.
        effort: how much of the theory's price of actions other than 0 is paid, from 0 to 1. The
            theory takes a car without actions for what happens anyway; a car that must push to keep
            rolling then rather stands.
        correlation: of the noise of a step with that of the step before, from 0 to 1: the plans
            that are tried become smoother, and lead farther aside at the same deviation.
        seed: of the noise.
        by: what computes: "compiled", or a library of `libraries`.
        threads: number of threads of the compiled code; as many as there are processors without.

    Attributes:
        plan: (steps, 2) the actions to come; the first is what the last command returned.
        costs: may be replaced at any time.

    Raises:
        ValueError: a value is out of its range, or the library is not there.
    """

    def __init__(
        self,
        model: CarModel,
        *,
        least: tuple[float, float],
        most: tuple[float, float],
        deviation: tuple[float, float],
        rates: tuple[float, float] = (np.inf, np.inf),
        costs: Costs = Costs(),  # noqa: B008
        samples: int = 8192,
        steps: int = 32,
        seconds: float = 0.05,
        temperature: float = 1.0,
        effort: float = 1.0,
        correlation: float = 0.0,
        seed: int = 0,
        by: str = "compiled",
        threads: int | None = None,
    ) -> None:
        if min(samples, steps) < 1 or min(seconds, temperature, *deviation) <= 0.0:
            raise ValueError(
                "samples, steps, seconds, temperature and deviation must be positive, not "
                f"{samples}, {steps}, {seconds}, {temperature} and {deviation}"
            )
        if not (least[0] <= most[0] and least[1] <= most[1] and min(rates) > 0.0):
            raise ValueError(f"no action lies between {least} and {most} at the rates {rates}")
        if not 0.0 <= correlation < 1.0:
            raise ValueError(f"a correlation is 0 or more and less than 1, not {correlation}")
        self._correlation = float(correlation)
        self._model, self.costs, self._samples, self._seed = model, costs, samples, seed
        change = rates[0] * seconds, rates[1] * seconds
        self._sampling = Sampling(
            _pair(least),
            _pair(most),
            _pair(change),
            _pair(deviation),
            float(temperature),
            float(effort),
            float(seconds),
        )
        self._library: ArrayLibrary | None = None if by == "compiled" else array_library(by)
        count = threads or len(os.sched_getaffinity(0))
        self._pool = ThreadPoolExecutor(count) if count > 1 else None
        blocks = -(-samples // BLOCK)
        self._blocks_at_once = max(1, blocks // (_SHARES * count))
        self._room = np.zeros((blocks, steps, 2, BLOCK)), np.zeros((blocks, BLOCK))
        self.plan: Floats = np.zeros((steps, 2))
        self.reset()

    def reset(self, action: tuple[float, float] = (0.0, 0.0)) -> None:
        """Forgets the plan: the car has been moved, and does `action` now."""
        self.plan[:] = np.clip(action, self._sampling.least, self._sampling.most)
        self._before: Floats = self.plan[0].copy()
        self._commands = 0
        self._tried: Tried | None = None

    def command(
        self,
        state: npt.ArrayLike,
        table: CurvilinearTable,
        *,
        obstacles: Floats32 = NOWHERE,
        noise: Floats | None = None,
        before: npt.ArrayLike | None = None,
    ) -> Floats:
        """The action (2,) for the step that begins now; advances the plan by one step.

        Args:
            state: x, y [m] in the frame of the table, yaw [rad], speed [m/s]; then, where the model
                has them, steering [rad], yaw rate [rad/s] and slip [rad].
            table: the track.
            obstacles: (n, n) as the texels of the table, 1 where something is: `obstacle_grid`.
            noise: (samples, steps, 2) that is added to the plan; drawn without.
            before: the action until now, from which rates are counted; the last one without.

        Raises:
            ValueError: the state, the noise or the obstacles have another shape, or are not
                finite.
        """
        last = self._before if before is None else np.asarray(before, dtype=np.float64)
        plan = self.plan if self._commands == 0 else np.vstack([self.plan[1:], self.plan[-1:]])
        problem = problem_of(
            *(self._model, state, last, plan, self._sampling, self.costs, table), obstacles
        )
        self._from = problem.state
        costs, kept = self._compute(problem, self._given(noise))
        weights = np.zeros(self._room[1].shape)
        whole = rollouts.weigh(
            costs, self._sampling.temperature, weights.reshape(-1)[: self._samples]
        )
        if not np.isfinite(whole) or whole <= 0.0:
            raise ValueError("no plan has a cost that is a number: the table holds others")
        weights /= whole
        change = np.empty_like(plan)
        rollouts.mean_noise(weights, kept, change)
        self._tried = Tried(plan, kept, costs)
        self.plan = plan + change
        self._before = self.plan[0].copy()
        self._commands += 1
        return self._before.copy()

    def best(self, count: int) -> Floats:
        """Paths of the best plans of the last command: (count, steps, 2) [m], the best first."""
        if self._tried is None:
            return np.zeros((0, len(self.plan), 2))
        plan, noise, costs = self._tried
        chosen = np.argsort(costs, kind="stable")[:count]
        actions = plan + noise[chosen // BLOCK, :, :, chosen % BLOCK]
        return self._paths(np.moveaxis(actions, 0, 2))

    def path(self) -> Floats:
        """Path of the plan: (steps, 2) [m] from the state of the last command on."""
        return np.asarray(self._paths(self.plan[:, :, None])[0])

    def _paths(self, actions: Floats) -> Floats:
        """The places (n, T, 2) to which actions (T, 2, n) lead."""
        state: tuple[Any, ...] = tuple(np.full(actions.shape[2], each) for each in self._from)
        places = []
        for first, second in actions:
            state = step_of(self._model, state, first, second, self._sampling.seconds)[:9]
            places.append(np.stack(state[:2], axis=1))
        return np.stack(places, axis=1)

    def _given(self, noise: Floats | None) -> Floats | None:
        if noise is None:
            return None
        expected = self._samples, len(self.plan), 2
        if noise.shape != expected:
            raise ValueError(f"the noise has the shape {noise.shape}, not {expected}")
        whole = np.zeros((self._room[1].size, *expected[1:]))
        whole[: self._samples] = noise
        return whole.reshape(-1, BLOCK, *expected[1:]).transpose(0, 2, 3, 1)

    def _compute(self, problem: Problem, given: Floats | None) -> tuple[Floats, Floats]:
        """Costs (K,), and what is left of the noise (blocks, T, 2, BLOCK) after the limits."""
        noise, costs = self._room
        if given is not None:
            noise[:] = given
        seed = np.uint64(stream_of(self._seed, "plans", self._commands))
        work = partial(self._work, seed, problem if self._library is None else None, given is None)
        firsts = range(0, len(noise), self._blocks_at_once)
        lasts = [min(first + self._blocks_at_once, len(noise)) for first in firsts]
        if self._pool is None or len(firsts) == 1:
            work(0, len(noise))
        else:
            list(self._pool.map(work, firsts, lasts))
        if self._library is None:
            return costs.reshape(-1)[: self._samples], noise
        # The libraries take (T, 2, K).
        _, steps, numbers, _ = noise.shape
        rows = noise.transpose(1, 2, 0, 3).reshape(steps, numbers, -1)
        found, kept = array_rollouts.roll_out_arrays(self._library, problem, rows)
        noise[:] = (
            self._library.numpy(kept).reshape(steps, numbers, -1, BLOCK).transpose(2, 0, 1, 3)
        )
        return self._library.numpy(found)[: self._samples], noise

    def _work(
        self, seed: np.uint64, problem: Problem | None, is_drawn: bool, first: int, last: int
    ) -> None:
        """Draws the noise of some plans, and rolls them out where the compiled code does that."""
        noise, costs = self._room
        if is_drawn:
            draw_noise(first, last, seed, self._sampling.deviation, noise)
            if self._correlation > 0.0:
                correlate(first, last, self._correlation, noise)
        if problem is not None:
            rollouts.roll_out(first, last, problem, noise, costs)


def problem_of(
    model: CarModel,
    state: npt.ArrayLike,
    before: Floats,
    plan: Floats,
    sampling: Sampling,
    costs: Costs,
    table: CurvilinearTable,
    obstacles: Floats32 = NOWHERE,
) -> Problem:
    """Start of a command; the arguments are those of `MPPI` and its `command`.

    Raises:
        ValueError: the state or the obstacles have another shape, or are not finite.
    """
    given = np.asarray(state, dtype=np.float64)
    size = _STATE_SIZES[model.code]
    if given.shape != (size,) or not np.isfinite(given).all():
        raise ValueError(f"a state has {size} finite numbers here, not {given.tolist()}")
    texels = table.values.shape[:2]
    if obstacles.shape not in (NOWHERE.shape, texels):
        raise ValueError(f"the table has {texels} texels, and the obstacles {obstacles.shape}")
    full = np.zeros(9)
    full[:3], full[5 : 2 + size] = given[:3], given[3:]
    sine, cosine = sin_cos(given[2])
    full[3], full[4] = cosine, sine
    square = table.square._replace(length=table.square.length or OPEN)
    # Whole numbers among them would make kernels of other types, which take seconds to compile.
    model = CarModel(
        model.code,
        SliplessCar(*_floats(model.slipless)),
        SingleTrackCar(*_floats(model.single_track)),
    )
    return Problem(
        *(model, model.nose, full, before, plan, sampling, Costs(*_floats(costs))),
        *(table.values, square, obstacles, _distance(table, full)),
    )


def _floats(values: Iterable[float]) -> list[float]:
    return [float(each) for each in values]


def _pair(values: tuple[float, float]) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _distance(table: CurvilinearTable, state: Floats) -> float:
    """Distance along the track [m] of the nearest texel in bounds."""
    limit, square = len(table.values) - 1, table.square
    column = int(np.clip((state[0] - square.west) * square.per_metre, 0, limit))
    row = int(np.clip((state[1] - square.south) * square.per_metre, 0, limit))
    if table.values[row, column, INSIDE] <= 0.0:
        rows, columns = np.nonzero(table.values[..., INSIDE] > 0.0)
        if not len(rows):
            raise ValueError("no place of the table is in bounds")
        nearest = np.argmin((rows - row) ** 2 + (columns - column) ** 2)
        row, column = rows[nearest], columns[nearest]
    return float(table.values[row, column, DISTANCE])
