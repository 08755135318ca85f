"""The step of the vehicle model: all wheels of all bodies, in one compiled call."""

from autosim.arrays import Floats
from autosim.jit import compiled_without_refcounts
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.traversal import NOTHING
from autosim.vehicle.body.body_motion import BodyMotion, add_drag, begin_motion, end_motion
from autosim.vehicle.body.body_state import BodyParameters, BodyState
from autosim.vehicle.commands.drive_controls import ControlState, DriveControls
from autosim.vehicle.commands.wheel_commands import command_wheels
from autosim.vehicle.contact.grip import Grip
from autosim.vehicle.contact.wheel_contacts import WheelContacts, find_wheel_contacts
from autosim.vehicle.drivetrain.drivetrains import Drivetrains, DrivetrainState
from autosim.vehicle.drivetrain.gears import run_motors
from autosim.vehicle.rolling.wheel_rolling import roll_wheels
from autosim.vehicle.wheels.deflation import deflate
from autosim.vehicle.wheels.suspension import solve_suspension
from autosim.vehicle.wheels.wheel_arrays import WheelParameters, WheelState


@compiled_without_refcounts
def wheel_forces(
    wheels: WheelParameters,
    parameters: BodyParameters,
    bodies: BodyState,
    drivetrains: Drivetrains,
    controls: DriveControls,
    commands: Floats,
    hierarchy: Hierarchy,
    grip: Grip,
    gravity: float,
    step_seconds: float,
    motion: BodyMotion,
    contacts: WheelContacts,
    state: WheelState,
    drivetrain_state: DrivetrainState,
    control_state: ControlState,
    torques: Floats,
    body_forces: Floats,
    body_torques: Floats,
) -> int:
    """From the bodies' motion and the commands to one force and one torque per body.

    Args:
        wheels: (n_wheels), parameters: (n_bodies).
        parameters: the bodies.
        bodies: (n_bodies), how they move.
        drivetrains: (n_actuators).
        controls: (n_actuators).
        commands: (n_actuators, 5), see `wheel_commands.command_wheels`.
        hierarchy: what wheels may stand on.
        grip: how well it holds them.
        gravity: [m/s^2], downwards.
        step_seconds: length of the step [s].
        motion: scratch, and what the last step's tyres did.
        contacts: (n_wheels), written.
        state: of the wheels, brought to the end of the step.
        drivetrain_state: brought to the end of the step.
        control_state: brought to the end of the step.
        torques: (n_wheels, 2) scratch.
        body_forces: (n_bodies, 3) N in W, written.
        body_torques: (n_bodies, 3) N m about the centre of mass in W, written.

    Returns:
        A link of the hierarchy that has to grow before the call is made again; `NOTHING` if all
        is done.
    """
    begin_motion(parameters, bodies, gravity, motion)
    link = find_wheel_contacts(wheels, parameters, bodies, motion, hierarchy, grip, contacts, state)
    if link != NOTHING:
        return link
    command_wheels(
        wheels,
        controls,
        commands,
        contacts.friction,
        gravity,
        parameters,
        motion,
        control_state,
        state,
        torques,
        step_seconds,
    )
    run_motors(drivetrains, commands, state, control_state, drivetrain_state, step_seconds)
    deflate(state, step_seconds)
    solve_suspension(wheels, parameters, motion, state, step_seconds)
    roll_wheels(
        wheels,
        torques,
        contacts.friction,
        drivetrains,
        drivetrain_state,
        motion,
        state,
        step_seconds,
    )
    add_drag(parameters, motion, step_seconds)
    end_motion(parameters, motion, body_forces, body_torques)
    return link
