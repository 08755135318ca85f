"""From an actuator's commands to each wheel's steering angle, motor torque and brake torque."""

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.vehicle.body.body_motion import BodyMotion
from autosim.vehicle.body.body_state import BodyParameters
from autosim.vehicle.commands.drive_controls import (
    ANGLE,
    THROTTLE,
    ControlState,
    DriveControls,
    esc_brake_torque,
    rear_wheel_angle,
    turn_steering,
    update_abs,
    update_esc,
)
from autosim.vehicle.wheels.ackermann import wheel_angle
from autosim.vehicle.wheels.wheel_arrays import SPEED, STEERING, WheelParameters, WheelState

BASE_SPEED = 12.0
"""Speed [m/s] of the rim up to which a motor gives its full force, and from which on its full
power, as an electric drive does."""

TOP_SPEED = 100.0
"""Speed [m/s] of the rim at which the motor is cut off, so that a wheel in the air has a limit."""


@jitable
def command_wheels(
    wheels: WheelParameters,
    controls: DriveControls,
    commands: Floats,
    surface_friction: Floats,
    gravity: float,
    parameters: BodyParameters,
    motion: BodyMotion,
    control_state: ControlState,
    state: WheelState,
    torques: Floats,
    step_seconds: float,
) -> None:
    """Applies the commands to all wheels.

    Args:
        wheels: the wheels.
        controls: of the actuators.
        commands: (n_actuators, 5) steering [rad], acceleration in [-1, 1], brake and hand brake in
            [0, 1], gear (forward from 0.5 up, reverse from -0.5 down, else neutral; the gear itself
            of a manual gearbox); values beyond the bounds are clipped, nan counts as zero.
        surface_friction: (n,) of the surface under each wheel, a factor on the tyre's own.
        gravity: [m/s^2].
        parameters: the bodies.
        motion: of the bodies, after `begin_motion`.
        control_state: brought to the end of the step.
        state: the angular velocity is read, the steering angle written.
        torques: (n, 2) N m, written: that of the motor force, and the greatest of the brake.
        step_seconds: length of the step [s].
    """
    for i in range(controls.body.size):
        wanted = bounded(commands[i, 0], -controls.maximum[i], controls.maximum[i])
        turn_steering(controls, i, wanted, control_state, step_seconds)
        if controls.has_esc[i] > 0.0:
            grip = gravity * _friction_of(wheels, i, surface_friction)
            update_esc(
                controls,
                i,
                grip,
                wheels,
                parameters,
                motion,
                state,
                control_state,
                step_seconds,
            )
    update_abs(controls, wheels, state, control_state, step_seconds)
    # Out of the loop: each look at a field counts a reference.
    output, angles = state.output, control_state.steering
    for i in range(wheels.body.size):
        actuator = wheels.actuator[i]
        leader = controls.leader[actuator]
        if wheels.is_steering[i] > 0.0:
            angle, side = angles[actuator, ANGLE], wheels.steering_side[i]
            if controls.has_rear[actuator] > 0.0:
                speed, ahead = motion.velocity[wheels.body[i], 0], controls.is_ahead[i]
                angle = rear_wheel_angle(controls, actuator, angle, speed, side, ahead)
            else:
                arm, base = wheels.steering_arm[i], wheels.steering_base[i]
                angle = wheel_angle(angle, arm, base, side)
            output[i, STEERING] = angle
        push = direction(commands[actuator, 4]) * bounded(commands[actuator, 1], -1.0, 1.0)
        force = push * angles[actuator, THROTTLE] * wheels.drive_force[i]
        torques[i, 0] = drive_torque(force, wheels.radius[i], output[i, SPEED])
        share = bounded(commands[actuator, 2], 0.0, 1.0)
        brake = max(share, bounded(commands[leader, 2], 0.0, 1.0)) * wheels.brake_force[i]
        hand = bounded(commands[actuator, 3], 0.0, 1.0) * wheels.hand_brake_force[i]
        if controls.has_abs[actuator] == 0.0 and controls.has_esc[actuator] == 0.0:
            torques[i, 1] = (brake + hand) * wheels.radius[i]
            continue
        foot = esc_brake_torque(
            wheels, controls, motion, control_state, i, brake * wheels.radius[i]
        )
        torques[i, 1] = foot * control_state.share[i, 0] + hand * wheels.radius[i]


@jitable
def _friction_of(wheels: WheelParameters, actuator: int, surface_friction: Floats) -> float:
    """Mean friction of the tyres of an actuator where they are."""
    total, count = 0.0, 0
    for i in range(wheels.body.size):
        if wheels.actuator[i] == actuator:
            total += wheels.friction[i] * surface_friction[i]
            count += 1
    return total / max(count, 1)


@jitable
def direction(gear: float) -> float:
    """Direction in which a gear turns the wheels: 1 forwards, -1 backwards, 0 in neutral or nan."""
    if gear >= 0.5:
        return 1.0
    return -1.0 if gear <= -0.5 else 0.0


@jitable
def bounded(value: float, low: float, high: float) -> float:
    """`value` clipped to low..high, an interval around zero; zero for nan."""
    if value != value:
        return 0.0
    return min(max(value, low), high)


@jitable
def drive_torque(force: float, radius: float, speed: float) -> float:
    """Torque [N m] of a motor made for `force` [N] at the rim of a wheel of `radius` [m].

    At `speed` [rad/s]: constant force, then constant power, then none.
    """
    rim = radius * abs(speed)
    if rim > TOP_SPEED and force * speed > 0.0:
        return 0.0
    return force * radius * min(1.0, BASE_SPEED / max(rim, BASE_SPEED))
