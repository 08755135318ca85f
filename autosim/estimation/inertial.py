"""Dead reckoning from a gyroscope and an accelerometer, and how its errors grow.

Source: J. Solà, Quaternion kinematics for the error-state Kalman filter, 2017, chapter 7, with the
error of the orientation in W. A step moves first the orientation, then with it the velocity, then
with that the position, as the physics does: its integration makes no error of its own.

Within the filter the error of the velocity is δν: v = Exp(δθ) (v̂ + δν), which turns with that of
the orientation (A. Barrau and S. Bonnabel, The invariant extended Kalman filter as a stable
observer, 2017): the error of the velocity in the body's axes. Then neither its growth nor the
measurement of a speed along such an axis depends on the belief. With δv = v − v̂ both do: as the
belief changes, such speeds seem to observe the heading, which they cannot, and the filter becomes
overconfident.
"""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats
from autosim.estimation.rotations import read_quaternion, turn_by, write_quaternion
from autosim.jit import jitable
from autosim.model.vector_kernels import (
    Triple,
    dot,
    read_vector,
    rotation_matrix,
    to_world,
    vec_add,
    vec_scale,
    vec_sub,
    write_vector,
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
    """Errors of the inertial sensors of one robot.

    gyroscope [rad/s] and accelerometer [m/s²] are standard deviations of each sample;
    gyroscope_walk [rad/s/√s] and accelerometer_walk [m/s²/√s] say how fast their biases change.
    """

    gyroscope: float
    accelerometer: float
    gyroscope_walk: float
    accelerometer_walk: float


@jitable
def predict(
    belief: Floats,
    P: Floats,
    sample: Floats,
    noise: InertialNoise,
    gravity: float,
    seconds: float,
    R: Floats,
) -> None:
    """Advances by one step.

    Args:
        belief: (16,), changed.
        P: (15, 15) its covariance, changed.
        sample: (6,) angular velocity [rad/s] and specific force [m/s²] in B at the step's end.
        noise: of the sensors.
        gravity: [m/s²].
        seconds: length of the step [s].
        R: (3, 3) into which R_WB of the new belief is written.
    """
    before = read_vector(belief[VELOCITY:])
    rotation_matrix(belief[ORIENTATION:VELOCITY], R)
    rate = to_world(R, vec_sub(read_vector(sample[:3]), read_vector(belief[GYROSCOPE_BIAS:])))
    turned = turn_by(vec_scale(seconds, rate), read_quaternion(belief[ORIENTATION:VELOCITY]))
    write_quaternion(turned, belief[ORIENTATION:VELOCITY])
    rotation_matrix(belief[ORIENTATION:VELOCITY], R)
    force = to_world(R, vec_sub(read_vector(sample[3:]), read_vector(belief[ACCELEROMETER_BIAS:])))
    acceleration = (force[0], force[1], force[2] - gravity)
    velocity = vec_add(before, vec_scale(seconds, acceleration))
    write_vector(velocity, belief[VELOCITY:])
    write_vector(vec_add(read_vector(belief), vec_scale(seconds, velocity)), belief)
    _add_noise(P, before, noise, seconds)
    # The transpose of M = F P is P F', so that the new covariance F P F' is F M'.
    _move_errors(P, R, before, velocity, gravity, seconds)
    for i in range(ERRORS):
        for j in range(i):
            P[i, j], P[j, i] = P[j, i], P[i, j]
    _move_errors(P, R, before, velocity, gravity, seconds)
    for i in range(ERRORS):
        for j in range(i):
            P[i, j] = P[j, i]


@jitable
def _add_noise(P: Floats, velocity: Triple, noise: InertialNoise, seconds: float) -> None:
    """Adds what the noise of a step makes unsure, before the errors move on.

    A wrong turn n does not turn the true velocity: it leaves the error δν = v × n.
    """
    turn, push = squared(noise.gyroscope * seconds), squared(noise.accelerometer * seconds)
    square = dot(velocity, velocity)
    for i in range(3):
        P[TURN_ERROR + i, TURN_ERROR + i] += turn
        P[VELOCITY_ERROR + i, VELOCITY_ERROR + i] += push + turn * square
        for j in range(3):
            P[VELOCITY_ERROR + i, VELOCITY_ERROR + j] -= turn * velocity[i] * velocity[j]
        P[GYROSCOPE_ERROR + i, GYROSCOPE_ERROR + i] += squared(noise.gyroscope_walk) * seconds
        P[ACCELEROMETER_ERROR + i, ACCELEROMETER_ERROR + i] += (
            squared(noise.accelerometer_walk) * seconds
        )
        following, last = (i + 1) % 3, (i + 2) % 3
        for row, column, share in (
            (following, last, -turn * velocity[i]),
            (last, following, turn * velocity[i]),
        ):
            P[VELOCITY_ERROR + row, TURN_ERROR + column] += share
            P[TURN_ERROR + column, VELOCITY_ERROR + row] += share


@jitable
def _move_errors(
    P: Floats, R: Floats, before: Triple, velocity: Triple, gravity: float, seconds: float
) -> None:
    """Puts F P in the place of P: what a step makes of errors.

    The error of the gyroscope turns the belief: δθ += −R δb_g dt, and δν += v × (−R δb_g) dt. That
    of the tilt turns gravity: δν += (g × δθ − R δb_a) dt. At last, δp += (δν + δθ × v) dt.
    """
    vx, vy, vz = before
    wx, wy, wz = velocity
    for j in range(ERRORS):
        x, y, z = turn = vec_scale(-seconds, to_world(R, _column(P, GYROSCOPE_ERROR, j)))
        tx, ty, tz = vec_add(_column(P, TURN_ERROR, j), turn)
        ax, ay, az = vec_scale(-seconds, to_world(R, _column(P, ACCELEROMETER_ERROR, j)))
        ux = P[VELOCITY_ERROR, j] + ax + (vy * z - vz * y) + seconds * gravity * ty
        uy = P[VELOCITY_ERROR + 1, j] + ay + (vz * x - vx * z) - seconds * gravity * tx
        uz = P[VELOCITY_ERROR + 2, j] + az + (vx * y - vy * x)
        P[TURN_ERROR, j], P[TURN_ERROR + 1, j], P[TURN_ERROR + 2, j] = tx, ty, tz
        P[VELOCITY_ERROR, j], P[VELOCITY_ERROR + 1, j], P[VELOCITY_ERROR + 2, j] = ux, uy, uz
        P[0, j] += seconds * (ux + ty * wz - tz * wy)
        P[1, j] += seconds * (uy + tz * wx - tx * wz)
        P[2, j] += seconds * (uz + tx * wy - ty * wx)


@jitable
def _column(P: Floats, first: int, j: int) -> Triple:
    """The covariances of three errors with the error `j`."""
    return P[first, j], P[first + 1, j], P[first + 2, j]


@jitable
def publish(P: Floats, velocity: Triple) -> None:
    """Replaces δν by δv in a covariance P (n, n) of the filter; n is 9 or more.

    With d = δν + δθ × v̂, δv is d + δθ × d / 2 to the second order, where δν is 0 and where it
    results from gravity along a wrong tilt. The second term counts where errors are large. (The
    mean of a product of four normal errors is the sum of those of their pairs.)

    Args:
        P: changed.
        velocity: of the filter's belief [m/s] in W.
    """
    turn_velocity_errors(P, vec_scale(-1.0, velocity))
    products = np.empty((3, 3))
    for a in range(3):
        for b in range(3):
            products[a, b] = (
                _product_of_turned(P, (a + 1) % 3, (a + 2) % 3, (b + 1) % 3, (b + 2) % 3)
                - _product_of_turned(P, (a + 2) % 3, (a + 1) % 3, (b + 1) % 3, (b + 2) % 3)
                - _product_of_turned(P, (a + 1) % 3, (a + 2) % 3, (b + 2) % 3, (b + 1) % 3)
                + _product_of_turned(P, (a + 2) % 3, (a + 1) % 3, (b + 2) % 3, (b + 1) % 3)
            )
    for a in range(3):
        for b in range(3):
            P[VELOCITY_ERROR + a, VELOCITY_ERROR + b] += 0.25 * products[a, b]


@jitable
def _product_of_turned(P: Floats, j: int, k: int, m: int, n: int) -> float:
    """The mean of δθ_j d_k δθ_m d_n."""
    t, d = TURN_ERROR, VELOCITY_ERROR
    return float(
        P[t + j, d + k] * P[t + m, d + n]
        + P[t + j, t + m] * P[d + k, d + n]
        + P[t + j, d + n] * P[t + m, d + k]
    )


@jitable
def turn_velocity_errors(P: Floats, velocity: Triple) -> None:
    """Adds v × δθ to the error of the velocity in P (n, n), n at least 9."""
    vx, vy, vz = velocity
    for j in range(len(P)):
        x, y, z = _column(P, TURN_ERROR, j)
        P[VELOCITY_ERROR, j] += vy * z - vz * y
        P[VELOCITY_ERROR + 1, j] += vz * x - vx * z
        P[VELOCITY_ERROR + 2, j] += vx * y - vy * x
    for j in range(len(P)):
        x, y, z = P[j, TURN_ERROR], P[j, TURN_ERROR + 1], P[j, TURN_ERROR + 2]
        P[j, VELOCITY_ERROR] += vy * z - vz * y
        P[j, VELOCITY_ERROR + 1] += vz * x - vx * z
        P[j, VELOCITY_ERROR + 2] += vx * y - vy * x


@jitable
def squared(number: float) -> float:
    """The square of a number."""
    return number * number
