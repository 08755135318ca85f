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

from autosim.arrays import Floats, Integers
from autosim.jit import jitable
from autosim.model.vector_kernels import (
    Triple,
    cross,
    dot,
    read_vector,
    vec_add,
    vec_scale,
    vec_sub,
    write_vector,
)
from autosim.portable import arctan2, hypot, sin_cos
from autosim.vehicle.body.body_motion import BodyMotion
from autosim.vehicle.drivetrain.drivetrains import Drivetrains, DrivetrainState
from autosim.vehicle.rolling.wheel_spin import turn_wheels
from autosim.vehicle.tyres.trail import trail_share
from autosim.vehicle.tyres.tyre_models import BRUSH, STANDARD, tyre_forces
from autosim.vehicle.wheels.deflation import (
    FLAT_GRIP,
    FLAT_RESISTANCE,
    FLAT_SOFTNESS,
    loaded_radius,
)
from autosim.vehicle.wheels.wheel_arrays import (
    ACROSS,
    ALONG,
    BRAKE,
    FREE,
    GRIP,
    INERTIA,
    LEAN,
    LOAD,
    ROTATION,
    SLIP_ANGLE,
    SLIP_RATIO,
    SOFT,
    SPEED,
    STEERING,
    WheelParameters,
    WheelState,
)

DAMPING_TIME = 0.04
"""Damping over stiffness [s] of the carcass, near half of critical for a car on its tyres."""

STABLE_DAMPING = 6.5e-4
"""Greatest (1 + damping over stiffness and step) step² [s²]: more damping than that shakes a car,
since it is taken across the wheel at the step's beginning. It acts below 80 steps a second."""

CREEP_SPEED = 2.0
"""Speed [m/s] below which the carcass's damping fades in; above it rolling damps enough."""

LEAST_DEFLECTION = 1e-6
"""Deflection [m] below which the tyre's stiffness is that at this deflection."""

MOST_LEAN = 0.3
"""Greatest inclination [rad] to the ground that changes a tyre's forces: beyond it formulas of a
tyre of a car mean nothing, and at a kerb's edge the ground has no direction of its own."""

SLIP_FLOOR = 1.0
"""Least speed [m/s] to which the reported slips refer: they vanish at rest."""


@jitable
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
    # Out of the loop: each look at a field counts a reference.
    outputs, deflections, normals, arms = state.output, state.deflection, state.normal, state.arm
    rollings, forwards, flatness = state.rolling, state.forward, state.flatness
    models, relaxation, peaks, sliding, trails, numbers = wheels.tyres
    forces = state.force
    for wheel in range(wheels.body.size):
        body, n, rolling = wheels.body[wheel], read_vector(normals[wheel]), rollings[wheel]
        load, flat, arm = outputs[wheel, LOAD], flatness[wheel, 0], read_vector(arms[wheel])
        radius = loaded_radius(wheels.radius[wheel], flat)
        forward, left = wheel_axes(n, outputs[wheel, STEERING])
        around = cross(read_vector(motion.angular_velocity[body]), arm)
        velocity = vec_add(read_vector(motion.velocity[body]), around)
        motor, friction = torques[wheel]
        rolling[ALONG], rolling[ACROSS] = dot(velocity, forward), dot(velocity, left)
        friction_left = 1.0 - FLAT_GRIP * flat
        rolling[GRIP] = wheels.friction[wheel] * surface_friction[wheel] * friction_left
        rolling[LEAN] = _lean(n, outputs[wheel, STEERING]) + wheels.camber[wheel]
        rolling[SOFT] = 1.0 - FLAT_SOFTNESS * flat
        resistance = wheels.rolling_resistance[wheel] + FLAT_RESISTANCE * flat
        rolling[BRAKE] = friction + resistance * radius * load
        write_vector(forward, forwards[wheel])
        _leave_to_spin(
            outputs[wheel],
            deflections[wheel],
            rolling,
            motor,
            radius,
            wheels.inertia[wheel],
            step_seconds,
            wheels.tyre[wheel],
            models,
            relaxation,
            peaks,
            numbers,
        )
    turn_wheels(drivetrains, drivetrain_state, state, step_seconds)
    for wheel in range(wheels.body.size):
        _deflect(
            outputs[wheel],
            deflections[wheel],
            forces[wheel],
            rollings[wheel],
            loaded_radius(wheels.radius[wheel], flatness[wheel, 0]),
            step_seconds,
            wheels.tyre[wheel],
            models,
            relaxation,
            peaks,
            sliding,
            trails,
            numbers,
        )
        along, across, aligning = read_vector(forces[wheel])
        outputs[wheel, ROTATION] += step_seconds * outputs[wheel, SPEED]
        body, forward = wheels.body[wheel], read_vector(forwards[wheel])
        n = read_vector(normals[wheel])
        force = vec_add(vec_scale(along, forward), vec_scale(across, cross(n, forward)))
        turn = vec_add(cross(read_vector(arms[wheel]), force), vec_scale(aligning, n))
        for k in range(3):
            motion.tyre_force[body, k] += force[k]
            motion.tyre_torque[body, k] += turn[k]


@jitable
def wheel_axes(n: Triple, steering: float) -> tuple[Triple, Triple]:
    """Unit vectors in B, in the ground's plane, along the wheel's heading and to its left.

    `n`: the ground's normal in B; `steering` [rad].
    """
    sine, cosine = sin_cos(steering)
    heading = (cosine, sine, 0.0)
    level = vec_sub(heading, vec_scale(dot(heading, n), n))
    forward = vec_scale(1.0 / max(sqrt(dot(level, level)), 1e-9), level)
    return forward, cross(n, forward)


@jitable
def _lean(n: Triple, steering: float) -> float:
    """Inclination [rad] of an upright wheel to the ground, positive where its top leans right."""
    sine, cosine = sin_cos(steering)
    return min(max(cosine * n[1] - sine * n[0], -MOST_LEAN), MOST_LEAN)


@jitable
def _creep_and_lead(rolling: Floats, dt: float) -> tuple[float, float]:
    """The share of creeping, and the carcass's damping over `dt` [s]."""
    creep = max(0.0, 1.0 - hypot(rolling[ALONG], rolling[ACROSS]) / CREEP_SPEED)
    most = max(STABLE_DAMPING / (dt * dt) - 1.0, 0.0)
    return creep, min(creep * DAMPING_TIME / dt, most)


@jitable
def _leave_to_spin(
    output: Floats,
    deflection: Floats,
    rolling: Floats,
    motor: float,
    radius: float,
    inertia: float,
    dt: float,
    tyre: int,
    models: Integers,
    relaxation: Floats,
    peaks: Floats,
    numbers: Floats,
) -> None:
    """Writes how a wheel would turn at the step's end if nothing but its tyre held it.

    Args:
        output: (7,) of the wheel, at the beginning of the step.
        deflection: (2,) m.
        rolling: (7,) of the wheel; inertia and free speed are written.
        motor: torque [N m].
        radius: of the wheel [m].
        inertia: of the wheel [kg m^2].
        dt: length of the step [s].
        tyre: the row of the wheel's tyre.
        models: see `TyreTable`, as all that follow.
        relaxation: see `TyreTable`.
        peaks: see `TyreTable`.
        numbers: see `TyreTable`.
    """
    load, friction, camber = output[LOAD], rolling[GRIP], rolling[LEAN]
    if load <= 0.0 or friction <= 0.0:
        rolling[INERTIA], rolling[FREE] = inertia, output[SPEED] + dt * motor / inertia
        return
    u, v = deflection
    vx = rolling[ALONG]
    length_x, length_y = relaxation[tyre]
    _, lead = _creep_and_lead(rolling, dt)
    relaxed_x = 1.0 / (1.0 + dt * abs(vx) / length_x)
    # The tyre's force is at_rest + stiffness * ((1 + lead) * u_next - lead * u), and u_next is
    # linear in the spin at the end of the step: `force` is its part without spin, `gain` its slope.
    probe = u if abs(u) > LEAST_DEFLECTION else LEAST_DEFLECTION
    tangent = -v / length_y * rolling[SOFT]
    slip, at_rest = probe / length_x * rolling[SOFT], 0.0
    force, _ = tyre_forces(models, peaks, numbers, tyre, slip, tangent, load, camber, friction)
    if models[tyre] > BRUSH:
        at_rest, _ = tyre_forces(models, peaks, numbers, tyre, 0.0, tangent, load, camber, friction)
    stiffness = max((force - at_rest) / probe, 0.0)
    force = at_rest + stiffness * ((1.0 + lead) * relaxed_x * (u - dt * vx) - lead * u)
    gain = stiffness * (1.0 + lead) * relaxed_x * dt * radius
    total = inertia + dt * radius * gain
    rolling[INERTIA] = total
    rolling[FREE] = (inertia * output[SPEED] + dt * (motor - radius * force)) / total


@jitable
def _deflect(
    output: Floats,
    deflection: Floats,
    force: Floats,
    rolling: Floats,
    radius: float,
    dt: float,
    tyre: int,
    models: Integers,
    relaxation: Floats,
    peaks: Floats,
    sliding: Floats,
    trails: Floats,
    numbers: Floats,
) -> None:
    """Writes what a tyre does to its wheel, which turns as at the step's end.

    Args:
        output: (7,) of the wheel; the slips are written.
        deflection: (2,) m, written.
        force: (3,) see `WheelState.force`, written.
        rolling: (7,) of the wheel.
        radius: of the wheel [m].
        dt: length of the step [s].
        tyre: the row of the wheel's tyre.
        models: see `TyreTable`, as all that follow.
        relaxation: see `TyreTable`.
        peaks: see `TyreTable`.
        sliding: see `TyreTable`.
        trails: see `TyreTable`.
        numbers: see `TyreTable`.
    """
    load, friction, speed = output[LOAD], rolling[GRIP], output[SPEED]
    if load <= 0.0 or friction <= 0.0:
        deflection[0] = deflection[1] = 0.0
        output[SLIP_RATIO] = output[SLIP_ANGLE] = 0.0
        force[0] = force[1] = force[2] = 0.0
        return
    u, v = deflection
    vx, vy = rolling[ALONG], rolling[ACROSS]
    length_x, length_y = relaxation[tyre]
    creep, lead = _creep_and_lead(rolling, dt)
    relaxed_x = 1.0 / (1.0 + dt * abs(vx) / length_x)
    relaxed_y = 1.0 / (1.0 + dt * abs(vx) / length_y)
    u_next, v_next = relaxed_x * (u + dt * (radius * speed - vx)), relaxed_y * (v - dt * vy)
    # On a slippery road the peak of a tyre that is not the standard one comes sooner, and that of
    # a soft one later.
    share = (1.0 if models[tyre] == STANDARD else friction) / rolling[SOFT]
    peak_x, peak_y = share * length_x * peaks[tyre, 0], share * length_y * peaks[tyre, 1]
    most = sliding[tyre] - (sliding[tyre] - 1.0) * creep
    combined = hypot(u_next / peak_x, v_next / peak_y)
    excess = combined / most
    if excess > 1.0:
        u_next, v_next = u_next / excess, v_next / excess
    deflection[0], deflection[1] = u_next, v_next
    output[SLIP_RATIO] = (radius * speed - vx) / max(abs(vx), SLIP_FLOOR)
    output[SLIP_ANGLE] = arctan2(vy, max(abs(vx), SLIP_FLOOR))
    slip = (u_next + lead * (u_next - u)) / length_x * rolling[SOFT]
    tangent = -(v_next + lead * (v_next - v)) / length_y * rolling[SOFT]
    along, across = tyre_forces(
        models, peaks, numbers, tyre, slip, tangent, load, rolling[LEAN], friction
    )
    trail = (trails[tyre, 0] + trails[tyre, 1] * load) * trail_share(combined)
    force[0], force[1], force[2] = along, across, -trail * across
