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

from math import sqrt

from autosim.arrays import Floats
from autosim.jit import compilable
from autosim.portable import arctan, arctan2, hypot, sin, sin_cos
from autosim.simulation.frames import Triple, cross, dot, minus, plus, read, times, write
from autosim.vehicle.drivetrains import Drivetrains, DrivetrainState
from autosim.vehicle.motion import BodyMotion
from autosim.vehicle.wheel_spin import turn_wheels
from autosim.vehicle.wheels import (
    ACROSS,
    ALONG,
    FRICTION,
    IMPULSE,
    INERTIA,
    LOAD,
    PEAK,
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
"""Damping over stiffness [s] of the carcass, near half of critical for a car on its tyres."""

CREEP_SPEED = 2.0
"""Speed [m/s] below which the carcass's damping fades in; above it rolling damps enough."""

ROLLING_RESISTANCE = 0.012
"""Ratio of force to load of a car's tyre on asphalt (Gillespie, Fundamentals of Vehicle Dynamics,
1992, chapter 4)."""

SLIP_FLOOR = 1.0
"""Least speed [m/s] to which the reported slips refer: they vanish at rest."""


@compilable
def grip(slip: float) -> float:
    """Force over peak force divided by the combined slip; finite at no slip, falling with it."""
    if slip < 1e-9:
        return SHAPE * STIFFNESS
    return sin(SHAPE * arctan(STIFFNESS * min(slip, SLIDING))) / slip


@compilable
def combined_slip(u: float, v: float) -> float:
    """Slip of the deflections u, v [m], in slips of the peak force."""
    return hypot(u / PEAK_U, v / PEAK_V)


@compilable
def roll_wheels(
    wheels: WheelParameters,
    torques: Floats,
    surface_friction: Floats,
    drivetrains: Drivetrains,
    drivetrain_state: DrivetrainState,
    motion: BodyMotion,
    state: WheelState,
    step_seconds: float,
) -> None:
    """Turns all wheels by a step and sums their tyres' forces in `motion`.

    Args:
        wheels: the wheels.
        torques: (n, 2) N m of the motor, and the greatest of the brake.
        surface_friction: (n,) of the surface under each wheel, a factor on the tyre's own.
        drivetrains: what couples the wheels.
        drivetrain_state: of these, after `run_motors`.
        motion: of the bodies, after `solve_suspension`.
        state: steering and load are read; the other outputs and the deflections are written.
        step_seconds: length of the step [s].
    """
    motion.tyre_force[...] = 0.0
    motion.tyre_torque[...] = 0.0
    for wheel in range(wheels.body.size):
        body, output, n = wheels.body[wheel], state.output[wheel], read(state.normal[wheel])
        load, radius, arm = output[LOAD], wheels.radius[wheel], read(state.arm[wheel])
        forward, left = wheel_axes(n, output[STEERING])
        around = cross(read(motion.angular_velocity[body]), arm)
        velocity = plus(read(motion.velocity[body]), around)
        motor, friction = torques[wheel]
        rolling = state.rolling[wheel]
        rolling[ALONG], rolling[ACROSS] = dot(velocity, forward), dot(velocity, left)
        rolling[FRICTION] = friction + ROLLING_RESISTANCE * radius * load
        rolling[PEAK] = wheels.friction[wheel] * surface_friction[wheel] * load
        write(forward, state.forward[wheel])
        _leave_to_spin(
            output[SPEED],
            state.deflection[wheel],
            motor,
            radius,
            wheels.inertia[wheel],
            rolling,
            step_seconds,
        )
    turn_wheels(drivetrains, drivetrain_state, state, step_seconds)
    for wheel in range(wheels.body.size):
        body, output, n = wheels.body[wheel], state.output[wheel], read(state.normal[wheel])
        arm, forward = read(state.arm[wheel]), read(state.forward[wheel])
        along, across = _deflect(
            output,
            state.deflection[wheel],
            state.rolling[wheel],
            wheels.radius[wheel],
            step_seconds,
        )
        output[ROTATION] += step_seconds * output[SPEED]
        force = plus(times(along, forward), times(across, cross(n, forward)))
        turn = cross(arm, force)
        for k in range(3):
            motion.tyre_force[body, k] += force[k]
            motion.tyre_torque[body, k] += turn[k]


@compilable
def wheel_axes(n: Triple, steering: float) -> tuple[Triple, Triple]:
    """Unit vectors in B, in the ground's plane, along the wheel's heading and to its left.

    `n`: the ground's normal in B; `steering` [rad].
    """
    sine, cosine = sin_cos(steering)
    heading = (cosine, sine, 0.0)
    level = minus(heading, times(dot(heading, n), n))
    forward = times(1.0 / max(sqrt(dot(level, level)), 1e-9), level)
    return forward, cross(n, forward)


@compilable
def _relaxed_and_lead(vx: float, vy: float, dt: float) -> tuple[float, float, float]:
    """How far the carcass relaxes in a step, the share of creeping, and its damping over `dt`."""
    relaxed = 1.0 / (1.0 + dt * abs(vx) / RELAXATION_LENGTH)
    creep = max(0.0, 1.0 - hypot(vx, vy) / CREEP_SPEED)
    return relaxed, creep, creep * DAMPING_TIME / dt


@compilable
def _leave_to_spin(
    speed: float,
    deflection: Floats,
    motor: float,
    radius: float,
    inertia: float,
    rolling: Floats,
    dt: float,
) -> None:
    """Writes the inertia and the impulse that a wheel has left when its tyre has had its share.

    Args:
        speed: angular velocity [rad/s] at the beginning of the step.
        deflection: (2,) m.
        motor: torque [N m].
        radius: of the wheel [m].
        inertia: of the wheel [kg m^2].
        rolling: of the wheel, velocities and peak are read.
        dt: length of the step [s].
    """
    u, v = deflection
    vx = rolling[ALONG]
    relaxed, _, lead = _relaxed_and_lead(vx, rolling[ACROSS], dt)
    # The tyre's force is stiffness * ((1 + lead) * u_next - lead * u), and u_next is linear in
    # the spin at the end of the step: `force` is its part without spin, `gain` its slope.
    stiffness = rolling[PEAK] * grip(combined_slip(u, v)) / PEAK_U
    force = stiffness * ((1.0 + lead) * relaxed * (u - dt * vx) - lead * u)
    gain = stiffness * (1.0 + lead) * relaxed * dt * radius
    rolling[INERTIA] = inertia + dt * radius * gain
    rolling[IMPULSE] = inertia * speed + dt * (motor - radius * force)


@compilable
def _deflect(
    output: Floats, deflection: Floats, rolling: Floats, radius: float, dt: float
) -> tuple[float, float]:
    """The force [N] of a tyre along and across its wheel, which turns as at the step's end.

    Args:
        output: (7,) of the wheel; the slips are written.
        deflection: (2,) m, written.
        rolling: of the wheel, velocities and peak are read.
        radius: of the wheel [m].
        dt: length of the step [s].
    """
    vx, vy, peak, speed = rolling[ALONG], rolling[ACROSS], rolling[PEAK], output[SPEED]
    if peak <= 0.0:
        deflection[:] = 0.0
        output[SLIP_RATIO] = output[SLIP_ANGLE] = 0.0
        return 0.0, 0.0
    u, v = deflection
    relaxed, creep, lead = _relaxed_and_lead(vx, vy, dt)
    u_next, v_next = relaxed * (u + dt * (radius * speed - vx)), relaxed * (v - dt * vy)
    excess = combined_slip(u_next, v_next) / (SLIDING - (SLIDING - 1.0) * creep)
    if excess > 1.0:
        u_next, v_next = u_next / excess, v_next / excess
    deflection[0], deflection[1] = u_next, v_next
    output[SLIP_RATIO] = (radius * speed - vx) / max(abs(vx), SLIP_FLOOR)
    output[SLIP_ANGLE] = arctan2(vy, max(abs(vx), SLIP_FLOOR))
    u_force, v_force = u_next + lead * (u_next - u), v_next + lead * (v_next - v)
    scale = peak * grip(combined_slip(u_force, v_force))
    return scale * u_force / PEAK_U, scale * v_force / PEAK_V
