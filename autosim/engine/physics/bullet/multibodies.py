"""Bodies that hang together by joints, as one PyBullet multibody of a root and links.

PyBullet moves them in the joints' own coordinates (Featherstone), so they never come apart. The
other way, constraints between free bodies, has no hinge, limits or dampers, and drifts. Measured
at 240 Hz: a pendulum's period is right to 2e-5 and its amplitude stays for 20 s; a limit that is
hit at 6 rad/s holds within a step's way, 0.024 rad, and gives that back in the next steps; a body
that turns at 2 rad/s about another loses or gains 0.3 % of the momentum of both in a second; two
runs give the same bits. A step of three bodies takes 3 µs.

PyBullet takes the inertia of a link from its shape alone, and that of several shapes from the box
around them. So each body is two links: one has the joint and the shapes, without mass; on it hangs
a box of the right mass and inertia, which touches nothing. (The other way round, what hangs on a
static body passes through its own kind.)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite, sqrt

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.engine.physics.bullet.suppress_stderr import suppress_stderr
from autosim.engine.physics.engine import PhysicsError, PlacedBody, Vector3
from autosim.model.rigid_bodies.joints import Hanging, TreeJoint
from autosim.model.rigid_bodies.shapes import UNTURNED, PlacedShape
from autosim.model.vector_kernels import rotation_matrix

with suppress_stderr():
    import pybullet

BASE = -1
"""PyBullet's number of a root as a link, and of a body on which nothing hangs."""

FLAGS = pybullet.URDF_USE_SELF_COLLISION
"""Without it, bodies that hang together never touch. Neighbours are excepted one by one."""

_KINDS = {
    "turn": pybullet.JOINT_REVOLUTE,
    "slide": pybullet.JOINT_PRISMATIC,
    "none": pybullet.JOINT_FIXED,
}

_THINNEST = 1e-6
"""Least side [m] of the box that bears a body's inertia: of a rod it has no width."""


@dataclass(frozen=True, slots=True)
class BodyTree:
    """The body `root` and all that hangs on it: `hanging`, each after what it hangs on."""

    root: int
    hanging: tuple[Hanging, ...] = ()

    @property
    def links(self) -> dict[int, int]:
        """The links that bear the mass, by the numbers of the bodies.

        The one before each has the joint and the shapes.
        """
        return {each.child: 2 * place + 1 for place, each in enumerate(self.hanging)}


def trees_of(count: int, joints: Sequence[Hanging]) -> dict[int, BodyTree]:
    """The trees that joints make of `count` bodies, by their roots.

    Raises:
        PhysicsError: a body hangs on two others, or on itself.
    """
    above = {each.child: each for each in joints}
    if len(above) < len(joints):
        raise PhysicsError("a body hangs on two others: joints have to make a tree")
    below: dict[int, list[Hanging]] = {}
    for each in joints:
        below.setdefault(each.parent, []).append(each)
    trees = {}
    for root in range(count):
        if root not in above:
            order = list(below.get(root, ()))
            for each in order:  # which grows meanwhile
                order += below.get(each.child, ())
            trees[root] = BodyTree(root, tuple(order))
    if len(trees) + sum(len(tree.hanging) for tree in trees.values()) < count:
        raise PhysicsError("bodies hang on one another in a ring: joints have to make a tree")
    return trees


def link_arguments(
    tree: BodyTree,
    bodies: Sequence[PlacedBody],
    *,
    visual: int,
    make_shape: Callable[[Sequence[PlacedShape]], int],
    client: int,
) -> dict[str, object]:
    """Arguments of `createMultiBody` for all links below a root; empty without links.

    Args:
        tree: that it makes.
        bodies: as the numbers of the tree count them.
        visual: shape of every link.
        make_shape: makes a collision shape, each of its shapes in its place in the link's frame.
        client: of PyBullet.
    """
    if not tree.hanging:
        return {}
    links = tree.links
    origins = {tree.root: np.array(bodies[tree.root].position)}
    rows: list[tuple[object, ...]] = []
    for each in tree.hanging:
        body, joint, parent = bodies[each.child], each.joint, bodies[each.parent]
        origins[each.child] = point = np.array(joint.point)
        ahead = _rotation(parent.orientation).T
        own = _rotation(body.orientation)
        turn = pybullet.invertTransform((0.0, 0.0, 0.0), parent.orientation)[1]
        turn = pybullet.multiplyTransforms(
            (0.0, 0.0, 0.0), turn, (0.0, 0.0, 0.0), body.orientation
        )[1]
        place = portable.dot(ahead, point - origins[each.parent])
        arm = portable.dot(own.T, np.array(body.position) - point)
        axis = portable.dot(own.T, np.array(joint.axis)).tolist()
        centre = (arm + np.array(body.body.centre_of_mass)).tolist()
        shapes = make_shape([_moved(shape, arm) for shape in body.body.shapes])
        # Of a root -1 + 1: PyBullet counts parents from 1, and 0 is the root.
        above = links.get(each.parent, BASE + 1)
        zero = [0.0, 0.0, 0.0]
        rows.append((0.0, shapes, place.tolist(), turn, zero, above, _KINDS[joint.freedom], axis))
        moments, principal = body.body.mass_properties.principal()
        inert = pybullet.createCollisionShape(
            pybullet.GEOM_BOX,
            halfExtents=inertia_box(body.body.mass, moments),
            physicsClientId=client,
        )
        beside = links[each.child]
        rows.append(
            (body.body.mass, inert, centre, principal, zero, beside, pybullet.JOINT_FIXED, axis)
        )
    return _as_arguments(rows, visual)


def _as_arguments(rows: Sequence[tuple[object, ...]], visual: int) -> dict[str, object]:
    """Arguments of `createMultiBody` from a row of values for each link."""
    masses, collisions, places, turns, centres, parents, kinds, axes = zip(*rows, strict=True)
    return {
        "linkMasses": masses,
        "linkCollisionShapeIndices": collisions,
        "linkVisualShapeIndices": [visual] * len(rows),
        "linkPositions": places,
        "linkOrientations": turns,
        "linkInertialFramePositions": centres,
        "linkInertialFrameOrientations": [UNTURNED] * len(rows),
        "linkParentIndices": parents,
        "linkJointTypes": kinds,
        "linkJointAxis": axes,
        "flags": FLAGS,
    }


def set_up_link(multibody: int, link: int, joint: TreeJoint, *, client: int) -> None:
    """Configures a new joint, and makes the box of inertia touch nothing.

    Args:
        multibody: that has it.
        link: that has the joint and the shapes; the next one has the inertia.
        joint: of the link.
        client: of PyBullet.
    """
    # In any other group it would touch what does not mask it.
    pybullet.setCollisionFilterGroupMask(multibody, link + 1, 0, 0, physicsClientId=client)
    pybullet.changeDynamics(multibody, link, jointDamping=joint.damping, physicsClientId=client)
    if joint.freedom == "none":
        return
    # PyBullet brakes every new joint by a motor.
    pybullet.setJointMotorControl2(
        multibody, link, pybullet.VELOCITY_CONTROL, force=0.0, physicsClientId=client
    )
    if isfinite(joint.lower) or isfinite(joint.upper):
        pybullet.changeDynamics(
            multibody,
            link,
            jointLowerLimit=max(joint.lower, -_FURTHEST),
            jointUpperLimit=min(joint.upper, _FURTHEST),
            physicsClientId=client,
        )


_FURTHEST = 1e9
"""[rad], [m]: as far as a joint goes that is limited on its other side alone."""


def inertia_box(mass: float, moments: Vector3) -> list[float]:
    """Half the sides [m] of the homogeneous box of that `mass` [kg] and `moments` [kg m²]."""
    total = sum(moments)
    squares = [max(6.0 * (total - 2.0 * each) / mass, 0.0) for each in moments]
    return [max(sqrt(square), _THINNEST) / 2.0 for square in squares]


def _moved(placed: PlacedShape, arm: Floats) -> PlacedShape:
    x, y, z = (np.array(placed.position) + arm).tolist()
    return replace(placed, position=(x, y, z))


def _rotation(orientation: Sequence[float]) -> Floats:
    rotation = np.empty((3, 3))
    rotation_matrix(np.array(orientation, dtype=np.float64), rotation)
    return rotation
