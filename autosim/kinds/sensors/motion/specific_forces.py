"""Specific forces: what accelerometers feel at their places on moving bodies.

A body at rest, or on its way at a steady speed, is felt as g upwards; one that falls freely as 0.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Vector3
from autosim.jit import compiled_without_refcounts
from autosim.kinds.banks import BankContext, MountedDevice, body_indices, memory_of, vectors
from autosim.model.bodies import BodyStates
from autosim.model.vector_kernels import (
    cross,
    read_vector,
    to_body,
    to_world,
    vec_add,
    vec_scale,
    vec_sub,
    write_vector,
)


class PositionedDevice(Protocol):
    """A device at a place of its body."""

    @property
    def position(self) -> Vector3:
        """Its place [m] in B."""


class SpecificForces:
    """Proper acceleration at the `position` [m] in B of each of `devices`.

    `memory` holds the velocity of each place a step ago.
    """

    def __init__(
        self, devices: Sequence[MountedDevice[PositionedDevice]], context: BankContext
    ) -> None:
        self._body = body_indices(devices)
        self._position = vectors([mounted.device.position for mounted in devices])
        self._gravity, self._step_seconds = context.gravity, context.step_seconds
        self._forces = np.zeros((len(devices), 3))
        self.memory = memory_of(devices, width=3)

    def measure(self, bodies: BodyStates) -> Floats:
        """The forces (n, 3) [m/s²] in B of the step that has ended: the same array each time."""
        _feel(
            bodies.rotations,
            bodies.velocities,
            bodies.angular_velocities,
            self._body,
            self._position,
            self._gravity,
            self._step_seconds,
            self.memory.rows,
            self._forces,
        )
        return self._forces


@compiled_without_refcounts
def _feel(
    rotations: Floats,
    velocities: Floats,
    angular_velocities: Floats,
    body: Integers,
    position: Floats,
    gravity: float,
    seconds: float,
    before: Floats,
    forces: Floats,
) -> None:
    """Writes proper accelerations into `forces` (n, 3) [m/s²] in B and updates `before`.

    The velocities of the points at both ends of a step give the acceleration of the body and the
    centripetal and tangential parts due to its rotation. The mean over a step is
    given in the axes at its end, along which the physics has moved the body: integrating it, after
    rotation by the angular velocity of the same step, yields the velocity without an error.

    Args:
        rotations: R_WB (bodies, 3, 3).
        velocities: (bodies, 3) m/s in W.
        angular_velocities: (bodies, 3) rad/s in W.
        body: (n,) which one carries each sensor.
        position: (n, 3) m in B, where on it.
        gravity: m/s².
        seconds: length of the step.
        before: (n, 3) m/s in W, velocities of the places a step ago; NaN where there was no step:
            they have then not changed.
        forces: (n, 3) to write into.
    """
    for i in range(body.size):
        k = body[i]
        arm = to_world(rotations[k], read_vector(position[i]))
        velocity = vec_add(
            read_vector(velocities[k]), cross(read_vector(angular_velocities[k]), arm)
        )
        force = (0.0, 0.0, gravity)
        if not np.isnan(before[i, 0]):
            force = vec_add(
                force, vec_scale(1.0 / seconds, vec_sub(velocity, read_vector(before[i])))
            )
        write_vector(velocity, before[i])
        write_vector(to_body(rotations[k], force), forces[i])
