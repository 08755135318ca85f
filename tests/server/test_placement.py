"""Robots stand on the ground, or the world is refused."""

import numpy as np
import pytest

from autosim.server.placement import PlacementError, place_robots
from tests.worlds import flat_world, impreza_world


def test_a_robot_that_shall_stand_where_no_ground_is_is_refused_by_name():
    robots = impreza_world(position=(4000.0, -58.0, None), yaw=0.0).robots
    with pytest.raises(PlacementError, match="robot 'impreza': no ground"):
        place_robots(robots, flat_world(), rest_heights=[0.5])


def test_a_robot_may_begin_in_the_air_anywhere():
    robots = impreza_world(position=(4000.0, 0.0, 30.0), yaw=0.0).robots
    (pose,) = place_robots(robots, flat_world(), rest_heights=[0.5])
    assert np.array_equal(pose.position, [4000.0, 0.0, 30.0])
