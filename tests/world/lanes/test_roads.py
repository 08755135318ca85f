import math

import numpy as np
import pytest

from autosim.world.lanes.roads import LaneRecord, RoadNetwork
from tests.world.maps import CROSSING, RESIDENTIAL, build_map


def straight(x0, x1, y=0.0, **changes):
    line = np.array([[x0, y, 1.0], [x1, y, 2.0]])
    values = {"road": 0, "width": 3.0, "speed_limit": 10.0, "highway": "residential"}
    return LaneRecord(
        centre_line=line, **(values | {"is_connector": False, "successors": ()} | changes)
    )


@pytest.fixture(scope="module")
def crossing(tmp_path_factory):
    return build_map(tmp_path_factory.mktemp("crossing"), CROSSING).roads


def test_a_lane_maps_both_ways():
    lane = RoadNetwork.from_lanes([straight(0.0, 50.0)]).lanes[0]
    point = lane.position(20.0, 1.5)
    assert point == pytest.approx([20.0, 1.5, 1.4])
    assert lane.local_coordinates(point) == pytest.approx((20.0, 1.5))
    assert lane.heading(20.0) == pytest.approx(0.0)


def test_local_coordinates_invert_position_on_every_lane(crossing):
    for lane in crossing.lanes:
        for s in np.linspace(0.1, lane.length - 0.1, 5):
            found = lane.local_coordinates(lane.position(s, -0.4))
            assert found == pytest.approx((s, -0.4), abs=0.15)


def test_past_its_ends_a_lane_goes_straight_on():
    lane = RoadNetwork.from_lanes([straight(0.0, 50.0)]).lanes[0]
    assert lane.position(60.0)[:2] == pytest.approx([60.0, 0.0])
    assert lane.position(-5.0)[:2] == pytest.approx([-5.0, 0.0])


def test_the_nearest_lane_minds_the_heading():
    network = RoadNetwork.from_lanes([straight(0.0, 50.0), straight(50.0, 0.0, y=3.0)])
    assert network.nearest_lane([25.0, 1.0])[0] == 0
    index, s, t = network.nearest_lane([20.0, 1.0], heading=math.pi)
    assert (index, s, t) == (1, pytest.approx(30.0), pytest.approx(2.0))


def test_arrays_hold_the_whole_network(crossing):
    copy = RoadNetwork.from_arrays(crossing.to_arrays())
    assert copy.highway_names == crossing.highway_names
    assert [lane.successors for lane in copy.lanes] == [lane.successors for lane in crossing.lanes]
    assert np.array_equal(copy.points, crossing.points)


def test_one_lane_follows_another_without_gap_or_kink(crossing):
    for lane in crossing.lanes:
        for successor in lane.successors:
            following = crossing.lanes[successor]
            assert following.position(0.0) == pytest.approx(lane.position(lane.length), abs=0.01)
            turn = math.remainder(following.heading(0.0) - lane.heading(lane.length), math.tau)
            assert abs(turn) < 0.12


def test_at_a_crossing_each_lane_leads_left_right_and_straight_on(crossing):
    arriving = [lane for lane in crossing.lanes if not lane.is_connector and lane.successors]
    inner = [lane for lane in arriving if len(lane.successors) == 3]
    assert len(inner) == 4


def test_traffic_keeps_to_its_side(tmp_path):
    for side, sign in (("left", 1.0), ("right", -1.0)):
        network = build_map(tmp_path, [(((-60.0, 0.0), (60.0, 0.0)), RESIDENTIAL)], side).roads
        index, _, _ = network.nearest_lane([0.0, 0.0], heading=0.0)
        middle = network.points[:, :2].mean(axis=0)
        lane = network.lanes[index]
        assert sign * (lane.position(lane.length / 2.0)[1] - middle[1]) > 1.0


def test_narrow_streets_share_their_lane(tmp_path):
    network = build_map(
        tmp_path, [(((-40.0, 0.0), (40.0, 0.0)), {"highway": "service", "width": "3"})]
    ).roads
    starts = [lane.position(0.5 * lane.length)[:2] for lane in network.lanes]
    assert np.linalg.norm(starts[0] - starts[1]) < 0.2


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_dead_end_has_a_turning_place(tmp_path, side):
    network = build_map(tmp_path, [(((-90.0, 0.0), (90.0, 0.0)), RESIDENTIAL)], side).roads
    assert all(lane.successors for lane in network.lanes)


def test_a_roundabout_is_driven_along_its_points(tmp_path):
    ring = [
        (20.0 * math.cos(a), 20.0 * math.sin(a))
        for a in np.linspace(0, -math.tau, 13)[:-1].tolist()
    ]
    ways = [
        ([*ring, ring[0]], RESIDENTIAL | {"junction": "roundabout"}),
        ([ring[0], (100.0, 0.0)], RESIDENTIAL),
        ([ring[6], (-100.0, 0.0)], RESIDENTIAL),
    ]
    network = build_map(tmp_path, ways).roads
    centre = np.array([np.median(network.points[:, 0]), np.median(network.points[:, 1])])
    for lane in network.lanes:
        ahead = lane.position(min(1.0, lane.length))[:2] - lane.position(0.0)[:2]
        arm = lane.position(0.0)[:2] - centre
        if 18.0 < np.linalg.norm(arm) < 21.0 and not lane.is_connector:
            assert arm[0] * ahead[1] - arm[1] * ahead[0] < 0.0
