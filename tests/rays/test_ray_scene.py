"""Rays against meshes: what they meet, and that they agree with PyBullet and with Embree."""

from dataclasses import replace

import numpy as np
import pytest
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene

from autosim.engine.physics.bullet.bullet_engine import BulletEngine
from autosim.rays import hierarchy
from autosim.rays.ray_scene import RayScene
from autosim.rays.traversal import NOTHING
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.meshes import Mesh
from tests.server.boxes import cast as cast_by_pybullet
from tests.server.boxes import house
from tests.vehicle.rig import grid
from tests.worlds import flat_world

DOWN = np.array([0.0, 0.0, -1.0])


def mesh_of(vertices, triangles) -> Mesh:
    return Mesh(
        np.array(vertices, dtype=np.float64),
        np.array(triangles, dtype=np.int32),
        np.zeros(len(triangles), dtype=np.uint8),
    )


SQUARE = mesh_of(
    [[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]],
    [[0, 1, 2], [0, 2, 3]],
)


def hilly(x, y):
    return 6.0 * np.sin(x / 23.0) * np.cos(y / 17.0)


@pytest.fixture(scope="module")
def country():
    """Hills of 80 000 triangles, and houses on them."""
    hills = mesh_of(*grid(hilly, half=200.0, spacing=2.0))
    random = np.random.default_rng(2)
    houses = [house(*place, side=12.0) for place in random.uniform(-190.0, 170.0, (60, 2))]
    return [hills, *houses]


def rays_in(country, count=20_000, *, seed=0):
    random = np.random.default_rng(seed)
    origins = random.uniform([-200.0, -200.0, -3.0], [200.0, 200.0, 20.0], (count, 3))
    ways = random.normal([0.0, 0.0, -0.3], [1.0, 1.0, 0.3], (count, 3))
    lengths = 10.0 ** random.uniform(0.0, 2.5, (count, 1))
    return origins, origins + lengths * ways / np.linalg.norm(ways, axis=1, keepdims=True)


def cast_one(meshes, origin, end):
    (fraction,), (normal,), (number,) = RayScene(meshes).cast(
        np.array([origin], dtype=np.float64), np.array([end], dtype=np.float64)
    )
    return fraction, normal.tolist(), number


def test_a_ray_ends_where_it_meets_a_triangle():
    assert cast_one([SQUARE], (1, 2, 3), (1, 2, -9)) == (0.25, [0.0, 0.0, 1.0], 1)


def test_triangles_are_met_from_behind_and_the_normal_looks_back():
    fraction, normal, _ = cast_one([SQUARE], (1, 2, -3), (1, 2, 9))
    assert (fraction, normal) == (0.25, [0.0, 0.0, -1.0])


def test_triangles_are_numbered_from_mesh_to_mesh():
    above = mesh_of(SQUARE.vertices - 5.0 * DOWN, SQUARE.triangles)
    assert cast_one([SQUARE, above], (1, -2, 9), (1, -2, -9))[2] == 2
    assert cast_one([SQUARE, above], (1, -2, 4), (1, -2, -9))[2] == 0


@pytest.mark.parametrize(
    ("origin", "end"),
    [
        ((0, 0, 3), (0, 0, 1)),  # ends above
        ((30, 0, 3), (30, 0, -3)),  # passes beside
        ((1, 2, 3), (1, 2, 3)),  # has no length
        ((1, 2, 0), (1, 2, -5)),  # begins on it
        ((1, 2, 5), (1, 2, 0)),  # ends on it
        ((-20, 1, 0), (20, 1, 0)),  # lies in it
        ((np.nan, 2, 5), (1, 2, -5)),
        ((1, 2, 5), (1, np.inf, -5)),
        ((1, 2, 1e308), (1, 2, -1e308)),
    ],
)
def test_a_ray_that_meets_nothing_has_its_whole_length(origin, end):
    assert cast_one([SQUARE], origin, end) == (1.0, [0.0, 0.0, 0.0], NOTHING)


def test_without_meshes_there_is_nothing():
    nothing = mesh_of(np.zeros((0, 3)), np.zeros((0, 3)))
    assert cast_one([], (0, 0, 1), (0, 0, -1))[0] == 1.0
    assert cast_one([nothing], (0, 0, 1), (0, 0, -1))[0] == 1.0
    assert len(RayScene([SQUARE]).cast(np.zeros((0, 3)), np.zeros((0, 3)))[0]) == 0


def test_triangles_without_area_are_not_met():
    line = mesh_of([[0, 0, 0], [4, 0, 0], [8, 0, 0], [5, 5, 5]], [[0, 1, 2], [3, 3, 3]])
    assert cast_one([line], (4, 0, 3), (4, 0, -3))[0] == 1.0
    assert cast_one([line], (5, 5, 9), (5, 5, -3))[0] == 1.0
    assert cast_one([line, SQUARE], (4, 0, 3), (4, 0, -3))[0] == 0.5


@pytest.mark.parametrize("shift", [0.0, 1234.567])
def test_no_ray_slips_between_triangles_that_share_an_edge_or_a_corner(shift):
    vertices, triangles = grid(hilly, half=60.0, spacing=1.7)
    scene = RayScene([mesh_of(vertices + shift, triangles)])
    random = np.random.default_rng(4)
    inner = triangles[(np.abs(vertices[triangles, :2]) < 55.0).all(axis=(1, 2))]
    chosen = inner[random.integers(0, len(inner), 100_000)]
    a, b = vertices[chosen[:, 0]], vertices[chosen[:, 1]]
    shares = random.uniform(size=(100_000, 1))
    shares[:20_000] = 0.0  # right at a corner
    aims = a + shares * (b - a) + shift
    origins = aims - 30.0 * DOWN
    origins[::2] += random.uniform(-20.0, 20.0, (50_000, 3))
    fractions, _, _ = scene.cast(origins, origins + 2.0 * (aims - origins))
    assert (fractions < 0.5 + 1e-9).all()


def test_rays_agree_with_pybullets(country):
    origins, ends = rays_in(country, 5_000)
    with BulletEngine(step_seconds=1.0, gravity=0.0) as physics:
        for mesh in country:
            physics.add_static(physics.make_shape(mesh.vertices, mesh.triangles))
        fractions, normals = cast_by_pybullet(physics, origins, ends)
    found, found_normals, _ = RayScene(country).cast(origins, ends)
    gaps = np.abs(found - fractions) * np.linalg.norm(ends - origins, axis=1)
    # PyBullet's triangles are a ten-thousandth larger than they are.
    near = gaps < 1e-4
    assert near.mean() > 0.999
    met = near & (found < 1.0)
    assert met.sum() > 1_000
    same = (found_normals[met] * normals[met]).sum(axis=1) > 1.0 - 1e-6
    assert same.mean() > 0.999


def test_rays_agree_with_embrees(country):
    origins, ends = rays_in(country)
    embree = EmbreeScene()
    for mesh in country:
        TriangleMesh(embree, mesh.vertices.astype(np.float32), mesh.triangles)
    ways = (ends - origins).astype(np.float32)
    distances = embree.run(origins.astype(np.float32), ways, query="DISTANCE")
    fractions, _, _ = RayScene(country).cast(origins, ends)
    gaps = np.abs(fractions - np.minimum(distances, 1.0)) * np.linalg.norm(ends - origins, axis=1)
    assert (gaps < 1e-3).mean() > 0.9995
    assert 0.3 < (fractions < 1.0).mean() < 0.9


def test_what_rays_meet_does_not_depend_on_what_others_met_before(country):
    origins, ends = rays_in(country, 3_000)
    whole = [each.tobytes() for each in RayScene(country).cast(origins, ends)]
    scene = RayScene(country)
    backwards = [scene.cast(origins[k : k + 1], ends[k : k + 1]) for k in range(2_999, -1, -1)]
    parts = zip(*reversed(backwards), strict=True)
    assert [np.concatenate(part).tobytes() for part in parts] == whole


def test_only_what_rays_come_near_is_put_in_order(country):
    scene = RayScene(country)
    corners = scene.hierarchy.used
    assert corners[1] == 0
    scene.cast(np.array([[100.0, 100.0, 50.0]]), np.array([[100.0, 100.0, -50.0]]))
    assert 0 < corners[1] <= 4 * hierarchy.CHUNK_TRIANGLES


def test_worlds_are_cast_at_as_their_meshes_are(country):
    bounds = (-200.0, -200.0, 200.0, 200.0)
    world = sort_into_tiles(
        replace(flat_world(), ground=country[0], buildings=country[1], bounds=bounds)
    )
    origins, ends = rays_in(country, 2_000)
    alone = RayScene(country[:2]).cast(origins, ends)
    tiled = RayScene.of(world).cast(origins, ends)
    assert tiled[0].tobytes() == alone[0].tobytes()
    ground = tiled[2] < len(world.ground.triangles)
    assert np.array_equal(ground, alone[2] < len(world.ground.triangles))
