"""Robots stand on the ground, or the world is refused."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from autosim.engine.physics.spawn_poses import LEAST_DISTANCE, PlacementError, spawn_poses
from autosim.loading.loader import load_world
from autosim.world.pipeline.cache import compile_world
from tests.worlds import flat_world, impreza_world


def test_a_robot_that_shall_stand_where_no_ground_is_is_refused_by_name():
    robots = impreza_world(position=(4000.0, -58.0, None), yaw=0.0).robots
    with pytest.raises(PlacementError, match="robot 'impreza': no ground"):
        spawn_poses(robots, flat_world(), rest_heights=[0.5])


def test_a_robot_may_begin_in_the_air_anywhere():
    robots = impreza_world(position=(4000.0, 0.0, 30.0), yaw=0.0).robots
    (pose,) = spawn_poses(robots, flat_world(), rest_heights=[0.5])
    assert np.array_equal(pose.position, [4000.0, 0.0, 30.0])


def test_one_robot_after_another_finds_a_free_lane():
    world = load_world("worlds/circle_town.xml")
    (waiting,), town = world.robots, compile_world(world.terrain)
    robots = []
    for _ in range(20):
        poses = spawn_poses([*robots, waiting], town, rest_heights=[0.0] * (len(robots) + 1))
        robots.append(replace(waiting, position=tuple(poses[-1].position), yaw=poses[-1].yaw))
    assert pdist([robot.position for robot in robots]).min() > LEAST_DISTANCE
