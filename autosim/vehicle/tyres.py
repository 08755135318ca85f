"""Tyres and wheel spin.

A tyre's force follows from the deflections u (along) and v (across) of its carcass, which grow
with the slip velocity Vs and relax as the tyre rolls: u' = -Vs - |Vx| u / sigma (Pacejka, Tyre
and Vehicle Dynamics, 3rd ed., 2012, section 7.2.1). u / sigma is the slip ratio of steady
rolling, so one law covers rolling and standing; a plain slip formula has no force at rest and
creeps on every slope.

The wheel's spin is taken at the end of the step, implicitly in the tyre's stiffness, because a
wheel is light and a tyre stiff. What the wheel loses to the tyre is exactly what the body gains:
the deflection is a state and the force follows from it once. (With a force that is linearised
in the slip instead, the implicit spin would act as dt^2 R^2 K of inertia that is not there, and
a car would lose a tenth of its acceleration at 60 Hz.) The body's velocity is the one at the
step's beginning: semi-implicit, stable for a car from 60 Hz up.
"""

from math import atan, atan2, cos, hypot, sin, sqrt

from autosim.vehicle.bodies import Floats
from autosim.vehicle.frames import Triple, cross
from autosim.vehicle.jit import compiled
from autosim.vehicle.motion import BodyMotion, add_force
from autosim.vehicle.wheels import (
    LOAD,
    ROTATION,
    SLIP_ANGLE,
    SLIP_RATIO,
    SPEED,
    STEERING,
    WheelParameters,
    WheelState,
)

RELAXATION_LENGTH = 0.3
"""Sigma [m]: about one radius of a passenger car's wheel."""

SHAPE, STIFFNESS = 1.819, 1.165
"""C and B of the magic formula sin(C atan(B s)): peak 1 at s = 1, 0.71 at `SLIDING`, where a
locked wheel slides."""

SLIDING = 3.0
"""Greatest combined slip, in slips of the peak force, that the carcass's deflection holds."""

PEAK_RATIO, PEAK_TANGENT = 0.10, 0.1014
"""Slip ratio and tangent of the slip angle with the greatest force. The second gives the
cornering stiffness 20.9 per radian, load and friction of the CommonRoad vehicle models."""

PEAK_U, PEAK_V = RELAXATION_LENGTH * PEAK_RATIO, RELAXATION_LENGTH * PEAK_TANGENT
"""Deflections [m] with the greatest force."""

DAMPING_TIME = 0.04
"""[s] damping over stiffness of the carcass, near half of critical for a car on its tyres."""

CREEP_SPEED = 2.0
"""[m/s] below which the carcass's damping fades in; above it rolling damps enough."""

ROLLING_RESISTANCE = 0.012
"""Force over load of a car's tyre on asphalt (Gillespie, Fundamentals of Vehicle Dynamics,
1992, chapter 4)."""

SLIP_FLOOR = 1.0
"""[m/s] least speed that the reported slips refer to: they vanish at rest."""


@compiled
def grip(slip: float) -> float:
    """Force over peak force divided by the combined slip; finite at no slip, falling with it."""
    if slip < 1e-9:
        return SHAPE * STIFFNESS
    return sin(SHAPE * atan(STIFFNESS * min(slip, SLIDING))) / slip


@compiled
def combined_slip(u: float, v: float) -> float:
    """Slip of the deflections u, v [m], in slips of the peak force."""
    return hypot(u / PEAK_U, v / PEAK_V)


@compiled
def roll_wheels(
    wheels: WheelParameters,
    torques: Floats,
    surface_friction: Floats,
    motion: BodyMotion,
    state: WheelState,
    step_seconds: float,
) -> None:
    """Turns all wheels by a step and adds their tyres' forces to the bodies' sums.

    Args:
        wheels: the wheels.
        torques: (n, 2) N m of the motor, and the greatest of the brake.
        surface_friction: (n,) of what each wheel stands on, a factor on the tyre's own.
        motion: of the bodies, after `solve_suspension`.
        state: steering and load are read; the other outputs and the deflections are written.
        step_seconds: length of the step [s].
    """
    motion.tyre_force[...] = 0.0
    motion.tyre_torque[...] = 0.0
    for wheel in range(wheels.body.size):
        if state.output[wheel, LOAD] > 0.0:
            peak = wheels.friction[wheel] * surface_friction[wheel] * state.output[wheel, LOAD]
            _roll(wheels, torques[wheel], peak, motion, state, wheel, step_seconds)
        else:
            spin = step_seconds * torques[wheel, 0] / wheels.inertia[wheel]
            stop = step_seconds * torques[wheel, 1] / wheels.inertia[wheel]
            state.output[wheel, SPEED] = slow_down(state.output[wheel, SPEED] + spin, stop)
            state.deflection[wheel] = 0.0
            state.output[wheel, SLIP_RATIO] = 0.0
            state.output[wheel, SLIP_ANGLE] = 0.0
        state.output[wheel, ROTATION] += step_seconds * state.output[wheel, SPEED]


@compiled
def slow_down(speed: float, change: float) -> float:
    """`speed` brought `change` (not negative) nearer to zero, and no further: dry friction."""
    if abs(speed) <= change:
        return 0.0
    return speed - change if speed > 0.0 else speed + change


@compiled
def wheel_axes(normal: Floats, steering: float) -> tuple[Triple, Triple]:
    """Unit vectors in B, in the ground's plane, along the wheel's heading and to its left.

    `normal`: (3,) in B; `steering` [rad].
    """
    x, y = cos(steering), sin(steering)
    along = x * normal[0] + y * normal[1]
    hx, hy, hz = x - along * normal[0], y - along * normal[1], -along * normal[2]
    length = max(sqrt(hx * hx + hy * hy + hz * hz), 1e-9)
    hx, hy, hz = hx / length, hy / length, hz / length
    return (hx, hy, hz), cross(normal[0], normal[1], normal[2], hx, hy, hz)


@compiled
def _roll(
    wheels: WheelParameters,
    torques: Floats,
    peak: float,
    motion: BodyMotion,
    state: WheelState,
    wheel: int,
    dt: float,
) -> None:
    """One wheel on the ground; `peak` [N] is its greatest force, `torques` (2,) N m."""
    body, radius, output = wheels.body[wheel], wheels.radius[wheel], state.output[wheel]
    forward, left = wheel_axes(state.normal[wheel], output[STEERING])
    vx, vy = _contact_velocity(motion, body, state.arm[wheel], forward, left)
    u, v = state.deflection[wheel]
    relaxed = 1.0 / (1.0 + dt * abs(vx) / RELAXATION_LENGTH)
    creep = max(0.0, 1.0 - hypot(vx, vy) / CREEP_SPEED)
    lead = creep * DAMPING_TIME / dt
    # The tyre's force is stiffness * ((1 + lead) * u_next - lead * u), and u_next is linear in
    # the spin at the end of the step: `force` is its part without spin, `gain` its slope.
    stiffness = peak * grip(combined_slip(u, v)) / PEAK_U
    force = stiffness * ((1.0 + lead) * relaxed * (u - dt * vx) - lead * u)
    gain = stiffness * (1.0 + lead) * relaxed * dt * radius
    inertia = wheels.inertia[wheel] + dt * radius * gain
    spin = wheels.inertia[wheel] * output[SPEED] + dt * (torques[0] - radius * force)
    resistance = ROLLING_RESISTANCE * radius * output[LOAD]
    speed = slow_down(spin / inertia, dt * (torques[1] + resistance) / inertia)
    u_next, v_next = relaxed * (u + dt * (radius * speed - vx)), relaxed * (v - dt * vy)
    excess = combined_slip(u_next, v_next) / (SLIDING - (SLIDING - 1.0) * creep)
    if excess > 1.0:
        u_next, v_next = u_next / excess, v_next / excess
    state.deflection[wheel] = (u_next, v_next)
    output[SPEED] = speed
    output[SLIP_RATIO] = (radius * speed - vx) / max(abs(vx), SLIP_FLOOR)
    output[SLIP_ANGLE] = atan2(vy, max(abs(vx), SLIP_FLOOR))
    u_force, v_force = u_next + lead * (u_next - u), v_next + lead * (v_next - v)
    scale = peak * grip(combined_slip(u_force, v_force))
    _add(motion, body, state.arm[wheel], scale * u_force / PEAK_U, forward)
    _add(motion, body, state.arm[wheel], scale * v_force / PEAK_V, left)


@compiled
def _contact_velocity(
    motion: BodyMotion, body: int, arm: Floats, forward: Triple, left: Triple
) -> tuple[float, float]:
    """Velocity [m/s] of the body at the contact point, along the wheel's axes."""
    v, w = motion.velocity[body], motion.angular_velocity[body]
    x, y, z = cross(w[0], w[1], w[2], arm[0], arm[1], arm[2])
    x, y, z = x + v[0], y + v[1], z + v[2]
    return (
        x * forward[0] + y * forward[1] + z * forward[2],
        x * left[0] + y * left[1] + z * left[2],
    )


@compiled
def _add(motion: BodyMotion, body: int, arm: Floats, force: float, direction: Triple) -> None:
    """Adds a tyre's force [N] along `direction` to the body's sums and to the tyres' own."""
    x, y, z = force * direction[0], force * direction[1], force * direction[2]
    add_force(motion, body, arm, x, y, z)
    turn = cross(arm[0], arm[1], arm[2], x, y, z)
    motion.tyre_force[body, 0] += x
    motion.tyre_force[body, 1] += y
    motion.tyre_force[body, 2] += z
    for k in range(3):
        motion.tyre_torque[body, k] += turn[k]
