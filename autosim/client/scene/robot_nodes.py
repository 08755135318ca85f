"""Robots and objects as they are drawn: a node for each body and wheel, moved by a state."""

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.label_shader import THING_INPUT
from autosim.client.materials.material_states import Materials
from autosim.client.materials.motion_shader import CHANGE_INPUT, SHIFT_INPUT
from autosim.client.materials.palette import Colour
from autosim.client.models.body_meshes import body_mesh
from autosim.client.models.model_library import ModelLibrary
from autosim.client.models.piece_nodes import library_node
from autosim.client.models.primitive_meshes import cylinder_mesh
from autosim.client.panda.panda_frames import unit_quaternions, wheel_quaternions
from autosim.client.panda.panda_imports import core
from autosim.client.panda.panda_nodes import make_node
from autosim.config.descriptions import (
    Device,
    ModelReference,
    Part,
    RobotDescription,
    WorldDescription,
)
from autosim.config.semantic_classes import class_number
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.kind import body_of
from autosim.kinds.kinematic.kinematic_wheel import KinematicWheel
from autosim.model.bodies import rotation_matrices
from autosim.model.instance_numbers import instance_numbers
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree, TreeNode

Indices = Integers

_Wheel = WheelDevice | KinematicWheel
"""A piece that turns and steers on its part."""


class RobotNodes:
    """The nodes of all robots and objects of a world.

    Args:
        root: the scene.
        world: that they stand in.
        tree: the tree of the states that `update` takes.
        library: where models come from.
        materials: their render states.

    Its plain shape stands for a model that cannot be shown, a cylinder for that of a wheel. Other
    devices are seen where they have a model, at their place on their part.
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
        self._wheel_parts: list[int] = []
        positions, orientations, wheels, mounts = [], [], [], []
        hanging: list[int] = []
        lengths: list[int] = []
        numbers = instance_numbers(tree)
        for placed in world.robots:
            nodes, rows = {}, {}
            own = root.attachNewNode(placed.name)
            set_labels(own, number=class_of_robot(placed.robot), instance=numbers[placed.name])
            for part in placed.robot.parts:
                node = _found(tree, f"{placed.name}.{part.name}")
                rows[part.name] = len(self._parts)
                nodes[part.name] = self._part_node(own, part)
                positions.append(_words(node, "position", 3))
                orientations.append(_words(node, "orientation", 4))
            for wheel in placed.robot.devices:
                self._add_model(nodes[wheel.part], wheel)
                if isinstance(wheel, _Wheel):
                    node = _found(tree, f"{placed.name}.{wheel.part}.{wheel.name}")
                    self._wheel_parts.append(rows[wheel.part])
                    self._wheels.append(self._wheel_node(nodes[wheel.part], wheel))
                    wheels.append([_words(node, name, 1)[0] for name in _WHEEL_FIELDS])
                    if isinstance(wheel, WheelDevice):
                        hanging.append(len(wheels) - 1)
                        lengths += _words(node, "suspension_length", 1)
                    mounts.append(wheel.position)
        for thing in world.objects:
            node = _found(tree, thing.name)
            node_of_thing = self._part_node(root, thing.body)
            set_labels(node_of_thing, number=_OBJECT, instance=numbers[thing.name])
            positions.append(_words(node, "position", 3))
            orientations.append(_words(node, "orientation", 4))
        self._positions = np.array(positions, dtype=np.int64).reshape(-1, 3)
        self._orientations = np.array(orientations, dtype=np.int64).reshape(-1, 4)
        self._wheel_words = np.array(wheels, dtype=np.int64).reshape(-1, len(_WHEEL_FIELDS))
        self._hanging = np.array(hanging, dtype=np.int64)
        self._length_words = np.array(lengths, dtype=np.int64)
        self._mounts = np.array(mounts, dtype=np.float64).reshape(-1, 3)

    def update(self, state: State) -> None:
        """Moves every part and turns every wheel to where `state` has them."""
        _move(self._parts, *self._part_places(state))
        _move(self._wheels, *self._wheel_places(state))

    def compare(self, before: State, now: State) -> None:
        """Gives each part and wheel its matrix `before` less that of `now`."""
        matrices = [self._matrices(state) for state in (before, now)]
        nodes = (*self._parts, *self._wheels)
        for node, was, is_now in zip(nodes, *matrices, strict=True):
            set_motion(node, was - is_now)

    def _part_places(self, state: State) -> tuple[Floats, Floats]:
        quaternions = unit_quaternions(state.floats[self._orientations])
        return state.floats[self._positions], quaternions

    def _wheel_places(self, state: State) -> tuple[Floats, Floats]:
        """Places and attitudes of the wheels in their parts."""
        steering, rotation = state.floats[self._wheel_words].T
        places = self._mounts.copy()
        places[self._hanging, 2] -= state.floats[self._length_words]
        return places, wheel_quaternions(steering, rotation)

    def _matrices(self, state: State) -> Floats:
        """The matrices (n, 4, 4) that lead from the frames of parts, then of wheels, to W."""
        parts = _matrices(*self._part_places(state))
        wheels = parts[self._wheel_parts] @ _matrices(*self._wheel_places(state))
        return np.concatenate([parts, wheels])

    def _part_node(self, root: core.NodePath, part: Part) -> core.NodePath:
        node = root.attachNewNode(part.name)
        self._parts.append(node)
        shape = body_mesh(body_of(part), _paint(part))
        self._shape(part.model, shape).reparentTo(node)
        return node

    def _wheel_node(
        self, part: core.NodePath, wheel: WheelDevice | KinematicWheel
    ) -> core.NodePath:
        node = part.attachNewNode(wheel.name)
        shape = cylinder_mesh(wheel.radius, wheel.width, _TYRE)
        self._shape(wheel.model, shape).reparentTo(node)
        return node

    def _add_model(self, part: core.NodePath, device: Device) -> None:
        """Puts the model of a device that has one at its place; wheels turn, and are nodes."""
        model = getattr(device, "model", None)
        if isinstance(device, _Wheel) or not isinstance(model, ModelReference):
            return
        found = library_node(self._library, model.path, self._materials)
        if found is not None:
            found.reparentTo(part)
            found.setPos(*getattr(device, "position", (0.0, 0.0, 0.0)))

    def _shape(self, model: ModelReference | None, otherwise: DrawMesh) -> core.NodePath:
        found = (
            library_node(self._library, model.path, self._materials) if model is not None else None
        )
        return found if found is not None else make_node("shape", [otherwise])


def set_labels(node: core.NodePath, *, number: int, instance: int = 0) -> None:
    """Gives all below `node` a semantic class and an instance for label pictures."""
    node.setShaderInput(THING_INPUT, core.LVecBase2(number, instance))


def set_motion(node: core.NodePath, change: Floats) -> None:
    """Tells a node its matrix (4, 4) of then less that of now, for programs that draw motion."""
    node.setShaderInput(SHIFT_INPUT, 0.0)
    node.setShaderInput(CHANGE_INPUT, core.LMatrix4(*change.T.ravel().tolist()))


def class_of_robot(robot: RobotDescription) -> int:
    """The semantic class of a robot: that of its file, else a car's where it has wheels."""
    if robot.semantic_class:
        return class_number(robot.semantic_class)
    has_wheels = any(isinstance(each, WheelDevice) for each in robot.devices)
    return class_number("car") if has_wheels else _OBJECT


_OBJECT = class_number("dynamic")

_WHEEL_FIELDS = ("steering", "rotation")
_MATNESS = 200
"""Number (0..255) that says how matt a plain shape is: chosen by eye, it shines a little."""

_TYRE = (40, 40, 42, 255)
"""Colour (sRGB and matness, 0..255) of a wheel without a model: worn rubber."""


def _paint(part: Part) -> Colour:
    red, green, blue = (round(255 * share) for share in part.colour)
    return red, green, blue, _MATNESS


def _found(tree: SimulationTree, name: str) -> TreeNode:
    node = tree.find(name)
    if node is None:
        raise ValueError(f"the tree has no node '{name}'")
    return node


def _words(node: TreeNode, field: str, count: int) -> list[int]:
    """Places of a field's numbers in the state's array of words."""
    first = node.field_offset(field) // WORD
    return list(range(first, first + count))


def _matrices(positions: Floats, quaternions: Floats) -> Floats:
    """Matrices (n, 4, 4) of places (n, 3) and attitudes (n, 4)."""
    matrices = np.zeros((len(positions), 4, 4))
    matrices[:, :3, :3] = rotation_matrices(quaternions)
    matrices[:, :3, 3] = positions
    matrices[:, 3, 3] = 1.0
    return matrices


def _move(nodes: list[core.NodePath], positions: Floats, quaternions: Floats) -> None:
    """One Panda3D call a node: it has no call for many."""
    point, quaternion = core.LPoint3, core.LQuaternion
    rows = zip(nodes, positions.tolist(), quaternions.tolist(), strict=True)
    for node, (px, py, pz), (x, y, z, w) in rows:
        node.setPosQuat(point(px, py, pz), quaternion(w, x, y, z))
