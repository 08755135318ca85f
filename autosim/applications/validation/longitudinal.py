"""Acceleration, coasting, and standing on a slope."""

import numpy as np

from autosim.applications.validation.laboratory import SETTLING, Laboratory
from autosim.applications.validation.proving_ground import (
    DriveCommand,
    ProvingGround,
    TestSurface,
    holding_speed,
    plane,
)
from autosim.applications.validation.results import Chart, ChartCurve, Check, Section, band_check
from autosim.arrays import Floats
from autosim.config.world_settings import GRAVITY
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.vehicle.body.body_state import body_parameters
from autosim.vehicle.wheels.wheel_arrays import GYRATION_SHARE, WHEEL_MASS_SHARE

FINE, LONGEST = 1e-3, 60.0
"""[s]: the step of the point mass, and after which time it is not waited for."""

NEUTRAL = 0.0
"""Gear of a `DriveActuator`, a number, in which nothing drives the wheels."""


def acceleration(laboratory: Laboratory) -> Section:
    """From rest to 100 km/h with full throttle."""
    speed = 100.0 / 3.6
    with ProvingGround(laboratory.car) as track:
        track.drive(SETTLING, lambda track: DriveCommand(brake=1.0))
        first = track.sample()
        run = track.drive(25.0, lambda track: DriveCommand(acceleration=1.0)).since(first)
    reached = float(run["time"][np.flatnonzero(run["forward"] >= speed)[0]])
    expected = _expected_time(laboratory, speed)
    checks = (
        band_check("0 to 100 km/h", reached, "s", [("point mass", expected)], share=0.03),
        Check("drift to the side", run.last.y, "m", -0.1, 0.1, "straight"),
    )
    chart = Chart(
        "acceleration",
        "Full throttle from rest",
        "time [s]",
        "speed [m/s]",
        (ChartCurve("bmw_320i", run["time"], run["forward"]),),
    )
    text = (
        "Full throttle from rest on a level road; the automatic gearbox shifts. The point mass has "
        "the engine's curve, the gears, the time to shift, air, rolling resistance, and the "
        "inertia of engine and wheels; it neither slips nor pitches. Engine and wheels take as "
        "much as 230 kg in the first gear. The car weighs 1093 kg as in CommonRoad, 350 kg less "
        "than the real one, which needs about 9 s and has a torque converter."
    )
    return Section("Acceleration", text, checks, (chart,))


def _expected_time(laboratory: Laboratory, speed: float) -> float:
    """The time [s] of a point mass from rest to `speed` [m/s] with full throttle."""
    (drive,) = (each for each in laboratory.car.devices if isinstance(each, DriveActuator))
    engine, box = drive.engine, drive.gearbox
    assert engine is not None
    mass, wheels, resistance, drag = _resistance(laboratory)
    radius, (speeds, torques) = wheels[0].radius, np.array(engine.curve).T
    now = time = shifting = 0.0
    gear = 0
    while now < speed and time < LONGEST:
        ratio = box.final * box.ratios[gear]
        turning = now / radius * ratio
        force, inertia = 0.0, mass
        if shifting > 0.0:
            shifting -= FINE
        elif turning > box.shift_up and gear + 1 < len(box.ratios):
            gear, shifting = gear + 1, box.shift_seconds
        else:
            force = float(np.interp(turning, speeds, torques)) * ratio * box.efficiency / radius
            # Below the idle speed the clutch slips, and the engine's own speed stays.
            inertia += engine.inertia * (ratio / radius) ** 2 if turning > engine.idle_speed else 0
        now += FINE * (force - resistance - drag * now * now) / inertia
        time += FINE
    return time


def _resistance(laboratory: Laboratory) -> tuple[float, list[WheelDevice], float, float]:
    """Mass [kg] with that of the wheels' turning, the wheels, rolling resistance [N], drag [kg/m].

    The inertia of wheels is a share of the part's mass, see `vehicle.wheels`.
    """
    car = laboratory.car
    wheels = [each for each in car.devices if isinstance(each, WheelDevice)]
    part = car.parts[0]
    mass = part.mass * (1.0 + len(wheels) * WHEEL_MASS_SHARE * GYRATION_SHARE)
    drag = float(body_parameters([part]).drag[0, 0])
    return mass, wheels, wheels[0].rolling_resistance * GRAVITY * part.mass, drag


def coast_down(laboratory: Laboratory) -> Section:
    """ISO 10521: rolling out in neutral, against the closed form."""
    speed, seconds = 40.0, 40.0
    with ProvingGround(laboratory.car) as track:
        track.start(speed)
        track.drive(SETTLING, holding_speed(speed, lambda track: 0.0))
        first = track.sample()
        run = track.drive(seconds, lambda track: DriveCommand(gear=NEUTRAL)).since(first)
    expected = _rolled_out(laboratory, first.forward, run["time"])
    checks = tuple(
        Check(
            f"speed after {after:g} s",
            float(np.interp(after, run["time"], run["forward"])),
            "m/s",
            0.99 * float(np.interp(after, run["time"], expected)),
            1.01 * float(np.interp(after, run["time"], expected)),
            f"closed form {float(np.interp(after, run['time'], expected)):.4g} m/s ± 1 %",
        )
        for after in (10.0, 40.0)
    )
    chart = Chart(
        "coast_down",
        "Rolling out in neutral",
        "time [s]",
        "speed [m/s]",
        (
            ChartCurve("bmw_320i", run["time"], run["forward"]),
            ChartCurve("closed form", run["time"], expected),
        ),
    )
    text = (
        "ISO 10521: rolling out from 144 km/h in neutral. With rolling resistance a and drag b v² "
        "the closed form is v = √(a/b) tan(arctan(v₀ √(b/a)) − √(a b) t)."
    )
    return Section("Coast-down (ISO 10521)", text, checks, (chart,))


def _rolled_out(laboratory: Laboratory, speed: float, time: Floats) -> Floats:
    mass, _, resistance, drag = _resistance(laboratory)
    a, b = resistance / mass, drag / mass
    angle = np.arctan(speed * np.sqrt(b / a)) - np.sqrt(a * b) * time
    speeds: Floats = np.sqrt(a / b) * np.tan(angle)
    return speeds


def slope(laboratory: Laboratory) -> Section:
    """Standing and starting on a slope of 20 %."""
    ground = plane(slope=0.2)
    moved = {
        "foot brake": _creep(laboratory, ground, DriveCommand(brake=1.0)),
        "hand brake": _creep(laboratory, ground, DriveCommand(hand_brake=1.0)),
    }
    with ProvingGround(laboratory.car, ground) as track:
        track.drive(3.0, lambda track: DriveCommand(brake=1.0))
        first = track.sample()
        run = track.drive(4.0, lambda track: DriveCommand(acceleration=0.7)).since(first)
    checks = (
        *(
            Check(f"creep in 30 s, {name}", 1000.0 * way, "mm", 0.0, 0.1, "it stands")
            for name, way in moved.items()
        ),
        Check("speed 4 s after a start uphill", run.last.forward, "m/s", 2.0, 20.0, "it climbs"),
        Check("rolling back at the start", float(run["x"].min()), "m", -0.05, 0.01, "next to none"),
    )
    text = "On a slope of 20 % the car stands for 30 s, then starts uphill with 70 % throttle."
    return Section("Standing and starting on a slope", text, checks)


def _creep(laboratory: Laboratory, ground: TestSurface, command: DriveCommand) -> float:
    """Distance [m] that a standing car moves in 30 s."""
    with ProvingGround(laboratory.car, ground) as track:
        track.drive(3.0, lambda track: command)
        first = track.sample()
        last = track.drive(30.0, lambda track: command).last
    return float(np.hypot(last.x - first.x, last.y - first.y))
