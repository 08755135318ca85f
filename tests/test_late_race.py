"""With late devices and noise, projection keeps the racer on the track."""

import pytest

from tests.late_drives import SEEDS, late_drive


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_with_projection_it_stays_on_the_track_and_without_it_leaves_it(seed):
    assert not late_drive(seed, is_projected=True).leaves_the_track
    assert late_drive(seed, is_projected=False).leaves_the_track
