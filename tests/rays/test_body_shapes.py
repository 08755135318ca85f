"""Rays against bodies that are boxes."""

import numpy as np
import pytest

from autosim.model.bodies import BodyStates
from autosim.model.rigid_bodies.rigid_body import box_body
from autosim.rays.batch import RayBatch
from autosim.rays.caster import RayCaster
from autosim.rays.ray_scene import RayScene
from tests.vehicle.rig import tilt

LEVEL = (0.0, 0.0, 0.0, 1.0)


EYE = 0
"""Number of the body, and of its robot, that casts rays; it is far above the others."""


def caster_of(sizes):
    """Boxes, each a robot, behind the one that casts rays."""
    bodies = [box_body(size, 1.0) for size in ((1e-3, 1e-3, 1e-3), *sizes)]
    return RayCaster(RayScene(()), bodies, np.arange(len(bodies)))


def states_of(centres, turns):
    states = BodyStates(1 + len(centres))
    states.positions[EYE] = 0.0, 0.0, 1e3
    states.positions[1:], states.orientations[1:] = centres, turns
    states.update_rotations()
    return states


def cast_at(caster, states, origins, ends, *, robot=EYE):
    """Fractions of rays that `robot` casts."""
    rays = RayBatch.of(len(origins))
    rays.origins[:], rays.ways[:], rays.robots[:] = origins, np.subtract(ends, origins), robot
    caster.cast(rays, len(origins), states)
    return rays.shares


def cast(origins, ends, boxes, *, robot=EYE):
    """Fractions of rays that `robot` casts; the boxes are of robots 1, 2, …"""
    centres, turns, halves = zip(*boxes, strict=True)
    caster = caster_of(2.0 * np.array(halves))
    return cast_at(caster, states_of(centres, turns), origins, ends, robot=robot)


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
    caster, states = caster_of(sizes), states_of(np.zeros((60, 3)), [LEVEL] * 60)
    centres = random.uniform(-50.0, 50.0, (60, 3)) * [*stretch, 0.1]
    met = 0
    for _ in range(20):
        centres += random.uniform(-9.0, 9.0, centres.shape)
        states.positions[1:] = centres
        origins = random.uniform(-50.0, 50.0, (20, 3)) * [*stretch, 0.1]
        ends = origins + random.uniform(-20.0, 20.0, (20, 3))
        alone = [
            cast(origins, ends, [(centre, LEVEL, size / 2.0)])
            for centre, size in zip(centres, sizes, strict=True)
        ]
        found = cast_at(caster, states, origins, ends)
        assert found == pytest.approx(np.min(alone, axis=0))
        met += (found < 1.0).sum()
    assert 20 < met < 360


def test_a_body_between_others_has_the_normal_of_its_own_surface():
    caster = caster_of([(1.0, 1.0, 1.0), (1.0, 1.0, 1.0)])
    states = states_of([(5.0, 0.0, 0.0), (5.0, 1.00005, 0.0)], [LEVEL, LEVEL])
    rays = RayBatch.of(2, with_normals=True)
    rays.origins[1], rays.ways[:] = (0.0, 0.49999, 0.0), (9.0, 0.0, 0.0)
    caster.cast(rays, 2, states)
    assert rays.bodies.tolist() == [1, 1]
    assert rays.normals == pytest.approx(np.array([(-1.0, 0.0, 0.0)] * 2), abs=1e-6)
