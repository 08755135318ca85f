"""How the car gathers speed, loses it, and stands on a slope."""

import numpy as np

from autosim.applications.validation.laboratory import SETTLING, Laboratory
from autosim.applications.validation.results import Chart, Check, Curve, Section
from autosim.applications.validation.track import Command, Ground, Track, holding_speed, plane
from autosim.arrays import Floats
from autosim.config.descriptions import GRAVITY
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.vehicle.body.bodies import body_parameters

NEUTRAL = 0.0
"""Gear of a `DriveActuator`, a number, in which nothing drives the wheels."""


def acceleration(laboratory: Laboratory) -> Section:
    """From rest to 100 km/h with full throttle."""
    speed = 100.0 / 3.6
    with Track(laboratory.car) as track:
        track.drive(SETTLING, lambda track: Command(brake=1.0))
        first = track.sample()
        run = track.drive(25.0, lambda track: Command(acceleration=1.0)).since(first)
    reached = float(run["time"][np.flatnonzero(run["forward"] >= speed)[0]])
    ideal = _least_time(laboratory, speed)
    checks = (
        Check(
            "0 to 100 km/h",
            reached,
            "s",
            ideal,
            2.2 * ideal,
            f"m v² / (2 P η) = {ideal:.3g} s with full power all the time, and 2.2 times that",
        ),
        Check("drift to the side", run.last.y, "m", -0.1, 0.1, "straight"),
    )
    chart = Chart(
        "acceleration",
        "Full throttle from rest",
        "time [s]",
        "speed [m/s]",
        (Curve("bmw_320i", run["time"], run["forward"]),),
    )
    text = (
        "Full throttle from rest on a level road; the automatic gearbox shifts. The car weighs "
        "1093 kg as in CommonRoad, 350 kg less than the real one, which needs about 9 s."
    )
    return Section("Acceleration", text, checks, (chart,))


def _least_time(laboratory: Laboratory, speed: float) -> float:
    (drive,) = (each for each in laboratory.car.devices if isinstance(each, DriveActuator))
    assert drive.engine is not None
    power = max(turning * torque for turning, torque in drive.engine.curve)
    mass = laboratory.car.parts[0].mass
    return mass * speed**2 / (2.0 * power * drive.gearbox.efficiency)


def coast_down(laboratory: Laboratory) -> Section:
    """ISO 10521: rolling out in neutral, against the closed form."""
    speed, seconds = 40.0, 40.0
    with Track(laboratory.car) as track:
        track.start(speed)
        track.drive(SETTLING, holding_speed(speed, lambda track: 0.0))
        first = track.sample()
        run = track.drive(seconds, lambda track: Command(gear=NEUTRAL)).since(first)
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
            Curve("bmw_320i", run["time"], run["forward"]),
            Curve("closed form", run["time"], expected),
        ),
    )
    text = (
        "ISO 10521: rolling out from 144 km/h in neutral. With rolling resistance a and drag b v² "
        "the closed form is v = √(a/b) tan(arctan(v₀ √(b/a)) − √(a b) t)."
    )
    return Section("Coast-down (ISO 10521)", text, checks, (chart,))


def _rolled_out(laboratory: Laboratory, speed: float, time: Floats) -> Floats:
    car = laboratory.car
    wheels = [each for each in car.devices if isinstance(each, WheelDevice)]
    part = car.parts[0]
    # The wheels turn with it: their inertia is a share of the part's mass, see `vehicle.wheels`.
    inertia = part.mass * (1.0 + len(wheels) * 0.012 * 0.6)
    a = wheels[0].rolling_resistance * GRAVITY * part.mass / inertia
    b = float(body_parameters([part]).drag[0, 0]) / inertia
    angle = np.arctan(speed * np.sqrt(b / a)) - np.sqrt(a * b) * time
    speeds: Floats = np.sqrt(a / b) * np.tan(angle)
    return speeds


def slope(laboratory: Laboratory) -> Section:
    """Standing and starting on a slope of 20 %."""
    ground = plane(slope=0.2)
    moved = {
        "foot brake": _creep(laboratory, ground, Command(brake=1.0)),
        "hand brake": _creep(laboratory, ground, Command(hand_brake=1.0)),
    }
    with Track(laboratory.car, ground) as track:
        track.drive(3.0, lambda track: Command(brake=1.0))
        first = track.sample()
        run = track.drive(4.0, lambda track: Command(acceleration=0.7)).since(first)
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


def _creep(laboratory: Laboratory, ground: Ground, command: Command) -> float:
    """How far [m] the car moves in 30 s that stands."""
    with Track(laboratory.car, ground) as track:
        track.drive(3.0, lambda track: command)
        first = track.sample()
        last = track.drive(30.0, lambda track: command).last
    return float(np.hypot(last.x - first.x, last.y - first.y))
