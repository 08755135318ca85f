"""From compiled meshes to drawn ones."""

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.materials.surface_meshes import ground_meshes
from autosim.client.materials.surfaces import surface_looks
from autosim.client.materials.textures import surface_texture, tileable_noise
from autosim.client.tiles.building_meshes import building_meshes
from autosim.world.geometry.meshes import Surface
from tests.client.synthetic_town import HALF, KERB, building_mesh, ground_mesh


def area(mesh):
    a, b, c = (mesh.vertices[mesh.triangles[:, i]].astype(float) for i in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2


def test_every_surface_of_the_ground_is_drawn_with_all_its_area():
    drawn = ground_meshes(ground_mesh(), surface_looks())
    assert set(drawn) == {
        Surface.GROUND,
        Surface.CARRIAGEWAY,
        Surface.PAVEMENT,
        Surface.KERB,
        Surface.PARK,
    }
    assert area(drawn[Surface.CARRIAGEWAY]) == pytest.approx(2 * HALF * 8.0)
    assert area(drawn[Surface.KERB]) == pytest.approx(2 * 2 * HALF * KERB)


def test_flat_ground_looks_up_and_kerbs_look_at_the_street():
    drawn = ground_meshes(ground_mesh(), surface_looks())
    assert drawn[Surface.PARK].normals[:, 2].min() == pytest.approx(1.0)
    kerb = drawn[Surface.KERB]
    assert (kerb.normals[:, 1] * kerb.vertices[:, 1] < 0).all()


def test_walls_carry_whole_windows_and_whole_storeys():
    wall = building_meshes(building_mesh([(0.0, 0.0, 10.0, 7.0, 9.2)]))[Surface.WALL]
    assert np.abs(wall.normals[:, 2]).max() < 0.5, "nobody sees the floor"
    for normal, bays in (((0, 1), 3), ((1, 0), 2)):
        at = wall.normals[:, :2] @ np.array(normal) > 0.9
        extent = np.ptp(wall.uvs[at], axis=0)
        assert extent.tolist() == pytest.approx([bays, 3], abs=1e-5)


def test_a_narrow_wall_shows_plaster_only():
    wall = building_meshes(building_mesh([(0.0, 0.0, 10.0, 1.0, 3.0)]))[Surface.WALL]
    end = wall.normals[:, 0] > 0.9
    assert np.ptp(wall.uvs[end, 0]) < 0.25


def test_a_building_has_one_colour_and_neighbours_differ():
    boxes = [(20.0 * k, 0.0, 10.0, 8.0, 6.0) for k in range(8)]
    wall = building_meshes(building_mesh(boxes))[Surface.WALL]
    owner = np.round(wall.vertices[:, 0] / 20.0)
    colours = [np.unique(wall.colours[owner == k], axis=0) for k in range(8)]
    assert all(len(each) == 1 for each in colours)
    assert len({tuple(each[0].tolist()) for each in colours}) > 3


def test_a_stated_colour_is_the_colour_of_the_walls():
    mesh = building_mesh([(0.0, 0.0, 10.0, 8.0, 6.0), (30.0, 0.0, 10.0, 8.0, 6.0)])
    tints = np.repeat(np.array([[9, 8, 7, 255], [0, 0, 0, 0]], dtype=np.uint8), 12, axis=0)
    wall = building_meshes(mesh, tints)[Surface.WALL]
    is_first = wall.vertices[:, 0] < 15.0
    assert np.unique(wall.colours[is_first], axis=0).tolist() == [[9, 8, 7, 255]]
    plain = building_meshes(mesh)[Surface.WALL]
    assert (wall.colours[~is_first] == plain.colours[~is_first]).all()


def test_no_buildings_draw_nothing():
    assert building_meshes(building_mesh([])) == {}


@pytest.mark.parametrize("surface", list(Surface))
def test_textures_are_the_same_each_time_and_tile(surface):
    pixels = surface_texture(surface)
    assert (pixels == surface_texture(surface)).all()
    assert pixels.dtype == np.uint8
    assert pixels.shape[2] == 4


def test_noise_repeats_at_its_edges():
    noise = tileable_noise(np.random.default_rng(1), 64, 4)
    inner = np.abs(np.diff(noise, axis=0)).max()
    assert np.abs(noise[0] - noise[-1]).max() <= 1.5 * inner
    assert np.abs(noise).max() <= 1.2
