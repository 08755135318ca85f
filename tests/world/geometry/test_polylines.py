"""Many polylines at once are what `curves` makes of each, to the last bit."""

import numpy as np
import pytest

from autosim.world.geometry.curves import (
    arc_lengths,
    length_of,
    points_at,
    resample,
    without_repeats,
)
from autosim.world.geometry.polylines import Polylines


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


def test_each_is_divided_into_equal_steps(lines):
    lines = [line for line in lines if arc_lengths(line)[-1] > 0.0]
    pieces = np.random.default_rng(6).integers(1, 9, len(lines))
    s, together = Polylines.of(lines).at_equal_steps(pieces)
    assert together.counts.tolist() == (pieces + 1).tolist()
    shares = zip(lines, pieces.tolist(), together.split(s), strict=True)
    for (line, count, own), points in zip(shares, together.split(together.points), strict=True):
        stations = arc_lengths(line)
        assert own == pytest.approx(np.linspace(0.0, stations[-1], count + 1))
        assert points == pytest.approx(points_at(line, stations, own))
        assert points[[0, -1]].tobytes() == line[[0, -1]].tobytes()


def test_lengths_are_those_of_each(lines):
    assert Polylines.of(lines).lengths().tolist() == [length_of(line) for line in lines]


def test_there_may_be_none():
    none = Polylines.of([]).without_repeats().resampled(3.0)
    none = none.at_equal_steps(np.zeros(0, dtype=np.int64))[1]
    assert len(none.points) == len(none.counts) == len(none.stations()) == len(none.lengths()) == 0


def test_each_has_a_shape(lines):
    shapes = Polylines.of(lines).shapes()
    assert [len(shape.coords) for shape in shapes] == [len(line) for line in lines]
    assert np.vstack([shape.coords for shape in shapes]).tobytes() == np.vstack(lines).tobytes()
    assert len(Polylines.of([]).shapes()) == 0
