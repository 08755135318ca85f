"""GeoJSON of lanes: where they are, in which direction, and what they say."""

import json

import numpy as np
import pytest

from autosim.world.export.geojson import geojson
from autosim.world.geometry.map_projection import MapProjection
from tests.world.maps import CROSSING, build_map


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return build_map(tmp_path_factory.mktemp("map"), CROSSING)


@pytest.fixture(scope="module")
def features(world):
    return json.loads(geojson(world))["features"]


def test_every_lane_is_a_line_in_driving_direction(world, features):
    lanes = features[1:]
    assert len(lanes) == len(world.roads.lanes)
    projection = MapProjection(world.origin)
    for feature, lane in zip(lanes, world.roads.lanes, strict=True):
        places = np.array(feature["geometry"]["coordinates"])
        points = projection.to_local(places[:, 1::-1])
        assert points == pytest.approx(lane.centre_line[:, :2], abs=0.01)


def test_a_lane_says_what_it_is(world, features):
    for feature, lane in zip(features[1:], world.roads.lanes, strict=True):
        properties = feature["properties"]
        assert properties["highway"] == "residential"
        assert properties["successors"] == list(lane.successors)
        assert properties["is_connector"] == lane.is_connector
        assert properties["width_m"] == pytest.approx(lane.width, abs=1e-3)
        assert properties["speed_limit_m_s"] == pytest.approx(lane.speed_limit, abs=1e-3)


def test_a_lane_says_what_governs_it(tmp_path):
    ways = [(CROSSING[0][0], {"highway": "primary"}), CROSSING[1]]
    features = json.loads(geojson(build_map(tmp_path, ways)))["features"][1:]
    lanes = [feature["properties"] for feature in features]
    waiting = [lane for lane in lanes if lane["control"]]
    assert len(waiting) == 2
    for lane in waiting:
        assert lane["control"] == "give_way"
        assert 0.0 < lane["stop_line_m"] < lane["length_m"]
        assert lane["turns"] == ["left", "through", "right"]
        through = lanes[lane["successors"][0]]
        assert through["gives_way_to"]
        assert all(lanes[k]["is_connector"] for k in through["gives_way_to"])
    assert {lane["friction"] for lane in lanes} == {1.0}


def test_the_bounds_follow_the_right_hand_rule(world, features):
    (ring,) = features[0]["geometry"]["coordinates"]
    assert ring[0] == ring[-1]
    x, y = np.array(ring).T
    assert np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]) > 0.0
    assert json.loads(geojson(world))["attribution"] == world.attribution
