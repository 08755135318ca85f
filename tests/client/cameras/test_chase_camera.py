"""The camera that follows a robot: it shows all of it, whatever its size."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.cameras.camera_projection import CameraProjection
from autosim.client.cameras.camera_rigs import make_rigs
from autosim.client.cameras.moving_cameras import ChaseCamera
from autosim.kinds.director import build_tree
from autosim.kinds.sensors.perception.camera import Camera
from autosim.loading.loader import load_robot
from autosim.model.state import State
from tests.worlds import ROOT, impreza_world

WIDTH, HEIGHT = 640.0, 480.0


def scaled(robot, factor):
    parts = tuple(
        replace(
            part,
            position=tuple(factor * each for each in part.position),
            size=tuple(factor * each for each in part.size),
        )
        for part in robot.parts
    )
    cameras = tuple(each for each in robot.devices if not isinstance(each, Camera))
    return replace(robot, parts=parts, devices=cameras)


def corners(robot):
    """All corners of all parts of a robot that stands at the origin and heads east, (n, 3)."""
    signs = np.array(list(product((-0.5, 0.5), repeat=3)))
    return np.vstack([np.add(each.position, signs * each.size) for each in robot.parts])


def standing(robot):
    world = impreza_world()
    world = replace(world, robots=(replace(world.robots[0], robot=robot),))
    tree = build_tree(world)
    state = State(tree)
    for part in robot.parts:
        first = tree.find(f"impreza.{part.name}").field_offset("position") // 8
        state.floats[first : first + 7] = [*part.position, 0.0, 0.0, 0.0, 1.0]
    return world, tree, state


@pytest.mark.parametrize("factor", [0.05, 1.0, 8.0])
@pytest.mark.parametrize("file", ["impreza.xml", "trailer_rig.xml"])
@pytest.mark.parametrize("kind", ["of the window", "main view"])
def test_it_shows_all_of_a_robot_and_little_else(file, factor, kind):
    robot = scaled(load_robot(ROOT / "robots" / file), factor)
    world, tree, state = standing(robot)
    if kind == "main view":
        rig = make_rigs(world, tree)[""]
    else:
        rig = ChaseCamera(robot, tree=tree, name=f"impreza.{robot.parts[0].name}")
    projection = CameraProjection(rig.pose(state), fov=rig.fov, width=WIDTH, height=HEIGHT)
    places, _ = projection.points(corners(robot))
    assert (places > 0.0).all()
    assert (places < [WIDTH, HEIGHT]).all()
    width, height = np.ptp(places, axis=0)
    assert max(width / WIDTH, height / HEIGHT) > 0.15
