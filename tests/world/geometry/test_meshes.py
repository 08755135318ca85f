"""What is asked of meshes as such: their edges."""

import numpy as np

from autosim.world.geometry.meshes import distinct_edges


def test_edges_are_told_once_whatever_their_direction():
    edges = np.array([[7, 2], [2, 7], [0, 1], [3, 3], [2, 7], [1, 0], [2, 5]])
    assert distinct_edges(edges).tolist() == [[0, 1], [2, 5], [2, 7]]


def test_no_edges_are_no_edges():
    assert distinct_edges(np.zeros((0, 2), dtype=np.int64)).shape == (0, 2)
