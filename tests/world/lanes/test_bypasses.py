"""Connectors that a car can drive, also where junctions lie close together."""

import math

import numpy as np
import pytest

from autosim.world.geometry.curves import length_of
from autosim.world.lanes.lane_planning import plan_lanes
from autosim.world.lanes.room_for_turns import tight_links
from autosim.world.streets.junction_rules import JunctionRules
from autosim.world.streets.restrictions import Restrictions
from tests.world.one_street import street


def plan_of(*streets, barred_paths=()):
    rules = JunctionRules(Restrictions(barred_paths=list(barred_paths)))
    return plan_lanes(streets, side="right", has_room=lambda *_: False, rules=rules)


def reached(plan, street, *, is_forward):
    """The streets that vehicles reach from a street's lanes, past streets under 8 m as well."""
    found = set()
    waiting = [
        k
        for k, d in enumerate(plan.drafts)
        if d.street == street and not d.is_connector and d.is_forward == is_forward
    ]
    seen = set(waiting)
    while waiting:
        draft = plan.drafts[waiting.pop()]
        for k in draft.successors:
            is_lane = not plan.drafts[k].is_connector
            if is_lane:
                found.add(plan.drafts[k].street)
            if k not in seen and not (is_lane and length_of(plan.drafts[k].points) > 8.0):
                seen.add(k)
                waiting.append(k)
    return found


def jog(gap):
    """A street that meets another one at right angles, which goes on a few metres farther along."""
    return (
        street(0, 1, [(-80, 0), (0, 0)], highway="service"),
        street(1, 2, [(0, 0), (0, gap)], highway="service"),
        street(2, 3, [(0, gap), (80, gap)], highway="service"),
        street(4, 1, [(0, -80), (0, 0)], highway="service"),
        street(2, 5, [(0, gap), (0, gap + 80)], highway="service"),
    )


@pytest.mark.parametrize("gap", [4.0, 6.0, 9.0, 14.0])
def test_a_vehicle_drives_one_curve_through_two_junctions_that_lie_close_together(gap):
    plan = plan_of(*jog(gap))
    assert tight_links(plan.drafts) == []
    assert {2, 4} <= reached(plan, 0, is_forward=True)
    assert {0, 3} <= reached(plan, 2, is_forward=False)
    assert 4 in reached(plan, 3, is_forward=True)


def test_a_short_street_keeps_its_lanes_for_those_who_go_straight_on():
    plan = plan_of(*jog(6.0))
    passing = [draft for draft in plan.drafts if draft.passed]
    assert {(0, 2), (2, 0)} <= {(draft.origin, draft.street) for draft in passing}
    assert all(street == 1 for draft in passing for street, _ in draft.passed)
    through = [d for d in plan.drafts if (d.origin, d.street) == (3, 1) and not d.passed]
    assert through


def test_a_sharp_turn_of_long_streets_gets_more_room():
    end = 60.0 * np.array([math.cos(math.radians(140.0)), math.sin(math.radians(140.0))])
    plan = plan_of(
        street(0, 1, [(-90, 0), (0, 0)], highway="primary"),
        street(1, 2, [(0, 0), (90, 0)], highway="primary"),
        street(1, 3, [(0, 0), end], highway="primary"),
    )
    assert tight_links(plan.drafts) == []
    assert reached(plan, 0, is_forward=True) == {1, 2}


def test_a_turn_back_between_two_close_streets_is_left_out():
    """Two parallel aisles 5 m apart: no car turns from one into the other."""
    plan = plan_of(
        street(0, 1, [(-60, 0), (0, 0)], highway="service"),
        street(1, 2, [(0, 0), (0, 5)], highway="service"),
        street(3, 2, [(-60, 5), (0, 5)], highway="service"),
        street(1, 4, [(0, 0), (0, -60)], highway="service"),
        street(2, 5, [(0, 5), (0, 65)], highway="service"),
    )
    assert tight_links(plan.drafts) == []
    assert reached(plan, 0, is_forward=True) == {3, 4}


def test_a_barred_way_past_a_short_street_stays_barred():
    free, barred = plan_of(*jog(6.0)), plan_of(*jog(6.0), barred_paths=[(0, 1, 2)])
    assert 2 in reached(free, 0, is_forward=True)
    assert not any((d.origin, d.street) == (0, 2) for d in barred.drafts if d.passed)


def test_a_longer_barred_way_is_known_without_the_streets_that_are_passed():
    streets = (*jog(6.0), street(3, 6, [(80, 6), (160, 6)], highway="service"))
    plan = plan_of(*streets, barred_paths=[(0, 1, 2, 5)])
    assert (0, 2, 5) in plan.barred_paths


def test_a_turn_that_the_map_allows_is_not_barred_by_a_way_past_a_short_street():
    # Street 3 leads round from the one end of the short street 1 to its other end: to it vehicles
    # from street 0 turn straight away, or past the short street. Only the latter is barred.
    loop = [(0, 0), (40, -40), (90, 0), (60, 60), (0, 70), (0, 6)]
    streets = (
        street(0, 1, [(-80, 0), (0, 0)], highway="service"),
        street(1, 2, [(0, 0), (0, 6)], highway="service"),
        street(4, 1, [(0, -80), (0, 0)], highway="service"),
        street(1, 2, loop, highway="service"),
        street(6, 0, [(-160, 0), (-80, 0)], highway="service"),
    )
    plan = plan_of(*streets, barred_paths=[(4, 0, 1)])
    assert (4, 0, 3) not in plan.barred_paths
