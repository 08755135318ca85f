"""The least radius of each of many polylines."""

import numpy as np
import pytest

from autosim.world.geometry.curves import arc
from autosim.world.geometry.polylines import Polylines
from autosim.world.geometry.turn_radii import turn_radii

ORIGIN = np.zeros(2)


def radius_of(*lines):
    return turn_radii(Polylines.of([np.array(line, dtype=float) for line in lines]))[0].tolist()


@pytest.mark.parametrize("radius", [2.5, 5.0, 12.0, 60.0])
def test_an_arc_has_its_radius(radius):
    line = arc(ORIGIN, 0.3, 1.5, radius)
    assert radius_of(line) == pytest.approx([radius], rel=0.02)


def test_a_corner_between_long_sides_is_a_kink_and_not_a_wide_curve():
    assert radius_of([(-20, 0), (0, 0), (20, 11.547)]) == pytest.approx([3.82], abs=0.01)


def test_a_small_corner_is_averaged_and_a_straight_line_has_no_radius():
    [straight, small] = radius_of([(0, 0), (9, 0)], [(0, 0), (4, 0), (4.01, 0.003), (9, 0.003)])
    assert straight == np.inf
    assert small > 5.0


def test_lines_do_not_mix_and_the_tightest_vertex_is_named():
    bend = np.vstack([arc(ORIGIN, 0.0, 1.0, 30.0), [(28.0, 30.0), (20.0, 30.0)]])
    lines = Polylines.of([np.array([(0.0, 0.0), (5.0, 0.0)]), bend, arc(ORIGIN, 2.0, -1.0, 8.0)])
    radii, rows = turn_radii(lines)
    assert radii[[0, 2]] == pytest.approx([np.inf, 8.0], rel=0.02)
    assert lines.points[rows[1]].tolist() == [28.0, 30.0]
