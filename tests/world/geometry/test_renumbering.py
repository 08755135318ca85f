"""Cut meshes have the vertices that they use, in their order."""

import numpy as np

from autosim.world.geometry.renumbering import renumbered, unique_rows


def test_only_used_vertices_are_left_in_their_order():
    triangles = np.array([[9, 7, 12], [7, 30, 9]], dtype=np.int32)
    used, new = renumbered(triangles)
    assert used.tolist() == [7, 9, 12, 30]
    assert np.array_equal(used[new], triangles)


def test_of_no_triangles_no_vertex_is_used():
    used, new = renumbered(np.zeros((0, 3), dtype=np.int32))
    assert (used.shape, new.shape) == ((0,), (0, 3))


def test_rows_are_told_apart_as_numpy_does_it():
    rows = np.random.default_rng(3).integers(-40, 40, (500, 3)) * (1, 1000, 1_000_000)
    _, first, number = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    found = unique_rows(rows)
    assert np.array_equal(found[0], first)
    assert np.array_equal(found[1], number.reshape(-1))


def test_no_rows_are_no_error():
    first, number = unique_rows(np.zeros((0, 2), dtype=np.int64))
    assert (len(first), len(number)) == (0, 0)
