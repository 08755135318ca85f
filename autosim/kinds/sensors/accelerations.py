"""Specific forces: what accelerometers feel at their places on moving bodies.

A body at rest, or on its way at a steady speed, is felt as g upwards; one that falls freely as 0.
"""

from autosim.arrays import Floats, Integers
from autosim.jit import compilable, compiled
from autosim.simulation.frames import Triple, cross, minus, plus, read, times, to_body, to_world


@compilable
def _specific_force(
    R: Floats, velocity: Triple, before: Triple, turning: Triple, gravity: float, seconds: float
) -> Triple:
    """The mean [m/s²] over the step that has ended, in the axes of the body in the middle of it.

    Args:
        R: (3, 3) R_WB, at the end of the step.
        velocity: of the place [m/s] in W.
        before: the same, a step ago; NaN where there was none: it then has not changed.
        turning: angular velocity of the body [rad/s] in W.
        gravity: [m/s²].
        seconds: length of the step.
    """
    force = (0.0, 0.0, gravity)
    if before[0] == before[0]:
        force = plus(force, times(1.0 / seconds, minus(velocity, before)))
    # The axes have turned by half of what they turn in a step; so far, sines are their angles.
    force = plus(force, times(0.5 * seconds, cross(turning, force)))
    return to_body(R, force)


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
    those that come of its turning: towards the axis, and along the turn.

    Args:
        rotations: R_WB (bodies, 3, 3).
        velocities: (bodies, 3) m/s in W.
        angular_velocities: (bodies, 3) rad/s in W.
        body: (n,) which one carries each sensor.
        position: (n, 3) m in B, where on it.
        gravity: m/s².
        seconds: length of the step.
        before: (n, 3) m/s in W, velocities of the places a step ago; NaN where there was no step.
        forces: (n, 3) to write into; its rows may stand apart.
    """
    for i in range(body.size):
        k = body[i]
        turning = read(angular_velocities[k])
        arm = to_world(rotations[k], read(position[i]))
        velocity = plus(read(velocities[k]), cross(turning, arm))
        force = _specific_force(rotations[k], velocity, read(before[i]), turning, gravity, seconds)
        for axis in range(3):
            before[i, axis], forces[i, axis] = velocity[axis], force[axis]
