"""Springs and dampers of all wheels, solved implicitly.

A stiff sports suspension (damping 23 /s a wheel) has a roll rate near 140 /s; an explicit
damper would be unstable at 60 Hz. So each strut's force is the one at the end of the step. It
depends on the forces of the body's other wheels, which gives a linear complementarity problem
(a suspension only pushes), solved by projected Gauss-Seidel over the wheels of each body.
"""

from autosim.vehicle.bodies import BodyParameters
from autosim.vehicle.frames import cross
from autosim.vehicle.jit import compiled
from autosim.vehicle.motion import BodyMotion, add_force
from autosim.vehicle.wheels import LOAD, WheelParameters, WheelState

SWEEPS = 12
"""Gauss-Seidel sweeps. Warm-started by the last step's loads, a car's error is below 1e-6 of
its weight."""

STEEPEST = 0.2
"""Least cosine between the ground's normal and the suspension: against a steeper face the
strut's leverage stops growing, and the body's own shape takes the collision."""

BUMP_STOP = 10.0
"""Stiffness of the bump stop, in stiffnesses of the spring. It acts once the suspension is
pressed through its whole length."""


@compiled
def solve_suspension(
    wheels: WheelParameters,
    parameters: BodyParameters,
    motion: BodyMotion,
    state: WheelState,
    step_seconds: float,
) -> None:
    """Finds all wheels' loads [N] along the ground's normal and adds them to the bodies' sums.

    Reads `normal`, `arm`, `compression` of the wheels; writes the output's load and the bodies'
    predicted velocities. Besides the struts, the prediction knows gravity and the tyres' forces
    of the step before, so that at rest and in a steady turn a load is spring and damper alone.
    """
    for body in range(parameters.mass.size):
        _predict(parameters, motion, body, step_seconds)
        first, last = wheels.body_start[body], wheels.body_start[body + 1]
        for index in range(first, last):
            wheel = wheels.order[index]
            if not is_touching(state, wheel):
                state.output[wheel, LOAD] = 0.0
            _push(parameters, motion, state, body, wheel, step_seconds * state.output[wheel, LOAD])
        for _ in range(SWEEPS):
            for index in range(first, last):
                _relax(wheels, parameters, motion, state, wheels.order[index], step_seconds)
        for index in range(first, last):
            wheel = wheels.order[index]
            n, load = state.normal[wheel], state.output[wheel, LOAD]
            add_force(motion, body, state.arm[wheel], load * n[0], load * n[1], load * n[2])


@compiled
def is_touching(state: WheelState, wheel: int) -> bool:
    """Whether the wheel's ray hit the ground in this step."""
    n = state.normal[wheel]
    return bool(n[0] != 0.0 or n[1] != 0.0 or n[2] != 0.0)


@compiled
def _predict(parameters: BodyParameters, motion: BodyMotion, body: int, dt: float) -> None:
    """Velocities at the end of the step from gravity and the tyres, without the struts."""
    for k in range(3):
        acceleration = motion.gravity[body, k] + motion.tyre_force[body, k] / parameters.mass[body]
        motion.next_velocity[body, k] = motion.velocity[body, k] + dt * acceleration
        turning = motion.tyre_torque[body, k] / parameters.inertia[body, k]
        motion.next_angular_velocity[body, k] = motion.angular_velocity[body, k] + dt * turning


@compiled
def _push(
    parameters: BodyParameters,
    motion: BodyMotion,
    state: WheelState,
    body: int,
    wheel: int,
    impulse: float,
) -> None:
    """Adds to the predicted velocities what an impulse [N s] along the wheel's normal does."""
    n, r = state.normal[wheel], state.arm[wheel]
    turn = cross(r[0], r[1], r[2], n[0], n[1], n[2])
    for k in range(3):
        motion.next_velocity[body, k] += impulse * n[k] / parameters.mass[body]
        motion.next_angular_velocity[body, k] += impulse * turn[k] / parameters.inertia[body, k]


@compiled
def _relax(
    wheels: WheelParameters,
    parameters: BodyParameters,
    motion: BodyMotion,
    state: WheelState,
    wheel: int,
    dt: float,
) -> None:
    """One Gauss-Seidel step: the wheel's load that fits the velocity predicted with the others."""
    if not is_touching(state, wheel):
        return
    body, compression = wheels.body[wheel], state.compression[wheel]
    n, r = state.normal[wheel], state.arm[wheel]
    turn = cross(r[0], r[1], r[2], n[0], n[1], n[2])
    v, w = motion.next_velocity[body], motion.next_angular_velocity[body]
    mobility, approach = 1.0 / parameters.mass[body], 0.0
    for k in range(3):
        mobility += turn[k] * turn[k] / parameters.inertia[body, k]
        approach -= n[k] * v[k] + turn[k] * w[k]
    # Of the strut's force S the ground sees S / cos, of its speed the strut sees v / cos.
    leverage = 1.0 / max(n[2], STEEPEST)
    bump = max(compression - wheels.rest_length[wheel], 0.0)
    spring = wheels.stiffness[wheel] * (compression + BUMP_STOP * bump)
    slope = wheels.stiffness[wheel] * (1.0 + BUMP_STOP if bump > 0.0 else 1.0)
    damping = leverage * leverage * (wheels.damping[wheel] + dt * slope)
    old = state.output[wheel, LOAD]
    without = approach + dt * mobility * old
    load = max((leverage * spring + damping * without) / (1.0 + dt * mobility * damping), 0.0)
    state.output[wheel, LOAD] = load
    _push(parameters, motion, state, body, wheel, dt * (load - old))
