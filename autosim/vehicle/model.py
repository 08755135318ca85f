"""The step of the vehicle model: all wheels of all bodies, in two compiled calls."""

from autosim.arrays import Floats
from autosim.simulation.jit import compiled
from autosim.vehicle.bodies import BodyParameters, BodyState
from autosim.vehicle.contacts import find_contacts, wheel_rays
from autosim.vehicle.drive import command_wheels
from autosim.vehicle.motion import BodyMotion, add_drag, begin_motion, end_motion
from autosim.vehicle.suspension import solve_suspension
from autosim.vehicle.tyres import roll_wheels
from autosim.vehicle.wheels import WheelParameters, WheelState


@compiled
def prepare_rays(
    wheels: WheelParameters,
    parameters: BodyParameters,
    bodies: BodyState,
    gravity: float,
    motion: BodyMotion,
    origins: Floats,
    ends: Floats,
) -> None:
    """First half: the bodies in their own axes, and the rays to cast, (n, 3) m in W."""
    begin_motion(parameters, bodies, gravity, motion)
    wheel_rays(wheels, bodies, motion, origins, ends)


@compiled
def wheel_forces(
    wheels: WheelParameters,
    parameters: BodyParameters,
    commands: Floats,
    fractions: Floats,
    normals: Floats,
    surface_friction: Floats,
    step_seconds: float,
    motion: BodyMotion,
    state: WheelState,
    torques: Floats,
    body_forces: Floats,
    body_torques: Floats,
) -> None:
    """Second half: from the rays' hits and the commands to one force and torque per body.

    Args:
        wheels: (n_wheels), parameters: (n_bodies).
        parameters: the bodies.
        commands: (n_actuators, 3), see `drive.command_wheels`.
        fractions: (n_wheels,), normals: (n_wheels, 3) in W, see `contacts.find_contacts`.
        normals: see there.
        surface_friction: (n_wheels,) factor on each tyre's friction.
        step_seconds: length of the step [s].
        motion: as `prepare_rays` left it.
        state: of the wheels, brought to the end of the step.
        torques: (n_wheels, 2) scratch.
        body_forces: (n_bodies, 3) N in W, written.
        body_torques: (n_bodies, 3) N m about the centre of mass in W, written.
    """
    find_contacts(wheels, parameters, motion, fractions, normals, state)
    command_wheels(wheels, commands, state, torques)
    solve_suspension(wheels, parameters, motion, state, step_seconds)
    roll_wheels(wheels, torques, surface_friction, motion, state, step_seconds)
    add_drag(parameters, motion, step_seconds)
    end_motion(motion, body_forces, body_torques)
