"""What is highest of bridges and tunnels around a camera."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.client.sky_and_light.rain_cover import NOTHING, RainCover
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.meshes import Mesh, Surface, joined
from tests.client.synthetic_town import compiled_town


def plate(z, low, high):
    """A square from (low, low) to (high, high) [m]."""
    vertices = np.array(
        [(x, y, z) for x, y in ((low, low), (high, low), (high, high), (low, high))]
    )
    triangles = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
    return Mesh(vertices, triangles, np.full(2, Surface.CONCRETE, dtype=np.uint8))


def roofs_over(*plates):
    return RainCover(sort_into_tiles(replace(compiled_town(), structures=joined(plates))))


def test_the_highest_of_each_square_is_found_also_on_several_tiles():
    roofs = roofs_over(plate(6.0, -3.0, 3.0), plate(4.0, -5.0, 2.0), plate(9.0, 60.0, 70.0))
    tops = roofs.tops((-6, -6), 12)
    assert tops.shape == (12, 12)
    assert set(np.unique(tops.round(9))) == {NOTHING, 4.0, 6.0}
    np.testing.assert_allclose(tops[3:9, 3:9], 6.0)
    assert tops[1, 1] == tops[2, 7] == pytest.approx(4.0)
    assert tops[0, 0] == tops[10, 10] == NOTHING
    np.testing.assert_allclose(roofs.tops((62, 62), 3), 9.0)


def test_rows_go_north_and_columns_east():
    tops = roofs_over(plate(6.0, 0.0, 4.0)).tops((0, 2), 6)
    np.testing.assert_allclose(tops[:2, :4], 6.0)
    assert (tops[2:] == NOTHING).all()
    assert (tops[:, 4:] == NOTHING).all()


def test_a_world_without_structures_has_no_roofs():
    assert (RainCover(compiled_town()).tops((-5, -5), 10) == NOTHING).all()
