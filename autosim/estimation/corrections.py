"""What one number that a sensor has measured says of a filter's errors.

Each measurement is a function of the belief that gives the number expected and its derivatives
with the errors. Numbers are taken one after the other, which needs no inverse of a matrix; those of
one sensor must have independent errors.
"""

from autosim.arrays import Floats
from autosim.estimation.inertial import (
    ERRORS,
    ITEMS,
    ORIENTATION,
    TURN_ERROR,
    VELOCITY,
    VELOCITY_ERROR,
)
from autosim.estimation.rotations import read_quaternion, turn_by, write_quaternion
from autosim.jit import compilable
from autosim.portable import arctan2, wrapped
from autosim.simulation.frames import Triple, cross, dot, read, rotation_matrix, to_world

PLACE, HEADING, SPEED = 0, 1, 2
"""Number of each sort of measurement: a coordinate in W of a point of the body [m]; the heading of
an axis of the body [rad] clockwise from north; the speed of the body's origin along such an
axis [m/s]."""


@compilable
def correct(
    belief: Floats,
    P: Floats,
    measured: float,
    sort: int,
    vector: Triple,
    axis: int,
    deviation: float,
    H: Floats,
    gain: Floats,
    R: Floats,
) -> float:
    """Takes one number into account.

    Args:
        belief: (16,), changed.
        P: (15, 15), changed.
        measured: what the sensor has measured.
        sort: PLACE, HEADING or SPEED.
        vector: the point [m] or the axis (unit vector) in B.
        axis: of W along which a PLACE is measured.
        deviation: standard deviation of the sensor's error, in its unit.
        H: (15,) room.
        gain: (15,) room.
        R: (3, 3) room.

    Returns:
        The square of the innovation over its variance: 1 on average.
    """
    for j in range(ERRORS):
        H[j] = 0.0
    rotation_matrix(belief[ORIENTATION:VELOCITY], R)
    if sort == PLACE:
        innovation = measured - _expect_place(belief, R, vector, axis, H)
    elif sort == HEADING:
        innovation = wrapped(measured - _expect_heading(R, vector, H))
    else:
        innovation = measured - _expect_speed(belief, R, vector, H)
    variance = deviation * deviation
    for i in range(ERRORS):
        total = 0.0
        for j in range(9):
            total += P[i, j] * H[j]
        gain[i] = total
    for j in range(9):
        variance += H[j] * gain[j]
    for i in range(ERRORS):
        for j in range(i + 1):
            P[i, j] -= gain[i] * gain[j] / variance
            P[j, i] = P[i, j]
    _shift(belief, gain, innovation / variance)
    return innovation * innovation / variance


@compilable
def _expect_place(belief: Floats, R: Floats, point: Triple, axis: int, H: Floats) -> float:
    """A coordinate of p + R r, whose error is that of p and δθ × R r."""
    arm = to_world(R, point)
    first, second = (axis + 1) % 3, (axis + 2) % 3
    H[axis] = 1.0
    H[TURN_ERROR + first] = arm[second]
    H[TURN_ERROR + second] = -arm[first]
    return float(belief[axis] + arm[axis])


@compilable
def _expect_heading(R: Floats, axis: Triple, H: Floats) -> float:
    """The heading of R a, arctan2(east, north)."""
    east, north, up = to_world(R, axis)
    level = east * east + north * north
    H[TURN_ERROR] = east * up / level
    H[TURN_ERROR + 1] = north * up / level
    H[TURN_ERROR + 2] = -1.0
    return float(arctan2(east, north))


@compilable
def _expect_speed(belief: Floats, R: Floats, axis: Triple, H: Floats) -> float:
    """The share of the velocity along R a."""
    along, velocity = to_world(R, axis), read(belief[VELOCITY:])
    turning = cross(along, velocity)
    for k in range(3):
        H[VELOCITY_ERROR + k] = along[k]
        H[TURN_ERROR + k] = turning[k]
    return dot(along, velocity)


@compilable
def _shift(belief: Floats, gain: Floats, weight: float) -> None:
    """Adds the errors that are found, `weight` times the gain, to the belief."""
    for k in range(3):
        belief[k] += weight * gain[k]
        belief[VELOCITY + k] += weight * gain[VELOCITY_ERROR + k]
    for k in range(6):
        belief[ITEMS - 6 + k] += weight * gain[ERRORS - 6 + k]
    turn = (
        weight * gain[TURN_ERROR],
        weight * gain[TURN_ERROR + 1],
        weight * gain[TURN_ERROR + 2],
    )
    turned = turn_by(turn, read_quaternion(belief[ORIENTATION:VELOCITY]))
    write_quaternion(turned, belief[ORIENTATION:VELOCITY])
