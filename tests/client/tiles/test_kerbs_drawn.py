"""Kerbs are a bevel for wheels and stones with upright faces for the eye."""

import numpy as np
import pytest

from autosim.client.materials.surface_meshes import ground_meshes
from autosim.client.materials.surfaces import surface_looks
from autosim.client.tiles.ground.kerbs import with_kerbstones
from autosim.client.tiles.tile_neighbourhood import with_rim
from autosim.world.compiled.tile_grid import TILE_METRES, TileGrid
from autosim.world.geometry.meshes import Mesh, Surface

WIDTH, RISE = 0.3, 0.12
LINES = np.array([-3.0, 0.0, WIDTH, 2.0])
STONE = 0.15
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


STATIONS = np.linspace(0.0, 20.0, 9)


def drawn_of(mesh):
    return with_kerbstones(mesh, len(mesh.triangles))[0]


def upper_edge(mesh, count):
    return mesh.vertices[2 * count : 3 * count]


def corners_of(mesh, surface=Surface.KERB):
    return mesh.vertices[mesh.triangles[mesh.surfaces == surface]]


def faces_and_tops(mesh):
    """The kerbs' upright triangles (k, 3, 3), and the others."""
    corners = corners_of(mesh)
    is_upright = np.abs(area_in_plan(corners)) < 1e-9
    return corners[is_upright], corners[~is_upright]


def area_in_plan(corners):
    (ux, uy), (vx, vy) = (
        (corners[:, 1] - corners[:, 0]).T[:2],
        (corners[:, 2] - corners[:, 0]).T[:2],
    )
    return (ux * vy - uy * vx) / 2


def test_a_kerbstone_has_an_upright_face_on_the_carriageways_edge():
    faces, _ = faces_and_tops(drawn_of(street(STATIONS)))
    faces = faces[np.ptp(faces[..., 0], axis=1) > 0.0]  # not the stones' ends
    assert len(faces) == 2 * (len(STATIONS) - 1)
    np.testing.assert_array_equal(faces[..., 1], 0.0)
    heights = faces[..., 2] - 0.02 * faces[..., 0]
    np.testing.assert_allclose(np.unique(heights.round(9)), [0.0, RISE])
    normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    assert (normals[:, 1] < 0.0).all()  # they look at the carriageway


def test_its_top_is_a_strip_along_the_edge_on_a_level_with_the_pavement():
    mesh = street(STATIONS)
    drawn = drawn_of(mesh)
    _, tops = faces_and_tops(drawn)
    np.testing.assert_allclose(np.unique(tops[..., 1].round(9)), [0.0, STONE])
    np.testing.assert_allclose(tops[..., 2], 0.02 * tops[..., 0] + RISE)
    assert area_in_plan(tops).sum() == pytest.approx(20.0 * STONE)
    np.testing.assert_array_equal(drawn.vertices[: 4 * 9, 2], mesh.vertices[:, 2])
    others = [*range(2 * 9), *range(3 * 9, 4 * 9)]
    np.testing.assert_array_equal(drawn.vertices[others], mesh.vertices[others])


def test_the_stones_edge_is_sharp_in_the_light():
    kerb = ground_meshes(drawn_of(street(STATIONS)), surface_looks())[Surface.KERB]
    upward = np.abs(kerb.normals[:, 2])
    assert ((upward < 1e-3) | (upward > 0.99)).all()


def test_it_is_lighter_than_the_pavement_and_the_carriageway():
    drawn = ground_meshes(drawn_of(street(STATIONS)), surface_looks())
    kerb, pavement, carriageway = (
        float(drawn[surface].colours[:, :3].mean())
        for surface in (Surface.KERB, Surface.PAVEMENT, Surface.CARRIAGEWAY)
    )
    assert kerb > pavement + 20 > carriageway + 60


def test_the_mesh_for_wheels_stays_as_it_is():
    mesh = street(STATIONS)
    before = mesh.vertices.copy(), mesh.triangles.copy()
    drawn_of(mesh)
    np.testing.assert_array_equal(mesh.vertices, before[0])
    np.testing.assert_array_equal(mesh.triangles, before[1])


def test_where_a_kerb_is_dropped_the_stone_goes_down_with_it():
    low = 0.025
    mesh = street(STATIONS, rise=lambda x: np.where(x < 10.0, low, RISE))
    drawn = drawn_of(mesh)
    np.testing.assert_allclose(upper_edge(drawn, 9)[:, 1], STONE)
    _, tops = faces_and_tops(drawn)
    x, height = tops[..., 0], tops[..., 2] - 0.02 * tops[..., 0]
    np.testing.assert_allclose(height, np.where(x < 10.0, low, RISE))


def test_a_kerb_that_is_level_stays():
    mesh = street(STATIONS, rise=lambda x: 0.0 * x)
    np.testing.assert_array_equal(corners_of(drawn_of(mesh)), corners_of(mesh))


@pytest.mark.parametrize("spacing", [0.5, 2.5])
def test_at_a_bend_nothing_leaves_the_carriageways_edge(spacing):
    stations = np.arange(0.0, 20.0, spacing)
    mesh = street(stations, edge=lambda x: 0.03 * (x - 10.0) ** 2)
    drawn = drawn_of(mesh)
    top = upper_edge(drawn, len(stations))
    low = mesh.vertices[len(stations) : 2 * len(stations)]
    beyond = top[:, 1] - np.interp(top[:, 0], low[:, 0], low[:, 1])
    assert beyond.min() > 0.0
    assert beyond.max() <= STONE + 1e-9
    assert (area_in_plan(faces_and_tops(drawn)[1]) > 0.0).all()


def test_where_no_carriageway_is_near_nothing_moves():
    mesh = street(STATIONS)
    surfaces = np.where(mesh.surfaces == Surface.CARRIAGEWAY, Surface.GROUND, mesh.surfaces)
    alone = Mesh(mesh.vertices, mesh.triangles, surfaces.astype(np.uint8))
    np.testing.assert_array_equal(corners_of(drawn_of(alone)), corners_of(alone))


def test_nothing_opens_where_a_kerb_ends_on_the_grass():
    mesh = street(STATIONS)
    middles = mesh.vertices[mesh.triangles, 0].mean(axis=1)
    grass = (middles > 10.0) & (mesh.surfaces != Surface.CARRIAGEWAY)
    surfaces = np.where(grass, Surface.GROUND, mesh.surfaces).astype(np.uint8)
    drawn = drawn_of(Mesh(mesh.vertices, mesh.triangles, surfaces))
    places, numbers = np.unique(drawn.vertices.round(9), axis=0, return_inverse=True)
    edges = np.sort(numbers.reshape(-1)[drawn.triangles][:, [[0, 1], [1, 2], [2, 0]]], axis=2)
    found, counts = np.unique(edges.reshape(-1, 2), axis=0, return_counts=True)
    open_ends = places[found[counts == 1]]
    x, y = open_ends[..., 0], open_ends[..., 1]
    on_border = [x == 0.0, x == 20.0, y == LINES[0], y == LINES[-1]]
    assert np.any([each.all(axis=1) for each in on_border], axis=0).all()


def test_two_tiles_draw_the_kerb_on_their_seam_at_the_same_place():
    stations = np.linspace(TILE_METRES - 13.0, TILE_METRES + 12.0, 18)
    mesh = street(stations, edge=lambda x: 0.4 * np.sin(x))
    grid = TileGrid((0.0, -TILE_METRES / 2.0), columns=2, rows=1)
    tiles = grid.at(mesh.vertices[mesh.triangles, :2].mean(axis=1))
    order = np.argsort(tiles, kind="stable")
    starts = np.searchsorted(tiles[order], np.arange(3))
    mesh = Mesh(mesh.vertices, mesh.triangles[order], mesh.surfaces[order], starts)
    whole = drawn_of(mesh)
    shown = [corners_of_own(mesh, grid, tile) for tile in range(2)]
    np.testing.assert_array_equal(np.vstack(shown), whole.vertices[whole.triangles])


def corners_of_own(mesh, grid, tile):
    drawn, own = with_kerbstones(*with_rim(mesh, grid, tile))
    return drawn.vertices[drawn.triangles[:own]]
