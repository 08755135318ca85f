"""Mass, centre of mass and inertia of bodies."""

import numpy as np
import pytest

from autosim.model.quaternions import matrix_of, turn_to_axes, turn_z_to
from autosim.model.rigid_bodies.mass import mass_properties
from autosim.model.rigid_bodies.shapes import Box, Capsule, Cylinder, MeshShape, PlacedShape, Sphere


def inside(shape, points):
    if isinstance(shape, Box):
        return (np.abs(points) <= shape.high).all(axis=1)
    across = np.hypot(points[:, 0], points[:, 1])
    if isinstance(shape, Cylinder):
        return (across <= shape.radius) & (np.abs(points[:, 2]) <= shape.length / 2.0)
    half = shape.length / 2.0 if isinstance(shape, Capsule) else 0.0
    beyond = np.maximum(np.abs(points[:, 2]) - half, 0.0)
    return np.hypot(across, beyond) <= shape.radius


def sampled(shape):
    """Volume, and inertia of a kilogram, by counting points of a fine grid."""
    low, high = np.array(shape.low), np.array(shape.high)
    shares = (np.arange(120) + 0.5) / 120.0
    ticks = (low + shares[:, None] * (high - low)).T
    points = np.stack(np.meshgrid(*ticks), axis=-1).reshape(-1, 3)
    within = points[inside(shape, points)]
    volume = np.prod(high - low) * len(within) / len(points)
    squares = (within**2).mean(axis=0)
    return volume, squares.sum() - squares


@pytest.mark.parametrize(
    "shape", [Box((1.0, 2.0, 3.0)), Sphere(0.7), Cylinder(0.5, 2.0), Capsule(0.5, 1.2)]
)
def test_volume_and_inertia_are_those_of_a_homogeneous_solid(shape):
    volume, moments = sampled(shape)
    assert shape.volume == pytest.approx(volume, rel=0.01)
    assert shape.moments(1.0) == pytest.approx(moments, rel=0.01)


def test_the_inertia_of_two_halves_is_that_of_the_whole():
    halves = [PlacedShape(Box((1.0, 1.0, 1.0)), (x, 0.0, 0.0)) for x in (0.5, 1.5)]
    whole = mass_properties([PlacedShape(Box((2.0, 1.0, 1.0)), (1.0, 0.0, 0.0))], 6.0)
    both = mass_properties(halves, 6.0)
    assert both.centre_of_mass == pytest.approx(whole.centre_of_mass)
    assert both.moments == pytest.approx(whole.moments)
    assert both.products == whole.products == (0.0, 0.0, 0.0)


def test_the_inertia_of_a_turned_shape_turns_with_it():
    turn = turn_to_axes((0.6, 0.8, 0.0), (0.0, 0.0, 1.0))
    turned = mass_properties([PlacedShape(Box((3.0, 1.0, 0.5)), orientation=turn)], 5.0)
    moments, axes = turned.principal()
    R = matrix_of(axes)
    (xx, yy, zz), (xy, xz, yz) = turned.moments, turned.products
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    assert R @ np.diag(moments) @ R.T == pytest.approx(tensor)
    assert sorted(moments) == pytest.approx(sorted(Box((3.0, 1.0, 0.5)).moments(5.0)))
    assert np.linalg.det(R) == pytest.approx(1.0)


def test_an_axis_is_turned_to_either_end():
    for axis in ((0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, 0.6, -0.8)):
        z = matrix_of(turn_z_to(axis))[:, 2]
        assert abs(z @ axis) == pytest.approx(1.0)


def test_a_hull_has_the_inertia_of_its_solid():
    corners = np.array([(x, y, z) for x in (0, 2) for y in (0, 1) for z in (0, 3)], dtype=float)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [each for a, b, c, d in faces for each in ((a, b, c), (a, c, d))]
    hull = MeshShape(corners, np.array(triangles, dtype=np.int32), is_convex=True)
    properties = mass_properties([PlacedShape(hull)], 6.0)
    assert properties.centre_of_mass == pytest.approx((1.0, 0.5, 1.5))
    assert properties.moments == pytest.approx(Box((2.0, 1.0, 3.0)).moments(6.0))


def test_what_is_given_holds():
    given = mass_properties(
        [PlacedShape(Sphere(1.0))], 2.0, centre_of_mass=(0.1, 0.0, 0.0), moments=(1.0, 2.0, 3.0)
    )
    assert given.centre_of_mass == (0.1, 0.0, 0.0)
    assert given.moments == (1.0, 2.0, 3.0)
