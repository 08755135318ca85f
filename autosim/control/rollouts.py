"""Thousands of plans rolled out at once: compiled, for vectors and threads of the processor.

Plans are computed in blocks, step by step, each stage of a step in a loop of its own over the
block: then every stage but the look-ups becomes vector instructions. A block's numbers follow from
its place alone, and sums over all plans are made in one order, so that the number of threads
changes no bit.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autosim.arrays import Floats, Floats32
from autosim.control.costs import (
    COSINE,
    DISTANCE,
    INSIDE,
    OFFSET,
    SINE,
    Costs,
    shortest,
    step_cost,
)
from autosim.control.models import (
    KINEMATIC,
    SLIPLESS,
    CarModel,
    Stepped,
    kinematic,
    single_track,
    slipless,
)
from autosim.control.noise import BLOCK
from autosim.jit import compilable, vectorised
from autosim.portable import exp_of
from autosim.tracks.rasteriser import Square

LANES = 8
"""Number of partial sums, added up last: one chain of additions would wait for each of them."""

_ROWS = 13
"""Number of rows of a block's memory: nine of a state, and those below."""

_LATERAL, _FIRST, _SECOND, _COST = 9, 10, 11, 12
"""Number of the row of each after the state; of an action `_FIRST` and `_SECOND`."""


class Sampling(NamedTuple):
    """How plans are tried: of the two numbers of an action, one after the other.

    `least`, `most`: limits; `change`: the largest from step to step; `deviation`: of the noise
    around the plan; `temperature`: of the weights; `effort`: price of actions other than
    0, as a share of what the theory has; `seconds`: length of a step.
    """

    least: tuple[float, float]
    most: tuple[float, float]
    change: tuple[float, float]
    deviation: tuple[float, float]
    temperature: float
    effort: float
    seconds: float


class Problem(NamedTuple):
    """What a command starts from: all that plans are judged by.

    `model` with its measures; `nose` [m] ahead of the point that it moves; `state` (9,) as `models`
    has it; `before` (2,) the action until now; `plan` (T, 2) around which plans are tried;
    `sampling`: how; `costs`; `values` and `square` of the track's table, where a curve that does
    not close has the length `OPEN`; `obstacles` (n, n) as the table's texels, 1 where something is,
    or `NOWHERE`; `start`: distance along the track now [m].
    """

    model: CarModel
    nose: float
    state: Floats
    before: Floats
    plan: Floats
    sampling: Sampling
    costs: Costs
    values: Floats32
    square: Square
    obstacles: Floats32
    start: float


@vectorised
def roll_out(first: int, last: int, problem: Problem, noise: Floats, total: Floats) -> None:
    """Rolls out some of the plans.

    Args:
        first: number of the first plan, a multiple of `BLOCK`.
        last: of the one after the last, likewise.
        problem: what they start from.
        noise: (T, 2, K) for each plan; what of it is left after the limits is written.
        total: (K,) costs, written.
    """
    for block in range(first, last, BLOCK):
        _roll_block(block, problem, noise, total)


@compilable
def _roll_block(first: int, problem: Problem, noise: Floats, total: Floats) -> None:
    seconds = problem.sampling.seconds
    w = np.empty((_ROWS, BLOCK))
    found = np.empty((6, BLOCK))
    for k in range(9):
        for i in range(BLOCK):
            w[k, i] = problem.state[k]
    for i in range(BLOCK):
        w[_FIRST, i], w[_SECOND, i], w[_COST, i] = problem.before[0], problem.before[1], 0.0
    for t in range(problem.plan.shape[0]):
        for k in range(2):
            _act(first, t, k, problem.plan[t, k], problem.sampling, w, noise)
        _move(problem.model, seconds, w)
        _look_up(
            problem.values,
            problem.square,
            problem.obstacles,
            problem.start,
            problem.nose,
            w,
            found,
        )
        _pay((t + 1) * seconds, problem.costs, found, w)
    for i in range(BLOCK):
        total[first + i] = w[_COST, i]


@compilable
def _pay(elapsed: float, costs: Costs, found: Floats, w: Floats) -> None:
    for i in range(BLOCK):
        w[_COST, i] += step_cost(
            found[0, i],
            found[1, i],
            found[2, i],
            found[3, i],
            found[4, i],
            found[5, i],
            w[_LATERAL, i],
            elapsed,
            costs,
        )


@compilable
def _act(
    first: int, t: int, k: int, planned: float, sampling: Sampling, w: Floats, noise: Floats
) -> None:
    """Adds noise to a number of the plan within the limits, and says what that costs."""
    least, most, change = sampling.least[k], sampling.most[k], sampling.change[k]
    variance = sampling.deviation[k] * sampling.deviation[k]
    price = sampling.effort * sampling.temperature * planned / variance
    for i in range(BLOCK):
        last = w[_FIRST + k, i]
        value = planned + noise[t, k, first + i]
        value = min(max(value, last - change), last + change)
        value = min(max(value, least), most)
        w[_FIRST + k, i] = value
        w[_COST, i] += price * (value - planned)
        noise[t, k, first + i] = value - planned


def _mover(step: Callable[..., Stepped]) -> Callable[[Any, float, Floats], None]:
    """Makes the loop that moves a block by one model: a choice within it would stop vectors."""

    @compilable
    def move(car: Any, seconds: float, w: Floats) -> None:
        for i in range(BLOCK):
            state = (
                *(w[0, i], w[1, i], w[2, i], w[3, i], w[4, i]),
                *(w[5, i], w[6, i], w[7, i], w[8, i]),
            )
            moved = step(state, w[_FIRST, i], w[_SECOND, i], car, seconds)
            w[0, i], w[1, i], w[2, i], w[3, i], w[4, i] = moved[:5]
            w[5, i], w[6, i], w[7, i], w[8, i], w[_LATERAL, i] = moved[5:]

    return move


_move_slipless = _mover(slipless)
_move_kinematic = _mover(kinematic)
_move_single_track = _mover(single_track)


@compilable
def _move(model: CarModel, seconds: float, w: Floats) -> None:
    """One step of the model."""
    if model.code == SLIPLESS:
        _move_slipless(model.slipless, seconds, w)
    elif model.code == KINEMATIC:
        _move_kinematic(model.single_track, seconds, w)
    else:
        _move_single_track(model.single_track, seconds, w)


@compilable
def _look_up(
    values: Floats32,
    square: Square,
    obstacles: Floats32,
    start: float,
    nose: float,
    w: Floats,
    found: Floats,
) -> None:
    """What `step_cost` asks of centre and nose: see there for the order of the rows.

    A texel's heading says how distance and offset change around its middle. So one texel is enough
    where a mean would take four, and none is mixed with what lies beyond a border or a jump.
    """
    has_obstacles = obstacles.shape[0] > 1
    for i in range(BLOCK):
        row, column, east, north = _texel(values, square, w[0, i], w[1, i])
        cosine, sine = values[row, column, COSINE], values[row, column, SINE]
        found[0, i] = values[row, column, DISTANCE] - start + east * cosine + north * sine
        found[1, i] = values[row, column, OFFSET] - east * sine + north * cosine
        found[2, i] = values[row, column, INSIDE]
        found[5, i] = obstacles[row, column] if has_obstacles else 0.0
    for i in range(BLOCK):
        x, y = w[0, i] + nose * w[3, i], w[1, i] + nose * w[4, i]
        row, column, east, north = _texel(values, square, x, y)
        cosine, sine = values[row, column, COSINE], values[row, column, SINE]
        found[3, i] = values[row, column, OFFSET] - east * sine + north * cosine
        found[4, i] = values[row, column, INSIDE]
        found[5, i] += obstacles[row, column] if has_obstacles else 0.0
    for i in range(BLOCK):
        found[0, i] = shortest(found[0, i], square.length)


@compilable
def _texel(
    values: Floats32, square: Square, x: float, y: float
) -> tuple[np.uint64, np.uint64, float, float]:
    """Row and column of the texel of a place, and how far east and north of its middle that is [m].

    Of places beyond the square, those at its rim.
    """
    last = values.shape[0] - 1.0
    u = min(max((x - square.west) * square.per_metre, 0.0), last)
    v = min(max((y - square.south) * square.per_metre, 0.0), last)
    column, row = np.int64(u), np.int64(v)
    east, north = (u - column - 0.5) / square.per_metre, (v - row - 0.5) / square.per_metre
    # Unsigned: else each access asks whether to count from the end.
    return np.uint64(row), np.uint64(column), east, north


@vectorised
def weigh(total: Floats, temperature: float, weights: Floats) -> float:
    """Writes the weight of each plan, exp(−(cost − least cost) / temperature), and their sum.

    Args:
        total: (K,) costs.
        temperature: of the same unit.
        weights: (K,), written; they add up to the number that is returned.
    """
    least = np.inf
    for i in range(total.size):
        least = min(least, total[i])
    found = 0.0
    for i in range(total.size):
        weights[i] = exp_of((least - total[i]) / temperature)
        found += weights[i]
    return found


@vectorised
def mean_noise(weights: Floats, noise: Floats, into: Floats) -> None:
    """Writes the sums of noise by weights, over all plans in one order.

    Args:
        weights: (K,); K is a multiple of `LANES`.
        noise: (T, 2, K).
        into: (T, 2), written.
    """
    sums = np.empty(LANES)
    for t in range(noise.shape[0]):
        for k in range(noise.shape[1]):
            sums[:] = 0.0
            for i in range(0, weights.size, LANES):
                for lane in range(LANES):
                    sums[lane] += weights[i + lane] * noise[t, k, i + lane]
            found = 0.0
            for lane in range(LANES):
                found += sums[lane]
            into[t, k] = found
