"""Wheel speeds at the end of a step, coupled by differentials.

For each wheel alone the speed and the inertia are known, both implicit in the tyre's force (see
`tyres`). Couplings and brakes are implicit, too: torques with limits, found by projected
Gauss-Seidel. So a locked differential is as stable at 60 Hz as at 960, and a brake holds a wheel
without chatter.
"""

from autosim.jit import jitable
from autosim.vehicle.drivetrain.drivetrains import (
    DRIVE_INERTIA,
    DRIVE_SPEED,
    DRIVE_TORQUE,
    FORCE,
    Drivetrains,
    DrivetrainState,
)
from autosim.vehicle.wheels.wheel_arrays import BRAKE, FREE, INERTIA, SPEED, WheelState

SWEEPS, TOLERANCE = 40, 1e-7
"""Number of sweeps at most, and the relative change of a torque that ends them. With open
differentials three are enough."""

SMALLEST = 1.0
"""[N m] to which a change is compared at least, so that nothing is asked of torques near zero."""


@jitable
def turn_wheels(
    drivetrains: Drivetrains, state: DrivetrainState, wheels: WheelState, dt: float
) -> None:
    """Writes the angular velocities of all wheels at the end of the step of `dt` [s].

    Reads `rolling` of the wheels, and of the drivetrains what `gears.run_motors` wrote.
    """
    # Out of the loop: each look at a field counts a reference.
    output, rolling, order = wheels.output, wheels.rolling, drivetrains.order
    for i in range(drivetrains.source.size):
        first, last = drivetrains.wheel_start[i], drivetrains.wheel_start[i + 1]
        if drivetrains.source[i] == FORCE:
            for k in range(first, last):
                wheel = order[k]
                change = dt * rolling[wheel, BRAKE] / rolling[wheel, INERTIA]
                output[wheel, SPEED] = slow_down(rolling[wheel, FREE], change)
            continue
        for k in range(first, last):
            wheel = drivetrains.order[k]
            wheels.output[wheel, SPEED] = wheels.rolling[wheel, FREE]
            state.brakes[wheel] = 0.0
        for k in range(drivetrains.coupling_start[i], drivetrains.coupling_start[i + 1]):
            state.couplings[k] = 0.0
        torque = 0.0
        for _ in range(SWEEPS):
            before = torque
            torque = _drive(drivetrains, i, torque, state, wheels, dt)
            change = abs(torque - before) / max(abs(torque), SMALLEST)
            change = max(change, _couple(drivetrains, i, torque, state, wheels, dt))
            change = max(change, _brake(drivetrains, i, state, wheels, dt))
            if change < TOLERANCE:
                break


@jitable
def slow_down(speed: float, change: float) -> float:
    """`speed` brought `change` (not negative) nearer to zero, and no further: dry friction."""
    if abs(speed) <= change:
        return 0.0
    return speed - change if speed > 0.0 else speed + change


@jitable
def _rolling(wheels: WheelState, wheel: int) -> tuple[float, float, float]:
    row = wheels.rolling[wheel]
    return row[INERTIA], row[FREE], row[BRAKE]


@jitable
def _drive(
    drivetrains: Drivetrains,
    i: int,
    torque: float,
    state: DrivetrainState,
    wheels: WheelState,
    dt: float,
) -> float:
    """The torque [N m] on all wheels of actuator i: the motor's, less what its inertia takes."""
    row = state.rows[i]
    speed = ease = 0.0
    for k in range(drivetrains.wheel_start[i], drivetrains.wheel_start[i + 1]):
        wheel = drivetrains.order[k]
        share = drivetrains.share[wheel]
        speed += share * wheels.output[wheel, SPEED]
        ease += dt * share * share / wheels.rolling[wheel, INERTIA]
    hold = row[DRIVE_INERTIA] / dt
    free = speed - ease * torque - row[DRIVE_SPEED]
    found = float((row[DRIVE_TORQUE] - hold * free) / (1.0 + hold * ease))
    for k in range(drivetrains.wheel_start[i], drivetrains.wheel_start[i + 1]):
        wheel = drivetrains.order[k]
        push = drivetrains.share[wheel] * (found - torque)
        wheels.output[wheel, SPEED] += dt * push / wheels.rolling[wheel, INERTIA]
    return found


@jitable
def _couple(
    drivetrains: Drivetrains,
    i: int,
    torque: float,
    state: DrivetrainState,
    wheels: WheelState,
    dt: float,
) -> float:
    """One sweep over the differentials of actuator i; returns the greatest relative change."""
    change = 0.0
    for c in range(drivetrains.coupling_start[i], drivetrains.coupling_start[i + 1]):
        speed = ease = 0.0
        first, last = drivetrains.weight_start[c], drivetrains.weight_start[c + 1]
        for k in range(first, last):
            wheel, weight = drivetrains.weight_wheel[k], drivetrains.weight[k]
            speed += weight * wheels.output[wheel, SPEED]
            ease += dt * weight * weight / wheels.rolling[wheel, INERTIA]
        most = drivetrains.preload[c] + drivetrains.locking[c] * abs(torque)
        old = state.couplings[c]
        found = min(max(old - speed / ease, -most), most)
        for k in range(first, last):
            wheel = drivetrains.weight_wheel[k]
            push = drivetrains.weight[k] * (found - old)
            wheels.output[wheel, SPEED] += dt * push / wheels.rolling[wheel, INERTIA]
        state.couplings[c] = found
        change = max(change, abs(found - old) / max(abs(found), SMALLEST))
    return change


@jitable
def _brake(
    drivetrains: Drivetrains, i: int, state: DrivetrainState, wheels: WheelState, dt: float
) -> float:
    """One sweep over the brakes of actuator i; returns the greatest relative change."""
    change = 0.0
    for k in range(drivetrains.wheel_start[i], drivetrains.wheel_start[i + 1]):
        wheel = drivetrains.order[k]
        inertia, _, most = _rolling(wheels, wheel)
        old = state.brakes[wheel]
        found = min(max(old - wheels.output[wheel, SPEED] * inertia / dt, -most), most)
        wheels.output[wheel, SPEED] += dt * (found - old) / inertia
        state.brakes[wheel] = found
        change = max(change, abs(found - old) / max(abs(found), SMALLEST))
    return change
