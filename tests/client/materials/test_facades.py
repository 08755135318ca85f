"""Walls differ in their facades, which follow from the colours of buildings."""

import numpy as np
import pytest

from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.facades import by_facade, facade_looks
from autosim.client.materials.palette import WALL_COLOURS
from autosim.client.materials.surfaces import Facade, surface_looks
from autosim.client.tiles.house_meshes import building_pieces
from autosim.world.geometry.meshes import Surface

GLASS = 140
"""Greatest matness of panes: `shaders` lights windows behind them."""


def walls(colours):
    """A triangle in each colour."""
    count = len(colours)
    points = np.arange(9.0 * count).reshape(-1, 3).astype(np.float32)
    return DrawMesh(
        vertices=points,
        normals=np.zeros_like(points),
        colours=np.repeat(np.array(colours, dtype=np.uint8), 3, axis=0),
        uvs=points[:, :2],
        triangles=np.arange(3 * count, dtype=np.int32).reshape(-1, 3),
    )


def test_all_walls_have_a_facade_and_walls_of_one_colour_the_same():
    parts = dict(by_facade(walls(WALL_COLOURS * 2)))
    assert sum(len(mesh.triangles) for mesh in parts.values()) == 2 * len(WALL_COLOURS)
    assert len(parts) >= 4
    seen = [{tuple(row) for row in mesh.colours.tolist()} for mesh in parts.values()]
    assert sum(len(colours) for colours in seen) == len(WALL_COLOURS)


def test_red_walls_are_of_bricks():
    ((coat, _),) = by_facade(walls([(176, 110, 84, 255)]))
    assert coat is Facade.BRICK


@pytest.mark.parametrize("facade", list(Facade))
def test_every_facade_has_windows_that_can_be_lit_and_plaster_beside_them(facade):
    pixels = facade_looks()[facade].picture.pixels
    is_glass = pixels[..., 3] < GLASS
    assert 0.08 < is_glass.mean() < 0.4
    assert not is_glass[:, : pixels.shape[1] // 10].any()


def test_without_facades_among_the_looks_all_walls_are_alike():
    meshes = {Surface.WALL: walls(WALL_COLOURS)}
    assert len(building_pieces(meshes, surface_looks())) == 1
    assert len(building_pieces(meshes, facade_looks() | surface_looks())) >= 4
