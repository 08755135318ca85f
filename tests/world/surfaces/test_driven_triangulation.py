"""Triangles of a level follow its heights in the tracks of wheels."""

import numpy as np
import pytest

from autosim.arrays import Floats
from autosim.world.geometry.meshes import Surface
from autosim.world.surfaces.driven_triangulation import follow_heights
from autosim.world.surfaces.triangulation import FlatMesh

CORNERS = np.array([[-6.0, 0.0], [6.0, 0.0], [0.0, 8.0]])
TRACK = np.column_stack([np.linspace(-3.0, 3.0, 7), np.full(7, 2.0)])


def fan(inner: Floats) -> FlatMesh:
    """One large triangle of a carriageway, divided at the first inner point if there is one."""
    if not len(inner):
        vertices, triangles = CORNERS, [[0, 1, 2]]
    else:
        vertices, triangles = np.vstack([CORNERS, inner[:1]]), [[0, 1, 3], [1, 2, 3], [2, 0, 3]]
    surfaces = np.full(len(triangles), Surface.CARRIAGEWAY, dtype=np.uint8)
    return FlatMesh(vertices, np.array(triangles, dtype=np.int32), surfaces)


def cliff(points: Floats) -> Floats:
    """A plain that rises steeply behind y = 4 m."""
    return np.maximum(points[:, 1] - 4.0, 0.0)


def slope(points: Floats) -> Floats:
    return 0.2 * points[:, 1]


def test_a_triangle_over_a_bend_gets_vertices_in_the_track():
    flat, heights = follow_heights(fan, inner=np.zeros((0, 2)), tracks=TRACK, height=cliff)
    assert len(flat.triangles) == 3
    assert flat.vertices[3, 1] == 2.0
    assert heights == pytest.approx(cliff(flat.vertices))


def test_a_triangle_that_follows_the_heights_stays():
    flat, heights = follow_heights(fan, inner=np.zeros((0, 2)), tracks=TRACK, height=slope)
    assert len(flat.triangles) == 1
    assert heights == pytest.approx(slope(CORNERS))


def test_inner_vertices_near_a_new_one_give_way():
    seen = []

    def counted(inner: Floats) -> FlatMesh:
        seen.append(inner)
        return fan(inner[:0]) if len(seen) == 1 else fan(inner)

    near, far = TRACK[3] + [0.0, 0.3], np.array([0.0, 6.0])
    follow_heights(counted, inner=np.vstack([near, far]), tracks=TRACK, height=cliff)
    gaps = np.linalg.norm(seen[1][:, None] - seen[1][None], axis=2)
    assert gaps[np.triu_indices(len(gaps), 1)].min() > 0.6
    assert (seen[1] == far).all(axis=1).any()
    assert not (seen[1] == near).all(axis=1).any()
