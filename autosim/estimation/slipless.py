"""The motion of a car whose wheels do not slip: a bicycle that turns on circles.

Source of the formulas: the kinematic bicycle with the centre of mass between the axles, as public
driverless-racing code has it: torque in, longitudinal acceleration limited by what the tyres hold.
The circle is written by its chord, so that driving straight is not a special case.
"""

from math import radians
from typing import NamedTuple

from autosim.jit import compiled, jitable
from autosim.portable import arctan, cos, hypot, sin, sin_cos, tan

Motion = tuple[float, float, float, float]
"""Pose and speed of a car: x [m], y [m], yaw [rad, counter-clockwise from x], speed [m/s]."""

Action = tuple[float, float]
"""Command of a controller to a car: steering [rad, positive left], torque of the motor [N m]."""

REST: Action = (0.0, 0.0)
"""Steering [rad] and torque [N m] of a car without a driver."""

_SMALL_ANGLE = 1e-8
"""Angle [rad] below which its sine is the angle to the last bit."""


class SliplessCar(NamedTuple):
    """The measures of a car that does not slip; the defaults are a formula-student car's."""

    front: float = 0.775
    """Distance [m] from the centre of mass forward to the front axle."""
    rear: float = 0.775
    """Distance [m] from the centre of mass back to the rear axle."""
    nose: float = 2.025
    """Distance [m] from the centre of mass forward to the foremost point."""
    mass: float = 210.0
    """Mass [kg] with the driver or what drives it."""
    wheel_radius: float = 0.215
    """Radius [m] of the wheels."""
    gear_ratio: float = 14.0
    """Turns of the motor per turn of the wheels."""
    drag: float = 100.0
    """Force [N] that brakes the car while it rolls."""
    longitudinal_acceleration: float = 2.0
    """Largest acceleration [m/s²] along the car that the tyres hold, drag overcome."""
    braking_force: float = 520.0
    """Largest force [N] of motor and brakes against the motion; the default is that of a motor
    alone, which pushes with as much."""
    lateral_acceleration: float = 3.0
    """Largest acceleration [m/s²] across the car that the tyres hold; the model slips at none."""
    steering_limit: float = radians(19.0)
    """Largest angle [rad] of the front wheels; the model takes any, controllers keep to it."""
    understeer: float = 0.0
    """Share [s/m] of its angle that a wheel loses per speed."""


def saturating_torque(car: SliplessCar) -> float:
    """The torque of the motor [N m] above which the tyres hold no more."""
    force = car.mass * car.longitudinal_acceleration + car.drag
    return force * car.wheel_radius / car.gear_ratio


@jitable
def slipless_step(motion: Motion, action: Action, seconds: float, car: SliplessCar) -> Motion:
    """The motion after `seconds` [s] under one action; for kernels.

    Args:
        motion: of the centre of mass, in any level frame.
        action: steering and torque, held all the time.
        seconds: zero or more.
        car: its measures.
    """
    x, y, yaw, speed = motion
    steering, torque = action
    wheel = steering / (1.0 + car.understeer * speed)
    slope = tan(wheel)
    wheelbase = car.front + car.rear
    slip = arctan(car.rear / wheelbase * slope)
    after = _speed_after(speed, torque, wheel - slip, slip, seconds, car)
    mean = _mean_speed(speed, after)
    # On the circle of the centre of mass, whose chord is along the mean yaw and the slip angle. The
    # radius, which is infinite straight ahead, stands in no product.
    scale = 1.0 / hypot(car.rear * slope, wheelbase)
    half = 0.5 * mean * seconds * slope * scale
    shorter = sin(half) / half if abs(half) > _SMALL_ANGLE else 1.0
    chord = mean * seconds * shorter * scale
    sine, cosine = sin_cos(yaw + half)
    return (
        x + chord * (wheelbase * cosine - car.rear * slope * sine),
        y + chord * (wheelbase * sine + car.rear * slope * cosine),
        yaw + 2.0 * half,
        after,
    )


@jitable
def _speed_after(
    speed: float, torque: float, front: float, rear: float, seconds: float, car: SliplessCar
) -> float:
    """The speed [m/s], never backward.

    `front` and `rear` are the angles [rad] of both axles' forces to the path of the centre of mass.
    """
    most = 0.5 * (car.mass * car.longitudinal_acceleration + car.drag) * car.wheel_radius
    least = -0.5 * car.braking_force * car.wheel_radius
    each = min(max(0.5 * torque * car.gear_ratio, least), most)
    pull = each * (cos(front) + cos(rear)) / (car.wheel_radius * car.mass)
    return max(0.0, speed + (pull - car.drag / car.mass) * seconds)


@jitable
def _mean_speed(before: float, after: float) -> float:
    """The mean speed [m/s] over the distance while it changes evenly."""
    # (2/3)(b³ − a³)/(b² − a²), without the difference that vanishes.
    both = before + after
    if both == 0.0:
        return 0.0
    return (before * before + before * after + after * after) * 2.0 / (3.0 * both)


@compiled
def _step(motion: Motion, action: Action, seconds: float, car: SliplessCar) -> Motion:
    return slipless_step(motion, action, seconds, car)


class SliplessModel:
    """The model as `StateProjector` takes one: a car that goes from motion to motion."""

    def __init__(self, car: SliplessCar | None = None) -> None:
        self.car = car or SliplessCar()

    def __call__(self, motion: Motion, action: Action, seconds: float) -> Motion:
        """The motion after `seconds` [s] under one action, in the frame of `motion`."""
        return _step(motion, action, seconds, self.car)
