"""Wheel rays: where they are cast, and what their hits say of the wheels' contact points."""

from autosim.arrays import Floats
from autosim.simulation.jit import compilable
from autosim.vehicle.bodies import BodyParameters, BodyState
from autosim.simulation.frames import plus, read, times, to_body, to_world, write
from autosim.vehicle.motion import BodyMotion
from autosim.vehicle.wheels import LENGTH, WheelParameters, WheelState


@compilable
def wheel_rays(
    wheels: WheelParameters, bodies: BodyState, motion: BodyMotion, origins: Floats, ends: Floats
) -> None:
    """Writes the rays of all wheels into origins, ends (n, 3) m in W.

    A ray runs down the body's z axis to the lowest point that the tyre reaches. It begins a
    radius above the suspension's upper end, so that a wheel pressed through its whole travel
    still finds the ground.
    """
    for i in range(wheels.body.size):
        body = wheels.body[i]
        R, p, w = motion.rotation[body], read(bodies.positions[body]), wheels.position[i]
        top = w[2] + wheels.radius[i]
        bottom = w[2] - wheels.rest_length[i] - wheels.radius[i]
        write(plus(p, to_world(R, (w[0], w[1], top))), origins[i])
        write(plus(p, to_world(R, (w[0], w[1], bottom))), ends[i])


@compilable
def find_contacts(
    wheels: WheelParameters,
    parameters: BodyParameters,
    motion: BodyMotion,
    fractions: Floats,
    normals: Floats,
    state: WheelState,
) -> None:
    """Turns the hits of the wheel rays into contact points, normals and suspension lengths.

    Args:
        wheels: the wheels.
        parameters: the bodies.
        motion: of the bodies, after `begin_motion`.
        fractions: (n,) of each ray's length at which it hit, 1 or more where it hit nothing.
        normals: (n, 3) unit normals in W of what it hit.
        state: `normal`, `arm`, `compression` and the output's length are written.
    """
    for i in range(wheels.body.size):
        rest, radius = wheels.rest_length[i], wheels.radius[i]
        if not fractions[i] < 1.0:
            write((0.0, 0.0, 0.0), state.normal[i])
            state.compression[i] = 0.0
            state.output[i, LENGTH] = rest
            continue
        body = wheels.body[i]
        c = parameters.centre_of_mass[body]
        distance = fractions[i] * (rest + 2.0 * radius) - radius
        n = to_body(motion.rotation[body], read(normals[i]))
        # A surface seen from behind carries a wheel as well as one seen from its front.
        write(times(1.0 if n[2] >= 0.0 else -1.0, n), state.normal[i])
        w = wheels.position[i]
        write((w[0] - c[0], w[1] - c[1], w[2] - distance - c[2]), state.arm[i])
        state.compression[i] = rest + radius - distance
        state.output[i, LENGTH] = distance - radius
