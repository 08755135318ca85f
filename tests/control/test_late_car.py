"""With a tenth of a second of latency each way, projection keeps a car on the track."""

import pytest

from autosim.control.late_car import EDGE, Lateness, late_race, late_track, worst_offset

IN_TIME = Lateness(upstream=0.0, downstream=0.0, place=0.0, yaw=0.0, speed=0.0)


@pytest.fixture(scope="module")
def track():
    return late_track()


def worst(track, is_projected, seeds=range(10), **options):
    return [
        worst_offset(late_race(seed, is_projected=is_projected, table=track, **options), track)
        for seed in seeds
    ]


def test_with_projection_it_stays_on_the_track_and_without_it_leaves_it(track):
    assert max(worst(track, True)) < EDGE
    assert min(worst(track, False)) > EDGE


def test_nothing_that_is_late_needs_no_projection(track):
    assert max(worst(track, False, seeds=range(2), lateness=IN_TIME)) < EDGE


def test_a_seed_repeats_a_drive(track):
    assert len({*worst(track, True, seeds=[3, 3], seconds=2.0)}) == 1
