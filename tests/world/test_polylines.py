"""Many polylines at once are what `curves` makes of each, to the last bit."""

import numpy as np
import pytest

from autosim.world.curves import arc_lengths, resample, without_repeats
from autosim.world.polylines import Polylines


@pytest.fixture
def lines():
    """Short polylines whose steps are at and about what counts as a repeat, or as a spacing."""
    random = np.random.default_rng(5)
    steps = [0.0, 1e-3, 0.0199, 0.02, 0.0201, 3.0, 6.0, -7.3]
    sizes = random.integers(2, 9, 500).tolist()
    return [np.cumsum(random.choice(steps, (size, 2)), axis=0) for size in sizes]


def test_stations_are_the_arc_lengths_of_each(lines):
    alone = np.concatenate([arc_lengths(line) for line in lines])
    assert Polylines.of(lines).stations().tobytes() == alone.tobytes()


def test_repeats_are_left_out_of_each(lines):
    alone = [without_repeats(line) for line in lines]
    together = Polylines.of(lines).without_repeats()
    assert together.counts.tolist() == [len(line) for line in alone]
    assert together.points.tobytes() == np.vstack(alone).tobytes()


def test_points_are_added_to_each(lines):
    alone = [resample(line, 3.0) for line in lines]
    together = Polylines.of(lines).resampled(3.0)
    assert together.counts.tolist() == [len(line) for line in alone]
    assert together.points.tobytes() == np.vstack(alone).tobytes()


def test_there_may_be_none():
    none = Polylines.of([]).without_repeats().resampled(3.0)
    assert len(none.points) == len(none.counts) == len(none.stations()) == 0


def test_each_has_a_shape(lines):
    shapes = Polylines.of(lines).shapes()
    assert [len(shape.coords) for shape in shapes] == [len(line) for line in lines]
    assert np.vstack([shape.coords for shape in shapes]).tobytes() == np.vstack(lines).tobytes()
    assert len(Polylines.of([]).shapes()) == 0
