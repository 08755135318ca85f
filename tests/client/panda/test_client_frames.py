"""Rotations between our frames and Panda3D's."""

import numpy as np
import pytest

from autosim.client.panda.panda_frames import (
    look_rotation,
    rotation_matrix,
    unit_quaternions,
    wheel_quaternions,
    yaw_matrix,
)

UP = np.array([0.0, 0.0, 1.0])


def test_a_state_of_zeros_stands_upright():
    found = unit_quaternions(np.array([[0.0, 0, 0, 0], [0, 0, 0, 2]]))
    assert found.tolist() == [[0, 0, 0, 1], [0, 0, 0, 1]]


def test_a_rolling_wheel_turns_its_top_forward():
    (quaternion,) = wheel_quaternions(np.array([0.0]), np.array([0.5]))
    top = rotation_matrix(quaternion) @ UP
    assert top == pytest.approx([np.sin(0.5), 0.0, np.cos(0.5)])


def test_a_wheel_steered_to_the_left_looks_left_while_it_rolls_about_its_axle():
    (quaternion,) = wheel_quaternions(np.array([0.3]), np.array([1.1]))
    axle = rotation_matrix(quaternion) @ np.array([0.0, 1.0, 0.0])
    assert axle == pytest.approx([-np.sin(0.3), np.cos(0.3), 0.0])


def test_yaw_keeps_the_heading_of_a_tilted_body():
    yaw, pitch = 0.7, 0.4
    body = yaw_matrix(rotation_matrix(np.array([0, 0, np.sin(yaw / 2), np.cos(yaw / 2)])))
    tilt = rotation_matrix(np.array([0, np.sin(pitch / 2), 0, np.cos(pitch / 2)]))
    assert yaw_matrix(body @ tilt) == pytest.approx(body)


@pytest.mark.parametrize("direction", [(1, 0, 0), (0.3, -2, 0.1), (0, 0, 1), (0, 0, -3)])
def test_a_camera_looks_along_its_direction_and_keeps_right_angles(direction):
    rotation = look_rotation(np.array(direction, dtype=float), UP)
    assert rotation @ rotation.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1.0)
    assert rotation[:, 1] == pytest.approx(np.array(direction) / np.linalg.norm(direction))
