"""What belongs to one building has one colour, however its triangles follow each other."""

import numpy as np

from autosim.client.tiles.buildings import building_meshes, solid_of_triangles
from autosim.world.geometry.meshes import Surface
from tests.client.synthetic_town import building_mesh


def test_triangles_that_share_vertices_are_of_one_solid():
    # Long strips: their ends know of each other by many triangles between.
    strip = np.arange(400)[:, None] + np.arange(3)
    triangles = np.concatenate([strip, strip + 402, [[805, 806, 804]]]).astype(np.int32)
    order = np.random.default_rng(1).permutation(len(triangles))
    solids = solid_of_triangles(triangles[order], 807)
    assert np.array_equal(solids, np.repeat([0, 1, 2], [400, 400, 1])[order])


def test_without_triangles_there_are_no_solids():
    assert not len(solid_of_triangles(np.zeros((0, 3), dtype=np.int32), 4))


def test_no_two_walls_number_their_windows_alike():
    boxes = [(x, y, 12.0, 9.0, 6.0) for x in (0.0, 40.0, 80.0) for y in (0.0, 30.0)]
    walls = building_meshes(building_mesh(boxes))[Surface.WALL]
    low = np.full((len(boxes) * 4, 2), np.inf)
    yaws = np.round(np.arctan2(walls.normals[:, 1], walls.normals[:, 0]) / (np.pi / 2)).astype(int)
    column, row = np.round(walls.vertices[:, 0] / 40.0), np.round(walls.vertices[:, 1] / 30.0)
    wall = ((column * 2 + row) * 4 + yaws % 4).astype(int)
    np.minimum.at(low, wall, walls.uvs)
    assert (low == np.round(low)).all()
    assert len(np.unique(low, axis=0)) == len(low)
    # The bays of a wall are still whole.
    high = np.full(low.shape, -np.inf)
    np.maximum.at(high, wall, walls.uvs)
    np.testing.assert_allclose((high - low)[:, 1], 2.0)
