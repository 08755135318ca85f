"""How far bodies reach, whatever they consist of."""

import numpy as np
import pytest

from autosim.model.quaternions import matrix_of, turn_to_axes
from autosim.model.rigid_bodies.rigid_body import box_body, homogeneous
from autosim.model.rigid_bodies.shapes import Box, Capsule, Cylinder, PlacedShape, Sphere
from tests.engine.physics.test_shapes import cube


def surface(shape):
    """Points (n, 3) of a fine net on a shape."""
    if isinstance(shape, Box):
        return np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * shape.high
    angles, heights = np.meshgrid(np.linspace(0.0, 7.0, 2000), np.linspace(-1.0, 1.0, 301))
    around = np.stack([np.cos(angles), np.sin(angles)], axis=-1).reshape(-1, 2)
    up = heights.reshape(-1, 1)
    if isinstance(shape, Cylinder):
        return np.hstack([shape.radius * around, shape.length / 2.0 * up])
    ball = shape.radius * np.hstack([np.sqrt(1.0 - up**2) * around, up])
    up_to = np.array([0.0, 0.0, shape.length / 2.0 if isinstance(shape, Capsule) else 0.0])
    return np.vstack([ball + up_to, ball - up_to])


@pytest.mark.parametrize(
    "shape", [Box((1.0, 2.0, 3.0)), Sphere(0.5), Cylinder(0.5, 2.0), Capsule(0.5, 1.0)]
)
def test_a_turned_shape_reaches_as_far_as_its_surface(shape):
    turn = turn_to_axes((0.48, 0.6, 0.64), (-0.6, 0.8, 0.0))
    place = np.array([0.3, -0.2, 0.1])
    body = homogeneous(PlacedShape(shape, tuple(place), turn), mass=1.0)
    points = surface(shape) @ matrix_of(turn).T + place
    assert body.low == pytest.approx(points.min(axis=0), abs=1e-4)
    assert body.high == pytest.approx(points.max(axis=0), abs=1e-4)
    assert body.reach >= np.linalg.norm(points, axis=1).max() - 1e-9


def test_a_turned_mesh_reaches_as_far_as_its_corners():
    turn = turn_to_axes((0.0, 0.6, 0.8), (0.0, -0.8, 0.6))
    body = homogeneous(PlacedShape(cube(), orientation=turn), mass=1.0)
    assert body.high == pytest.approx((0.5, 0.7, 0.7))


def test_the_faces_of_a_body_are_those_of_its_box():
    assert box_body((2.0, 3.0, 4.0), 1.0).faces == pytest.approx((12.0, 8.0, 6.0))
