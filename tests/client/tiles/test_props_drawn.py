"""Props, decals and obstacles as they are drawn."""

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.materials.palette import DECAL_COLOURS
from autosim.client.tiles.ground.decals import decal_mesh
from autosim.client.tiles.obstacle_meshes import obstacle_meshes
from autosim.client.tiles.prop_shapes import prop_shape
from autosim.client.tiles.props import instances
from autosim.world.compiled.compiled_world import PropKind, Props
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.scenery.barriers import boxes


def props(count, kind=PropKind.BROADLEAF):
    positions = np.column_stack([10.0 * np.arange(count), np.zeros(count), np.ones(count)])
    yaws, heights = np.linspace(0.0, 3.0, count), np.linspace(4.0, 8.0, count)
    return Props(np.full(count, kind, dtype=np.uint8), positions, yaws, heights)


@pytest.mark.parametrize("kind", list(PropKind))
def test_shapes_are_small_and_smaller_from_afar(kind):
    near, far = prop_shape(kind, is_near=True), prop_shape(kind, is_near=False)
    most = {PropKind.BROADLEAF: 170, PropKind.PARKED_CAR: 120, PropKind.PARKED_VAN: 120}
    assert len(near.triangles) <= most.get(kind, 80)
    assert far is None or len(far.triangles) < len(near.triangles)
    assert near.vertices[:, 2].min() >= -0.01
    assert 0.9 <= near.vertices[:, 2].max() <= 1.01
    assert np.linalg.norm(near.normals, axis=1) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("kind", [PropKind.BROADLEAF, PropKind.CONIFER])
def test_crowns_look_outwards(kind):
    for is_near in (True, False):
        mesh = prop_shape(kind, is_near=is_near)
        a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
        faces = np.cross(b - a, c - a)
        volume = np.einsum("ij,ij->i", a, faces).sum() / 6.0
        assert volume > 0.01


def test_each_prop_is_drawn_in_its_place_and_height():
    some = props(3)
    shape = prop_shape(PropKind.BROADLEAF, is_near=True)
    mesh = instances(shape, some, np.arange(3))
    assert len(mesh.triangles) == 3 * len(shape.triangles)
    corners = mesh.vertices.reshape(3, -1, 3)
    assert corners[:, :, 2].min(axis=1) == pytest.approx([1.0, 1.0, 1.0], abs=0.05)
    assert corners[:, :, 2].max(axis=1) - 1.0 == pytest.approx(some.heights, rel=0.02)
    assert np.abs(corners[:, :, 0].mean(axis=1) - some.positions[:, 0]).max() < 0.5
    assert mesh.triangles.max() == len(mesh.vertices) - 1


def test_neighbouring_trees_differ_in_colour():
    shape = prop_shape(PropKind.BROADLEAF, is_near=True)
    colours = instances(shape, props(4), np.arange(4)).colours.reshape(4, -1, 4)[:, 0]
    assert len(np.unique(colours, axis=0)) == 4


def test_decals_have_the_colours_of_their_surfaces():
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])
    mesh = Mesh(
        np.vstack([square, square + 5.0]),
        np.array([[0, 1, 2], [4, 5, 6]], dtype=np.int32),
        np.array([Surface.PAINT, Surface.PAINT_YELLOW], dtype=np.uint8),
    )
    drawn = decal_mesh(mesh)
    assert drawn.colours[0].tolist() == list(DECAL_COLOURS[Surface.PAINT])
    assert drawn.colours[5].tolist() == list(DECAL_COLOURS[Surface.PAINT_YELLOW])
    assert (drawn.normals[:, 2] == 1.0).all()


def test_walls_are_drawn_without_their_undersides_and_stems_not_at_all():
    plan = np.array([[[0, 0], [4, 0], [4, 0.3], [0, 0.3]]], dtype=float)
    low, high = np.zeros((1, 4)), np.full((1, 4), 2.0)
    wall = obstacle_meshes(boxes(plan, low=low, high=high, surface=Surface.MASONRY))
    assert len(wall[Surface.MASONRY].triangles) == 10
    assert obstacle_meshes(boxes(plan, low=low, high=high, surface=Surface.STEM)) == {}


@pytest.mark.parametrize("is_near", [True, False])
def test_a_hedge_is_seen_from_all_sides(is_near):
    hedge = prop_shape(PropKind.HEDGE, is_near=is_near)
    corners = hedge.vertices[hedge.triangles].astype(float)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outwards = corners.mean(axis=1) - (0.0, 0.0, 0.4)
    outwards[:, 1] *= 0.3
    assert (np.einsum("ij,ij->i", normals, outwards) > 0.0).all()
