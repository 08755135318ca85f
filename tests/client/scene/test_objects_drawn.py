"""Objects of the world are in the picture, where the state has them."""

from dataclasses import replace

import pytest

pytest.importorskip("panda3d")

from autosim.client.scene.viewer import Viewer
from autosim.config.descriptions import PlacedObject
from autosim.engine.step.simulation import Simulation
from autosim.kinds.bodies.box import BoxPart
from tests.client.coloured_parts import GREEN, Above
from tests.worlds import flat_world, impreza_world


def middle(viewer, state):
    viewer.update(state)
    red, green, blue = viewer.image("free:1")[20:28, 28:36, :3].reshape(-1, 3).mean(axis=0)
    return green > 1.5 * max(red, blue)


def test_an_object_is_drawn_in_its_colour_and_goes_where_it_is_put():
    body = BoxPart("crate", (0.0, 0.0, 0.0), (2.0, 2.0, 1.0), mass=10.0, colour=GREEN)
    world = impreza_world(position=(30.0, 0.0, None), yaw=0.0)
    world = replace(world, objects=(PlacedObject("crate", body, (0.0, 0.0, None)),))
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        viewer = Viewer(world, flat_world(), simulation.tree, width=64, height=48, onscreen=False)
        viewer.add_camera("free:1", Above())
        assert middle(viewer, simulation.state)
        simulation.place("crate", (20.0, 20.0))
        assert not middle(viewer, simulation.state)
        viewer.close()
