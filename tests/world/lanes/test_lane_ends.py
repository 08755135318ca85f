"""Lanes end only where the map says so."""

import numpy as np
import pytest

from autosim.world.lanes.lane_planning import plan_lanes
from autosim.world.streets.junction_rules import JunctionRules
from autosim.world.streets.restrictions import Restrictions
from autosim.world.streets.street_ends import StreetEnd
from autosim.world.validation.lane_ends import lost_ends
from tests.world.one_street import one_way_street, street


def plan_of(streets, rules=None):
    return plan_lanes(streets, side="right", has_room=lambda *_: False, rules=rules)


def test_where_nothing_else_leads_on_a_lane_leads_back_into_the_other_street():
    streets = [street(0, 1, [(-80, 0), (0, 0)]), street(1, 2, [(0, 0), (-80, 22)])]
    plan = plan_of(streets)
    assert (0, 1) in {(d.origin, d.street) for d in plan.drafts if d.is_connector}


def test_no_lane_leads_back_from_a_bridge_to_the_ground_below():
    streets = [street(0, 1, [(-80, 0), (0, 0)], layer=1), street(1, 2, [(0, 0), (-80, 22)])]
    plan = plan_of(streets)
    assert not any(draft.is_connector for draft in plan.drafts)
    assert lost_ends(plan, streets, JunctionRules()) == []


def test_a_lane_does_not_lead_back_where_another_street_leads_on():
    streets = [
        street(0, 1, [(-80, 0), (0, 0)]),
        street(1, 2, [(0, 0), (-80, 22)]),
        street(1, 3, [(0, 0), (80, 0)]),
    ]
    turns = {(d.origin, d.street) for d in plan_of(streets).drafts if d.is_connector}
    assert (0, 1) not in turns
    assert (0, 2) in turns


@pytest.mark.parametrize("layers", [(0, 0, 0), (-1, -1, -1)])
def test_turns_at_close_junctions_lead_on_also_in_tunnels(layers):
    """Where the street between them is too short, one curve leads through both."""
    streets = [
        street(0, 1, [(-80, 0), (0, 0)], layer=layers[0]),
        street(1, 2, [(0, 0), (0, 6)], layer=layers[1]),
        street(2, 3, [(0, 6), (80, 6)], layer=layers[2]),
    ]
    plan = plan_of(streets)
    assert {(d.origin, d.street) for d in plan.drafts if d.is_connector} >= {(0, 2), (2, 0)}


def test_lanes_that_lose_what_follows_them_are_found():
    streets = [street(0, 1, [(-80, 0), (0, 0)]), street(1, 2, [(0, 0), (80, 0)])]
    rules = JunctionRules()
    plan = plan_of(streets, rules)
    assert lost_ends(plan, streets, rules) == []
    ahead = next(k for k, d in enumerate(plan.drafts) if d.street == 0 and d.is_forward)
    plan.drafts[ahead].successors = []
    assert lost_ends(plan, streets, rules) == [ahead]
    barred = Restrictions(barred={(StreetEnd(0, False), StreetEnd(1, True))})
    assert lost_ends(plan, streets, JunctionRules(barred)) == []


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_ramp_joins_the_lane_on_its_side(side):
    """Two lanes meet a ramp: the street with three lanes behind takes it on its side."""
    lines = ([(-80, 0), (0, 0)], [(-80, 30 * side), (0, 0)], [(0, 0), (80, 0)])
    streets = [
        one_way_street(*ends, line, lanes)
        for ends, line, lanes in zip(((0, 1), (2, 1), (1, 3)), lines, (2, 1, 3), strict=True)
    ]
    plan = plan_of(streets)
    joined = [d for d in plan.drafts if d.is_connector and d.origin == 1]
    assert len(joined) == 1
    ends = [d.points[-1, 1] for d in plan.drafts if d.is_connector]
    assert joined[0].points[-1, 1] == (min(ends) if side < 0.0 else max(ends))
    assert len(set(np.round(ends, 2))) == 3
