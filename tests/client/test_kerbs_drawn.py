"""Kerbs are a bevel for wheels and upright for the eye."""

import numpy as np
import pytest

from autosim.client.kerbs import with_upright_kerbs
from autosim.client.tile_meshes import with_rim
from autosim.world.compiled import Mesh, Surface
from autosim.world.tiles import TILE_METRES, TileGrid

WIDTH, RISE = 0.3, 0.12
LINES = np.array([-3.0, 0.0, WIDTH, 2.0])
LEAN = 0.15
SURFACES = (Surface.CARRIAGEWAY, Surface.KERB, Surface.PAVEMENT)


def street(stations, *, edge=lambda x: 0.0 * x, rise=lambda x: RISE + 0.0 * x):
    """A carriageway south of y = edge(x), a kerb of `rise`(x), and a pavement beyond it."""
    x, row = np.meshgrid(np.asarray(stations), np.arange(4))
    y = LINES[row] + np.where(row == 0, 0.0, edge(x))
    z = 0.02 * x + np.where(row >= 2, rise(x), 0.0)
    count = len(stations)
    a = (np.arange(3)[:, None] * count + np.arange(count - 1)).ravel()
    triangles = np.vstack(
        [np.column_stack([a, a + 1, a + count + 1]), np.column_stack([a, a + count + 1, a + count])]
    )
    surfaces = np.tile(np.repeat(np.array(SURFACES, dtype=np.uint8), count - 1), 2)
    vertices = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    return Mesh(vertices, triangles.astype(np.int32), surfaces)


def upper_edge(mesh, count):
    return mesh.vertices[2 * count : 3 * count]


STATIONS = np.linspace(0.0, 20.0, 9)


def test_a_raised_kerb_leans_back_but_little_from_the_carriageways_edge():
    mesh = street(STATIONS)
    drawn = with_upright_kerbs(mesh)
    np.testing.assert_allclose(upper_edge(drawn, 9)[:, 1], LEAN, atol=1e-9)
    np.testing.assert_array_equal(drawn.vertices[:, 2], mesh.vertices[:, 2])
    others = [*range(2 * 9), *range(3 * 9, 4 * 9)]
    np.testing.assert_array_equal(drawn.vertices[others], mesh.vertices[others])
    np.testing.assert_array_equal(drawn.triangles, mesh.triangles)


def test_the_mesh_for_wheels_stays_as_it_is():
    mesh = street(STATIONS)
    before = mesh.vertices.copy()
    with_upright_kerbs(mesh)
    np.testing.assert_array_equal(mesh.vertices, before)


def test_a_dropped_kerb_stays_a_ramp():
    mesh = street(STATIONS, rise=lambda x: np.where(x < 10.0, 0.03, RISE))
    y = upper_edge(with_upright_kerbs(mesh), 9)[:, 1]
    is_dropped = STATIONS < 10.0
    np.testing.assert_allclose(y[is_dropped], WIDTH)
    np.testing.assert_allclose(y[~is_dropped], LEAN, atol=1e-9)


@pytest.mark.parametrize("spacing", [0.5, 2.5])
def test_at_a_bend_nothing_leaves_the_carriageways_edge(spacing):
    stations = np.arange(0.0, 20.0, spacing)
    mesh = street(stations, edge=lambda x: 0.03 * (x - 10.0) ** 2)
    top = upper_edge(with_upright_kerbs(mesh), len(stations))
    low = mesh.vertices[len(stations) : 2 * len(stations)]
    beyond = top[:, 1] - np.interp(top[:, 0], low[:, 0], low[:, 1])
    assert beyond.min() > 0.0
    assert beyond.max() <= LEAN + 1e-9


def test_where_no_carriageway_is_near_nothing_moves():
    mesh = street(STATIONS)
    surfaces = np.where(mesh.surfaces == Surface.CARRIAGEWAY, Surface.GROUND, mesh.surfaces)
    alone = Mesh(mesh.vertices, mesh.triangles, surfaces.astype(np.uint8))
    np.testing.assert_array_equal(with_upright_kerbs(alone).vertices, mesh.vertices)


def test_two_tiles_draw_the_kerb_on_their_seam_at_the_same_place():
    stations = np.linspace(TILE_METRES - 13.0, TILE_METRES + 12.0, 18)
    mesh = street(stations, edge=lambda x: 0.4 * np.sin(x))
    grid = TileGrid((0.0, -TILE_METRES / 2.0), columns=2, rows=1)
    tiles = grid.at(mesh.vertices[mesh.triangles, :2].mean(axis=1))
    order = np.argsort(tiles, kind="stable")
    starts = np.searchsorted(tiles[order], np.arange(3))
    mesh = Mesh(mesh.vertices, mesh.triangles[order], mesh.surfaces[order], starts)
    whole = with_upright_kerbs(mesh)
    shown = [corners_of_own(mesh, grid, tile) for tile in range(2)]
    np.testing.assert_array_equal(np.vstack(shown), whole.vertices[whole.triangles])


def corners_of_own(mesh, grid, tile):
    cut, own = with_rim(mesh, grid, tile)
    drawn = with_upright_kerbs(cut)
    return drawn.vertices[drawn.triangles[:own]]
