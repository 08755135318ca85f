"""Houses have gardens where the map shows nothing: hedges along the street, and trees."""

import numpy as np
import pytest
import shapely

from autosim.world.compiled.compiled_world import HEDGE, PropKind
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Surface
from tests.world.maps import build_map

STREET = ((-150.0, 0.0), (150.0, 0.0))
HOUSES = tuple(
    ((x, y), (x + 11.0, y), (x + 11.0, y + 9.0), (x, y + 9.0), (x, y))
    for x in np.arange(-130.0, 120.0, 30.0).tolist()
    for y in (14.0, -23.0)
)


def town(folder, kind, *, more=()):
    ways = [(STREET, {"highway": "residential"}), *more]
    return build_map(folder, [*ways, *((house, {"building": kind}) for house in HOUSES)])


@pytest.fixture(scope="module")
def suburb(tmp_path_factory):
    return town(tmp_path_factory.mktemp("suburb"), "yes")


def test_hedges_stand_between_the_street_and_the_houses_along_the_street(suburb):
    hedges = suburb.props.kinds == PropKind.HEDGE
    places, yaws = suburb.props.positions[hedges], suburb.props.yaws[hedges]
    assert len(places) > 12
    assert (np.abs(places[:, 1]) < 14.0).all()
    assert np.abs(np.cos(yaws)).max() < 1e-6
    half = np.array([0.5 * HEDGE[1], 0.0])
    ground = GroundIndex.build(suburb.ground)
    for end in (-half, half):
        assert (ground.surfaces_at(places[:, :2] + end) == Surface.GROUND).all()


def test_some_houses_have_no_hedge_and_the_others_have_gates(suburb):
    hedges = suburb.props.positions[suburb.props.kinds == PropKind.HEDGE]
    gaps = np.diff(np.sort(hedges[hedges[:, 1] > 0, 0]))
    assert gaps.max() > 1.9 * HEDGE[1]


def test_trees_stand_around_houses_and_stop_no_car(suburb):
    places = suburb.props.positions[suburb.props.kinds == PropKind.BROADLEAF, :2]
    houses = shapely.union_all([shapely.Polygon(house) for house in HOUSES])
    gaps = shapely.distance(houses, shapely.points(places))
    assert len(places) >= 0.5 * len(HOUSES)
    assert gaps.min() >= 2.5
    assert gaps.max() < 25.0
    assert set(suburb.obstacles.surfaces.tolist()) == {Surface.DOOR}


def test_blocks_and_what_the_map_shows_have_no_gardens(tmp_path, suburb):
    assert not (town(tmp_path, "apartments").props.kinds == PropKind.HEDGE).any()
    yard = ((-140.0, 4.0), (140.0, 4.0), (140.0, 60.0), (-140.0, 60.0), (-140.0, 4.0))
    paved = town(tmp_path, "yes", more=[(yard, {"highway": "pedestrian", "area": "yes"})])
    north = paved.props.positions[np.isin(paved.props.kinds, (PropKind.HEDGE, PropKind.BROADLEAF))]
    assert (north[np.abs(north[:, 0]) < 130.0, 1] < 0.0).all()


def test_the_same_map_has_the_same_gardens(tmp_path, suburb):
    np.testing.assert_array_equal(town(tmp_path, "yes").props.positions, suburb.props.positions)
