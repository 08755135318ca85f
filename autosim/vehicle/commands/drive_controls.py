"""Between a drive actuator's command and its wheels: the steering's motor, ABS and ESC, as arrays.

ABS watches the slip of each wheel by itself: it lets the brake go where the wheel is about to lock,
and takes it back when the wheel rolls again; between the two it holds (three-state control, as in
R. Rajamani, Vehicle Dynamics and Control, 2nd ed., section 4.5). ESC compares the yaw rate with
that of the steering, bounded by what the road's grip allows, and brakes one wheel (the same,
chapter 8). Both know the true slip, speed and
friction, as a simulator does and a car has to estimate. Where a car turns as it should not, ESC
takes its throttle away as well.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import jitable
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.portable import arctan2, tan
from autosim.vehicle.body.body_motion import BodyMotion
from autosim.vehicle.body.body_state import BodyParameters
from autosim.vehicle.wheels.wheel_arrays import (
    ALONG,
    LOAD,
    SLIP_RATIO,
    MountedWheel,
    WheelParameters,
    WheelState,
    is_ahead,
)

ANGLE, MOMENT, EXPECTED, LOWEST, THROTTLE = range(5)
"""Columns of `ControlState.steering`, in their order."""

ABS_RELEASE_SLIP, ABS_APPLY_SLIP = 0.13, 0.09
"""Slip ratios of the ABS: above the first a brake releases, below the second it applies again. A
tyre grips best between the two."""

RELEASE_RATE, APPLY_RATE = 25.0, 4.0
"""[1/s]: how fast the share of the brake goes down and up; a hydraulic unit empties a brake in
less than 0.1 s and fills it more gently."""

LEAST_SHARE = 0.02
"""Share of the brake that is never released: what an ABS cannot pump back."""

ABS_SPEED = 1.5
"""[m/s] below which wheels may lock: walking pace."""

ESC_SPEED = 3.0
"""[m/s] below which ESC sleeps: a fast walk."""

ESC_GAIN = 25.0
"""[1/s]: yaw moment over moment of inertia and excess of the yaw rate. With as much grip as that
it is gone in 0.04 s, as fast as a hydraulic unit works."""

ESC_TOLERANCE = 0.03
"""[rad/s] by which the yaw rate may be off: what tyres and roads do to any car."""

ESC_THROTTLE = 0.1
"""[rad/s] of yaw rate beyond the tolerance at which the throttle is fully closed: a car that turns
6 degrees per second more than it is steered needs all lateral grip of its driven tyres."""

THROTTLE_RATE = 2.0
"""[1/s] at which the throttle comes back: half a second, so that it does not push at once again."""

STIFFNESS = 20.0
"""[N/rad] of a car's tyre for each newton of its load, against slip to the side: ESC judges by it
what a driver steers against."""

ESC_LAG = 0.08
"""[s] by which a car's yaw rate follows its steering; ESC does not take it for too little."""

GRIP_SHARE = 0.95
"""Share of the friction that a turn may take."""


class DriveControls(NamedTuple):
    """The constant properties of a actuators with n wheels.

    body, leader: (a,) int64, the part, and the actuator whose brakes it follows, its own number
    where there is none; has_abs, has_esc: (a,) 1 or 0; wheelbase: (a,) m. steering_rate: (a,)
    rad/s, 0 for any; delay: (a,) int64, steps; maximum: (a,) rad. has_rear: (a,) 1 or 0;
    rear_slow, rear_fast: (a,) ratios of angles; rear_speed: (a,) m/s. is_ahead: (n,) 1 for wheels
    ahead of the middle of their actuator's, else 0.
    """

    body: Integers
    leader: Integers
    has_abs: Floats
    has_esc: Floats
    wheelbase: Floats
    steering_rate: Floats
    delay: Integers
    maximum: Floats
    has_rear: Floats
    rear_slow: Floats
    rear_fast: Floats
    rear_speed: Floats
    is_ahead: Floats


class ControlState(NamedTuple):
    """The state of the controls, written in place.

    steering: (a, 5) float64, angle [rad], yaw moment [N m] that ESC wants, yaw rate [rad/s] that
    it expects, share of the brake that ABS leaves to the hindmost wheels, share of the throttle
    that ESC leaves; queue: (a, longest
    delay + 1) rad, the commands that have not arrived yet, the newest first; share: (n, 1) of the
    brake that ABS leaves.
    """

    steering: Floats
    queue: Floats
    share: Floats

    @classmethod
    def at_rest(cls, controls: DriveControls) -> "ControlState":
        """Straight ahead, brakes ready."""
        count = len(controls.body)
        longest = int(controls.delay.max(initial=0))
        steering = np.zeros((count, 5))
        steering[:, THROTTLE] = 1.0
        queue, share = np.zeros((count, longest + 1)), np.ones((len(controls.is_ahead), 1))
        return cls(steering, queue, share)


def controls_of(
    actuators: Sequence[DriveActuator],
    wheels: Sequence[MountedWheel],
    *,
    step_seconds: float,
) -> DriveControls:
    """The controls of a world as arrays.

    Args:
        actuators: those that `MountedWheel.actuator` counts.
        wheels: in the order of the arrays.
        step_seconds: length of a step [s].
    """
    owner = np.array([wheel.actuator for wheel in wheels], dtype=np.int64)
    along = np.array([wheel.device.position[0] for wheel in wheels])
    ahead = np.zeros(len(wheels))
    body, base = np.zeros(len(actuators), dtype=np.int64), np.ones(len(actuators))
    leader = np.arange(len(actuators), dtype=np.int64)
    for wheel in wheels:
        leader[wheel.actuator] = wheel.leader
    for number in range(len(actuators)):
        own = owner == number
        if own.any():
            front = own & is_ahead(along, own)
            ahead[front] = 1.0
            body[number] = wheels[int(np.flatnonzero(own)[0])].body
            if front.any() and (own & ~front).any():
                base[number] = along[front].mean() - along[own & ~front].mean()
    slow = [each.rear_steering for each in actuators]
    fast = [
        each.rear_steering if each.fast_rear_steering is None else each.fast_rear_steering
        for each in actuators
    ]
    return DriveControls(
        body=body,
        leader=leader,
        has_abs=_column([float(each.has_abs) for each in actuators]),
        has_esc=_column([float(each.has_esc) for each in actuators]),
        wheelbase=base,
        steering_rate=_column([each.steering_rate for each in actuators]),
        delay=np.array([round(each.steering_delay / step_seconds) for each in actuators], np.int64),
        maximum=_column([each.max_steering_angle for each in actuators]),
        has_rear=_column([float(each is not None) for each in slow]),
        rear_slow=_column([each or 0.0 for each in slow]),
        rear_fast=_column([each or 0.0 for each in fast]),
        rear_speed=_column([each.rear_steering_speed for each in actuators]),
        is_ahead=ahead,
    )


@jitable
def turn_steering(
    controls: DriveControls, i: int, wanted: float, state: ControlState, dt: float
) -> None:
    """Brings the angle of actuator i to the end of a step: later, and no faster than its rate."""
    delay, queue = controls.delay[i], state.queue[i]
    for k in range(delay, 0, -1):
        queue[k] = queue[k - 1]
    queue[0] = wanted
    arrived, rate = queue[delay], controls.steering_rate[i]
    if rate > 0.0:
        angle = state.steering[i, ANGLE]
        arrived = min(max(arrived, angle - dt * rate), angle + dt * rate)
    state.steering[i, ANGLE] = arrived


@jitable
def rear_wheel_angle(
    controls: DriveControls, i: int, angle: float, speed: float, side: float, ahead: float
) -> float:
    """Angle [rad] of a wheel of an actuator that also steers its rear axle.

    Both axles' wheels roll about the point that the bicycle's two wheels turn about, `side` [m]
    to the left of its axis.
    """
    share = min(abs(speed) / controls.rear_speed[i], 1.0)
    ratio = controls.rear_slow[i] + share * (controls.rear_fast[i] - controls.rear_slow[i])
    front, rear = tan(angle), tan(ratio * angle)
    curvature = (front - rear) / controls.wheelbase[i]
    return float(arctan2(front if ahead > 0.0 else rear, 1.0 - side * curvature))


@jitable
def update_esc(
    controls: DriveControls,
    i: int,
    grip: float,
    wheels: WheelParameters,
    parameters: BodyParameters,
    motion: BodyMotion,
    wheel_state: WheelState,
    state: ControlState,
    dt: float,
) -> None:
    """Writes the yaw moment [N m] by which ESC brings the part of actuator i back to its course.

    And the share of the throttle that it leaves. `grip` [m/s^2]: the lateral acceleration that the
    road allows.
    """
    row, body = state.steering[i], controls.body[i]
    row[MOMENT], row[THROTTLE] = 0.0, min(row[THROTTLE] + dt * THROTTLE_RATE, 1.0)
    speed, rate = motion.velocity[body, 0], motion.angular_velocity[body, 2]
    if speed < ESC_SPEED:
        row[EXPECTED] = rate
        return
    most = GRIP_SHARE * grip / speed
    angle = _without(row[ANGLE], _held_angle(controls, i, wheels, parameters, wheel_state))
    wanted = speed * tan(angle) / controls.wheelbase[i]
    wanted = min(max(wanted, -most), most)
    row[EXPECTED] += dt / (ESC_LAG + dt) * (wanted - row[EXPECTED])
    excess = rate - row[EXPECTED]
    beyond = max(abs(excess) - ESC_TOLERANCE, 0.0)
    moment = ESC_GAIN * parameters.inertia[body, 2] * beyond
    row[MOMENT] = -moment if excess > 0.0 else moment
    row[THROTTLE] = min(row[THROTTLE], max(1.0 - beyond / ESC_THROTTLE, 0.0))


@jitable
def _held_angle(
    controls: DriveControls,
    i: int,
    wheels: WheelParameters,
    parameters: BodyParameters,
    state: WheelState,
) -> float:
    """The steering angle [rad] that holds a part straight against the forces along its wheels.

    Brakes on a road with more grip on one side turn a car; its driver steers against them, and
    does not want to turn.
    """
    body, moment, hold = controls.body[i], 0.0, 0.0
    middle, side = parameters.centre_of_mass[body, 0], parameters.centre_of_mass[body, 1]
    for place in range(wheels.body_start[body], wheels.body_start[body + 1]):
        wheel = wheels.order[place]
        moment -= state.force[wheel, 0] * (wheels.position[wheel, 1] - side)
        if controls.is_ahead[wheel] > 0.0:
            arm = wheels.position[wheel, 0] - middle
            hold += STIFFNESS * state.output[wheel, LOAD] * max(arm, 0.0)
    return float(-moment / hold) if hold > 0.0 else 0.0


@jitable
def _without(angle: float, held: float) -> float:
    """The rest of a steering `angle` [rad] without the part that keeps the car straight."""
    if angle * held <= 0.0:
        return angle
    left = max(abs(angle) - abs(held), 0.0)
    return left if angle > 0.0 else -left


@jitable
def esc_brake_torque(
    wheels: WheelParameters,
    controls: DriveControls,
    motion: BodyMotion,
    state: ControlState,
    wheel: int,
    brake: float,
) -> float:
    """The brake torque [N m] of a wheel when ESC has had its say.

    Against too much turning it brakes the outer front wheel, for more the inner rear one; where
    the driver brakes, it takes as much from the wheel on the other side.
    """
    i = wheels.actuator[wheel]
    moment = state.steering[i, MOMENT]
    if moment == 0.0 or wheels.brake_force[wheel] == 0.0:
        return brake
    rate = motion.angular_velocity[wheels.body[wheel], 2]
    axle = 1.0 if moment * rate < 0.0 else 0.0
    side = wheels.steering_side[wheel]
    if controls.is_ahead[wheel] != axle or side == 0.0:
        return brake
    # A wheel on the left, braked, turns the part to the left.
    return max(brake + float(moment / side * wheels.radius[wheel]), 0.0)


@jitable
def update_abs(
    controls: DriveControls,
    wheels: WheelParameters,
    state: WheelState,
    control: ControlState,
    dt: float,
) -> None:
    """Writes the share of its brake that ABS leaves to each wheel, by the slip of the step before.

    Of the wheels behind the middle all have the share of the one that holds worst, so that the
    rear axle keeps its grip to the side (select low).
    """
    control.steering[:, LOWEST] = 1.0
    for wheel in range(wheels.body.size):
        i = wheels.actuator[wheel]
        if controls.has_abs[i] == 0.0:
            continue
        share, slip = control.share[wheel, 0], -state.output[wheel, SLIP_RATIO]
        along = state.rolling[wheel, ALONG]
        if along < 0.0:
            slip = -slip
        if abs(along) < ABS_SPEED or slip < ABS_APPLY_SLIP:
            share += dt * APPLY_RATE
        elif slip > ABS_RELEASE_SLIP:
            share -= dt * RELEASE_RATE
        share = min(max(share, LEAST_SHARE), 1.0)
        control.share[wheel, 0] = share
        if controls.is_ahead[wheel] == 0.0:
            control.steering[i, LOWEST] = min(control.steering[i, LOWEST], share)
    for wheel in range(wheels.body.size):
        if controls.is_ahead[wheel] == 0.0:
            control.share[wheel, 0] = control.steering[wheels.actuator[wheel], LOWEST]


def _column(values: Sequence[float]) -> Floats:
    return np.array(values, dtype=np.float64)
