"""Models of vehicles as references: kinematic and single-track (KS, ST), and multi-body (MB).

KS and ST are AutoSim's own, which the tests hold against CommonRoad's. MB is CommonRoad's: its
package `commonroad-vehicle-models` (M. Althoff and G. Würsching, BSD licence) is not part of
AutoSim, and without it there is no MB.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Literal

import numpy as np

from autosim.arrays import Floats
from autosim.config.world_settings import GRAVITY
from autosim.kinds.kinematic.model_catalogue import MODELS
from autosim.kinds.kinematic.model_parameters import COLUMN
from autosim.vehicle.kinematic import motion_equations
from autosim.vehicle.kinematic.kinematic_fleet import KinematicFleet, VehicleModel

Model = Literal["KS", "ST", "ST*", "MB", "MB*"]
"""KS, ST and MB are as published. ST* is ST with the cornering stiffness that the car's axles have
as load moves across them, and with tyres whose lateral force lags their slip as they roll. MB* is
MB with what differs between the car and vehicle 2: see `TRACKS`, `HEIGHT`, `ANTI_ROLL` and
`LoadSensitivity`. Its tyres also lack the shifts of their curves, which jump with the sign of the
camber: no Magic Formula file can hold them."""

STEP = 0.0025
"""[s]: the fastest mode of MB, the spin of a wheel at 8 m/s, takes as long to fade."""

PACKAGE = "commonroad-vehicle-models==3.0.2"

TRACKS = (1.471, 1.478)
"""Tracks [m] of the car in front and behind, of a BMW 320i (E46)."""

HEIGHT = 0.25 * (TRACKS[0] + TRACKS[1]) / 1.41
"""Height [m] of the car's centre of mass, by the mean static stability factor of passenger cars of
the model year 2003 (NHTSA, DOT HS 809 868)."""

ANTI_ROLL = (29000.0, 12000.0)
"""Stiffness [N m/rad] of the anti-roll bars in front and behind, for a roll of 5 degrees for each g
of lateral acceleration, within the 3 to 7 of Gillespie (1992)."""


@dataclass(frozen=True)
class LoadSensitivity:
    """Decrease of friction and cornering stiffness of a tyre of the car with its load.

    Those of the tyre 205/60 R15 in appendix 3 of Pacejka (2012), beside the friction and the
    stiffness that vehicle 2's tyres have at any load.

    Attributes:
        nominal: load [N] at which both are vehicle 2's.
        lateral: share of the lateral friction that is lost for each unit of load over `nominal`.
        longitudinal: the same of the longitudinal friction.
        greatest: load over `nominal` at which the cornering stiffness is greatest (PKY2).
    """

    nominal: float = 2700.0  # [N], of vehicle 2 in CommonRoad's parameters
    lateral: float = 0.145 / 0.990  # share, from PDY2 and PDY1 of its tyres
    longitudinal: float = 0.037 / 1.210  # share, from PDX2 and PDX1 of its tyres
    greatest: float = 2.13  # factor on the nominal load: PKY2 of its tyres

    def stiffness(self, load: float) -> float:
        """Cornering stiffness for each newton of `load` [N], over that at the nominal load.

        Pacejka's sin(2 atan(z)) / z at z = load / (nominal greatest), which is 2 / (1 + z²).
        """
        square = 1.0 / (self.greatest * self.greatest)
        share = load / self.nominal
        return (1.0 + square) / (1.0 + share * share * square)


LOAD_SENSITIVITY = LoadSensitivity()

ROLL_STIFFNESS = (41891.0, 28025.0)
"""Roll stiffness [N m/rad] of the car's axles: springs and bar in series with the tyres."""

RELAXATION = 0.3
"""Relaxation length [m] of the tyres of ST*: as the car's, of which `robots/tyres/commonroad.tir`
gives the stiffness of the carcass."""

SHIFTS = (
    *("p_hx1", "p_vx1", "r_hx1", "p_hy1", "p_hy3", "p_vy1", "p_vy3"),
    *("r_hy1", "r_vy1", "r_vy3"),
)
"""Parameters of MB's tyres that are zero in MB*."""

_Derivative = Callable[[Floats, list[float]], Floats]

Input = Callable[[float, Floats], tuple[float, float]]
"""Steering rate [rad/s] and acceleration [m/s²] at a time [s] in a state."""


@dataclass(frozen=True)
class Course:
    """Motion of a model, n samples, of its reference point: the rear axle (KS) or centre of mass.

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
    fleet = KinematicFleet([VehicleModel(MODELS[model], {})], step_seconds=STEP)
    constants = tuple(fleet.parameters[0].tolist())
    code = int(motion_equations.KS if model == "KS" else motion_equations.ST)

    def derive(state: Floats, held: list[float]) -> Floats:
        x, y, steering, forward, yaw, rate, slip = state.tolist()
        given = (x, y, yaw, forward, steering, 0.0, rate, slip)
        found = motion_equations.state_derivative(
            code, constants, given, (held[1], held[0], 0.0, motion_equations.DRIVE, 0.0)
        )
        return np.array([found[k] for k in (0, 1, 4, 3, 2, 6, 7)])

    return derive, np.array([0.0, 0.0, 0.0, speed, 0.0, 0.0, 0.0])


def _relaxing(model: Model, speed: float) -> tuple[_Derivative, Floats]:
    """ST with the forces across [N] of its front and its rear tyres as two more numbers."""
    del model
    plain, start = _own("ST", speed)
    p = KinematicFleet([VehicleModel(MODELS["ST"], {})], step_seconds=STEP).parameters[0]
    front, rear, mass, inertia = (float(p[COLUMN[name]]) for name in ("a", "b", "m", "I_z"))
    weight = GRAVITY * mass / (front + rear)
    friction, at_front, at_rear = (float(p[COLUMN[name]]) for name in ("mu", "C_Sf", "C_Sr"))
    # The body leans until the moment of its weight and of the turn is that of the axles.
    leaning = sum(ROLL_STIFFNESS) - mass * GRAVITY * HEIGHT
    moved = [
        HEIGHT * each / leaning / track for each, track in zip(ROLL_STIFFNESS, TRACKS, strict=True)
    ]

    def stiffness(state: Floats) -> tuple[float, float]:
        lateral = abs(float(state[7] + state[8]))
        return (
            friction * at_front * _axle_stiffness(weight * rear, moved[0] * lateral),
            friction * at_rear * _axle_stiffness(weight * front, moved[1] * lateral),
        )

    def derive(state: Floats, held: list[float]) -> Floats:
        found = np.append(plain(state[:7], held), (0.0, 0.0))
        _, _, steering, forward, _, rate, slip, in_front, behind = state.tolist()
        stiff_front, stiff_rear = stiffness(state)
        found[5] = (front * in_front - rear * behind) / inertia
        found[6] = (in_front + behind) / (mass * forward) - rate
        follows = forward / RELAXATION
        found[7] = follows * (stiff_front * (steering - slip - front * rate / forward) - in_front)
        found[8] = follows * (stiff_rear * (rear * rate / forward - slip) - behind)
        return found

    return derive, np.append(start, (0.0, 0.0))


def _axle_stiffness(load: float, moved: float) -> float:
    """Sum over both wheels of an axle of load [N] × stiffness for each newton, relative to nominal.

    Args:
        load: of the axle [N].
        moved: load [N] that has moved from the inner to the outer wheel.
    """
    outer = 0.5 * load + min(moved, 0.5 * load)
    wheels = (outer, load - outer)
    return sum(each * LOAD_SENSITIVITY.stiffness(each) for each in wheels)


def _multi_body(model: Model, speed: float) -> tuple[_Derivative, Floats]:
    parameters = _plain(_module("parameters_vehicle2").parameters_vehicle2())
    dynamics: FunctionType = _module("vehicle_dynamics_mb").vehicle_dynamics_mb
    if model == "MB*":
        _give_chassis_of_car(parameters)
        dynamics = _with_tyres_of_car(dynamics, parameters.tire)
    start = _module("init_mb").init_mb

    def derive(state: Floats, held: list[float]) -> Floats:
        return np.array(dynamics(state.tolist(), held, parameters))

    first = start([0.0, 0.0, 0.0, speed, 0.0, 0.0, 0.0], parameters)
    return derive, np.array(first, dtype=np.float64)


def _plain(parameters: object) -> SimpleNamespace:
    """The same parameters in a namespace of ours, which may be changed."""
    return SimpleNamespace(
        **{
            name: _plain(value) if hasattr(value, "__dict__") else value
            for name, value in vars(parameters).items()
        }
    )


def _give_chassis_of_car(p: SimpleNamespace) -> None:
    """Replaces tracks, heights and anti-roll bars of vehicle 2 by those of the car."""
    p.T_f, p.T_r = TRACKS
    p.h_s = (p.m * HEIGHT - (p.m_uf + p.m_ur) * p.R_w) / p.m_s
    p.I_uf, p.I_ur = (0.25 * p.m_uf * track * track for track in TRACKS)
    p.K_tsf, p.K_tsr = (-each for each in ANTI_ROLL)


def _with_tyres_of_car(dynamics: FunctionType, tyre: SimpleNamespace) -> FunctionType:
    """MB's equations with tyres that depend on their load as the car's do.

    Args:
        dynamics: CommonRoad's function, which takes its tyres' formulas from its module.
        tyre: its parameters; the shifts are set to zero.
    """
    for name in SHIFTS:
        setattr(tyre, name, 0.0)
    formulas: ModuleType = dynamics.__globals__["tireModel"]
    loaded = copy(tyre)

    def longitudinal(slip: float, camber: float, load: float, p: SimpleNamespace) -> float:
        excess = load / LOAD_SENSITIVITY.nominal - 1.0
        loaded.p_dx1 = p.p_dx1 * (1.0 - LOAD_SENSITIVITY.longitudinal * excess)
        return float(formulas.formula_longitudinal(slip, camber, load, loaded))

    def lateral(angle: float, camber: float, load: float, p: SimpleNamespace) -> list[float]:
        excess = load / LOAD_SENSITIVITY.nominal - 1.0
        loaded.p_dy1 = p.p_dy1 * (1.0 - LOAD_SENSITIVITY.lateral * excess)
        loaded.p_ky1 = p.p_ky1 * LOAD_SENSITIVITY.stiffness(load)
        found: list[float] = formulas.formula_lateral(angle, camber, load, loaded)
        return found

    replaced = SimpleNamespace(
        formula_longitudinal=longitudinal,
        formula_lateral=lateral,
        formula_longitudinal_comb=formulas.formula_longitudinal_comb,
        formula_lateral_comb=formulas.formula_lateral_comb,
    )
    return FunctionType(dynamics.__code__, {**dynamics.__globals__, "tireModel": replaced})


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


def _module(name: str) -> ModuleType:
    return import_module(f"vehiclemodels.{name}")
