import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from autosim.world.geometry import curves

CORNER = np.array([[0.0, 0.0], [40.0, 0.0], [40.0, 40.0]])


def least_radius(points: curves.Floats) -> float:
    """The smallest radius [m] of a polyline's bends; infinity when it is straight.

    Each bend's turn is spread over half of both neighbouring segments.
    """
    if len(points) < 3:
        return math.inf
    steps = np.diff(points[:, :2], axis=0)
    angles = np.arctan2(steps[:, 1], steps[:, 0])
    turns = np.abs(np.angle(np.exp(1j * np.diff(angles))))
    lengths = np.linalg.norm(steps, axis=1)
    spans = 0.5 * (lengths[1:] + lengths[:-1])
    curvature = float((turns / np.maximum(spans, 1e-9)).max())
    return math.inf if curvature < 1e-9 else 1.0 / curvature


def test_a_corner_becomes_an_arc_that_a_car_can_follow():
    rounded, _ = curves.round_corners(CORNER, np.zeros(3, dtype=bool))
    assert least_radius(rounded) == pytest.approx(12.0, rel=0.02)
    assert np.array_equal(rounded[[0, -1]], CORNER[[0, -1]])


def test_a_fixed_corner_stays():
    rounded, rows = curves.round_corners(CORNER, np.array([False, True, False]))
    assert np.array_equal(rounded, CORNER)
    assert rows.tolist() == [0, 1, 2]


def test_long_straights_stay_where_the_map_has_them():
    line = np.array([[0.0, 0.0], [300.0, 0.0], [600.0, 100.0]])
    rounded, _ = curves.round_corners(line, np.zeros(3, dtype=bool))
    assert np.linalg.norm(rounded - line[1], axis=1).min() < 1.0


def test_an_offset_keeps_its_distance():
    rounded, _ = curves.round_corners(CORNER, np.zeros(3, dtype=bool))
    moved = curves.offset(rounded, 2.0)
    gaps = np.linalg.norm(moved[:, None] - curves.resample(rounded, 0.2)[None], axis=2).min(axis=1)
    assert gaps == pytest.approx(2.0, abs=0.05)


def test_an_offset_inside_a_tight_bend_does_not_fold():
    bend = np.array([[0.0, 0.0], [10.0, 0.0], [10.5, 0.5], [10.5, 10.0]])
    moved = curves.offset(bend, 3.0)
    steps = np.diff(moved, axis=0)
    assert (np.einsum("ij,ij->i", steps[:-1], steps[1:]) > -1e-9).all()


@settings(max_examples=100, deadline=None)
@given(st.floats(8.0, 30.0), st.floats(-25.0, 25.0), st.floats(-2.5, 2.5), st.floats(-3.0, 3.0))
@example(8.0, -0.25, -2.0, 0.0)
def test_a_joint_leaves_and_arrives_as_asked(x, y, turn, heading):
    start = np.array([1.0, 2.0])
    end = start + np.array([[math.cos(heading), -math.sin(heading)],
                            [math.sin(heading), math.cos(heading)]]) @ np.array([x, y])  # fmt: skip
    curve = curves.transition(start, heading, end, heading + turn)
    assert np.allclose(curve[[0, -1]], [start, end])
    first = curves.heading_between(curve[0], curve[1])
    last = curves.heading_between(curve[-2], curve[-1])
    assert abs(curves.turn_between(first, heading)) < 0.5
    assert abs(curves.turn_between(last, heading + turn)) < 0.5


def test_a_right_angle_is_joined_by_the_widest_arc():
    curve = curves.transition(np.array([0.0, 0.0]), 0.0, np.array([10.0, 10.0]), math.pi / 2)
    assert least_radius(curve) == pytest.approx(10.0, rel=0.02)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("lanes", [((-20.0, 1.6), (-20.0, -1.6)), ((-19.0, 3.5), (-20.0, 0.0))])
def test_a_turning_loop_leads_from_lane_to_lane(side, lanes):
    start, end = (np.array([x, side * y]) for x, y in lanes)
    loop = curves.turning_loop(start, end, radius=7.0, entry=14.0, side=side)
    assert np.array_equal(loop[[0, -1]], [start, end])
    assert least_radius(loop) > 6.9
    assert curves.heading_between(*loop[:2]) == pytest.approx(0.0, abs=0.06)
    assert abs(curves.heading_between(*loop[-2:])) == pytest.approx(np.pi, abs=0.06)


def test_cutting_keeps_what_lies_between():
    piece = curves.cut(CORNER, 10.0, 50.0)
    assert piece.tolist() == [[10.0, 0.0], [40.0, 0.0], [40.0, 10.0]]


def test_slopes_are_those_of_parabolas_through_neighbours():
    at = np.array([0.0, 1.0, 3.0, 3.5, 7.0])
    values = np.random.default_rng(3).normal(size=5)
    np.testing.assert_allclose(curves.slopes_of(values, at), np.gradient(values, at), rtol=1e-12)
    np.testing.assert_allclose(curves.slopes_of(values[:2], at[:2]), [values[1] - values[0]] * 2)


def test_one_walks_along_a_polyline_to_a_point():
    line = np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 4.0], [3.0, 10.0]])
    for distance, point in ((0.0, [0.0, 0.0]), (2.5, [1.5, 2.0]), (6.0, [3.0, 5.0])):
        assert curves.point_along(line, distance) == pytest.approx(point)
    assert curves.point_along(line, 50.0).tolist() == [3.0, 10.0]
