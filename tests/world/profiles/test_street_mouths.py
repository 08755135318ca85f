"""Streets that lead into others are at their height at the edges of their carriageways."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.world.profiles.clearance_obstacles import Obstacles
from autosim.world.profiles.grade_separations import find_separations, no_separations
from autosim.world.profiles.profile_problem import ProfileProblem
from autosim.world.profiles.street_mouths import find_merged_mouths, find_street_mouths
from tests.world.one_street import street

NO_OBSTACLES = Obstacles(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
MAIN = street(0, 1, [(-80, 0), (0, 0)]), street(1, 2, [(0, 0), (80, 0)])
THROUGH = street(0, 2, [(-80, 0), (80, 0)], highway="secondary")
JOINING = [*MAIN, street(1, 3, [(0, 0), (0, 60)])]
CROSSING = [THROUGH, street(4, 5, [(3, -57), (3, 63)])]
ENDING = [THROUGH, street(4, 5, [(3, 60), (3, 2)])]


BEYOND = THROUGH.profile.width / 2.0 + 1.5
AROUND = [THROUGH, street(2, 5, [(80, 0), (80, 40), (3, 40), (3, 2)])]
ASLANT = [THROUGH, street(4, 5, [(-60, 45 + BEYOND), (0, BEYOND)])]
BENT = [*MAIN, street(1, 3, [(0, 0), (10, 1), (18, 5), (22, 12), (24, 60)])]


@pytest.mark.parametrize(
    ("streets", "count"),
    [(JOINING, 1), (CROSSING, 2), (ENDING, 2), (AROUND, 2), (ASLANT, 2), (BENT, 1)],
    ids=["at a node", "across", "at its end", "met elsewhere", "with a corner", "in a bend"],
)
def test_a_street_is_at_the_height_of_another_at_its_edges(streets, count):
    mouths = find_street_mouths(streets)
    assert len(mouths.first) == count
    assert set(mouths.first.tolist()) == {len(streets) - 1}

    def differences(kept):
        problem = ProfileProblem(
            streets, terrain=lambda p: 0.15 * p[:, 1], obstacles=NO_OBSTACLES, rises=kept
        )
        found = problem.solve(no_separations(), no_separations())
        places = zip(mouths.first, mouths.first_s, mouths.second, mouths.second_s, strict=True)
        return np.array([abs(float(found[j].at(s) - found[k].at(t))) for j, s, k, t in places])

    assert differences(mouths).max() < 0.6 * differences(None).max()


def test_a_street_on_another_level_that_got_its_height_is_level_at_its_edges_too():
    over, under = replace(THROUGH, layer=1), street(4, 5, [(3, -30), (3, 30)], layer=-1)
    ends = [street(4, 6, [(3, -30), (60, -40)]), street(5, 7, [(3, 30), (60, 40)])]
    streets = [over, under, *ends]
    merged = find_separations(streets)
    mouths = find_merged_mouths(streets, merged)
    assert mouths.first.tolist() == [1, 1]
    assert not len(find_merged_mouths(streets, no_separations()).first)
    problem = ProfileProblem(streets, terrain=lambda p: 0.15 * p[:, 1], obstacles=NO_OBSTACLES)
    found = problem.solve(no_separations(), merged)
    heights = found[1].at(mouths.first_s), found[0].at(mouths.second_s)
    assert np.abs(heights[0] - heights[1]).max() < 0.1


@pytest.mark.parametrize(
    "other",
    [
        street(1, 3, [(0, 0), (60, 20)]),
        street(1, 3, [(0, 0), (0, 60)], layer=1),
        street(4, 5, [(0, 20), (0, 60)]),
        street(4, 5, [(0, -60), (0, 60)], layer=1),
    ],
    ids=["at a small angle", "a bridge", "beside it", "above it"],
)
def test_other_streets_have_no_mouth(other):
    assert not len(find_street_mouths([*MAIN, other]).first)


def test_a_lesser_street_gives_way_to_the_end_of_another_one():
    streets = [
        street(0, 1, [(0, 0), (80, 0)]),
        street(4, 5, [(-0.6, -60), (-0.6, 60)], highway="track"),
    ]
    assert sorted(find_street_mouths(streets).first.tolist()) == [0, 0, 1, 1]


def test_streets_of_one_rank_that_cross_give_way_to_one_another():
    equal = [street(0, 2, [(-80, 0), (80, 0)]), street(4, 5, [(3, -60), (3, 60)])]
    assert sorted(find_street_mouths(equal).first.tolist()) == [0, 0, 1, 1]
    assert not len(find_street_mouths([]).first)
