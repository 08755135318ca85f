"""What junctions and turning heads leave of streets for lanes."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.world.geometry.curves import length_of
from autosim.world.lanes.lane_planning import plan_lanes
from autosim.world.osm.highways import BUILT_IN
from autosim.world.streets.street_profiles import street_profile
from tests.world.maps import RESIDENTIAL, build_map
from tests.world.one_street import street


def plan_of(*streets):
    return plan_lanes(streets, side="right", has_room=lambda *_: True)


def gaps_at_links(plan):
    return [
        float(np.linalg.norm(draft.points[-1] - plan.drafts[k].points[0]))
        for draft in plan.drafts
        for k in draft.successors
    ]


@pytest.mark.parametrize("length", [36.0, 40.0, 45.0, 55.0])
def test_a_short_dead_end_at_a_sharp_junction_has_lanes_that_lead_into_one_another(length):
    end = length * np.array([np.cos(2.0), np.sin(2.0)])
    plan = plan_of(
        street(0, 1, [(-90, 0), (0, 0)]),
        street(1, 2, [(0, 0), (90, 0)]),
        street(1, 3, [(0, 0), end]),
    )
    assert max(gaps_at_links(plan)) < 0.01
    # A lane that began beyond its end would lead back.
    outward = [d for d in plan.drafts if d.street == d.origin == 2 and d.is_forward]
    lanes = [draft for draft in outward if not draft.is_connector]
    assert all((draft.points[-1] - draft.points[0]) @ end > 0.0 for draft in lanes)


@pytest.mark.parametrize("length", [40.0, 60.0])
def test_a_street_with_two_dead_ends_has_turning_heads_where_there_is_room(length):
    plan = plan_of(street(0, 1, [(0, 0), (length, 0)]))
    assert max(gaps_at_links(plan), default=0.0) < 0.01
    assert len(plan.turning_heads) == (1 if length < 50.0 else 2)
    assert all(length_of(draft.points) > 1.0 for draft in plan.drafts)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("forward", [1, 2])
def test_a_loop_begins_and_ends_on_lanes_that_lie_unevenly_about_a_bent_axis(side, forward):
    """A lane and its loop lay 3.5 m apart where a dead end has two lanes in one direction."""
    tags = {
        "highway": "secondary",
        "lanes": "3",
        "lanes:forward": str(forward),
        "lanes:backward": str(3 - forward),
    }
    bend = [(0, 0), (60, 0), (90, 8), (101, 13), (108, 18), (112, 23)]
    profile = street_profile(tags, BUILT_IN["secondary"])
    dead_end = replace(street(0, 1, bend), profile=profile)
    plan = plan_lanes([dead_end], side=side, has_room=lambda *_: True)
    assert len(plan.turning_heads) == 2
    assert max(gaps_at_links(plan)) < 1e-6


def test_a_street_that_leads_back_past_its_end_has_no_turning_head_there(tmp_path):
    hairpin = ((0.0, 0.0), (100.0, 0.0), (108.0, 3.0), (108.0, 9.0), (100.0, 12.0), (30.0, 12.0))
    straight = ((0.0, 0.0), (300.0, 0.0))
    loops = [
        int(build_map(tmp_path, [(line, RESIDENTIAL)]).roads.connectors.sum())
        for line in (straight, hairpin)
    ]
    assert loops == [2, 1]
