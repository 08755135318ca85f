"""What stands beside pavements, as people see it."""

import numpy as np
import pytest

from autosim.traffic.pedestrians.post_obstacles import posts_of
from autosim.world.geometry.meshes import joined
from autosim.world.scenery.barriers import cores


def test_a_parked_car_is_a_row_of_posts_and_a_lamp_is_one():
    lamp = cores(np.array([[10.0, 0.0, 0.0]]), yaws=np.array([0.3]), size=(0.16, 0.16, 4.0))
    car = cores(np.zeros((1, 3)), yaws=np.array([0.5]), size=(4.5, 1.8, 1.5))
    posts = posts_of(joined([lamp, car]))
    assert len(posts) == 5
    assert posts[0] == pytest.approx([10.0, 0.0, 0.1], abs=0.03)
    across = np.cos(0.5) * posts[1:, 1] - np.sin(0.5) * posts[1:, 0]
    along = np.cos(0.5) * posts[1:, 0] + np.sin(0.5) * posts[1:, 1]
    assert across == pytest.approx(0.0, abs=1e-9), "beside the car the pavement is free"
    assert posts[1:, 2] == pytest.approx(0.9)
    assert np.ptp(along) + 1.8 == pytest.approx(4.5)
    assert np.diff(np.sort(along)).max() < 1.8, "nobody walks through"
