"""How bright the lights of robots are: what was set, or what a drive actuator makes of them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import LightDevice, WorldDescription
from autosim.simulation.state import State
from autosim.simulation.tree import WORD, Node, SimulationTree


@dataclass(frozen=True, slots=True)
class PlacedLight:
    """A light of a robot in the world: `node` in the tree, `part` that carries it."""

    node: Node
    part: Node
    light: LightDevice


def placed_lights(world: WorldDescription, tree: SimulationTree) -> tuple[PlacedLight, ...]:
    """All lights, robot by robot, in the order of the files."""
    return tuple(_placed(world, tree))


def _placed(world: WorldDescription, tree: SimulationTree) -> Iterator[PlacedLight]:
    for placed in world.robots:
        for device in placed.robot.devices:
            if isinstance(device, LightDevice):
                part = _found(tree, f"{placed.name}.{device.part}")
                yield PlacedLight(_found(tree, f"{part.name}.{device.name}"), part, device)


class Brightness:
    """The brightness of n lights in any state.

    A light shines with the intensity that was set. One that follows a drive actuator shines with
    all its intensity while the actuator brakes (brake > 0), or drives backwards (acceleration < 0).

    Args:
        lights: of one tree.
        tree: with the robots' drive actuators.
    """

    def __init__(self, lights: tuple[PlacedLight, ...], tree: SimulationTree) -> None:
        self._words = np.array([each.node.start // WORD for each in lights], dtype=np.int64)
        actuators = _actuators(tree)
        rows, words, signs = [], [], []
        for row, each in enumerate(lights):
            if each.light.follows is not None:
                robot = each.node.name.split(".", 1)[0]
                actuator = actuators[robot, each.light.follows.actuator]
                is_brake = each.light.follows.function == "brake"
                rows.append(row)
                offset = actuator.field_offset("brake" if is_brake else "acceleration")
                words.append(offset // WORD)
                signs.append(1.0 if is_brake else -1.0)
        self._rows = np.array(rows, dtype=np.int64)
        self._followed = np.array(words, dtype=np.int64)
        self._signs = np.array(signs, dtype=np.float64)

    def of(self, state: State) -> Floats:
        """Brightness (n,) in 0..1, in the order of the lights."""
        brightness: Floats = np.clip(state.floats[self._words], 0.0, 1.0)
        brightness[self._rows[self._signs * state.floats[self._followed] > 0.0]] = 1.0
        return brightness


def _actuators(tree: SimulationTree) -> dict[tuple[str, str], Node]:
    """The drive actuators by the robot's name and their own: it is the only one of that name."""
    found = {}
    for node in tree.walk():
        if node.kind == "DriveActuator":
            robot, _, name = node.name.split(".")
            found[robot, name] = node
    return found


def _found(tree: SimulationTree, name: str) -> Node:
    node = tree.find(name)
    if node is None:
        raise ValueError(f"the tree has no node '{name}'")
    return node
