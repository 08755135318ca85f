"""Errors that are made on purpose: beliefs that are the truth and an error of known size.

Each process is linear and driven by normal numbers, so that its covariance is known exactly, and is
published beside the error: what the belief says of itself is right.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim.arrays import Booleans, Floats, Integers
from autosim.estimation.rotations import read_quaternion, turn_by, write_quaternion
from autosim.jit import compiled, jitable
from autosim.model.belief import (
    ACCELERATION,
    ANGULAR_VELOCITY,
    BELIEF_WORDS,
    ERRORS,
    ORIENTATION,
    POSITION,
    TRUTH_WORDS,
    VELOCITY,
)
from autosim.model.noise import UNIFORMS, normal
from autosim.model.vector_kernels import (
    read_vector,
    rotation_matrix,
    to_world,
    vec_scale,
    write_vector,
)

Streams = npt.NDArray[np.uint64]


class StateWords(NamedTuple):
    """Addresses of the states of n robots: words (n,) with which truth and belief begin."""

    truth: Integers
    belief: Integers


class SteadyErrors(NamedTuple):
    """Errors of n robots, with the same deviation at all times.

    In B, of position [m], orientation [rad] and velocity [m/s], three each. deviation: (n, 9);
    mean: (n, 9) by which the belief is off on average; kept: (n,) share of an error that is left
    after a step; stream: (n, 9) of random numbers.
    """

    deviation: Floats
    mean: Floats
    kept: Floats
    stream: Streams


@compiled
def add_steady_errors(
    words: Floats, step: int, places: StateWords, errors: SteadyErrors, memory: Floats
) -> None:
    """Writes beliefs that are the truth and an error.

    Args:
        words: of the whole state.
        step: number of the step.
        places: of the robots' states.
        errors: of each robot.
        memory: (n, 9) errors of the step before, in deviations; NaN before the first. Changed.
    """
    counter = np.uint64(step) * np.uint64(UNIFORMS)
    R, error, P = np.empty((3, 3)), np.empty(ERRORS), np.zeros((ERRORS, ERRORS))
    for i in range(len(memory)):
        kept = errors.kept[i]
        fresh = np.sqrt(1.0 - kept * kept)
        for k in range(ERRORS):
            drawn = normal(errors.stream[i, k], counter)
            if np.isnan(memory[i, k]):
                memory[i, k] = drawn
            else:
                memory[i, k] = kept * memory[i, k] + fresh * drawn
            # The belief is off by the opposite of its error.
            error[k] = -(errors.mean[i, k] + errors.deviation[i, k] * memory[i, k])
        truth = words[places.truth[i] : places.truth[i] + TRUTH_WORDS]
        rotation_matrix(truth[ORIENTATION:VELOCITY], R)
        for group in range(3):
            write_vector(to_world(R, read_vector(error[3 * group :])), error[3 * group :])
            _turn_block(R, errors.deviation[i, 3 * group :], P[3 * group :, 3 * group :])
        _add_means(R, errors.mean[i], P)
        write_belief(words, places.truth[i], places.belief[i], error, P)


RATES = 6
"""Number of errors of rates: of angular velocity [rad/s] and acceleration [m/s²], three each. No
covariance includes them."""


@compiled
def add_rate_errors(
    words: Floats, step: int, places: StateWords, errors: SteadyErrors, memory: Floats
) -> None:
    """Adds errors to the angular velocities and accelerations of beliefs that are written already.

    Args:
        words: of the whole state.
        step: number of the step.
        places: of the robots' states.
        errors: of each robot, six in place of nine: along the axes of B.
        memory: (n, 6) errors of the step before, in deviations; NaN before the first. Changed.
    """
    counter = np.uint64(step) * np.uint64(UNIFORMS)
    R, error = np.empty((3, 3)), np.empty(RATES)
    for i in range(len(memory)):
        kept = errors.kept[i]
        fresh = np.sqrt(1.0 - kept * kept)
        for k in range(RATES):
            drawn = normal(errors.stream[i, k], counter)
            before = memory[i, k]
            memory[i, k] = drawn if np.isnan(before) else kept * before + fresh * drawn
            error[k] = errors.mean[i, k] + errors.deviation[i, k] * memory[i, k]
        first = places.truth[i]
        rotation_matrix(words[first + ORIENTATION : first + VELOCITY], R)
        turning, pushed = to_world(R, read_vector(error)), to_world(R, read_vector(error[3:]))
        for k in range(3):
            words[places.belief[i] + ANGULAR_VELOCITY + k] += turning[k]
            words[places.belief[i] + ACCELERATION + k] += pushed[k]


@jitable
def _turn_block(R: Floats, deviation: Floats, P: Floats) -> None:
    """Writes R diag(deviation²) Rᵀ into the first three rows and columns of P."""
    for a in range(3):
        for b in range(3):
            total = 0.0
            for k in range(3):
                total += R[a, k] * deviation[k] * deviation[k] * R[b, k]
            P[a, b] = total


@jitable
def _add_means(R: Floats, mean: Floats, P: Floats) -> None:
    """Adds what a steady offset means: P is the mean square of the error, not of its scatter."""
    turned = np.empty(ERRORS)
    for group in range(3):
        write_vector(to_world(R, read_vector(mean[3 * group :])), turned[3 * group :])
    for a in range(ERRORS):
        for b in range(ERRORS):
            if a // 3 != b // 3:
                P[a, b] = 0.0
            P[a, b] += turned[a] * turned[b]


@compiled
def draw_normals(streams: Streams, step: int, drawn: Floats) -> None:
    """Writes into `drawn` (k,) the normal numbers of `step` of k streams."""
    for k in range(len(streams)):
        drawn[k] = normal(streams[k], np.uint64(step) * np.uint64(UNIFORMS))


class Drift(NamedTuple):
    """Growth of the errors of n inertial systems, and their reduction by a fix; arrays (n,).

    velocity_walk [m/s/√s]; turn_walk [rad/√s]. kept: share of an error that is left after a step
    with a fix; fix_position [m], fix_turn [rad] and fix_velocity [m/s]: standard deviations that it
    leads to. stream: (n, 9) of random numbers.
    """

    velocity_walk: Floats
    turn_walk: Floats
    kept: Floats
    fix_position: Floats
    fix_turn: Floats
    fix_velocity: Floats
    stream: Streams


DRIFT_ITEMS = ERRORS + 4
"""Number of items that are remembered of a drift: nine errors, and for each axis the variance of
the position, its covariance with the velocity, and the variances of velocity and orientation."""


@compiled
def add_drift(
    words: Floats,
    step: int,
    seconds: float,
    places: StateWords,
    drift: Drift,
    has_fix: Booleans,
    memory: Floats,
) -> None:
    """Writes beliefs that are the truth and an error that drifts.

    Args:
        words: of the whole state.
        step: number of the step.
        seconds: length of a step [s].
        places: of the robots' states.
        drift: of each robot.
        has_fix: (n,) whether a fix holds the error down.
        memory: (n, 13) as `DRIFT_ITEMS` says; NaN before the first step. Changed.
    """
    counter = np.uint64(step) * np.uint64(UNIFORMS)
    drawn, P = np.empty(ERRORS), np.zeros((ERRORS, ERRORS))
    for i in range(len(memory)):
        for k in range(ERRORS):
            drawn[k] = normal(drift.stream[i, k], counter)
        row = memory[i]
        if np.isnan(row[0]):
            row[:] = 0.0
            _hold(row, drawn, 0.0, drift, i)
        elif has_fix[i]:
            _hold(row, drawn, drift.kept[i], drift, i)
        else:
            _drift_on(row, drawn, drift.velocity_walk[i], drift.turn_walk[i], seconds)
        for k in range(3):
            P[k, k], P[k, 6 + k], P[6 + k, k] = row[ERRORS], row[ERRORS + 1], row[ERRORS + 1]
            P[6 + k, 6 + k], P[3 + k, 3 + k] = row[ERRORS + 2], row[ERRORS + 3]
        write_belief(words, places.truth[i], places.belief[i], row[:ERRORS], P)


@jitable
def _hold(row: Floats, drawn: Floats, kept: float, drift: Drift, i: int) -> None:
    """A step with a fix: errors of any size decay to those of the fix."""
    fresh = 1.0 - kept * kept
    share = np.sqrt(fresh)
    for k in range(3):
        row[k] = kept * row[k] + share * drift.fix_position[i] * drawn[k]
        row[3 + k] = kept * row[3 + k] + share * drift.fix_turn[i] * drawn[3 + k]
        row[6 + k] = kept * row[6 + k] + share * drift.fix_velocity[i] * drawn[6 + k]
    old = kept * kept
    row[ERRORS] = old * row[ERRORS] + fresh * drift.fix_position[i] * drift.fix_position[i]
    row[ERRORS + 1] *= old
    row[ERRORS + 2] = old * row[ERRORS + 2] + fresh * drift.fix_velocity[i] * drift.fix_velocity[i]
    row[ERRORS + 3] = old * row[ERRORS + 3] + fresh * drift.fix_turn[i] * drift.fix_turn[i]


@jitable
def _drift_on(
    row: Floats, drawn: Floats, velocity_walk: float, turn_walk: float, seconds: float
) -> None:
    """A step without a fix."""
    root = np.sqrt(seconds)
    for k in range(3):
        row[3 + k] += turn_walk * root * drawn[3 + k]
        row[6 + k] += velocity_walk * root * drawn[6 + k]
        row[k] += seconds * row[6 + k]
    row[ERRORS + 3] += turn_walk * turn_walk * seconds
    row[ERRORS + 2] += velocity_walk * velocity_walk * seconds
    row[ERRORS] += seconds * (2.0 * row[ERRORS + 1] + seconds * row[ERRORS + 2])
    row[ERRORS + 1] += seconds * row[ERRORS + 2]


@jitable
def write_belief(words: Floats, truth: int, belief: int, error: Floats, P: Floats) -> None:
    """Writes the belief that has to be corrected by `error` (9,), of the covariance P (9, 9)."""
    for k in range(TRUTH_WORDS):
        words[belief + k] = words[truth + k]
    for k in range(3):
        words[belief + POSITION + k] -= error[k]
        words[belief + VELOCITY + k] -= error[6 + k]
    orientation = words[belief + ORIENTATION : belief + VELOCITY]
    turned = turn_by(vec_scale(-1.0, read_vector(error[3:])), read_quaternion(orientation))
    write_quaternion(turned, orientation)
    for k in range(BELIEF_WORDS - TRUTH_WORDS):
        words[belief + TRUTH_WORDS + k] = P[k // ERRORS, k % ERRORS]
