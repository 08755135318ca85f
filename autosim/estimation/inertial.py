"""Dead reckoning from a gyroscope and an accelerometer, and how its errors grow.

Source: J. Solà, Quaternion kinematics for the error-state Kalman filter, 2017, chapter 7, with the
error of the orientation in W. A step moves first the orientation, then with it the velocity, then
with that the position, as the physics does: its integration makes no error of its own.
"""

from typing import NamedTuple

from autosim.arrays import Floats
from autosim.estimation.rotations import read_quaternion, turn_by, write_quaternion
from autosim.jit import compilable
from autosim.simulation.frames import (
    cross,
    minus,
    plus,
    read,
    rotation_matrix,
    times,
    to_world,
    write,
)

POSITION, ORIENTATION, VELOCITY, ACCELEROMETER_BIAS, GYROSCOPE_BIAS = 0, 3, 7, 10, 13
"""Number of the first item of each value in a row of a filter's belief."""

ITEMS = 16
"""Number of items of such a row: position 3, orientation 4, velocity 3, both biases 3 each."""

TURN_ERROR, VELOCITY_ERROR, ACCELEROMETER_ERROR, GYROSCOPE_ERROR = 3, 6, 9, 12
"""Number of the row of the covariance with which each error begins; that of the position is 0."""

ERRORS = 15
"""Number of errors that a filter knows of: the nine of a belief and three of each bias."""


class InertialNoise(NamedTuple):
    """How wrong the inertial sensors of one robot are.

    gyroscope [rad/s] and accelerometer [m/s²] are standard deviations of each sample;
    gyroscope_walk [rad/s/√s] and accelerometer_walk [m/s²/√s] say how fast their biases change.
    """

    gyroscope: float
    accelerometer: float
    gyroscope_walk: float
    accelerometer_walk: float


@compilable
def predict(
    belief: Floats,
    P: Floats,
    sample: Floats,
    noise: InertialNoise,
    gravity: float,
    seconds: float,
    R: Floats,
) -> None:
    """Goes on by one step.

    Args:
        belief: (16,), changed.
        P: (15, 15) its covariance, changed.
        sample: (6,) angular velocity [rad/s] and specific force [m/s²] in B at the step's end.
        noise: of the sensors.
        gravity: [m/s²].
        seconds: length of the step [s].
        R: (3, 3) into which R_WB of the new belief is written.
    """
    rotation_matrix(belief[ORIENTATION:VELOCITY], R)
    rate = to_world(R, minus(read(sample[:3]), read(belief[GYROSCOPE_BIAS:])))
    turned = turn_by(times(seconds, rate), read_quaternion(belief[ORIENTATION:VELOCITY]))
    write_quaternion(turned, belief[ORIENTATION:VELOCITY])
    rotation_matrix(belief[ORIENTATION:VELOCITY], R)
    force = to_world(R, minus(read(sample[3:]), read(belief[ACCELEROMETER_BIAS:])))
    acceleration = (force[0], force[1], force[2] - gravity)
    velocity = plus(read(belief[VELOCITY:]), times(seconds, acceleration))
    write(velocity, belief[VELOCITY:])
    write(plus(read(belief), times(seconds, velocity)), belief)
    _grow_turn(P, R, noise, seconds)
    _grow_velocity(P, R, force, noise, seconds)
    _grow_position(P, seconds)


@compilable
def _grow_turn(P: Floats, R: Floats, noise: InertialNoise, seconds: float) -> None:
    """The error of the gyroscope turns the belief: δθ += −R δb_g dt."""
    for i in range(3):
        P[GYROSCOPE_ERROR + i, GYROSCOPE_ERROR + i] += squared(noise.gyroscope_walk) * seconds
        P[ACCELEROMETER_ERROR + i, ACCELEROMETER_ERROR + i] += (
            squared(noise.accelerometer_walk) * seconds
        )
    for i in range(3):
        for k in range(3):
            share = -seconds * R[i, k]
            for j in range(ERRORS):
                P[TURN_ERROR + i, j] += share * P[GYROSCOPE_ERROR + k, j]
    for j in range(ERRORS):
        for i in range(3):
            total = 0.0
            for k in range(3):
                total += R[i, k] * P[j, GYROSCOPE_ERROR + k]
            P[j, TURN_ERROR + i] -= seconds * total
    for i in range(3):
        P[TURN_ERROR + i, TURN_ERROR + i] += squared(noise.gyroscope * seconds)


@compilable
def _grow_velocity(
    P: Floats, R: Floats, force: tuple[float, float, float], noise: InertialNoise, seconds: float
) -> None:
    """A force along wrong axes, and a wrong force: δv += (δθ × f − R δb_a) dt."""
    fx, fy, fz = seconds * force[0], seconds * force[1], seconds * force[2]
    for j in range(ERRORS):
        P[VELOCITY_ERROR, j] += fz * P[TURN_ERROR + 1, j] - fy * P[TURN_ERROR + 2, j]
        P[VELOCITY_ERROR + 1, j] += fx * P[TURN_ERROR + 2, j] - fz * P[TURN_ERROR, j]
        P[VELOCITY_ERROR + 2, j] += fy * P[TURN_ERROR, j] - fx * P[TURN_ERROR + 1, j]
    for i in range(3):
        for k in range(3):
            share = -seconds * R[i, k]
            for j in range(ERRORS):
                P[VELOCITY_ERROR + i, j] += share * P[ACCELEROMETER_ERROR + k, j]
    for j in range(ERRORS):
        turn = (P[j, TURN_ERROR], P[j, TURN_ERROR + 1], P[j, TURN_ERROR + 2])
        pulled = cross(turn, (fx, fy, fz))
        for i in range(3):
            total = pulled[i]
            for k in range(3):
                total -= seconds * R[i, k] * P[j, ACCELEROMETER_ERROR + k]
            P[j, VELOCITY_ERROR + i] += total
    for i in range(3):
        P[VELOCITY_ERROR + i, VELOCITY_ERROR + i] += squared(noise.accelerometer * seconds)


@compilable
def _grow_position(P: Floats, seconds: float) -> None:
    """A wrong velocity: δp += δv dt."""
    for i in range(3):
        for j in range(ERRORS):
            P[i, j] += seconds * P[VELOCITY_ERROR + i, j]
    for j in range(ERRORS):
        for i in range(3):
            P[j, i] += seconds * P[j, VELOCITY_ERROR + i]


@compilable
def squared(number: float) -> float:
    """The square of a number."""
    return number * number
