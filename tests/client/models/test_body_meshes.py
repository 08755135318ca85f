"""Plain bodies as they are drawn: as large as they are, and seen from outside."""

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.models.body_meshes import body_mesh
from autosim.model.quaternions import turn_z_to
from autosim.model.rigid_bodies.rigid_body import homogeneous
from autosim.model.rigid_bodies.shapes import Box, Capsule, Cylinder, PlacedShape, Sphere
from tests.client.coloured_parts import GREEN
from tests.engine.physics.test_shapes import cube

PAINT = (*(round(255 * share) for share in GREEN), 200)


@pytest.mark.parametrize(
    "shape", [Box((1.0, 2.0, 3.0)), Sphere(0.5), Cylinder(0.5, 2.0), Capsule(0.5, 1.0), cube()]
)
def test_a_shape_is_drawn_where_it_is_and_as_large(shape):
    placed = PlacedShape(shape, (1.0, 0.0, 0.5), turn_z_to((0.0, 0.6, 0.8)))
    body = homogeneous(placed, mass=1.0)
    mesh = body_mesh(body, PAINT)
    assert mesh.vertices.min(axis=0) == pytest.approx(body.low, abs=0.01)
    assert mesh.vertices.max(axis=0) == pytest.approx(body.high, abs=0.01)
    assert (mesh.colours == PAINT).all()


@pytest.mark.parametrize(
    "shape", [Box((1.0, 2.0, 3.0)), Sphere(0.5), Cylinder(0.5, 2.0), Capsule(0.5, 1.0), cube()]
)
def test_the_triangles_of_a_shape_are_seen_from_outside(shape):
    mesh = body_mesh(homogeneous(PlacedShape(shape), mass=1.0), PAINT)
    a, b, c = (mesh.vertices[mesh.triangles[:, k]].astype(float) for k in range(3))
    outward = np.cross(b - a, c - a)
    is_flat = np.linalg.norm(outward, axis=1) < 1e-9
    middles = (a + b + c) / 3.0
    assert ((outward * middles).sum(axis=1)[~is_flat] > 0.0).all()
    normals = mesh.normals[mesh.triangles].mean(axis=1)
    assert ((outward * normals).sum(axis=1)[~is_flat] > 0.0).all()
