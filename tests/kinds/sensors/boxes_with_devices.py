"""Worlds of a plain with boxes that carry devices: what the tests of sensors look at."""

from dataclasses import replace

from autosim.config.descriptions import PlacedRobot
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_robot
from tests.worlds import flat_world, impreza_world


def box_robot(folder, devices, *, name="robot", size=(1.0, 0.5, 2.0), mass=10.0):
    """A robot of one box of `size` [m] to its right, up and ahead, with devices as XML text."""
    x, y, z = size
    path = folder / f"{name}.xml"
    path.write_text(
        f'<Robot name="{name}"><Parts><Box name="hull"><Size x="{x}" y="{y}" z="{z}"/>'
        f'<Mass value="{mass}"/></Box></Parts><Devices>{devices}</Devices></Robot>'
    )
    return load_robot(path, roots=[folder])


def simulate(*placed, compiled=None, seed=0, traffic=None):
    """A run of robots that are placed as (robot, (x, y, z), yaw), called r0, r1 and so on."""
    robots = tuple(
        PlacedRobot(f"r{number}", robot, position=position, yaw=yaw)
        for number, (robot, position, yaw) in enumerate(placed)
    )
    world = replace(impreza_world(), robots=robots, traffic=traffic)
    compiled = compiled or flat_world()
    return Simulation(world, compiled=compiled, seed=seed, report=lambda notice: None)


def rows(simulation, name):
    """The rows (n, columns) of the list that a device holds."""
    node = simulation.tree.find(name)
    return simulation.state.value(node, node.fields[0])
