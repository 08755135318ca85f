"""The invariants of worlds against their limits."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.world.lanes.roads import LaneRecord, RoadNetwork
from autosim.world.validation.soundness import grade_p99, measures
from tests.worlds import flat_world


def broken(**invariants):
    world = replace(flat_world(), invariants=tuple(invariants.items()))
    return [each.name for each in measures(world) if each.is_broken]


def test_counts_must_be_zero():
    assert broken(open_edges=0.0, missed_rays=0.0) == []
    assert broken(open_edges=1.0, missed_rays=0.0) == ["open_edges"]
    assert broken(some_new_invariant=2.0) == ["some_new_invariant"]


def test_clearance_has_a_least_value_and_may_have_nothing_to_measure():
    assert broken(min_clearance_m=3.9) == ["min_clearance_m"]
    assert broken(min_clearance_m=5.5) == []
    assert broken(min_clearance_m=float("inf")) == []
    values = {each.name: each.value for each in measures(flat_world())}
    assert values["min_clearance_m"] is None


def test_the_grade_of_compiled_worlds_counts_where_they_have_one():
    assert broken(grade_p99=0.3) == ["grade_p99"]
    assert broken(grade_p99=float("nan")) == ["grade_p99"]
    assert broken(grade_p99=0.1) == []


def test_the_grade_is_rise_over_run_weighted_by_length():
    def lane(points):
        return LaneRecord(0, np.array(points, dtype=float), 3.0, 10.0, "road", False, ())

    gentle = lane([(0, 0, 0), (990, 0, 9.9)])
    assert grade_p99(RoadNetwork.from_lanes([gentle])) == pytest.approx(0.01)
    steep = lane([(0, 0, 50), (20, 0, 60)])
    assert grade_p99(RoadNetwork.from_lanes([gentle, steep])) == pytest.approx(0.5)
    assert grade_p99(RoadNetwork.from_lanes([])) == 0.0
