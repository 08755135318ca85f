"""Waters of which an extract has only a part of the shore."""

import pytest

from autosim.world.geometry.map_projection import MapProjection
from autosim.world.osm.osm_reader import read_osm
from autosim.world.streets.waters import find_waters
from tests.world.maps import ORIGIN, write_map

WATER = {"type": "multipolygon", "natural": "water"}
PATH = {"highway": "footway"}
NOT_IN_THE_FILE = ("way", 999, "outer")
# A broad river of 600 m x 100 m, of which both banks are there and both ends are not.
SOUTH = (((-300.0, 0.0), (0.0, 0.0), (300.0, 0.0)), {})
NORTH = (((300.0, 100.0), (0.0, 100.0), (-300.0, 100.0)), {})
# Three sides of a bay of 200 m x 200 m, open to the north over 60 m.
BAY = (
    ((-30.0, 200.0), (-100.0, 200.0), (-100.0, 0.0), (100.0, 0.0), (100.0, 200.0), (30.0, 200.0)),
    {},
)


def waters(folder, ways, members):
    data = read_osm(write_map(folder, ways, relations=[(members, WATER)]))
    return find_waters(data, MapProjection(ORIGIN).to_local(data.places))


def test_the_banks_of_a_river_enclose_what_lies_between_them(tmp_path):
    members = [("way", 1, "outer"), ("way", 2, "outer"), NOT_IN_THE_FILE]
    (river,) = waters(tmp_path, [SOUTH, NORTH], members)
    assert river.area == pytest.approx(600.0 * 100.0, rel=0.01)


def test_a_bay_is_closed_where_its_shore_ends(tmp_path):
    (bay,) = waters(tmp_path, [BAY], [("way", 1, "outer"), NOT_IN_THE_FILE])
    assert bay.area == pytest.approx(200.0 * 200.0, rel=0.01)


@pytest.mark.parametrize(
    ("tags", "is_water"),
    [
        (PATH, False),
        ({**PATH, "bridge": "yes", "layer": "1"}, True),
        ({**PATH, "area": "yes"}, True),
    ],
    ids=["land", "a bridge", "a jetty"],
)
def test_what_bears_streets_is_land(tmp_path, tags, is_water):
    """The shore of a peninsula encloses no water."""
    across = [(((-90.0, y), (90.0, y)), tags) for y in (50.0, 100.0)]
    found = waters(tmp_path, [BAY, *across], [("way", 1, "outer"), NOT_IN_THE_FILE])
    assert bool(found) == is_water


def test_where_most_of_the_shore_is_missing_no_water_is_guessed(tmp_path):
    bank = [("way", 1, "outer"), NOT_IN_THE_FILE]
    assert waters(tmp_path, [SOUTH], bank) == []


def test_a_ring_that_is_not_closed_though_all_of_it_is_there_is_none(tmp_path):
    assert waters(tmp_path, [BAY], [("way", 1, "outer")]) == []
