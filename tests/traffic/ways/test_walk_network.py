"""Where people walk in a compiled world."""

import numpy as np
import pytest

from autosim.traffic.pedestrians.destinations import find_destinations
from autosim.traffic.pedestrians.post_obstacles import posts_of
from autosim.traffic.ways.network_builder import WalkableWorld, find_walk_network
from autosim.traffic.ways.walk_network import WayKind
from autosim.world.compiled.ground_index import GroundIndex, all_levels
from autosim.world.geometry.meshes import Surface
from tests.traffic.signals.junctions import signalled_crossing


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return signalled_crossing(tmp_path_factory.mktemp("crossing"), with_people=True)


@pytest.fixture(scope="module")
def network(world):
    return find_walk_network(WalkableWorld(world))


def ways_of(network, kind):
    return np.flatnonzero(network.kinds == kind)


def points_of(network, way):
    return network.points[network.starts[way] : network.starts[way + 1]]


def test_pavements_lie_on_pavement(world, network):
    pavements = ways_of(network, WayKind.PAVEMENT)
    points = np.concatenate([points_of(network, way) for way in pavements])
    index = GroundIndex.build(all_levels(world))
    on_pavement = index.surfaces_at(points) == Surface.PAVEMENT
    assert on_pavement.mean() > 0.9
    heights = index.heights_at(points)
    assert np.abs(heights - points[:, 2])[on_pavement].max() < 0.05


def test_all_sides_of_the_junction_are_joined(network):
    destinations = find_destinations(network, seed=1)
    long = network.lengths > 30.0
    assert long.sum() >= 8
    ends = network.ends[long, 0]
    assert (destinations.goal_counts[ends] == len(destinations.goals)).all()
    reached = destinations.next_ways[:, :, ends] >= 0
    is_goal = destinations.goals[None, :, None] == ends
    assert (reached | is_goal).all()


def test_the_crossing_of_the_map_crosses_the_lanes_of_its_street(world, network):
    (way,) = ways_of(network, WayKind.CROSSING)
    first, last = points_of(network, way)[[0, -1]]
    assert first[0] == pytest.approx(10.0, abs=1.5)
    assert first[1] * last[1] < 0.0
    lanes = network.lanes[network.lane_starts[way] : network.lane_starts[way + 1]]
    crossed = set(world.roads.traffic.crossing_lanes.tolist())
    assert len(crossed & set(lanes.tolist())) >= 2
    assert {"tertiary"} == {world.roads.lanes[lane].highway for lane in lanes.tolist()}


def test_ways_over_the_carriageway_are_told_from_pavements(world, network):
    index = GroundIndex.build(all_levels(world))
    for way in ways_of(network, WayKind.UNMARKED):
        first, last = points_of(network, way)[[0, -1]]
        middle = (first + last)[None] / 2.0
        assert index.surfaces_at(middle)[0] == Surface.CARRIAGEWAY


def test_people_keep_from_walls(world):
    posts = posts_of(world.obstacles)
    assert posts.shape[1] == 3
