"""Springs and dampers of all wheels, solved implicitly.

A stiff sports suspension (damping 23 /s a wheel) has a roll rate near 140 /s; an explicit
damper would be unstable at 60 Hz. So each strut's force is the one at the end of the step. It
depends on the forces of the body's other wheels, which gives a linear complementarity problem
(a suspension only pushes), solved by projected Gauss-Seidel over the wheels of each body. The
damper's two strengths and the anti-roll bars are part of it: a damper takes the strength of the
way that its strut goes at the end of the step, a bar the deflections of both its wheels then.
"""

from autosim.arrays import Floats, Integers
from autosim.jit import jitable
from autosim.model.vector_kernels import cross, read_vector
from autosim.vehicle.body.body_motion import BodyMotion
from autosim.vehicle.body.body_state import BodyParameters
from autosim.vehicle.wheels.wheel_arrays import LOAD, WheelParameters, WheelState

SWEEPS, TOLERANCE = 20, 1e-7
"""Most Gauss-Seidel sweeps over a body's wheels, and the relative change of a load that ends
them. They begin with the last step's loads, so on smooth ground two or three are enough."""

FORCE, BUMP, REBOUND, MOBILITY, LEVERAGE, BAR = range(6)
"""Columns of `WheelState.strut`: force [N] at the step's beginning; its slope [N s/m] against the
speed at the step's end, pressed and extending; the speed [m/s] that a load of 1 N gives the contact
point; the strut's speed for each m/s of it; slope [N s/m] of the bar against the other wheel's."""

STEEPEST = 0.2
"""Least cosine, a ratio, of the angle between the ground's normal and the suspension: against a
steeper face the strut's leverage stops growing, and the body's own shape takes the collision."""

BUMP_TIME = 0.2
"""Damping over stiffness of the bump stop [s]: its slow release lifts a body that was placed in
the ground, or whose wheel hit a kerb, without throwing it."""


@jitable
def solve_suspension(
    wheels: WheelParameters,
    parameters: BodyParameters,
    motion: BodyMotion,
    state: WheelState,
    step_seconds: float,
) -> None:
    """Finds all wheels' loads [N] along the ground's normal and adds them to the bodies' sums.

    Reads `normal`, `arm`, `compression` of the wheels; writes the output's load. Besides the
    struts, the prediction of the step's end knows gravity and the tyres' forces of the step
    before, so that at rest and in a steady turn a load is spring and damper alone.
    """
    loads = state.output[:, LOAD]
    _write_struts(wheels, parameters, state, step_seconds)
    _write_free_velocities(parameters, motion, step_seconds)
    # Out of the loop: each look at a field counts a reference.
    order, body_start, velocities = wheels.order, wheels.body_start, motion.free_velocity
    rows, response, strut, bars = state.normal_row, state.response, state.strut, wheels.bar_wheel
    for body in parameters.moved:
        first, last = body_start[body], body_start[body + 1]
        _relax(order, first, last, rows, response, strut, bars, velocities, body, loads)
    for wheel in range(loads.size):
        body, load = wheels.body[wheel], loads[wheel]
        for k in range(3):
            motion.force[body, k] += load * rows[wheel, k]
            motion.torque[body, k] += load * rows[wheel, 3 + k]


@jitable
def _write_struts(
    wheels: WheelParameters, parameters: BodyParameters, state: WheelState, dt: float
) -> None:
    """Writes the effect of each wheel's load on its body, and the response of its strut.

    `normal_row`: (n, 6) force and torque about the centre of mass of a load of 1 N; `response`:
    (n, 6) change [m/s, rad/s] of the body's velocities in a step by a load of 1 N; `strut`:
    (n, 6), see `FORCE`.
    """
    # Out of the loop: each look at a field counts a reference.
    normals, arms, compressions = state.normal, state.arm, state.compression
    rows, response, strut = state.normal_row, state.response, state.strut
    mass, inertia, bars, others = parameters.mass, parameters.inertia, wheels.bar, wheels.bar_wheel
    for wheel in range(wheels.body.size):
        body, n = wheels.body[wheel], read_vector(normals[wheel])
        turn = cross(read_vector(arms[wheel]), n)
        mobility = 0.0
        for k in range(3):
            rows[wheel, k], rows[wheel, 3 + k] = n[k], turn[k]
            response[wheel, k] = dt * n[k] / mass[body]
            response[wheel, 3 + k] = dt * turn[k] / inertia[body, k]
        for k in range(6):
            mobility += rows[wheel, k] * response[wheel, k]
        # Of the strut's force S the ground sees S / cos, of its speed the strut sees v / cos.
        leverage = 1.0 / max(n[2], STEEPEST)
        compression, stiffness = compressions[wheel], wheels.stiffness[wheel]
        bump = max(compression - wheels.travel[wheel], 0.0)
        stop = wheels.bump_stiffness[wheel] if bump > 0.0 else 0.0
        force, spring = stiffness * compression + stop * bump, dt * stiffness
        bar = 0.0
        if others[wheel] >= 0:
            bar = bars[wheel]
            force += bar * (compression - compressions[others[wheel]])
            spring += dt * bar
        spring += (dt + BUMP_TIME) * stop
        square = leverage * leverage
        strut[wheel, FORCE] = leverage * force
        strut[wheel, BUMP] = square * (wheels.damping[wheel] + spring)
        strut[wheel, REBOUND] = square * (wheels.rebound_damping[wheel] + spring)
        strut[wheel, MOBILITY] = mobility
        strut[wheel, LEVERAGE], strut[wheel, BAR] = leverage, leverage * dt * bar


@jitable
def _write_free_velocities(parameters: BodyParameters, motion: BodyMotion, dt: float) -> None:
    """Velocities (n, 6) at the end of the step from gravity and the tyres, without the struts."""
    for body in parameters.moved:
        for k in range(3):
            push = motion.gravity[body, k] + motion.tyre_force[body, k] / parameters.mass[body]
            turn = motion.tyre_torque[body, k] / parameters.inertia[body, k]
            motion.free_velocity[body, k] = motion.velocity[body, k] + dt * push
            motion.free_velocity[body, 3 + k] = motion.angular_velocity[body, k] + dt * turn


@jitable
def _relax(
    order: Integers,
    first: int,
    last: int,
    normal_row: Floats,
    response: Floats,
    strut: Floats,
    bars: Integers,
    velocity: Floats,
    body: int,
    loads: Floats,
) -> None:
    """Projected Gauss-Seidel over the wheels of one body.

    Args:
        order: (n_wheels,) the wheels, those of each body together.
        first: place in `order` of the body's first wheel.
        last: place after its last.
        normal_row: (n_wheels, 6), as `_write_struts` wrote it.
        response: (n_wheels, 6), the same.
        strut: (n_wheels, 6), the same.
        bars: (n_wheels,) see `WheelParameters.bar_wheel`.
        velocity: (n_bodies, 6) go in without the struts, and come out with them.
        body: the body's number.
        loads: (n_wheels,) N, go in as the last step's and come out as this one's.
    """
    for place in range(first, last):
        wheel = order[place]
        if strut[wheel, MOBILITY] == 0.0:
            loads[wheel] = 0.0
        for k in range(6):
            velocity[body, k] += response[wheel, k] * loads[wheel]
    for _ in range(SWEEPS):
        change = 0.0
        for place in range(first, last):
            wheel = order[place]
            if strut[wheel, MOBILITY] == 0.0:
                continue
            old, force = loads[wheel], strut[wheel, FORCE]
            without = _approach(normal_row, wheel, velocity, body) + strut[wheel, MOBILITY] * old
            other = bars[wheel]
            if other >= 0 and strut[other, MOBILITY] > 0.0:
                beside = _approach(normal_row, other, velocity, body) * strut[other, LEVERAGE]
                force -= strut[wheel, BAR] * beside
            load = _load(strut, wheel, force, without)
            loads[wheel] = load
            for k in range(6):
                velocity[body, k] += response[wheel, k] * (load - old)
            change = max(change, abs(load - old) / max(load, 1.0))
        if change < TOLERANCE:
            break


@jitable
def _load(strut: Floats, wheel: int, force: float, without: float) -> float:
    """The load [N] of a wheel whose contact point moves by `without` [m/s] without any."""
    mobility = strut[wheel, MOBILITY]
    # Whether it is pressed or extends at the end of the step does not depend on the damping.
    slope = strut[wheel, BUMP if without > mobility * force else REBOUND]
    return max(float((force + slope * without) / (1.0 + mobility * slope)), 0.0)


@jitable
def _approach(normal_row: Floats, wheel: int, velocity: Floats, body: int) -> float:
    """Speed [m/s] at which a wheel's contact point moves into the ground."""
    approach = 0.0
    for k in range(6):
        approach -= normal_row[wheel, k] * velocity[body, k]
    return approach
