"""Rotations and frames, against SciPy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from autosim.ros2.ros_frames import (
    OPTICAL,
    axes_of,
    conjugate,
    product,
    quaternion_of,
    rotation_of,
    stamp_of,
)

TURNS = list(Rotation.random(50, random_state=1))


@pytest.mark.parametrize("turn", TURNS)
def test_quaternions_and_matrices_are_those_of_scipy(turn: Rotation) -> None:
    matrix = turn.as_matrix()
    assert rotation_of(turn.as_quat()) == pytest.approx(matrix)
    assert rotation_of(quaternion_of(matrix)) == pytest.approx(matrix)
    assert rotation_of(conjugate(turn.as_quat())) == pytest.approx(matrix.T)
    other = TURNS[0]
    both = product(turn.as_quat(), other.as_quat())
    assert rotation_of(both) == pytest.approx((turn * other).as_matrix())


def test_a_half_turn_about_each_axis_comes_back() -> None:
    for axis in np.eye(3):
        matrix = Rotation.from_rotvec(np.pi * axis).as_matrix()
        assert rotation_of(quaternion_of(matrix)) == pytest.approx(matrix)


def test_a_device_looks_along_its_x_with_z_up() -> None:
    left = rotation_of(axes_of((0.0, 2.0, 0.0)))
    assert left[:, 0] == pytest.approx([0.0, 1.0, 0.0])
    assert left[:, 2] == pytest.approx([0.0, 0.0, 1.0])
    down = rotation_of(axes_of((0.0, 0.0, -1.0)))
    assert down[:, 0] == pytest.approx([0.0, 0.0, -1.0])
    assert np.linalg.det(down) == pytest.approx(1.0)


def test_the_optical_frame_has_z_forward_x_right_y_down() -> None:
    turn = rotation_of(OPTICAL)
    assert turn[:, 2] == pytest.approx([1.0, 0.0, 0.0])
    assert turn[:, 0] == pytest.approx([0.0, -1.0, 0.0])
    assert turn[:, 1] == pytest.approx([0.0, 0.0, -1.0])


def test_a_time_has_whole_seconds_and_a_rest() -> None:
    assert stamp_of(3_000_000_007) == {"sec": 3, "nanosec": 7}
