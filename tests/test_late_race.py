"""With 100 ms of latency each way and noise, projection keeps the racer on the track."""

import pytest

from tests.late_drives import SEEDS, late_drive


@pytest.mark.parametrize(
    "seed", [*SEEDS[:2], *(pytest.param(each, marks=pytest.mark.long) for each in SEEDS[2:])]
)
def test_100_ms_late_it_stays_on_the_track_with_projection_and_leaves_it_without(seed):
    assert not late_drive(seed, is_projected=True).leaves_the_track
    assert late_drive(seed, is_projected=False).leaves_the_track
