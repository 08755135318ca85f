"""Cars park along streets: beside the lanes, off junctions, crossings, stops and houses."""

import numpy as np
import pytest
import shapely

from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Surface
from autosim.world.osm.street_parking import DIAGONAL, PARALLEL, PERPENDICULAR, bays_of
from tests.world.maps import RESIDENTIAL, build_map
from tests.world.scenery.test_fronts import on_a_slope
from tests.world.scenery.test_parked_cars import boxes, parked

STREET = ((-120.0, 0.0), (0.0, 0.0), (120.0, 0.0))
BOTH = RESIDENTIAL | {"parking:both": "lane"}


@pytest.mark.parametrize(
    ("tags", "left", "right"),
    [
        ({"parking:both": "lane"}, PARALLEL, PARALLEL),
        ({"parking:left": "street_side", "parking:right": "no"}, PARALLEL, None),
        ({"parking:right": "lane", "parking:right:orientation": "diagonal"}, None, DIAGONAL),
        (
            {"parking:both": "yes", "parking:both:orientation": "perpendicular"},
            PERPENDICULAR,
            PERPENDICULAR,
        ),
        ({"parking:both": "separate"}, None, None),
        ({"parking:left": "lane", "parking:left:restriction": "no_stopping"}, None, None),
        ({"parking:right": "inline"}, None, PARALLEL),
        ({"parking:lane:both": "parallel"}, PARALLEL, PARALLEL),
        ({"parking:lane:left": "orthogonal", "parking:lane:right": "no"}, PERPENDICULAR, None),
        ({"parking:lane:both": "drawn_separately"}, None, None),
        ({"parking:both": "🅿;;", "parking:lane:left": ""}, None, None),
        ({"parking:both:orientation": "diagonal", "parking:condition:left": "free"}, None, None),
    ],
)  # fmt: skip
def test_tags_of_both_schemes_and_their_faults(tags, left, right):
    for found, wanted in zip(bays_of(tags), (left, right), strict=True):
        assert (found is None) == (wanted is None)
        if found and wanted:
            assert (found.depth, found.pitch, found.angle) == (
                wanted.depth, wanted.pitch, wanted.angle,
            )  # fmt: skip


def test_where_cars_stand_tells_how_much_of_the_carriageway_they_take():
    inside = {
        where: bays_of({"parking:left": where})[0].inside
        for where in ("lane", "half_on_kerb", "on_kerb", "street_side")
    }
    assert inside == {"lane": 2.0, "half_on_kerb": 1.0, "on_kerb": 0.0, "street_side": 0.0}
    old = bays_of({"parking:lane:both": "parallel", "parking:lane:both:parallel": "lay_by"})
    assert old[0].inside == 0.0


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    side = (((0.0, 0.0), (0.0, 120.0)), RESIDENTIAL)
    stop = ((80.0, -6.0), {"highway": "bus_stop"})
    crossing = ((-60.0, 0.0), {"highway": "crossing"})
    line = ((-120.0, 0.0), (-60.0, 0.0), (0.0, 0.0), (120.0, 0.0))
    house = ((-30.0, -6.0), (-20.0, -6.0), (-20.0, -16.0), (-30.0, -16.0), (-30.0, -6.0))
    return build_map(
        tmp_path_factory.mktemp("street"),
        [(line, BOTH), side, (house, {"building": "yes"})],
        side="right",
        nodes=[stop, crossing],
    )


def test_cars_stand_on_both_sides_beside_the_lanes(town):
    positions, yaws = parked(town)
    assert 18 < len(positions) < 60
    outlines = boxes(positions, yaws)
    lanes = town.roads.lanes
    for lane in lanes:
        room = shapely.LineString(lane.centre_line[:, :2]).buffer(lane.width / 2.0)
        assert not shapely.intersects(outlines, room).any() or lane.is_connector
    assert {lane.width for lane in lanes if not lane.is_connector} == {3.25}, "lanes stay as wide"
    right = positions[:, 1] < 0.0
    assert 5 < right.sum() < len(positions) - 5
    # Traffic keeps right: those on the south side look east, those on the north side west.
    assert np.cos(yaws) == pytest.approx(np.where(right, 1.0, -1.0))
    assert np.abs(positions[:, 1]) == pytest.approx(4.25, abs=0.06)


def test_none_stands_near_a_junction_a_crossing_a_stop_or_a_house(town):
    x, y = parked(town)[0][:, :2].T
    ends = np.abs(x) - 2.25
    assert ends[y > 0.0].min() > 3.25 + 5.0, "5 m from the edge of the street that joins"
    assert (np.abs(x + 60.0) - 2.25).min() > 4.0, "off the crossing"
    near_stop = (np.abs(x - 80.0) < 15.0) & (y < 0.0)
    assert not near_stop.any()
    assert not ((np.abs(x + 25.0) < 7.0) & (y < 0.0)).any(), "the house leaves no room"


def test_the_pavement_lies_behind_the_cars(town):
    positions, _ = parked(town)
    outward = np.sign(positions[:, 1])[:, None] * [0.0, 1.0]
    index = GroundIndex.build(town.ground)
    behind = np.column_stack([positions[:, :2] + 1.9 * outward, positions[:, 2]])
    assert (index.surfaces_at(behind) == Surface.PAVEMENT).all()
    assert (index.surfaces_at(positions) == Surface.CARRIAGEWAY).all()


def test_a_tagged_width_holds_the_cars_as_well(tmp_path):
    world = build_map(tmp_path, [(STREET, BOTH | {"width": "10"})])
    assert {lane.width for lane in world.roads.lanes} == {3.0}
    positions, _ = parked(world)
    assert np.abs(positions[:, 1]) == pytest.approx(4.0, abs=0.06)


def test_lanes_stay_wide_enough_where_the_tagged_width_is_too_small(tmp_path):
    world = build_map(tmp_path, [(STREET, BOTH | {"width": "6"})])
    assert {lane.width for lane in world.roads.lanes} == {2.75}
    assert len(parked(world)[0]) > 20


@pytest.mark.parametrize(("orientation", "angle"), [("diagonal", 45.0), ("perpendicular", 90.0)])
def test_cars_stand_askew(tmp_path, orientation, angle):
    tags = RESIDENTIAL | {
        "parking:left": "street_side",
        "parking:left:orientation": orientation,
    }
    positions, yaws = parked(build_map(tmp_path, [(STREET, tags)]))
    outlines = boxes(positions, yaws)
    assert len(positions) > 30
    assert (positions[:, 1] > 0.0).all()
    assert np.abs(np.degrees(np.arcsin(np.abs(np.sin(yaws)))) - angle).max() < 0.1
    assert shapely.bounds(outlines)[:, 1].min() > 3.25
    assert len(shapely.STRtree(outlines).query(outlines, predicate="intersects")[0]) == len(yaws)


def test_a_street_without_such_tags_is_as_it_was(tmp_path):
    plain = build_map(tmp_path, [(STREET, RESIDENTIAL)])
    other = build_map(tmp_path, [(STREET, RESIDENTIAL | {"parking:both": "no"})])
    assert plain.ground.vertices.tobytes() == other.ground.vertices.tobytes()
    assert not len(parked(plain)[0])


def test_parking_that_ends_half_way_leaves_the_street_in_one_piece(tmp_path):
    ways = [(STREET[:2], BOTH), (STREET[1:], RESIDENTIAL)]
    world = build_map(tmp_path, ways)
    positions, _ = parked(world)
    assert len(positions) > 10
    assert positions[:, 0].max() < -2.2
    assert len(world.roads.lanes) == len(build_map(tmp_path, [(STREET, BOTH)]).roads.lanes)


def test_cars_are_not_set_twice_where_an_area_is_mapped_as_well(tmp_path):
    area = ((-60.0, 3.5), (60.0, 3.5), (60.0, 6.0), (-60.0, 6.0), (-60.0, 3.5))
    lot = (area, {"amenity": "parking", "parking": "street_side"})
    tags = RESIDENTIAL | {"parking:left": "lane"}
    positions, yaws = parked(build_map(tmp_path, [(STREET, tags), lot]))
    outlines = boxes(positions, yaws)
    assert len(shapely.STRtree(outlines).query(outlines, predicate="intersects")[0]) == len(yaws)


def test_bays_begin_behind_the_stop_lines_of_a_junction(tmp_path):
    other = (((0.0, -120.0), (0.0, 0.0), (0.0, 120.0)), RESIDENTIAL)
    signals = ((0.0, 0.0), {"highway": "traffic_signals"})
    world = build_map(tmp_path, [(STREET, BOTH), other], nodes=[signals])
    positions, yaws = parked(world)
    turns = [
        shapely.LineString(lane.centre_line[:, :2]).buffer(lane.width / 2.0 + 0.9)
        for lane in world.roads.lanes
        if lane.is_connector
    ]
    assert len(positions) > 10
    assert not shapely.intersects(shapely.union_all(turns), boxes(positions, yaws)).any()


@pytest.mark.parametrize(("is_uphill", "are_there"), [(True, False), (False, True)])
def test_nobody_parks_on_a_steep_street(tmp_path, is_uphill, are_there):
    # The hillside rises by a third to the north.
    line = ((0.0, -80.0), (0.0, 80.0)) if is_uphill else ((-80.0, 0.0), (80.0, 0.0))
    world = on_a_slope(tmp_path, [(line, BOTH)])
    assert bool(len(parked(world)[0])) == are_there
