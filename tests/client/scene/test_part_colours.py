"""Parts that have no model are drawn as boxes, in the colour that the robot file says."""

from dataclasses import replace

import pytest

from tests.client.coloured_parts import GREEN, Above

pytest.importorskip("panda3d")

from autosim.client.scene.viewer import Viewer
from autosim.engine.step.simulation import Simulation
from autosim.kinds.sensors.perception.camera import Camera
from autosim.loading.loader import load_robot
from tests.config.samples import ROBOT, write
from tests.worlds import flat_world, impreza_world


def middle(changes):
    """The colour in the middle of a picture of a car without a model."""
    world = impreza_world(position=(0.0, 0.0, None), yaw=0.0)
    (car,) = world.robots
    (chassis,) = car.robot.parts
    devices = tuple(each for each in car.robot.devices if not isinstance(each, Camera))
    bare = replace(car.robot, parts=(replace(chassis, model=None, **changes),), devices=devices)
    world = replace(world, robots=(replace(car, robot=bare),))
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        viewer = Viewer(world, flat_world(), simulation.tree, width=64, height=48, onscreen=False)
        viewer.add_camera("free:1", Above())
        viewer.update(simulation.state)
        picture = viewer.image("free:1")
        viewer.close()
    return picture[20:28, 28:36, :3].reshape(-1, 3).mean(axis=0)


def test_a_part_without_model_or_colour_is_red():
    red, green, blue = middle({})
    assert red > 1.5 * max(green, blue)


def test_a_part_without_model_has_the_colour_of_its_file():
    red, green, blue = middle({"colour": GREEN})
    assert green > 1.5 * max(red, blue)


def test_the_file_says_the_colour(tmp_path):
    text = ROBOT.replace("<Mass", '<Colour red="0.1" green="0.8" blue="0.2"/>\n      <Mass', 1)
    assert load_robot(write(tmp_path, text)).parts[0].colour == GREEN
