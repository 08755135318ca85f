"""People at streets: they wait for green and for gaps, and fall when something hits them."""

import numpy as np
import pytest

from autosim.traffic.pedestrians.gap_acceptance import may_cross
from autosim.traffic.pedestrians.vehicle_avoidance import direction_from_box
from autosim.traffic.traffic_node import P
from autosim.traffic.ways.walk_network import WayKind
from tests.traffic.pedestrians.towns import (
    NO_BOXES,
    SECONDS,
    around,
    block,
    box,
    crowd,
    street,
    walk,
)

GREEN, RED = np.array([3]), np.array([1])
NO_LIGHT = np.array([-1])


def across(state):
    """How many are on the street between the pavements."""
    return int((np.abs(state[:, P.y]) < 4.0).sum())


def may(kind, vehicles=NO_BOXES, signals=NO_LIGHT, own=-1):
    people, _ = crowd(street(kind), 2)
    return may_cross(people.network, 1, 1.3, around(0, vehicles, NO_BOXES, signals), own)


def test_the_signal_for_people_counts_before_that_of_lanes():
    assert may(WayKind.CROSSING, signals=GREEN, own=3)
    assert not may(WayKind.CROSSING, signals=RED, own=1)
    assert may(WayKind.CROSSING, own=0)
    assert not may(WayKind.CROSSING, box(-15.0, 0.0, 14.0), own=3)


def test_people_wait_while_vehicles_have_green_and_go_when_these_have_red():
    people, state = crowd(street(WayKind.CROSSING), 12)
    step = walk(people, state, 80.0, around(12, signals=GREEN))
    assert across(state) == 0
    assert (people.rows["waited"] > 5.0).any()
    went = 0
    for _ in range(30):
        step = walk(people, state, 1.0, around(12, signals=RED), step)
        went = max(went, across(state))
    assert went > 0


def test_nobody_steps_before_a_car_that_cannot_stop():
    assert may(WayKind.CROSSING)
    assert not may(WayKind.CROSSING, box(-15.0, 0.0, 14.0))
    assert not may(WayKind.UNMARKED, box(-15.0, 0.0, 14.0))


def test_a_car_that_can_stop_yields_at_a_marked_crossing_alone():
    assert may(WayKind.CROSSING, box(-70.0, 0.0, 10.0))
    assert not may(WayKind.UNMARKED, box(-70.0, 0.0, 10.0))
    assert may(WayKind.UNMARKED, box(-400.0, 0.0, 10.0))


def test_a_car_that_has_passed_or_stands_before_the_crossing_holds_up_nobody():
    assert may(WayKind.UNMARKED, box(10.0, 0.0, 14.0))
    assert may(WayKind.UNMARKED, box(-6.0, 0.0))
    assert not may(WayKind.UNMARKED, box(0.0, 0.0))


def test_the_crossing_that_somebody_wants_is_told():
    places = np.array([(0.0, 1.0, 0.0), (-30.0, 0.0, 0.0)])
    people, state = crowd(street(WayKind.CROSSING), 12, crossings=places)
    assert people.crossing_ways.wanted_crossings().tolist() == [0, 0]
    walk(people, state, 80.0, around(12, signals=GREEN))
    assert people.crossing_ways.wanted_crossings().tolist() == [1, 0]


def hit(vehicles=NO_BOXES, robots=NO_BOXES):
    people, state = crowd(block(), 1)
    walk(people, state, 1.0, around(1))
    for boxes in (vehicles, robots):
        boxes[:, :2] += state[0, [P.x, P.y]]
    step = walk(people, state, 1.0, around(1, vehicles, robots), 20)
    return people, state, step


def test_who_is_hit_falls_is_counted_and_gets_up_again():
    people, state, step = hit(vehicles=box(-2.4, 0.0, 8.0))
    assert people.fallen == (1, 0)
    assert state[0, P.posture] == 1.0
    lay = state[0, [P.x, P.y]].copy()
    step = walk(people, state, 4.0, around(1), step)
    assert people.rows[0].speed_x == 0.0
    assert np.linalg.norm(state[0, [P.x, P.y]] - lay) < 8.0
    walk(people, state, 40.0, around(1), step)
    assert state[0, P.posture] == 0.0
    assert people.fallen == (1, 0)


def test_robots_are_counted_by_themselves():
    people, _, _ = hit(robots=box(-2.4, 0.0, 3.0))
    assert people.fallen == (0, 1)


def test_who_is_touched_slowly_stays_on_his_feet():
    people, state, _ = hit(vehicles=box(-2.4, 0.0, 0.3))
    assert people.fallen == (0, 0)
    assert state[0, P.posture] == 0.0


def test_people_walk_round_a_car_that_stands_on_the_pavement():
    people, state = crowd(block(half=1.6), 1)
    start = state[0, P.walked]
    walk(people, state, 60.0, around(1, box(20.0, 0.6)))
    assert state[0, P.walked] - start > 0.8 * 60.0 * people.rows[0].pace
    assert SECONDS * 20 == 1.0


def test_who_waits_steps_aside_before_a_car_that_creeps():
    """People wait at y = -6 and y = 6 about x = 0 for a light; a car creeps through one place."""
    people, state = crowd(street(WayKind.CROSSING), 12)
    step = walk(people, state, 80.0, around(12, signals=GREEN))
    assert (people.rows["waited"] > 5.0).any()
    deepest = np.inf
    for tick in range(round(40.0 / SECONDS)):
        car = box(-6.0 + 0.25 * tick * SECONDS, -5.9, 0.25)
        step = walk(people, state, SECONDS, around(12, car, signals=GREEN), step)
        gaps = [direction_from_box(car[0], x, y)[2] for x, y in state[:, P.x : P.y + 1].tolist()]
        deepest = min(deepest, min(gaps))
    assert deepest > 0.1
    assert people.fallen == (0, 0)


@pytest.mark.parametrize(
    ("car", "turns_back"),
    [(NO_BOXES, True), (box(0.0, 4.5), True), (box(-12.0, 1.2, 8.0), False)],
    ids=["alone", "behind a car that stands", "beside a car that comes"],
)
def test_who_is_stuck_on_a_street_turns_back_when_nobody_comes(car, turns_back):
    people, state = crowd(street(WayKind.UNMARKED), 1)
    state[0, [P.x, P.y]] = 0.0, 3.0
    row = people.rows[0]
    row.way, row.forward, row.station, row.stuck = 1, 1, 9.0, 26.0
    walk(people, state, SECONDS, around(1, car))
    assert bool(people.rows[0].forward < 0) is turns_back
