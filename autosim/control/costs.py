"""Costs of a plan, as data.

The formulas are written with operators alone: kernels and arrays of any library run the same lines.
Source: a driverless racing team's public description of its controller; a step costs a fixed price
out of bounds, and else what it lags behind the speed wanted and lies beside the line.
"""

from typing import NamedTuple

import numpy as np

from autosim.control.car_models import Value
from autosim.jit import inlined, jitable
from autosim.tracks.curvilinear_table import CHANNELS

DISTANCE, OFFSET, COSINE, SINE, INSIDE = range(len(CHANNELS))
"""Number of the channel of a table that holds each."""

OPEN = 1e9
"""Length [m] that stands for that of a curve that does not close: nothing is half as far."""

_TO_WHOLE = 1.5 * 2.0**52
"""Added and subtracted again, this number rounds others to whole ones."""


class Costs(NamedTuple):
    """The price of each step of a plan."""

    out_of_bounds: float = 100.0
    """Price of a step whose centre or nose is out of bounds, or which the tyres cannot hold."""
    half_width: float = 1.2
    """Largest distance [m] beside the line at which centre and nose are in bounds."""
    lateral_acceleration: float = 9.0
    """Largest lateral acceleration [m/s²] that the tyres hold."""
    speed: float = 10.0
    """Speed [m/s] along the track that is wanted."""
    progress: float = 1.0
    """Price of each m/s by which the mean speed along the track since now is lower than `speed`."""
    offset: float = 0.5
    """Price of each metre beside the line, of the farther of centre and nose."""
    obstacle: float = 100.0
    """Price of a step whose centre or nose touches an obstacle."""


NOWHERE = np.zeros((1, 1), dtype=np.float32)
"""The grid of obstacles [one item per texel] where there are none: kernels know it by its size."""


@jitable
def shortest(difference: Value, length: float) -> Value:
    """A difference [m] of distances along a closed track, the shorter way round."""
    share = difference / length
    return difference - length * ((share + _TO_WHOLE) - _TO_WHOLE)


@inlined
def step_cost(
    progress: Value,
    offset: Value,
    inside: Value,
    nose_offset: Value,
    nose_inside: Value,
    touched: Value,
    lateral: Value,
    elapsed: float,
    costs: Costs,
) -> Value:
    """The price of a step.

    Args:
        progress: distance along the track since now [m].
        offset: of the centre beside the line [m].
        inside: positive where the centre is in bounds.
        nose_offset: of the nose [m].
        nose_inside: positive where the nose is in bounds.
        touched: how much the centre and the nose touch obstacles: 0, 1 or 2.
        lateral: acceleration [m/s²].
        elapsed: time since now [s].
        costs: the prices.
    """
    beside, nose_beside = abs(offset), abs(nose_offset)
    is_held = (inside > 0.0) * (nose_inside > 0.0) * (abs(lateral) <= costs.lateral_acceleration)
    is_held = 1.0 * is_held * (beside <= costs.half_width) * (nose_beside <= costs.half_width)
    # Out of bounds a table's other numbers mean nothing, and plans should turn back at once.
    lag = costs.speed - progress / elapsed
    is_nearer = (beside < nose_beside) * 1.0
    farther = is_nearer * nose_beside + (1.0 - is_nearer) * beside
    price = costs.progress * ((lag > 0.0) * lag) + costs.offset * farther
    return (
        is_held * price
        + costs.out_of_bounds * (1.0 - is_held)
        + costs.obstacle * ((touched > 0.0) * 1.0)
    )
