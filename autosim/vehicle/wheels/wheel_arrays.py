"""Wheels as arrays: their properties from robot files, and their state while they roll."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import RobotDescription
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import BUMP_STOP, WheelDevice
from autosim.vehicle.tyres.tyre_models import TyreTable, tyre_table
from autosim.vehicle.wheels.ackermann import ackermann_geometry

WHEEL_MASS_SHARE = 0.012
"""Mass of one wheel with tyre per kilogram of chassis mass; 17 kg for a car of 1400 kg."""

GYRATION_SHARE = 0.6
"""Moment of inertia of a wheel with tyre per mass and squared radius: between a disc (0.5) and
a hoop (1)."""

STEERING, ROTATION, SPEED, LENGTH, LOAD, SLIP_RATIO, SLIP_ANGLE = range(7)
"""Columns of `WheelState.output`, in the order of the fields of a `WheelDevice`."""

ALONG, ACROSS, GRIP, LEAN, SOFT, INERTIA, FREE, BRAKE = range(8)
"""Columns of `WheelState.rolling`, in their order."""


@dataclass(frozen=True, slots=True)
class MountedWheel:
    """A wheel with the numbers of the body and of the drive actuator that it belongs to.

    `leader` is the number of the drive actuator with which it brakes as well.
    """

    device: WheelDevice
    """Description of the wheel."""
    body: int
    actuator: int
    leader: int


class WheelParameters(NamedTuple):
    """The constant properties of n wheels on b bodies; float64 (n,) in SI unless stated otherwise.

    body, actuator: (n,) int64; position: (n, 3) m in B of the suspension's upper end from the
    shape's centre; radius, width; rest_length: of the suspension; stiffness [N/m], damping
    and, while it extends, rebound_damping [N s/m] of the suspension, which meets its bump stop of
    bump_stiffness [N/m] when pressed by `travel`; bar [N/m] of an anti-roll bar to the wheel
    bar_wheel (n,) int64, -1 without one; inertia [kg m^2] about the axle; friction: coefficient of
    the tyre;
    rolling_resistance: force by load; camber [rad], positive where the top leans to the right;
    tyre: (n,) int64 row of `tyres`;
    drive_force, brake_force, hand_brake_force [N] at the rim under full command;
    is_steering: (n,) 1 or 0;
    maximum_steering [rad]; steering_arm, steering_base, steering_side [m]: see
    `steering.steering_geometry`. The wheels of body i are
    `order[body_start[i]:body_start[i + 1]]`, (n,) and (b + 1,) int64.
    """

    body: Integers
    actuator: Integers
    position: Floats
    radius: Floats
    width: Floats
    rest_length: Floats
    stiffness: Floats
    damping: Floats
    rebound_damping: Floats
    travel: Floats
    bump_stiffness: Floats
    bar: Floats
    bar_wheel: Integers
    inertia: Floats
    friction: Floats
    rolling_resistance: Floats
    camber: Floats
    tyre: Integers
    tyres: TyreTable
    drive_force: Floats
    brake_force: Floats
    hand_brake_force: Floats
    is_steering: Floats
    maximum_steering: Floats
    steering_arm: Floats
    steering_base: Floats
    steering_side: Floats
    order: Integers
    body_start: Integers

    @property
    def wheel_count(self) -> int:
        """Number of wheels."""
        return int(self.body.size)


class WheelState(NamedTuple):
    """The state of n wheels; all float64, written in place.

    output: (n, 7) steering angle [rad], rotation [rad], angular velocity [rad/s], suspension
    length [m], load [N], slip ratio [1], slip angle [rad] (ISO 8855 signs); deflection: (n, 2)
    m, of the tyre's carcass along and across the wheel; normal: (n, 3) unit normal of the ground
    in B, zero where the wheel is in the air; arm: (n, 3) m in B from the centre of mass to the
    contact point; compression: (n,) m of the suspension; normal_row, response: (n, 6) and
    strut: (n, 6), scratch of `suspension.solve_suspension`. rolling: (n, 8) velocity [m/s]
    of the contact point along and across the wheel, friction of tyre and ground, inclination [rad]
    to the ground, positive where the top leans to the right, share of the tyre's stiffness that
    is left, inertia [kg m^2] against the spin, the tyre's with it, speed [rad/s] at the end of the
    step that motor and tyre leave, greatest torque [N m] of brake and rolling resistance; forward:
    (n, 3) unit vector in B, along the wheel on the ground: scratch of `carcass.roll_wheels`.
    force: (n, 3) along and across the wheel [N], and the aligning torque [N m] about the ground's
    normal, of the last step.
    flatness: (n, 1) share of its air that a tyre has lost; wanted_flatness: (n,) that it is to
    lose.
    """

    output: Floats
    deflection: Floats
    normal: Floats
    arm: Floats
    compression: Floats
    normal_row: Floats
    response: Floats
    strut: Floats
    rolling: Floats
    forward: Floats
    force: Floats
    flatness: Floats
    wanted_flatness: Floats

    @classmethod
    def at_rest(cls, parameters: WheelParameters) -> "WheelState":
        """Wheels that hang unturned from relaxed suspensions."""
        count = parameters.wheel_count
        state = cls(
            np.zeros((count, 7)),
            np.zeros((count, 2)),
            np.zeros((count, 3)),
            np.zeros((count, 3)),
            np.zeros(count),
            np.zeros((count, 6)),
            np.zeros((count, 6)),
            np.zeros((count, 6)),
            np.zeros((count, 8)),
            np.zeros((count, 3)),
            np.zeros((count, 3)),
            np.zeros((count, 1)),
            np.zeros(count),
        )
        state.reset(parameters)
        return state

    def reset(self, parameters: WheelParameters) -> None:
        """Back to the state that `at_rest` gives."""
        for values in self:
            values[...] = 0.0
        self.output[:, LENGTH] = parameters.rest_length


def mount_wheels(
    robot: RobotDescription, *, first_body: int, first_actuator: int
) -> list[MountedWheel]:
    """The wheels of one robot, in the order of its file.

    Args:
        robot: names in it are resolved already (the loader has checked them).
        first_body: number of the robot's first part among the world's bodies.
        first_actuator: number of its first drive actuator among the world's.

    Raises:
        KeyError: a wheel names a part or a drive actuator that the robot does not have.
    """
    bodies = {part.name: first_body + i for i, part in enumerate(robot.parts)}
    drives = [device for device in robot.devices if isinstance(device, DriveActuator)]
    actuators = {drive.name: first_actuator + i for i, drive in enumerate(drives)}
    leaders = {drive.name: actuators[drive.brakes_with or drive.name] for drive in drives}
    return [
        MountedWheel(
            device,
            bodies[device.part],
            actuators[device.drive_actuator],
            leaders[device.drive_actuator],
        )
        for device in robot.devices
        if isinstance(device, WheelDevice)
    ]


def wheel_parameters(
    wheels: Sequence[MountedWheel], actuators: Sequence[DriveActuator], *, mass: Floats
) -> WheelParameters:
    """The wheels of a world as arrays.

    Args:
        wheels: in the order of the arrays.
        actuators: those that `MountedWheel.actuator` counts.
        mass: (n_bodies,) kg of those that `MountedWheel.body` counts; suspension, brakes and
            the wheel's inertia are given or assumed per kilogram of it.
    """
    devices = [wheel.device for wheel in wheels]
    body = np.array([wheel.body for wheel in wheels], dtype=np.int64)
    actuator = np.array([wheel.actuator for wheel in wheels], dtype=np.int64)
    chassis = mass[body]
    radius = _column(device.radius for device in devices)
    position = np.array([device.position for device in devices]).reshape(-1, 3)
    is_steering = _column(device.is_steering for device in devices)
    bar, bar_wheel = _bars(wheels)
    tyre, tyres = tyre_table([device.tyre for device in devices], radius.tolist())
    arm, base, side = ackermann_geometry(position, is_steering=is_steering > 0, group=actuator)
    drives = [actuators[i] for i in actuator]
    motor = _column(0.0 if each.has_motor else each.motor_force for each in drives)
    brake = _column(each.brake_force for each in drives) * chassis
    has_brakes = _column(each.has_brakes for each in devices)
    hand = _column(each.hand_brake_force for each in drives) * chassis
    return WheelParameters(
        body=body,
        actuator=actuator,
        position=position,
        radius=radius,
        width=_column(device.width for device in devices),
        rest_length=_column(device.suspension_rest_length for device in devices),
        stiffness=_column(device.suspension_ks for device in devices) * chassis,
        damping=_column(device.suspension_kd for device in devices) * chassis,
        rebound_damping=_column(_rebound(device) for device in devices) * chassis,
        travel=_column(_travel(device) for device in devices),
        bump_stiffness=_column(_bump_stop(device) for device in devices) * chassis,
        bar=bar * chassis,
        bar_wheel=bar_wheel,
        inertia=WHEEL_MASS_SHARE * GYRATION_SHARE * chassis * radius**2,
        friction=_column(device.friction for device in devices),
        rolling_resistance=_column(device.rolling_resistance for device in devices),
        camber=-np.sign(position[:, 1]) * _column(device.camber for device in devices),
        tyre=tyre,
        tyres=tyres,
        drive_force=_shared(motor, _column(each.is_powered for each in devices), actuator),
        brake_force=_balanced(brake, has_brakes, actuator, actuators, position[:, 0]),
        hand_brake_force=_shared(hand, _column(each.has_hand_brake for each in devices), actuator),
        is_steering=is_steering,
        maximum_steering=_column(each.max_steering_angle for each in drives),
        steering_arm=arm,
        steering_base=base,
        steering_side=side,
        order=np.argsort(body, kind="stable").astype(np.int64),
        body_start=np.searchsorted(np.sort(body), np.arange(mass.size + 1)).astype(np.int64),
    )


def _rebound(wheel: WheelDevice) -> float:
    rebound = wheel.suspension_kd_rebound
    return wheel.suspension_kd if rebound is None else rebound


def _travel(wheel: WheelDevice) -> float:
    return wheel.suspension_travel or wheel.suspension_rest_length


def _bump_stop(wheel: WheelDevice) -> float:
    own = wheel.bump_stop_ks
    return BUMP_STOP * wheel.suspension_ks if own is None else own


def _bars(wheels: Sequence[MountedWheel]) -> tuple[Floats, Integers]:
    """Stiffness (n,) [N/(m kg)] of each wheel's anti-roll bar, and the number (n,) of the other.

    Zero and -1 without one. The names of bars are those of wheels of the same body.
    """
    stiffness, others = np.zeros(len(wheels)), np.full(len(wheels), -1, dtype=np.int64)
    numbers = {(each.body, each.device.name): i for i, each in enumerate(wheels)}
    for i, each in enumerate(wheels):
        bar = each.device.anti_roll_bar
        if bar is not None:
            j = numbers[each.body, bar.wheel]
            stiffness[i] = stiffness[j] = bar.ks
            others[i], others[j] = j, i
    return stiffness, others


def _column(values: Iterable[float]) -> Floats:
    return np.array(list(values), dtype=np.float64)


def _balanced(
    brake: Floats,
    has_brakes: Floats,
    actuator: Integers,
    actuators: Sequence[DriveActuator],
    along: Floats,
) -> Floats:
    """The part (n,) of the brake force (n,) [N] that acts on each wheel, `along` [m] in B."""
    force = _shared(brake, has_brakes, actuator)
    for number, each in enumerate(actuators):
        if each.brake_balance is not None:
            own = actuator == number
            is_front = own & is_ahead(along, own)
            for members, share in ((is_front, each.brake_balance), (own & ~is_front, None)):
                part = 1.0 - each.brake_balance if share is None else share
                braked = members & (has_brakes > 0.0)
                force[braked] = part * brake[braked] / max(int(braked.sum()), 1)
    return force


def is_ahead(along: Floats, members: Booleans) -> Booleans:
    """Mask of wheels (n,), `along` [m] in B, that are ahead of the middle of the `members`.

    The middle is that between the foremost and the hindmost.
    """
    if not members.any():
        return members
    own = along[members]
    result: Booleans = along > 0.5 * (float(own.min()) + float(own.max()))
    return result


def _shared(force: Floats, takes_part: Floats, actuator: Integers) -> Floats:
    """The part (n,) of the `force` (n,) [N] of its actuator (n,) that acts on each wheel."""
    count = np.bincount(actuator, weights=takes_part)[actuator]
    shares: Floats = force * takes_part / np.maximum(count, 1.0)
    return shares
