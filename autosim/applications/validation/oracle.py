"""The vehicle models of CommonRoad as references: single-track (ST) and multi-body (MB).

`commonroad-vehicle-models` (M. Althoff and G. Würsching, BSD licence) is no part of AutoSim; it is
asked for where it is wanted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

import numpy as np

from autosim.arrays import Floats
from autosim.errors import UserError

Model = Literal["KS", "ST", "MB"]

STEP = 0.0025
"""[s]: the fastest mode of MB, the spin of a wheel at 8 m/s, takes as long to fade."""

PACKAGE = "commonroad-vehicle-models==3.0.2"

MISSING = f"the reference models are not installed: pip install {PACKAGE}"

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
    """Vehicle 2, a BMW 320i, in the models of the package.

    Raises:
        UserError: the package is not installed.
    """

    def __init__(self) -> None:
        try:
            self.parameters = _module("parameters_vehicle2").parameters_vehicle2()
        except ImportError as error:
            raise UserError(MISSING) from error

    def drive(self, model: Model, speed: float, seconds: float, command: Input) -> Course:
        """Integrates a model (classical Runge-Kutta, the input held over a step).

        Args:
            model: which.
            speed: [m/s] at the beginning, straight ahead.
            seconds: how long.
            command: the input.
        """
        derive, state = self._start(model, speed)
        states, count = [state], round(seconds / STEP)
        for number in range(count):
            state = _step(derive, state, list(command(number * STEP, state)))
            states.append(state)
        time: Floats = STEP * np.arange(count + 1, dtype=np.float64)
        return _course(model, np.array(states), time, self.parameters)

    def _start(self, model: Model, speed: float) -> tuple[_Derivative, Floats]:
        name = model.lower()
        core = [0.0, 0.0, 0.0, speed, 0.0, 0.0, 0.0]
        start: Any = getattr(_module(f"init_{name}"), f"init_{name}")
        first = start(core, self.parameters) if model == "MB" else start(core)
        dynamics = getattr(_module(f"vehicle_dynamics_{name}"), f"vehicle_dynamics_{name}")

        def derive(state: Floats, held: list[float]) -> Floats:
            return np.array(dynamics(state.tolist(), held, self.parameters))

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


def _course(model: Model, states: Floats, time: Floats, parameters: Any) -> Course:
    x, y, steering, speed, yaw = states[:, :5].T
    zero = np.zeros(len(time))
    if model == "KS":
        rate = speed * np.tan(steering) / (parameters.a + parameters.b)
        return Course(time, x, y, steering, speed, yaw, rate, zero, zero)
    sideslip = states[:, 6] if model == "ST" else np.arctan2(states[:, 10], speed)
    roll = zero if model == "ST" else states[:, 6]
    return Course(time, x, y, steering, speed, yaw, states[:, 5], sideslip, roll)


def _module(name: str) -> Any:
    return import_module(f"vehiclemodels.{name}")
