"""Springs and dampers of all wheels, solved implicitly.

A stiff sports suspension (damping 23 /s a wheel) has a roll rate near 140 /s; an explicit
damper would be unstable at 60 Hz. So each strut's force is the one at the end of the step. It
depends on the forces of the body's other wheels, which gives a linear complementarity problem
(a suspension only pushes), solved by projected Gauss-Seidel over the wheels of each body.
"""

from autosim.arrays import Floats, Integers
from autosim.jit import compilable
from autosim.simulation.frames import cross, read
from autosim.vehicle.bodies import BodyParameters
from autosim.vehicle.motion import BodyMotion
from autosim.vehicle.wheels import LOAD, WheelParameters, WheelState

SWEEPS, TOLERANCE = 20, 1e-7
"""Most Gauss-Seidel sweeps over a body's wheels, and the relative change of a load that ends
them. They begin with the last step's loads, so on smooth ground two or three are enough."""

STEEPEST = 0.2
"""Least cosine, a ratio, of the angle between the ground's normal and the suspension: against a
steeper face the strut's leverage stops growing, and the body's own shape takes the collision."""

BUMP_STOP = 10.0
"""Stiffness of the bump stop, as a multiple of the spring's. It acts once the suspension is
pressed through its whole length."""

BUMP_TIME = 0.2
"""Damping over stiffness of the bump stop [s]: it lets go so slowly that a body which was put
into the ground, or whose wheel met a kerb, is lifted out and not thrown."""


@compilable
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
    for body in range(parameters.mass.size):
        first, last = wheels.body_start[body], wheels.body_start[body + 1]
        members = wheels.order[first:last]
        velocity = motion.free_velocity[body]
        _relax(members, state.normal_row, state.response, state.strut, velocity, loads)
    for wheel in range(loads.size):
        body, load = wheels.body[wheel], loads[wheel]
        for k in range(3):
            motion.force[body, k] += load * state.normal_row[wheel, k]
            motion.torque[body, k] += load * state.normal_row[wheel, 3 + k]


@compilable
def _write_struts(
    wheels: WheelParameters, parameters: BodyParameters, state: WheelState, dt: float
) -> None:
    """Writes the effect of each wheel's load on its body, and the response of its strut.

    `normal_row`: (n, 6) force and torque about the centre of mass of a load of 1 N; `response`:
    (n, 6) change [m/s, rad/s] of the body's velocities in a step by a load of 1 N; `strut`:
    (n, 3) force [N] of the strut at the step's beginning, its slope [N s/m] against the speed at
    the step's end, the speed [m/s] that a load of 1 N gives the contact point.
    """
    for wheel in range(wheels.body.size):
        body, n = wheels.body[wheel], read(state.normal[wheel])
        turn = cross(read(state.arm[wheel]), n)
        mobility = 0.0
        for k in range(3):
            state.normal_row[wheel, k] = n[k]
            state.normal_row[wheel, 3 + k] = turn[k]
            state.response[wheel, k] = dt * n[k] / parameters.mass[body]
            state.response[wheel, 3 + k] = dt * turn[k] / parameters.inertia[body, k]
        for k in range(6):
            mobility += state.normal_row[wheel, k] * state.response[wheel, k]
        # Of the strut's force S the ground sees S / cos, of its speed the strut sees v / cos.
        leverage = 1.0 / max(n[2], STEEPEST)
        compression, stiffness = state.compression[wheel], wheels.stiffness[wheel]
        bump = max(compression - wheels.rest_length[wheel], 0.0)
        stop = BUMP_STOP * stiffness if bump > 0.0 else 0.0
        slope = wheels.damping[wheel] + dt * stiffness + (dt + BUMP_TIME) * stop
        state.strut[wheel, 0] = leverage * (stiffness * compression + stop * bump)
        state.strut[wheel, 1] = leverage * leverage * slope
        state.strut[wheel, 2] = mobility


@compilable
def _write_free_velocities(parameters: BodyParameters, motion: BodyMotion, dt: float) -> None:
    """Velocities (n, 6) at the end of the step from gravity and the tyres, without the struts."""
    for body in range(parameters.mass.size):
        for k in range(3):
            push = motion.gravity[body, k] + motion.tyre_force[body, k] / parameters.mass[body]
            turn = motion.tyre_torque[body, k] / parameters.inertia[body, k]
            motion.free_velocity[body, k] = motion.velocity[body, k] + dt * push
            motion.free_velocity[body, 3 + k] = motion.angular_velocity[body, k] + dt * turn


@compilable
def _relax(
    members: Integers,
    normal_row: Floats,
    response: Floats,
    strut: Floats,
    velocity: Floats,
    loads: Floats,
) -> None:
    """Projected Gauss-Seidel over the wheels `members` of one body.

    `velocity` (6,) goes in without the struts and comes out with them; `loads` (n_wheels,) go
    in as the last step's and come out as this one's.
    """
    for wheel in members:
        if strut[wheel, 2] == 0.0:
            loads[wheel] = 0.0
        for k in range(6):
            velocity[k] += response[wheel, k] * loads[wheel]
    for _ in range(SWEEPS):
        change = 0.0
        for wheel in members:
            if strut[wheel, 2] == 0.0:
                continue
            approach, old = 0.0, loads[wheel]
            for k in range(6):
                approach -= normal_row[wheel, k] * velocity[k]
            force, slope, mobility = strut[wheel, 0], strut[wheel, 1], strut[wheel, 2]
            without = approach + mobility * old
            loads[wheel] = max((force + slope * without) / (1.0 + mobility * slope), 0.0)
            for k in range(6):
                velocity[k] += response[wheel, k] * (loads[wheel] - old)
            change = max(change, abs(loads[wheel] - old) / max(loads[wheel], 1.0))
        if change < TOLERANCE:
            break
