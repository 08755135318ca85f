"""Where bridges begin, the ground and the deck have the height of the street that leads there."""

import numpy as np
import pytest

from autosim.world.levels.level_division import GROUND, LevelTransition
from autosim.world.levels.transition_heights import agreeing_at_transitions
from autosim.world.profiles.profile import Profile
from tests.world.one_street import one_way_street

APART = 0.2
"""Width [m] between two carriageways side by side."""
RISE = 0.6
"""Height [m] of the second one above the first."""


def carriageways():
    """Two carriageways side by side along x, which are bridges beyond x = 40 m."""
    streets = [one_way_street(0, 1, [(0.0, 0.0), (80.0, 0.0)], 2)]
    half = streets[0].profile.width / 2.0
    away = 2.0 * half + APART
    streets.append(one_way_street(2, 3, [(0.0, away), (80.0, away)], 2))
    s = np.array([0.0, 80.0])
    profiles = [Profile(s, np.full(2, z), np.zeros(2)) for z in (0.0, RISE)]
    transitions = [
        LevelTransition(GROUND, 1, k, np.array([40.0, y]), np.array([1.0, 0.0]), half, z)
        for k, (y, z) in enumerate(((0.0, 0.0), (away, RISE)))
    ]
    return streets, profiles, transitions


@pytest.mark.parametrize("level", [GROUND, 1])
def test_a_carriageway_is_level_up_to_another_one_that_lies_higher_beside_it(level):
    streets, profiles, transitions = carriageways()
    half = transitions[0].half
    middle = half + APART / 2.0
    height = agreeing_at_transitions(
        lambda points: np.where(points[:, 1] < middle, 0.1, RISE - 0.1),
        level,
        transitions,
        streets=streets,
        profiles=profiles,
        side_clearances={},
        following={},
    )
    inner, outer = half - 0.25, half + APART + 0.25
    at = [[40.0, y] for y in (0.0, inner, middle, outer, 2.0 * middle)]
    assert height(np.array(at)) == pytest.approx([0.0, 0.0, RISE / 2.0, RISE, RISE], abs=0.02)
