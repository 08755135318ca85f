"""Depth, labels and normals: held against our own rays and against a town that is known."""

import pytest

from autosim.config.semantic_classes import class_number
from tests.client.scripts import facts_of

pytest.importorskip("panda3d")

SCRIPT = """
import json
from dataclasses import replace
import numpy as np
from synthetic_town import building_mesh, car_state, car_world, compiled_town
from autosim.client.cameras.camera_rigs import camera_rigs
from autosim.client.rendering.device_pictures import DevicePictures
from autosim.client.scene.robot_nodes import class_of_robot
from autosim.client.scene.viewer import Viewer
from autosim.rays.ray_scene import RayScene
from autosim.userprogram.ipc.camera_images import PictureRequest

WIDTH, HEIGHT = 160, 120
FRONT, CHASE = "car.chassis.front", "car.chassis.third_person"
world, compiled = car_world(width=WIDTH, height=HEIGHT), compiled_town()
state = car_state(world, x=-60.0)
viewer = Viewer(world, compiled, state.tree, width=WIDTH, height=HEIGHT, onscreen=False,
                renderer="p3headlessgl")
pictures = DevicePictures(viewer, world, state.tree)

def draw(state, camera, kind):
    return pictures.draw([PictureRequest(camera, kind)], state)[0].pixels

def rays(rig):
    focal = HEIGHT / (2 * np.tan(rig.fov / 2))
    u, v = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    ways = np.stack([(u - WIDTH / 2) / focal, np.ones_like(u), (HEIGHT / 2 - v) / focal], axis=2)
    pose = rig.pose(state)
    ends = pose.position + 500.0 * (ways.reshape(-1, 3) @ pose.rotation.T)
    return np.broadcast_to(pose.position, ends.shape).copy(), ends

rig = camera_rigs(world, state.tree)[FRONT]
shares, normals, _ = RayScene.of(compiled).cast(*rays(rig))
along_axis = 500.0 * shares.reshape(HEIGHT, WIDTH)
depth, classes = draw(state, FRONT, "depth"), draw(state, FRONT, "semantic")
is_met = along_axis < 190.0
is_plain = is_met & np.isin(classes, [7, 8, 11, 22])
error = np.abs(depth - along_axis)[is_plain]
facts = {
    "forms": {kind: [draw(state, FRONT, kind).dtype.name, list(draw(state, FRONT, kind).shape)]
              for kind in ("rgb", "depth", "semantic", "instance", "normals")},
    "compared": float(is_plain.mean()),
    "near": float(np.mean(error < 1e-3 + 1e-4 * along_axis[is_plain])),
    "nothing": [bool(np.isinf(depth[classes == 23]).all()), int((classes == 23).sum())],
}
seen = draw(state, FRONT, "normals")
turned = (seen @ np.stack([rig.pose(state).rotation[:, 1], -rig.pose(state).rotation[:, 0],
                           rig.pose(state).rotation[:, 2]]))
flat = normals.reshape(HEIGHT, WIDTH, 3)
walls = is_plain & (classes == 11)
road = is_plain & (classes == 7)
facts["normals"] = {
    "walls": float(np.median(np.sum(turned * flat, axis=2)[walls])),
    "worst road": float(np.min(turned[..., 2][road])),
    "nothing": bool(np.isnan(seen[classes == 23]).all()),
}
facts["classes in front"] = np.unique(classes).tolist()
labels, things = draw(state, CHASE, "semantic"), draw(state, CHASE, "instance")
robot = world.robots[0].robot
facts["class"] = [class_of_robot(each) for each in (
    robot, replace(robot, devices=()), replace(robot, semantic_class="truck"))]
facts["car"] = [np.unique(things[labels == 26]).tolist(), int((labels == 26).sum())]
facts["stuff"] = np.unique(things[np.isin(labels, [7, 8, 22, 23, 34])]).tolist()
houses = {}
for step in (0.0, 3.0, 6.0):
    later = car_state(world, x=-60.0 + step)
    labels, things = draw(later, FRONT, "semantic"), draw(later, FRONT, "instance")
    houses[step] = np.unique(things[labels == 11]).tolist()
facts["houses"] = list(houses.values())
again = draw(state, FRONT, "depth").tobytes() == depth.tobytes()
facts["again"] = again and bool((draw(state, FRONT, "semantic") == classes).all())
viewer.close()
print(json.dumps(facts))
"""


@pytest.fixture(scope="module")
def facts():
    """What the cameras of a car in the town of boxes measure."""
    return facts_of(SCRIPT)


def test_pictures_have_the_forms_that_are_promised(facts):
    assert facts["forms"] == {
        "rgb": ["uint8", [120, 160, 4]],
        "depth": ["float32", [120, 160]],
        "semantic": ["uint8", [120, 160]],
        "instance": ["int32", [120, 160]],
        "normals": ["float32", [120, 160, 3]],
    }


def test_depths_are_those_of_our_own_rays(facts):
    assert facts["compared"] > 0.5
    assert facts["near"] > 0.995


def test_where_nothing_is_the_depth_is_infinite_and_the_class_sky(facts):
    is_infinite, count = facts["nothing"]
    assert is_infinite
    assert count > 1000


def test_normals_of_walls_and_of_the_road_are_those_of_the_mesh(facts):
    assert facts["normals"]["walls"] > 0.99999
    assert facts["normals"]["worst road"] > 0.99999
    assert facts["normals"]["nothing"]


def test_a_street_has_the_classes_of_a_street(facts):
    names = ("road", "sidewalk", "building", "terrain", "sky", "curb")
    assert {class_number(name) for name in names} <= set(facts["classes in front"])


def test_a_robot_has_its_own_number_and_stuff_has_none(facts):
    numbers, pixels = facts["car"]
    assert numbers == [1]
    assert pixels > 300
    assert facts["stuff"] == [0]


def test_a_robot_is_what_its_file_says_or_what_its_wheels_make_it(facts):
    assert facts["class"] == [class_number(name) for name in ("car", "dynamic", "truck")]


def test_buildings_keep_their_numbers_while_the_camera_moves(facts):
    first, *others = facts["houses"]
    assert len(first) > 6
    assert min(first) >= 2**16
    for numbers in others:
        assert len(set(first) & set(numbers)) > 0.8 * len(first)


def test_the_same_state_gives_the_same_pictures(facts):
    assert facts["again"]
