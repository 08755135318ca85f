"""Least squares with limits."""

import numpy as np
import pytest

from autosim.world.geometry.least_squares import WeightedRows, minimise


def test_without_a_broken_limit_the_wishes_are_met():
    wanted, limits = WeightedRows(), WeightedRows()
    wanted.add(np.array([[0], [1]]), np.ones((2, 1)), np.array([1.0, 2.0]), 1.0)
    limits.add(np.array([[0]]), np.ones((1, 1)), np.array([5.0]), 100.0)
    assert minimise(wanted, limits, 2) == pytest.approx([1.0, 2.0])


def test_a_limit_weighs_more_than_a_wish():
    wanted, limits = WeightedRows(), WeightedRows()
    wanted.add(np.array([[0]]), np.ones((1, 1)), np.array([8.0]), 1.0)
    limits.add(np.array([[0]]), np.ones((1, 1)), np.array([5.0]), 100.0)
    assert minimise(wanted, limits, 1) == pytest.approx([5.0], abs=1e-3)


def _chain(seed, count=60):
    """Heights along a street over rough terrain whose limits contradict each other."""
    rng = np.random.default_rng(seed)
    wanted, limits = WeightedRows(), WeightedRows()
    number = np.arange(count)
    wanted.add(number[:, None], np.ones((count, 1)), np.cumsum(rng.normal(0.0, 3.0, count)), 1.0)
    triples = np.column_stack([number[:-2], number[1:-1], number[2:]])
    bend = np.tile([1.0, -2.0, 1.0], (len(triples), 1))
    steps = np.column_stack([number[:-1], number[1:]])
    rise = np.tile([-1.0, 1.0], (len(steps), 1))
    for sign, most in ((1.0, 0.5), (-1.0, 0.3)):
        limits.add(steps, sign * rise, np.full(len(steps), 0.5), 300.0)
        limits.add(triples, sign * bend, np.full(len(triples), most), 200.0)
    apart = rng.permutation(count)[:24].reshape(-1, 2)
    limits.add(apart, np.tile([1.0, -1.0], (12, 1)), np.full(12, -5.5), 30.0)
    return wanted, limits, count


def _slope(wanted, limits, count, z):
    """The gradient (count,) of the sum of squares at z."""
    matrix, right, weights = wanted.matrix(count)
    bounds, most, stiffness = limits.matrix(count)
    wishes = matrix.T @ (weights**2 * (matrix @ z - right))
    return wishes + bounds.T @ (stiffness**2 * np.maximum(bounds @ z - most, 0.0))


@pytest.mark.parametrize("seed", range(6))
def test_limits_that_contradict_each_other_come_to_rest_at_the_least_sum(seed):
    problem = _chain(seed)
    # As much as the stiffest limit pulls when it is broken by a centimetre.
    assert np.abs(_slope(*problem, minimise(*problem))).max() < 300.0**2 * 0.01


def test_another_start_leads_to_the_same_heights():
    problem = _chain(1)
    assert minimise(*problem, np.full(problem[2], 7.0)) == pytest.approx(
        minimise(*problem), abs=0.02
    )
