"""What is at a place of a picture."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.cameras.camera_projection import CameraProjection
from autosim.client.cameras.camera_rigs import CameraPose
from autosim.client.cameras.clearance import Clearance
from autosim.client.cameras.robot_picker import RobotPicker
from autosim.client.panda.panda_frames import look_rotation
from autosim.kinds.director import build_tree
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.rays.ray_scene import RayScene
from tests.client.cameras.test_clearance import wall
from tests.worlds import impreza_world

SIZE = (640.0, 480.0)
UP = np.array([0.0, 0.0, 1.0])


@pytest.fixture
def two():
    """Two cars on the x axis, at 10 m and at 30 m, and their picker without a world around."""
    world = impreza_world()
    (car, *_) = world.robots
    world = replace(world, robots=tuple(replace(car, name=name) for name in ("near", "far")))
    tree = build_tree(world)
    state = State(tree)
    for name, x in (("near", 10.0), ("far", 30.0)):
        for part in car.robot.parts:
            first = tree.find(f"{name}.{part.name}").field_offset("position") // WORD
            position = np.add(part.position, (x, 0.0, 0.8))
            state.floats[first : first + 7] = [*position, 0.0, 0.0, 0.0, 1.0]
    return world, tree, state


def view(eye, target):
    eye, target = np.array(eye), np.array(target)
    pose = CameraPose(eye, look_rotation(target - eye, UP))
    return CameraProjection(pose, fov=0.9, width=SIZE[0], height=SIZE[1])


def test_the_nearer_of_two_robots_is_picked(two):
    world, tree, state = two
    picker = RobotPicker(world, tree, Clearance())
    low = view((0.0, 0.0, 0.7), (10.0, 0.0, 0.7))
    assert picker.pick(low, 320.0, 240.0, state).robot == "near"
    assert picker.pick(low, 320.0, 20.0, state) is None
    high = view((0.0, 0.0, 20.0), (30.0, 0.0, 0.7))
    assert picker.pick(high, 320.0, 240.0, state).robot == "far"


def test_a_wall_hides_a_robot_and_is_what_is_pointed_at(two):
    world, tree, state = two
    picker = RobotPicker(world, tree, Clearance(RayScene((wall(5.0, height=3.0),))))
    low = view((0.0, 0.0, 0.7), (10.0, 0.0, 0.7))
    assert picker.pick(low, 320.0, 240.0, state) is None
    assert picker.ground(low, 320.0, 240.0) == pytest.approx([5.0, 0.0, 0.7], abs=1e-3)
    assert picker.ground(low, 320.0, 0.0) is None


def test_a_projected_place_lies_in_its_direction():
    projection = view((1.0, 2.0, 3.0), (20.0, -5.0, 0.0))
    point = np.array([14.0, 3.0, 1.0])
    ((place,), _) = projection.points(point[None])
    expected = point - projection.pose.position
    assert projection.direction(*place) == pytest.approx(expected / np.linalg.norm(expected))


def test_the_corners_of_a_robot_surround_it(two):
    world, tree, state = two
    corners = RobotPicker(world, tree, Clearance()).corners("far", state)
    assert corners[:, 0].min() < 29.0 < 31.0 < corners[:, 0].max()
    assert abs(corners[:, 1].mean()) < 0.1
