"""Vertices on what is driven: where a wall is near, those beside a lane lie outside its wheels."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from autosim.world.geometry.height_function import nowhere_uneven
from autosim.world.ground.driven_points import driven_points
from autosim.world.lanes.lane_drafts import LanePlan
from autosim.world.levels.lane_spans import LaneSpan
from autosim.world.levels.level_division import GROUND, divide_into_levels
from autosim.world.surfaces.carriageway_shapes import StreetMap
from autosim.world.validation.lane_forms import WHEEL


def beside_a_cliff(heading):
    """The driven points (n, 2) of a lane through the origin, along it and to its left [m]."""
    ahead = np.array([np.cos(heading), np.sin(heading)])
    line = np.linspace(-20.0, 20.0, 9)[:, None] * ahead
    cliff = 4.0 * np.array([[-ahead[1], ahead[0]]])
    town = StreetMap(
        [], LanePlan([]), divide_into_levels([], []), [LaneSpan(0, GROUND, line)], {}, cliff
    )
    points = driven_points(town, GROUND, nowhere_uneven)
    return points @ np.array([[ahead[0], -ahead[1]], [ahead[1], ahead[0]]])


@pytest.mark.parametrize("heading", [0.0, 0.3, 1.1, 2.5])
def test_a_lane_that_passes_a_cliff_has_vertices_just_outside_its_wheels(heading):
    points = beside_a_cliff(heading)
    left = np.abs(points[:, 1])
    assert ((left < 0.01) | ((left > WHEEL) & (left < WHEEL + 0.3))).all()
    for side in (-1.0, 1.0):
        along = np.sort(points[side * points[:, 1] > WHEEL, 0])
        assert np.diff(along).max() <= 1.3
        assert along[0] < -3.0
        assert along[-1] > 3.0


def test_no_two_of_them_are_near_each_other():
    points = beside_a_cliff(0.3)
    gaps, _ = cKDTree(points).query(points, k=2)
    assert gaps[:, 1].min() > 0.5
