"""Storeys of buildings without stated ones follow from what is around them."""

import numpy as np
import pytest
import shapely

from autosim.world.buildings.building_solids import building_height
from autosim.world.buildings.roofs import RoofShape, roof_of
from autosim.world.buildings.usual_buildings import with_usual_storeys
from autosim.world.osm.areas import Area

BERLIN, PERTH = (52.5, 13.4), (-31.97, 115.83)


def quarter(width, gap, tags=None, count=8):
    """A square of buildings of `width` [m], with gaps between them."""
    corners = (width + gap) * np.stack(np.indices((count, count)), axis=2).reshape(-1, 2)
    shapes = shapely.box(*corners.T, *(corners + width).T)
    return [Area(k, tags or {"building": "yes"}, each) for k, each in enumerate(shapes, start=100)]


def storeys_of(areas, place=BERLIN, trade=()):
    found = with_usual_storeys(areas, streets=[], trade=trade, place=place)
    return np.array([building_height(each.tags) / 3.0 for each in found]), found


def test_closed_blocks_of_europe_have_four_to_six_storeys():
    storeys, _ = storeys_of(quarter(16.0, 6.0))
    inner = storeys.reshape(8, 8)[2:-2, 2:-2]
    # Without a street in front they stand in a yard, where there is a storey less.
    assert 3 <= inner.min() < inner.max() <= 5
    assert inner.mean() > storeys_of(quarter(16.0, 6.0), PERTH)[0].reshape(8, 8)[2:-2, 2:-2].mean()


def test_houses_of_a_suburb_have_one_or_two_storeys_and_a_pitched_roof():
    storeys, found = storeys_of(quarter(11.0, 22.0))
    assert set(storeys.tolist()) == {1.0, 2.0}
    rectangle = shapely.box(0, 0, 11, 9)
    shapes = {roof_of(each.tags, rectangle, rectangle, seed=each.id).shape for each in found}
    assert shapes == {RoofShape.GABLED, RoofShape.HIPPED}


def test_neighbours_with_stated_storeys_decide():
    areas = quarter(16.0, 6.0)
    tagged = [Area(each.id, {**each.tags, "building:levels": "7"}, each.shape) for each in areas]
    mixed = [a if k % 2 else b for k, (a, b) in enumerate(zip(areas, tagged, strict=True))]
    assert set(storeys_of(mixed)[0].tolist()) == {7.0}


def test_sheds_are_low_even_among_blocks():
    shed = Area(1, {"building": "yes"}, shapely.box(17.0, 17.0, 21.0, 21.0))
    assert storeys_of([*quarter(16.0, 6.0), shed])[0][-1] == 1.0


def test_large_buildings_on_industrial_land_are_halls():
    areas = quarter(30.0, 8.0)
    storeys, found = storeys_of(areas, trade=[shapely.box(-10, -10, 400, 400)])
    assert set(storeys.tolist()) == {2.0}
    assert found[0].tags["building"] == "industrial"


@pytest.mark.parametrize(
    "tags",
    [
        {"building": "yes", "height": "9"},
        {"building": "yes", "building:levels": "3"},
        {"building": "yes", "historic": "monument"},
        {"building": "church"},
        {"building": "yes", "building:part": "yes"},
    ],
)
def test_what_the_map_says_stays(tags):
    (area,) = quarter(16.0, 6.0, tags, count=1)
    assert with_usual_storeys([area], streets=[], trade=[], place=BERLIN) == [area]


def test_a_building_with_mapped_parts_stays():
    (area,) = quarter(16.0, 6.0, count=1)
    part = Area(7, {"building:part": "yes", "height": "4"}, shapely.box(2, 2, 9, 9))
    assert with_usual_storeys([area, part], streets=[], trade=[], place=BERLIN) == [area, part]
