"""The pictures of cameras as devices: rate, lens, motion, views from above."""

import pytest

from tests.client.scripts import facts_of

pytest.importorskip("panda3d")

SCRIPT = """
import json
from dataclasses import replace
import numpy as np
from synthetic_town import car_state, car_world, compiled_town
from autosim.client.cameras.camera_rigs import camera_rigs
from autosim.client.rendering.device_pictures import DevicePictures
from autosim.client.scene.viewer import Viewer
from autosim.kinds.sensors.perception.camera import Camera, lens_of
from autosim.rays.ray_scene import RayScene
from autosim.userprogram.ipc.camera_images import PictureRequest

SIZE = WIDTH, HEIGHT = 160, 120
FRONT = dict(position=(2.2, 0.0, 0.6), direction=(1.0, 0.0, 0.0))
BARREL = (-0.25, 0.06, 0.002, -0.001, 0.0)
CAMERAS = (
    Camera("plain", "chassis", **FRONT),
    Camera("barrel", "chassis", **FRONT, brown_conrady=BARREL, fov=1.2),
    Camera("fisheye", "chassis", **FRONT, fisheye=(0.01, 0.0, 0.0, 0.0), fov=2.4),
    Camera("slow", "chassis", **FRONT, update_rate=10.0),
    Camera(
        "noisy",
        "chassis",
        **FRONT,
        kinds=("rgb", "depth"),
        full_well=200.0,
        depth_noise=0.01,
        resolution=(40, 30),
    ),
    Camera("above", "chassis", type="top", position=(0.0, 0.0, 30.0), span=20.0),
    Camera("over", "chassis", type="top", position=(0.0, 0.0, 30.0), fov=1.0),
    Camera("behind", "chassis", type="thirdperson", position=(-7.5, 0.0, 2.4)),
)
world = car_world(width=WIDTH, height=HEIGHT)
(placed,) = world.robots
wheels = tuple(each for each in placed.robot.devices if not isinstance(each, Camera))
robot = replace(placed.robot, devices=(*wheels, *CAMERAS))
world, compiled = replace(world, robots=(replace(placed, robot=robot),)), compiled_town()
state = car_state(world, x=-60.0)
tree, rays = state.tree, RayScene.of(compiled)
rigs = camera_rigs(world, tree)
viewer = Viewer(world, compiled, tree, width=WIDTH, height=HEIGHT, onscreen=False,
                renderer="p3headlessgl")
pictures = DevicePictures(viewer, world, tree)

def ask(camera, *kinds, of=state, by=pictures):
    return by.draw([PictureRequest(f"car.chassis.{camera}", kind) for kind in kinds], of)

def at_step(step, **place):
    later = car_state(world, **place)
    later.ints[tree.field_offset("step") // 8] = step
    later.ints[tree.field_offset("time") // 8] = round(step * 1e9 / 240)
    return later

def pixels():
    u, v = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    return np.column_stack([u.ravel(), v.ravel()])

facts = {}
for name in ("barrel", "fisheye", "above", "over"):
    rig = rigs[f"car.chassis.{name}"]
    lens = lens_of(rig.description, SIZE)
    pose = rig.pose(state)
    far = lens.places(pixels(), np.full(WIDTH * HEIGHT, 150.0))
    near = lens.places(pixels(), np.full(WIDTH * HEIGHT, 0.01))
    is_seen = ~np.isnan(far[:, 0])
    ends, starts = (pose.position + each[is_seen] @ pose.rotation.T for each in (far, near))
    shares = rays.cast(np.ascontiguousarray(starts), np.ascontiguousarray(ends))[0]
    met = 0.01 + shares * 149.99
    depth, classes = (each.pixels.ravel()[is_seen] for each in ask(name, "depth", "semantic"))
    is_plain = (shares < 1.0) & np.isin(classes, [7, 8, 11, 22])
    error = np.abs(depth - met)[is_plain]
    facts[name] = {
        "compared": float(is_plain.mean()),
        "off": float(np.median(error / met[is_plain])),
        "near": float(np.mean(error < 0.03 * met[is_plain])),
        "dark": float(1.0 - is_seen.mean()),
        "unlabeled": int((ask(name, "semantic")[0].pixels == 0).sum()),
    }
colours = ask("fisheye", "rgb")[0].pixels
facts["black corners"] = colours[0, 0].tolist()

# The rate: ten pictures a second of a simulation with 240 steps.
steps = []
for step in (0, 10, 23, 24, 30, 47, 50):
    steps.append(ask("slow", "rgb", of=at_step(step, x=-60.0 + 0.1 * step))[0].step)
facts["rate"] = steps
later = at_step(60, x=-54.0)
facts["together"] = len({each.step for each in ask("slow", "rgb", "depth", "semantic", of=later)})

# Noise: of the step, the camera and the seed; drawn anew it is the same.
first = ask("noisy", "rgb")[0].pixels
others = [DevicePictures(viewer, world, tree, seed=seed) for seed in (0, 1)]
facts["noise"] = [bool((ask("noisy", "rgb", by=each)[0].pixels == first).all()) for each in others]
depths = [ask("noisy", "depth", by=each)[0].pixels for each in (*others, others[0])]
apart = [np.abs(each - depths[0])[np.isfinite(depths[0])].max() for each in depths]
facts["depth noise"] = [float(each) for each in apart]
facts["noisy size"] = list(first.shape)

def flow_of(camera, before, now):
    fresh = DevicePictures(viewer, world, tree)
    unknown = ask(camera, "flow", of=before, by=fresh)[0].pixels
    flow, depth, classes = (
        each.pixels for each in ask(camera, "flow", "depth", "semantic", of=now, by=fresh)
    )
    return flow, depth, classes, bool(np.isnan(unknown).all())

def known_flow(camera, depth, before, now):
    '''Of the place behind each pixel, which stood still.'''
    rig = rigs[f"car.chassis.{camera}"]
    lens = lens_of(rig.description, SIZE)
    a, b = rig.pose(before), rig.pose(now)
    seen = lens.places(pixels(), depth.ravel().astype(float))
    place = seen @ b.rotation.T + b.position
    then = (place - a.position) @ a.rotation
    shown = lens.shown(np.column_stack([then[:, 0], -then[:, 2], then[:, 1]]))
    return (pixels() - shown).reshape(HEIGHT, WIDTH, 2)

before, now = at_step(0, x=-60.0, yaw=0.0), at_step(10, x=-59.3, y=2.1, yaw=0.05)
for name in ("plain", "barrel", "above"):
    flow, depth, classes, is_unknown = flow_of(name, before, now)
    stands = np.isin(classes, [7, 8, 11, 22]) & np.isfinite(flow[..., 0])
    error = np.abs(flow - known_flow(name, depth, before, now))[stands]
    facts[f"flow {name}"] = [is_unknown, float(error.max()), float(np.abs(flow[stands]).max())]
flow, depth, classes, _ = flow_of("plain", before, now)
focal = HEIGHT / (2 * np.tan(CAMERAS[0].fov / 2))
middle = flow[20, WIDTH // 2][0]
facts["sky"] = [bool((classes[20, WIDTH // 2]) == 23), float(middle), float(np.tan(0.05) * focal)]

# A body that moves while the camera stands: the camera on the car sees the car stand still.
flow, depth, classes, _ = flow_of("behind", before, at_step(10, x=-59.3))
is_car = (classes == 26) & (depth < 20.0)
facts["own car"] = float(np.nanmax(np.abs(flow[is_car])))
facts["own car's pixels"] = int(is_car.sum())
up = ask("above", "semantic")[0].pixels
columns, rows = np.flatnonzero((up == 26).any(axis=0)), np.flatnonzero((up == 26).any(axis=1))
facts["car from above"] = [int(np.ptp(rows)) + 1, int(np.ptp(columns)) + 1]
turned = at_step(1, x=-60.0, yaw=1.0)
up = ask("above", "semantic", of=turned)[0].pixels
columns, rows = np.flatnonzero((up == 26).any(axis=0)), np.flatnonzero((up == 26).any(axis=1))
facts["turned car from above"] = [int(np.ptp(rows)) + 1, int(np.ptp(columns)) + 1]
viewer.close()
print(json.dumps(facts))
"""


@pytest.fixture(scope="module")
def facts():
    """What the cameras of a car in the town of boxes see."""
    return facts_of(SCRIPT)


@pytest.mark.parametrize("camera", ["barrel", "fisheye"])
def test_through_a_lens_each_pixel_shows_what_lies_in_its_direction(facts, camera):
    found = facts[camera]
    assert found["compared"] > 0.4
    assert found["off"] < 1e-4
    assert found["near"] > 0.99


def test_a_fisheye_is_black_and_unlabeled_where_it_shows_nothing(facts):
    assert facts["fisheye"]["dark"] > 0.0
    assert facts["fisheye"]["unlabeled"] == round(facts["fisheye"]["dark"] * 160 * 120)
    assert facts["black corners"] == [0, 0, 0, 255]


@pytest.mark.parametrize("camera", ["above", "over"])
def test_from_above_depths_are_those_of_rays_straight_down(facts, camera):
    assert facts[camera]["compared"] > 0.5
    assert facts[camera]["near"] > 0.99


def test_a_parallel_view_from_above_shows_a_car_in_its_size_whatever_its_heading(facts):
    length, width = facts["car from above"]
    assert length == pytest.approx(4.76 * 120 / 20, abs=1.5)
    assert width == pytest.approx(1.995 * 120 / 20, abs=1.5)
    assert facts["turned car from above"] == [length, width]


def test_a_picture_is_as_old_as_the_rate_of_its_camera_allows(facts):
    assert facts["rate"] == [0, 0, 0, 24, 24, 24, 50]
    assert facts["together"] == 1


def test_noise_follows_from_the_seed(facts):
    assert facts["noise"] == [True, False]
    assert facts["noisy size"] == [30, 40, 4]
    assert facts["depth noise"][0] == facts["depth noise"][2] == 0.0
    assert facts["depth noise"][1] > 0.01


@pytest.mark.parametrize("camera", ["plain", "barrel", "above"])
def test_the_flow_of_what_stands_is_that_of_its_places(facts, camera):
    is_unknown_at_first, error, largest = facts[f"flow {camera}"]
    assert is_unknown_at_first
    assert largest > 3.0
    assert error < 0.02


def test_the_sky_moves_as_the_camera_turns(facts):
    is_sky, flow, expected = facts["sky"]
    assert is_sky
    assert flow == pytest.approx(expected, rel=0.01)


def test_what_moves_with_the_camera_stands_still_in_its_pictures(facts):
    assert facts["own car's pixels"] > 500
    assert facts["own car"] < 0.01
