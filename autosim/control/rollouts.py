"""Thousands of plans rolled out at once: compiled, for vectors and threads of the processor.

Plans are computed in blocks, step by step, each stage of a step in a short loop of its own over the
block: then every stage but the look-ups becomes vector instructions, and a processor works at
several vectors at once. All that a block needs lies together. A block's numbers follow from its
place alone, and sums over all plans are made in one order, so that the number of threads changes no
bit.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats, Floats32
from autosim.control.car_models import (
    KINEMATIC,
    SLIPLESS,
    CarModel,
    SingleTrackCar,
    advance_pose,
    kinematic,
    single_track,
    slipless_drive,
    slipless_wheels,
)
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
from autosim.control.rollout_noise import BLOCK
from autosim.estimation.slipless import SliplessCar
from autosim.jit import jitable, vectorised
from autosim.portable import exp_of
from autosim.tracks.curvilinear_table import CHANNELS
from autosim.tracks.rasteriser import Square

LANES = 8
"""Number of partial sums, added up last: one chain of additions would wait for each of them."""

_X, _Y, _YAW, _AXIS_X, _AXIS_Y, _SPEED, _STEERING, _RATE, _SLIP = range(9)
"""Number of the row of a block's memory for each number of a state."""

_FIRST, _SECOND, _COST, _LATERAL = range(9, 13)
"""The same for both numbers of an action, the cost so far and the lateral acceleration."""

_AHEAD, _ASIDE, _HALF = range(13, 16)
"""The same for how a step carries the pose on."""

_ALONG, _BEND, _SHARE = range(16, 19)
"""The same for what `slipless_wheels` says."""

_ROWS = 19
"""Number of all rows."""

_PROGRESS, _OFFSET, _INSIDE, _NOSE_OFFSET, _NOSE_INSIDE, _TOUCHED = range(6)
"""Number of the row for each number that `step_cost` asks of the track."""

_CHANNELS = len(CHANNELS)

Integers32 = npt.NDArray[np.int32]


class _Room(NamedTuple):
    """The memory of a block, BLOCK numbers in a row.

    `w`: rows as above; `found`: what the track says; `places`: x and y that are looked up, then how
    far east and north of the middle of their texel they are [m]; `texels`: the channels of that;
    `numbers`: which it is.
    """

    w: Floats
    found: Floats
    places: Floats
    texels: Floats32
    numbers: Integers32


class Sampling(NamedTuple):
    """Settings for sampling plans: of the two numbers of an action, one after the other.

    `least`, `most`: limits; `change`: the largest from step to step; `deviation`: of the noise
    around the plan; `temperature`: of the weights; `effort`: price of actions other than 0, as a
    share of the theory's; `seconds`: length of a step.
    """

    least: tuple[float, float]
    most: tuple[float, float]
    change: tuple[float, float]
    deviation: tuple[float, float]
    temperature: float
    effort: float
    seconds: float


class Problem(NamedTuple):
    """Start of a command: everything that plans are judged by.

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
        first: number of the first block.
        last: of the one after the last.
        problem: what they start from.
        noise: (blocks, T, 2, BLOCK) for each plan; what of it is left after the limits is written.
        total: (blocks, BLOCK) costs, written.
    """
    room = _Room(
        np.empty((_ROWS, BLOCK)),
        np.zeros((6, BLOCK)),
        np.empty((4, BLOCK)),
        np.empty((_CHANNELS, BLOCK), np.float32),
        np.empty(BLOCK, np.int32),
    )
    texels, obstacles = problem.values.reshape(-1), problem.obstacles.reshape(-1)
    for block in range(first, last):
        _roll_block(block, problem, texels, obstacles, noise, total, room)


@jitable
def _roll_block(
    block: int,
    problem: Problem,
    texels: Floats32,
    obstacles: Floats32,
    noise: Floats,
    total: Floats,
    room: _Room,
) -> None:
    seconds, w = problem.sampling.seconds, room.w
    for k in range(9):
        for i in range(BLOCK):
            w[k, i] = problem.state[k]
    for i in range(BLOCK):
        w[_FIRST, i], w[_SECOND, i], w[_COST, i] = problem.before[0], problem.before[1], 0.0
    for t in range(problem.plan.shape[0]):
        for k in range(2):
            _act(block, t, k, problem.plan[t, k], problem.sampling, w, noise)
        _move(problem.model, seconds, w)
        _look_up(texels, obstacles, problem, room)
        _pay((t + 1) * seconds, problem.costs, room.found, w)
    for i in range(BLOCK):
        total[block, i] = w[_COST, i]


@jitable
def _pay(elapsed: float, costs: Costs, found: Floats, w: Floats) -> None:
    for i in range(BLOCK):
        w[_COST, i] += step_cost(
            found[_PROGRESS, i],
            found[_OFFSET, i],
            found[_INSIDE, i],
            found[_NOSE_OFFSET, i],
            found[_NOSE_INSIDE, i],
            found[_TOUCHED, i],
            w[_LATERAL, i],
            elapsed,
            costs,
        )


@jitable
def _act(
    block: int, t: int, k: int, planned: float, sampling: Sampling, w: Floats, noise: Floats
) -> None:
    """Adds noise to a number of the plan within the limits, and says what that costs."""
    least, most, change = sampling.least[k], sampling.most[k], sampling.change[k]
    variance = sampling.deviation[k] * sampling.deviation[k]
    price = sampling.effort * sampling.temperature * planned / variance
    for i in range(BLOCK):
        last = w[_FIRST + k, i]
        value = planned + noise[block, t, k, i]
        value = min(max(value, last - change), last + change)
        value = min(max(value, least), most)
        w[_FIRST + k, i] = value
        w[_COST, i] += price * (value - planned)
        noise[block, t, k, i] = value - planned


@jitable
def _move(model: CarModel, seconds: float, w: Floats) -> None:
    """One step of the model: a choice within a loop would stop vectors."""
    if model.code == SLIPLESS:
        _move_slipless(model.slipless, seconds, w)
    elif model.code == KINEMATIC:
        _move_kinematic(model.single_track, seconds, w)
    else:
        _move_single_track(model.single_track, seconds, w)
    for i in range(BLOCK):
        # No cost asks for the yaw: cosine and sine tell the heading.
        pose = w[_X, i], w[_Y, i], 0.0, w[_AXIS_X, i], w[_AXIS_Y, i]
        x, y, _, axis_x, axis_y = advance_pose(pose, w[_AHEAD, i], w[_ASIDE, i], w[_HALF, i])
        w[_X, i], w[_Y, i], w[_AXIS_X, i], w[_AXIS_Y, i] = x, y, axis_x, axis_y


@jitable
def _move_slipless(car: SliplessCar, seconds: float, w: Floats) -> None:
    for i in range(BLOCK):
        wheels = slipless_wheels(w[_SPEED, i], w[_FIRST, i], car)
        w[_ALONG, i], w[_BEND, i], w[_SHARE, i] = wheels
    for i in range(BLOCK):
        wheels = w[_ALONG, i], w[_BEND, i], w[_SHARE, i]
        moved = slipless_drive(w[_SPEED, i], wheels, w[_SECOND, i], car, seconds)
        w[_SPEED, i], w[_AHEAD, i], w[_HALF, i], w[_LATERAL, i] = moved
        w[_ASIDE, i] = 2.0 * car.rear * moved[2]


@jitable
def _move_kinematic(car: SingleTrackCar, seconds: float, w: Floats) -> None:
    for i in range(BLOCK):
        body = w[_SPEED, i], w[_STEERING, i], w[_RATE, i], w[_SLIP, i]
        moved = kinematic(body, w[_FIRST, i], w[_SECOND, i], car, seconds)
        w[_AHEAD, i], w[_ASIDE, i], w[_HALF, i] = moved[:3]
        w[_SPEED, i], w[_STEERING, i], w[_LATERAL, i] = moved[3], moved[4], moved[7]


@jitable
def _move_single_track(car: SingleTrackCar, seconds: float, w: Floats) -> None:
    for i in range(BLOCK):
        body = w[_SPEED, i], w[_STEERING, i], w[_RATE, i], w[_SLIP, i]
        moved = single_track(body, w[_FIRST, i], w[_SECOND, i], car, seconds)
        w[_AHEAD, i], w[_ASIDE, i], w[_HALF, i] = moved[:3]
        w[_SPEED, i], w[_STEERING, i], w[_RATE, i], w[_SLIP, i] = moved[3:7]
        w[_LATERAL, i] = moved[7]


@jitable
def _look_up(texels: Floats32, obstacles: Floats32, problem: Problem, room: _Room) -> None:
    """Looks up the arguments of `step_cost` for centre and nose.

    A texel's heading gives the change of distance and offset around its centre. So one texel is
    enough where a mean would take four, and none is mixed with values beyond a border or a jump.
    """
    w, found, places = room.w, room.found, room.places
    start, nose = problem.start, problem.nose
    for i in range(BLOCK):
        places[0, i], places[1, i], found[_TOUCHED, i] = w[_X, i], w[_Y, i], 0.0
    _find(texels, obstacles, problem, room)
    for i in range(BLOCK):
        cosine, sine = room.texels[COSINE, i], room.texels[SINE, i]
        east, north = places[2, i], places[3, i]
        ahead = room.texels[DISTANCE, i] - start + east * cosine + north * sine
        found[_PROGRESS, i] = shortest(ahead, problem.square.length)
        found[_OFFSET, i] = room.texels[OFFSET, i] - east * sine + north * cosine
        found[_INSIDE, i] = room.texels[INSIDE, i]
        places[0, i] = w[_X, i] + nose * w[_AXIS_X, i]
        places[1, i] = w[_Y, i] + nose * w[_AXIS_Y, i]
    _find(texels, obstacles, problem, room)
    for i in range(BLOCK):
        cosine, sine = room.texels[COSINE, i], room.texels[SINE, i]
        east, north = places[2, i], places[3, i]
        found[_NOSE_OFFSET, i] = room.texels[OFFSET, i] - east * sine + north * cosine
        found[_NOSE_INSIDE, i] = room.texels[INSIDE, i]


@jitable
def _find(texels: Floats32, obstacles: Floats32, problem: Problem, room: _Room) -> None:
    """Takes the texels of places, and counts the obstacles there.

    Of places beyond the square, the texels at its rim.
    """
    square, places, size = problem.square, room.places, problem.values.shape[0]
    last = size - 1.0
    for i in range(BLOCK):
        u = min(max((places[0, i] - square.west) * square.per_metre, 0.0), last)
        v = min(max((places[1, i] - square.south) * square.per_metre, 0.0), last)
        column, row = np.int32(u), np.int32(v)
        room.numbers[i] = row * size + column
        places[2, i] = (u - column - 0.5) / square.per_metre
        places[3, i] = (v - row - 0.5) / square.per_metre
    for i in range(BLOCK):
        # Unsigned: else each access asks whether to count from the end.
        first = np.uint64(room.numbers[i]) * np.uint64(_CHANNELS)
        for k in range(_CHANNELS):
            room.texels[k, i] = texels[first + np.uint64(k)]
    if obstacles.size > 1:
        for i in range(BLOCK):
            room.found[_TOUCHED, i] += obstacles[np.uint64(room.numbers[i])]


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
        weights: (blocks, BLOCK).
        noise: (blocks, T, 2, BLOCK).
        into: (T, 2), written.
    """
    sums = np.zeros((*into.shape, LANES))
    for block in range(noise.shape[0]):
        for t in range(noise.shape[1]):
            for k in range(2):
                for i in range(0, BLOCK, LANES):
                    for lane in range(LANES):
                        sums[t, k, lane] += weights[block, i + lane] * noise[block, t, k, i + lane]
    for t in range(noise.shape[1]):
        for k in range(2):
            into[t, k] = 0.0
            for lane in range(LANES):
                into[t, k] += sums[t, k, lane]
