"""The bodies as the vehicle model sees them: motion of the centre of mass, in body axes."""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats
from autosim.jit import compiled, jitable
from autosim.model.vector_kernels import (
    cross,
    read_vector,
    rotation_matrix,
    to_body,
    to_world,
    vec_add,
    vec_sub,
    write_vector,
)
from autosim.vehicle.body.body_state import BodyParameters, BodyState


class BodyMotion(NamedTuple):
    """Scratch of n bodies in B about the centre of mass, each float64, written every step.

    rotation: (n, 3, 3) R_WB; velocity: (n, 3) m/s of the centre of mass; angular_velocity:
    (n, 3) rad/s; free_velocity: (n, 6) m/s, rad/s, as it would be at the end of the step without
    the struts; gravity: (n, 3) m/s^2; force, torque: (n, 3) N, N m, of struts and air;
    tyre_force, tyre_torque: (n, 3) N, N m, which the next step predicts with.
    """

    rotation: Floats
    velocity: Floats
    angular_velocity: Floats
    free_velocity: Floats
    gravity: Floats
    force: Floats
    torque: Floats
    tyre_force: Floats
    tyre_torque: Floats

    @classmethod
    def zeros(cls, count: int) -> "BodyMotion":
        """Scratch for `count` bodies."""
        widths = (3, 3, 6, 3, 3, 3, 3, 3)
        return cls(np.zeros((count, 3, 3)), *(np.zeros((count, width)) for width in widths))


@jitable
def begin_motion(
    parameters: BodyParameters, bodies: BodyState, gravity: float, motion: BodyMotion
) -> None:
    """Brings the bodies' state into body axes and clears the sums of force and torque.

    `gravity` [m/s^2] points down in W.
    """
    for i in parameters.moved:
        R = motion.rotation[i]
        rotation_matrix(bodies.orientations[i], R)
        turning = to_body(R, read_vector(bodies.angular_velocities[i]))
        moving = to_body(R, read_vector(bodies.velocities[i]))
        around = cross(turning, read_vector(parameters.centre_of_mass[i]))
        write_vector(vec_add(moving, around), motion.velocity[i])
        write_vector(turning, motion.angular_velocity[i])
        write_vector(to_body(R, (0.0, 0.0, -gravity)), motion.gravity[i])
        write_vector((0.0, 0.0, 0.0), motion.force[i])
        write_vector((0.0, 0.0, 0.0), motion.torque[i])


@jitable
def add_drag(parameters: BodyParameters, motion: BodyMotion, step_seconds: float) -> None:
    """Adds the air's resistance at the centre of mass, along each axis of B by itself.

    0.5 rho c A v |v|, taken at the end of the step as far as the drag itself slows the body:
    it can never turn a body round, however light it is.
    """
    for i in parameters.moved:
        for k in range(3):
            rate = parameters.drag[i, k] * abs(motion.velocity[i, k])
            implicit = 1.0 + step_seconds * rate / parameters.mass[i]
            motion.force[i, k] -= rate * motion.velocity[i, k] / implicit


@jitable
def end_motion(
    parameters: BodyParameters, motion: BodyMotion, forces: Floats, torques: Floats
) -> None:
    """Writes the sums into (n, 3) forces [N] and torques [N m] about the COM, in W."""
    forces[...] = 0.0
    torques[...] = 0.0
    for i in parameters.moved:
        R = motion.rotation[i]
        force = vec_add(read_vector(motion.force[i]), read_vector(motion.tyre_force[i]))
        torque = vec_add(read_vector(motion.torque[i]), read_vector(motion.tyre_torque[i]))
        write_vector(to_world(R, force), forces[i])
        write_vector(to_world(R, torque), torques[i])


@compiled
def read_shape_centres(
    rows: Floats,
    centres: Floats,
    positions: Floats,
    orientations: Floats,
    velocities: Floats,
    angular_velocities: Floats,
) -> None:
    """Turns poses and velocities of centres of mass into those of shape centres.

    Args:
        rows: (n, 13) of the centres of mass: position [m] in W, quaternion (x, y, z, w) of R_WB,
            velocity [m/s] and angular velocity [rad/s] in W.
        centres: (n, 3) m in B, the centres of mass from the shapes' centres.
        positions: (n, 3) m in W, written, as all that follow.
        orientations: (n, 4) quaternions of R_WB.
        velocities: (n, 3) m/s in W.
        angular_velocities: (n, 3) rad/s in W.
    """
    R = np.empty((3, 3))
    for i in range(len(centres)):
        for k in range(4):
            orientations[i, k] = rows[i, 3 + k]
        rotation_matrix(orientations[i], R)
        arm = to_world(R, read_vector(centres[i]))
        turning = read_vector(rows[i, 10:])
        write_vector(vec_sub(read_vector(rows[i]), arm), positions[i])
        write_vector(vec_sub(read_vector(rows[i, 7:]), cross(turning, arm)), velocities[i])
        write_vector(turning, angular_velocities[i])
