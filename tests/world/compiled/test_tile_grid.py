"""A compiled world in tiles is the same world, in parts that can be read alone."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from autosim.world.compiled.compiled_world import Building
from autosim.world.compiled.tile_grid import TILE_METRES, TileGrid, sort_into_tiles
from autosim.world.geometry.meshes import Mesh
from tests.client.synthetic_town import compiled_town


def test_tiles_cover_the_bounds_row_by_row():
    grid = TileGrid.of((-300.0, -100.0, 300.0, 400.0))
    assert (grid.columns, grid.rows, grid.count) == (3, 2, 6)
    points = np.array([[-299.0, -99.0], [299.0, -99.0], [-299.0, 399.0], [9999.0, 9999.0]])
    assert grid.at(points).tolist() == [0, 2, 3, 5]


def test_the_tiles_near_a_point_are_those_within_the_distance():
    grid = TileGrid.of((0.0, 0.0, 1000.0, 1000.0))
    assert grid.within(np.array([[125.0, 125.0]]), 100.0).tolist() == [0]
    assert grid.within(np.array([[240.0, 125.0]]), 20.0).tolist() == [0, 1]
    assert grid.within(np.array([[245.0, 245.0]]), 6.0).tolist() == [0, 1, 4]
    assert grid.within(np.array([[125.0, 125.0], [990.0, 990.0]]), 1.0).tolist() == [0, 15]


def test_a_town_in_tiles_has_the_same_triangles():
    boxes = [(x, 18.0, 14.0, 12.0, 6.0) for x in (-150.0, 30.0, 150.0, -100.0)]
    plain = compiled_town(boxes)
    town = sort_into_tiles(replace(plain, bounds=(-250.0, -250.0, 250.0, 250.0)))
    for name in ("ground", "buildings"):
        before, after = getattr(plain, name), getattr(town, name)
        assert soup(after) == soup(before)
        assert soup(*(after.tile(k) for k in range(4))) == soup(before)


def test_a_tile_has_only_its_own_vertices():
    town = sort_into_tiles(replace(compiled_town(), bounds=(-250.0, -250.0, 250.0, 250.0)))
    west = town.buildings.tile(0)
    assert len(west.vertices) < len(town.buildings.vertices)
    assert west.triangles.max() == len(west.vertices) - 1
    assert west.vertices[:, 0].max() < TILE_METRES


def test_buildings_houses_and_colours_stay_together():
    boxes = [(x, 0.0, 14.0, 12.0, 6.0) for x in (150.0, -150.0, 10.0)]
    houses = tuple(
        Building((x, 60.0, 0.0), 0.0, (10.0, 8.0, height), "")
        for x, height in ((150.0, 5.0), (-150.0, 7.0))
    )
    plain = compiled_town(boxes, houses)
    mesh = plain.buildings
    backwards = Mesh(mesh.vertices, mesh.triangles[::-1], mesh.surfaces[::-1])
    town = sort_into_tiles(
        replace(plain, buildings=backwards, building_tints=tints_by_place(backwards))
    )
    assert [house.position[0] for house in town.houses] == [-150.0, 150.0]
    heights = town.house_boxes.vertices[town.house_boxes.triangles].reshape(2, -1, 3)[..., 2]
    assert heights.max(axis=1) == pytest.approx([7.0, 5.0])
    assert (town.building_tints == tints_by_place(town.buildings)).all()
    assert not np.array_equal(town.building_tints, tints_by_place(backwards))


def tints_by_place(mesh: Mesh) -> npt.NDArray[np.uint8]:
    x = mesh.vertices[mesh.triangles][..., 0].mean(axis=1)
    return np.repeat((np.round(x / 160.0) + 1).astype(np.uint8)[:, None], 4, axis=1)


def soup(*meshes: Mesh) -> list[list[float]]:
    """All triangles of the meshes by their corners, in an order of their own."""
    corners = [mesh.vertices[mesh.triangles].reshape(-1, 9) for mesh in meshes]
    return sorted(np.vstack(corners).tolist())
