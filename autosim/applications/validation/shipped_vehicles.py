"""All shipped vehicles with steered wheels: how they stop, and whether they roll over."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from autosim.applications.validation.braking import brake_from, mean_deceleration
from autosim.applications.validation.laboratory import SETTLING, Laboratory, Steering
from autosim.applications.validation.proving_ground import (
    DriveCommand,
    Driver,
    DriveSamples,
    ProvingGround,
    holding_speed,
)
from autosim.applications.validation.results import (
    Check,
    Section,
    at_least,
    limit_check,
)
from autosim.applications.validation.rollover import GAINS, HELD, RATE, SLOWLY, sine_with_dwell
from autosim.arrays import Booleans, Floats
from autosim.config.descriptions import RobotDescription
from autosim.config.world_settings import GRAVITY
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.loading.loader import load_robot
from autosim.vehicle.wheels.wheel_arrays import LOAD

CAR_SPEED, TRUCK_SPEED = 80.0 / 3.6, 60.0 / 3.6
"""Speeds [m/s] of FMVSS 126, and of UN R13, annex 4, 2.1 for trucks."""

ROLLED_OVER = 0.35
"""Angle [rad] of a part to the vertical beyond which it counts as rolled over: with both wheels of
a side 0.6 m above the ground it is about to."""

LIFTED = 0.005
"""Share of a part's weight below which the wheels of a side count as lifted."""

DYNAMIC_SHARE = 0.75
"""Share of the static threshold up to which a vehicle that rolls before it slides is steered: the
dynamic threshold of trucks is a quarter lower (J. Gertsch and O. Eichelhard, Simulation of Dynamic
Rollover Threshold for Heavy Trucks, SAE 2003-01-3385)."""

_SMOOTHING = 12
"""Number of steps over which lateral accelerations are averaged: a twentieth of a second."""


@dataclass(frozen=True)
class Vehicle:
    """A shipped vehicle, the speed [m/s] of its manoeuvres, and what it must reach [m/s²].

    Attributes:
        name: name of the robot file.
        braking: least mean deceleration from full braking [m/s²].
        braking_source: origin of that number.
        lateral: least lateral acceleration in steady cornering [m/s²].
        lateral_source: origin of that number.
    """

    name: str
    speed: float = CAR_SPEED
    braking: float = 6.43
    braking_source: str = "UN R13-H, annex 3, 2.1.1"
    lateral: float = 7.0
    lateral_source: str = "what cars reach on dry roads (Gillespie 1992, chapter 6)"


VEHICLES = (
    *map(Vehicle, ("bmw_320i", "impreza", "ins_car", "sensor_car", "lidar_car", "scout")),
    Vehicle("trailer_rig"),
    Vehicle("formula", speed=20.0),
    Vehicle(
        "truck",
        speed=TRUCK_SPEED,
        braking=5.0,
        braking_source="UN R13, annex 4, 2.1.1",
        lateral=4.0,
        lateral_source="UN R111, static roll stability of trucks",
    ),
)


@dataclass(frozen=True)
class _Drive:
    """The samples of a drive, with the state of all parts after each step.

    shares: (n, parts) of the weight of a part with wheels, on its lighter side; leans: (n,) rad,
    the greatest angle of a part to the vertical.
    """

    run: DriveSamples
    shares: Floats
    leans: Floats

    @property
    def lateral(self) -> Floats:
        """Lateral acceleration (n,) [m/s²]."""
        return self.run["yaw_rate"] * self.run["forward"]

    @property
    def lifted(self) -> Booleans:
        """Whether the wheels of one side of a part are off the ground (n,)."""
        result: Booleans = self.shares.min(axis=1) < LIFTED
        return result


def shipped_vehicles(laboratory: Laboratory) -> Section:
    """Full braking, step steer and sine with dwell of each shipped vehicle."""
    checks: list[Check] = []
    for each in VEHICLES:
        checks += checks_of(each)
    truck = brake_from(load_robot("robots/truck.xml"), CAR_SPEED)
    checks.append(
        Check(
            "truck: stopping distance from 80 km/h",
            truck.last.x,
            "m",
            0.9 * 36.2,
            1.1 * 36.2,
            "36.2 m of a laden DAF XF (ADAC, 2015) ± 10 %",
        )
    )
    text = (
        "Each vehicle with steered wheels on a flat, dry road: full braking; a slowly increasing "
        "steer, up to the lateral acceleration where the wheels of a side lift or the tyres slide; "
        "a step to 5.7°, and sines with dwell of up to 6.5 A. A vehicle whose wheels lift is "
        f"steered less there: for {100.0 * DYNAMIC_SHARE:g} % of that acceleration, since it rolls "
        "over sooner in a quick manoeuvre (Gertsch and Eichelhard, SAE 2003-01-3385). Cars and "
        "trailers at 80 km/h, the truck with its trailer at 60 km/h, the racing car at 72 km/h."
    )
    return Section("All shipped vehicles", text, tuple(checks), car="value")


def checks_of(vehicle: Vehicle) -> list[Check]:
    """The numbers of one vehicle."""
    robot = load_robot(f"robots/{vehicle.name}.xml")
    braking = brake_from(robot, vehicle.speed)
    slow = _drive(robot, vehicle.speed, lambda time: SLOWLY * max(time, 0.0), 20.0)
    lateral = np.convolve(slow.lateral, np.ones(_SMOOTHING) / _SMOOTHING, "same")
    lifts = bool(slow.lifted.any())
    steady = lateral[: int(np.argmax(slow.lifted))] if lifts else lateral
    limit = float(steady.max())
    lean = _largest_lean(robot, vehicle.speed, _steering_per_lateral(slow), limit if lifts else 0.0)
    return [
        at_least(
            f"{vehicle.name}: mean fully developed deceleration",
            mean_deceleration(braking, vehicle.speed),
            "m/s²",
            vehicle.braking,
            vehicle.braking_source,
        ),
        Check(f"{vehicle.name}: drift to the side", braking.last.y, "m", -0.05, 0.05, "straight"),
        at_least(
            f"{vehicle.name}: lateral acceleration where {'wheels lift' if lifts else 'it slides'}",
            limit,
            "m/s²",
            vehicle.lateral,
            vehicle.lateral_source,
        ),
        limit_check(
            f"{vehicle.name}: greatest angle to the vertical, step steer and sine with dwell",
            lean,
            "rad",
            ROLLED_OVER,
            "no part rolls over",
        ),
    ]


def _largest_lean(robot: RobotDescription, speed: float, slope: float, threshold: float) -> float:
    """The greatest angle [rad] of a part to the vertical in step steer and in sines with dwell.

    Args:
        robot: the vehicle.
        speed: [m/s].
        slope: angle of the wheels for each lateral acceleration [rad s²/m].
        threshold: lateral acceleration [m/s²] where its wheels lift, 0 where it slides instead.
    """
    unit, most = slope * 0.3 * GRAVITY, slope * DYNAMIC_SHARE * threshold or np.inf
    step = min(HELD, most)
    drives = [_drive(robot, speed, lambda time: min(max(RATE * time, 0.0), step), 5.0)]
    for amplitude in sorted({min(gain * unit, most) for gain in GAINS}):
        drives.append(_drive(robot, speed, sine_with_dwell(amplitude), 4.0, coasts=True))
    return max(float(each.leans.max()) for each in drives)


def _steering_per_lateral(drive: _Drive) -> float:
    """Angle of the wheels for each lateral acceleration [rad s²/m], up to 0.375 g (S7.6)."""
    lateral, angle = drive.lateral, drive.run["steering"]
    chosen = (lateral >= 0.1 * GRAVITY) & (lateral <= 0.375 * GRAVITY)
    return float(np.polyfit(lateral[chosen], angle[chosen], 1)[0])


def _drive(
    robot: RobotDescription,
    speed: float,
    steering: Steering,
    seconds: float,
    *,
    coasts: bool = False,
) -> _Drive:
    """Steers at `speed` for `seconds`, or until a part has rolled over."""
    wheels = [each for each in robot.devices if isinstance(each, WheelDevice)]
    left = np.array([each.position[1] > 0.0 for each in wheels])
    on_part = [
        np.array([each.part == part for each in wheels])
        for part in dict.fromkeys(each.part for each in wheels)
    ]
    with ProvingGround(robot) as track:
        track.start(speed)
        track.drive(SETTLING, holding_speed(speed, lambda track: 0.0))
        first = track.sample()

        def turn(track: ProvingGround) -> float:
            return steering(track.time + 0.5 * track.step_seconds - first.time)

        driver: Driver = _coasting(turn) if coasts else holding_speed(speed, turn)
        run, shares, leans = DriveSamples(), [], []
        for _ in range(round(seconds / track.step_seconds)):
            track.step(driver(track))
            run.samples.append(track.sample())
            shares.append(
                [_lighter_share(track.wheels[each, LOAD], left[each]) for each in on_part]
            )
            leans.append(float(track.leans().max()))
            if leans[-1] > ROLLED_OVER:
                break
        return _Drive(run.since(first), np.array(shares), np.array(leans))


def _lighter_share(loads: Floats, is_left: Booleans) -> float:
    total = float(loads.sum())
    left = float(loads[is_left].sum())
    return min(left, total - left) / max(total, 1.0)


def _coasting(turn: Callable[[ProvingGround], float]) -> Driver:
    return lambda track: DriveCommand(turn(track))
