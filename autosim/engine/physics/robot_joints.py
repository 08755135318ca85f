"""The joints on which parts hang: put into the physics, read from it, written to the state."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from autosim.arrays import Integers
from autosim.engine.physics.engine import PhysicsEngine
from autosim.engine.physics.inventory import BuiltLink, Inventory
from autosim.engine.physics.spawn_poses import SpawnPose
from autosim.kinds.banks import MountedJoint, ServoTargets
from autosim.kinds.kind import body_of, joint_of
from autosim.model.rigid_bodies.joint_inertia import least_inertias
from autosim.model.rigid_bodies.joints import Hanging, TreeJoint
from autosim.model.state import State
from autosim.model.tree import WORD


class RobotJoints:
    """The joints in the order of the tree.

    Args:
        inventory: their parts and links.
        physics: that has them, in this order.
        step_seconds: length of a step [s].

    `mounted`: the joints by the names of their links' nodes. `servos`: what motors make of them.
    """

    def __init__(
        self, inventory: Inventory, physics: PhysicsEngine, *, step_seconds: float
    ) -> None:
        self._physics = physics
        self._links: list[BuiltLink] = []
        hanging: list[Hanging] = []
        for link in inventory.links:
            joint = joint_of(link.link)
            if isinstance(joint, TreeJoint):
                self._links.append(link)
                hanging.append(Hanging(joint, link.parent, link.child))
        parts = [built.part for built in inventory.parts]
        places = [part.position for part in parts]
        inertias = least_inertias([body_of(part) for part in parts], places, hanging)
        self.mounted: dict[str, MountedJoint] = {}
        rows = zip(self._links, hanging, inertias.tolist(), strict=True)
        for number, (link, each, inertia) in enumerate(rows):
            joint = replace(each.joint, damping=min(each.joint.damping, inertia / step_seconds))
            x, y, z = (a - b for a, b in zip(joint.point, places[link.child], strict=True))
            self.mounted[link.node.name] = MountedJoint(
                number, link.node, joint, link.parent, link.child, (x, y, z), inertia
            )
        self._positions, self._velocities = np.zeros(len(hanging)), np.zeros(len(hanging))
        self._forces = np.zeros(len(hanging))
        self.servos = ServoTargets.none(len(hanging))
        self._free = np.array(
            [row for row, each in enumerate(hanging) if each.joint.freedom != "none"],
            dtype=np.int64,
        )
        self._position_words, self._velocity_words = (
            self._words("position"),
            self._words("velocity"),
        )
        self._force_words = self._words("force")

    def _words(self, field: str) -> Integers:
        nodes = [self._links[row].node for row in self._free.tolist()]
        return np.array([node.field_offset(field) // WORD for node in nodes], dtype=np.int64)

    def in_world(self, poses: Sequence[SpawnPose]) -> list[Hanging]:
        """The joints in W while the robots stand at `poses`."""
        return [
            Hanging(mounted.joint.in_world(poses[link.robot].of_point), link.parent, link.child)
            for link, mounted in zip(self._links, self.mounted.values(), strict=True)
        ]

    def reset(self, robot: int) -> None:
        """Puts the joints of a robot as they were built, without motion."""
        for number, link in enumerate(self._links):
            if link.robot == robot:
                self._physics.place_joint(number, position=0.0, velocity=0.0)

    def place(self, state: State, *, robots: Collection[str]) -> None:
        """Puts the joints of `robots` as `state` says."""
        words = zip(self._free, self._position_words, self._velocity_words, strict=True)
        for number, position, velocity in words:
            if self._links[number].node.name.split(".", 1)[0] in robots:
                self._physics.place_joint(
                    int(number),
                    position=float(state.floats[position]),
                    velocity=float(state.floats[velocity]),
                )

    def read(self) -> None:
        """Takes positions and velocities from the physics."""
        if len(self._free):
            self._physics.read_joints(self._positions, self._velocities, self._forces)

    def drive(self) -> None:
        """Hands the servos on to the physics."""
        if len(self._free) and self.servos.forces.any():
            self._physics.hold_speeds(self.servos.speeds, self.servos.forces)

    def write(self, state: State) -> None:
        """Writes them into the links' nodes, with the forces of servos."""
        if not len(self._free):
            return
        held = self.servos.forces[self._free] > 0.0
        state.floats[self._force_words[held]] = self._forces[self._free][held]
        state.floats[self._position_words] = self._positions[self._free]
        state.floats[self._velocity_words] = self._velocities[self._free]
