"""Robots and objects as they are drawn: a node for each body and wheel, moved by a state."""

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.client.materials.materials import Materials
from autosim.client.materials.palette import Colour
from autosim.client.models.body_meshes import body_mesh
from autosim.client.models.models import ModelLibrary
from autosim.client.models.shapes import cylinder_mesh
from autosim.client.panda.frames import unit_quaternions, wheel_quaternions
from autosim.client.panda.geometry import DrawMesh
from autosim.client.panda.nodes import make_node
from autosim.client.panda.panda import core
from autosim.config.descriptions import ModelReference, Part, WorldDescription
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.kind import body_of
from autosim.simulation.state import State
from autosim.simulation.tree import WORD, Node, SimulationTree

Indices = Integers


class RobotNodes:
    """The nodes of all robots and objects of a world.

    Args:
        root: the scene.
        world: that they stand in.
        tree: the tree of the states that `update` takes.
        library: where models come from.
        materials: their render states.

    Its plain shape stands for a model that cannot be shown, a cylinder for that of a wheel.
    """

    def __init__(
        self,
        root: core.NodePath,
        *,
        world: WorldDescription,
        tree: SimulationTree,
        library: ModelLibrary,
        materials: Materials,
    ) -> None:
        self._library = library
        self._materials = materials
        self._parts: list[core.NodePath] = []
        self._wheels: list[core.NodePath] = []
        positions, orientations, wheels, mounts = [], [], [], []
        for placed in world.robots:
            nodes = {}
            for part in placed.robot.parts:
                node = _found(tree, f"{placed.name}.{part.name}")
                nodes[part.name] = self._part_node(root, part)
                positions.append(_words(node, "position", 3))
                orientations.append(_words(node, "orientation", 4))
            for wheel in placed.robot.devices:
                if isinstance(wheel, WheelDevice):
                    node = _found(tree, f"{placed.name}.{wheel.part}.{wheel.name}")
                    self._wheels.append(self._wheel_node(nodes[wheel.part], wheel))
                    wheels.append([_words(node, name, 1)[0] for name in _WHEEL_FIELDS])
                    mounts.append(wheel.position)
        for thing in world.objects:
            node = _found(tree, thing.name)
            self._part_node(root, thing.body)
            positions.append(_words(node, "position", 3))
            orientations.append(_words(node, "orientation", 4))
        self._positions = np.array(positions, dtype=np.int64).reshape(-1, 3)
        self._orientations = np.array(orientations, dtype=np.int64).reshape(-1, 4)
        self._wheel_words = np.array(wheels, dtype=np.int64).reshape(-1, len(_WHEEL_FIELDS))
        self._mounts = np.array(mounts, dtype=np.float64).reshape(-1, 3)

    def update(self, state: State) -> None:
        """Moves every part and turns every wheel to where `state` has them."""
        quaternions = unit_quaternions(state.floats[self._orientations])
        _move(self._parts, state.floats[self._positions], quaternions)
        steering, rotation, length = state.floats[self._wheel_words].T
        places = self._mounts.copy()
        places[:, 2] -= length
        _move(self._wheels, places, wheel_quaternions(steering, rotation))

    def _part_node(self, root: core.NodePath, part: Part) -> core.NodePath:
        node = root.attachNewNode(part.name)
        self._parts.append(node)
        shape = body_mesh(body_of(part), _paint(part))
        self._shape(part.model, shape).reparentTo(node)
        return node

    def _wheel_node(self, part: core.NodePath, wheel: WheelDevice) -> core.NodePath:
        node = part.attachNewNode(wheel.name)
        shape = cylinder_mesh(wheel.radius, wheel.width, _TYRE)
        self._shape(wheel.model, shape).reparentTo(node)
        return node

    def _shape(self, model: ModelReference | None, otherwise: DrawMesh) -> core.NodePath:
        found = self._library.node(model.path, self._materials) if model is not None else None
        return found if found is not None else make_node("shape", [otherwise])


_WHEEL_FIELDS = ("steering", "rotation", "suspension_length")
_MATNESS = 200
"""Number (0..255) that says how matt a plain shape is: chosen by eye, it shines a little."""

_TYRE = (40, 40, 42, 255)
"""Colour (sRGB and matness, 0..255) of a wheel without a model: worn rubber."""


def _paint(part: Part) -> Colour:
    red, green, blue = (round(255 * share) for share in part.colour)
    return red, green, blue, _MATNESS


def _found(tree: SimulationTree, name: str) -> Node:
    node = tree.find(name)
    if node is None:
        raise ValueError(f"the tree has no node '{name}'")
    return node


def _words(node: Node, field: str, count: int) -> list[int]:
    """Places of a field's numbers in the state's array of words."""
    first = node.field_offset(field) // WORD
    return list(range(first, first + count))


def _move(nodes: list[core.NodePath], positions: Floats, quaternions: Floats) -> None:
    """One Panda3D call a node: it has no call for many."""
    point, quaternion = core.LPoint3, core.LQuaternion
    rows = zip(nodes, positions.tolist(), quaternions.tolist(), strict=True)
    for node, (px, py, pz), (x, y, z, w) in rows:
        node.setPosQuat(point(px, py, pz), quaternion(w, x, y, z))
