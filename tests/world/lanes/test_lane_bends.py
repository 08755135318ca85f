"""Bends of lanes between junctions: a car can steer them, and connectors meet them as before."""

import numpy as np
import pytest

from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.curves import heading_between
from autosim.world.geometry.meshes import Surface
from autosim.world.geometry.polylines import Polylines
from autosim.world.geometry.turn_radii import turn_radii
from autosim.world.lanes.bypasses import LEFT_OUT_TIGHT
from autosim.world.lanes.lane_bends import widened_line, widened_to_its_ends
from autosim.world.lanes.lane_planning import plan_lanes
from tests.world.maps import RESIDENTIAL, build_map
from tests.world.one_street import street

HAIRPIN = np.array([[0.0, 0.0], [40.0, 0.0], [42.0, 1.5], [42.0, 3.5], [40.0, 5.0], [0.0, 5.0]])
CORNER = np.array([[0.0, 0.0], [20.0, 0.0], [20.2, 1.0], [20.2, 30.0]])
ZIGZAG = np.array([[0.0, 0.0], [15.0, 0.0], [16.0, 2.0], [17.0, 0.0], [40.0, 0.0]])


def plan_of(*streets):
    return plan_lanes(streets, side="right", has_room=lambda *_: False)


def radius_of(line):
    return float(turn_radii(Polylines.of([line]))[0][0])


@pytest.mark.parametrize("line", [HAIRPIN, CORNER, ZIGZAG])
@pytest.mark.parametrize("radius", [4.0, 5.0])
def test_a_bend_of_a_few_metres_gets_the_radius_of_a_car(line, radius):
    assert radius_of(line) < 3.0
    wide = widened_line(line, radius)
    assert radius_of(wide) >= radius
    assert wide[0] == pytest.approx(line[0])
    assert wide[-1] == pytest.approx(line[-1])
    assert heading_between(*wide[:2]) == pytest.approx(heading_between(*line[:2]))
    assert heading_between(*wide[-2:]) == pytest.approx(heading_between(*line[-2:]))


AT_END = np.array(
    [
        *([0.1, 10.48], [-0.65, 6.72], [-0.98, 4.37], [-1.05, 3.3], [-1.01, 2.77], [-0.93, 2.24]),
        *([-0.8, 1.72], [-0.62, 1.07], [-0.54, 0.83], [-0.43, 0.61], [-0.31, 0.39]),
        *([-0.16, 0.19], [0.0, 0.0], [0.06, -0.05]),
    ]
)


def test_a_bend_at_an_end_is_widened_and_the_heading_there_stays():
    assert radius_of(widened_line(AT_END, 4.0)) < 3.7
    wide = widened_to_its_ends(AT_END, 4.0)
    assert radius_of(wide) >= 4.0
    assert wide[[0, -1]].tolist() == AT_END[[0, -1]].tolist()
    assert heading_between(*wide[-2:]) == pytest.approx(heading_between(*AT_END[-2:]))


def test_a_wide_line_stays_as_it_is():
    line = np.array([[0.0, 0.0], [50.0, 0.0], [100.0, 5.0]])
    assert widened_line(line, 5.0).tolist() == line.tolist()


def test_beside_a_bend_that_has_no_room_the_next_one_is_widened():
    """The first one turns back half a metre behind the start, whose heading is fixed."""
    back = np.array([[0.0, 0.0], [0.5, 0.0], [0.6, 0.3], [0.5, 0.6], [-60.0, 0.6]])
    line = np.vstack([back, [[-60.2, 1.6], [-60.2, 60.0]]])
    wide = widened_line(line, 12.0)
    assert 4.0 <= radius_of(wide) < 12.0
    assert radius_of(line[3:]) < 4.0
    assert radius_of(wide[wide[:, 0] < -30.0]) >= 12.0


@pytest.mark.parametrize("highway", ["residential", "service"])
def test_all_lanes_of_a_crooked_street_can_be_driven(highway):
    tight = {"residential": 5.0, "service": 4.0}[highway]
    plan = plan_of(street(0, 1, [(-60, 0), (0, 0), (1, 0.5), (1.5, 2), (1.5, 40)], highway=highway))
    lanes = [draft for draft in plan.drafts if not draft.is_connector]
    assert len(lanes) == 2
    assert min(radius_of(draft.points) for draft in lanes) >= tight


def test_both_directions_of_a_narrow_street_stay_on_one_line():
    plan = plan_of(street(0, 1, HAIRPIN, highway="track"))
    ahead, back = (draft.points for draft in plan.drafts if not draft.is_connector)
    assert radius_of(ahead) >= 4.0
    assert ahead == pytest.approx(back[::-1])


def test_a_bend_just_before_a_junction_becomes_part_of_the_turn():
    bent = [(0, 0), (5.5, 0), (6.5, 1.5), (6.5, 40)]
    plan = plan_of(
        street(0, 1, [(-60, 0), (0, 0)], highway="service"),
        street(1, 2, bent, highway="service"),
        street(1, 3, [(0, 0), (0, -50)], highway="service"),
    )
    assert min(radius_of(draft.points) for draft in plan.drafts) >= 4.0
    assert not plan.left_out[LEFT_OUT_TIGHT]


def test_the_rest_of_a_small_loop_between_two_wide_turns_can_be_driven(tmp_path):
    """Of the loop 6.6 m are left on its inner side, with a bend of 93 degrees."""
    line = [(-67.08, -35.26), (0.0, 0.0)]
    loop = [(6.34, 4.05), (11.62, 14.58), (6.23, 26.36), (-4.62, 20.91), (0.0, 0.0)]
    world = build_map(tmp_path, [((*line, *loop), RESIDENTIAL)], side="right")
    values = dict(world.invariants)
    assert (values["tight_lanes"], values["tight_connectors"]) == (0.0, 0.0)


def test_the_carriageway_is_as_wide_as_the_bends_of_its_lanes_need(tmp_path):
    ways = [(tuple(map(tuple, HAIRPIN.tolist())), {"highway": "service"})]
    world = build_map(tmp_path, ways, side="right")
    values = dict(world.invariants)
    assert values["tight_lanes"] == 0.0
    assert values["missed_lane_rays"] == 0.0
    index = GroundIndex.build(world.ground)
    for lane in world.roads.lanes:
        places = [lane.position(s, t) for s in np.linspace(0, lane.length, 60) for t in (-1, 1)]
        assert (index.surfaces_at(np.array(places)) == Surface.CARRIAGEWAY).all()
