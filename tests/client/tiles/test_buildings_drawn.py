"""What belongs to one building has one colour, however its triangles follow each other."""

import numpy as np

from autosim.client.tiles.buildings import solid_of_triangles


def test_triangles_that_share_vertices_are_of_one_solid():
    # Long strips: their ends know of each other by many triangles between.
    strip = np.arange(400)[:, None] + np.arange(3)
    triangles = np.concatenate([strip, strip + 402, [[805, 806, 804]]]).astype(np.int32)
    order = np.random.default_rng(1).permutation(len(triangles))
    solids = solid_of_triangles(triangles[order], 807)
    assert np.array_equal(solids, np.repeat([0, 1, 2], [400, 400, 1])[order])


def test_without_triangles_there_are_no_solids():
    assert not len(solid_of_triangles(np.zeros((0, 3), dtype=np.int32), 4))
