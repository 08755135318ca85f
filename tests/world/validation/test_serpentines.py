"""Serpentines on steep slopes: no step between their arms, and no wheel without a floor."""

import pytest

from autosim.world.validation.soundness import measures
from tests.world.serpentines import build_serpentine

DRAWN = 100
"""Number of serpentines of the long test."""


def broken(folder, seed):
    return {
        each.name: (each.value, each.cause)
        for each in measures(build_serpentine(folder, seed))
        if each.is_broken
    }


@pytest.mark.parametrize("seed", [7, 8, 26, 45])
def test_the_arms_of_a_serpentine_are_not_welded(seed, tmp_path):
    assert broken(tmp_path, seed) == {}


@pytest.mark.parametrize("seed", [40, 51, 54, 68, 84, 92])
def test_streets_that_lead_into_others_have_no_kink_at_their_edges(seed, tmp_path):
    assert broken(tmp_path, seed) == {}


@pytest.mark.parametrize("seed", [11, 47, 80])
def test_streets_have_no_kink_where_they_cross_a_dead_end_end_aslant_or_part_in_a_bend(
    seed, tmp_path
):
    assert broken(tmp_path, seed) == {}


@pytest.mark.parametrize("seed", [33, 58, 81])
def test_wheels_follow_a_street_next_to_places_where_the_ground_bends(seed, tmp_path):
    """In the open corner of a hairpin, behind a dead end, and at the rim of a turning head."""
    assert broken(tmp_path, seed) == {}


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_no_serpentine_breaks_a_measure(tmp_path):
    found = {seed: worst for seed in range(DRAWN) if (worst := broken(tmp_path, seed))}
    assert found == {}
