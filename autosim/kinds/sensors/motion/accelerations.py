"""Specific forces: what accelerometers feel at their places on moving bodies.

A body at rest, or on its way at a steady speed, is felt as g upwards; one that falls freely as 0.
"""

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compiled
from autosim.simulation.frames import cross, minus, plus, read, times, to_body, to_world, write


@compiled
def specific_forces(
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
    """Writes what is felt into `forces` (n, 3) [m/s²] in B, and keeps the velocities in `before`.

    From the velocities of the places at both ends of a step follow the acceleration of the body and
    those that come of its turning: towards the axis, and along the turn. The mean over a step is
    told in the axes at its end, along which the physics has moved the body: who adds it up after
    turning by the angular velocity of the same step finds the velocity without an error.

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
        arm = to_world(rotations[k], read(position[i]))
        velocity = plus(read(velocities[k]), cross(read(angular_velocities[k]), arm))
        force = (0.0, 0.0, gravity)
        if not np.isnan(before[i, 0]):
            force = plus(force, times(1.0 / seconds, minus(velocity, read(before[i]))))
        write(velocity, before[i])
        write(to_body(rotations[k], force), forces[i])
