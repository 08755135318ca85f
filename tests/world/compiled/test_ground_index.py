"""Finding the triangle at a point, with triangles small and large."""

import itertools

import numpy as np
import pytest

from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh, empty_mesh


def terraces() -> Mesh:
    """Squares from 1 m to 128 m wide in a row along x, square k at height k."""
    edges = np.cumsum([0.0, *(2.0**k for k in range(8))])
    corners = [
        [(x0, 0.0, k), (x1, 0.0, k), (x1, 200.0, k), (x0, 200.0, k)]
        for k, (x0, x1) in enumerate(itertools.pairwise(edges))
    ]
    first = 4 * np.arange(8)[:, None, None]
    triangles = (first + np.array([[0, 1, 2], [0, 2, 3]])).reshape(-1, 3).astype(np.int32)
    return Mesh(np.array(corners).reshape(-1, 3), triangles, np.zeros(16, np.uint8))


def middles() -> np.ndarray:
    x = np.array([2.0**k - 1.0 + 0.5 * 2.0**k for k in range(8)])
    return np.column_stack([x, np.full(8, 77.0)])


@pytest.mark.parametrize("cell", [1.0, 5.0, 40.0])
def test_small_and_large_triangles_are_found(cell):
    index = GroundIndex.build(terraces(), cell)
    np.testing.assert_allclose(index.heights_at(middles()), range(8), atol=1e-9)
    assert np.isnan(index.heights_at([[-1.0, 5.0], [300.0, 5.0], [5.0, 201.0]])).all()


def test_an_index_about_points_knows_all_near_them():
    points = middles()[[0, 6]]
    index = GroundIndex.build(terraces(), about=points)
    around = (points[:, None] + np.array([[0.0, 0.0], [0.0, 29.0], [0.0, -29.0]])).reshape(-1, 2)
    np.testing.assert_allclose(index.heights_at(around), [0.0] * 3 + [6.0] * 3, atol=1e-9)


def test_a_part_knows_its_own_triangles_alone():
    part = GroundIndex.build(terraces()).part(4, 8)
    nowhere = np.nan
    expected = [nowhere, nowhere, 2.0, 3.0, nowhere, nowhere, nowhere, nowhere]
    np.testing.assert_allclose(part.heights_at(middles()), expected, atol=1e-9)
    found = part.triangles_at(middles())
    assert set(found[2:4].tolist()) <= set(range(4))
    assert len(part.mesh.triangles) == 4


def test_hits_are_in_the_order_of_points_and_triangles():
    mesh = terraces()
    double = Mesh(mesh.vertices, np.vstack([mesh.triangles] * 2), np.zeros(32, np.uint8))
    rows, triangles, _ = GroundIndex.build(double).hits(middles())
    assert rows.tolist() == sorted(rows.tolist())
    assert (np.diff(triangles.reshape(8, 2), axis=1) == 16).all()


def test_where_nothing_is_nothing_is_found():
    far = GroundIndex.build(terraces(), about=[[9e3, 9e3]])
    assert far.triangles_at([[9e3, 9e3]]).tolist() == [-1]
    assert GroundIndex.build(empty_mesh()).triangles_at([[0.0, 0.0]]).tolist() == [-1]
