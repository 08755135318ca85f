"""Rays against the shapes of bodies: where they end is on the surface, and never inside before."""

import numpy as np
import pytest

from autosim.kinds.banks import BankContext, MountedDevice
from autosim.kinds.sensors.ranging.psd import PSDBank, PSDSensor
from autosim.model.bodies import BodyStates, rotation_matrices
from autosim.model.quaternions import turn_z_to
from autosim.model.rigid_bodies.rigid_body import RigidBody, homogeneous
from autosim.model.rigid_bodies.shapes import Box, Capsule, Cylinder, MeshShape, PlacedShape, Sphere
from autosim.model.tree import TreeNode
from autosim.rays.caster import RayCaster
from autosim.rays.ray_scene import RayScene
from autosim.world.geometry.map_projection import MapProjection
from tests.engine.physics.test_shapes import STEP, body, cube
from tests.vehicle.rig import grid

LEVEL = (0.0, 0.0, 0.0, 1.0)


def cast(described: RigidBody, origin, end, *, place=(0.0, 0.0, 0.0), turn=LEVEL) -> float:
    """The share of a ray's way up to a body."""
    start, way = np.array(origin, dtype=np.float64), np.subtract(end, origin).astype(np.float64)
    return cast_at([described], [place], [turn], start, way)


def cast_at(described, places, turns, origin, way) -> float:
    """The same by the kernel of a distance sensor, which stands on a robot of its own."""
    reach = float(np.linalg.norm(way))
    if reach == 0.0:
        return 1.0
    sensor = PSDSensor("psd", "part", position=(0, 0, 0), direction=tuple(way), range=reach)
    eye = body(Sphere(1e-3))
    caster = RayCaster(RayScene(()), [eye, *described], np.arange(1 + len(described)))
    context = BankContext(STEP, 0, MapProjection((0.0, 0.0)), rays=caster)
    bank = PSDBank([MountedDevice(TreeNode("psd", "PSDSensor"), sensor, 0)], context)
    states = BodyStates(1 + len(described))
    states.positions[:] = [origin, *places]
    states.orientations[:] = [LEVEL, *turns]
    states.update_rotations()
    return float(bank.measure(states)[0]) / reach


@pytest.mark.parametrize(
    ("shape", "origin", "end", "distance"),
    [
        (Sphere(0.5), (-2, 0, 0), (2, 0, 0), 1.5),
        (Sphere(0.5), (-2, 0.3, 0), (2, 0.3, 0), 1.6),
        (Cylinder(0.5, 2.0), (-2, 0.3, 0.9), (2, 0.3, 0.9), 1.6),
        (Cylinder(0.5, 2.0), (0.1, 0.2, 3), (0.1, 0.2, -1), 2.0),
        (Cylinder(0.5, 2.0), (-2, 0, 1.1), (2, 0, 1.1), 4.0),
        (Capsule(0.5, 2.0), (0, 0, 3), (0, 0, -1), 1.5),
        (Capsule(0.5, 2.0), (-2, 0, 1.3), (2, 0, 1.3), 1.6),
        (Capsule(0.5, 2.0), (-2, 0.3, 0.2), (2, 0.3, 0.2), 1.6),
        (cube(), (-2, 0.1, 0.2), (2, 0.1, 0.2), 1.5),
    ],
)
def test_distances_are_exact(shape, origin, end, distance):
    assert cast(body(shape), origin, end) * 4.0 == pytest.approx(distance, abs=1e-12)


@pytest.mark.parametrize(
    "shape", [Box((1.0, 1.0, 1.0)), Sphere(0.5), Cylinder(0.5, 1.0), Capsule(0.5, 1.0), cube()]
)
def test_a_ray_from_inside_a_solid_meets_it_at_once(shape):
    assert cast(body(shape), (0.1, 0.1, 0.1), (3, 0, 0)) == 0.0
    assert cast(body(shape), (0.1, 0.1, 0.1), (0.2, 0.1, 0.1)) in (0.0, 1.0)
    assert cast(body(shape), (3, 3, 3), (3, 3, 3)) == 1.0


def depth(shape, points):
    """How far [m] points (n, 3) are inside a round shape, negative outside."""
    across, up = np.hypot(points[:, 0], points[:, 1]), np.abs(points[:, 2])
    if isinstance(shape, Cylinder):
        return np.minimum(shape.radius - across, shape.length / 2.0 - up)
    half = shape.length / 2.0 if isinstance(shape, Capsule) else 0.0
    return shape.radius - np.hypot(across, np.maximum(up - half, 0.0))


@pytest.mark.parametrize("shape", [Sphere(0.8), Cylinder(0.6, 1.5), Capsule(0.5, 1.1)])
def test_rays_at_round_bodies_end_on_their_surface(shape):
    random = np.random.default_rng(5)
    axis = np.array([0.6, 0.0, 0.8])
    place, turn = np.array([0.3, 0.1, -0.2]), (0.5, 0.5, -0.5, 0.5)
    described = homogeneous(PlacedShape(shape, (0.4, 0.0, 0.1), turn_z_to(tuple(axis))), mass=1.0)
    R = rotation_matrices(np.array([turn]))[0] @ rotation_matrices(np.array([turn_z_to(axis)]))[0]
    centre = place + rotation_matrices(np.array([turn]))[0] @ [0.4, 0.0, 0.1]
    met = 0
    for origin, end in zip(*random.uniform(-3.0, 3.0, (2, 300, 3)), strict=True):
        share = cast(described, origin, end, place=place, turn=turn)
        along = np.linspace(0.0, 1.0, 300)[:, None] * (end - origin) + origin
        inside = depth(shape, (along - centre) @ R)
        assert (inside[np.linspace(0.0, 1.0, 300) < share] < 1e-9).all()
        if share < 1.0:
            met += 1
            (at,) = depth(shape, ((origin + share * (end - origin) - centre) @ R)[None])
            assert at == pytest.approx(0.0, abs=1e-9) or share == 0.0
    assert 20 < met < 280


def test_the_first_shape_of_a_compound_is_met():
    shapes = [PlacedShape(Sphere(0.5), (x, 0.0, 0.0)) for x in (-2.0, 0.0, 2.0)]
    compound = homogeneous(*shapes, mass=1.0)
    assert cast(compound, (-5, 0, 0), (5, 0, 0)) == pytest.approx(0.25)
    assert cast(compound, (5, 0, 0), (-5, 0, 0)) == pytest.approx(0.25)
    assert cast(compound, (1, -1, 0), (1, 1, 0)) == 1.0


def test_rays_meet_the_triangles_of_several_meshes_each_in_its_place():
    vertices, triangles = grid(lambda x, y: 0.1 * x * y, half=2.0, spacing=0.1)
    sheet = body(MeshShape(vertices, triangles, is_convex=False), motion="static")
    bodies = [sheet, body(cube()), sheet]
    places = [(0.0, 0.0, 1.0), (10.0, 0.0, 0.0), (20.0, 0.0, 5.0)]
    for x, y, expected in ((1.0, 1.0, 1.1), (10.2, 0.1, 0.5), (21.0, -1.0, 4.9)):
        share = cast_at(bodies, places, [LEVEL] * 3, (x + 1e-3, y + 1e-3, 9.0), (0.0, 0.0, -10.0))
        assert 9.0 - 10.0 * share == pytest.approx(expected, abs=2e-3)
