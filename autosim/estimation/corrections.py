"""Correction of a filter by one number that a sensor has measured.

Each measurement is a function of the belief that gives the number expected and its derivatives
with the errors. Numbers are taken one after the other, which needs no inverse of a matrix; those of
one sensor must have independent errors. The errors are those of `inertial`.
"""

from math import sqrt
from typing import NamedTuple

from autosim.arrays import Floats
from autosim.estimation.inertial import (
    ERRORS,
    GYROSCOPE_BIAS,
    GYROSCOPE_ERROR,
    ITEMS,
    ORIENTATION,
    TURN_ERROR,
    VELOCITY,
    VELOCITY_ERROR,
)
from autosim.estimation.rotations import read_quaternion, turn_by, write_quaternion
from autosim.jit import jitable
from autosim.model.environment.standard_atmosphere import pressure_ratio, pressure_ratio_slope
from autosim.model.vector_kernels import (
    Triple,
    cross,
    dot,
    read_vector,
    rotation_matrix,
    to_body,
    to_world,
    vec_add,
    vec_scale,
    vec_sub,
    write_vector,
)
from autosim.portable import arctan2, wrapped

PLACE, PRESSURE, HEADING, SPEED, MOTION, DISTANCE = range(6)
"""Number of each sort of measurement: where a point is along an axis of W [m]; the pressure there
as a share of that at the sea; the heading of an axis of the body [rad] clockwise from north; the
speed of a point along an axis of the body [m/s], along an axis of W [m/s], and along one of the
body without its sign [m/s]."""


class Sensor(NamedTuple):
    """The sensor of a number.

    sort: PLACE, PRESSURE, …; point [m] in B; axis: a unit vector, in W for PLACE, PRESSURE (up) and
    MOTION, else in B; deviation: standard deviation of the error, in the unit of the number.
    """

    sort: int
    point: Triple
    axis: Triple
    deviation: float


class Room(NamedTuple):
    """Working memory of `correct`: H (15,), gain (15,), R (3, 3)."""

    H: Floats
    gain: Floats
    R: Floats


@jitable
def correct(
    belief: Floats, P: Floats, measured: float, sensor: Sensor, sample: Floats, room: Room
) -> float:
    """Takes one number into account.

    Args:
        belief: (16,), changed.
        P: (15, 15), changed.
        measured: what the sensor has measured.
        sensor: that has measured it.
        sample: (6,) angular velocity [rad/s] and specific force [m/s²] in B, as measured then.
        room: to work in.

    Returns:
        The square of the innovation over its variance: 1 on average.
    """
    H, gain, R = room
    H[:] = 0.0
    rotation_matrix(belief[ORIENTATION:VELOCITY], R)
    innovation = _innovation(belief, measured, sensor, sample, room)
    gain[:] = 0.0
    for j in range(ERRORS):
        if H[j] != 0.0:
            for i in range(ERRORS):
                gain[i] += P[j, i] * H[j]
    variance = sensor.deviation * sensor.deviation
    for j in range(ERRORS):
        variance += H[j] * gain[j]
    _shift(belief, R, gain, innovation / variance)
    share = 1.0 / sqrt(variance)
    for i in range(ERRORS):
        gain[i] *= share
    for i in range(ERRORS):
        for j in range(ERRORS):
            P[i, j] -= gain[i] * gain[j]
    return innovation * innovation / variance


@jitable
def _innovation(
    belief: Floats, measured: float, sensor: Sensor, sample: Floats, room: Room
) -> float:
    """By how much a number is more than expected; writes the derivatives of that into H."""
    H, _, R = room
    if sensor.sort == PLACE:
        return measured - _expect_place(belief, R, sensor, H)
    if sensor.sort == PRESSURE:
        return measured - _expect_pressure(belief, R, sensor, H)
    if sensor.sort == HEADING:
        return float(wrapped(measured - _expect_heading(R, sensor, H)))
    if sensor.sort == MOTION:
        return measured - _expect_motion(belief, R, sensor, sample, H)
    expected = _expect_speed(belief, R, sensor, sample, H)
    is_back = sensor.sort == DISTANCE and expected < 0.0
    return (-measured if is_back else measured) - expected


@jitable
def _expect_pressure(belief: Floats, R: Floats, sensor: Sensor, H: Floats) -> float:
    """The share of the pressure at the point's height."""
    height = _expect_place(belief, R, sensor, H)
    slope = pressure_ratio_slope(height)
    for j in range(VELOCITY_ERROR):
        H[j] *= slope
    return pressure_ratio(height)


@jitable
def _expect_place(belief: Floats, R: Floats, sensor: Sensor, H: Floats) -> float:
    """The share along the axis of p + R r, whose error is that of p and δθ × R r."""
    arm = to_world(R, sensor.point)
    write_vector(sensor.axis, H)
    write_vector(cross(arm, sensor.axis), H[TURN_ERROR:])
    return dot(vec_add(read_vector(belief), arm), sensor.axis)


@jitable
def _expect_heading(R: Floats, sensor: Sensor, H: Floats) -> float:
    """The heading of R a, arctan2(east, north)."""
    east, north, up = to_world(R, sensor.axis)
    level = east * east + north * north
    write_vector((east * up / level, north * up / level, -1.0), H[TURN_ERROR:])
    return float(arctan2(east, north))


@jitable
def _rate(belief: Floats, sample: Floats) -> Triple:
    """The believed angular velocity [rad/s] in B."""
    return vec_sub(read_vector(sample), read_vector(belief[GYROSCOPE_BIAS:]))


@jitable
def _expect_speed(belief: Floats, R: Floats, sensor: Sensor, sample: Floats, H: Floats) -> float:
    """The share along a of R'v + ω × r, whose error is R'δν − δb_g × r."""
    along = to_world(R, sensor.axis)
    turning = cross(sensor.point, sensor.axis)
    write_vector(along, H[VELOCITY_ERROR:])
    write_vector(vec_scale(-1.0, turning), H[GYROSCOPE_ERROR:])
    return dot(along, read_vector(belief[VELOCITY:])) + dot(turning, _rate(belief, sample))


@jitable
def _expect_motion(belief: Floats, R: Floats, sensor: Sensor, sample: Floats, H: Floats) -> float:
    """The share along the axis of u = v + R (ω × r), whose error is δν + δθ × u − R (δb_g × r)."""
    axis = to_body(R, sensor.axis)
    velocity = vec_add(
        read_vector(belief[VELOCITY:]), to_world(R, cross(_rate(belief, sample), sensor.point))
    )
    write_vector(sensor.axis, H[VELOCITY_ERROR:])
    write_vector(cross(velocity, sensor.axis), H[TURN_ERROR:])
    write_vector(cross(axis, sensor.point), H[GYROSCOPE_ERROR:])
    return dot(velocity, sensor.axis)


@jitable
def _shift(belief: Floats, R: Floats, gain: Floats, weight: float) -> None:
    """Adds the errors that are found, `weight` times the gain, to the belief."""
    for k in range(3):
        belief[k] += weight * gain[k]
    for k in range(6):
        belief[ITEMS - 6 + k] += weight * gain[ERRORS - 6 + k]
    turn = vec_scale(weight, read_vector(gain[TURN_ERROR:]))
    turned = turn_by(turn, read_quaternion(belief[ORIENTATION:VELOCITY]))
    error = vec_scale(weight, read_vector(gain[VELOCITY_ERROR:]))
    velocity = to_body(R, vec_add(read_vector(belief[VELOCITY:]), error))
    write_quaternion(turned, belief[ORIENTATION:VELOCITY])
    rotation_matrix(belief[ORIENTATION:VELOCITY], R)
    write_vector(to_world(R, velocity), belief[VELOCITY:])
