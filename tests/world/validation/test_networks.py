"""Networks such as no town has, but maps may: vehicles drive on all of them without a step."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings

from autosim.world.compiled.ground_index import GroundIndex, all_levels
from autosim.world.validation.lane_forms import steepest_lane, worst_side_step
from autosim.world.validation.ride_test import sample_lanes
from autosim.world.validation.soundness import measures
from tests.world.networks import Network, build, networks
from tests.world.same_place import streets_in_one_place

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
    "a street that leads over the mouth of a tunnel, less than a storey above it": Network(
        (
            (((-75.0, 1.5), (-60.0, 1.0)), {"highway": "secondary", "lanes": "4"}),
            (
                ((-60.0, 1.0), (0.0, 0.0), (60.0, 1.0)),
                {"highway": "secondary", "lanes": "4", "tunnel": "yes", "layer": "-1"},
            ),
            (((60.0, 1.0), (75.0, 1.5)), {"highway": "secondary", "lanes": "4"}),
            (((-75.0, 1.5), (-60.0, 0.7), (-40.0, 30.4)), {"highway": "secondary"}),
            (((0.0, -90.0), (0.0, 90.0)), {"highway": "residential"}),
            (((-75.0, 1.5), (-155.0, 6.5)), {"highway": "secondary", "lanes": "4"}),
            (((75.0, 1.5), (155.0, 6.5)), {"highway": "secondary", "lanes": "4"}),
        )
    ),
    "a street 2 m beside the axis of a ramp into a tunnel": Network(
        (
            (((-55.0, 2.72), (-15.0, 0.2)), {"highway": "tertiary"}),
            (
                ((-15.0, 0.2), (0.0, 0.0), (15.0, 0.2)),
                {"highway": "tertiary", "tunnel": "yes", "layer": "-1"},
            ),
            (((15.0, 0.2), (55.0, 2.72)), {"highway": "tertiary"}),
            (
                (
                    *((-55.0, 4.72), (-47.08, 3.99), (-39.17, 3.38), (-31.25, 2.88)),
                    *((-23.33, 2.49), (-15.42, 2.21), (-7.5, 2.05), (12.5, 30.14)),
                ),
                {"highway": "service"},
            ),
            (((0.0, -90.0), (0.0, 90.0)), {"highway": "residential"}),
            (((-55.0, 2.72), (-135.0, 16.37)), {"highway": "tertiary"}),
            (((55.0, 2.72), (135.0, 16.37)), {"highway": "tertiary"}),
        )
    ),
}
"""What the strategies found, made as small as may be."""

PRIMARY = {"highway": "primary"}
ONE_PLACE = {
    "a service way 1.2 m beside the axis of an underpass": (
        (((-175.0, 0.0), (-95.0, 0.0)), PRIMARY),
        (((-95.0, 0.0), (-30.0, 0.0)), PRIMARY),
        (((-30.0, 0.0), (0.0, 0.0), (30.0, 0.0)), PRIMARY | {"tunnel": "yes", "layer": "-1"}),
        (((30.0, 0.0), (95.0, 0.0)), PRIMARY),
        (((95.0, 0.0), (175.0, 0.0)), PRIMARY),
        (
            ((-115.0, 30.0), (-95.0, 1.2), (-60.0, 1.2), (-30.0, 1.2), (-10.0, 30.0)),
            {"highway": "service"},
        ),
        (((0.0, -90.0), (0.0, 90.0)), {"highway": "residential"}),
    ),
    "two carriageways 1.2 m apart": (
        (((-120.0, 0.0), (0.0, 0.0), (120.0, 20.0)), PRIMARY | {"oneway": "yes"}),
        (((120.0, 21.2), (0.0, 1.2), (-120.0, 1.2)), PRIMARY | {"oneway": "yes"}),
        (((0.0, -80.0), (0.0, 0.0)), {"highway": "residential"}),
    ),
}
"""Ways that lie in nearly the same place."""


def broken(network, folder):
    """What a network's world breaks: each measure with its value and its cause."""
    world = build(folder, network)
    return {each.name: (each.value, each.cause) for each in measures(world) if each.is_broken}


@pytest.mark.parametrize("what", FOUND)
def test_what_was_found_is_mended(what, tmp_path):
    assert broken(FOUND[what], tmp_path) == {}


@pytest.mark.parametrize("hills", [(0.0, 0.0), (12.0, 160.0)])
@pytest.mark.parametrize("what", ONE_PLACE)
def test_ways_in_one_place_have_neither_kink_nor_step(what, hills, tmp_path):
    assert broken(Network(ONE_PLACE[what], hills), tmp_path) == {}


@pytest.mark.parametrize("seed", [11, 21, 22, 32, 46])
def test_a_street_in_the_place_of_a_ramp_breaks_nothing(seed, tmp_path):
    """Without one height for both, 11 and 22 have steps, a lane as steep as a wall, side steps."""
    assert broken(Network(tuple(streets_in_one_place(seed))), tmp_path) == {}


IN_ONE_PLACE, CONTRADICTORY = 200, 12


@pytest.mark.long
def test_streets_in_one_place_hardly_ever_break_anything(tmp_path):
    """Some maps contradict themselves: a street crosses a ramp that has hardly begun to descend."""
    networks = [Network(tuple(streets_in_one_place(seed))) for seed in range(IN_ONE_PLACE)]
    found = {k: worst for k, each in enumerate(networks) if (worst := broken(each, tmp_path))}
    assert len(found) <= CONTRADICTORY, found


WALL = 1.0
"""How high [m] a ball is thrown, and how steep a lane is, where something stands in its way."""

DRAWN, FORGIVEN = 20, 1


def has_walls(network, folder):
    values = dict(build(folder, network).invariants)
    return values["worst_hop_m"] > WALL or values["steepest_lane"] > WALL


def test_hardly_ever_does_anything_stand_in_the_way(tmp_path):
    """Some networks cannot be had: streets over one another, each too short for its grade.

    `benchmarks/networks.py` draws more of them.
    """
    walled = []

    @settings(
        max_examples=DRAWN, derandomize=True, database=None, deadline=None, phases=[Phase.generate]
    )
    @given(network=networks())
    def look(network):
        if has_walls(network, tmp_path):
            walled.append(network)

    look()
    assert len(walled) <= FORGIVEN, walled


def test_a_turn_into_a_wall_and_a_step_beside_a_lane_are_named(tmp_path):
    """A car would hit either; a ball in the middle of the lane need not."""
    world = build(tmp_path, FOUND["a turn from a street of the ground into a short tunnel"])
    index = GroundIndex.build(all_levels(world))
    samples = sample_lanes(world.roads, index)
    lifted = samples.points.copy()
    lifted[5:, 2] += 0.3
    steep = steepest_lane(replace(samples, points=lifted))
    assert steep.value == pytest.approx(0.3 / samples.steps[4], rel=0.2)
    assert steep.place == pytest.approx(lifted[4])
    assert worst_side_step(world.roads, samples, index).value < 0.1
    beside = replace(samples, floors=samples.floors - 0.25)
    assert worst_side_step(world.roads, beside, index).value == pytest.approx(0.25, abs=0.1)


def test_a_wall_beside_the_very_end_of_a_street_at_the_border_does_not_count(tmp_path):
    world = build(tmp_path, FOUND["a turn from a street of the ground into a short tunnel"])
    index = GroundIndex.build(all_levels(world))
    samples = sample_lanes(world.roads, index)
    followers = np.diff(world.roads.successor_starts)
    last = samples.starts[1:][followers == 0] - 1
    assert len(last)
    for rows, step in ((last, 0.0), (last - 1, 0.45)):
        floors = samples.floors.copy()
        floors[rows] -= 0.45
        found = worst_side_step(world.roads, replace(samples, floors=floors), index)
        assert found.value == pytest.approx(step, abs=0.1)
