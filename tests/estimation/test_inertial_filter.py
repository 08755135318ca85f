"""The arithmetic of the filter: turns, derivatives, and numbers that come late."""

import numpy as np
import pytest

from autosim.estimation.corrections import (
    DISTANCE,
    HEADING,
    MOTION,
    PLACE,
    PRESSURE,
    SPEED,
    Room,
    Sensor,
    correct,
)
from autosim.estimation.inertial import ERRORS, ITEMS, InertialNoise, predict, publish
from autosim.estimation.inertial_filter import (
    CHANNELS,
    SLOT,
    Channels,
    Noises,
    advance,
    align,
    believed,
    slots_for,
)
from autosim.estimation.rotations import from_vector, inverse, product, to_vector, turn_by
from autosim.model.environment.standard_atmosphere import pressure_ratio
from autosim.model.vector_kernels import rotation_matrix

SECONDS, GRAVITY = 0.01, 9.81
ROOM = Room(np.empty(ERRORS), np.empty(ERRORS), np.empty((3, 3)))
NOISE = InertialNoise(0.01, 0.1, 1e-3, 1e-2)
RNG = np.random.default_rng(3)


def a_belief() -> np.ndarray:
    belief = RNG.normal(size=ITEMS)
    belief[3:7] /= np.linalg.norm(belief[3:7])
    belief[10:] *= 0.1
    return belief


def matrix(quaternion: tuple) -> np.ndarray:
    R = np.empty((3, 3))
    rotation_matrix(np.array(quaternion), R)
    return R


def shifted(belief: np.ndarray, error: np.ndarray) -> np.ndarray:
    """What the belief would be without this error (15,): v = Exp(δθ) (v̂ + δν)."""
    x, y, z = error[3:6].tolist()
    a, b, c, d = belief[3:7].tolist()
    turned = turn_by((x, y, z), (a, b, c, d))
    velocity = matrix(from_vector((x, y, z))) @ (belief[7:10] + error[6:9])
    return np.concatenate([belief[:3] + error[:3], turned, velocity, belief[10:] + error[9:]])


def difference(belief: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The error (15,) of `belief` if `other` is true."""
    first, second = (tuple(each[3:7].tolist()) for each in (other, belief))
    turn = to_vector(product(first, inverse(second)))
    velocity = matrix(from_vector(turn)).T @ other[7:10] - belief[7:10]
    return np.concatenate([other[:3] - belief[:3], turn, velocity, other[10:] - belief[10:]])


@pytest.mark.parametrize("size", [0.0, 1e-9, 0.3, 3.0])
def test_rotation_vectors_come_back(size):
    vector = size * np.array([0.6, -0.48, 0.64])
    x, y, z = vector.tolist()
    np.testing.assert_allclose(to_vector(from_vector((x, y, z))), vector, atol=1e-12)


def test_the_covariance_grows_as_errors_do():
    """F, column by column, from small errors of the belief before a step."""
    belief, sample = a_belief(), RNG.normal(size=6)
    quiet, R = InertialNoise(0.0, 0.0, 0.0, 0.0), np.empty((3, 3))
    after = belief.copy()
    predict(after, np.zeros((ERRORS, ERRORS)), sample, quiet, GRAVITY, SECONDS, R)
    F = np.empty((ERRORS, ERRORS))
    for column in range(ERRORS):
        error = np.zeros(ERRORS)
        error[column] = 1e-6
        other = shifted(belief, error)
        predict(other, np.zeros((ERRORS, ERRORS)), sample, quiet, GRAVITY, SECONDS, R)
        F[:, column] = difference(after, other) / 1e-6
    root = RNG.normal(size=(ERRORS, ERRORS))
    P = root @ root.T
    grown = P.copy()
    predict(belief.copy(), grown, sample, quiet, GRAVITY, SECONDS, R)
    # The bias is taken for constant in W within a step: half of the turn, 0.5 %, of its share.
    np.testing.assert_allclose(grown, F @ P @ F.T, rtol=1e-3, atol=2e-3)


POINT, AXIS, RATE = (0.6, 0.3, 0.7), (0.48, -0.64, 0.6), (0.3, -0.2, 0.4)


@pytest.mark.parametrize("sort", [PLACE, PRESSURE, HEADING, SPEED, MOTION, DISTANCE])
def test_a_number_that_is_right_takes_its_error_away(sort):
    """Where one direction of errors is open, an exact number closes it."""
    belief = a_belief()
    error = 1e-4 * RNG.normal(size=ERRORS)
    truth = shifted(belief, error)
    P = np.outer(error, error) + 1e-14 * np.eye(ERRORS)
    number, sensor = (
        expected(truth, sort),
        Sensor(sort, POINT, AXIS, 1e-13 if sort == PRESSURE else 1e-9),
    )
    if sort == DISTANCE:
        number = abs(number)
    correct(belief, P, number, sensor, np.array([*RATE, 0.0, 0.0, 0.0]), ROOM)
    np.testing.assert_allclose(difference(belief, truth), np.zeros(ERRORS), atol=2e-6)


def expected(belief: np.ndarray, sort: int) -> float:
    """What a sensor without errors measures."""
    R = matrix(belief[3:7])
    place = (belief[:3] + R @ POINT) @ AXIS
    if sort == PLACE:
        return place
    if sort == PRESSURE:
        return pressure_ratio(place)
    if sort == HEADING:
        east, north, _ = R @ AXIS
        return np.arctan2(east, north)
    velocity = belief[7:10] + R @ np.cross(RATE - belief[13:], POINT)
    return velocity @ AXIS if sort == MOTION else velocity @ R @ AXIS


def test_speeds_along_the_body_tell_nothing_of_the_heading():
    """Nor does any number of them, as what is believed changes: nobody could know it from them."""
    belief, P = a_belief(), np.diag(np.full(ERRORS, 0.01))
    belief[7:10] = 5.0, 1.0, 0.0
    samples = 0.1 * RNG.normal(size=(200, 6)) + (0.0, 0.0, 0.3, 0.0, 0.0, GRAVITY)
    quiet = InertialNoise(0.0, 0.0, 0.0, 0.0)
    P[12:, 12:] = 0.0
    for sample in samples:
        predict(belief, P, sample, quiet, GRAVITY, SECONDS, ROOM.R)
        for axis in np.eye(3):
            sensor = Sensor(SPEED, (0.0, 0.0, 0.0), tuple(axis.tolist()), 0.01)
            number = RNG.normal(scale=3.0)
            correct(belief, P, number, sensor, sample, ROOM)
    assert P[5, 5] == pytest.approx(0.01, rel=1e-6)


def test_what_is_published_is_the_covariance_of_the_errors_in_the_world():
    """Also of a velocity that is known in the body alone, whose axes are not."""
    velocity, turns = np.array([5.0, 0.0, 0.0]), 0.1 * RNG.normal(size=(20000, 3))
    errors = [matrix(from_vector(tuple(turn))) @ velocity - velocity for turn in turns.tolist()]
    P = np.zeros((9, 9))
    P[3:6, 3:6] = 0.01 * np.eye(3)
    publish(P, (5.0, 0.0, 0.0))
    measured = np.array(errors).T @ np.array(errors) / len(errors)
    np.testing.assert_allclose(P[6:, 6:], measured, rtol=0.1, atol=3e-3)


def test_a_number_that_comes_late_counts_as_if_it_had_come_in_time():
    channels, noises = Channels.none(2), Noises(*np.array([[each] * 2 for each in NOISE]))
    channels.sort[:, :2], channels.deviation[:, :2] = (PLACE, HEADING), (1.0, 0.05)
    channels.point[:, 0], channels.axis[:, :2] = (0.5, 0.2, 0.1), (1.0, 0.0, 0.0)
    count = slots_for(6)
    rows, start = np.full((2, count * SLOT), np.nan), a_belief()
    for row in rows:
        align(row, 0, start, 0.1 * np.eye(ERRORS))
    late: dict[int, float] = {}
    for step in range(1, 40):
        measured = np.full((2, CHANNELS), np.nan)
        ages = np.zeros((2, CHANNELS), dtype=np.int64)
        measured[:, 1] = 0.3
        if step % 10 == 0:
            measured[0, 0] = late[step + 6] = RNG.normal()  # the first robot has it at once
        if step in late:
            measured[1, 0], ages[1, 0] = late[step], 6
        samples = np.tile(RNG.normal(size=6), (2, 1))
        advance(rows, count, step, samples, measured, ages, channels, noises, GRAVITY, SECONDS)
        beliefs, covariances = believed(rows, step)
        if step in (9, 18, 28, 39):
            np.testing.assert_array_equal(beliefs[0], beliefs[1])
            np.testing.assert_array_equal(covariances[0], covariances[1])
        if step == 12:
            assert (beliefs[0] != beliefs[1]).any()


def test_a_filter_that_is_not_aligned_stays_so_and_hears_nothing():
    channels, noises = Channels.none(1), Noises(*np.ones((4, 1)))
    rows, nothing = np.full((1, 2 * SLOT), np.nan), np.full((1, CHANNELS), np.nan)
    ages = np.zeros((1, CHANNELS), dtype=np.int64)
    advance(rows, 2, 1, np.zeros((1, 6)), nothing, ages, channels, noises, GRAVITY, SECONDS)
    assert np.isnan(rows).all()
