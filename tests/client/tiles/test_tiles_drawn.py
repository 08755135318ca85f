"""Tiles: what is cut out of the world, what comes and goes, and that pictures do not show it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("panda3d")

from autosim.client.cameras.moving_cameras import FreeCamera
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.material_kinds import Material, ShaderKind
from autosim.client.materials.surface_meshes import ground_meshes
from autosim.client.materials.surfaces import looks_of_setup, surface_looks
from autosim.client.models.model_library import ModelLibrary
from autosim.client.models.model_pieces import Piece, from_afar, in_cells
from autosim.client.scene.viewer import Viewer
from autosim.client.sky_and_light.sky_box import side_mesh
from autosim.client.tiles import tile_nodes as tiles_module
from autosim.client.tiles.house_meshes import Houses
from autosim.client.tiles.tile_meshes import TileMeshes
from autosim.client.tiles.tile_neighbourhood import neighbours, with_rim
from autosim.config.descriptions import MapSetup, ModelReference, TerrainDescription
from autosim.world.compiled.compiled_world import Building, CompiledWorld, PropKind, Props
from autosim.world.compiled.tile_grid import TILE_METRES, TileGrid, sort_into_tiles
from autosim.world.geometry.meshes import Mesh, Surface
from tests.client.synthetic_town import building_mesh, car_state, car_world, compiled_town

ACROSS = 12
"""Tiles from west to east, and from south to north, of the country that the tests look at."""
SETUP = MapSetup(name="country", tile_size=50.0, maximum_lod=4, layers_of_each_lod=1)
"""In full up to 200 m."""


def hills(x, y):
    return 12.0 * np.sin(x / 90.0) * np.cos(y / 70.0)


def country() -> CompiledWorld:
    """Hills with a road along x, a tower and a tree in each tile."""
    half = ACROSS * TILE_METRES / 2.0
    steps = np.arange(-half, half + 1.0, 25.0)
    x, y = (each.ravel() for each in np.meshgrid(steps, steps))
    row, column = np.meshgrid(np.arange(len(steps) - 1), np.arange(len(steps) - 1), indexing="ij")
    corner = (row * len(steps) + column).ravel()
    above = corner + len(steps)
    triangles = np.vstack([np.c_[corner, corner + 1, above + 1], np.c_[corner, above + 1, above]])
    middle = y[triangles].mean(axis=1)
    surfaces = np.where(np.abs(middle) < 25.0, Surface.CARRIAGEWAY, Surface.GROUND)
    ground = Mesh(
        np.column_stack([x, y, hills(x, y)]), triangles.astype(np.int32), surfaces.astype(np.uint8)
    )
    centres = TileGrid.of((-half, -half, half, half)).lows() + TILE_METRES / 2.0
    towers = building_mesh([(x, y, 12.0, 9.0, 40.0) for x, y in (centres + 60.0).tolist()])
    feet = np.column_stack([centres - 40.0, hills(*(centres - 40.0).T)])
    props = Props(
        np.full(len(feet), PropKind.BROADLEAF, np.uint8),
        feet,
        np.zeros(len(feet)),
        np.full(len(feet), 7.0),
    )
    world = replace(
        compiled_town([]),
        bounds=(-half, -half, half, half),
        ground=ground,
        buildings=towers,
        house_boxes=building_mesh([]),
        props=props,
    )
    return sort_into_tiles(world)


@pytest.fixture(scope="module")
def compiled():
    return country()


@pytest.fixture
def viewer(compiled):
    """A viewer of 600 m of sight, with a free camera."""
    opened = open_viewer(compiled, SETUP)
    yield opened
    opened.close()


def open_viewer(compiled: CompiledWorld, setup: MapSetup) -> Viewer:
    world = car_world(far=600.0, has_shadows=False)
    world = replace(world, terrain=TerrainDescription(Path("map.osm"), setup))
    state = car_state(world, z=20.0)
    opened = Viewer(world, compiled, state.tree, width=96, height=64, onscreen=False)
    opened.update(state)
    return opened


def meshes_of(compiled) -> tuple[TileMeshes, TileGrid]:
    grid, looks = TileGrid.of(compiled.bounds), surface_looks()
    houses = Houses(compiled, library=ModelLibrary(()), looks=looks)
    return TileMeshes(compiled, grid=grid, looks=looks, houses=houses), grid


def area(meshes: list[DrawMesh]) -> float:
    total = 0.0
    for mesh in meshes:
        a, b, c = (mesh.vertices[mesh.triangles[:, k]].astype(float) for k in range(3))
        total += np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0
    return float(total)


def test_the_tiles_together_are_the_world(compiled):
    meshes, grid = meshes_of(compiled)
    whole = ground_meshes(compiled.ground, surface_looks())
    pieces = [piece for tile in range(grid.count) for piece in meshes.near(tile)]
    for surface in (Surface.GROUND, Surface.CARRIAGEWAY):
        drawn = [
            piece.mesh for piece in pieces if piece.material.picture.name == surface.name.lower()
        ]
        assert area(drawn) == pytest.approx(area([whole[surface]]), rel=1e-6)
    trees = [cell for tile in range(grid.count) for cell in meshes.props(tile)]
    assert len(trees) == grid.count


def test_a_seam_has_the_same_normals_on_both_sides(compiled):
    looks, grid = surface_looks(), TileGrid.of(compiled.bounds)
    whole = ground_meshes(compiled.ground, looks)[Surface.GROUND]
    wanted = {tuple(p): n for p, n in zip(whole.vertices.tolist(), whole.normals, strict=True)}
    tile = 5 * ACROSS + 4
    cut, own = with_rim(compiled.ground, grid, tile)
    assert own < len(cut.triangles)
    drawn = ground_meshes(cut, looks, own=own)[Surface.GROUND]
    assert len(drawn.triangles) == own - (cut.surfaces[:own] != Surface.GROUND).sum()
    for place, normal in zip(drawn.vertices.tolist(), drawn.normals, strict=True):
        assert normal == pytest.approx(wanted[tuple(place)], abs=1e-5)


def test_neighbours_are_the_tiles_around():
    grid = TileGrid((0.0, 0.0), 4, 3)
    assert neighbours(grid, 5).tolist() == [0, 1, 2, 4, 6, 8, 9, 10]
    assert neighbours(grid, 0).tolist() == [1, 4, 5]
    assert neighbours(TileGrid((0.0, 0.0), 1, 1), 0).tolist() == []


def test_from_afar_a_tile_is_one_mesh_in_mean_colours_but_for_its_walls(compiled):
    meshes, _ = meshes_of(compiled)
    whole = [piece for piece in meshes.near(0) if piece.seen_up_to is None]
    plain = [piece for piece in whole if piece.material.shader_kind is not ShaderKind.WALL]
    far, walls = meshes.far(0)
    assert (far.material.picture, far.material.shader_kind) == (None, ShaderKind.PLAIN)
    assert walls.material.shader_kind is ShaderKind.WALL, "their windows are lit by night"
    # All of this ground's vertices are farther from each other than those that are put together.
    assert len(far.mesh.triangles) == sum(len(piece.mesh.triangles) for piece in plain)
    mean = {piece.material.picture.name: piece.material.picture.mean[:3] for piece in plain}
    roofs = next(piece for piece in plain if piece.material.picture.name == "roof")
    seen = {tuple(colour) for colour in far.mesh.colours[:, :3].tolist()}
    wanted = np.round(roofs.mesh.colours[:, :3] * mean["roof"]).astype(int)
    assert {tuple(colour) for colour in wanted.tolist()} <= seen
    assert not far.casts_shadow
    assert not walls.casts_shadow


def test_pieces_are_cut_into_cells_by_the_middles_of_their_triangles(compiled):
    mesh = ground_meshes(compiled.ground, surface_looks())[Surface.GROUND]
    parts = in_cells([Piece(mesh, Material(), seen_up_to=7.0)], 100.0)
    assert area([part.mesh for part in parts]) == pytest.approx(area([mesh]), rel=1e-6)
    assert len({part.cell for part in parts}) == len(parts) > ACROSS**2
    for part in parts:
        middles = part.mesh.vertices[part.mesh.triangles, :2].mean(axis=1)
        assert (np.floor(middles / 100.0) == part.cell).all()
        assert part.seen_up_to == 7.0


def test_water_shines_from_afar_too():
    square = np.array([[0, 0, 0], [9, 0, 0], [9, 9, 0], [0, 9, 0.0]])
    kinds = np.array([Surface.WATER, Surface.GROUND], dtype=np.uint8)
    mesh = Mesh(square, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32), kinds)
    world = replace(compiled_town([]), ground=mesh, bounds=(0.0, 0.0, 9.0, 9.0))
    (plain, water) = meshes_of(sort_into_tiles(world))[0].far(0)
    assert (plain.material.shader_kind, water.material.shader_kind) == (
        ShaderKind.PLAIN,
        ShaderKind.GLOSSY,
    )
    assert from_afar([]) == []


def test_only_tiles_in_sight_are_there_and_only_near_ones_in_full(viewer):
    viewer.image()
    there, in_full = viewer.shown_tiles
    assert 0 < in_full < there < ACROSS**2


def free(x: float, y: float, yaw: float = 0.4) -> FreeCamera:
    return FreeCamera(np.array([x, y, 30.0]), yaw, -0.1)


def test_a_picture_does_not_depend_on_where_the_camera_came_from(viewer, monkeypatch):
    camera = free(300.0, 200.0)
    viewer.add_camera("free:1", camera)
    straight = viewer.image("free:1").copy()
    monkeypatch.setattr(tiles_module, "MOST_NEAR", 2)
    monkeypatch.setattr(tiles_module, "MOST_FAR", 4)
    for x, y in ((-900.0, -900.0), (900.0, -200.0), (290.0, 215.0), (300.0, 200.0)):
        camera.position = np.array([x, y, 30.0])
        last = viewer.image("free:1")
    assert (last == straight).all()
    assert viewer.shown_tiles[0] < 60


def test_every_step_of_a_way_shows_the_same_as_a_fresh_look(compiled):
    """The step between two looks for tiles must not show: here it is 200 m."""
    viewer = open_viewer(compiled, replace(SETUP, camera_steps_per_tile=0.25))
    walker = free(-760.0, 10.0, yaw=0.0)
    viewer.add_camera("free:walker", walker)
    seen = []
    for k in range(8):
        walker.position = np.array([-760.0 + 63.0 * k, 10.0, 30.0])
        seen.append(viewer.image("free:walker").copy())
    for k in range(8):
        viewer.add_camera(f"free:{k}", free(-760.0 + 63.0 * k, 10.0, yaw=0.0))
        assert (viewer.image(f"free:{k}") == seen[k]).all(), k
    viewer.close()


def test_a_streamed_picture_begins_near_and_ends_complete(viewer):
    viewer.add_camera("free:1", free(0.0, 0.0))
    first = viewer.image("free:1", is_streamed=True).copy()
    there, in_full = viewer.shown_tiles
    assert there == in_full > 0, "what is near is there at once"
    assert not viewer.has_all
    pictures = 0
    while not viewer.has_all:
        streamed = viewer.image("free:1", is_streamed=True).copy()
        now = viewer.shown_tiles[0]
        assert now <= there + 1, "one tile a picture"
        there, pictures = now, pictures + 1
    assert pictures > 5
    assert (streamed != first).any()
    viewer.remove_camera("free:1")
    viewer.add_camera("free:1", free(0.0, 0.0))
    assert (viewer.image("free:1") == streamed).all()


def test_a_program_gets_all_at_once_though_a_window_streams(viewer):
    viewer.add_camera("free:1", free(0.0, 0.0))
    viewer.image("free:1", is_streamed=True)
    assert not viewer.has_all
    viewer.image("free:1")
    assert viewer.has_all


def test_both_of_two_cameras_far_apart_see_their_tiles(viewer):
    viewer.add_camera("free:west", free(-1200.0, 0.0))
    alone = viewer.image("free:west").copy()
    viewer.add_camera("free:east", free(1200.0, 0.0, yaw=3.0))
    viewer.image("free:east")
    viewer.add_camera("free:north", free(0.0, 1200.0))
    viewer.image("free:north")
    viewer.update(car_state(car_world(far=600.0, has_shadows=False), z=20.0))
    assert (viewer.image("free:west") == alone).all()


def test_one_level_of_detail_draws_all_in_full(compiled):
    opened = open_viewer(compiled, replace(SETUP, terrain_levels_of_detail=1))
    opened.image()
    there, in_full = opened.shown_tiles
    opened.close()
    assert there == in_full > 0


def test_the_pictures_of_a_set_up_lie_on_their_surfaces(tmp_path):
    Image.new("RGB", (8, 4), (10, 200, 30)).save(tmp_path / "road.png")
    (tmp_path / "broken.png").write_text("no picture")
    setup = MapSetup(
        name="town",
        road_textures=(("Road", "road.png"), ("LeftCurb", "broken.png")),
        terrain_texture="road.png",
        texture_repeat=4.0,
    )
    warnings: list[str] = []
    bounds = (-100.0, -50.0, 100.0, 50.0)
    looks = looks_of_setup(setup, bounds=bounds, roots=(tmp_path,), warnings=warnings)
    assert looks[Surface.CARRIAGEWAY].picture.pixels[0, 0].tolist() == [10, 200, 30, 255]
    assert looks[Surface.CARRIAGEWAY].colour == (255, 255, 255, 255)
    corners = np.array([[-100.0, -50.0], [100.0, 50.0]])
    assert looks[Surface.GROUND].uvs(corners).tolist() == [[0.0, 0.0], [4.0, 4.0]]
    (said,) = warnings
    assert said.startswith("kerb has AutoSim's own texture: ")
    assert "broken.png" in said


def test_a_sky_box_is_seen_from_within_the_right_way_round():
    north, up = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
    side = side_mesh(north, up)
    low_left = side.vertices[(side.uvs == 0.0).all(axis=1)][0]
    assert low_left[0] < 0.0 < low_left[1]
    assert low_left[2] < 0.0
    assert np.linalg.norm(side.vertices, axis=1) == pytest.approx(1.0)


def test_the_sky_is_the_box_of_the_set_up(tmp_path):
    colours = {"1": (255, 0, 0), "2": (0, 255, 0), "3": (0, 0, 255)}
    for side in "123456":
        Image.new("RGB", (4, 4), colours.get(side, (9, 9, 9))).save(tmp_path / f"{side}.png")
    world = car_world(has_shadows=False)
    sky = ModelReference(tmp_path.name, "png")
    setup = MapSetup(name="town", source=tmp_path.parent / "setup.xml", sky_box=sky)
    world = replace(world, terrain=TerrainDescription(Path("map.osm"), setup))
    state = car_state(world)
    opened = Viewer(world, compiled_town([]), state.tree, width=32, height=32, onscreen=False)
    opened.update(state)
    for name, yaw, colour in (("n", np.pi / 2, "2"), ("w", np.pi, "1"), ("e", 0.0, "3")):
        opened.add_camera(f"free:{name}", FreeCamera(np.array([0.0, 0.0, 5.0]), yaw, 0.2))
        assert opened.image(f"free:{name}")[2, 16, :3].tolist() == list(colours[colour])
    opened.close()


def test_thousands_of_one_house_are_a_mesh_a_tile(request):
    houses = tuple(
        Building((4.0 * (k % 90) - 180.0, 4.0 * (k // 90) - 60.0, 0.0), 0.1 * k, (3, 3, 3), model)
        for k in range(2700)
        for model in ["models/buildings/house0" if k % 3 else "models/nowhere"]
    )
    compiled = compiled_town([], houses)
    grid, looks = TileGrid.of(compiled.bounds), surface_looks()
    library = ModelLibrary((request.config.rootpath,))
    made = Houses(compiled, library=library, looks=looks)
    near = [piece for tile in range(grid.count) for piece in made.pieces(tile, is_near=True)]
    far = [piece for tile in range(grid.count) for piece in made.pieces(tile, is_near=False)]
    fine, coarse = library.levels("models/buildings/house0")
    count = sum(len(piece.mesh.triangles) for piece in near if piece.material.picture is None)
    assert count == 1800 * fine.triangles
    count = sum(len(piece.mesh.triangles) for piece in far if piece.material.picture is None)
    assert count == 1800 * coarse.triangles < 1800 * fine.triangles / 3
    boxes = [piece for piece in near if piece.material.picture is not None]
    assert sum(len(piece.mesh.triangles) for piece in boxes) == 900 * 10, "no floors"
    assert len(near) <= 3 * grid.count
    (said,) = library.warnings
    assert "models/nowhere" in said


def test_a_viewer_that_is_closed_leaves_the_others_their_pictures(compiled, viewer):
    before = viewer.image().copy()
    other = open_viewer(compiled, SETUP)
    other.image()
    other.close()
    viewer.update(car_state(car_world(far=600.0, has_shadows=False), z=20.0))
    np.testing.assert_array_equal(viewer.image(), before)
