"""Rigid bodies in PyBullet, moved from step to step."""

from collections.abc import Sequence
from struct import Struct
from types import TracebackType

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers, Integers32
from autosim.config.descriptions import Motion
from autosim.engine.physics.bullet.body_factory import (
    check_body,
    make_body,
    make_driven,
    set_dynamics,
    set_loads,
)
from autosim.engine.physics.bullet.bullet_client import connect, disconnect, make_visual
from autosim.engine.physics.bullet.collision_filters import filter_as_floating, filter_as_static
from autosim.engine.physics.bullet.collision_shapes import make_shape
from autosim.engine.physics.bullet.contact_points import (
    pairs_of,
    points_of,
    stuck_in,
    touches_of,
)
from autosim.engine.physics.bullet.joint_motors import Group, JointMotors, by_multibody
from autosim.engine.physics.bullet.kinematic_bodies import KinematicBody
from autosim.engine.physics.bullet.motions import link_motions, motion_of
from autosim.engine.physics.bullet.multibodies import BASE, link_arguments, set_up_link, trees_of
from autosim.engine.physics.bullet.prescribed_bodies import PrescribedBodies
from autosim.engine.physics.bullet.sleeping_bodies import SleepingBodies
from autosim.engine.physics.bullet.suppress_stderr import suppress_stderr
from autosim.engine.physics.bullet.world_meshes import WorldMeshes
from autosim.engine.physics.engine import STATIC, ContactPoint, PlacedBody, Vector3
from autosim.model.quaternions import Quaternion, compose, inverse
from autosim.model.rigid_bodies.joints import BallJoint, Hanging
from autosim.model.rigid_bodies.mass import NOWHERE
from autosim.model.rigid_bodies.rigid_body import RigidBody
from autosim.model.rigid_bodies.shapes import UNTURNED, PlacedShape
from autosim.model.vector_kernels import rotation_matrix
from autosim.vehicle.body.body_motion import read_shape_centres

with suppress_stderr():  # it prints when it was built
    import pybullet

_ROW_NUMBERS = 13
"""Numbers of a body's position 3, orientation 4, velocity 3 and angular velocity 3."""

_ROW = Struct(f"={_ROW_NUMBERS}d")

_NOTHING = [0.0, 0.0, 0.0]
"""[N] or [N m] that neither push nor turn."""

_ABSENT = -2
"""Stands for PyBullet's number of a body that it does not have."""


class BulletEngine:
    """The `PhysicsEngine` that is PyBullet, without a window.

    Bodies are numbered from 0 in the order in which they are added. The same calls in the same
    order give the same bits, in every process.

    Args:
        step_seconds: length of a step [s].
        gravity: [m/s^2], downwards.
    """

    def __init__(self, *, step_seconds: float, gravity: float) -> None:
        self._client = connect(step_seconds, gravity)
        self._step_seconds = step_seconds
        self._lost_in_a_step = np.array([0.0, 0.0, gravity * step_seconds])
        self._bodies: list[int] = []
        self._static: set[int] = set()
        self._moving: Integers = np.zeros(0, dtype=np.int64)
        self._has_read_static = False
        self._floating: set[int] = set()
        self._kinematic: dict[int, KinematicBody] = {}
        self._driven = PrescribedBodies(gravity * step_seconds, self._client)
        self._own: list[int] = []
        self._woken: dict[int, KinematicBody] = {}
        self._has_stepped = False
        self._links: list[int] = []
        self._hanging: list[Group] = []
        self._turns: dict[int, Quaternion] = {}
        self._numbers: dict[tuple[int, int], int] = {}
        self._rigid: list[RigidBody] = []
        self._shapes: list[int] = []
        self._reaches: list[float] = []
        self._resting = SleepingBodies(step_seconds)
        self._centres = np.zeros((0, 3))
        self._rows = np.zeros((0, _ROW_NUMBERS))
        self._com_positions: list[tuple[float, float, float]] = []
        self._visual = make_visual(self._client)
        self._meshes = WorldMeshes(self._client, self._visual)
        self._joints = JointMotors(self._client)

    def __enter__(self) -> "BulletEngine":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Frees the world. May be called again."""
        if self._client >= 0:
            disconnect(self._client)
            self._client = -1

    @property
    def body_count(self) -> int:
        """Number of bodies that were added."""
        return len(self._bodies)

    def make_shape(self, vertices: Floats, triangles: Integers32) -> int:
        """As `PhysicsEngine.make_shape`: see `WorldMeshes.make_shape`."""
        return self._meshes.make_shape(vertices, triangles)

    def add_static(self, shape: int, *, friction: float = 0.8, is_water: bool = False) -> int:
        """As `PhysicsEngine.add_static`."""
        body = self._meshes.put_in(shape, friction=friction, is_water=is_water)
        self._numbers[body, BASE] = STATIC
        return body

    def remove_static(self, body: int) -> None:
        """As `PhysicsEngine.remove_static`."""
        self._meshes.take_out(body)
        del self._numbers[body, BASE]

    def add_body(
        self,
        body: RigidBody,
        *,
        position: Vector3,
        orientation: Sequence[float] = (0.0, 0.0, 0.0, 1.0),
    ) -> int:
        """As `PhysicsEngine.add_body`; the first body is number 0."""
        self.add_bodies([PlacedBody(body, position, orientation)], [])
        return len(self._bodies) - 1

    def add_bodies(self, bodies: Sequence[PlacedBody], joints: Sequence[Hanging]) -> None:
        """As `PhysicsEngine.add_bodies`; the first body is number 0."""
        for each in bodies:
            check_body(each.body)
        first, trees = len(self._bodies), trees_of(len(bodies), joints)
        for number, each in enumerate(bodies):
            if each.is_driven:
                self._driven.add(first + number, each)
                self._append(each, (_ABSENT, BASE), NOWHERE, UNTURNED)
            elif number in trees:
                arguments = link_arguments(
                    trees[number],
                    bodies,
                    visual=self._visual,
                    make_shape=self._make_shape,
                    client=self._client,
                )
                self._create(each, arguments)
            else:
                _, turn = each.body.mass_properties.principal()
                self._append(each, (-1, BASE), each.body.centre_of_mass, turn)
        for root, tree in trees.items():
            for child, link in tree.links.items():
                self._bodies[first + child] = self._bodies[first + root]
                self._links[first + child] = link
        for each_joint in joints:
            self._set_up(each_joint, bodies[each_joint.child].body, first)
        self._hanging = by_multibody(
            (self._bodies[number], link, number)
            for number, link in enumerate(self._links)
            if link != BASE
        )
        for number, each in enumerate(bodies, start=first):
            if each.floats and number not in self._static and number not in self._kinematic:
                self._floating.add(number)
                link = self._shape_link(number)
                filter_as_floating(self._bodies[number], link, self._client)

    def _append(
        self, placed: PlacedBody, handle: tuple[int, int], centre: Vector3, turn: Quaternion
    ) -> None:
        """Takes down the body that comes next; what `handle` says where it is in PyBullet."""
        body = placed.body
        reach = body.reach
        self._resting.add(may_rest=placed.may_rest, reach=reach)
        if turn != UNTURNED:
            self._turns[len(self._bodies)] = turn
        self._rigid.append(body)
        self._shapes.append(self._make_shape(body.shapes))
        self._reaches.append(reach)
        self._bodies.append(handle[0])
        self._links.append(handle[1])
        self._centres = np.vstack([self._centres, np.asarray(centre, dtype=np.float64)])
        self._rows = np.zeros((len(self._bodies), _ROW_NUMBERS))
        self._com_positions = [(0.0, 0.0, 0.0)] * len(self._bodies)
        if handle[0] != _ABSENT:
            self._own.append(len(self._bodies) - 1)
            if len(self._bodies) - 1 not in self._static:
                self._moving = np.append(self._moving, len(self._bodies) - 1)
        self._has_read_static = False

    def _set_up(self, hanging: Hanging, body: RigidBody, first: int) -> None:
        """Makes a new link what its body and its joint say."""
        parent, child = first + hanging.parent, first + hanging.child
        multibody, link = self._bodies[child], self._shape_link(child)
        set_up_link(multibody, link, hanging.joint, client=self._client)
        for each in (link, self._links[child]):
            set_dynamics(multibody, each, body, client=self._client)
        self._numbers[multibody, link] = child
        self._joints.add(multibody, link, is_free=hanging.joint.freedom != "none")
        self._except_contacts(parent, child)

    def _create(self, placed: PlacedBody, links: dict[str, object]) -> None:
        number, centre, turn = make_body(placed, links, visual=self._visual, client=self._client)
        self._set_motion(number, placed.body.motion, placed.position, placed.orientation)
        self._numbers[number, BASE] = len(self._bodies)
        if placed.may_rest:
            self._set_activation(number, pybullet.ACTIVATION_STATE_ENABLE_SLEEPING)
        self._append(placed, (number, BASE), centre, turn)

    def _set_activation(self, body: int, state: int) -> None:
        pybullet.changeDynamics(body, BASE, activationState=state, physicsClientId=self._client)

    def _make_shape(self, shapes: Sequence[PlacedShape]) -> int:
        return make_shape(shapes, self._client)

    def _set_motion(
        self, body: int, motion: Motion, position: Vector3, orientation: Sequence[float]
    ) -> None:
        """Makes the body that comes next static or kinematic."""
        if motion == "dynamic":
            return
        filter_as_static(body, BASE, self._client)
        if motion == "static":
            self._static.add(len(self._bodies))
        else:
            still = np.zeros(3)
            pose = np.array(position, dtype=np.float64), np.array(orientation, dtype=np.float64)
            self._kinematic[len(self._bodies)] = KinematicBody(*pose, still, still)

    def add_joint(self, joint: BallJoint, parent: int, child: int) -> None:
        """As `PhysicsEngine.add_joint`."""
        client = self._client
        frames = [self._in_com_frame(number, joint.point) for number in (parent, child)]
        pybullet.createConstraint(
            parentBodyUniqueId=self._bodies[parent],
            parentLinkIndex=self._links[parent],
            childBodyUniqueId=self._bodies[child],
            childLinkIndex=self._links[child],
            jointType=pybullet.JOINT_POINT2POINT,
            jointAxis=[0.0, 0.0, 0.0],
            parentFramePosition=frames[0],
            childFramePosition=frames[1],
            physicsClientId=client,
        )
        self._except_contacts(parent, child)

    def _except_contacts(self, first: int, second: int) -> None:
        """Switches off collisions between two bodies."""
        a, b = self._bodies[first], self._bodies[second]
        links = self._shape_link(first), self._shape_link(second)
        pybullet.setCollisionFilterPair(a, b, *links, 0, physicsClientId=self._client)

    def _shape_link(self, number: int) -> int:
        """The link of a body that has its shapes and its joint."""
        return max(self._links[number] - 1, BASE)

    def _in_com_frame(self, number: int, point: Vector3) -> list[float]:
        """`point` [m] in W as PyBullet wants a joint's place: in B, from the centre of mass."""
        place, turn, _, _ = motion_of(self._bodies[number], self._links[number], self._client)
        inverse = pybullet.invertTransform(place, turn)
        result: tuple[float, float, float] = pybullet.multiplyTransforms(
            *inverse, point, (0.0, 0.0, 0.0, 1.0)
        )[0]
        return list(result)

    def place_joint(self, joint: int, *, position: float, velocity: float) -> None:
        """As `PhysicsEngine.place_joint`."""
        self._joints.place(joint, position=position, velocity=velocity)

    def hold_speeds(self, speeds: Floats, forces: Floats) -> None:
        """As `PhysicsEngine.hold_speeds`."""
        self._joints.hold_speeds(speeds, forces)

    def read_joints(self, positions: Floats, velocities: Floats, forces: Floats) -> None:
        """As `PhysicsEngine.read_joints`."""
        self._joints.read(positions, velocities, forces)

    def place(
        self,
        body: int,
        *,
        position: Floats,
        orientation: Floats,
        velocity: Floats,
        angular_velocity: Floats,
    ) -> None:
        """As `PhysicsEngine.place`."""
        driven = self._driven.place_of(body)
        if driven is not None:
            numbers = (position, orientation, velocity, angular_velocity)
            self._driven.teleport(driven, np.concatenate(numbers))
        if driven is not None or self._links[body] != BASE:
            return
        if body in self._kinematic:
            motion = KinematicBody(position, orientation, velocity, angular_velocity)
            self._kinematic[body] = motion.copy()
        # Not by the engine's own rotation, which is in single precision.
        rotation = np.empty((3, 3))
        rotation_matrix(orientation, rotation)
        arm = portable.dot(rotation, self._centres[body])
        com_velocity = velocity + np.cross(angular_velocity, arm)
        x, y, z, w = orientation.tolist()
        pybullet.resetBasePositionAndOrientation(
            self._bodies[body],
            (position + arm).tolist(),
            compose((x, y, z, w), self._turns[body]) if body in self._turns else (x, y, z, w),
            physicsClientId=self._client,
        )
        if body in self._static:
            self._has_read_static = False
        else:
            self.set_velocity(body, com_velocity.tolist(), angular_velocity.tolist())
        if self._resting.wake(body):
            # In the step in which a body wakes, Bullet takes its velocity away.
            motion = KinematicBody(position, orientation, velocity, angular_velocity)
            self._woken[body] = motion.copy()
            self._set_activation(self._bodies[body], pybullet.ACTIVATION_STATE_WAKE_UP)

    def set_velocity(self, body: int, velocity: Vector3, angular_velocity: Vector3) -> None:
        """Gives a body the velocity [m/s] of its centre of mass and its rotation [rad/s], in W."""
        self._set_base_velocity(self._bodies[body], velocity, angular_velocity)

    def _set_base_velocity(self, body: int, velocity: Vector3, angular_velocity: Vector3) -> None:
        pybullet.resetBaseVelocity(body, velocity, angular_velocity, physicsClientId=self._client)

    def read(
        self,
        positions: Floats,
        orientations: Floats,
        velocities: Floats,
        angular_velocities: Floats,
    ) -> None:
        """As `PhysicsEngine.read`."""
        memory = self._rows.data
        asked = self._asked() if self._has_read_static else self._own
        self._has_read_static = True
        client, bodies, links = self._client, self._bodies, self._links
        centres = self._com_positions
        pose_of, velocity_of = pybullet.getBasePositionAndOrientation, pybullet.getBaseVelocity
        for number in asked:
            if links[number] == BASE:
                body = bodies[number]
                place, turn = pose_of(body, client)
                centres[number] = place
                # Packed, numbers come into an array in less than half of NumPy's time.
                moving, turning = velocity_of(body, client)
                _ROW.pack_into(memory, number * _ROW.size, *place, *turn, *moving, *turning)
        for number, (place, turn, moving, turning) in link_motions(self._hanging, self._client):
            centres[number] = place
            _ROW.pack_into(memory, number * _ROW.size, *place, *turn, *moving, *turning)
        if self._driven.numbers.size:
            self._rows[self._driven.numbers] = self._driven.motions
        turned = self._turns.keys() & asked if self._turns else ()
        for number in turned:
            x, y, z, w = self._rows[number, 3:7].tolist()
            self._rows[number, 3:7] = compose((x, y, z, w), inverse(self._turns[number]))
        if self._has_stepped:
            self._resting.update(self._rows)
            self._has_stepped = False
        read_shape_centres(
            self._rows, self._centres, positions, orientations, velocities, angular_velocities
        )

    def apply(self, forces: Floats, torques: Floats) -> None:
        """As `PhysicsEngine.apply`; the centres of mass are those of the last `read`."""
        client, frame = self._client, pybullet.WORLD_FRAME
        force, torque = pybullet.applyExternalForce, pybullet.applyExternalTorque
        own = self._own
        pushes = forces if len(own) == len(forces) else forces[own]
        turns = torques if len(own) == len(torques) else torques[own]
        # Lists: PyBullet takes five times as long to read an array of three.
        for number, f, t in zip(own, pushes.tolist(), turns.tolist(), strict=True):
            if f == _NOTHING and t == _NOTHING:
                continue
            body, link = self._bodies[number], self._links[number]
            force(body, link, f, self._com_positions[number], frame, client)
            torque(body, link, t, frame, client)

    def set_loads(self, body: int, masses: Floats, arms: Floats) -> None:
        """As `PhysicsEngine.set_loads`."""
        set_loads(
            self._bodies[body],
            self._links[body],
            self._rigid[body],
            masses,
            arms,
            client=self._client,
        )

    def _asked(self) -> list[int]:
        """The bodies of the engine itself that may have moved: neither static nor resting."""
        moving = self._moving
        if self._resting.can_rest:
            moving = moving[~self._resting.is_resting[moving]]
        asked: list[int] = moving.tolist()
        return asked

    def move_prescribed(self, motions: Floats, are_met: Booleans, *, first: int = 0) -> None:
        """As `PhysicsEngine.move_prescribed`."""
        rows = slice(first, first + len(motions))
        self._driven.next[rows], self._driven.are_met[rows] = motions, are_met

    def _make_driven(self, number: int, placed: PlacedBody) -> int:
        body = make_driven(
            placed.body, self._shapes[number], visual=self._visual, client=self._client
        )
        self._numbers[body, BASE] = number
        return body

    def step(self) -> None:
        """Moves everything on by one step."""
        if self._driven.numbers.size:
            for removed in self._driven.remove():
                del self._numbers[removed, BASE]
            self._driven.insert(self._make_driven)
        for number, body in self._kinematic.items():
            # So fast upwards that gravity leaves what is commanded: with this velocity it pushes.
            velocity = body.velocity + self._lost_in_a_step
            self.set_velocity(number, velocity.tolist(), body.angular_velocity.tolist())
        pybullet.stepSimulation(self._client)
        self._has_stepped = True
        for number, body in self._woken.items():
            self._place_as(number, body)
        self._woken.clear()
        for number, body in self._kinematic.items():
            body.advance(self._step_seconds)
            self._place_as(number, body)
        self._driven.arrive()

    def _place_as(self, number: int, body: KinematicBody) -> None:
        self.place(
            number,
            position=body.position,
            orientation=body.orientation,
            velocity=body.velocity,
            angular_velocity=body.angular_velocity,
        )

    def contacts(self) -> Integers:
        """As `PhysicsEngine.contacts`."""
        return pairs_of(self._contact_points(), self._numbers)

    def contact_points(self) -> list[ContactPoint]:
        """As `PhysicsEngine.contact_points`."""
        return touches_of(self._contact_points(), self._numbers, self._step_seconds)

    def _contact_points(self) -> Sequence[tuple[object, ...]]:
        """All, but for those of bodies that rest on others that do."""
        is_all = not (self._resting.can_rest and self._resting.is_resting.any())
        asked = None if is_all else {self._bodies[number] for number in self._asked()}
        return points_of(asked, self._client)

    def penetrating_bodies(
        self, body: int, *, position: Vector3, orientation: Sequence[float], depth: float
    ) -> Integers:
        """As `PhysicsEngine.penetrating_bodies`."""
        return stuck_in(
            self._shapes[body],
            position=position,
            orientation=orientation,
            reach=self._reaches[body],
            depth=depth,
            passed=self._meshes.water if body in self._floating else (),
            numbers=self._numbers,
            client=self._client,
        )
