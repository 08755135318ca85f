"""Shortest curves of one radius between two poses."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autosim.world.geometry.curves import heading_between, length_of, turn_between, unit
from autosim.world.geometry.dubins import dubins_curve
from autosim.world.geometry.polylines import Polylines
from autosim.world.geometry.turn_radii import turn_radii

PLACES = st.tuples(st.floats(-30.0, 30.0), st.floats(-30.0, 30.0))
HEADINGS = st.floats(-math.pi, math.pi)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(end=PLACES, first=HEADINGS, second=HEADINGS)
def test_a_curve_joins_its_poses_and_keeps_its_radius(end, first, second):
    place = np.array(end)
    curve = dubins_curve(np.zeros(2), first, place, second, 5.0)
    if curve is None or len(curve) < 3:
        return
    assert curve[[0, -1]].tolist() == [[0.0, 0.0], list(end)]
    with_ends = np.vstack([-0.5 * unit(first), curve, place + 0.5 * unit(second)])
    assert turn_radii(Polylines.of([with_ends]))[0][0] > 4.8


def test_straight_ahead_is_a_line():
    curve = dubins_curve(np.zeros(2), 0.5, 20.0 * unit(0.5), 0.5, 5.0)
    assert length_of(curve) == pytest.approx(20.0, abs=1e-6)


def test_a_turn_with_too_little_room_behind_it_swings_out_first():
    curve = dubins_curve(np.zeros(2), 0.0, np.array([12.0, 4.0]), math.pi / 2.0, 5.0)
    assert curve[:, 1].min() < -0.05
    assert length_of(curve) < 18.0
    assert abs(turn_between(heading_between(*curve[-2:]), math.pi / 2.0)) < 0.06
