"""Models of vehicles as references: kinematic and single-track (KS, ST), and multi-body (MB).

KS and ST are AutoSim's own, which the tests hold against CommonRoad's. MB is CommonRoad's: its
package `commonroad-vehicle-models` (M. Althoff and G. Würsching, BSD licence) is no part of
AutoSim, and without it there is no MB.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import GRAVITY
from autosim.kinds.kinematic.models import MODELS
from autosim.kinds.kinematic.parameters import COLUMN
from autosim.vehicle.kinematic import laws
from autosim.vehicle.kinematic.fleet import Fleet, VehicleModel

Model = Literal["KS", "ST", "ST*", "MB", "MB*"]
"""ST* is ST with tyres whose force across follows their slip as they roll, as real tyres' and the
car's do. MB* is MB without the shifts of its tyres' curves, which jump with the sign of the camber:
no Magic Formula file can hold them, so the car's tyres have none."""

STEP = 0.0025
"""[s]: the fastest mode of MB, the spin of a wheel at 8 m/s, takes as long to fade."""

PACKAGE = "commonroad-vehicle-models==3.0.2"

RELAXATION = 0.3
"""[m] that the tyres of ST* roll until their force has followed by 63 %: as the car's, of which
`robots/tyres/commonroad.tir` gives the stiffness of the carcass."""

SHIFTS = (
    *("p_hx1", "p_vx1", "r_hx1", "p_hy1", "p_hy3", "p_vy1", "p_vy3"),
    *("r_hy1", "r_vy1", "r_vy3"),
)
"""The parameters of MB's tyres that MB* has at zero."""

_Derivative = Callable[[Floats, list[float]], Floats]

Input = Callable[[float, Floats], tuple[float, float]]
"""Steering rate [rad/s] and acceleration [m/s²] at a time [s] in a state."""


@dataclass(frozen=True)
class Course:
    """What a model does, n samples, of its reference point: the rear axle (KS) or centre of mass.

    time [s]; x, y [m]; steering [rad]; speed [m/s], along the vehicle (ST: along the path);
    yaw [rad]; yaw_rate [rad/s]; sideslip [rad]; lateral [m/s²], at the reference point; roll [rad].
    """

    time: Floats
    x: Floats
    y: Floats
    steering: Floats
    speed: Floats
    yaw: Floats
    yaw_rate: Floats
    sideslip: Floats
    roll: Floats

    @property
    def lateral(self) -> Floats:
        """[m/s²] towards the inside of the turn: yaw rate, and change of sideslip, × speed."""
        turning = self.yaw_rate + np.gradient(self.sideslip, self.time)
        result: Floats = self.speed * turning
        return result


class Oracle:
    """Vehicle 2, a BMW 320i, in the models.

    `names`: those that there are here.
    """

    def __init__(self) -> None:
        has_multi_body = find_spec("vehiclemodels") is not None
        multi_body: tuple[Model, ...] = ("MB*", "MB") if has_multi_body else ()
        self.names: tuple[Model, ...] = ("KS", "ST", "ST*", *multi_body)

    def drive(self, model: Model, speed: float, seconds: float, command: Input) -> Course:
        """Integrates a model (classical Runge-Kutta, the input held over a step).

        Args:
            model: which; one of `names`.
            speed: [m/s] at the beginning, straight ahead.
            seconds: how long.
            command: the input.
        """
        make = {"KS": _own, "ST": _own, "ST*": _relaxing}.get(model, _multi_body)
        derive, state = make(model, speed)
        states, count = [state], round(seconds / STEP)
        for number in range(count):
            state = _step(derive, state, list(command(number * STEP, state)))
            states.append(state)
        time: Floats = STEP * np.arange(count + 1, dtype=np.float64)
        return _course(model, np.array(states), time)


def _own(model: Model, speed: float) -> tuple[_Derivative, Floats]:
    """AutoSim's model; its state in CommonRoad's order, of KS without the last two."""
    fleet = Fleet([VehicleModel(MODELS[model], {})], step_seconds=STEP)
    constants = tuple(fleet.parameters[0].tolist())
    code = int(laws.KS if model == "KS" else laws.ST)

    def derive(state: Floats, held: list[float]) -> Floats:
        x, y, steering, forward, yaw, rate, slip = state.tolist()
        given = (x, y, yaw, forward, steering, 0.0, rate, slip)
        found = laws.change(code, constants, given, (held[1], held[0], 0.0, laws.DRIVE, 0.0))
        return np.array([found[k] for k in (0, 1, 4, 3, 2, 6, 7)])

    return derive, np.array([0.0, 0.0, 0.0, speed, 0.0, 0.0, 0.0])


def _relaxing(model: Model, speed: float) -> tuple[_Derivative, Floats]:
    """ST with the forces across [N] of its front and its rear tyres as two more numbers."""
    del model
    plain, start = _own("ST", speed)
    p = Fleet([VehicleModel(MODELS["ST"], {})], step_seconds=STEP).parameters[0]
    front, rear, mass, inertia = (float(p[COLUMN[name]]) for name in ("a", "b", "m", "I_z"))
    grip = float(p[COLUMN["mu"]]) * GRAVITY * mass / (front + rear)
    stiff_front = grip * float(p[COLUMN["C_Sf"]]) * rear
    stiff_rear = grip * float(p[COLUMN["C_Sr"]]) * front

    def derive(state: Floats, held: list[float]) -> Floats:
        found = np.append(plain(state[:7], held), (0.0, 0.0))
        _, _, steering, forward, _, rate, slip, in_front, behind = state.tolist()
        found[5] = (front * in_front - rear * behind) / inertia
        found[6] = (in_front + behind) / (mass * forward) - rate
        follows = forward / RELAXATION
        found[7] = follows * (stiff_front * (steering - slip - front * rate / forward) - in_front)
        found[8] = follows * (stiff_rear * (rear * rate / forward - slip) - behind)
        return found

    return derive, np.append(start, (0.0, 0.0))


def _multi_body(model: Model, speed: float) -> tuple[_Derivative, Floats]:
    parameters: Any = _module("parameters_vehicle2").parameters_vehicle2()
    if model == "MB*":
        parameters.tire = copy(parameters.tire)
        for name in SHIFTS:
            setattr(parameters.tire, name, 0.0)
    start: Any = _module("init_mb").init_mb
    dynamics: Any = _module("vehicle_dynamics_mb").vehicle_dynamics_mb

    def derive(state: Floats, held: list[float]) -> Floats:
        return np.array(dynamics(state.tolist(), held, parameters))

    first = start([0.0, 0.0, 0.0, speed, 0.0, 0.0, 0.0], parameters)
    return derive, np.array(first, dtype=np.float64)


def following(steering: Callable[[float], float], speed: float, gain: float = 4.0) -> Input:
    """Steers to an angle [rad] that depends on time [s], and keeps a speed [m/s].

    `gain` [1/s]: acceleration for each m/s that is missing.
    """

    def command(time: float, state: Floats) -> tuple[float, float]:
        wanted = (steering(time + STEP) - float(state[2])) / STEP
        return wanted, gain * (speed - float(state[3]))

    return command


def _step(derive: _Derivative, state: Floats, held: list[float]) -> Floats:
    first = derive(state, held)
    second = derive(state + 0.5 * STEP * first, held)
    third = derive(state + 0.5 * STEP * second, held)
    fourth = derive(state + STEP * third, held)
    return state + STEP / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)


def _course(model: Model, states: Floats, time: Floats) -> Course:
    x, y, steering, speed, yaw = states[:, :5].T
    zero = np.zeros(len(time))
    if model == "KS":
        rate = np.gradient(yaw, time)
        return Course(time, x, y, steering, speed, yaw, rate, zero, zero)
    is_flat = model in ("ST", "ST*")
    sideslip = states[:, 6] if is_flat else np.arctan2(states[:, 10], speed)
    roll = zero if is_flat else states[:, 6]
    return Course(time, x, y, steering, speed, yaw, states[:, 5], sideslip, roll)


def _module(name: str) -> Any:
    return import_module(f"vehiclemodels.{name}")
