"""The bodies as the vehicle model sees them: motion of the centre of mass, in body axes."""

from typing import NamedTuple

import numpy as np

from autosim.vehicle.bodies import BodyParameters, BodyState, Floats
from autosim.vehicle.frames import cross, rotation_matrix, to_body, to_world
from autosim.vehicle.jit import compiled


class BodyMotion(NamedTuple):
    """Scratch of n bodies in B about the centre of mass, each float64, written every step.

    rotation: (n, 3, 3) R_WB; velocity: (n, 3) m/s of the centre of mass; angular_velocity:
    (n, 3) rad/s; next_velocity, next_angular_velocity: the same, predicted for the end of the
    step; gravity: (n, 3) m/s^2; force, torque: (n, 3) N, N m, the sum so far of this step;
    tyre_force, tyre_torque: (n, 3) N, N m, of the tyres alone in the step before.
    """

    rotation: Floats
    velocity: Floats
    angular_velocity: Floats
    next_velocity: Floats
    next_angular_velocity: Floats
    gravity: Floats
    force: Floats
    torque: Floats
    tyre_force: Floats
    tyre_torque: Floats

    @classmethod
    def zeros(cls, count: int) -> "BodyMotion":
        """Scratch for `count` bodies."""
        return cls(np.zeros((count, 3, 3)), *(np.zeros((count, 3)) for _ in range(9)))


@compiled
def begin_motion(
    parameters: BodyParameters, bodies: BodyState, gravity: float, motion: BodyMotion
) -> None:
    """Brings the bodies' state into body axes and clears the sums of force and torque.

    `gravity` [m/s^2] points down in W.
    """
    for i in range(parameters.mass.size):
        R = motion.rotation[i]
        rotation_matrix(bodies.orientations[i], R)
        v, w, c = bodies.velocities[i], bodies.angular_velocities[i], parameters.centre_of_mass[i]
        wx, wy, wz = to_body(R, w[0], w[1], w[2])
        vx, vy, vz = to_body(R, v[0], v[1], v[2])
        rx, ry, rz = cross(wx, wy, wz, c[0], c[1], c[2])
        motion.velocity[i] = (vx + rx, vy + ry, vz + rz)
        motion.angular_velocity[i] = (wx, wy, wz)
        motion.gravity[i] = to_body(R, 0.0, 0.0, -gravity)
        motion.force[i] = 0.0
        motion.torque[i] = 0.0


@compiled
def add_force(motion: BodyMotion, body: int, arm: Floats, x: float, y: float, z: float) -> None:
    """Adds to the body's sums a force (x, y, z) [N] in B at `arm` (3,) m from the COM in B."""
    motion.force[body, 0] += x
    motion.force[body, 1] += y
    motion.force[body, 2] += z
    tx, ty, tz = cross(arm[0], arm[1], arm[2], x, y, z)
    motion.torque[body, 0] += tx
    motion.torque[body, 1] += ty
    motion.torque[body, 2] += tz


@compiled
def add_drag(parameters: BodyParameters, motion: BodyMotion, step_seconds: float) -> None:
    """Adds the air's resistance at the centre of mass, along each axis of B by itself.

    0.5 rho c A v |v|, taken at the end of the step as far as the drag itself slows the body:
    it can never turn a body round, however light it is.
    """
    for i in range(parameters.mass.size):
        for k in range(3):
            rate = parameters.drag[i, k] * abs(motion.velocity[i, k])
            implicit = 1.0 + step_seconds * rate / parameters.mass[i]
            motion.force[i, k] -= rate * motion.velocity[i, k] / implicit


@compiled
def end_motion(motion: BodyMotion, forces: Floats, torques: Floats) -> None:
    """Writes the sums into (n, 3) forces [N] and torques [N m] about the COM, in W."""
    for i in range(len(forces)):
        f, t = motion.force[i], motion.torque[i]
        forces[i] = to_world(motion.rotation[i], f[0], f[1], f[2])
        torques[i] = to_world(motion.rotation[i], t[0], t[1], t[2])


@compiled
def shift_to_shape_centres(
    centres: Floats,
    positions: Floats,
    orientations: Floats,
    velocities: Floats,
    angular_velocities: Floats,
) -> None:
    """Turns poses and velocities of centres of mass into those of shape centres, in place.

    Args:
        centres: (n, 3) m in B, the centres of mass from the shapes' centres.
        positions: (n, 3) m in W.
        orientations: (n, 4) quaternions of R_WB.
        velocities: (n, 3) m/s in W.
        angular_velocities: (n, 3) rad/s in W.
    """
    R = np.empty((3, 3))
    for i in range(len(centres)):
        rotation_matrix(orientations[i], R)
        x, y, z = to_world(R, centres[i, 0], centres[i, 1], centres[i, 2])
        w = angular_velocities[i]
        vx, vy, vz = cross(w[0], w[1], w[2], x, y, z)
        p, v = positions[i], velocities[i]
        positions[i] = (p[0] - x, p[1] - y, p[2] - z)
        velocities[i] = (v[0] - vx, v[1] - vy, v[2] - vz)
