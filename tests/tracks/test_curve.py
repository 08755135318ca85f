"""Curves know their distances, tangents and points, whatever points they are made of."""

import numpy as np
import pytest

from autosim.tracks.curve import Curve

SQUARE = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]


def test_a_closed_curve_goes_on_from_its_last_point_to_its_first() -> None:
    curve = Curve.through(SQUARE, is_closed=True)
    assert curve.length == pytest.approx(16.0)
    assert curve.directions[-1] == pytest.approx([0.0, -1.0])
    assert curve.tangents[0] == pytest.approx([np.sqrt(0.5), -np.sqrt(0.5)])


def test_an_open_curve_ends() -> None:
    curve = Curve.through(SQUARE)
    assert curve.length == pytest.approx(12.0)
    assert curve.tangents[[0, -1]] == pytest.approx(np.array([[1.0, 0.0], [-1.0, 0.0]]))


def test_points_are_found_by_their_distance() -> None:
    found = Curve.through(SQUARE, is_closed=True).at([0.0, 2.0, 6.0, 14.0])
    assert found == pytest.approx(np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 2.0], [0.0, 2.0]]))


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_resampled_curve_has_even_steps_and_the_same_ends(is_closed: bool) -> None:
    uneven = Curve.through([[0.0, 0.0], [0.1, 0.0], [4.0, 0.0], [4.0, 4.0]], is_closed=is_closed)
    even = uneven.resampled(0.5)
    assert even.points[0] == pytest.approx([0.0, 0.0])
    assert even.length == pytest.approx(uneven.length, rel=0.02)
    assert even.lengths == pytest.approx(np.full(len(even.lengths), 0.5), abs=0.15)
    if not is_closed:
        assert even.points[-1] == pytest.approx([4.0, 4.0])
