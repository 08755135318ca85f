"""Streets that lead into others are at their height at the edges of their carriageways."""

import numpy as np
import pytest

from autosim.world.profiles.clearance_obstacles import Obstacles
from autosim.world.profiles.grade_separations import no_separations
from autosim.world.profiles.profile_problem import ProfileProblem
from autosim.world.profiles.street_mouths import find_street_mouths
from tests.world.one_street import street

NO_OBSTACLES = Obstacles(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
MAIN = street(0, 1, [(-80, 0), (0, 0)]), street(1, 2, [(0, 0), (80, 0)])
THROUGH = street(0, 2, [(-80, 0), (80, 0)], highway="secondary")
JOINING = [*MAIN, street(1, 3, [(0, 0), (0, 60)])]
CROSSING = [THROUGH, street(4, 5, [(3, -57), (3, 63)])]
ENDING = [THROUGH, street(4, 5, [(3, 60), (3, 2)])]


@pytest.mark.parametrize(("streets", "count"), [(JOINING, 1), (CROSSING, 2), (ENDING, 2)])
def test_a_street_is_at_the_height_of_another_at_its_edges(streets, count):
    mouths = find_street_mouths(streets)
    assert len(mouths.origin) == count
    assert set(mouths.origin.tolist()) == {len(streets) - 1}

    def differences(kept):
        problem = ProfileProblem(
            streets, terrain=lambda p: 0.15 * p[:, 1], obstacles=NO_OBSTACLES, turns=kept
        )
        found = problem.solve(no_separations(), no_separations())
        places = zip(mouths.origin, mouths.origin_s, mouths.street, mouths.street_s, strict=True)
        return np.array([abs(float(found[j].at(s) - found[k].at(t))) for j, s, k, t in places])

    assert differences(mouths).max() < 0.6 * differences(None).max()


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
    assert not len(find_street_mouths([*MAIN, other]).origin)


def test_streets_of_one_rank_that_cross_give_way_to_one_another():
    equal = [street(0, 2, [(-80, 0), (80, 0)]), street(4, 5, [(3, -60), (3, 60)])]
    assert sorted(find_street_mouths(equal).origin.tolist()) == [0, 0, 1, 1]
    assert not len(find_street_mouths([]).origin)
