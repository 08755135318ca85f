"""Ways of a car in narrow places: arcs, the search for them, and their reversal."""

import itertools

import numpy as np

from autosim.control.manoeuvres import (
    STEP,
    CarOutline,
    CarPose,
    FreeSpace,
    ManoeuvreSearch,
    advanced,
    reversed_way,
)

CAR = CarOutline(-1.0, 3.4, 0.9, 0.22)


def street_with_bay(length: float) -> FreeSpace:
    """A lane along y = 0, 4 m wide, and a bay of a `length` [m] beside it, about (0, -3)."""
    cell = 0.1
    xs, ys = np.meshgrid(np.arange(-12.0, 12.0, cell), np.arange(-4.2, 2.0, cell))
    free = (np.abs(ys) < 2.0) | ((np.abs(xs) < 0.5 * length) & (ys < 0.0))
    return FreeSpace((-12.0, -4.2), cell, free)


def to_lane(x: float, y: float, yaw: float) -> float:
    return max(abs(y) - 0.15, 0.0) + max(abs(yaw) - 0.06, 0.0) / CAR.max_curvature


def way_out(length: float) -> list[CarPose]:
    start = CarPose(-1.2, -3.0, 0.0)
    found = ManoeuvreSearch(CAR, street_with_bay(length), [start], to_lane).run(10**6)
    return next((each for each in found if each), [])


def test_an_arc_of_a_quarter_circle_ends_where_it_should() -> None:
    pose = CarPose(1.0, 2.0, 0.0)
    for _ in range(100):
        pose = advanced(pose, 0.2, 0.5 * np.pi / 0.2 / 100)
    assert np.allclose(pose[:3], (6.0, 7.0, 0.5 * np.pi), atol=1e-3)


def test_a_car_leaves_a_bay_without_touching_what_is_beside_it() -> None:
    way = way_out(7.0)
    assert to_lane(*way[-1][:3]) == 0.0
    space, outline = street_with_bay(7.0), CAR.outline()
    for before, pose in itertools.pairwise(way):
        assert np.allclose(pose[:3], advanced(before, pose.curvature, pose.direction * STEP)[:3])
        c, s = np.cos(pose.yaw), np.sin(pose.yaw)
        plan = outline @ np.array([[c, s], [-s, c]]) + [pose.x, pose.y]
        assert space.contains(plan).all()


def test_a_shorter_bay_takes_more_changes_of_direction_and_too_short_ones_none() -> None:
    turns = [
        sum(a.direction * b.direction < 0 for a, b in itertools.pairwise(way))
        for way in (way_out(8.5), way_out(6.0))
    ]
    assert turns[0] < turns[1]
    assert way_out(4.5) == []


def test_a_reversed_way_leads_back_along_the_same_arcs() -> None:
    way = way_out(7.0)
    back = reversed_way(way)
    assert np.allclose(back[0][:3], way[-1][:3])
    assert np.allclose(back[-1][:3], way[0][:3])
    for before, pose in itertools.pairwise(back):
        there = advanced(before, pose.curvature, pose.direction * STEP)
        assert np.allclose(there[:3], pose[:3], atol=1e-9)
