"""Engines, gearboxes and differentials as arrays: their properties, and their state."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.drivetrain import Lock
from autosim.vehicle.wheels.wheel_arrays import MountedWheel

FORCE, ENGINE, ELECTRIC = range(3)
"""Drive of the wheels: the motor force of the actuator alone, an engine, an electric motor."""

GEAR, SHIFTING, MOTOR_SPEED, MOTOR_TORQUE, DRIVE_TORQUE, DRIVE_INERTIA, DRIVE_SPEED = range(7)
"""Columns of `DrivetrainState.rows`."""

SAME_AXLE = 0.1
"""Largest distance [m] along the part between two wheels of one axle."""


class Drivetrains(NamedTuple):
    """The constant properties of the drivetrains of a drive actuators, with n wheels.

    source: (a,) int64, `FORCE`, `ENGINE` or `ELECTRIC`. Of engines: curve_speed [rad/s] and
    curve_torque [N m], those of actuator i in `curve_start[i]:curve_start[i + 1]`; idle and top
    [rad/s]; braking [N m]. Of electric motors: peak_torque [N m], peak_power [W], top [rad/s].
    inertia [kg m^2] of either; efficiency.

    ratio: of all gears with the final drive, those of actuator i in
    `gear_start[i]:gear_start[i + 1]`; reverse: (a,); is_automatic: (a,) 1 or 0; shift_up and
    shift_down [rad/s]; shift_seconds.

    The wheels of actuator i are `order[wheel_start[i]:wheel_start[i + 1]]`; share: (n,) of its
    torque that comes to each wheel. Its limited and locked differentials are `coupling_start[i]` up
    to `coupling_start[i + 1]`, c in all: each transfers at most preload + locking × the torque of
    the drive [N m] between `weight_wheel`, turned as much as `weight` says, of which its own are in
    `weight_start[k]:weight_start[k + 1]`.
    """

    source: Integers
    curve_start: Integers
    curve_speed: Floats
    curve_torque: Floats
    idle: Floats
    top: Floats
    braking: Floats
    peak_torque: Floats
    peak_power: Floats
    inertia: Floats
    efficiency: Floats
    gear_start: Integers
    ratio: Floats
    reverse: Floats
    is_automatic: Floats
    shift_up: Floats
    shift_down: Floats
    shift_seconds: Floats
    wheel_start: Integers
    order: Integers
    share: Floats
    coupling_start: Integers
    preload: Floats
    locking: Floats
    weight_start: Integers
    weight_wheel: Integers
    weight: Floats


class DrivetrainState(NamedTuple):
    """The state of a drivetrains with c couplings, float64, written in place.

    rows: (a, 7) gear (-1 reverse, 0 neutral), time [s] until a shift is over, speed [rad/s] and
    torque [N m] of the motor, torque [N m] and inertia [kg m^2] of the motor as the wheels feel
    them, speed [rad/s] at which the wheels turn it, through their differentials. couplings: (c,)
    N m, scratch; brakes: (n,) N m, scratch.
    """

    rows: Floats
    couplings: Floats
    brakes: Floats

    @classmethod
    def at_rest(cls, drivetrains: Drivetrains, wheels: int) -> "DrivetrainState":
        """In the first gear, the motors at their slowest."""
        rows = np.zeros((len(drivetrains.source), 7))
        rows[:, GEAR] = 1.0
        rows[:, MOTOR_SPEED] = drivetrains.idle
        return cls(rows, np.zeros(len(drivetrains.preload)), np.zeros(wheels))


@dataclass(frozen=True, slots=True)
class _Coupling:
    """A differential that is not open: how fast it is turned by each unit of the wheels' speeds."""

    lock: Lock
    through: float
    wheels: tuple[int, ...]
    weights: tuple[float, ...]


def drivetrains_of(
    actuators: Sequence[DriveActuator], wheels: Sequence[MountedWheel]
) -> Drivetrains:
    """The drivetrains of a world as arrays.

    Args:
        actuators: those that `MountedWheel.actuator` counts.
        wheels: in the order of the arrays.
    """
    driven = [_driven(each, number, wheels) for number, each in enumerate(actuators)]
    share = np.zeros(len(wheels))
    for shares, _ in driven:
        for wheel, part in shares.items():
            share[wheel] = part
    couplings = [each for _, found in driven for each in found]
    owner = np.array([wheel.actuator for wheel in wheels], dtype=np.int64)
    curves = [each.engine.curve if each.engine else () for each in actuators]
    points = np.array([point for curve in curves for point in curve]).reshape(-1, 2)
    boxes = [each.gearbox for each in actuators]
    limits = [
        (each.differentials.preload, each.differentials.locking)
        for each, (_, found) in zip(actuators, driven, strict=True)
        for _ in found
    ]
    return Drivetrains(
        source=np.array([_source(each) for each in actuators], dtype=np.int64),
        curve_start=_starts([len(curve) for curve in curves]),
        curve_speed=points[:, 0].copy(),
        curve_torque=points[:, 1].copy(),
        idle=_column([each.engine.idle_speed if each.engine else 0.0 for each in actuators]),
        top=_column([_top(each) for each in actuators]),
        braking=_column([each.engine.braking if each.engine else 0.0 for each in actuators]),
        peak_torque=_column([_electric(each)[0] for each in actuators]),
        peak_power=_column([_electric(each)[1] for each in actuators]),
        inertia=_column([_inertia(each) for each in actuators]),
        efficiency=_column([each.efficiency for each in boxes]),
        gear_start=_starts([len(each.ratios) for each in boxes]),
        ratio=_column([each.final * ratio for each in boxes for ratio in each.ratios]),
        reverse=_column([each.final * each.reverse for each in boxes]),
        is_automatic=_column([float(each.is_automatic) for each in boxes]),
        shift_up=_column([each.shift_up for each in boxes]),
        shift_down=_column([each.shift_down for each in boxes]),
        shift_seconds=_column([each.shift_seconds for each in boxes]),
        wheel_start=_starts(np.bincount(owner, minlength=len(actuators)).tolist()),
        order=np.argsort(owner, kind="stable").astype(np.int64),
        share=share,
        coupling_start=_starts([len(found) for _, found in driven]),
        preload=_column(
            [
                inf if each.lock == "locked" else preload
                for each, (preload, _) in zip(couplings, limits, strict=True)
            ]
        ),
        locking=_column(
            [locking * each.through for each, (_, locking) in zip(couplings, limits, strict=True)]
        ),
        weight_start=_starts([len(each.wheels) for each in couplings]),
        weight_wheel=np.array([each for one in couplings for each in one.wheels], dtype=np.int64),
        weight=_column([each for one in couplings for each in one.weights]),
    )


def axles_of(numbers: Sequence[int], wheels: Sequence[MountedWheel]) -> list[list[int]]:
    """The wheels `numbers` sorted into axles, the foremost first."""
    axles: list[list[int]] = []
    for number in sorted(numbers, key=lambda each: -wheels[each].device.position[0]):
        x = wheels[number].device.position[0]
        if axles and wheels[axles[-1][0]].device.position[0] - x < SAME_AXLE:
            axles[-1].append(number)
        else:
            axles.append([number])
    return axles


def _driven(
    actuator: DriveActuator, number: int, wheels: Sequence[MountedWheel]
) -> tuple[dict[int, float], list[_Coupling]]:
    """The share of the torque of each driven wheel, and the differentials that are not open."""
    own = [i for i, wheel in enumerate(wheels) if wheel.actuator == number]
    axles = axles_of([i for i in own if wheels[i].device.is_powered], wheels)
    if not axles or _source(actuator) == FORCE:
        return {}, []
    all_axles = axles_of(own, wheels)
    behind = actuator.differentials.rear_share
    parts = (
        [1.0]
        if len(axles) == 1
        else [1.0 - behind] + [behind / (len(axles) - 1)] * (len(axles) - 1)
    )
    shares = {i: part / len(axle) for axle, part in zip(axles, parts, strict=True) for i in axle}
    # The only driven axle is the front one, unless others stand ahead of it.
    is_front = [not index and set(axle) <= set(all_axles[0]) for index, axle in enumerate(axles)]
    found = []
    for axle, part, front in zip(axles, parts, is_front, strict=True):
        lock = actuator.differentials.front if front else actuator.differentials.rear
        left = [i for i in axle if wheels[i].device.position[1] > 0.0]
        right = [i for i in axle if i not in left]
        found += _coupling(lock, part, left, right)
    for first, second in itertools.pairwise(axles):
        found += _coupling(actuator.differentials.centre, 1.0, first, second)
    return shares, found


def _coupling(lock: Lock, through: float, first: list[int], second: list[int]) -> list[_Coupling]:
    if lock == "open" or not first or not second:
        return []
    weights = [1.0 / len(first)] * len(first) + [-1.0 / len(second)] * len(second)
    return [_Coupling(lock, through, (*first, *second), tuple(weights))]


def _source(actuator: DriveActuator) -> int:
    if actuator.engine:
        return ENGINE
    return ELECTRIC if actuator.electric_motor else FORCE


def _electric(actuator: DriveActuator) -> tuple[float, float]:
    motor = actuator.electric_motor
    return (motor.torque, motor.power) if motor else (0.0, 0.0)


def _top(actuator: DriveActuator) -> float:
    motor = actuator.engine or actuator.electric_motor
    return motor.top_speed if motor else 0.0


def _inertia(actuator: DriveActuator) -> float:
    motor = actuator.engine or actuator.electric_motor
    return motor.inertia if motor else 0.0


def _starts(counts: Sequence[int]) -> Integers:
    return np.cumsum([0, *counts]).astype(np.int64)


def _column(values: Sequence[float]) -> Floats:
    return np.array(values, dtype=np.float64)
