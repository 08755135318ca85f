"""The sea lies to the right of coastlines, as far as these are whole."""

import numpy as np

from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Surface
from tests.world.maps import RESIDENTIAL, build_map

STREET = (((-120.0, 0.0), (120.0, 0.0)), RESIDENTIAL)
COAST = {"natural": "coastline"}


def surfaces(world, *points):
    index = GroundIndex.build(world.ground)
    return [Surface(each) for each in index.surfaces_at(np.array(points)).tolist()]


def test_the_sea_is_on_the_right_of_the_coast(tmp_path):
    world = build_map(tmp_path, [STREET, (((-900.0, -30.0), (900.0, -30.0)), COAST)])
    assert surfaces(world, (0.0, -20.0), (0.0, -40.0)) == [Surface.GROUND, Surface.WATER]
    assert dict(world.used)["ways"] == 2


def test_a_street_over_the_sea_stays_a_street(tmp_path):
    pier = (((0.0, 0.0), (0.0, -60.0)), RESIDENTIAL)
    world = build_map(tmp_path, [STREET, pier, (((-900.0, -30.0), (900.0, -30.0)), COAST)])
    assert surfaces(world, (0.0, -45.0)) == [Surface.CARRIAGEWAY]


def test_a_coast_that_ends_on_the_way_bounds_no_sea(tmp_path):
    world = build_map(tmp_path, [STREET, (((-900.0, -30.0), (0.0, -30.0)), COAST)])
    assert Surface.WATER not in world.ground.surfaces


def test_an_island_is_no_sea(tmp_path):
    corners = ((-20.0, -60.0), (20.0, -60.0), (20.0, -30.0), (-20.0, -30.0), (-20.0, -60.0))
    world = build_map(tmp_path, [STREET, (corners, COAST)])
    assert surfaces(world, (0.0, -45.0)) == [Surface.GROUND]
