"""Lenses: against OpenCV's formulas as its reference states them, and back again."""

from math import atan, radians, sqrt, tan

import numpy as np
import pytest

from autosim.kinds.sensors.perception.lens import WIDEST, Lens

BARREL = (-0.28, 0.07, 0.0012, -0.0008, -0.006)
PINCUSHION = (0.12, 0.03, 0.0, 0.0, 0.0)
KANNALA_BRANDT = (0.02, -0.006, 0.003, -0.0005)


def opencv_brown_conrady(x, y, k1, k2, p1, p2, k3):
    """The reference of calib3d: x'' and y'' of x' and y'."""
    r = sqrt(x**2 + y**2)
    radial = 1 + k1 * r**2 + k2 * r**4 + k3 * r**6
    return (
        x * radial + 2 * p1 * x * y + p2 * (r**2 + 2 * x**2),
        y * radial + p1 * (r**2 + 2 * y**2) + 2 * p2 * x * y,
    )


def opencv_fisheye(a, b, k1, k2, k3, k4):
    """The reference of fisheye: x' and y' of a = x/z and b = y/z."""
    r = sqrt(a**2 + b**2)
    theta = atan(r)
    theta_d = theta * (1 + k1 * theta**2 + k2 * theta**4 + k3 * theta**6 + k4 * theta**8)
    return (theta_d / r) * a, (theta_d / r) * b


DIRECTIONS = np.array([(0.3, 0.1), (-0.5, 0.4), (0.01, -0.6), (0.7, 0.5), (-0.2, -0.2)])


@pytest.mark.parametrize("coefficients", [BARREL, PINCUSHION])
def test_brown_and_conrady_s_lens_is_opencv_s(coefficients):
    lens = Lens.of(fov=1.0, size=(640, 480), brown_conrady=coefficients)
    expected = [opencv_brown_conrady(x, y, *coefficients) for x, y in DIRECTIONS]
    np.testing.assert_allclose(lens.distorted(DIRECTIONS), expected, rtol=1e-12)
    focal = 240.0 / tan(0.5)
    middles = np.array([320.0, 240.0]) + focal * np.array(expected)
    np.testing.assert_allclose(lens.pixels(DIRECTIONS), middles, rtol=1e-12)


def test_the_fisheye_is_opencv_s():
    lens = Lens.of(fov=2.0, size=(640, 480), fisheye=KANNALA_BRANDT)
    expected = [opencv_fisheye(x, y, *KANNALA_BRANDT) for x, y in DIRECTIONS]
    np.testing.assert_allclose(lens.distorted(DIRECTIONS), expected, rtol=1e-12)


def test_a_fisheye_s_field_of_view_is_from_edge_to_edge():
    lens = Lens.of(fov=radians(140.0), size=(640, 480), fisheye=KANNALA_BRANDT)
    ((x, y),) = lens.directions(np.array([[320.0, 0.0]]))
    assert (x, atan(-y)) == pytest.approx((0.0, radians(70.0)))


@pytest.mark.parametrize(
    "options",
    [
        {"fov": 1.0},
        {"fov": 1.0, "brown_conrady": BARREL},
        {"fov": 1.0, "brown_conrady": PINCUSHION},
        {"fov": 1.6, "fisheye": KANNALA_BRANDT},
        {"fov": 1.6, "fisheye": (0.0, 0.0, 0.0, 0.0)},
    ],
)
def test_a_pixel_shows_the_direction_that_is_shown_there(options):
    lens = Lens.of(size=(64, 48), **options)
    u, v = np.meshgrid(np.arange(64) + 0.5, np.arange(48) + 0.5)
    pixels = np.column_stack([u.ravel(), v.ravel()])
    np.testing.assert_allclose(lens.pixels(lens.directions(pixels)), pixels, atol=1e-6)


def test_beyond_its_widest_angle_a_lens_shows_nothing():
    lens = Lens.of(fov=radians(170.0), size=(480, 480), fisheye=(0.0, 0.0, 0.0, 0.0))
    v = np.arange(480) + 0.5
    ways = lens.directions(np.column_stack([np.full(480, 240.0), v]))
    angles = np.abs(v - 240.0) / lens.focal
    np.testing.assert_array_equal(np.isnan(ways[:, 0]), angles > WIDEST)


def test_where_a_lens_would_fold_the_picture_it_shows_nothing():
    """A strong barrel shows no more than 0.667 × the radius 1.0 at which r (1 - r²/3) turns."""
    lens = Lens.of(fov=1.0, size=(640, 480), brown_conrady=(-1.0 / 3.0, 0.0, 0.0, 0.0, 0.0))
    radii = np.array([0.3, 0.6, 0.66, 0.68, 0.9])
    pixels = np.column_stack([320.0 + lens.focal * radii, np.full(5, 240.0)])
    ways = lens.directions(pixels)
    assert np.isnan(ways[:, 0]).tolist() == [False, False, False, True, True]
    assert (ways[:3, 0] < 1.0).all()
