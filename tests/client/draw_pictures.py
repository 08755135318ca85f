"""Draws what the tests look at, with one renderer: a process holds only one. Writes an .npz.

Usage: draw_pictures.py RENDERER FILE [onscreen]
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from synthetic_town import (
    car_state,
    car_world,
    compiled_town,
    set_wheels,
)

from autosim.client.scene.viewer import Viewer
from autosim.config.descriptions import PlacedRobot
from autosim.kinds.sensors.perception.camera import Camera

SIZE = (160, 120)
WALL = (10.0, 3.0, 2.0, 2.0, 5.0)
"""A tower: x, y of its centre, width, depth, height [m]."""


def with_camera(world, camera):
    """The world, its car with this camera alone."""
    (placed,) = world.robots
    devices = tuple(d for d in placed.robot.devices if not isinstance(d, Camera))
    robot = replace(placed.robot, devices=(*devices, camera))
    return replace(world, robots=(PlacedRobot(name="car", robot=robot),))


def drive_through_town(viewer, world, pictures):
    """The car in the street: from behind, from its front camera, elsewhere, turned."""
    pictures["chase"] = moved(viewer, car_state(world, x=-60.0))
    pictures["front"] = viewer.image("car.chassis.front")
    pictures["ahead"] = moved(viewer, car_state(world, x=-48.0))
    pictures["turned"] = moved(viewer, car_state(world, x=-60.0, yaw=0.6))
    pictures["again"] = moved(viewer, car_state(world, x=-60.0))


def moved(viewer, state):
    viewer.update(state)
    return viewer.image()


def turn_wheels(world, compiled, renderer, pictures):
    """The front left wheel from the side: at rest, rolled on, steered."""
    close = Camera(name="wheel", part="chassis", position=(1.35, 2.3, -0.3), direction=(0, -1, 0))
    world = with_camera(world, close)
    viewer = open_viewer(world, compiled, renderer)
    name = "car.chassis.wheel"
    for picture, field, value in (
        ("wheel", "rotation", 0.0),
        ("wheel_rolled", "rotation", 0.6),
        ("wheel_steered", "steering", 0.5),
        ("wheel_dropped", "suspension_length", 0.4),
    ):
        state = car_state(world, x=-60.0)
        set_wheels(state, field, value)
        viewer.update(state)
        pictures[picture] = viewer.image(name)
    viewer.close()


def look_at_tower(world, renderer, pictures):
    """A tower at a known place, seen by a camera at (0, 0, 2) that looks east."""
    eye = Camera(name="eye", part="chassis", position=(0.0, 0.0, 20.0), fov=np.radians(90.0))
    world = with_camera(world, eye)
    for name, boxes in (("tower", [WALL]), ("no_tower", [(150.0, 150.0, 1.0, 1.0, 1.0)])):
        viewer = open_viewer(world, compiled_town(boxes), renderer)
        viewer.update(car_state(world, x=0.0, y=0.0, z=-18.0))
        pictures[name] = viewer.image("car.chassis.eye")
        viewer.close()


def open_viewer(world, compiled, renderer, onscreen=False):
    tree = car_state(world).tree
    width, height = SIZE
    return Viewer(
        world, compiled, tree, width=width, height=height, onscreen=onscreen, renderer=renderer
    )


def main(renderer: str, file: str, onscreen: bool) -> None:
    world, compiled = car_world(model=True, multisamples=4), compiled_town()
    pictures: dict[str, np.ndarray] = {}
    viewer = open_viewer(world, compiled, renderer, onscreen)
    facts = [viewer.renderer, "; ".join(viewer.limitations), "; ".join(viewer.warnings)]
    drive_through_town(viewer, world, pictures)
    viewer.draw()
    facts.append(str(viewer.is_closed))
    viewer.close()
    facts.append(str(viewer.is_closed))
    turn_wheels(world, compiled, renderer, pictures)
    look_at_tower(world, renderer, pictures)
    for name, graphics in (
        ("no_shadows", {"has_shadows": False, "multisamples": 4}),
        ("jagged", {"multisamples": 0}),
    ):
        world = car_world(model=True, **graphics)
        viewer = open_viewer(world, compiled, renderer)
        pictures[name] = moved(viewer, car_state(world, x=-60.0))
        viewer.close()
    np.savez(file, facts=np.array(facts), **pictures)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], "onscreen" in sys.argv[3:])
