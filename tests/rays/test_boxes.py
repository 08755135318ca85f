"""Rays against the boxes of parts."""

import numpy as np
import pytest

from autosim.rays.boxes import PartBoxes, nearest_box, sort_boxes
from autosim.simulation.bodies import rotation_matrices
from autosim.simulation.rigid_bodies.rigid_body import box_body
from tests.vehicle.rig import tilt

LEVEL = (0.0, 0.0, 0.0, 1.0)


def cast(origins, ends, boxes, *, robot=0):
    """Fractions of rays that `robot` casts; the boxes are of robots 1, 2, …"""
    centres, turns, halves = (
        np.array(column, dtype=np.float64) for column in zip(*boxes, strict=True)
    )
    parts = PartBoxes.of(
        [box_body(2.0 * half, 1.0) for half in halves], np.arange(1, len(boxes) + 1)
    )
    sort_boxes(parts, centres)
    rotations = rotation_matrices(turns)
    rays = zip(np.array(origins, dtype=np.float64), np.array(ends, dtype=np.float64), strict=True)
    return np.array(
        [
            nearest_box(parts, centres, rotations, tuple(origin), tuple(end - origin), robot, 1.0)
            for origin, end in rays
        ]
    )


def test_a_ray_meets_the_nearest_box():
    boxes = [((9.0, 0, 0), LEVEL, (1, 1, 1)), ((5.0, 0, 0), LEVEL, (1, 1, 1))]
    hits = cast([(0, 0, 0), (0, 3, 0), (5, 0, 0)], [(10, 0, 0), (10, 3, 0), (9, 0, 0)], boxes)
    assert hits == pytest.approx([0.4, 1.0, 0.0])


def test_a_ray_passes_its_own_robot():
    boxes = [((2.0, 0, 0), LEVEL, (1, 1, 1)), ((5.0, 0, 0), LEVEL, (1, 1, 1))]
    assert cast([(0, 0, 0)], [(10, 0, 0)], boxes, robot=1) == pytest.approx([0.4])


def test_a_ray_of_no_length_meets_nothing_outside():
    assert cast([(0, 0, 0)], [(0, 0, 0)], [((5.0, 0, 0), LEVEL, (1, 1, 1))]) == [1.0]


def test_rays_at_turned_boxes_end_on_their_surface():
    random = np.random.default_rng(3)
    R, quaternion = tilt((0.7, -0.4))
    half = np.array([2.0, 0.8, 0.5])
    origins = random.uniform(-6.0, 6.0, (400, 3))
    ends = random.uniform(-6.0, 6.0, (400, 3))
    fractions = cast(origins, ends, [((0.3, 0.1, -0.2), quaternion, half)])
    points = (origins + fractions[:, None] * (ends - origins) - [0.3, 0.1, -0.2]) @ R
    depth = (np.abs(points) / half).max(axis=1)
    hit = fractions < 1.0
    assert depth[hit & (fractions > 0.0)] == pytest.approx(1.0)
    along = np.linspace(0.0, 1.0, 400)[:, None, None]
    samples = (origins + along * (ends - origins) - [0.3, 0.1, -0.2]) @ R
    inside = (np.abs(samples) < half - 1e-9).all(axis=2).any(axis=0)
    assert (hit >= inside).all()
    assert 20 < hit.sum() < 380


@pytest.mark.parametrize("stretch", [(1.0, 0.1), (0.1, 1.0)])
def test_of_many_boxes_that_move_none_is_passed_over(stretch):
    random = np.random.default_rng(7)
    sizes = random.uniform(0.5, 5.0, (60, 3))
    parts = PartBoxes.of([box_body(size, 1.0) for size in sizes], np.arange(60))
    rotations = np.broadcast_to(np.eye(3), (60, 3, 3)).copy()
    centres = random.uniform(-50.0, 50.0, (60, 3)) * [*stretch, 0.1]
    met = 0
    for _ in range(20):
        centres += random.uniform(-9.0, 9.0, centres.shape)
        sort_boxes(parts, centres)
        for origin, way in zip(
            random.uniform(-50.0, 50.0, (20, 3)) * [*stretch, 0.1],
            random.uniform(-20.0, 20.0, (20, 3)),
            strict=True,
        ):
            alone = [
                cast([origin], [origin + way], [(centre, LEVEL, size / 2.0)])[0]
                for centre, size in zip(centres, sizes, strict=True)
            ]
            found = nearest_box(parts, centres, rotations, tuple(origin), tuple(way), -1, 1.0)
            assert found == pytest.approx(min(alone))
            met += found < 1.0
    assert 20 < met < 360
