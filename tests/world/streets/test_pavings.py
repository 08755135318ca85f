"""Paths, squares and yards are surfaces of the ground, and dense blocks are paved."""

from itertools import pairwise

import numpy as np
import pytest

from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Surface
from autosim.world.osm.surface_friction import FRICTIONS
from tests.world.maps import RESIDENTIAL, build_map

STREET = (((-120.0, 0.0), (120.0, 0.0)), RESIDENTIAL)
CORNERS = ((-60.0, -60.0), (60.0, -60.0), (60.0, 60.0), (-60.0, 60.0), (-60.0, -60.0))
BLOCK = [(ends, RESIDENTIAL) for ends in pairwise(CORNERS)]
PATH = ((0.0, 20.0), (0.0, 60.0))


def box(x, y, half, half_y=None):
    h = half if half_y is None else half_y
    return ((x - half, y - h), (x + half, y - h), (x + half, y + h), (x - half, y + h),
            (x - half, y - h))  # fmt: skip


def surfaces(world, *points):
    index = GroundIndex.build(world.ground)
    return [Surface(each) for each in index.surfaces_at(np.array(points)).tolist()]


@pytest.mark.parametrize(
    ("tags", "surface"),
    [
        ({"highway": "footway"}, Surface.PAVING),
        ({"highway": "cycleway"}, Surface.ASPHALT),
        ({"highway": "path"}, Surface.GRAVEL),
        ({"highway": "footway", "surface": "sett"}, Surface.SETT),
        ({"highway": "footway", "surface": "fine_gravel"}, Surface.GRAVEL),
        ({"highway": "footway", "surface": "grass"}, Surface.GROUND),
        ({"highway": "footway", "bridge": "yes"}, Surface.GROUND),
        ({"highway": "footway", "indoor": "yes"}, Surface.GROUND),
        ({"highway": "pedestrian"}, Surface.PAVEMENT),
    ],
)
def test_a_path_has_the_surface_of_its_tags(tmp_path, tags, surface):
    world = build_map(tmp_path, [STREET, (PATH, tags)])
    assert surfaces(world, (0.0, 40.0), (8.0, 40.0)) == [surface, Surface.GROUND]


def test_a_path_is_as_wide_as_the_map_says(tmp_path):
    world = build_map(tmp_path, [STREET, (PATH, {"highway": "footway", "width": "5"})])
    found = surfaces(world, (2.3, 40.0), (2.7, 40.0), (-2.3, 40.0))
    assert found == [Surface.PAVING, Surface.GROUND, Surface.PAVING]


def test_a_path_runs_through_a_park_and_leaves_streets_alone(tmp_path):
    park = (box(0.0, 40.0, 30.0), {"leisure": "park"})
    path = (((0.0, -40.0), (0.0, 60.0)), {"highway": "path"})
    world = build_map(tmp_path, [STREET, park, path])
    found = surfaces(world, (0.0, 40.0), (10.0, 40.0), (0.0, 0.0), (0.0, 4.0))
    assert found == [Surface.GRAVEL, Surface.PARK, Surface.CARRIAGEWAY, Surface.PAVEMENT]
    assert dict(world.invariants)["open_edges"] == 0


def test_a_square_has_the_height_of_pavements_and_their_kerb(tmp_path):
    square = (box(0.0, 20.0, 20.0), {"highway": "pedestrian", "area": "yes"})
    world = build_map(tmp_path, [STREET, square])
    assert surfaces(world, (0.0, 30.0), (0.0, 3.4)) == [Surface.PAVEMENT, Surface.KERB]
    heights = GroundIndex.build(world.ground).heights_at(np.array([(0.0, 30.0), (0.0, 0.0)]))
    assert heights.tolist() == pytest.approx([0.15, 0.0])


def test_a_lawn_on_a_square_stays_green_and_a_square_in_a_park_is_paved(tmp_path):
    tags = {"highway": "pedestrian", "area": "yes", "surface": "sett"}
    lawn = (box(-50.0, 50.0, 5.0), {"landuse": "grass"})
    park = (box(50.0, 50.0, 30.0), {"leisure": "park"})
    squares = [(box(-50.0, 50.0, 20.0), tags), (box(50.0, 50.0, 10.0), tags)]
    world = build_map(tmp_path, [STREET, lawn, park, *squares])
    found = surfaces(world, (-50.0, 50.0), (-40.0, 50.0), (50.0, 50.0), (65.0, 50.0))
    assert found == [Surface.PARK, Surface.SETT, Surface.SETT, Surface.PARK]


def test_a_car_park_is_asphalt_but_for_its_greens_and_a_garage_is_none(tmp_path):
    garage = {"amenity": "parking", "parking": "underground"}
    ways = [
        STREET,
        (box(0.0, 50.0, 20.0), {"amenity": "parking"}),
        (box(10.0, 50.0, 5.0), {"landuse": "grass"}),
        (box(70.0, 50.0, 10.0), garage),
    ]
    found = surfaces(build_map(tmp_path, ways), (-5.0, 50.0), (10.0, 50.0), (70.0, 50.0))
    assert found == [Surface.ASPHALT, Surface.PARK, Surface.GROUND]


def test_wheels_have_the_grip_of_the_path(tmp_path):
    world = build_map(tmp_path, [STREET, (PATH, {"highway": "footway", "surface": "sett"})])
    frictions = world.ground_friction[world.ground.surfaces == Surface.SETT]
    assert len(frictions)
    assert frictions == pytest.approx(FRICTIONS["sett"])


@pytest.mark.parametrize(("half", "is_paved"), [(35.0, True), (12.0, False)])
def test_a_densely_built_block_is_paved_as_a_whole(tmp_path, half, is_paved):
    house = (box(0.0, 0.0, half), {"building": "yes"})
    park = (box(45.0, 45.0, 5.0), {"leisure": "garden"})
    world = build_map(tmp_path, [*BLOCK, house, park])
    found = surfaces(world, (-45.0, -45.0), (48.0, 0.0), (45.0, 45.0))
    beside = Surface.PAVING if is_paved else Surface.GROUND
    assert found == [beside, beside, Surface.PARK]


def test_crowded_houses_along_one_street_stand_on_paved_ground(tmp_path):
    row = [
        (box(x, y, 10.5, 9.0), {"building": "yes"})
        for x in (-44.0, -22.0, 0.0, 22.0, 44.0)
        for y in (15.0, -15.0)
    ]
    back = [(box(x, 35.0, 10.0, 9.0), {"building": "yes"}) for x in (-22.0, 0.0, 22.0)]
    world = build_map(tmp_path, [STREET, *row, *back])
    between, behind = surfaces(world, (11.0, 15.0), (-80.0, 40.0))
    assert (between, behind) == (Surface.PAVING, Surface.GROUND)


def test_houses_with_gardens_keep_their_lawns(tmp_path):
    row = [(box(x, 20.0, 5.0), {"building": "house"}) for x in range(-80, 81, 25)]
    world = build_map(tmp_path, [STREET, *row])
    assert surfaces(world, (-12.0, 20.0)) == [Surface.GROUND]


def test_a_strip_of_ground_between_street_and_square_is_paved(tmp_path):
    square = (box(0.0, 30.0, 25.0, 23.7), {"highway": "pedestrian", "area": "yes"})
    ends = [(box(x, 10.0, 3.0, 8.0), square[1]) for x in (-24.0, 24.0)]
    world = build_map(tmp_path, [STREET, square, *ends])
    assert Surface.GROUND not in surfaces(world, (0.0, 5.5), (0.0, 5.0), (0.0, 6.0))
