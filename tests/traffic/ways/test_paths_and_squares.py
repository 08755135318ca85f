"""Ways off the streets: along paths, across streets on them, and over squares."""

import numpy as np
import pytest

from autosim.traffic.pedestrians.pedestrian_traffic import Pedestrians
from autosim.traffic.road_users import WALKER
from autosim.traffic.traffic_node import PERSON, P
from autosim.traffic.ways.network_builder import WalkableWorld, find_walk_network
from autosim.traffic.ways.walk_network import WayKind
from autosim.world.compiled.ground_index import GroundIndex, all_levels, are_inside
from autosim.world.pipeline.world_pipeline import build_world
from tests.traffic.pedestrians.towns import SECONDS, around
from tests.world.maps import RESIDENTIAL, TOWN, build_map

STREET = (((-60.0, 0.0), (0.0, 0.0), (60.0, 0.0)), RESIDENTIAL)
CHEST = np.array([0.0, 0.0, 0.8])
FOOTWAY = {"highway": "footway"}
HOUSE = ((-8.0, 30.0), (8.0, 30.0), (8.0, 45.0), (-8.0, 45.0), (-8.0, 30.0))


def network_of(folder, ways):
    return find_walk_network(WalkableWorld(build_map(folder, ways)))


def ways_through(network, low, high):
    """The ways with all points in a box from `low` to `high` [m]."""
    inside = ((network.points[:, :2] > low) & (network.points[:, :2] < high)).all(axis=1)
    return [
        way
        for way in range(len(network.lengths))
        if inside[network.starts[way] : network.starts[way + 1]].all()
    ]


def reached_from(network, node):
    """The nodes that can be reached from one."""
    found, front = {node}, [node]
    while front:
        at = front.pop()
        for a, b in network.ends.tolist():
            for one, other in ((a, b), (b, a)):
                if one == at and other not in found:
                    found.add(other)
                    front.append(other)
    return found


def node_at(network, x, y):
    far = np.hypot(*(network.nodes[:, :2] - (x, y)).T)
    assert far.min() < 1.0
    return int(np.argmin(far))


def test_a_footway_leads_away_from_the_pavement(tmp_path):
    ways = [STREET, (((20.0, 0.0), (20.0, 60.0)), FOOTWAY)]
    network = network_of(tmp_path, ways)
    away = node_at(network, 20.0, 60.0)
    assert node_at(network, -39.0, 4.0) in reached_from(network, away)
    kinds = network.kinds[ways_through(network, (15.0, 5.0), (25.0, 61.0))]
    assert (kinds == WayKind.PAVEMENT).all()


@pytest.mark.parametrize(
    ("nodes", "kind"),
    [((), WayKind.UNMARKED), ([((0.0, 0.0), {"highway": "crossing"})], WayKind.CROSSING)],
)
def test_a_path_over_a_street_is_a_way_across_it(tmp_path, nodes, kind):
    path = (((0.0, -40.0), (0.0, 0.0), (0.0, 40.0)), FOOTWAY)
    world = build_map(tmp_path, [STREET, path], nodes=nodes)
    network = find_walk_network(WalkableWorld(world))
    across = ways_through(network, (-2.5, -8.0), (2.5, 8.0))
    across = [way for way in across if network.kinds[way] != WayKind.PAVEMENT]
    assert {int(network.kinds[way]) for way in across} == {kind}
    assert all(network.lane_starts[way + 1] - network.lane_starts[way] == 2 for way in across)
    assert node_at(network, 0.0, 40.0) in reached_from(network, node_at(network, 0.0, -40.0))


def test_nobody_walks_through_a_house(tmp_path):
    house = (HOUSE, {"building": "yes"})
    world = build_map(tmp_path, [STREET, house, (((0.0, 10.0), (0.0, 60.0)), FOOTWAY)])
    network = find_walk_network(WalkableWorld(world))
    solids = GroundIndex.build(world.buildings)
    assert not are_inside(solids, network.points + CHEST).any()
    assert node_at(network, 0.0, 60.0) not in reached_from(network, node_at(network, 0.0, 10.0))


def test_nobody_walks_over_water(tmp_path):
    pond = (HOUSE, {"natural": "water"})
    network = network_of(tmp_path, [STREET, pond, (((0.0, 10.0), (0.0, 60.0)), FOOTWAY)])
    x, y = network.points[:, 0], network.points[:, 1]
    assert not ((np.abs(x) < 8.0) & (y > 30.6) & (y < 44.4)).any()


def test_where_a_pavement_is_a_path_of_its_own_there_is_one_way(tmp_path):
    sidewalk = (((-35.0, 4.0), (35.0, 4.0)), {"highway": "footway", "footway": "sidewalk"})
    plain = network_of(tmp_path, [STREET])
    both = network_of(tmp_path, [STREET, sidewalk])
    assert len(both.lengths) == len(plain.lengths)


def test_people_walk_straight_over_a_square(tmp_path):
    corners = ((-40.0, 8.0), (10.0, 8.0), (10.0, 58.0), (-40.0, 58.0), (-40.0, 8.0))
    ways = [
        STREET,
        (corners, {"highway": "pedestrian", "area": "yes"}),
        (((10.0, 58.0), (40.0, 50.0)), FOOTWAY),
    ]
    network = network_of(tmp_path, ways)
    within = ways_through(network, (-41.0, 7.0), (11.0, 59.0))
    assert network.lengths[within].sum() > 150.0
    assert node_at(network, 40.0, 50.0) in reached_from(network, node_at(network, -39.0, 4.0))


@pytest.fixture(scope="module")
def town():
    return build_world(TOWN)


def test_after_a_minute_people_are_on_the_market_square_and_nobody_is_in_a_house(town):
    people = Pedestrians.of(WalkableWorld(town), count=80, seed=1, step_seconds=SECONDS)
    state = np.zeros((80, PERSON))
    people.begin(state, np.zeros((80, WALKER)))
    for step in range(round(60.0 / SECONDS)):
        people.advance(step, state, around(80))
    ring = town.paths.ring_points[town.paths.ring_starts[0] : town.paths.ring_starts[1]]
    low, high = ring.min(axis=0), ring.max(axis=0)
    places = state[:, P.x : P.z + 1]
    on_square = ((places[:, :2] > low) & (places[:, :2] < high)).all(axis=1)
    assert on_square.sum() >= 3
    assert not are_inside(GroundIndex.build(town.buildings), places + CHEST).any()
    heights = GroundIndex.build(all_levels(town)).heights_at(places)
    assert np.abs(heights - places[:, 2]).max() < 0.3
