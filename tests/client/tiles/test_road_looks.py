"""Parts of roads that have pictures of their own: right sides and intersections."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("panda3d")

from autosim.client.materials.surfaces import RoadPart, looks_of_setup, surface_looks
from autosim.client.models.model_library import ModelLibrary
from autosim.client.tiles.ground.intersections import (
    Intersection,
    find_intersections,
    intersection_mesh,
)
from autosim.client.tiles.ground.road_sides import RoadSides
from autosim.client.tiles.house_meshes import Houses
from autosim.client.tiles.tile_meshes import TileMeshes
from autosim.config.descriptions import MapSetup
from autosim.config.diagnostics import Diagnostics
from autosim.world.compiled.tile_grid import TileGrid
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.maps import osm_text

RESIDENTIAL = {"highway": "residential"}
T_CROSSING = [
    ([(-80.0, 0.0), (0.0, 0.0), (80.0, 0.0)], RESIDENTIAL),
    ([(0.0, 0.0), (0.0, 80.0)], RESIDENTIAL),
]


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    path = tmp_path_factory.mktemp("town") / "town.osm"
    path.write_text(osm_text(T_CROSSING))
    return build_world(path, diagnostics=Diagnostics())


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def looks_with(*parts):
    looks = surface_looks()
    return looks | dict.fromkeys(parts, looks[Surface.CARRIAGEWAY])


def test_pictures_for_the_right_side_and_for_intersections_are_read(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4), (9, 99, 199)).save(tmp_path / "right.png")
    tags = ("RightPavement", "RightCurb", "Intersection")
    setup = MapSetup("town", road_textures=tuple((tag, "right.png") for tag in tags))
    looks = looks_of_setup(setup, bounds=(0, 0, 1, 1), roots=(tmp_path,), warnings=[])
    for part in RoadPart:
        assert looks[part].picture.pixels[0, 0].tolist() == [9, 99, 199, 255]
    assert looks[Surface.PAVEMENT].picture.pixels[0, 0].tolist() != [9, 99, 199, 255]


def test_right_of_a_street_is_where_the_map_draws_it_on_both_lanes_sides(town) -> None:
    sides = RoadSides(town.roads, looks_with(RoadPart.RIGHT_PAVEMENT))
    marked = sides.marked(town.ground)
    middles = town.ground.vertices[town.ground.triangles].mean(axis=1)
    is_pavement = town.ground.surfaces == Surface.PAVEMENT
    is_right = marked.surfaces == RoadPart.RIGHT_PAVEMENT
    # The street along x leads east, so its right is the south; away from the junction.
    along_x = is_pavement & (np.abs(middles[:, 0]) > 25.0) & (np.abs(middles[:, 0]) < 55.0)
    assert along_x.sum() > 10
    assert (is_right == (middles[:, 1] < 0.0))[along_x].all()
    along_y = is_pavement & (middles[:, 1] > 25.0) & (middles[:, 1] < 55.0)
    assert (is_right == (middles[:, 0] > 0.0))[along_y].all()
    assert not (is_right & ~is_pavement).any()


def test_without_a_picture_for_the_right_side_nothing_is_marked(town) -> None:
    assert RoadSides(town.roads, surface_looks()).marked(town.ground) is town.ground


def test_only_where_three_ends_of_streets_meet_is_an_intersection(town) -> None:
    (found,) = find_intersections(town.roads)
    assert found.z == pytest.approx(0.0, abs=0.05)
    assert np.abs(found.rim).max() < 20.0
    low, high = found.rim.min(axis=0), found.rim.max(axis=0)
    assert (low < 0.0).all()
    assert (high > 0.0).all()


def test_the_picture_of_an_intersection_covers_its_carriageway_once_with_no_seam(town) -> None:
    found = find_intersections(town.roads)
    drawn = intersection_mesh(town.ground, found)
    assert drawn is not None
    centre = found[0].rim.mean(axis=0)
    corners = drawn.vertices[drawn.triangles][..., :2].astype(float)
    ahead, aside = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = 0.5 * cross(ahead, aside)
    rim = found[0].rim
    whole = 0.5 * np.abs(cross(rim, np.roll(rim, -1, axis=0)).sum())
    assert (areas > -1e-4).all()
    assert 0.8 * whole < areas.sum() <= whole + 1e-3
    # The same place has the same place in the picture, whatever triangle it belongs to.
    places = np.round(drawn.vertices[:, :2], 2)
    _, number = np.unique(places, axis=0, return_inverse=True)
    for axis in (0, 1):
        highest = np.full(number.max() + 1, -np.inf)
        lowest = -highest
        np.maximum.at(highest, number.ravel(), drawn.uvs[:, axis])
        np.minimum.at(lowest, number.ravel(), drawn.uvs[:, axis])
        assert (highest - lowest).max() < 0.02
    middle = np.linalg.norm(drawn.vertices[:, :2] - centre, axis=1).argmin()
    assert drawn.uvs[middle] == pytest.approx([1.0, 1.0], abs=0.1)
    assert drawn.uvs.min() >= -1e-3


def test_tiles_draw_the_parts_that_have_a_look(town) -> None:
    def pieces(*parts):
        looks = looks_with(*parts)
        houses = Houses(town, library=ModelLibrary(()), looks=looks)
        grid = TileGrid.of(town.bounds)
        meshes = TileMeshes(town, grid=grid, looks=looks, houses=houses)
        return [piece for tile in range(grid.count) for piece in meshes.near(tile)]

    plain, dressed = pieces(), pieces(*RoadPart)
    assert len(dressed) > len(plain)
    assert sum(piece.material.depth_offset == 1 for piece in dressed) >= 1


def test_roads_with_one_level_of_detail_keep_their_markings_from_afar(town) -> None:
    looks, grid = surface_looks(), TileGrid.of(town.bounds)
    houses = Houses(town, library=ModelLibrary(()), looks=looks)
    parts = {"grid": grid, "looks": looks, "houses": houses}
    painted = int(np.argmax(np.diff(town.markings.starts)))
    coarse = TileMeshes(town, **parts).far(painted)
    full = TileMeshes(town, **parts, roads_in_full=True).far(painted)
    assert not any(piece.material.depth_offset for piece in coarse)
    assert any(piece.material.depth_offset == 2 for piece in full)
    short = TileMeshes(town, **parts, markings_up_to=60.0).near(painted)
    assert [each.seen_up_to for each in short if each.material.depth_offset == 2] == [60.0]


def test_a_triangle_that_ends_at_the_rim_is_drawn_whole() -> None:
    flat = Mesh(
        np.array([[-9.0, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]]),
        np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32),
        np.full(2, Surface.CARRIAGEWAY, dtype=np.uint8),
    )
    square = np.array([[-4.0, -4], [4, -4], [4, 4], [-4, 4]])
    drawn = intersection_mesh(flat, [Intersection(square, 0.0)])
    assert drawn is not None
    corners = drawn.vertices[drawn.triangles][..., :2]
    areas = 0.5 * cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert areas.sum() == pytest.approx(64.0, rel=1e-5)
    assert intersection_mesh(replace(flat, surfaces=flat.surfaces * 0), []) is None
