"""Distances to shapes, against points that are computed from the shapes themselves."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from autosim_testbench.range_finding.plane_shapes import (
    Bounds,
    Ellipse,
    Line,
    Quadratic,
    Shape,
    distance,
)

number = st.floats(-5.0, 5.0)


def meets(shape: Shape, x: float, y: float) -> bool:
    """Whether the ray towards a point of the shape ends on the shape, there or before."""
    there, angle = math.hypot(x, y), math.atan2(y, x)
    found = distance([shape], angle)
    a, b, c = shape.along(math.cos(angle), math.sin(angle))
    size = abs(a) * found**2 + abs(b) * found + abs(c)
    is_on_it = abs(a * found**2 + b * found + c) <= 1e-9 * size
    return is_on_it and found <= there * (1 + 1e-6) + 1e-6


@given(x=number, y=number, angle=st.floats(0.0, math.pi))
def test_the_ray_to_a_point_of_a_line_ends_there(x: float, y: float, angle: float) -> None:
    a, b = math.cos(angle), math.sin(angle)
    c = -(a * x + b * y)
    assume(abs(c) > 0.01)
    found = distance([Line(a, b, c)], math.atan2(y, x))
    assert found == pytest.approx(math.hypot(x, y), rel=1e-9)


@given(x=number, s=number, t=number, u=number, v=number)
def test_the_ray_to_a_point_of_a_parabola_ends_there_or_before(
    x: float, s: float, t: float, u: float, v: float
) -> None:
    assume(min(abs(u), abs(s), abs(x)) > 0.01)
    y = -(s * x * x + t * x + v) / u
    assume(math.hypot(x, y) > 0.01)
    assert meets(Quadratic(s, t, u, v), x, y)


@given(a=st.floats(0.1, 3.0), b=st.floats(0.1, 3.0), h=number, k=number, at=st.floats(0.0, 6.2))
def test_the_ray_to_a_point_of_an_ellipse_ends_there_or_before(
    a: float, b: float, h: float, k: float, at: float
) -> None:
    x, y = h + a * math.cos(at), k + b * math.sin(at)
    assume(math.hypot(x, y) > 0.01)
    assert meets(Ellipse(a, b, h, k), x, y)


def test_known_distances() -> None:
    assert distance([Line(0.0, 1.0, -2.0)], math.pi / 2) == pytest.approx(2.0)
    assert distance([Line(0.0, 1.0, -2.0)], -math.pi / 2) == math.inf, "behind"
    assert distance([Ellipse(1.0, 0.5, 3.0, 0.0)], 0.0) == pytest.approx(2.0)
    assert distance([Ellipse(1.0, 0.5, 0.0, 0.0)], math.pi / 2) == pytest.approx(0.5), "inside"
    assert distance([Quadratic(1.0, 0.0, -1.0, 2.0)], math.pi / 2) == pytest.approx(2.0)


def test_what_lies_outside_of_the_bounds_is_not_there() -> None:
    wall = Line(0.0, 1.0, -2.0, Bounds(x_min=-0.5, x_max=0.5))
    assert distance([wall], math.atan2(2.0, 0.5)) == pytest.approx(math.hypot(2.0, 0.5))
    assert distance([wall], math.atan2(2.0, 0.51)) == math.inf


def test_bounds_may_leave_the_far_side_alone() -> None:
    far = Ellipse(1.0, 1.0, 3.0, 0.0, Bounds(x_min=3.0))
    assert distance([far], 0.0) == pytest.approx(4.0)


def test_the_nearest_shape_counts() -> None:
    assert distance([Line(1.0, 0.0, -3.0), Line(1.0, 0.0, -2.0)], 0.0) == pytest.approx(2.0)
    assert distance([], 0.0) == math.inf
