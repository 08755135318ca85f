"""Networks such as no town has, but maps may: vehicles drive on all of them without a step."""

import pytest
from hypothesis import given, settings

from autosim.world.soundness import measures
from tests.world.networks import Network, build, networks

FOUND = {
    "a turn from a street of the ground into a short tunnel": Network(
        (
            (((-137.4, -131.3), (36.0, -40.0)), {"highway": "track"}),
            (((-137.4, -131.3), (-132.1, -106.9)), {"highway": "motorway_link", "tunnel": "yes"}),
        )
    ),
    "a ramp from the end of a bridge that lies over the street beside it": Network(
        (
            (((80.0, -52.0), (147.6, -70.1)), {"highway": "service"}),
            (((79.4, -54.4), (146.8, -73.2)), {"highway": "motorway", "bridge": "yes"}),
            (((146.8, -73.2), (149.7, -70.1)), {"highway": "motorway"}),
            (((122.6, -22.2), (149.7, -70.1)), {"highway": "service"}),
        )
    ),
    "a dead end that touches a street under a wide bridge": Network(
        (
            (
                ((-37.2, 7.6), (44.0, 64.0)),
                {"highway": "primary", "width": "24", "bridge": "yes"},
            ),
            (((12.2, 56.5), (7.7, 50.1)), {"highway": "track"}),
            (((44.0, 64.0), (-21.3, 38.9)), {"highway": "primary"}),
        )
    ),
    "a street of eight lanes that goes down into a tunnel": Network(
        (
            (((37.4, 56.4), (36.7, 68.7)), {"highway": "residential", "lanes": "8"}),
            (((36.7, 68.7), (38.6, 108.7)), {"highway": "motorway_link", "tunnel": "yes"}),
            (((42.5, 70.2), (37.3, 106.7)), {"highway": "motorway_link"}),
        )
    ),
    "a bridge low under another one that comes down": Network(
        (
            (((-55.6, 103.7), (-50.0, 173.5)), {"highway": "track", "bridge": "yes"}),
            (
                ((-50.6, 103.3), (-54.4, 174.3)),
                {"highway": "secondary", "bridge": "yes", "layer": "2"},
            ),
            (((-54.4, 174.3), (-73.6, 30.3)), {"highway": "secondary", "oneway": "yes"}),
        )
    ),
    "two bridges side by side, one of them wide": Network(
        (
            (
                ((-44.0, 36.0), (-121.8, 113.8)),
                {"highway": "primary", "bridge": "yes", "layer": "2"},
            ),
            (
                ((-46.8, 33.2), (-124.6, 111.0)),
                {"highway": "primary", "width": "24", "bridge": "yes", "layer": "2"},
            ),
            (((-48.1, 26.1), (-44.0, 36.0)), {"highway": "residential", "bridge": "yes"}),
        )
    ),
    "a tunnel that begins at a bridge in a hillside": Network(
        (
            (((-2.0, 40.0), (-41.1, 31.7)), {"highway": "primary", "tunnel": "yes"}),
            (((-41.1, 31.7), (-67.9, 61.4)), {"highway": "primary", "bridge": "yes"}),
        ),
        hills=(12.0, 160.0),
    ),
}
"""What the strategies found, made as small as may be."""


def broken(network, folder):
    """What a network's world breaks: each measure with its value and its cause."""
    world = build(folder, network)
    return {each.name: (each.value, each.cause) for each in measures(world) if each.is_broken}


@pytest.mark.parametrize("what", FOUND)
def test_what_was_found_is_mended(what, tmp_path):
    assert broken(FOUND[what], tmp_path) == {}


WALL = 1.0
"""How high [m] a ball is thrown, and how steep a lane is, where something stands in its way."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("networks")


def walls(network, folder):
    """Which of what a vehicle would run against there is in a network's world."""
    values = dict(build(folder, network).invariants)
    found = {name: values[name] for name in ("worst_hop_m", "steepest_lane") if values[name] > WALL}
    counts = ("open_edges", "non_manifold_edges", "downward_faces", "missed_rays")
    return found | {name: values[name] for name in counts if values[name]}


@settings(max_examples=10, derandomize=True, database=None, deadline=None)
@given(network=networks())
def test_nothing_stands_in_the_way_on_any_network(folder, network):
    assert walls(network, folder) == {}
