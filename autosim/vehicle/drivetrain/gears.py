"""Torque of engines and motors in each gear, and the choice of the gear.

The clutch has no state: it is closed where the wheels turn the engine faster than idle, and slips
where they do not, while the engine idles and passes its torque on. So no speed difference has to
be solved stiffly, and a car starts, creeps up a slope and stops as with a driver who slips the
clutch well.
"""

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.vehicle.commands.drive_controls import THROTTLE, ControlState
from autosim.vehicle.commands.wheel_commands import bounded, direction
from autosim.vehicle.drivetrain.drivetrains import (
    DRIVE_INERTIA,
    DRIVE_SPEED,
    DRIVE_TORQUE,
    ELECTRIC,
    FORCE,
    GEAR,
    MOTOR_SPEED,
    MOTOR_TORQUE,
    SHIFTING,
    Drivetrains,
    DrivetrainState,
)
from autosim.vehicle.wheels.wheel_arrays import SPEED, WheelState

ROOM = 1.2
"""Ratio of the motor speeds between which an automatic gearbox stays in a gear at least."""

KICK_DOWN = 0.9
"""Share of the throttle from which an automatic gearbox shifts down to accelerate."""


@jitable
def run_motors(
    drivetrains: Drivetrains,
    commands: Floats,
    wheels: WheelState,
    controls: ControlState,
    state: DrivetrainState,
    step_seconds: float,
) -> None:
    """Finds the gear of each drivetrain, and what its motor does to the wheels.

    Args:
        drivetrains: (a,) of the actuators.
        commands: (a, 5) see `wheel_commands.command_wheels`.
        wheels: their angular velocities are read.
        controls: how much of the throttle ESC leaves.
        state: `rows` are written.
        step_seconds: length of the step [s].
    """
    for i in range(drivetrains.source.size):
        if drivetrains.source[i] == FORCE:
            continue
        row = state.rows[i]
        row[DRIVE_SPEED] = 0.0
        for k in range(drivetrains.wheel_start[i], drivetrains.wheel_start[i + 1]):
            wheel = drivetrains.order[k]
            row[DRIVE_SPEED] += drivetrains.share[wheel] * wheels.output[wheel, SPEED]
        throttle = _choose_gear(drivetrains, i, commands[i], row, step_seconds)
        throttle *= controls.steering[i, THROTTLE]
        row[DRIVE_TORQUE] = row[DRIVE_INERTIA] = row[MOTOR_TORQUE] = 0.0
        ratio = ratio_of(drivetrains, i, row[GEAR])
        if ratio == 0.0 or row[SHIFTING] > 0.0:
            row[MOTOR_SPEED] = max(drivetrains.idle[i], min(row[MOTOR_SPEED], drivetrains.top[i]))
            continue
        speed = ratio * row[DRIVE_SPEED]
        is_closed = drivetrains.source[i] == ELECTRIC or speed > drivetrains.idle[i]
        row[MOTOR_SPEED] = speed if is_closed else drivetrains.idle[i]
        torque = motor_torque(drivetrains, i, row[MOTOR_SPEED], throttle)
        row[MOTOR_TORQUE] = torque
        efficiency = drivetrains.efficiency[i]
        is_driving = torque * speed >= 0.0
        row[DRIVE_TORQUE] = ratio * torque * (efficiency if is_driving else 1.0 / efficiency)
        if is_closed:
            row[DRIVE_INERTIA] = drivetrains.inertia[i] * ratio * ratio


@jitable
def ratio_of(drivetrains: Drivetrains, i: int, gear: float) -> float:
    """Motor speed over wheel speed in a gear: negative in reverse, 0 in neutral."""
    if gear == 0.0:
        return 0.0
    if gear < 0.0:
        return -float(drivetrains.reverse[i])
    return float(drivetrains.ratio[drivetrains.gear_start[i] + int(gear) - 1])


@jitable
def motor_torque(drivetrains: Drivetrains, i: int, speed: float, throttle: float) -> float:
    """Torque [N m] of engine or motor at `speed` [rad/s]; `throttle` -1 to 1, of engines from 0."""
    top = float(drivetrains.top[i])
    if drivetrains.source[i] == ELECTRIC:
        if abs(speed) > top and speed * throttle > 0.0:
            return 0.0
        full = float(drivetrains.peak_power[i]) / max(abs(speed), 1e-9)
        return throttle * min(float(drivetrains.peak_torque[i]), full)
    idle = float(drivetrains.idle[i])
    drag = float(drivetrains.braking[i]) * (speed - idle) / (top - idle)
    if speed > top:
        return -drag
    return throttle * full_torque(drivetrains, i, speed) - (1.0 - throttle) * drag


@jitable
def full_torque(drivetrains: Drivetrains, i: int, speed: float) -> float:
    """Torque [N m] of an engine at full throttle, by its curve."""
    first, last = drivetrains.curve_start[i], drivetrains.curve_start[i + 1] - 1
    speeds, torques = drivetrains.curve_speed, drivetrains.curve_torque
    if speed <= speeds[first]:
        return float(torques[first])
    for k in range(first, last):
        if speed < speeds[k + 1]:
            share = (speed - speeds[k]) / (speeds[k + 1] - speeds[k])
            return float(torques[k] + share * (torques[k + 1] - torques[k]))
    return float(torques[last])


@jitable
def _choose_gear(
    drivetrains: Drivetrains, i: int, command: Floats, row: Floats, dt: float
) -> float:
    """Writes the gear and the time until it is in; returns the throttle, -1 to 1."""
    push, gear = bounded(command[1], -1.0, 1.0), row[GEAR]
    row[SHIFTING] = max(row[SHIFTING] - dt, 0.0)
    highest = drivetrains.gear_start[i + 1] - drivetrains.gear_start[i]
    if drivetrains.is_automatic[i] == 0.0:
        wanted = float(round(min(max(bounded(command[4], -1.0, 1e3), -1.0), float(highest))))
        if wanted != gear:
            row[GEAR], row[SHIFTING] = wanted, drivetrains.shift_seconds[i]
        return push if drivetrains.source[i] == ELECTRIC else max(push, 0.0)
    way = direction(command[4])
    if drivetrains.source[i] == ELECTRIC:
        # It turns either way in each gear.
        row[GEAR] = max(gear, 1.0) if way != 0.0 else 0.0
        _shift(drivetrains, i, row, highest, abs(push))
        return way * push
    if push < 0.0:
        # As without a gearbox, a negative acceleration drives the other way; but an engine is
        # turned round only where the wheels stand.
        slow = abs(row[DRIVE_SPEED]) * drivetrains.ratio[drivetrains.gear_start[i]]
        turns = slow < drivetrains.idle[i] or gear * way < 0.0
        way, push = (-way, -push) if turns else (way, 0.0)
    if way > 0.0:
        row[GEAR] = max(gear, 1.0)
        _shift(drivetrains, i, row, highest, abs(push))
    else:
        row[GEAR] = -1.0 if way < 0.0 else 0.0
    return push


@jitable
def _shift(drivetrains: Drivetrains, i: int, row: Floats, highest: int, throttle: float) -> None:
    """Shifts an automatic gearbox by one gear where its motor turns too fast or too slow.

    With less throttle it shifts up sooner, but never so soon that it would shift down again, and
    not while the car rolls out; with nearly all it shifts down where there is room for it.
    """
    gear = row[GEAR]
    if gear <= 0.0 or row[SHIFTING] > 0.0:
        return
    ratio, down = ratio_of(drivetrains, i, gear), drivetrains.shift_down[i]
    speed = abs(ratio * row[DRIVE_SPEED])
    if gear < highest:
        step = ratio / ratio_of(drivetrains, i, gear + 1.0)
        latest = drivetrains.shift_up[i]
        soonest = min(ROOM * step * down, latest) if throttle > 0.0 else latest
        if speed > soonest + throttle * (latest - soonest):
            row[GEAR], row[SHIFTING] = gear + 1.0, drivetrains.shift_seconds[i]
            return
    if gear > 1.0:
        step = ratio_of(drivetrains, i, gear - 1.0) / ratio
        has_room = throttle > KICK_DOWN and ROOM * step * speed < drivetrains.shift_up[i]
        if speed < down or has_room:
            row[GEAR], row[SHIFTING] = gear - 1.0, drivetrains.shift_seconds[i]
