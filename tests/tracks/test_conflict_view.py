"""Conflicts ahead: a leader, a vehicle that will cross, one that follows, and a mirror."""

import numpy as np
import pytest

from autosim.arrays import Floats
from autosim.tracks import lane_view, mirrored_view
from autosim.tracks.conflict_view import (
    CONFLICT_RANGE,
    CONFLICT_WIDTH,
    HALF_CAR,
    HALF_LENGTH,
    WIDTH,
    observe_conflicts,
)
from autosim.tracks.lane_paths import PathArrays, paths_along
from autosim.tracks.neighbour_view import NEIGHBOUR_WIDTH, observe_neighbours


def road() -> PathArrays:
    """A straight path of 100 m to the east."""
    line = np.array([[0.0, 0.0, 0.0], [100.0, 0.0, 0.0]])
    return paths_along([line], limit=14.0, half_width=1.75)


def box(x: float, y: float, yaw: float, speed: float) -> Floats:
    """A car at x, y [m]."""
    speeds = speed * np.cos(yaw), speed * np.sin(yaw)
    return np.array([[x, y, 0.0, yaw, HALF_LENGTH, HALF_CAR, *speeds]])


def conflicts(boxes: Floats, speed: float = 10.0) -> Floats:
    """Conflicts (periods, 3) of a car at 20 m with a speed [m/s]."""
    view = np.ones(WIDTH)
    pose = np.array([20.0, 0.0, 0.0, 0.0, speed])
    observe_conflicts(road(), 0, 10, 20.0, pose, boxes, -1, view)
    return view.reshape(-1, CONFLICT_WIDTH)


def test_nothing_is_in_the_way_of_a_car_alone_or_beside_another() -> None:
    assert not conflicts(np.zeros((0, 8))).any()
    assert not conflicts(box(30.0, 4.0, np.pi, 0.0)).any()


def test_a_leader_is_in_the_way_now_and_moves_on() -> None:
    found = conflicts(box(40.0, 0.0, 0.0, 5.0))
    gap = 20.0 - 2.0 * HALF_LENGTH
    assert found[0, 0] == pytest.approx(1.0 - gap / CONFLICT_RANGE, abs=0.05)
    assert found[0, 1] == pytest.approx(-0.5)
    assert (np.diff(found[:, 0]) < 0.0).all()
    assert found[:, 2] == pytest.approx(0.0)


@pytest.mark.parametrize(("y", "yaw", "sine"), [(-15.0, 0.5, 1.0), (15.0, -0.5, -1.0)])
def test_a_vehicle_that_will_cross_is_in_the_way_when_it_does(
    y: float, yaw: float, sine: float
) -> None:
    found = conflicts(box(40.0, y, yaw * np.pi, 10.0))
    assert not found[0].any()
    assert found[2, 0] > 0.5
    assert found[2, 2] == pytest.approx(sine)
    assert not found[3].any()


def test_a_follower_is_not_in_the_way() -> None:
    assert not conflicts(box(8.0, 0.0, 0.0, 15.0)).any()


def test_vehicles_on_other_levels_are_not_in_the_way() -> None:
    above = box(40.0, 0.0, 0.0, 5.0)
    above[0, 2] = 6.0
    assert not conflicts(above).any()


def test_a_mirror_shows_the_view_of_a_mirrored_car() -> None:
    line = np.array([[0.0, 0.0, 0.0], [30.0, 0.0, 0.0], [60.0, 25.0, 0.0]])
    seen, near = [], []
    for side in (1.0, -1.0):
        paths = paths_along([line * [1.0, side, 1.0]], limit=14.0, half_width=1.75)
        views, places = np.zeros((1, lane_view.WIDTH)), np.zeros((1, lane_view.PLACES))
        pose = np.array([[12.0, 0.4 * side, 0.1 * side, 8.0]])
        rows = (np.zeros(1, dtype=np.int64), np.full(1, -1))
        lane_view.observe_lane(paths, *rows, pose, np.array([0.2 * side]), views, places)
        seen.append(views[0])
        view = np.zeros(NEIGHBOUR_WIDTH)
        car = np.array([12.0, 0.4 * side, 0.0, 0.1 * side, 8.0])
        observe_neighbours(car, box(25.0, 3.0 * side, 2.0 * side, 6.0), -1, view)
        near.append(view)
    assert seen[0] * mirrored_view.lane_signs() == pytest.approx(seen[1], abs=1e-9)
    assert near[0] * mirrored_view.neighbour_signs(1) == pytest.approx(near[1], abs=1e-9)
