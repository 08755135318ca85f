"""Reports of kinematic vehicles on their motion, with noise."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats, Integers
from autosim.jit import compiled
from autosim.model.noise import UNIFORMS, normal
from autosim.portable import sin_cos
from autosim.vehicle.kinematic.ground_following import (
    HEIGHT,
    LEAN,
    ORIGIN,
    RISE,
    quaternion_of,
    velocities_of,
)
from autosim.vehicle.kinematic.kinematic_step import (
    ACCELERATION,
    SLIP,
    STEER,
    VELOCITY,
    YAW,
    YAW_RATE,
    X,
    Y,
)
from autosim.vehicle.kinematic.motion_equations import STEER_BIAS, constants_of, yaw_rate_of

NOISES = 8
"""Number of errors of a vehicle: of x, y, roll, pitch, yaw, velocity, yaw rate, steering."""

MOTION = 10
"""Number of columns of a report on the motion: x, y [m], cosine and sine of the heading, velocity
forwards and to the left [m/s], acceleration [m/s²], yaw rate [rad/s], steering angles [rad]."""

TRANSFORM = 7
"""Number of columns of a transform: translation (3) [m], rotation (4)."""


class Errors(NamedTuple):
    """The noise of n vehicles: deviations (n, 8) and streams (n, 8) of random numbers."""

    deviations: Floats
    streams: npt.NDArray[np.uint64]


@compiled
def write_reports(
    models: Integers,
    parameters: Floats,
    rows: Floats,
    errors: Errors,
    step: int,
    motions: Floats,
    transforms: Floats,
) -> None:
    """Writes what n vehicles report after a step.

    Args:
        models: (n,) places in `CODES`.
        parameters: (n, p) by `COLUMN`.
        rows: (n, w), see `steps.X` and `ground.HEIGHT`.
        errors: theirs.
        step: its number.
        motions: (n, 10), see `MOTION`; written.
        transforms: (n, 7), see `TRANSFORM`; written.
    """
    off = np.zeros(NOISES)
    counter = np.uint64(step) * np.uint64(UNIFORMS)
    for i in range(models.size):
        row, motion, transform = rows[i], motions[i], transforms[i]
        for k in range(NOISES):
            deviation = errors.deviations[i, k]
            off[k] = deviation * normal(errors.streams[i, k], counter) if deviation else 0.0
        s, c = sin_cos(row[ORIGIN + 3])
        east, north = row[X] - row[ORIGIN], row[Y] - row[ORIGIN + 1]
        yaw = row[YAW] - row[ORIGIN + 3] + off[4]
        motion[0] = c * east + s * north + off[0]
        motion[1] = c * north - s * east + off[1]
        sine, cosine = sin_cos(yaw)
        motion[2], motion[3] = cosine, sine
        forward, left = velocities_of(row)
        p = constants_of(parameters[i])
        state = (row[X], row[Y], row[YAW], row[VELOCITY], row[STEER], 0.0, row[YAW_RATE], row[SLIP])
        turning = yaw_rate_of(models[i], p, state, row[STEER])
        motion[4], motion[5], motion[6] = forward + off[5], left, row[ACCELERATION]
        motion[7], motion[8] = turning + off[6], row[STEER] + p[STEER_BIAS] + off[7]
        motion[9] = 0.0
        transform[0], transform[1] = motion[0], motion[1]
        transform[2] = row[HEIGHT] - row[ORIGIN + 2]
        turned = quaternion_of(yaw, row[RISE] + off[3], row[LEAN] + off[2])
        for k in range(4):
            transform[3 + k] = turned[k]
