"""Where vehicles wait, and who gives way in junctions."""

import math

import numpy as np
import pytest

from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.routing import endless_lanes
from tests.world.maps import CROSSING, MAPS, RESIDENTIAL, build_map

PRIMARY = {"highway": "primary"}
MAIN_AND_SIDE = ((CROSSING[0][0], PRIMARY), CROSSING[1])
T = (CROSSING[0], (((0.0, 0.0), (0.0, -120.0)), RESIDENTIAL))
HEADINGS = {"east": 0.0, "north": math.pi / 2, "west": math.pi, "south": -math.pi / 2}


def arriving(roads):
    """The lanes that lead into the junction, by where they head."""
    found = {}
    for lane in roads.lanes:
        if not lane.is_connector and lane.successors:
            end = lane.position(lane.length)[:2]
            if np.linalg.norm(end) < 25.0:
                name = min(
                    HEADINGS,
                    key=lambda k: abs(math.remainder(HEADINGS[k] - lane.heading(0.0), math.tau)),
                )
                found[name] = lane
    return found


def controls(tmp_path, ways, nodes=(), side="right"):
    return {
        name: lane.control
        for name, lane in arriving(build_map(tmp_path, ways, side=side, nodes=nodes).roads).items()
    }


def all_of(control):
    return dict.fromkeys(HEADINGS, control)


def test_without_signs_the_lesser_street_gives_way(tmp_path):
    found = controls(tmp_path, MAIN_AND_SIDE)
    assert found == {
        "east": Control.NONE,
        "west": Control.NONE,
        "north": Control.GIVE_WAY,
        "south": Control.GIVE_WAY,
    }


def test_among_equals_nobody_goes_first_and_at_a_t_its_stem_gives_way(tmp_path):
    assert controls(tmp_path, CROSSING) == all_of(Control.EQUAL)
    assert controls(tmp_path, T) == {
        "east": Control.NONE,
        "west": Control.NONE,
        "north": Control.GIVE_WAY,
    }


def test_a_priority_road_goes_before_its_equals(tmp_path):
    ways = [(CROSSING[0][0], RESIDENTIAL | {"priority_road": "designated"}), CROSSING[1]]
    found = controls(tmp_path, ways)
    assert (found["east"], found["north"]) == (Control.NONE, Control.GIVE_WAY)


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"highway": "traffic_signals"}, Control.SIGNALS),
        ({"highway": "stop", "stop": "all"}, Control.ALL_WAY_STOP),
        ({"highway": "stop"}, Control.STOP),
        ({"highway": "give_way"}, Control.GIVE_WAY),
    ],
)
def test_a_sign_on_the_node_of_the_junction(tmp_path, tags, expected):
    found = controls(tmp_path, MAIN_AND_SIDE, [((0.0, 0.0), tags)])
    is_for_all = expected in (Control.SIGNALS, Control.ALL_WAY_STOP)
    assert found["east"] == found["west"] == (expected if is_for_all else Control.NONE)
    assert found["north"] == found["south"] == expected


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    ("direction", "at"),
    [("forward", -15.0), ("backward", 15.0), (None, -15.0), (None, 15.0)],
)
def test_a_stop_sign_on_a_street_is_for_those_who_come_to_the_junction(
    tmp_path, side, direction, at
):
    line = ((-120.0, 0.0), (at, 0.0), (0.0, 0.0), (120.0, 0.0))
    line = tuple(sorted(line))
    tags = {"highway": "stop"} | ({"direction": direction} if direction else {})
    world = build_map(tmp_path, [(line, RESIDENTIAL), CROSSING[1]], side, nodes=[((at, 0.0), tags)])
    lanes = arriving(world.roads)
    signed, other = ("east", "west") if at < 0.0 else ("west", "east")
    assert lanes[signed].control is Control.STOP
    assert lanes[other].control is Control.NONE
    wait = lanes[signed].position(lanes[signed].stop_line)
    assert abs(wait[0]) == pytest.approx(15.0, abs=0.5)


def test_signals_before_the_junction_hold_for_all_of_it(tmp_path):
    line = ((-120.0, 0.0), (-12.0, 0.0), (0.0, 0.0), (120.0, 0.0))
    tags = {"highway": "traffic_signals", "traffic_signals:direction": "forward"}
    found = controls(tmp_path, [(line, PRIMARY), CROSSING[1]], [((-12.0, 0.0), tags)])
    assert found == all_of(Control.SIGNALS)


def test_signals_far_from_any_junction_stop_both_directions(tmp_path):
    line = ((-150.0, 0.0), (0.0, 0.0), (150.0, 0.0))
    nodes = [((0.0, 0.0), {"highway": "traffic_signals", "crossing": "traffic_signals"})]
    roads = build_map(tmp_path, [(line, PRIMARY)], nodes=nodes).roads
    lanes = [lane for lane in roads.lanes if lane.control]
    assert len(lanes) == 2
    for lane in lanes:
        assert lane.position(lane.stop_line)[0] == pytest.approx(0.0, abs=1.0)


def test_vehicles_wait_before_a_crossing_that_is_known_on_every_lane(tmp_path):
    line = ((-120.0, 0.0), (-12.0, 0.0), (0.0, 0.0), (120.0, 0.0))
    nodes = [((-12.0, 0.0), {"highway": "crossing"})]
    roads = build_map(tmp_path, [(line, RESIDENTIAL), CROSSING[1]], "right", nodes=nodes).roads
    lane = arriving(roads)["east"]
    assert lane.position(lane.stop_line)[0] < -13.4
    traffic = roads.traffic
    assert len(traffic.crossing_lanes) == 2
    for index, s in zip(traffic.crossing_lanes, traffic.crossing_stations, strict=True):
        assert roads.lanes[index].position(s)[0] == pytest.approx(-12.0, abs=0.1)


def ways_through(roads):
    """For each connector where it comes from and where it heads to."""
    names = {lane.index: name for name, lane in arriving(roads).items()}
    found = {}
    for index, name in names.items():
        for k in roads.lanes[index].successors:
            degrees = math.degrees(roads.lanes[k].turn)
            found[k] = name, "left" if degrees > 45 else "right" if degrees < -45 else "straight"
    return found


def yielding(roads):
    """Pairs ((from, turn), (from, turn)): the first gives way to the second."""
    known, traffic = ways_through(roads), roads.traffic
    return {
        (known[pair[k]], known[pair[1 - k]])
        for pair, k in zip(traffic.conflict_lanes.tolist(), traffic.conflict_yields, strict=True)
        if k >= 0
    }


@pytest.mark.parametrize("side", ["left", "right"])
def test_among_equals_who_comes_from_the_right_goes_first(tmp_path, side):
    found = yielding(build_map(tmp_path, CROSSING, side).roads)
    for first, second in (("east", "north"), ("north", "west"), ("west", "south")):
        # Who heads east has those on the right who head north.
        assert ((first, "straight"), (second, "straight")) in found
        assert ((second, "straight"), (first, "straight")) not in found


@pytest.mark.parametrize(("side", "across"), [("left", "right"), ("right", "left")])
def test_who_turns_across_oncoming_traffic_waits(tmp_path, side, across):
    for ways, nodes in (
        (CROSSING, ()),
        (MAIN_AND_SIDE, ()),
        (CROSSING, [((0.0, 0.0), {"highway": "traffic_signals"})]),
    ):
        found = yielding(build_map(tmp_path, ways, side, nodes=nodes).roads)
        assert (("east", across), ("west", "straight")) in found
        assert (("west", "straight"), ("east", across)) not in found
    signals = {(first[0], second[0]) for first, second in found}
    assert signals <= {("east", "west"), ("west", "east"), ("north", "south"), ("south", "north")}


def test_the_lesser_street_waits_for_all_on_the_greater(tmp_path):
    found = yielding(build_map(tmp_path, MAIN_AND_SIDE, "right").roads)
    assert (("north", "straight"), ("west", "left")) in found
    assert (("north", "straight"), ("east", "straight")) in found
    assert not any(
        first[0] in ("east", "west") and second[0] in ("north", "south") for first, second in found
    )


def test_conflicts_are_where_ways_come_close_and_no_pair_comes_twice(tmp_path):
    roads = build_map(tmp_path, CROSSING, "right").roads
    traffic = roads.traffic
    assert len(np.unique(np.sort(traffic.conflict_lanes, axis=1), axis=0)) == len(
        traffic.conflict_lanes
    )
    known = ways_through(roads)
    for pair, spans in zip(traffic.conflict_lanes.tolist(), traffic.conflict_spans, strict=True):
        assert known[pair[0]][0] != known[pair[1]][0]
        for own, other, (start, end) in zip(pair, pair[::-1], spans, strict=True):
            lane = roads.lanes[own]
            assert 0.0 <= start < end <= lane.length + 1e-6
            middle = lane.position((start + end) / 2.0)
            assert abs(roads.lanes[other].local_coordinates(middle)[1]) < 2.1
    straight = {k for k, way in known.items() if way[1] == "straight"}
    crossing = [pair for pair in traffic.conflict_lanes.tolist() if set(pair) <= straight]
    assert len(crossing) == 4
    assert len(traffic.conflicts_of(next(iter(straight)))) >= 4


def test_perth_keeps_left_and_gives_way_to_the_ring(built):
    roads = built(MAPS / "city/perth_peanut_roundabout.osm").roads
    traffic = roads.traffic
    pairs = np.take_along_axis(
        traffic.conflict_lanes, np.maximum(traffic.conflict_yields, 0)[:, None].astype(int), axis=1
    )[:, 0]
    waiting = pairs[traffic.conflict_yields >= 0]
    before = {k: lane for lane in roads.lanes for k in lane.successors}
    assert {before[k].control for k in waiting.tolist()} <= {
        Control.GIVE_WAY,
        Control.NONE,
        Control.SIGNALS,
    }
    assert (traffic.controls == Control.GIVE_WAY).sum() >= 8
    assert endless_lanes(roads).any()


ROUNDABOUT = RESIDENTIAL | {"junction": "roundabout"}
ONE_WAY = RESIDENTIAL | {"oneway": "yes"}
RING_RADIUS = 9.0


def roundabout(side, others, tags=ROUNDABOUT):
    """A roundabout of two ways with three arms, and other ways beside it."""
    turn = 1.0 if side == "right" else -1.0
    angles = [turn * math.pi * k / 4 for k in range(8)]
    nodes = [(RING_RADIUS * math.cos(a), RING_RADIUS * math.sin(a)) for a in angles]
    arms = [((nodes[k], tuple(14.0 * x for x in nodes[k])), RESIDENTIAL) for k in (2, 4, 6)]
    rings = [(tuple(nodes[:5]), tags), ((*nodes[4:], nodes[0]), tags | {"maxspeed": "30"})]
    return [*rings, *arms, *others]


def ring_lanes(roads):
    """The lanes of streets that lie on the ring."""
    return [
        lane.index
        for lane in roads.lanes
        if not lane.is_connector
        and abs(math.hypot(*lane.position(lane.length / 2.0)[:2]) - RING_RADIUS) < 2.0
    ]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("tag", ["roundabout", "circular"])
def test_vehicles_in_a_roundabout_go_before_all_that_come_from_beside_it(tmp_path, side, tag):
    """Also before those of a street that touches the ring and belongs to none of its junctions."""
    x = RING_RADIUS + 1.0
    beside = [
        (((x, -80.0), (x, 0.5)), ONE_WAY),
        (((x, 0.5), (x, 80.0)), ONE_WAY | {"maxspeed": "30"}),
    ]
    ways = roundabout(side, beside, RESIDENTIAL | {"junction": tag})
    roads = build_map(tmp_path, ways, side).roads
    ring, traffic = set(ring_lanes(roads)), roads.traffic
    before = {k: lane.index for lane in roads.lanes for k in lane.successors}
    decided = [
        (before[pair[0]] in ring, before[pair[1]] in ring, int(which))
        for pair, which in zip(
            traffic.conflict_lanes.tolist(), traffic.conflict_yields, strict=True
        )
    ]
    mixed = [(first, which) for first, second, which in decided if first != second]
    assert len(mixed) == 4
    assert all(which == (1 if first else 0) for first, which in mixed)


@pytest.mark.parametrize("side", ["left", "right"])
def test_no_lane_of_a_roundabout_is_at_a_junction_of_equals(tmp_path, side):
    exits = [(((RING_RADIUS, 0.0), (120.0, y)), ONE_WAY) for y in (-60.0, 60.0)]
    roads = build_map(tmp_path, roundabout(side, exits), side).roads
    ring = ring_lanes(roads)
    assert ring
    assert {roads.lanes[k].control for k in ring} == {Control.NONE}


def test_one_way_streets_that_cross_without_a_turn_are_in_conflict(tmp_path):
    """No way leads from one of them to the other, so nothing but their places ties them."""
    centre = (0.0, 0.0)
    one_way = RESIDENTIAL | {"oneway": "yes"}
    ways = [
        (((-120.0, 0.0), centre), one_way),
        ((centre, (120.0, 0.0)), one_way),
        (((0.0, -120.0), centre), one_way),
        ((centre, (0.0, 120.0)), one_way),
    ]
    straight = {"type": "restriction", "restriction": "only_straight_on"}
    relations = [
        ([("way", first, "from"), ("node", centre, "via"), ("way", first + 1, "to")], straight)
        for first in (1, 3)
    ]
    roads = build_map(tmp_path, ways, side="right", relations=relations).roads
    (pair,) = roads.traffic.conflict_lanes.tolist()
    assert {roads.lanes[lane].highway for lane in pair} == {"residential"}
    headings = sorted(roads.lanes[lane].heading(0.0) for lane in pair)
    assert headings == pytest.approx([0.0, math.pi / 2], abs=0.05)
