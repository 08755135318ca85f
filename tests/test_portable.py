"""Functions with the same bits in arrays, as floats and in kernels, and nearly the true ones."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from autosim import (
    jit,  # lets kernels call the functions
    portable,
)

assert jit

ANGLES = st.floats(-1e6, 1e6)
SIDES = st.floats(-1e9, 1e9).map(lambda value: value + 0.0)  # no negative zero


def ulps(found: float, true: float) -> float:
    return abs(found - true) / math.ulp(true)


@given(ANGLES)
def test_sines_and_cosines_are_within_an_ulp_of_those_of_the_c_library(angle):
    assert ulps(portable.sin(angle), math.sin(angle)) <= 1.0
    assert ulps(portable.cos(angle), math.cos(angle)) <= 1.0


@given(st.integers(-600_000, 600_000))
def test_they_stay_so_beside_multiples_of_a_quarter_turn(quarters):
    angle = quarters * math.pi / 2
    assert ulps(portable.sin(angle), math.sin(angle)) <= 1.0
    assert ulps(portable.cos(angle), math.cos(angle)) <= 1.0


@given(ANGLES)
def test_tangents_are_within_three_ulps(angle):
    assert ulps(portable.tan(angle), math.tan(angle)) <= 3.0


@given(SIDES, SIDES)
def test_directions_are_within_three_ulps(y, x):
    assert ulps(portable.arctan2(y, x), math.atan2(y, x)) <= 3.0
    assert ulps(portable.arctan(y), math.atan(y)) <= 3.0


@given(st.floats(-700, 700))
def test_exponentials_and_their_logarithms_are_within_three_ulps(power):
    grown = portable.exp(np.array([power]))
    assert ulps(grown[0], math.exp(power)) <= 3.0
    assert ulps(portable.log(grown)[0], math.log(grown[0])) <= 3.0


def test_the_logarithm_of_one_number_is_that_of_many():
    numbers = np.random.default_rng(0).lognormal(0.0, 50.0, 1000)
    assert [portable.log_of(number) for number in numbers.tolist()] == portable.log(
        numbers
    ).tolist()


def test_exponentials_go_down_to_nothing():
    assert portable.exp(np.array([[-1e300, -708.1], [-np.inf, 0.0]])).tolist() == [[0, 0], [0, 1]]


def test_exponentials_of_many_are_those_of_each():
    powers = np.random.default_rng(0).uniform(-700.0, 700.0, (3, 9000))
    assert (portable.exp(powers)[:, ::4000] == portable.exp(powers[:, ::4000])).all()


@pytest.mark.parametrize(
    ("y", "x"), [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)]
)
def test_directions_along_axes_and_diagonals_are_exact(y, x):
    assert portable.arctan2(float(y), float(x)) == math.atan2(y, x)


@given(ANGLES)
def test_a_wrapped_angle_points_the_same_way(angle):
    wrapped = portable.wrapped(angle)
    assert abs(wrapped) <= math.pi
    assert abs(math.remainder(angle - wrapped, math.tau)) < 1e-9


def test_lengths_and_products_are_of_vectors():
    assert portable.hypot(3.0, -4.0) == 5.0
    assert portable.length([2.0, 3.0, 6.0]) == 7.0
    assert portable.dot(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0])).tolist() == [
        17,
        39,
    ]


@njit
def in_a_kernel(y, x, found):
    for k in range(y.size):
        found[0, k], found[1, k] = portable.sin_cos(y[k])
        found[2, k] = portable.tan(y[k])
        found[3, k] = portable.arctan2(y[k], x[k])
        found[4, k] = portable.arctan(y[k])
        found[5, k] = portable.hypot(y[k], x[k])


def test_floats_arrays_and_kernels_agree_to_the_bit():
    """So a compiler that makes one operation of a product and a sum (FMA) is found out, too."""
    y, x = np.random.default_rng(0).normal(0.0, 100.0, (2, 2000))
    found = np.empty((6, 2000))
    in_a_kernel(y, x, found)
    functions = (portable.sin, portable.cos, portable.tan, portable.arctan)
    for row, function in zip(found[[0, 1, 2, 4]], functions, strict=True):
        assert (function(y) == row).all()
        assert [function(value) for value in y.tolist()] == row.tolist()
    for row, binary in zip(found[[3, 5]], (portable.arctan2, portable.hypot), strict=True):
        assert (binary(y, x) == row).all()
        assert [binary(*each) for each in zip(y.tolist(), x.tolist(), strict=True)] == row.tolist()
