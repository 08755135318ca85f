"""Tiles as glTF: they hold the town where it is, and neighbours meet without gaps."""

import numpy as np
import pytest

from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.gltf.document import FINEST_STEP, Document, PositionGrid
from autosim.client.gltf.tile_files import FACADE_STEP, TileFiles, tile_file
from autosim.client.materials.facades import facade_numbers
from autosim.client.models.model_library import ModelLibrary
from autosim.world.geometry.meshes import Surface
from tests.client.gltf.glb import parsed
from tests.paths import ROOT

CENTRE, EAST = 5, 6
"""Two neighbouring tiles in the middle of the shipped town."""


@pytest.fixture(scope="module")
def tiles(town):
    return TileFiles(town[1], ModelLibrary((ROOT,)))


def drawn(named):
    glb = parsed(tile_file(named))
    return glb.triangles(glb.node("tile"))


def area(corners):
    a, b, c = np.moveaxis(corners, 1, 0)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0


def test_a_tile_holds_its_surfaces_where_they_are(tiles):
    named = tiles.near(CENTRE)
    found = drawn(named)
    assert {"carriageway", "kerb", "pavement", "wall", "roof", "paint"} <= set(found)
    assert set(found) == set(named)
    for name, mesh in named.items():
        expected = mesh.vertices[mesh.triangles].astype(np.float64)
        assert area(found[name]) == pytest.approx(area(expected), rel=1e-2)
        low, high = expected.min(axis=(0, 1)), expected.max(axis=(0, 1))
        assert found[name].min(axis=(0, 1)) == pytest.approx(low, abs=FINEST_STEP)
        assert found[name].max(axis=(0, 1)) == pytest.approx(high, abs=FINEST_STEP)


def test_triangles_look_up_where_the_ground_does(tiles):
    a, b, c = np.moveaxis(drawn(tiles.near(CENTRE))["carriageway"], 1, 0)
    assert (np.cross(b - a, c - a)[:, 2] >= 0.0).all()


def test_from_afar_a_tile_has_the_same_streets_and_walls_in_fewer_triangles(tiles):
    near, far = drawn(tiles.near(CENTRE)), drawn(tiles.far(CENTRE))
    counts = [sum(len(each) for each in found.values()) for found in (near, far)]
    assert counts[1] < counts[0] / 2
    for name in ("carriageway", "wall", "roof"):
        assert area(far[name]) == pytest.approx(area(near[name]), rel=0.1)
    assert not {"paint", "door"} & set(far)


def test_tiles_meet_in_the_same_points(tiles):
    lines = []
    for tile in (CENTRE, EAST):
        found = drawn(tiles.near(tile))
        level = [found[name] for name in ("ground", "carriageway", "pavement", "kerb")]
        corners = np.concatenate(level).reshape(-1, 3)
        lines.append(np.unique(corners[np.abs(corners[:, 0]) < FINEST_STEP], axis=0))
    assert len(lines[0]) >= 5
    assert lines[0].tolist() == lines[1].tolist()


def test_walls_say_which_window_is_where(tiles):
    glb = parsed(tile_file(tiles.near(CENTRE)))
    [mesh] = glb.document["meshes"]
    mapped = {glb.material(p) for p in mesh["primitives"] if "TEXCOORD_0" in p["attributes"]}
    assert mapped == {"wall"}


def test_colours_are_linear_and_one_for_each_building(tiles):
    glb = parsed(tile_file(tiles.near(CENTRE)))
    [mesh] = glb.document["meshes"]
    colours = {
        glb.material(p): np.unique(glb.accessed(p["attributes"]["COLOR_0"])[:, :3], axis=0)
        for p in mesh["primitives"]
    }
    # (92, 93, 97) of sRGB (IEC 61966-2-1).
    assert colours["carriageway"].tolist() == [[27, 28, 30]]
    assert len(colours["wall"]) > 3


def test_walls_say_which_facade_they_have(tiles):
    near = tiles.near(CENTRE)
    glb = parsed(tile_file(near))
    (mesh,) = glb.document["meshes"]
    alphas = {
        glb.material(each): np.unique(glb.accessed(each["attributes"]["COLOR_0"])[:, 3]).tolist()
        for each in mesh["primitives"]
    }
    numbers = np.unique(facade_numbers(near["wall"].colours[near["wall"].triangles[:, 0]]))
    assert len(numbers) > 1
    assert alphas["wall"] == sorted((255 - FACADE_STEP * numbers).tolist())
    assert alphas["roof"] == [255]


def test_a_material_for_each_surface_that_is_there(tiles):
    known = {surface.name.lower() for surface in Surface} | {"house"}
    for tile in range(tiles.count):
        names = {name.removesuffix("_tunnel") for name in tiles.near(tile)}
        assert names <= known


def mesh_of(points, triangles):
    count = len(points)
    return DrawMesh(
        np.array(points, np.float32),
        np.tile(np.array([[0.0, 0.0, 1.0]], np.float32), (count, 1)),
        np.full((count, 4), 255, np.uint8),
        np.zeros((count, 2), np.float32),
        np.array(triangles, np.int32),
    )


def test_what_is_finer_than_the_grid_goes():
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 1e-4, 0), (1, 1e-4, 0)]
    mesh = mesh_of(points, [(0, 1, 2), (0, 3, 1), (3, 4, 2)])
    document = Document()
    grid = PositionGrid.around([mesh])
    primitive = document.primitive(mesh, document.material("ground", {}), grid=grid)
    document.node("tile", {"mesh": document.mesh("tile", [primitive])})
    glb = parsed(document.content())
    assert len(glb.accessed(primitive["attributes"]["POSITION"])) == 3
    # The triangle twice: once as it was, once with corners that became the same.
    assert glb.accessed(primitive["indices"]).ravel().tolist() == [0, 1, 2, 0, 1, 2]


def test_what_is_wide_has_a_coarser_grid_that_holds_it():
    wide = mesh_of([(-3000.0, 0, 0), (3000.0, 0, 0), (0, 3000.0, 50.0)], [(0, 1, 2)])
    grid = PositionGrid.around([wide])
    assert grid.step > FINEST_STEP
    points = np.array([(-3000.0, 0.0, 0.0), (3000.0, 50.0, -3000.0)])
    back = grid.quantized(points) * grid.step + grid.middle
    assert back == pytest.approx(points, abs=grid.step / 2.0)
