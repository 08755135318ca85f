"""Streets beside one another, sharp turns between them, and where levels have vertices."""

import numpy as np
import pytest

from autosim.world.lanes.lane_drafts import LaneDraft
from autosim.world.levels.heights import StreetSamples, level_height
from autosim.world.profiles.clearance_obstacles import Obstacles
from autosim.world.profiles.design_standard import STANDARD
from autosim.world.profiles.grade_separations import no_separations
from autosim.world.profiles.profile_problem import ProfileProblem
from autosim.world.profiles.sharp_turns import find_sharp_turns
from tests.world.one_street import street

NO_OBSTACLES = Obstacles(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


def bank(points):
    """Level, but 2 m higher north of the x axis."""
    return np.where(points[:, 1] > 1.0, 2.0, 0.0)


def test_streets_that_are_one_surface_have_one_height():
    beside = [street(0, 1, [(0, 0), (200, 0)]), street(2, 3, [(0, 4), (200, 4)])]
    problem = ProfileProblem(beside, terrain=bank, obstacles=NO_OBSTACLES)
    problem.solve(no_separations(), no_separations())
    assert problem.settle_contacts()
    first, second = problem.solve(no_separations(), no_separations())
    assert np.abs(first.z - second.z).max() < 0.02


def test_streets_with_room_between_them_keep_their_heights():
    apart = [street(0, 1, [(0, 0), (200, 0)]), street(2, 3, [(0, 12), (200, 12)])]
    problem = ProfileProblem(apart, terrain=bank, obstacles=NO_OBSTACLES)
    first, second = problem.solve(no_separations(), no_separations())
    assert not problem.settle_contacts()
    assert second.z - first.z == pytest.approx(2.0, abs=0.02)


def _hairpin():
    """Two streets that meet at a small angle, and the turn across between them."""
    streets = [street(0, 1, [(0, 0), (100, 0)]), street(1, 2, [(100, 0), (0, 30)])]
    across = np.array([(60.0, 0.0), (64.0, 4.0), (63.0, 9.0), (58.0, 12.6)])
    drafts = [
        LaneDraft(1, 0, across, 3.0, streets[0].profile, is_connector=True),
        LaneDraft(0, 0, np.array([(0.0, 0.0), (60.0, 0.0)]), 3.0, streets[0].profile, False),
    ]
    return streets, drafts


def _steps(points):
    """A slope down to the south, as steep as a street may be."""
    return 0.4 * points[:, 1]


def test_a_sharp_turn_leads_from_one_arc_length_to_another():
    streets, drafts = _hairpin()
    turns = find_sharp_turns(drafts, streets)
    assert turns.first.tolist() == [0]
    assert turns.second.tolist() == [1]
    assert turns.first_s == pytest.approx([60.0])
    assert turns.second_s == pytest.approx([44.0], abs=0.5)
    assert turns.max_rise == pytest.approx([17.0 * STANDARD.turn_grade], rel=0.03)


def test_streets_differ_little_in_height_where_a_sharp_turn_joins_them():
    streets, drafts = _hairpin()
    turns = find_sharp_turns(drafts, streets)

    def climb(turns):
        problem = ProfileProblem(streets, terrain=_steps, obstacles=NO_OBSTACLES, rises=turns)
        first, second = problem.solve(no_separations(), no_separations())
        return float(second.at(44.0) - first.at(60.0))

    assert climb(None) > 1.5
    assert climb(turns) < 0.05 * 17.0


def _walled(gap):
    """The height function of two streets 8 m apart, each 3.5 m wide to both sides."""
    s = np.arange(0.0, 60.0, 2.0)
    points = np.vstack([np.column_stack([s, 0.0 * s]), np.column_stack([s, 8.0 + 0.0 * s])])
    heights = np.repeat([0.0, gap], len(s))
    level = np.zeros((len(points), 2))
    left = np.tile([0.0, 1.0], (len(points), 1))
    samples = StreetSamples(points, heights, level, np.full((len(points), 2), 3.5), left)
    return level_height(samples)


@pytest.mark.parametrize("gap", [0.0, 3.0, 6.0])
def test_a_street_is_not_bent_by_one_above_it(gap):
    height = _walled(gap)
    lane = np.column_stack([np.linspace(10.0, 50.0, 21), np.full(21, 1.75)])
    assert np.abs(height(lane)).max() < 0.02
