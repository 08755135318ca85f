"""Points and lines of the world in a picture."""

from math import radians, tan

import numpy as np
import pytest

from autosim.client.cameras.camera_projection import CameraProjection
from autosim.client.cameras.camera_rigs import NEAR, CameraPose
from autosim.client.panda.panda_frames import look_rotation
from autosim.client.panda.panda_imports import core
from autosim.client.scene.view import make_lens

WIDTH, HEIGHT, FOV = 640.0, 480.0, radians(60.0)


def looking(direction: tuple[float, float, float]) -> CameraProjection:
    up = np.array([0.0, 0.0, 1.0])
    pose = CameraPose(np.array([10.0, 20.0, 5.0]), look_rotation(np.array(direction), up))
    return CameraProjection(pose, fov=FOV, width=WIDTH, height=HEIGHT)


def test_what_lies_straight_ahead_is_in_the_middle() -> None:
    places, depths = looking((0.0, 1.0, 0.0)).points(np.array([[10.0, 50.0, 5.0]]))
    np.testing.assert_allclose(places, [[320.0, 240.0]])
    np.testing.assert_allclose(depths, [30.0])


def test_right_is_right_and_up_is_up() -> None:
    focal = HEIGHT / 2 / tan(FOV / 2)
    # The camera looks east, so south is to its right.
    places, _ = looking((1.0, 0.0, 0.0)).points(np.array([[20.0, 18.0, 6.0]]))
    np.testing.assert_allclose(places, [[320.0 + focal * 0.2, 240.0 - focal * 0.1]])


def test_it_is_where_the_renderer_draws_it() -> None:
    generator = np.random.default_rng(3)
    projection = looking((1.0, 2.0, -0.3))
    offsets = np.column_stack(
        [generator.uniform(-5, 5, 40), generator.uniform(5, 60, 40), generator.uniform(-5, 5, 40)]
    )
    points = projection.pose.position + offsets @ projection.pose.rotation.T
    places, _ = projection.points(points)
    lens = make_lens(FOV, width=int(WIDTH), height=int(HEIGHT), far=1000.0)
    for offset, place in zip(offsets.tolist(), places, strict=True):
        film = core.LPoint2()
        if lens.project(core.LPoint3(*offset), film):
            drawn = [WIDTH * (film[0] + 1) / 2, HEIGHT * (1 - film[1]) / 2]
            np.testing.assert_allclose(place, drawn, atol=0.01)


def test_what_is_behind_has_no_place() -> None:
    places, depths = looking((0.0, 1.0, 0.0)).points(np.array([[10.0, 10.0, 5.0]]))
    assert np.isnan(places).all()
    assert depths[0] == -10.0


def test_lines_end_where_they_pass_behind_the_camera() -> None:
    projection = looking((0.0, 1.0, 0.0))
    starts = np.array([[11.0, 30.0, 5.0], [11.0, 10.0, 5.0], [0.0, 0.0, 0.0]])
    ends = np.array([[11.0, 10.0, 5.0], [11.0, 30.0, 5.0], [1.0, 1.0, 1.0]])
    lines, kept = projection.segments(starts, ends)
    assert kept.tolist() == [0, 1]
    np.testing.assert_allclose(lines[0], lines[1, ::-1])
    focal = HEIGHT / 2 / tan(FOV / 2)
    np.testing.assert_allclose(lines[0, 0], [320.0 + focal / 10.0, 240.0])
    assert lines[0, 1, 0] == pytest.approx(320.0 + focal / NEAR)


def test_no_lines_give_no_lines() -> None:
    lines, kept = looking((0.0, 1.0, 0.0)).segments(np.zeros((0, 3)), np.zeros((0, 3)))
    assert lines.shape == (0, 2, 2)
    assert not len(kept)
