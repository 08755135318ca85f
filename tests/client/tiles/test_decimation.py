"""The ground from afar: fewer triangles that cover the same place."""

import numpy as np
import pytest

from autosim.client.tiles.decimation import decimate
from autosim.world.geometry.meshes import Mesh, Surface


def level(*, x=(0.0, 60.0), seed=0):
    """A hilly level with a vertex every 2 m, but for its rim irregular; a road along y."""
    steps = np.arange(x[0], x[1] + 1.0, 2.0), np.arange(0.0, 41.0, 2.0)
    columns, rows = (len(each) for each in steps)
    points = np.stack(np.meshgrid(*steps, indexing="ij"), axis=2)
    shifts = np.random.default_rng(seed).uniform(-0.4, 0.4, (columns - 2, rows - 2, 2))
    points[1:-1, 1:-1] += shifts
    z = 3.0 * np.sin(points[..., :1] / 20.0) + 2.0 * np.cos(points[..., 1:] / 15.0)
    corner = (np.arange(columns - 1)[:, None] * rows + np.arange(rows - 1)).ravel()
    right = corner + rows
    triangles = np.vstack([np.c_[corner, right, right + 1], np.c_[corner, right + 1, corner + 1]])
    vertices = np.concatenate([points, z], axis=2).reshape(-1, 3)
    is_road = np.abs(vertices[triangles, 0].mean(axis=1) - x[0] - 30.0) < 4.0
    surfaces = np.where(is_road, Surface.CARRIAGEWAY, Surface.GROUND).astype(np.uint8)
    return Mesh(vertices, triangles.astype(np.int32), surfaces)


def plan_area(mesh, surface=None):
    chosen = slice(None) if surface is None else mesh.surfaces == surface
    a, b, c = (mesh.vertices[mesh.triangles[chosen, k], :2] for k in range(3))
    return float(((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]).sum() / 2.0)


def open_places(mesh):
    """The ends of edges that one triangle has."""
    edges = np.sort(mesh.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    pairs, counts = np.unique(edges, axis=0, return_counts=True)
    return {tuple(place) for place in mesh.vertices[pairs[counts == 1].ravel()].tolist()}


def test_much_less_covers_the_same_ground():
    fine = level()
    coarse = decimate(fine, 5.0)
    assert len(coarse.triangles) < 0.35 * len(fine.triangles)
    assert len(coarse.surfaces) == len(coarse.triangles)
    assert plan_area(coarse) == pytest.approx(plan_area(fine))
    road = plan_area(fine, Surface.CARRIAGEWAY)
    assert plan_area(coarse, Surface.CARRIAGEWAY) == pytest.approx(road, rel=0.25)
    assert abs(coarse.vertices[:, 2] - height(coarse.vertices)).max() < 0.2


def height(points):
    return 3.0 * np.sin(points[:, 0] / 20.0) + 2.0 * np.cos(points[:, 1] / 15.0)


def test_its_open_edges_stay_so_that_nothing_opens_beside_it():
    fine = level()
    assert open_places(decimate(fine, 5.0)) == open_places(fine)


def test_nothing_of_it_falls_together():
    coarse = decimate(level(), 5.0)
    a, b, c = coarse.triangles.T
    assert ((a != b) & (b != c) & (c != a)).all()


def test_a_tile_without_ground_is_no_error():
    nothing = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, np.uint8))
    assert len(decimate(nothing).triangles) == 0
