from itertools import pairwise

import pytest

from autosim.world.lanes.routing import TIGHTEST, best_start, endless_lanes, least_radii, route
from tests.world.maps import CROSSING, RESIDENTIAL, build_map


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    ways = [*CROSSING, (((60.0, 0.0), (60.0, 25.0)), RESIDENTIAL)]
    return build_map(tmp_path_factory.mktemp("routing"), ways).roads


def test_a_route_follows_successors_and_is_long_enough(network):
    start, _ = best_start(network)
    lanes = route(network, start, length=900.0, seed=3)
    assert sum(network.lanes[k].length for k in lanes) >= 900.0
    for lane, successor in pairwise(lanes):
        assert successor in network.lanes[lane].successors


def test_the_same_seed_gives_the_same_route(network):
    start, _ = best_start(network)
    first = route(network, start, length=2000.0, seed=5)
    assert first == route(network, start, length=2000.0, seed=5)


def test_a_route_avoids_dead_ends_and_tight_curves(network):
    endless = endless_lanes(network)
    assert not endless.all()
    start, _ = best_start(network)
    lanes = route(network, start, length=3000.0, seed=1)
    assert endless[lanes].all()
    assert least_radii(network)[lanes].min() >= TIGHTEST


def test_a_route_ends_where_nothing_follows(network):
    ended = next(lane.index for lane in network.lanes if not lane.successors)
    assert route(network, ended, length=500.0, seed=0) == [ended]


def test_a_network_without_lanes_has_no_start():
    from autosim.world.lanes.roads import RoadNetwork

    with pytest.raises(ValueError, match="no place to start"):
        best_start(RoadNetwork.from_lanes([]))
