"""One step of one kinematic vehicle: dead times, integration, limits and gears.

The state is integrated by the classical method of Runge and Kutta, the input held over the step, as
Autoware does; DELAY_STEER_ACC_GEARED_WO_FALL_GUARD by Euler's, since its equations have steps.
"""

from math import ceil, isfinite

from autosim.arrays import Floats, Integers
from autosim.jit import compiled_without_refcounts, inlined, jitable
from autosim.kinds.kinematic.model_parameters import COLUMN
from autosim.portable import sin_cos, tan
from autosim.vehicle.kinematic import mechanism, motion_equations
from autosim.vehicle.kinematic.motion_equations import (
    Constants,
    Input,
    State,
    constants_of,
    has_maps,
    map_input,
    state_derivative,
    stiffest_rate,
    within,
)

X, Y, YAW, VELOCITY, STEER, JERKED, YAW_RATE, SLIP, ACCELERATION, COUNT = range(10)
"""Columns of a row: the state; the acceleration [m/s²] of the vehicle, which `JERKED` is only where
a lag makes it; and how many steps it has made."""

IN_WORLD, MECHANISM = 10, 43
"""Columns at which begins what belongs to a vehicle's place in a world (see `ground`), and the
state of a mechanical steering (see `mechanism`)."""

QUEUES = MECHANISM + mechanism.SIZE
"""Column at which three rings of inputs begin, all of one length."""

DRIVEN, STEERED, BRAKED, GEAR, HELD, TURNED = range(6)
"""Columns of commands: acceleration [m/s²] or velocity [m/s], as the model takes it; steering angle
[rad]; brake; gear; whether it is held safe; and, of KS and ST, the rate [rad/s] of the steering,
NaN where an angle is wanted."""

RUN, SLOPE = range(2)
"""Columns of ways: the level share of the way along the ground, and the acceleration [m/s²] by its
slope."""

BRAKE = 3.0
"""Deceleration [m/s²] of a vehicle that is held: below that at which people fall who stand in a bus
(about 3.4 m/s², Powell and Palacín, Passenger stability within moving railway vehicles, 2015)."""

SHORTEST = 1e-5
"""Shortest step [s] by which a change of velocity is divided, that of Autoware's models."""

_STIFFNESS = 1.0
"""Change that a part of a step may hold: Runge and Kutta's method is stable below 2.8."""

_MOST_PARTS = 500.0
"""Parts of one step at most: what is slower than `SLOWEST` needs no more at 1 s."""

_SIXTH = 1.0 / 6.0
"""Weight of the first and the last of four rates, a share."""

_VEL_LIM, _STEER_LIM = COLUMN["vel_lim"], COLUMN["steer_lim"]
_ROAD_SLOPE, _FRONT, _REAR = COLUMN["enable_road_slope_simulation"], COLUMN["a"], COLUMN["b"]
_WHEELBASE = COLUMN["wheelbase"]


@compiled_without_refcounts
def step_vehicles(
    models: Integers,
    parameters: Floats,
    maps: Floats,
    delays: Integers,
    commands: Floats,
    ways: Floats,
    dt: float,
    rows: Floats,
) -> None:
    """Moves n vehicles on by a step.

    Args:
        models: (n,) places in `CODES`.
        parameters: (n, p) by `COLUMN`.
        maps: of all vehicles, see `maps`.
        delays: (n, 3) steps by which driving, steering and braking come late.
        commands: (n, 6), see `DRIVEN`.
        ways: (n, 2), see `RUN`.
        dt: length of the step [s].
        rows: (n, w), see `X`; written.
    """
    for i in range(models.size):
        command, row, p = commands[i], rows[i], constants_of(parameters[i])
        is_safe = command[HELD] <= 0.0 and isfinite(command[DRIVEN]) and isfinite(command[STEERED])
        if is_safe and isfinite(command[BRAKED]):
            _move(models[i], p, parameters[i], maps, delays[i], command, ways[i], dt, row)
        else:
            _hold(models[i], p, delays[i], ways[i, RUN], dt, row)
        row[COUNT] += 1.0


@jitable
def _move(
    model: int,
    p: Constants,
    parameters: Floats,
    maps: Floats,
    delays: Integers,
    command: Floats,
    way: Floats,
    dt: float,
    row: Floats,
) -> None:
    before = (row[X], row[Y], row[YAW], row[VELOCITY], row[STEER], row[JERKED], row[6], row[7])
    slope = way[SLOPE] if p[_ROAD_SLOPE] > 0.0 else 0.0
    u = (
        _late(row, 0, delays[0], command[DRIVEN]),
        _late(row, 1, delays[1], command[STEERED]),
        _late(row, 2, delays[2], command[BRAKED]) if delays[2] else command[BRAKED],
        command[GEAR],
        slope,
    )
    if model >= motion_equations.KS:
        rate = command[TURNED] if isfinite(command[TURNED]) else (u[1] - before[4]) / dt
        u = (u[0], rate, u[2], u[3], u[4])
    if model == motion_equations.WO_FALL_GUARD:
        after = _plus(before, dt, state_derivative(model, p, before, u), way[RUN])
    elif has_maps(model):
        after = _with_maps(model, p, maps, before, u, dt, way[RUN])
        if model == motion_equations.MECHANICAL:
            after = _steered(p, parameters, after, u[1], dt, row[MECHANISM:QUEUES])
    else:
        parts = int(
            within(ceil(dt * stiffest_rate(model, p, before[3]) / _STIFFNESS), 1.0, _MOST_PARTS)
        )
        after = before
        for _ in range(parts):
            after = _by_runge_kutta(model, p, after, u, dt / parts, way[RUN])
    _finish(model, p, before, after, u, dt, row)


@jitable
def _steered(
    p: Constants, parameters: Floats, s: State, turned: float, dt: float, held: Floats
) -> State:
    """A state after a mechanical steering has moved by a step; `turned`: see `angle_of_wheels`."""
    wanted = motion_equations.angle_of_wheels(p, s[3], s[4], turned)
    steer = mechanism.turn(parameters, s[4], wanted, s[3], dt, held)
    return s[0], s[1], s[2], s[3], steer, s[5], s[6], s[7]


@inlined
def _late(row: Floats, ring: int, delay: int, new: float) -> float:
    """Output of a ring of delayed inputs when `new` enters."""
    if delay == 0:
        return new
    length = (row.size - QUEUES) // 3
    place = QUEUES + ring * length + int(row[COUNT]) % delay
    oldest = row[place]
    row[place] = new
    return float(oldest)


@jitable
def _plus(s: State, h: float, k: State, run: float) -> State:
    return (
        *(s[0] + h * run * k[0], s[1] + h * run * k[1], s[2] + h * k[2], s[3] + h * k[3]),
        *(s[4] + h * k[4], s[5] + h * k[5], s[6] + h * k[6], s[7] + h * k[7]),
    )


@jitable
def _by_runge_kutta(model: int, p: Constants, s: State, u: Input, h: float, run: float) -> State:
    a = state_derivative(model, p, s, u)
    b = state_derivative(model, p, _plus(s, 0.5 * h, a, run), u)
    c = state_derivative(model, p, _plus(s, 0.5 * h, b, run), u)
    d = state_derivative(model, p, _plus(s, h, c, run), u)
    return _plus(s, h, _mean(a, b, c, d), run)


@jitable
def _with_maps(
    model: int, p: Constants, maps: Floats, s: State, u: Input, h: float, run: float
) -> State:
    """The same of a model with maps. Others do without: an array costs more than their work."""
    a = state_derivative(model, p, s, map_input(model, p, maps, s, u))
    second = _plus(s, 0.5 * h, a, run)
    b = state_derivative(model, p, second, map_input(model, p, maps, second, u))
    third = _plus(s, 0.5 * h, b, run)
    c = state_derivative(model, p, third, map_input(model, p, maps, third, u))
    fourth = _plus(s, h, c, run)
    d = state_derivative(model, p, fourth, map_input(model, p, maps, fourth, u))
    return _plus(s, h, _mean(a, b, c, d), run)


@jitable
def _mean(a: State, b: State, c: State, d: State) -> State:
    return (
        _SIXTH * (a[0] + 2.0 * b[0] + 2.0 * c[0] + d[0]),
        _SIXTH * (a[1] + 2.0 * b[1] + 2.0 * c[1] + d[1]),
        _SIXTH * (a[2] + 2.0 * b[2] + 2.0 * c[2] + d[2]),
        _SIXTH * (a[3] + 2.0 * b[3] + 2.0 * c[3] + d[3]),
        _SIXTH * (a[4] + 2.0 * b[4] + 2.0 * c[4] + d[4]),
        _SIXTH * (a[5] + 2.0 * b[5] + 2.0 * c[5] + d[5]),
        _SIXTH * (a[6] + 2.0 * b[6] + 2.0 * c[6] + d[6]),
        _SIXTH * (a[7] + 2.0 * b[7] + 2.0 * c[7] + d[7]),
    )


@jitable
def _finish(
    model: int, p: Constants, before: State, after: State, u: Input, dt: float, row: Floats
) -> None:
    """Applies limits and the gear, and writes the state."""
    for k in range(8):
        row[k] = after[k]
    gained = 1.0 / max(dt, SHORTEST)
    if model == motion_equations.IDEAL_STEER_VEL:
        row[VELOCITY] = u[0]
    if model <= motion_equations.IDEAL_STEER_ACC_GEARED:
        row[STEER] = u[1]
    elif model < motion_equations.KS:
        row[VELOCITY] = within(row[VELOCITY], -p[_VEL_LIM], p[_VEL_LIM])
    if motion_equations.ACTUATION_CMD <= model <= motion_equations.MECHANICAL:
        row[STEER] = within(row[STEER], -p[_STEER_LIM], p[_STEER_LIM])
    if (
        model == motion_equations.WO_FALL_GUARD
        and before[3] * row[VELOCITY] <= 0.0
        and -row[JERKED] >= abs(u[4])
    ):
        row[VELOCITY] = 0.0
    row[ACCELERATION] = (row[VELOCITY] - before[3]) * gained
    if (
        model == motion_equations.IDEAL_STEER_ACC
        or model == motion_equations.IDEAL_STEER_ACC_GEARED
    ):
        row[ACCELERATION] = u[0] + u[4]
    elif (
        motion_equations.DELAY_STEER_ACC <= model < motion_equations.KS
        and model != motion_equations.WO_FALL_GUARD
    ):
        row[ACCELERATION] = row[JERKED]
    if _is_geared(model) and not _may_move(u[3], row[VELOCITY]):
        row[X], row[Y], row[YAW] = before[0], before[1], before[2]
        row[VELOCITY] = 0.0
        # Autoware keeps the acceleration of the stop, which is the larger the shorter the step is,
        # as the one from which the next step starts: a vehicle that shifts as it rolls leaps.
        row[JERKED] = 0.0
        row[ACCELERATION] = -before[3] * gained


@jitable
def _is_geared(model: int) -> bool:
    if model in (motion_equations.IDEAL_STEER_ACC_GEARED, motion_equations.DELAY_STEER_ACC_GEARED):
        return True
    return motion_equations.MAP_ACC_GEARED <= model <= motion_equations.MECHANICAL


@jitable
def _may_move(gear: float, velocity: float) -> bool:
    if gear in (motion_equations.DRIVE, motion_equations.LOW):
        return velocity >= 0.0
    return gear == motion_equations.REVERSE and velocity <= 0.0


@jitable
def _hold(model: int, p: Constants, delays: Integers, run: float, dt: float, row: Floats) -> None:
    """Brakes to a standstill, with the steering as it is; what was under way is forgotten."""
    before = row[VELOCITY]
    lost = min(abs(before), BRAKE * dt)
    row[VELOCITY] = before - lost if before > 0.0 else before + lost
    length = p[_FRONT] + p[_REAR] if model == motion_equations.ST else p[_WHEELBASE]
    mean = 0.5 * (before + row[VELOCITY])
    turning = mean * tan(row[STEER]) / length
    sine, cosine = sin_cos(row[YAW] + 0.5 * dt * turning)
    row[X] += dt * run * mean * cosine
    row[Y] += dt * run * mean * sine
    row[YAW] += dt * turning
    row[YAW_RATE], row[SLIP], row[JERKED] = turning, 0.0, 0.0
    row[ACCELERATION] = (row[VELOCITY] - before) / dt
    rings = (row.size - QUEUES) // 3
    row[MECHANISM:] = 0.0
    row[MECHANISM + mechanism.BEFORE] = row[STEER]
    command = motion_equations.steering_command(model, p, row[VELOCITY], row[STEER])
    row[QUEUES + rings : QUEUES + 2 * rings] = command
