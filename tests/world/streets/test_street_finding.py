import numpy as np
import pytest

from autosim.config.descriptions import HighwayDimension, MapSetup
from autosim.world.geometry.curves import length_of
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.osm.highways import BUILT_IN
from autosim.world.osm.osm_reader import read_osm
from autosim.world.osm.tags import layer_of
from autosim.world.streets.street_finding import find_streets
from autosim.world.streets.street_profiles import street_profile
from tests.world.maps import CROSSING, ORIGIN, RESIDENTIAL, write_map


def profile(**tags):
    tags = {"highway": "residential"} | {k.replace("__", ":"): v for k, v in tags.items()}
    return street_profile(tags, BUILT_IN[tags["highway"]])


def streets_of(folder, ways, setup=None):
    data = read_osm(write_map(folder, ways))
    return find_streets(data, MapProjection(ORIGIN).to_local(data.places), setup=setup)


def test_ways_are_split_where_they_meet(tmp_path):
    streets = streets_of(tmp_path, CROSSING)
    assert len(streets) == 4
    assert all(length_of(street.points) == pytest.approx(120.0, abs=0.1) for street in streets)


def test_ways_that_go_on_in_one_another_are_one_street(tmp_path):
    ways = [
        (((0.0, 0.0), (50.0, 0.0)), RESIDENTIAL | {"name": "A"}),
        (((90.0, 30.0), (50.0, 0.0)), RESIDENTIAL | {"name": "B"}),
    ]
    streets = streets_of(tmp_path, ways)
    assert len(streets) == 1
    assert length_of(streets[0].points) == pytest.approx(100.0, abs=1.0)


def test_one_way_streets_join_along_their_traffic(tmp_path):
    one_way = RESIDENTIAL | {"oneway": "yes"}
    ways = [
        (((50.0, 0.0), (100.0, 0.0)), one_way),
        (((0.0, 0.0), (50.0, 0.0)), one_way),
    ]
    streets = streets_of(tmp_path, ways)
    assert len(streets) == 1
    assert streets[0].points[-1] == pytest.approx([100.0, 0.0], abs=0.01)
    assert streets[0].profile.backward_lanes == 0


def test_one_way_against_the_points_is_turned(tmp_path):
    streets = streets_of(tmp_path, [(((0.0, 0.0), (50.0, 0.0)), RESIDENTIAL | {"oneway": "-1"})])
    assert streets[0].points[0] == pytest.approx([50.0, 0.0], abs=0.01)


def test_bridges_and_tunnels_are_streets_of_their_own_level(tmp_path):
    ways = [
        (((0.0, 0.0), (60.0, 0.0)), RESIDENTIAL),
        (((60.0, 0.0), (90.0, 0.0)), RESIDENTIAL | {"bridge": "yes", "layer": "1"}),
        (((90.0, 0.0), (150.0, 0.0)), RESIDENTIAL | {"tunnel": "yes"}),
    ]
    streets = streets_of(tmp_path, ways)
    assert sorted(street.layer for street in streets) == [-1, 0, 1]


def test_layer_alone_makes_no_bridge():
    assert layer_of({"layer": "2"}) == 0
    assert layer_of({"bridge": "viaduct"}) == 1
    assert layer_of({"tunnel": "yes", "layer": "-2"}) == -2
    assert layer_of({"tunnel": "building_passage"}) == 0


def test_footways_are_no_streets(tmp_path):
    streets = streets_of(tmp_path, [*CROSSING, (((0.0, 9.0), (9.0, 9.0)), {"highway": "steps"})])
    assert len(streets) == 4


def test_a_set_up_says_what_is_built_and_how_wide(tmp_path):
    setup = MapSetup("s", highways=(("residential", HighwayDimension(9.0, 1.0, 2.0)),))
    ways = [*CROSSING, (((0.0, 9.0), (9.0, 9.0)), {"highway": "primary"})]
    streets = streets_of(tmp_path, ways, setup)
    assert {street.profile.width for street in streets} == {9.0}
    assert {street.profile.pavement for street in streets} == {(1.0, 2.0)}


def test_lanes_and_width_follow_the_tags():
    assert profile(lanes="4", highway="primary").width == pytest.approx(14.0)
    assert (profile(width="7").width, profile(width="900").width) == (7.0, 30.0)
    uneven = profile(highway="primary", lanes="3", lanes__backward="1")
    assert (uneven.forward_lanes, uneven.backward_lanes) == (2, 1)


def test_roundabouts_and_motorways_are_one_way():
    assert profile(junction="roundabout").is_one_way
    assert profile(highway="motorway").is_one_way
    assert not profile(highway="motorway", oneway="no").is_one_way


def test_pavements_follow_the_sidewalk_tag():
    assert profile(sidewalk="left").pavement == (1.5, 0.0)
    assert profile(sidewalk="no").pavement == (0.0, 0.0)


def test_nodes_at_one_place_do_no_harm(tmp_path):
    ways = [(((0.0, 0.0), (30.0, 0.0), (30.0, 1e-4), (60.0, 20.0)), RESIDENTIAL)]
    streets = streets_of(tmp_path, ways)
    assert np.isfinite(streets[0].points).all()
