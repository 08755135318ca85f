"""Turns between the carriageways of two streets, which climb from the one to the other."""

import numpy as np

from autosim.world.lanes.lane_planning import plan_lanes
from autosim.world.profiles.clearance_obstacles import Obstacles
from autosim.world.profiles.design_standard import STANDARD
from autosim.world.profiles.grade_separations import no_separations
from autosim.world.profiles.profile_problem import ProfileProblem
from autosim.world.profiles.turns_off_streets import find_turns_off_streets
from tests.world.one_street import street

NO_OBSTACLES = Obstacles(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
BENT = [street(0, 1, [(-80, 0), (0, 0)]), street(1, 2, [(0, 0), (-45, 70)])]
"""Two streets that meet at a sharp angle: the turn between them cuts the corner."""


def drafts_of(streets):
    return plan_lanes(streets, side="right", has_room=lambda *_: False).drafts


def test_a_turn_that_cuts_a_corner_is_off_both_streets():
    found = find_turns_off_streets(drafts_of(BENT), BENT)
    assert {(0, 1)} <= set(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert (found.max_rise > 2.0 * STANDARD.crossing_grade).all()


def test_a_turn_along_its_streets_is_never_off_them():
    straight = [street(0, 1, [(-80, 0), (0, 0)]), street(1, 2, [(0, 0), (80, 5)])]
    assert not len(find_turns_off_streets(drafts_of(straight), straight).first)
    assert not len(find_turns_off_streets([], straight).first)


def test_both_ends_of_the_stretch_differ_little_in_height():
    turns = find_turns_off_streets(drafts_of(BENT), BENT)

    def excess(turns_kept):
        problem = ProfileProblem(
            BENT, terrain=lambda p: 0.12 * p[:, 1], obstacles=NO_OBSTACLES, rises=turns_kept
        )
        own, other = problem.solve(no_separations(), no_separations())
        ends = zip(turns.first, turns.first_s, turns.second, turns.second_s, strict=True)
        both = own, other
        rises = [abs(float(both[j].at(s) - both[k].at(t))) for j, s, k, t in ends]
        return float((np.array(rises) * STANDARD.crossing_grade / turns.max_rise).max())

    assert excess(None) > 1.5 * STANDARD.crossing_grade
    assert excess(turns) < 1.1 * STANDARD.crossing_grade
