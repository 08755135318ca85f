"""An error-state Kalman filter for many robots, which also takes measurements that come late.

Each robot has a ring of the last steps: the belief and its covariance after each step, the inertial
sample that led there, and the numbers that were measured then. A number that is `age` steps old
goes into the step at which it was true, and the filter is computed again from there: the result is
the same as if it had come at once.
"""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.estimation.corrections import Room, Sensor, correct
from autosim.estimation.inertial import (
    ACCELEROMETER_BIAS,
    ERRORS,
    ITEMS,
    VELOCITY,
    InertialNoise,
    predict,
    publish,
)
from autosim.jit import compiled
from autosim.model.vector_kernels import read_vector

CHANNELS = 16
"""Number of values that the sensors of one robot may measure beside its inertial sensors; fixed, so
that what a filter remembers does not depend on other robots."""

_SAMPLE = ITEMS + ERRORS * ERRORS
_MEASURED = _SAMPLE + 6
"""Numbers of the items with which the inertial sample and what was measured begin, after the belief
and its covariance."""

SLOT = _MEASURED + CHANNELS
"""Number of items that a filter remembers of each step."""

UNUSED = -1
"""Sort number of a channel without a sensor."""


class Channels(NamedTuple):
    """Measurements of n robots, each in `CHANNELS` channels: arrays of the fields of `Sensor`.

    sort: (n, c), UNUSED where there is none; point and axis: (n, c, 3); deviation: (n, c).
    """

    sort: Integers
    point: Floats
    axis: Floats
    deviation: Floats

    @classmethod
    def none(cls, robots: int) -> "Channels":
        """Channels without sensors."""
        shape = (robots, CHANNELS)
        return cls(
            np.full(shape, UNUSED),
            np.zeros((*shape, 3)),
            np.zeros((*shape, 3)),
            np.ones(shape),
        )


class Noises(NamedTuple):
    """`InertialNoise` of n robots: an array (n,) of each of its values.

    Attributes:
        gyroscope: (n,) standard deviations [rad/s].
        accelerometer: (n,) standard deviations [m/s²].
        gyroscope_walk: (n,) random walks of the biases [rad/s/√s].
        accelerometer_walk: (n,) random walks of the biases [m/s²/√s].
    """

    gyroscope: Floats
    accelerometer: Floats
    gyroscope_walk: Floats
    accelerometer_walk: Floats


def slots_for(oldest: int) -> int:
    """Number of steps that a filter has to remember for numbers up to `oldest` steps old."""
    return oldest + 2


def forget(rows: Floats) -> None:
    """Empties what filters remember, `rows` (n, slots x SLOT): they have to be aligned again."""
    rows[:] = np.nan


def align(row: Floats, step: int, belief: Floats, covariance: Floats) -> None:
    """Starts a filter at `step`.

    Args:
        row: (slots x SLOT,) what it remembers.
        step: number of the step.
        belief: (16,) as in `inertial`.
        covariance: (15, 15) of its errors.
    """
    forget(row)
    slot = row.reshape(-1, SLOT)[step % (len(row) // SLOT)]
    slot[:ITEMS] = belief
    slot[ITEMS:_SAMPLE] = covariance.reshape(-1)


def sample_of(row: Floats, step: int) -> Floats:
    """The inertial sample (6,) of `step`: a view of what a filter remembers."""
    slot: Floats = row.reshape(-1, SLOT)[step % (len(row) // SLOT)]
    return slot[_SAMPLE:_MEASURED]


def believed(rows: Floats, step: int) -> tuple[Floats, Floats]:
    """The beliefs (n, 16) after `step` and their covariances (n, 15, 15): copies."""
    slots = rows.reshape(len(rows), -1, SLOT)
    slot = slots[:, step % slots.shape[1]]
    beliefs = slot[:, :ITEMS].copy()
    covariances = slot[:, ITEMS:_SAMPLE].reshape(-1, ERRORS, ERRORS).copy()
    for belief, P in zip(beliefs, covariances, strict=True):
        x, y, z = belief[VELOCITY:ACCELEROMETER_BIAS].tolist()
        publish(P, (x, y, z))
    return beliefs, covariances


@compiled
def advance(
    rows: Floats,
    count: int,
    step: int,
    samples: Floats,
    measured: Floats,
    ages: Integers,
    channels: Channels,
    noises: Noises,
    gravity: float,
    seconds: float,
) -> None:
    """Takes all filters from step - 1 to `step`.

    Args:
        rows: (n, m) what the filters remember, changed; what is behind `count` x SLOT is others'.
            Those that are not aligned yet stay so.
        count: number of steps that they remember (see `slots_for`).
        step: number of the step.
        samples: (n, 6) angular velocity [rad/s] and specific force [m/s²] in B.
        measured: (n, c) new numbers; NaN where there is none.
        ages: (n, c) how many steps ago each was true, at most `count` - 2.
        channels: what they are.
        noises: of the inertial sensors.
        gravity: [m/s²].
        seconds: length of a step [s].
    """
    room = Room(np.empty(ERRORS), np.empty(ERRORS), np.empty((3, 3)))
    for i in range(len(rows)):
        slots = rows[i][: count * SLOT].reshape(count, SLOT)
        if np.isnan(slots[(step - 1) % count, 0]):
            continue
        noise = InertialNoise(
            noises.gyroscope[i],
            noises.accelerometer[i],
            noises.gyroscope_walk[i],
            noises.accelerometer_walk[i],
        )
        now = slots[step % count]
        now[_SAMPLE:_MEASURED] = samples[i]
        now[_MEASURED:] = np.nan
        oldest = 0
        for c in range(CHANNELS):
            age = ages[i, c]
            # What was measured before the filter began says nothing of it.
            if np.isnan(measured[i, c]) or np.isnan(slots[(step - age - 1) % count, 0]):
                continue
            slots[(step - age) % count, _MEASURED + c] = measured[i, c]
            oldest = max(oldest, age)
        for age in range(oldest, -1, -1):
            before, slot = slots[(step - age - 1) % count], slots[(step - age) % count]
            slot[:_SAMPLE] = before[:_SAMPLE]
            belief, P = slot[:ITEMS], slot[ITEMS:_SAMPLE].reshape(ERRORS, ERRORS)
            sample = slot[_SAMPLE:_MEASURED]
            predict(belief, P, sample, noise, gravity, seconds, room.R)
            for c in range(CHANNELS):
                if not np.isnan(slot[_MEASURED + c]) and channels.sort[i, c] != UNUSED:
                    sensor = Sensor(
                        channels.sort[i, c],
                        read_vector(channels.point[i, c]),
                        read_vector(channels.axis[i, c]),
                        channels.deviation[i, c],
                    )
                    correct(belief, P, slot[_MEASURED + c], sensor, sample, room)
