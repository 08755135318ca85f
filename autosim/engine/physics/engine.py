"""Interface of a physics engine. `bullet/` implements it with PyBullet.

Another engine goes behind the same methods: make a class that has them, and give it to `Simulation`
as `make_engine`. An engine moves rigid bodies on static triangle meshes, and reports which of them
touch. Wheels are not bodies: vehicles apply their forces. Rays are cast elsewhere (`autosim.rays`).

Bodies are numbered from 0 in the order in which they are added. The same calls in the same order
have to give the same bits, in every process.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from autosim.arrays import Booleans, Floats, Integers, Integers32
from autosim.model.rigid_bodies.joints import BallJoint, Hanging
from autosim.model.rigid_bodies.rigid_body import RigidBody

Vector3 = Sequence[float]

STATIC = -1
"""The number that stands for all meshes in `contacts`, `touches` and `stuck_in`."""


@dataclass(frozen=True, slots=True)
class PlacedBody:
    """A body whose frame B has its origin at `position` [m] in W, turned by `orientation`.

    That is the quaternion (x, y, z, w) of R_WB. A body that `floats` passes through water. One that
    `may_rest` has no device: while it lies still, it costs next to nothing until something comes
    near. Of one that `is_driven` others say how it moves, see `PhysicsEngine.move_prescribed`.
    """

    body: RigidBody
    position: Vector3
    orientation: Sequence[float] = (0.0, 0.0, 0.0, 1.0)
    floats: bool = False
    may_rest: bool = False
    is_driven: bool = False


@dataclass(frozen=True, slots=True)
class ContactPoint:
    """Contacts of two bodies in the last step.

    `first`, `second`: numbers of bodies; `second` may be `STATIC`, and `mesh` is then the body of
    `put_in`, else -1. `place` (3,) [m] in W; `depth` [m] by which they are in each other;
    `impulse` [N s] that each has given the other along the normal of their surfaces.
    """

    first: int
    second: int
    mesh: int
    place: Floats
    depth: float
    impulse: float


class PhysicsError(Exception):
    """The physics was given something that it cannot simulate."""


class PhysicsEngine(Protocol):
    """Rigid bodies on static meshes."""

    def make_shape(self, vertices: Floats, triangles: Integers32) -> int:
        """Makes a static triangle mesh, which `put_in` sets into the world.

        Args:
            vertices: (n, 3) m in W.
            triangles: (m, 3) indices of vertices, counter-clockwise from outside.

        Returns:
            the shape's number; it stays valid to the end.

        Raises:
            PhysicsError: a vertex is not finite, an index is out of range, or there are too many.
        """

    def add_static(self, shape: int, *, friction: float = 0.8, is_water: bool = False) -> int:
        """Sets a shape into the world; returns the number for `take_out`.

        Args:
            shape: of `make_shape`.
            friction: coefficient against bodies.
            is_water: whether bodies that float pass through it.
        """

    def remove_static(self, body: int) -> None:
        """Removes a body of `put_in`; its shape may be put in again."""

    def add_body(
        self,
        body: RigidBody,
        *,
        position: Vector3,
        orientation: Sequence[float] = (0.0, 0.0, 0.0, 1.0),
    ) -> int:
        """Adds a body and returns its number.

        A static body stays; a kinematic one keeps the velocity that `place` has given it, whatever
        is in its way; forces move neither.

        Args:
            body: what it is.
            position: [m] in W of the origin of B.
            orientation: quaternion (x, y, z, w) of R_WB.

        Raises:
            PhysicsError: a mass or size is not positive and finite.
        """

    def add_bodies(self, bodies: Sequence[PlacedBody], joints: Sequence[Hanging]) -> None:
        """Adds bodies in their order, of which some hang on others and do not collide with those.

        Joints are numbered from 0 in the order in which they are added.

        Args:
            bodies: as `add_body` takes them, one by one.
            joints: in W; they count `bodies` from 0.

        Raises:
            PhysicsError: as of `add_body`, or the joints make no tree.
        """

    def place_joint(self, joint: int, *, position: float, velocity: float) -> None:
        """Puts what hangs on a joint elsewhere, with another motion against its parent.

        Args:
            joint: its number; one without freedom stays as it is.
            position: [rad] or [m] from where it was built.
            velocity: [rad/s] or [m/s].
        """

    def read_joints(self, positions: Floats, velocities: Floats, forces: Floats) -> None:
        """Writes the state of all joints of `add_bodies` into arrays.

        Args:
            positions: (n,) [rad], counted over full turns, or [m]; 0 without freedom.
            velocities: (n,) [rad/s] or [m/s].
            forces: (n,) [N m] or [N] that held the joint at its speed in the last step.
        """

    def hold_speeds(self, speeds: Floats, forces: Floats) -> None:
        """Has joints held at speeds from the next step on.

        Args:
            speeds: (n,) [rad/s] or [m/s].
            forces: (n,) [N m] or [N], the greatest that holds each; 0 leaves it free.
        """

    def add_joint(self, joint: BallJoint, parent: int, child: int) -> None:
        """Joins two bodies by a joint in W; they no longer collide with each other."""

    def move_prescribed(self, motions: Floats, are_met: Booleans, *, first: int = 0) -> None:
        """Says how the bodies that are driven move in the coming step.

        Args:
            motions: (n, 13) at its end, of these bodies in their order: positions [m], orientations
                (x, y, z, w), velocities [m/s] and angular velocities [rad/s] in W, of the origins
                of B. They hold until others are given.
            are_met: (n,) whether other bodies may meet them in the step. None of them is held up.
            first: the place of the first of the n among all driven bodies.
        """

    def place(
        self,
        body: int,
        *,
        position: Floats,
        orientation: Floats,
        velocity: Floats,
        angular_velocity: Floats,
    ) -> None:
        """Puts a body somewhere else, with another motion.

        What hangs on it comes along. A body that hangs on a joint itself stays: `place_joint` puts
        it elsewhere.

        Args:
            body: its number.
            position: (3,) m in W of the origin of B.
            orientation: (4,) quaternion (x, y, z, w) of R_WB.
            velocity: (3,) m/s in W of the origin of B.
            angular_velocity: (3,) rad/s in W.
        """

    def read(
        self,
        positions: Floats,
        orientations: Floats,
        velocities: Floats,
        angular_velocities: Floats,
    ) -> None:
        """Writes the state of all bodies into arrays.

        Args:
            positions: (n, 3) m in W of the origins of B.
            orientations: (n, 4) quaternions (x, y, z, w) of R_WB.
            velocities: (n, 3) m/s in W of the origins of B.
            angular_velocities: (n, 3) rad/s in W.
        """

    def apply(self, forces: Floats, torques: Floats) -> None:
        """Gives each body a force at its centre of mass and a torque, for the next step alone.

        Args:
            forces: (n, 3) N in W.
            torques: (n, 3) N m in W.
        """

    def set_loads(self, body: int, masses: Floats, arms: Floats) -> None:
        """Makes a body heavier, in place of what it was loaded with before.

        Its centre of mass stays where it is built.

        Args:
            body: its number.
            masses: (k,) kg.
            arms: (k, 3) m in B from the centre of mass.
        """

    def step(self) -> None:
        """Moves everything on by one step."""

    def contacts(self) -> Integers:
        """The pairs of bodies that touched in the last step.

        Resting bodies report contacts with moving bodies alone.

        Returns:
            (n, 2) numbers of bodies, each pair once, in ascending order; in the second column
            `STATIC` means a mesh.
        """

    def contact_points(self) -> list[ContactPoint]:
        """The places at which bodies touched in the last step, several for a pair.

        Resting bodies report contacts with moving bodies alone.
        """

    def penetrating_bodies(
        self, body: int, *, position: Vector3, orientation: Sequence[float], depth: float
    ) -> Integers:
        """Overlaps of a body in another pose; it stays where it is.

        Args:
            body: its number.
            position: (3,) m in W of its origin.
            orientation: quaternion (x, y, z, w) of R_WB.
            depth: of what it touches, only what it is in by more than this [m].

        Returns:
            numbers (n,) of boxes, ascending, its own too; `STATIC` means a mesh.
        """

    def close(self) -> None:
        """Frees everything. May be called again."""


class MakeEngine(Protocol):
    """Makes an engine."""

    def __call__(self, *, step_seconds: float, gravity: float) -> PhysicsEngine:
        """An empty world.

        Args:
            step_seconds: length of a step [s].
            gravity: [m/s²], downwards.
        """
