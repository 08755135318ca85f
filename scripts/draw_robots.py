"""Draws the pictures of docs/robots.md: each robot of `robots/` at work in a shipped world.

python scripts/draw_robots.py [NAME...]
"""

import sys
from dataclasses import dataclass, field, replace
from math import radians
from pathlib import Path

import numpy as np
from PIL import Image
from PyQt6.QtGui import QGuiApplication, QImage, QPainter

from autosim.applications.gui.client.pictures.pane_overlays import Chosen, Overlays
from autosim.arrays import Bytes
from autosim.client.cameras.camera_projection import CameraProjection
from autosim.client.cameras.moving_cameras import ChaseCamera
from autosim.client.scene.viewer import Viewer
from autosim.config.descriptions import WorldDescription
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world
from autosim.model.state import State

ROOT = Path(__file__).resolve().parents[1]
SIZE = (480, 300)
"""[pixels] Width and height of each picture."""

QUALITY = 82
"""Percent of the quality of a JPEG that shows no blocks at this size."""

KEPT = 1.0
"""[s] before the picture of which overlays keep what was seen: a lidar's revolution and more."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A robot `name` of a world after `seconds` [s], from `left` and `up` [deg] of behind it.

    `nearer`: factor of the usual distance.
    """

    world: str
    name: str
    seconds: float
    left: float
    up: float = 0.0
    nearer: float = 0.75
    chosen: Chosen = field(default_factory=Chosen)


SHOTS = {
    "impreza": Shot("circle_town", "impreza", 9.0, 145.0),
    "scout": Shot("yard", "scout", 5.0, 40.0, chosen=Chosen(rays=True)),
    "lidar_car": Shot("lidar", "car", 4.0, 40.0, 16.0, 1.3, Chosen(lidar=True)),
    "ins_car": Shot("ins", "car", 12.0, 40.0, 8.0, chosen=Chosen(beliefs=True)),
    "sensor_car": Shot("cars", "sensor_car", 8.0, 150.0, 8.0, 0.8, Chosen(rays=True, lidar=True)),
    "trailer_rig": Shot("cars", "trailer_rig", 9.0, 130.0, 4.0, 0.7),
    "bmw_320i": Shot("drivetrains", "bmw_320i", 9.0, 145.0),
    "truck": Shot("drivetrains", "truck", 9.0, 130.0, 4.0, 0.55),
    "kinematic_car": Shot("kinematic", "third", 13.0, 35.0, 6.0, 0.8),
    "formula": Shot("cone_track", "racer", 4.0, 35.0, 6.0, 0.8, Chosen(published=True)),
    "rover": Shot("robots", "rover", 3.0, 140.0, 6.0),
    "arm_rover": Shot("robots", "arm_rover", 9.0, 130.0),
    "quadcopter": Shot("robots", "quadcopter", 4.5, 150.0),
    "boat": Shot("robots", "boat", 12.0, 140.0, 0.0, 0.6),
}


def main(names: list[str]) -> None:
    """Draws the robots of these names, or all."""
    application = QGuiApplication(["draw_robots", "-platform", "offscreen"])
    for name in names or SHOTS:
        out = ROOT / "docs" / "robot_pictures" / f"{name}.jpg"
        out.parent.mkdir(exist_ok=True)
        Image.fromarray(draw(SHOTS[name])).save(out, quality=QUALITY, optimize=True)
        print(f"{out} {out.stat().st_size / 1e3:.0f} kB")
    application.quit()


def draw(shot: Shot) -> Bytes:
    """The picture (height, width, 3)."""
    world = load_world(ROOT / "worlds" / f"{shot.world}.xml")
    world = replace(world, graphics=replace(world.graphics, multisamples=4, has_shadows=True))
    with Simulation(world, report=lambda notice: None) as simulation:
        overlays = Overlays(world, simulation.compiled, simulation.tree)
        state = simulation.state
        while simulation.state.time < shot.seconds:
            simulation.step()
            if simulation.state.time > shot.seconds - KEPT:
                state = State(simulation.tree, bytearray(simulation.state.buffer))
                overlays.take(state)
        return _picture(shot, world, simulation, state, overlays)


def _picture(
    shot: Shot, world: WorldDescription, simulation: Simulation, state: State, overlays: Overlays
) -> Bytes:
    width, height = SIZE
    viewer = Viewer(
        world,
        simulation.compiled,
        simulation.tree,
        width=width,
        height=height,
        onscreen=False,
        renderer="p3headlessgl",
    )
    (robot,) = (each.robot for each in world.robots if each.name == shot.name)
    part = f"{shot.name}.{robot.parts[0].name}"
    camera = ChaseCamera(robot, tree=simulation.tree, name=part)
    camera.turn(radians(shot.left), radians(shot.up))
    camera.approach(shot.nearer)
    viewer.add_camera("free:1", camera)
    viewer.update(state)
    pixels = viewer.image("free:1").tobytes()
    image = QImage(pixels, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    projection = CameraProjection(camera.pose(state), fov=camera.fov, width=width, height=height)
    overlays.paint(painter, projection, state, shot.chosen)
    painter.end()
    viewer.close()
    painted = image.constBits()
    assert painted is not None
    rows = np.frombuffer(bytes(painted.asarray(image.sizeInBytes())), dtype=np.uint8)
    return rows.reshape(height, width, 4)[..., :3]


if __name__ == "__main__":
    main(sys.argv[1:])
