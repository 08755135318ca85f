"""Forward and backward passes of two small networks, in single precision and a fixed order of sums.

Both networks, of actions (the actor) and of the expected return (the critic), have two layers of
softsign, x / (1 + |x|), and one of sums. Softsign needs no exponential: divisions have the same
bits on every processor.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim import portable
from autosim.jit import inlined, vectorised
from autosim.model.noise import UNIFORMS, normal

Singles = npt.NDArray[np.float32]

TILE = 32
"""Rows that pass through all layers together: their values stay in a cache of 32 KiB."""

BLOCK = 4
"""Rows of weights that one pass over a row of sums adds; inputs are padded to a multiple of it."""


class Layers(NamedTuple):
    """Weights of one network, or their gradients.

    `first` (inputs, h), `first_bias` (h,), `second` (h, h), `second_bias` (h,), `last`
    (outputs, h), `last_bias` (outputs,).
    """

    first: Singles
    first_bias: Singles
    second: Singles
    second_bias: Singles
    last: Singles
    last_bias: Singles


class Samples(NamedTuple):
    """Steps that have been driven, n of them, to learn from.

    `seen` (n, inputs), `actions` (n, a), `chances` (n,): logarithms of their densities, `gains`
    (n,): advantages, normalised, `returns` (n,).
    """

    seen: Singles
    actions: Singles
    chances: Singles
    gains: Singles
    returns: Singles


class Scratch(NamedTuple):
    """Room for the values of `TILE` rows.

    `hidden` (2, `TILE`, h), `slopes` (2, `TILE`, h), `turned` (h, h): the second layer's weights,
    transposed, and `outputs` (`TILE`, 4).
    """

    hidden: Singles
    slopes: Singles
    turned: Singles
    outputs: Singles

    @classmethod
    def of(cls, width: int) -> "Scratch":
        """Room for hidden layers of `width`."""
        shape = (2, TILE, width)
        return cls(
            np.zeros(shape, np.float32),
            np.zeros(shape, np.float32),
            np.zeros((width, width), np.float32),
            np.zeros((TILE, 4), np.float32),
        )


@inlined
def _sums(x: Singles, weights: Singles, bias: Singles, y: Singles) -> None:
    """Writes x times weights, plus bias, into one row `y`."""
    for j in range(len(y)):
        y[j] = bias[j]
    for k in range(0, len(x), BLOCK):
        a, b, c, d = x[k], x[k + 1], x[k + 2], x[k + 3]
        for j in range(len(y)):
            pair = a * weights[k, j] + b * weights[k + 1, j]
            y[j] += pair + (c * weights[k + 2, j] + d * weights[k + 3, j])


@inlined
def _softsign(y: Singles) -> None:
    for j in range(len(y)):
        y[j] = y[j] / (np.float32(1.0) + abs(y[j]))


@inlined
def _last_sum(hidden: Singles, weights: Singles, bias: np.float32) -> np.float32:
    """One output: four sums side by side, so that none waits for another."""
    a = b = c = d = np.float32(0.0)
    for k in range(0, len(hidden), BLOCK):
        a += hidden[k] * weights[k]
        b += hidden[k + 1] * weights[k + 1]
        c += hidden[k + 2] * weights[k + 2]
        d += hidden[k + 3] * weights[k + 3]
    return ((a + b) + (c + d)) + bias


@inlined
def _forward(layers: Layers, x: Singles, place: int, room: Scratch) -> None:
    """Values of a row: both hidden layers and the outputs, into row `place` of the room."""
    one, two = room.hidden[0, place], room.hidden[1, place]
    _sums(x, layers.first, layers.first_bias, one)
    _softsign(one)
    _sums(one, layers.second, layers.second_bias, two)
    _softsign(two)
    for j in range(len(layers.last_bias)):
        room.outputs[place, j] = _last_sum(two, layers.last[j], layers.last_bias[j])


@vectorised
def outputs_of(layers: Layers, seen: Singles, found: Singles, room: Scratch) -> None:
    """Writes the outputs (n, outputs) of a network for inputs (n, inputs)."""
    for row in range(len(seen)):
        _forward(layers, seen[row], 0, room)
        for j in range(found.shape[1]):
            found[row, j] = room.outputs[0, j]


@vectorised
def draw_actions(
    means: Singles,
    log_deviations: Singles,
    stream: np.uint64,
    counter: int,
    actions: Singles,
    chances: Singles,
) -> None:
    """Draws normally distributed actions (n, a), and logarithms of their densities (n,)."""
    for row in range(len(means)):
        chance = np.float32(0.0)
        for j in range(means.shape[1]):
            place = (counter + row * means.shape[1] + j) * UNIFORMS
            noise = np.float32(normal(stream, np.uint64(place)))
            deviation = np.float32(portable.exp_of(float(log_deviations[j])))
            actions[row, j] = means[row, j] + deviation * noise
            chance -= np.float32(0.5) * noise * noise + log_deviations[j]
        chances[row] = chance


@vectorised
def advantages(
    values: Singles,
    rewards: Singles,
    is_over: Singles,
    discount: float,
    trace: float,
    gains: Singles,
) -> None:
    """Generalised advantage estimation.

    Args:
        values: (t + 1, n) expected returns.
        rewards: (t, n).
        is_over: (t, n) 1 where an episode ended with the step.
        discount: of rewards a step later.
        trace: lambda of the estimate.
        gains: (t, n) written.
    """
    steps, count = rewards.shape
    for car in range(count):
        ahead = np.float32(0.0)
        for step in range(steps - 1, -1, -1):
            goes = np.float32(discount) * (np.float32(1.0) - is_over[step, car])
            surprise = rewards[step, car] + goes * values[step + 1, car] - values[step, car]
            ahead = surprise + goes * np.float32(trace) * ahead
            gains[step, car] = ahead


@inlined
def _slopes_back(layers: Layers, room: Scratch, rows: int, slopes: Singles) -> None:
    """Slopes of the loss by both hidden layers' sums, from those by the outputs (rows, outputs)."""
    width = room.turned.shape[0]
    for place in range(rows):
        two, slope = room.hidden[1, place], room.slopes[1, place]
        for k in range(width):
            slope[k] = slopes[place, 0] * layers.last[0, k]
        for j in range(1, len(layers.last_bias)):
            for k in range(width):
                slope[k] += slopes[place, j] * layers.last[j, k]
        for k in range(width):
            rest = np.float32(1.0) - abs(two[k])
            slope[k] *= rest * rest
        one, before = room.hidden[0, place], room.slopes[0, place]
        for k in range(width):
            before[k] = 0.0
        for j in range(0, width, BLOCK):
            a, b, c, d = slope[j], slope[j + 1], slope[j + 2], slope[j + 3]
            for k in range(width):
                pair = a * room.turned[j, k] + b * room.turned[j + 1, k]
                before[k] += pair + (c * room.turned[j + 2, k] + d * room.turned[j + 3, k])
        for k in range(width):
            rest = np.float32(1.0) - abs(one[k])
            before[k] *= rest * rest


@inlined
def _add_products(
    x: Singles, first: int, slopes: Singles, rows: int, weights: Singles, bias: Singles
) -> None:
    """Adds the gradient of a layer from rows of its inputs and of the slopes by its sums.

    `x` holds the inputs from row `first` on; `rows` is a multiple of `BLOCK`.
    """
    for i in range(0, rows, BLOCK):
        for j in range(len(bias)):
            pair = slopes[i, j] + slopes[i + 1, j]
            bias[j] += pair + (slopes[i + 2, j] + slopes[i + 3, j])
        for k in range(len(weights)):
            row = first + i
            a, b, c, d = x[row, k], x[row + 1, k], x[row + 2, k], x[row + 3, k]
            for j in range(len(bias)):
                pair = a * slopes[i, j] + b * slopes[i + 1, j]
                weights[k, j] += pair + (c * slopes[i + 2, j] + d * slopes[i + 3, j])


@inlined
def _learn_from(
    layers: Layers, gradient: Layers, seen: Singles, first: int, rows: int, room: Scratch
) -> None:
    """Adds the gradient of a network for a tile, whose slopes by the outputs are in the room."""
    _slopes_back(layers, room, rows, room.outputs)
    _add_products(seen, first, room.slopes[0], rows, gradient.first, gradient.first_bias)
    _add_products(room.hidden[0], 0, room.slopes[1], rows, gradient.second, gradient.second_bias)
    for place in range(rows):
        two = room.hidden[1, place]
        for j in range(len(layers.last_bias)):
            slope = room.outputs[place, j]
            gradient.last_bias[j] += slope
            for k in range(len(two)):
                gradient.last[j, k] += slope * two[k]


@inlined
def _turn(layers: Layers, room: Scratch) -> None:
    for k in range(room.turned.shape[0]):
        for j in range(room.turned.shape[1]):
            room.turned[j, k] = layers.second[k, j]


@vectorised
def add_actor_gradient(
    layers: Layers,
    log_deviations: Singles,
    samples: Samples,
    clip: float,
    scale: float,
    gradient: Layers,
    deviation_gradient: Singles,
    room: Scratch,
) -> float:
    """Adds the gradient of the clipped objective of some samples; returns their divergence.

    Args:
        layers: the actor.
        log_deviations: (a,) logarithms of the deviations of actions.
        samples: a multiple of `TILE`.
        clip: largest change of a density that is rewarded.
        scale: factor of the gradient: 1 / all samples of the update.
        gradient: added to.
        deviation_gradient: (a,) added to.
        room: for values.

    Returns:
        The sum of estimates of the Kullback-Leibler divergence.
    """
    _turn(layers, room)
    divergence = 0.0
    for first in range(0, len(samples.seen), TILE):
        for place in range(TILE):
            row = first + place
            _forward(layers, samples.seen[row], place, room)
            change = -samples.chances[row]
            for j in range(len(log_deviations)):
                shrunk = np.float32(portable.exp_of(-float(log_deviations[j])))
                off = (samples.actions[row, j] - room.outputs[place, j]) * shrunk
                change -= np.float32(0.5) * off * off + log_deviations[j]
            change = min(max(change, np.float32(-10.0)), np.float32(10.0))
            ratio = np.float32(portable.exp_of(float(change)))
            divergence += float(ratio) - 1.0 - float(change)
            gain = samples.gains[row]
            is_held = (gain > 0.0 and ratio > 1.0 + clip) or (gain < 0.0 and ratio < 1.0 - clip)
            pull = np.float32(0.0) if is_held else np.float32(-scale) * gain * ratio
            for j in range(len(log_deviations)):
                shrunk = np.float32(portable.exp_of(-float(log_deviations[j])))
                off = (samples.actions[row, j] - room.outputs[place, j]) * shrunk
                deviation_gradient[j] += pull * (off * off - np.float32(1.0))
                room.outputs[place, j] = pull * off * shrunk
        _learn_from(layers, gradient, samples.seen, first, TILE, room)
    return divergence


@vectorised
def add_critic_gradient(
    layers: Layers, samples: Samples, scale: float, gradient: Layers, room: Scratch
) -> None:
    """Adds the gradient of half the squared error of the expected returns of some samples."""
    _turn(layers, room)
    for first in range(0, len(samples.seen), TILE):
        for place in range(TILE):
            _forward(layers, samples.seen[first + place], place, room)
            error = room.outputs[place, 0] - samples.returns[first + place]
            room.outputs[place, 0] = np.float32(scale) * error
        _learn_from(layers, gradient, samples.seen, first, TILE, room)


@vectorised
def normalise(values: Singles) -> None:
    """Gives values (n,) a mean of 0 and a deviation of 1."""
    total = 0.0
    for each in values:
        total += float(each)
    mean, squares = total / len(values), 0.0
    for each in values:
        squares += (float(each) - mean) * (float(each) - mean)
    deviation = np.sqrt(squares / len(values)) + 1e-8
    for row in range(len(values)):
        values[row] = np.float32((float(values[row]) - mean) / deviation)


@vectorised
def improve(
    weights: Singles,
    gradient: Singles,
    moments: Singles,
    rate: float,
    step: int,
    most: float,
) -> None:
    """A step of Adam (Kingma and Ba, 2015) on weights (n,) and their moments (2, n).

    Gradients longer than `most` are shortened to it.
    """
    squares = 0.0
    for each in gradient:
        squares += float(each) * float(each)
    length = np.sqrt(squares)
    factor = np.float32(min(1.0, most / (length + 1e-8)))
    first, second = np.float32(0.9), np.float32(0.999)
    kept_first, kept_second = 1.0, 1.0
    for _ in range(min(step, 20000)):
        kept_first *= 0.9
        kept_second *= 0.999
    pace = np.float32(rate / (1.0 - kept_first))
    scale = np.float32(1.0 / (1.0 - kept_second))
    for k in range(len(weights)):
        slope = gradient[k] * factor
        moments[0, k] = first * moments[0, k] + (np.float32(1.0) - first) * slope
        moments[1, k] = second * moments[1, k] + (np.float32(1.0) - second) * slope * slope
        weights[k] -= pace * moments[0, k] / (np.sqrt(moments[1, k] * scale) + np.float32(1e-5))
