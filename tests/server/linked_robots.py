"""Robots with links, written as their files are, in a flat world."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import PlacedRobot
from autosim.config.world_settings import PhysicsDescription
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_robot
from autosim.model.commands import command_for
from tests.worlds import flat_world, impreza_world

HEIGHT = 20.0
"""[m] of the robot's origin above the ground."""


def box(
    name: str,
    *,
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    size: tuple[float, float, float] = (0.1, 0.1, 0.1),
    mass: float = 1.0,
    motion: str = "dynamic",
) -> str:
    """A part; `at` and `size` as in files: right, up, forward."""
    x, y, z = at
    return (
        f'<Box name="{name}"><Position x="{x}" y="{y}" z="{z}"/>'
        f'<Size x="{size[0]}" y="{size[1]}" z="{size[2]}"/><Mass value="{mass}"/>'
        f'<Motion name="{motion}"/></Box>'
    )


def link(
    kind: str,
    name: str,
    *,
    parent: str,
    child: str,
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0),
    more: str = "",
) -> str:
    """A link; `at` and `axis` as in files."""
    place = f'<Position x="{at[0]}" y="{at[1]}" z="{at[2]}"/>'
    line = f'<Axis x="{axis[0]}" y="{axis[1]}" z="{axis[2]}"/>' if kind != "FixedLink" else ""
    return (
        f'<{kind} name="{name}"><Parent name="{parent}"/><Child name="{child}"/>{place}{line}'
        f"{more}</{kind}>"
    )


def simulation_of(
    folder: Path,
    parts: str,
    devices: str = "",
    *,
    gravity: float = 9.81,
    height: float | None = HEIGHT,
    yaw: float = 0.0,
) -> Simulation:
    """A robot r alone in a flat world."""
    path = folder / "robot.xml"
    path.write_text(
        f'<Robot name="r"><Parts>{parts}</Parts><Devices>{devices}</Devices></Robot>',
        encoding="utf-8",
    )
    robot = PlacedRobot("r", load_robot(path), position=(0.0, 0.0, height), yaw=yaw)
    world = replace(impreza_world(), robots=(robot,), physics=PhysicsDescription(gravity=gravity))
    return Simulation(world, compiled=flat_world(), report=lambda notice: None)


def value(simulation: Simulation, name: str) -> Floats:
    """The field `robot.….field`."""
    node_name, _, field_name = name.rpartition(".")
    node = simulation.tree.find(node_name)
    assert node is not None, node_name
    field = next(each for each in node.fields if each.name == field_name)
    return np.array(simulation.state.value(node, field), dtype=np.float64)


def command(simulation: Simulation, device: str, *values: float) -> None:
    """Sets a device from the next step on."""
    simulation.queue([command_for(simulation.tree, device, values)])


def put_joint(simulation: Simulation, name: str, position: float, velocity: float = 0.0) -> None:
    """Puts a joint elsewhere before the simulation goes on."""
    names = list(simulation.systems.bodies.joints.mounted)
    simulation.systems.physics.place_joint(names.index(name), position=position, velocity=velocity)
    simulation.systems.bodies.read()
    simulation.systems.bodies.write(simulation.state)


def record(simulation: Simulation, seconds: float, read: Callable[[], object]) -> Floats:
    """What `read` gives after each step."""
    rows = []
    for _ in range(round(seconds / simulation.step_seconds)):
        simulation.step()
        rows.append(read())
    return np.array(rows, dtype=np.float64)
