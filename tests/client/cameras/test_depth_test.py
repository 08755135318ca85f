"""Which places can be seen in a picture, and which are behind what is drawn."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.client.cameras.camera_projection import CameraProjection
from autosim.client.cameras.camera_rigs import CameraPose
from autosim.client.cameras.depth_test import DepthTest, metres_of
from autosim.client.panda.panda_frames import look_rotation

UP = np.array([0.0, 0.0, 1.0])
EAST = np.array([1.0, 0.0, 0.0])


def looking_east(width=40.0, height=30.0):
    pose = CameraPose(np.zeros(3), look_rotation(EAST, UP))
    return CameraProjection(pose, fov=1.0, width=width, height=height)


def wall_at(metres, shape=(30, 40)):
    return np.full(shape, metres, dtype=np.float32)


def test_depths_of_a_buffer_are_metres():
    values = np.array([[0.0, 1.0]], dtype=np.float32)
    np.testing.assert_allclose(metres_of(values, near=0.5, far=100.0), [[0.5, 100.0]], rtol=1e-4)


def test_what_is_behind_a_wall_is_hidden_and_what_is_on_it_is_not():
    sight = DepthTest(looking_east(), wall_at(20.0))
    points = np.array([[5.0, 0.0, 0.0], [20.2, 2.0, 1.0], [21.0, 0.0, 0.0], [80.0, 3.0, 3.0]])
    assert sight.sees(points).tolist() == [True, True, False, False]
    assert sight.sees(points, slack=3.0).tolist() == [True, True, True, False]


def test_what_is_beside_the_picture_or_behind_the_eye_counts_as_seen():
    sight = DepthTest(looking_east(), wall_at(20.0))
    assert sight.sees(np.array([[50.0, 90.0, 0.0], [-50.0, 0.0, 0.0]])).all()


def test_without_depths_all_is_seen():
    assert DepthTest(looking_east()).sees(np.array([[80.0, 3.0, 3.0]])).all()


def test_the_picture_may_be_shown_larger_than_it_was_drawn():
    depths = wall_at(20.0)
    depths[:, 20:] = 200.0  # the right half is open
    sight = DepthTest(looking_east(width=400.0, height=300.0), depths)
    # Positive y is to the left.
    assert sight.sees(np.array([[50.0, 5.0, 0.0], [50.0, -5.0, 0.0]])).tolist() == [False, True]


def test_of_a_surface_at_a_flat_angle_a_pixel_spans_metres():
    depths = wall_at(20.0)
    depths[:15] = 200.0
    # Just below the border, next to a pixel that is open.
    assert DepthTest(looking_east(), depths).sees(np.array([[50.0, 0.0, -0.1]])).all()


def test_a_viewer_knows_how_far_away_what_it_draws_is():
    pytest.importorskip("panda3d")
    from autosim.client.scene.viewer import Viewer
    from autosim.engine.step.simulation import Simulation
    from tests.worlds import flat_world, impreza_world

    world = impreza_world(position=(0.0, 0.0, None), yaw=0.0)
    world = replace(world, graphics=replace(world.graphics, has_shadows=False))
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        viewer = Viewer(world, flat_world(), simulation.tree, width=160, height=120, onscreen=False)
        viewer.update(simulation.state)
        camera = "impreza.chassis.front_view"
        viewer.image(camera)
        assert viewer.depths(camera) is None
        viewer.keep_depths(camera, True)
        viewer.image(camera)
        depths = viewer.depths(camera)
        projection = CameraProjection(
            viewer.pose(camera), fov=viewer.fov(camera), width=160.0, height=120.0
        )
        ahead = np.array([[10.0, 0.0, 0.0], [25.0, 3.0, 0.0], [60.0, -5.0, 0.0]])
        places, expected = projection.points(ahead)
        columns, rows = places.astype(int).T
        np.testing.assert_allclose(depths[rows, columns], expected, rtol=0.15)
        sight = DepthTest(projection, depths)
        assert sight.sees(ahead).all()
        assert not sight.sees(ahead - 5.0 * UP).any()
        viewer.close()
