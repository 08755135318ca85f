"""From an actuator's commands to each wheel's steering angle, motor torque and brake torque."""

from autosim.arrays import Floats
from autosim.jit import compilable
from autosim.vehicle.steering import wheel_angle
from autosim.vehicle.wheels import SPEED, STEERING, WheelParameters, WheelState

BASE_SPEED = 12.0
"""Speed [m/s] of the rim up to which a motor gives its full force, and from which on its full
power, as an electric drive does."""

TOP_SPEED = 100.0
"""Speed [m/s] of the rim at which the motor is cut off, so that a wheel in the air has a limit."""


@compilable
def command_wheels(
    wheels: WheelParameters, commands: Floats, state: WheelState, torques: Floats
) -> None:
    """Applies the commands to all wheels.

    Args:
        wheels: the wheels.
        commands: (n_actuators, 5) steering [rad], acceleration in [-1, 1], brake and hand brake in
            [0, 1], gear (forward from 0.5 up, reverse from -0.5 down, else neutral); values beyond
            the bounds are clipped, nan counts as zero.
        state: the angular velocity is read, the steering angle written.
        torques: (n, 2) N m, written: that of the motor, and the greatest of the brake.
    """
    for i in range(wheels.body.size):
        command = commands[wheels.actuator[i]]
        maximum = wheels.maximum_steering[i]
        if wheels.is_steering[i] > 0.0:
            state.output[i, STEERING] = wheel_angle(
                bounded(command[0], -maximum, maximum),
                wheels.steering_arm[i],
                wheels.steering_base[i],
                wheels.steering_side[i],
            )
        force = direction(command[4]) * bounded(command[1], -1.0, 1.0) * wheels.drive_force[i]
        torques[i, 0] = drive_torque(force, wheels.radius[i], state.output[i, SPEED])
        brake = bounded(command[2], 0.0, 1.0) * wheels.brake_force[i]
        brake += bounded(command[3], 0.0, 1.0) * wheels.hand_brake_force[i]
        torques[i, 1] = brake * wheels.radius[i]


@compilable
def direction(gear: float) -> float:
    """Which way a gear turns the wheels: 1 forwards, -1 backwards, 0 in neutral and for nan."""
    if gear >= 0.5:
        return 1.0
    return -1.0 if gear <= -0.5 else 0.0


@compilable
def bounded(value: float, low: float, high: float) -> float:
    """`value` clipped to low..high, an interval around zero; zero for nan."""
    if value != value:
        return 0.0
    return min(max(value, low), high)


@compilable
def drive_torque(force: float, radius: float, speed: float) -> float:
    """Torque [N m] of a motor made for `force` [N] at the rim of a wheel of `radius` [m].

    At `speed` [rad/s]: constant force, then constant power, then none.
    """
    rim = radius * abs(speed)
    if rim > TOP_SPEED and force * speed > 0.0:
        return 0.0
    return force * radius * min(1.0, BASE_SPEED / max(rim, BASE_SPEED))
