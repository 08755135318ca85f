"""The rays of wheels, and the contact points that follow from their hits."""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats
from autosim.jit import compilable
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.traversal import NOTHING, nearest, normal_at
from autosim.simulation.frames import plus, read, times, to_body, to_world, write
from autosim.vehicle.bodies import BodyParameters, BodyState
from autosim.vehicle.grip import Grip, friction_of
from autosim.vehicle.motion import BodyMotion
from autosim.vehicle.wheels import LENGTH, WheelParameters, WheelState


class Contacts(NamedTuple):
    """The hits of the rays of n wheels, float64, written every step.

    fractions: (n,) of each ray's length at which it met something, 1 where it met nothing; normals:
    (n, 3) unit normals in W there; friction: (n,) factor on each tyre's friction there.
    """

    fractions: Floats
    normals: Floats
    friction: Floats

    @classmethod
    def none(cls, count: int) -> "Contacts":
        """Of wheels that have not met anything yet."""
        return cls(np.ones(count), np.zeros((count, 3)), np.ones(count))


@compilable
def cast_wheels(
    wheels: WheelParameters,
    bodies: BodyState,
    motion: BodyMotion,
    hierarchy: Hierarchy,
    grip: Grip,
    contacts: Contacts,
) -> int:
    """Finds the surfaces under all wheels.

    A ray runs down the body's z axis to the lowest point that the tyre reaches. It begins a
    radius above the suspension's upper end, so that a wheel pressed through its whole travel
    still finds the ground.

    Returns:
        A link of the hierarchy that has to grow first, `NOTHING` if there is none.
    """
    for i in range(wheels.body.size):
        body = wheels.body[i]
        R, w = motion.rotation[body], wheels.position[i]
        top = (w[0], w[1], w[2] + wheels.radius[i])
        origin = plus(read(bodies.positions[body]), to_world(R, top))
        way = to_world(R, (0.0, 0.0, -wheels.rest_length[i] - 2.0 * wheels.radius[i]))
        fraction, hit = nearest(hierarchy, origin, way, 1.0)
        if hit < NOTHING:
            return NOTHING - 1 - hit
        contacts.fractions[i] = fraction
        contacts.friction[i] = grip.asphalt
        if hit != NOTHING:
            contacts.friction[i] = friction_of(grip, hierarchy.numbers[hit])
            write(normal_at(hierarchy.corners, hit, way), contacts.normals[i])
    return NOTHING


@compilable
def find_contacts(
    wheels: WheelParameters,
    parameters: BodyParameters,
    motion: BodyMotion,
    contacts: Contacts,
    state: WheelState,
) -> None:
    """Turns the hits of the wheel rays into contact points, normals and suspension lengths.

    Args:
        wheels: the wheels.
        parameters: the bodies.
        motion: of the bodies, after `begin_motion`.
        contacts: of the wheels.
        state: `normal`, `arm`, `compression` and the output's length are written.
    """
    fractions, normals = contacts.fractions, contacts.normals
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
