"""Reference lines against closed forms."""

import numpy as np
import pytest
from scipy.special import fresnel

from autosim.arrays import Floats
from autosim.world.opendrive.plan_view import clothoid, plan_points
from autosim.world.opendrive.xodr_records import PlanPieces, PlanShape


def pieces(shape: PlanShape, length: float, *parameters: float, normalized: int = 1) -> PlanPieces:
    """A line of one piece that begins at (10, 20) with the heading 0.5."""
    table = np.zeros((1, 8))
    table[0, : len(parameters)] = parameters
    return PlanPieces(
        starts=np.zeros(1),
        lengths=np.array([length]),
        poses=np.array([[10.0, 20.0, 0.5]]),
        shapes=np.array([int(shape)]),
        parameters=table,
        normalized=np.array([normalized]),
    )


def in_frame(points: Floats) -> Floats:
    """Points of W in the frame of `pieces`."""
    c, s = np.cos(0.5), np.sin(0.5)
    return np.asarray((points - (10.0, 20.0)) @ np.array([[c, -s], [s, c]]))


def test_a_clothoid_is_that_of_fresnel_integrals() -> None:
    s = np.linspace(0.0, 300.0, 61)
    length, end = 300.0, 0.3
    points, headings, curvatures = clothoid(s, np.zeros(61), np.full(61, end), np.full(61, length))
    scale = np.sqrt(np.pi * length / end)
    sines, cosines = fresnel(s / scale)
    assert np.abs(points - scale * np.column_stack([cosines, sines])).max() < 1e-11
    assert headings == pytest.approx(0.5 * end / length * s * s)
    assert curvatures[-1] == pytest.approx(end)


def test_a_clothoid_that_begins_bent_continues_one_that_does_not() -> None:
    whole, _, _ = clothoid(np.array([100.0]), np.zeros(1), np.array([0.02]), np.array([100.0]))
    half, turned, _ = clothoid(np.array([40.0]), np.zeros(1), np.array([0.02]), np.array([100.0]))
    rest, _, _ = clothoid(np.array([60.0]), np.array([0.008]), np.array([0.02]), np.array([60.0]))
    c, s = np.cos(turned[0]), np.sin(turned[0])
    joined = half[0] + np.array([[c, -s], [s, c]]) @ rest[0]
    assert joined == pytest.approx(whole[0], abs=1e-12)


@pytest.mark.parametrize("curvature", [0.05, -0.05, 1e-14, 0.0])
def test_an_arc_is_a_circle_and_a_straight_one_a_line(curvature: float) -> None:
    s = np.linspace(0.0, 40.0, 9)
    found = plan_points(pieces(PlanShape.ARC, 40.0, curvature, curvature), s)
    local = in_frame(found.points)
    if abs(curvature) < 1e-9:
        assert local == pytest.approx(np.column_stack([s, 0.0 * s]), abs=1e-9)
    else:
        radius = 1.0 / curvature
        wanted = radius * np.column_stack([np.sin(s / radius), 1.0 - np.cos(s / radius)])
        assert local == pytest.approx(wanted, abs=1e-12)
    assert found.headings == pytest.approx(0.5 + curvature * s)


def test_a_parametric_cubic_has_its_arc_length_as_station() -> None:
    # A curve that is far from having an even speed.
    u, v = (0.0, 10.0, 30.0, 0.0), (0.0, 0.0, 12.0, -4.0)
    p = np.linspace(0.0, 1.0, 200_001)
    curve = np.column_stack([sum(c * p**k for k, c in enumerate(each)) for each in (u, v)])
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
    s = np.linspace(0.0, lengths[-1], 30)
    found = plan_points(pieces(PlanShape.PARAM_POLY3, lengths[-1], *u, *v), s)
    wanted = np.column_stack([np.interp(s, lengths, curve[:, k]) for k in (0, 1)])
    assert np.abs(in_frame(found.points) - wanted).max() < 1e-6


def test_both_ranges_of_the_parameter_give_one_curve() -> None:
    s = np.linspace(0.0, 50.0, 20)
    unit = pieces(PlanShape.PARAM_POLY3, 50.0, 0, 50.0, 0, 0, 0, 0, 5.0, -2.0)
    by_length = pieces(
        *(PlanShape.PARAM_POLY3, 50.0, 0, 1.0, 0, 0, 0, 0, 5.0 / 2500.0, -2.0 / 125000.0),
        normalized=0,
    )
    assert plan_points(unit, s).points == pytest.approx(plan_points(by_length, s).points, abs=1e-9)


def test_a_cubic_of_the_local_axis_is_as_long_as_it_says() -> None:
    found = plan_points(pieces(PlanShape.POLY3, 30.0, 0, 1, 0, 0, 0, 0, 0.02, 0), np.array([30.0]))
    x, y = in_frame(found.points)[0]
    assert y == pytest.approx(0.02 * x * x, abs=1e-9)
    # The length of a parabola up to x, in closed form.
    a = 0.04 * x
    assert pytest.approx((a * np.sqrt(1 + a * a) + np.arcsinh(a)) / 0.08, abs=1e-6) == 30.0


def test_a_line_goes_on_straight_beyond_its_end() -> None:
    found = plan_points(pieces(PlanShape.ARC, 10.0, 0.1, 0.1), np.array([10.0, 12.0]))
    ahead = np.array([np.cos(1.5), np.sin(1.5)])
    assert found.points[1] - found.points[0] == pytest.approx(2.0 * ahead)
