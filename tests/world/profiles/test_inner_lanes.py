"""Lanes on the inner side of bends, which are shorter than the axes of their streets."""

import numpy as np
import pytest

from autosim.world.geometry.curves import arc
from autosim.world.lanes.lane_drafts import LaneDraft
from autosim.world.profiles.clearance_obstacles import Obstacles
from autosim.world.profiles.design_standard import STANDARD
from autosim.world.profiles.grade_separations import no_separations
from autosim.world.profiles.inner_lanes import find_inner_lanes
from autosim.world.profiles.profile_problem import ProfileProblem
from tests.world.one_street import street

NO_OBSTACLES = Obstacles(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


def hairpin(radius, at=0.0, aside=0.0):
    """A line that turns back on a half circle of a radius [m], `at` and `aside` [m] off."""
    bend = arc(np.array([at, 0.0]), 0.0, np.pi, radius)
    line = np.vstack([[-80.0, 0.0], bend, [-80.0, 2.0 * radius]])
    return np.add(line, [0.0, aside])


def lane_on(one, line):
    return LaneDraft(0, 0, line, 3.0, one.profile, False)


def test_a_lane_past_the_centre_of_a_hairpin_is_much_shorter_than_the_axis():
    """The widened inner lane passes within 1.5 m of the centre of a bend of 7 m."""
    axis = street(0, 1, hairpin(7.0))
    inner = hairpin(5.0, at=-3.5, aside=2.0)
    found = find_inner_lanes([lane_on(axis, inner)], [axis])
    lengths = found.max_rise / STANDARD.turn_grade
    assert lengths.max() == pytest.approx(4.0, abs=0.1)
    shares = np.abs(found.second_s - found.first_s) / lengths
    assert shares.min() > 1.6
    middle = 80.0 + 7.0 * np.pi / 2.0
    assert np.abs(0.5 * (found.first_s + found.second_s) - middle).max() < 12.0


def test_lanes_on_their_axis_or_in_a_wide_bend_are_not_shorter():
    wide = street(0, 1, hairpin(20.0))
    assert not len(find_inner_lanes([lane_on(wide, wide.points)], [wide]).first)
    inner = hairpin(18.25, aside=1.75)
    assert not len(find_inner_lanes([lane_on(wide, inner)], [wide]).first)
    assert not len(find_inner_lanes([], [wide]).first)


def test_a_street_is_nearly_level_where_its_inner_lane_is_short():
    axis = street(0, 1, hairpin(7.0))
    turns = find_inner_lanes([lane_on(axis, hairpin(5.0, at=-3.5, aside=2.0))], [axis])

    def rise(turns):
        problem = ProfileProblem(
            [axis], terrain=lambda p: 0.3 * p[:, 1], obstacles=NO_OBSTACLES, rises=turns
        )
        (profile,) = problem.solve(no_separations(), no_separations())
        return float(np.abs(profile.at(97.0) - profile.at(85.0)))

    assert rise(None) > 0.5
    assert rise(turns) < 2.0 * turns.max_rise.max()
