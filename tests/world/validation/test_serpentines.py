"""Serpentines on steep slopes: no step between their arms, and no wheel without a floor."""

import pytest

from autosim.world.validation.soundness import measures
from tests.world.serpentines import build_serpentine

DRAWN, CONTRADICTORY = 60, 6
"""Serpentines of the long test, and those whose side streets are too steep or touch other streets
without a node: a wheel leaves the ground at 15 m/s."""


def broken(folder, seed):
    return {
        each.name: (each.value, each.cause)
        for each in measures(build_serpentine(folder, seed))
        if each.is_broken
    }


@pytest.mark.parametrize("seed", [7, 8, 26, 33, 45])
def test_the_arms_of_a_serpentine_are_not_welded(seed, tmp_path):
    assert broken(tmp_path, seed) == {}


@pytest.mark.long
def test_many_serpentines_have_no_step_between_their_arms(tmp_path):
    found = {seed: worst for seed in range(DRAWN) if (worst := broken(tmp_path, seed))}
    assert not [seed for seed, worst in found.items() if "worst_side_step_m" in worst], found
    assert len(found) <= CONTRADICTORY, found
