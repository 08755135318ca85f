"""Which lanes of an approach lead into which exits."""

import math

import numpy as np
import pytest

from autosim.world.lanes.lane_assignment import Approach, Exit, assign_lanes, pair_lanes
from autosim.world.streets.turn_lanes import lane_turns, turn_word


def exits(*degrees, lanes=1, rank=3):
    return [Exit(math.radians(angle), lanes, rank) for angle in degrees]


def tagged(text):
    return tuple(tuple(t for t in lane.split(";") if t and t != "none") for lane in text.split("|"))


@pytest.mark.parametrize(
    ("text", "angles", "expected"),
    [
        ("left|through|right", (90, 0, -90), [[0], [1], [2]]),
        ("left|left;through|right", (90, 0, -90), [[0, 1], [1], [2]]),
        ("left||right", (90, 0, -90), [[0], [1], [2]]),
        ("through|slight_right", (12, -12), [[0], [1]]),
        ("slight_left|through", (12, -12), [[0], [1]]),
        ("left|right", (70, -110), [[0], [1]]),
        ("left|through|through", (90, 0, -90), [[0], [1, 2], [2]]),
        ("through|merge_to_left", (2,), [[0, 1]]),
        ("sharp_left|left|through", (130, 80, 5), [[0], [1], [2]]),
        ("none|right", (0, -90), [[0], [1]]),
    ],
)
def test_turn_lanes_decide(text, angles, expected):
    turns = tagged(text)
    assert assign_lanes(Approach(len(turns), 3, turns), exits(*angles)) == expected


@pytest.mark.parametrize(
    ("lanes", "angles", "expected"),
    [
        (1, (90, 0, -90), [[0], [0], [0]]),
        (3, (90, 0, -90), [[0], [0, 1, 2], [2]]),
        (2, (90, -90), [[0], [1]]),
        (2, (60,), [[0, 1]]),
        (3, (5, -20), [[0, 1], [2]]),
    ],
)
def test_by_custom_outer_lanes_turn_and_all_go_on(lanes, angles, expected):
    ways = exits(*angles)
    if len(angles) == 2 and abs(angles[0]) < 35:
        ways = [Exit(ways[0].turn, 2, 3), ways[1]]
    assert assign_lanes(Approach(lanes, 3), ways) == expected


def test_turns_that_do_not_fit_the_lanes_say_nothing():
    by_custom = assign_lanes(Approach(3, 3), exits(90, 0, -90))
    assert assign_lanes(Approach(3, 3, tagged("left|right")), exits(90, 0, -90)) == by_custom


def test_the_more_important_street_goes_on():
    ways = [Exit(math.radians(25.0), 2, 3), Exit(math.radians(-20.0), 1, 8)]
    assert assign_lanes(Approach(2, 3), ways) == [[0, 1], [1]]


def test_every_lane_leads_somewhere_and_every_exit_is_reached():
    rng = np.random.default_rng(4)
    words = ["left", "through", "right", "slight_left", "slight_right"]
    for _ in range(200):
        lanes = int(rng.integers(1, 5))
        angles = sorted(rng.uniform(-150, 150, int(rng.integers(1, 5))), reverse=True)
        turns = tuple(
            tuple(rng.choice(words, size=int(rng.integers(0, 3)), replace=False).tolist())
            for _ in range(lanes)
        )
        found = assign_lanes(Approach(lanes, 3, turns), exits(*angles))
        assert all(found)
        assert {lane for each in found for lane in each} == set(range(lanes))


def test_lanes_keep_to_the_inner_side_of_a_turn_and_straight_on_to_their_line():
    gaps = np.abs(np.subtract.outer(3.5 * np.arange(2), 3.5 * np.arange(3)))
    assert pair_lanes([0, 1], 3, turn=1.5, gaps=gaps) == [(0, 0), (1, 1)]
    assert pair_lanes([0, 1], 3, turn=-1.5, gaps=gaps) == [(0, 1), (1, 2)]
    assert pair_lanes([0, 1], 3, turn=0.0, gaps=gaps) == [(0, 0), (1, 1)]
    assert pair_lanes([0, 1], 1, turn=1.5, gaps=gaps) == [(0, 0), (1, 0)]


def test_turn_lanes_are_read_in_the_direction_they_are_meant_for():
    one_way = {"oneway": "yes", "turn:lanes": "left|none"}
    assert lane_turns(one_way, is_forward=True) == (("left",), ())
    assert lane_turns(one_way, is_forward=False) == ()
    assert lane_turns({"oneway": "-1", "turn:lanes": "left"}, is_forward=False) == (("left",),)
    assert lane_turns({"turn:lanes:backward": "right"}, is_forward=False) == (("right",),)
    assert lane_turns({"turn:lanes": "left"}, is_forward=True) == ()
    assert lane_turns({"highway": "motorway", "turn:lanes": "through"}, is_forward=True)


@pytest.mark.parametrize(
    ("degrees", "word"),
    [(130, "sharp_left"), (90, "left"), (20, "slight_left"), (0, "through"),
     (-20, "slight_right"), (-90, "right"), (-130, "sharp_right")],
)  # fmt: skip
def test_turns_have_names(degrees, word):
    assert turn_word(math.radians(degrees)) == word
