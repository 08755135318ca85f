"""A pane's camera, at a renderer that draws nothing: it asks for no more than the protocol."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from autosim.applications.gui.client.pictures.pane_camera import PaneCamera, fitting_size
from autosim.client.cameras.camera_rigs import make_rigs
from autosim.client.cameras.clearance import Clearance
from autosim.client.rendering.device_pictures import DevicePictures
from autosim.client.rendering.view_state import ViewState
from autosim.client.rendering.world_renderer import WorldRenderer
from autosim.kinds.director import build_tree
from autosim.kinds.sensors.perception.camera import Camera
from autosim.loading.loader import load_world
from autosim.model.state import State
from autosim.rays.ray_scene import RayScene
from autosim.world.compiled.compiled_world import Mesh
from tests.worlds import ROOT


class NoPixels:
    """A renderer whose pictures are empty."""

    renderer, limitations, warnings = "none", (), ()
    is_closed, has_all = False, True

    def __init__(self, world, tree):
        self.world, self.tree = world, tree
        self.rigs = {**make_rigs(world, tree)}
        self.sizes, self.asked, self.with_depths = {}, [], set()
        self.now = self.new_moment()

    def close(self):
        self.is_closed = True

    def add_camera(self, name, rig, *, size=None):
        self.rigs[name], self.sizes[name] = rig, size

    def remove_camera(self, name):
        del self.rigs[name]

    def pose(self, camera=""):
        return self.rigs[camera].pose(self.now.state)

    def fov(self, camera=""):
        return self.rigs[camera].fov

    def new_moment(self):
        return ViewState(self.tree, self.world.graphics.sky)

    def update(self, state):
        self.now.update(state)

    def show_sky(self, sky):
        self.now.sky = sky

    def image(self, camera="", *, is_streamed=False, at=None):
        self.asked.append((camera, is_streamed, at))
        width, height = self.sizes.get(camera) or (6, 4)
        return np.zeros((height, width, 4), dtype=np.uint8)

    def keep_depths(self, camera, is_kept):
        (self.with_depths.add if is_kept else self.with_depths.discard)(camera)

    def depths(self, camera):
        return None


@pytest.fixture(scope="module")
def world():
    return load_world(ROOT / "worlds" / "circle_town.xml")


@pytest.fixture
def renderer(world) -> WorldRenderer:
    return NoPixels(world, build_tree(world))


@pytest.fixture
def camera(renderer):
    return pane_camera(renderer)


def pane_camera(renderer, clearance=None):
    world, tree = renderer.world, renderer.tree
    pictures = DevicePictures(renderer, world, tree)
    return PaneCamera(renderer, pictures, world=world, tree=tree, number=1, clearance=clearance)


def test_it_begins_behind_the_first_robot(camera, world):
    assert camera.choice == "Chase camera"
    assert camera.robot_name == world.robots[0].name


def test_its_pictures_are_streamed_and_of_the_windows_moment(camera, renderer):
    camera.picture(State(renderer.tree), has_depths=True)
    ((name, is_streamed, at),) = renderer.asked
    assert (is_streamed, at) == (True, None)
    assert renderer.with_depths == {name}


def test_the_free_camera_flies_on_from_where_the_chase_camera_was(camera):
    before = camera.pose
    camera.choose("Free camera")
    assert np.allclose(camera.pose.position, before.position)
    camera.move(3.0, 0.0, 0.0)
    way = camera.pose.position - before.position
    assert np.allclose(way, 3.0 * before.rotation[:, 1])


def test_the_free_camera_does_not_begin_in_a_wall_behind_the_robot(renderer, world):
    name, behind = f"{world.robots[0].name}.chassis", -4.0
    first = renderer.tree.find(name).field_offset("position") // 8
    renderer.now.state.floats[first : first + 7] = [0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0]
    wanted = pane_camera(renderer).pose.position
    assert wanted[0] < behind
    wall = Mesh(
        np.array(
            [(behind, y, z) for y, z in ((-50, 0), (50, 0), (50, 30), (-50, 30))], dtype=float
        ),
        np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32),
        np.zeros(2, dtype=np.uint8),
    )
    camera = pane_camera(renderer, Clearance(RayScene([wall])))
    camera.choose("Free camera")
    assert behind < camera.pose.position[0] < 0.0


def test_a_device_decides_on_the_size_of_its_pictures(camera):
    device = camera.choices[2]
    camera.choose(device)
    assert camera.choice == device
    assert not camera.has_own_size


def test_a_camera_with_a_lens_and_a_rate_is_shown_as_the_device_gives_it(world):
    (placed, *_) = world.robots
    eye = Camera(
        "fish",
        "chassis",
        fisheye=(0.0, 0.0, 0.0, 0.0),
        fov=1.5,
        update_rate=10.0,
        resolution=(8, 6),
    )
    robot = replace(placed.robot, devices=(*placed.robot.devices, eye))
    world = replace(world, robots=(replace(placed, robot=robot),))
    renderer = NoPixels(world, build_tree(world))
    camera = pane_camera(renderer)
    camera.choose(f"{placed.name}.chassis.fish")
    assert not camera.is_plain
    state = State(renderer.tree)
    pictures = []
    for step in range(5):
        state.ints[0], state.ints[1] = step, step * 10**9 // 24
        pictures.append(camera.picture(state))
    assert {each.shape for each in pictures} == {(6, 8, 4)}
    # 24 states a second: every third of them is due.
    assert len(renderer.asked) == 2
    # What is painted over pictures has nothing to go by.
    camera.choose("Chase camera")
    assert camera.is_plain


def test_a_pane_that_is_resized_asks_for_pictures_of_its_size(camera, renderer):
    camera.fit(640, 360)
    assert (640, 360) in renderer.sizes.values()


def test_a_closed_pane_leaves_no_camera_behind(camera, renderer, world):
    camera.close()
    assert set(renderer.rigs) == set(make_rigs(world, renderer.tree))


def test_a_picture_that_would_be_too_large_keeps_its_shape():
    width, height = fitting_size(8000, 2000, most=1_000_000)
    assert width * height <= 1_000_000
    assert width / height == pytest.approx(4.0, rel=0.01)


def test_no_engine_is_needed():
    program = (
        "import sys, autosim.applications.gui.client.pictures.pane_camera, "
        "autosim.applications.gui.client.pictures.pane_overlays; sys.exit('panda3d' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
