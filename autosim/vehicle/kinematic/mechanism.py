"""The steering of ACTUATION_CMD_MECHANICAL: a controller, a power steering and a mass that turns.

The equations are those of Autoware Universe, `simple_planning_simulator`, `MechanicalController`: a
PID controller with feed-forward on the angle of the wheels, a polynomial for the torque of the
power steering, and I ω' = T - D ω - K θ - F sign(ω), integrated by the method of Runge and Kutta.
"""

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.kinds.kinematic.model_parameters import COLUMN

RATE, INTEGRAL, ERROR, BEFORE, IS_DEAD, WAITED = range(6)
"""Columns of the state: rate [rad/s] of the wheels' angle; integral [rad s] and error [rad] of the
controller; the angle [rad] that was asked for last; whether friction holds the steering; and the
time [s] since it was started."""

SIZE = 6
"""Number of columns of the state."""


def _column(name: str) -> int:
    return COLUMN[f"mechanical_params.{name}"]


_KP, _KI, _KD, _FF_GAIN = _column("kp"), _column("ki"), _column("kd"), _column("ff_gain")
_ANGLE_LIMIT, _RATE_LIMIT = _column("angle_limit"), _column("rate_limit")
_DEAD_ZONE, _TORQUE_LIMIT = _column("dead_zone_threshold"), _column("steering_torque_limit")
_A, _B, _C, _D = _column("poly_a"), _column("poly_b"), _column("poly_c"), _column("poly_d")
_E, _F, _G, _H = _column("poly_e"), _column("poly_f"), _column("poly_g"), _column("poly_h")
_INERTIA, _DAMPING = _column("inertia"), _column("damping")
_STIFFNESS, _FRICTION = _column("stiffness"), _column("friction")
_DELAY = _column("torque_delay_time")

_NO_TIME = 1e-6
"""Step [s] below which the error has no rate, that of Autoware's controller."""

_TOLERANCE = 1e-9
"""Rounding [s] of a sum of steps."""


@jitable
def turn(p: Floats, steer: float, wanted: float, velocity: float, dt: float, held: Floats) -> float:
    """The angle [rad] of the wheels after a step.

    Args:
        p: the vehicle's parameters, by `COLUMN`.
        steer: the angle [rad] before.
        wanted: the angle [rad] that is asked for.
        velocity: of the vehicle [m/s].
        dt: length of the step [s].
        held: (6,) the state, see `RATE`; written.
    """
    rate = held[RATE]
    step = min(max(wanted, -p[_ANGLE_LIMIT]), p[_ANGLE_LIMIT]) - held[BEFORE]
    limited = held[BEFORE] + min(max(step, -p[_RATE_LIMIT] * dt), p[_RATE_LIMIT] * dt)
    limited = min(max(limited, -p[_ANGLE_LIMIT]), p[_ANGLE_LIMIT])
    moves = held[WAITED] > 0.0 and held[WAITED] >= p[_DELAY] - _TOLERANCE
    angle, speed = steer, rate
    angle_sum, rate_sum, torque_sum, error_sum = 0.0, 0.0, 0.0, 0.0
    for stage in range(4):
        torque = _torque(p, limited - angle, limited, velocity, dt, held)
        faster, turned = 0.0, 0.0
        # Whether friction holds it is asked of each stage's own rate, as Autoware does.
        if moves and not _is_dead(p, speed, torque, held[IS_DEAD] > 0.0):
            turned = speed
            rubbed = p[_FRICTION] if speed >= 0.0 else -p[_FRICTION]
            resisted = p[_DAMPING] * speed + p[_STIFFNESS] * angle + rubbed
            faster = (torque - resisted) / p[_INERTIA]
        weight = 2.0 if stage in (1, 2) else 1.0
        angle_sum += weight * turned
        rate_sum += weight * faster
        torque_sum += weight * torque
        error_sum += weight * (limited - angle)
        reach = dt if stage == 2 else 0.5 * dt
        angle, speed = steer + reach * turned, rate + reach * faster
    after = steer + dt / 6.0 * angle_sum
    rate = min(max(rate + dt / 6.0 * rate_sum, -p[_RATE_LIMIT]), p[_RATE_LIMIT])
    held[RATE] = rate
    held[ERROR] = error_sum / 6.0
    held[INTEGRAL] += dt * held[ERROR]
    held[BEFORE] = wanted
    held[IS_DEAD] = 1.0 if _is_dead(p, rate, torque_sum / 6.0, held[IS_DEAD] > 0.0) else 0.0
    held[WAITED] += dt
    return float(min(max(after, -p[_ANGLE_LIMIT]), p[_ANGLE_LIMIT]))


@jitable
def _torque(
    p: Floats, error: float, limited: float, velocity: float, dt: float, held: Floats
) -> float:
    """Torque [N m] of the power steering, by what the controller asks for."""
    rate = 0.0 if dt < _NO_TIME else (error - held[ERROR]) / dt
    x = p[_KP] * error + p[_KI] * (held[INTEGRAL] + error * dt) + p[_KD] * rate
    x += p[_FF_GAIN] * limited
    v = abs(velocity)
    torque = p[_A] * x * x * x + p[_B] * x * x + p[_C] * x
    torque += p[_D] * v * v * v + p[_E] * v * v + p[_F] * v + p[_G] * x * v + p[_H]
    return float(min(max(torque, -p[_TORQUE_LIMIT]), p[_TORQUE_LIMIT]))


@jitable
def _is_dead(p: Floats, rate: float, torque: float, was_dead: bool) -> bool:
    """Whether friction holds the steering against a torque [N m]."""
    is_against = (torque >= 0.0) != (rate >= 0.0)
    is_weak = abs(torque) < p[_DEAD_ZONE]
    return is_weak and (is_against or was_dead)
