"""Draws the pictures of docs/cameras.md: each kind of picture, and each lens, of the shipped town.

python scripts/draw_cameras.py [FOLDER]
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from autosim.arrays import Bytes, Floats32
from autosim.client.rendering.device_pictures import DevicePictures
from autosim.client.scene.viewer import Viewer
from autosim.config.descriptions import PlacedRobot, WorldDescription
from autosim.config.semantic_classes import CLASSES
from autosim.kinds.director import build_tree
from autosim.kinds.sensors.perception.camera import PICTURES, Camera
from autosim.loading.loader import load_world
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.userprogram.ipc.camera_images import PictureRequest
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world

ROOT = Path(__file__).resolve().parents[1]
SIZE = (400, 260)
"""[pixels] Width and height of each picture."""

ABOVE_ROAD = 0.81
"""[m] Height of a car's chassis above the road."""

FARTHEST = 80.0
"""[m] at which depth is drawn black."""

QUALITY = 88
"""Percent of the quality of a JPEG that shows no blocks in colours like these."""

FRONT = Camera(
    "all",
    "chassis",
    position=(0.7, 0.0, 0.65),
    direction=(1.0, 0.0, -0.08),
    fov=1.0,
    kinds=tuple(PICTURES),
)
CAMERAS = (
    FRONT,
    replace(FRONT, name="brown_conrady", brown_conrady=(-0.32, 0.1, 0.0, 0.0, 0.0), fov=1.3),
    replace(FRONT, name="fisheye", fisheye=(0.0, 0.0, 0.0, 0.0), fov=2.2),
    replace(FRONT, name="dark", exposure=-2.5, full_well=400.0, read_noise=8.0),
    Camera("top", "chassis", type="top", position=(8.0, 0.0, 40.0), span=36.0),
    Camera("third_person", "chassis", type="thirdperson", position=(-7.5, 0.0, 2.6)),
)


def main(folder: Path) -> None:
    """Draws them all into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    world = with_cameras(load_world("worlds/circle_town.xml"))
    compiled, tree = compile_world(world.terrain), build_tree(world)
    width, height = SIZE
    viewer = Viewer(
        world, compiled, tree, width=width, height=height, onscreen=False, renderer="p3headlessgl"
    )
    pictures = DevicePictures(viewer, world, tree)

    # The motion in a picture is that since the one before.
    pictures.draw([PictureRequest("first.chassis.all", "rgb")], drive(tree, compiled, 0.0))
    state = drive(tree, compiled, 0.05)
    wanted = {kind: PictureRequest("first.chassis.all", kind) for kind in PICTURES}
    wanted |= {
        each.name: PictureRequest(f"first.chassis.{each.name}", "rgb") for each in CAMERAS[1:]
    }
    for name, drawn in zip(wanted, pictures.draw(list(wanted.values()), state), strict=True):
        save(folder / f"{name}.jpg", shown(wanted[name].kind, drawn.pixels))
    viewer.close()


def with_cameras(world: WorldDescription) -> WorldDescription:
    """Two cars, the first with all cameras."""
    robot = world.robots[0].robot
    devices = tuple(each for each in robot.devices if not isinstance(each, Camera))
    equipped = replace(robot, devices=(*devices, *CAMERAS))
    width, height = SIZE
    return replace(
        world,
        robots=(PlacedRobot("first", equipped), PlacedRobot("second", robot)),
        graphics=replace(world.graphics, width=width, height=height, multisamples=4),
    )


def drive(tree: SimulationTree, compiled: CompiledWorld, seconds: float) -> State:
    """Both cars on the longest lane, at 14 and 9 m/s."""
    state = State(tree)
    lane = max(compiled.roads.lanes, key=lambda each: each.length)
    for name, place in (("first", 20.0 + 14.0 * seconds), ("second", 34.0 + 9.0 * seconds)):
        chassis = tree.find(f"{name}.chassis")
        assert chassis is not None
        yaw = lane.heading(place)
        at = chassis.field_offset("position") // 8
        state.floats[at : at + 3] = lane.position(place)
        state.floats[at + 2] += ABOVE_ROAD
        at = chassis.field_offset("orientation") // 8
        state.floats[at : at + 4] = (0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2))
    state.ints[tree.field_offset("time") // 8] = round(1e9 * seconds)
    return state


def shown(kind: str, pixels: Floats32) -> Bytes:
    """A picture of that kind as people can look at it, (height, width, 3)."""
    if kind == "rgb":
        return np.asarray(pixels[..., :3], dtype=np.uint8)
    if kind == "depth":
        share = np.log1p(np.minimum(pixels, FARTHEST)) / np.log1p(FARTHEST)
        return np.repeat(_bytes(1.0 - share)[..., None], 3, axis=2)
    if kind == "semantic":
        colours = np.zeros((256, 3), dtype=np.uint8)
        for each in CLASSES:
            colours[each.number] = each.colour
        return np.asarray(colours[pixels.astype(np.int64)])
    if kind == "instance":
        mixed = (pixels.astype(np.int64) * 2654435761) % 2**32
        colours = np.stack([(mixed >> shift) % 200 + 55 for shift in (0, 8, 16)], axis=2)
        return np.where(pixels[..., None] > 0, colours, 0).astype(np.uint8)
    if kind == "normals":
        return _bytes(np.nan_to_num(pixels, nan=-1.0) * 0.5 + 0.5)
    return flow_colours(pixels)


def flow_colours(flow: Floats32) -> Bytes:
    """The direction as a hue, the length as a saturation."""
    known = np.nan_to_num(flow)
    length = np.linalg.norm(known, axis=2)
    hue = _bytes((np.arctan2(known[..., 1], known[..., 0]) / (2.0 * np.pi)) % 1.0)
    saturation = _bytes(length / np.percentile(length, 98))
    picture = np.stack([hue, saturation, np.full_like(hue, 255)], axis=2)
    return np.asarray(Image.fromarray(picture, mode="HSV").convert("RGB"))


def _bytes(shares: Floats32) -> Bytes:
    return np.asarray(np.clip(shares * 255.0, 0.0, 255.0), dtype=np.uint8)


def save(file: Path, picture: Bytes) -> None:
    """Writes a JPEG and says how large it is."""
    Image.fromarray(picture).save(file, quality=QUALITY)
    print(f"{file} {file.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "cameras")
