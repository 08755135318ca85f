"""Triangles of a level follow its heights in the tracks of wheels."""

import numpy as np
import pytest
from scipy.spatial import Delaunay

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


def on_rim(*degrees: float) -> Floats:
    """Points (n, 2) on the circle of 3 m about the origin."""
    angles = np.radians(degrees)
    return 3.0 * np.column_stack([np.cos(angles), np.sin(angles)])


def around_hill(points: Floats) -> Floats:
    """A round plateau, just wider than that circle, in ground that rises steeply."""
    return 1.5 * np.maximum(np.linalg.norm(points, axis=1) - 3.1, 0.0)


def square(inner: Floats) -> FlatMesh:
    """A square carriageway with all the inner points."""
    corners = np.array([[-8.0, -8.0], [8.0, -8.0], [8.0, 8.0], [-8.0, 8.0]])
    vertices = np.vstack([corners, inner])
    triangles = Delaunay(vertices).simplices.astype(np.int32)
    return FlatMesh(vertices, triangles, np.full(len(triangles), Surface.CARRIAGEWAY, np.uint8))


def test_a_wheel_keeps_its_floor_where_a_vertex_gives_way_to_a_new_one():
    """The vertex at 10 degrees gives way to that at 0 degrees; the wheel at 14 degrees needs it."""
    inner = on_rim(10.0, 20.0, *np.arange(40.0, 341.0, 20.0))
    tracks = on_rim(0.0, 14.0)
    flat, _ = follow_heights(square, inner=inner, tracks=tracks, height=around_hill)
    for point in tracks:
        assert np.linalg.norm(flat.vertices - point, axis=1).min() < 1e-9
    assert np.linalg.norm(flat.vertices - on_rim(10.0), axis=1).min() > 0.1
