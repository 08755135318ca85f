"""Thousands of plans rolled out at once: compiled, for vectors and threads of the processor.

Plans are computed in blocks, step by step, each stage of a step in a loop of its own over the
block: then every stage but the look-ups becomes vector instructions. A block's numbers follow from
its place alone, and sums over all plans are made in one order, so that the number of threads
changes no bit.
"""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Floats32
from autosim.control.costs import DISTANCE, INSIDE, OFFSET, Costs, shortest, step_cost
from autosim.control.models import (
    KINEMATIC,
    SLIPLESS,
    CarModel,
    SingleTrackCar,
    kinematic,
    single_track,
    slipless,
)
from autosim.control.noise import BLOCK
from autosim.estimation.slipless import SliplessCar
from autosim.jit import compilable, vectorised
from autosim.portable import exp_of
from autosim.tracks.curvilinear_table import Texels

LANES = 8
"""Number of partial sums, added up last: one chain of additions would wait for each of them."""

EDGE = 1.001
"""Number of texels by which a place stays before the end of a row, so that it has a next one."""

_ROWS = 13
"""Number of rows of a block's memory: the nine of a state, lateral acceleration, two actions, cost."""

_LATERAL, _FIRST, _SECOND, _COST = 9, 10, 11, 12
"""Number of the row of each, after the state."""


class Sampling(NamedTuple):
    """How plans are tried: of the two numbers of an action, one after the other.

    `least`, `most`: limits; `change`: the largest change from step to step; `deviation`: of a normal
    number around the plan; `temperature`: of the weights; `seconds`: length of a step.
    """

    least: tuple[float, float]
    most: tuple[float, float]
    change: tuple[float, float]
    deviation: tuple[float, float]
    temperature: float
    seconds: float


class Problem(NamedTuple):
    """What a command starts from: all that plans are judged by.

    `model` with its measures; `nose` [m] ahead of the point that it moves; `state` (9,) as `models`
    has it; `before` (2,) the action until now; `plan` (T, 2) around which plans are tried;
    `sampling`: how; `costs`; `table` of the track, where one that does not close has the length
    `OPEN`; `obstacles` (n, n) as the table's texels, 1 where something is, or `NOWHERE`; `start`:
    distance along the track now [m].
    """

    model: CarModel
    nose: float
    state: Floats
    before: Floats
    plan: Floats
    sampling: Sampling
    costs: Costs
    table: Texels
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
        _look_up(problem.table, problem.obstacles, problem.start, problem.nose, w, found)
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
    price = sampling.temperature * planned / (sampling.deviation[k] * sampling.deviation[k])
    for i in range(BLOCK):
        last = w[_FIRST + k, i]
        value = planned + noise[t, k, first + i]
        value = min(max(value, last - change), last + change)
        value = min(max(value, least), most)
        w[_FIRST + k, i] = value
        w[_COST, i] += price * (value - planned)
        noise[t, k, first + i] = value - planned


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
def _move_slipless(car: SliplessCar, seconds: float, w: Floats) -> None:
    for i in range(BLOCK):
        state = (
            w[0, i],
            w[1, i],
            w[2, i],
            w[3, i],
            w[4, i],
            w[5, i],
            w[6, i],
            w[7, i],
            w[8, i],
        )
        (
            w[0, i],
            w[1, i],
            w[2, i],
            w[3, i],
            w[4, i],
            w[5, i],
            w[6, i],
            w[7, i],
            w[8, i],
            w[_LATERAL, i],
        ) = slipless(state, w[_FIRST, i], w[_SECOND, i], car, seconds)


@compilable
def _move_kinematic(car: SingleTrackCar, seconds: float, w: Floats) -> None:
    for i in range(BLOCK):
        state = (
            w[0, i],
            w[1, i],
            w[2, i],
            w[3, i],
            w[4, i],
            w[5, i],
            w[6, i],
            w[7, i],
            w[8, i],
        )
        (
            w[0, i],
            w[1, i],
            w[2, i],
            w[3, i],
            w[4, i],
            w[5, i],
            w[6, i],
            w[7, i],
            w[8, i],
            w[_LATERAL, i],
        ) = kinematic(state, w[_FIRST, i], w[_SECOND, i], car, seconds)


@compilable
def _move_single_track(car: SingleTrackCar, seconds: float, w: Floats) -> None:
    for i in range(BLOCK):
        state = (
            w[0, i],
            w[1, i],
            w[2, i],
            w[3, i],
            w[4, i],
            w[5, i],
            w[6, i],
            w[7, i],
            w[8, i],
        )
        (
            w[0, i],
            w[1, i],
            w[2, i],
            w[3, i],
            w[4, i],
            w[5, i],
            w[6, i],
            w[7, i],
            w[8, i],
            w[_LATERAL, i],
        ) = single_track(state, w[_FIRST, i], w[_SECOND, i], car, seconds)


@compilable
def _look_up(
    table: Texels, obstacles: Floats32, start: float, nose: float, w: Floats, found: Floats
) -> None:
    """What `step_cost` asks of centre and nose: see there for the order of the rows."""
    for i in range(BLOCK):
        x, y = w[0, i], w[1, i]
        u, v = _texel(x, table.west, table), _texel(y, table.south, table)
        column, row = np.uint64(np.int64(u)), np.uint64(np.int64(v))
        right, up = u - np.float64(np.int64(u)), v - np.float64(np.int64(v))
        base = np.float64(table.values[row, column, DISTANCE])
        found[0, i] = shortest(base - start, table.length) + _rise(
            table.values, table.length, row, column, right, up
        )
        found[1, i] = _between(table.values, OFFSET, row, column, right, up)
        found[2, i] = _between(table.values, INSIDE, row, column, right, up)
        x, y = x + nose * w[3, i], y + nose * w[4, i]
        u_1, v_1 = _texel(x, table.west, table), _texel(y, table.south, table)
        column_1, row_1 = np.uint64(np.int64(u_1)), np.uint64(np.int64(v_1))
        right_1, up_1 = u_1 - np.float64(np.int64(u_1)), v_1 - np.float64(np.int64(v_1))
        found[3, i] = _between(table.values, OFFSET, row_1, column_1, right_1, up_1)
        found[4, i] = _between(table.values, INSIDE, row_1, column_1, right_1, up_1)
        if obstacles.shape[0] > 1:
            found[5, i] = obstacles[row, column] + obstacles[row_1, column_1]
        else:
            found[5, i] = 0.0


@compilable
def _texel(place: float, origin: float, table: Texels) -> float:
    """The texel of a place along one axis, with its fraction; the nearest of places outside."""
    return min(max((place - origin) * table.per_metre - 0.5, 0.0), table.values.shape[0] - EDGE)


@compilable
def _between(
    texels: Floats32, channel: int, row: np.uint64, column: np.uint64, right: float, up: float
) -> float:
    """A channel's value between four texels, linear along both axes."""
    one = np.uint64(1)
    below = (
        texels[row, column, channel] * (1.0 - right) + texels[row, column + one, channel] * right
    )
    above = (
        texels[row + one, column, channel] * (1.0 - right)
        + texels[row + one, column + one, channel] * right
    )
    return below * (1.0 - up) + above * up  # type: ignore[no-any-return]


@compilable
def _rise(
    texels: Floats32, length: float, row: np.uint64, column: np.uint64, right: float, up: float
) -> float:
    """How much farther along the track a place is than the texel at its lower left."""
    one, base = np.uint64(1), np.float64(texels[row, column, DISTANCE])
    beside = shortest(texels[row, column + one, DISTANCE] - base, length)
    above = shortest(texels[row + one, column, DISTANCE] - base, length)
    across = shortest(texels[row + one, column + one, DISTANCE] - base, length)
    return (  # type: ignore[no-any-return]
        beside * right * (1.0 - up) + above * (1.0 - right) * up + across * right * up
    )


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
