"""Makes bodies in PyBullet, with its defaults undone."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.engine.physics.bullet.collision_filters import filter_as_static
from autosim.engine.physics.bullet.collision_shapes import is_surface, make_shape, margin_of
from autosim.engine.physics.bullet.multibodies import BASE
from autosim.engine.physics.bullet.suppress_stderr import suppress_stderr
from autosim.engine.physics.engine import PhysicsError, PlacedBody, Vector3
from autosim.model.quaternions import Quaternion
from autosim.model.rigid_bodies.mass import NOWHERE
from autosim.model.rigid_bodies.rigid_body import RigidBody
from autosim.model.rigid_bodies.shapes import UNTURNED
from autosim.model.vector_kernels import rotation_matrix

with suppress_stderr():
    import pybullet

TOP_SPEED = 1e4
"""[m/s], [rad/s]; the speed of a multibody is clamped at 100 by default."""

KINEMATIC_MASS = 1e9
"""[kg] of a kinematic body for those that it pushes: a million times a car's, so nothing that it
meets changes how it moves by more than rounding, and that is put right in each step."""


def check_body(body: RigidBody) -> None:
    """Checks that PyBullet can simulate a body.

    Raises:
        PhysicsError: it cannot.
    """
    if body.motion != "static" and any(is_surface(each.shape) for each in body.shapes):
        raise PhysicsError("a body with a concave mesh has to be static")
    shapes = [each.shape for each in body.shapes if not is_surface(each.shape)]
    sizes = [b - a for each in shapes for a, b in zip(each.low, each.high, strict=True)]
    if not (np.isfinite([body.mass, *sizes]).all() and min([body.mass, *sizes]) > 0.0):
        raise PhysicsError(f"a body needs a positive mass and size, not {body.mass} kg, {sizes} m")


def make_body(
    placed: PlacedBody, links: dict[str, object], *, visual: int, client: int
) -> tuple[int, Vector3, Quaternion]:
    """Makes a body with what hangs on it.

    Args:
        placed: the body, and where it is.
        links: of `link_arguments`.
        visual: PyBullet's number of a visual shape.
        client: PyBullet's.

    Returns:
        PyBullet's number of it, and where its principal axes of inertia are in B: their origin [m]
        and how they are turned.
    """
    body, motion = placed.body, placed.body.motion
    mass = {"static": 0.0, "kinematic": KINEMATIC_MASS}.get(motion, body.mass)
    centre: Vector3 = body.centre_of_mass
    moments, turn = body.mass_properties.principal()
    if motion != "dynamic":
        # Forces do not move it: where its mass is makes no difference.
        centre, turn = NOWHERE, UNTURNED
    # Here the pose is that of B; every later call takes and gives that of the principal axes.
    number: int = pybullet.createMultiBody(
        baseMass=mass,
        baseCollisionShapeIndex=make_shape(body.shapes, client),
        baseVisualShapeIndex=visual,
        basePosition=placed.position,
        baseOrientation=placed.orientation,
        baseInertialFramePosition=centre,
        baseInertialFrameOrientation=turn,
        physicsClientId=client,
        **links,
    )
    _set_mass(number, body, mass, moments, client)
    return number, centre, turn


def make_driven(body: RigidBody, shape: int, *, visual: int, client: int) -> int:
    """Makes a body that moves as others say; like kinematic ones it meets none of its own kind.

    Args:
        body: what it is.
        shape: PyBullet's number of its shape.
        visual: that of a visual shape.
        client: PyBullet's.
    """
    number: int = pybullet.createMultiBody(
        baseMass=KINEMATIC_MASS,
        baseCollisionShapeIndex=shape,
        baseVisualShapeIndex=visual,
        physicsClientId=client,
    )
    _set_mass(number, body, KINEMATIC_MASS, body.mass_properties.principal()[0], client)
    filter_as_static(number, BASE, client)
    return number


def _set_mass(
    number: int, body: RigidBody, mass: float, moments: Sequence[float], client: int
) -> None:
    scaled = [mass / body.mass * each for each in moments]
    set_dynamics(number, BASE, body, client=client, mass=mass, localInertiaDiagonal=scaled)


def set_dynamics(
    multibody: int, link: int, body: RigidBody, *, client: int, **others: object
) -> None:
    """Gives a link the properties of its body, and `others` as PyBullet names them."""
    # Damping is 0.04 by default and not linear: free fall would end at 15 m/s.
    pybullet.changeDynamics(
        multibody,
        link,
        lateralFriction=body.friction,
        restitution=body.restitution,
        linearDamping=0.0,
        angularDamping=0.0,
        maxJointVelocity=TOP_SPEED,
        collisionMargin=margin_of(body.shapes),
        activationState=pybullet.ACTIVATION_STATE_DISABLE_SLEEPING,
        physicsClientId=client,
        **others,
    )


def set_loads(
    multibody: int, link: int, body: RigidBody, masses: Floats, arms: Floats, *, client: int
) -> None:
    """Makes a link as heavy, and as hard to turn, as its body with loads is.

    Args:
        multibody: PyBullet's number.
        link: the one that bears the mass.
        body: without loads.
        masses: (k,) kg.
        arms: (k, 3) m in B from the centre of mass.
        client: PyBullet's.
    """
    moments, turn = body.mass_properties.principal()
    axes = np.empty((3, 3))
    rotation_matrix(np.array(turn), axes)
    in_principal = (arms[:, :, None] * axes).sum(axis=1)
    square = (arms * arms).sum(axis=1)[:, None] - in_principal * in_principal
    inertia = np.array(moments) + (masses[:, None] * square).sum(axis=0)
    pybullet.changeDynamics(
        multibody,
        link,
        mass=body.mass + float(masses.sum()),
        localInertiaDiagonal=inertia.tolist(),
        physicsClientId=client,
    )
