"""Braking manoeuvres."""

from dataclasses import replace
from typing import Any

import numpy as np

from autosim.applications.validation.laboratory import SETTLING, Laboratory
from autosim.applications.validation.proving_ground import (
    DriveCommand,
    DriveSamples,
    ProvingGround,
    Sample,
    TestSurface,
    holding_speed,
    plane,
)
from autosim.applications.validation.results import Chart, ChartCurve, Check, Section
from autosim.config.descriptions import RobotDescription
from autosim.config.world_settings import GRAVITY
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.bodies.box import BoxPart
from autosim.vehicle.body.body_state import body_parameters
from autosim.vehicle.info.standing_height import standing_height

LONGEST = 60.0
"""[s] after which a car that still moves is not waited for."""

HEADING_GAIN, RATE_GAIN = 1.0, 0.15
"""[rad/rad], [s]: by how much a driver steers against a heading, and against turning."""

LANE = 3.5
"""Width [m] of a lane."""

STEERING_RATIO = 16.0
"""Number of degrees of a car's steering wheel for one of its front wheels, as usual."""

ICE = 0.15
"""Factor of ice on the friction of dry asphalt."""

SPLIT_SPEED = 80.0 / 3.6
"""Speed [m/s] from which a car brakes on split friction."""

SLOW = 0.05
"""[m/s] below which a car has stopped: what is left is its springs' swinging."""


def brake_from(
    car: RobotDescription,
    speed: float,
    ground: TestSurface | None = None,
    *,
    is_held_straight: bool = False,
) -> DriveSamples:
    """Drives at `speed` [m/s], then brakes fully until the car stands.

    The steering stays straight, or steers against what turns the car. Time and place count from
    the beginning of braking.
    """
    with ProvingGround(car, ground) as track:
        track.start(speed)
        track.drive(SETTLING, holding_speed(speed, lambda track: 0.0))
        run = DriveSamples([track.sample()])
        while _speed(run.last) > SLOW and track.time < LONGEST:
            last = run.last
            against = -HEADING_GAIN * last.yaw - RATE_GAIN * last.yaw_rate
            track.step(DriveCommand(against if is_held_straight else 0.0, brake=1.0))
            run.samples.append(track.sample())
        return run.since(run.samples[0])


def _speed(sample: Sample) -> float:
    """[m/s], also of a car that slides sideways."""
    return float(np.hypot(sample.forward, sample.left))


def straight_braking(laboratory: Laboratory) -> Section:
    """ISO 21994: the stopping distance from 100 km/h."""
    speed = 100.0 / 3.6
    friction = peak_friction(laboratory.car)
    run = brake_from(laboratory.car, speed)
    ideal = speed**2 / (2.0 * friction * GRAVITY)
    deceleration = mean_deceleration(run, speed)
    checks = (
        Check(
            "stopping distance",
            run.last.x,
            "m",
            ideal,
            ideal / 0.75,
            f"v²/(2 μ g) = {ideal:.3g} m, and a third more",
        ),
        Check(
            "mean fully developed deceleration",
            deceleration,
            "m/s²",
            0.9 * friction * GRAVITY,
            1.05 * friction * GRAVITY,
            f"μ g = {friction * GRAVITY:.4g} m/s², − 10 % + 5 % (air)",
        ),
        Check("drift to the side", run.last.y, "m", -0.05, 0.05, "straight"),
    )
    chart = Chart(
        "braking",
        "Braking from 100 km/h",
        "distance [m]",
        "speed [m/s]",
        (ChartCurve("bmw_320i", run["x"], run["forward"]),),
    )
    text = "ISO 21994: full braking from 100 km/h on a dry, level road, the steering held straight."
    return Section("Straight-line braking (ISO 21994)", text, checks, (chart,))


def split_friction(laboratory: Laboratory) -> Section:
    """ISO 14512: braking with the left wheels on asphalt and the right ones on ice."""
    runs = _split_runs(laboratory)
    checks = _split_checks(laboratory, runs)
    text = (
        f"ISO 14512: asphalt (1.0) under the left wheels, ice ({ICE:g}) under the right ones; "
        "full braking from 80 km/h. The wheel is held straight, or a driver countersteers against "
        "heading and yaw rate. ABS brakes both rear wheels only as hard as the one on ice allows, "
        "so that they keep lateral grip: the car cannot brake as both frictions together would "
        "allow. ESC takes off some more in front while the driver is not yet steering enough."
    )
    return Section("Braking on split friction (ISO 14512)", text, checks, (_split_chart(runs),))


def _split_runs(laboratory: Laboratory) -> dict[str, DriveSamples]:
    """The drives, by the equipment of the car and the driver."""
    ground = plane(frictions=(1.0, ICE))
    plain = with_drive(laboratory.car, has_abs=False)
    with_esc = with_drive(laboratory.car, has_esc=True)
    return {
        "wheels that lock": brake_from(plain, SPLIT_SPEED, ground, is_held_straight=True),
        "ABS": brake_from(laboratory.car, SPLIT_SPEED, ground),
        "ABS, steered": brake_from(laboratory.car, SPLIT_SPEED, ground, is_held_straight=True),
        "ABS, ESC": brake_from(with_esc, SPLIT_SPEED, ground),
        "ABS, ESC, steered": brake_from(with_esc, SPLIT_SPEED, ground, is_held_straight=True),
    }


def _split_checks(laboratory: Laboratory, runs: dict[str, DriveSamples]) -> tuple[Check, ...]:
    body = laboratory.car.parts[0]
    assert isinstance(body, BoxPart)
    width = body.size[1]
    hands_off, stable = runs["ABS, ESC"], runs["ABS, ESC, steered"]
    seconds = hands_off["time"] <= 2.0
    friction = peak_friction(laboratory.car)
    held, low = runs["ABS, steered"], SPLIT_SPEED**2 / (2.0 * GRAVITY * friction)
    select_low = low / _select_low(laboratory, friction, ICE)
    # UN R13-H, annex 6, 5.3.5: three quarters of (4 k_L + k_H) / 5.
    required = low / (0.75 * (4.0 * ICE + 1.0) / 5.0)
    return (
        Check(
            "largest heading in the first 2 s, ABS and ESC, steering held",
            float(np.abs(hands_off["yaw"][seconds]).max()),
            "rad",
            0.0,
            0.2,
            "a driver has time to steer against it",
        ),
        Check(
            "stopping distance, ABS, steered",
            held.last.x,
            "m",
            select_low,
            1.1 * select_low,
            f"{select_low:.3g} m at the peak of the tyres' force, the rear axle as its wheel on "
            "ice allows, and a tenth more",
        ),
        Check(
            "stopping distance, ABS and ESC, steered",
            stable.last.x,
            "m",
            select_low,
            required,
            "as with ABS alone, and what UN R13-H, annex 6, 5.3.5 asks for",
        ),
        Check(
            "largest drift until it stands, ABS and ESC, steered",
            float(np.abs(stable["y"]).max()),
            "m",
            0.0,
            0.25 * (LANE - width),
            f"half of the room on each side of a car {width:g} m wide in a lane of {LANE:g} m",
        ),
        Check(
            "largest angle of the wheels, ABS and ESC, steered",
            float(np.abs(stable["steering"]).max()),
            "rad",
            0.0,
            np.radians(120.0) / STEERING_RATIO,
            "120° of a steering wheel that turns 16 times as far (UN R13-H, annex 6, 5.3.6)",
        ),
    )


def _split_chart(runs: dict[str, DriveSamples]) -> Chart:
    return Chart(
        "split",
        "Full braking from 80 km/h on split friction",
        "time [s]",
        "heading [rad]",
        tuple(
            ChartCurve(name, run["time"][run["time"] <= 4.0], run["yaw"][run["time"] <= 4.0])
            for name, run in runs.items()
        ),
    )


def _select_low(laboratory: Laboratory, friction: float, ice: float) -> float:
    """The share of full friction that a car brakes with whose rear axle has that of ice.

    The front wheels have (1 + ice) / 2 of theirs. The deceleration moves load to the front, so it
    is found by going round until it stays.
    """
    parameters = body_parameters([laboratory.car.parts[0]])
    wheels = [each for each in laboratory.car.devices if isinstance(each, WheelDevice)]
    along, x = [each.position[0] for each in wheels], float(parameters.centre_of_mass[0, 0])
    front, rear = max(along) - x, x - min(along)
    height = standing_height(laboratory.car, gravity=GRAVITY)
    height += float(parameters.centre_of_mass[0, 2])
    share = ice
    for _ in range(20):
        in_front = (rear + share * friction * height) / (front + rear)
        share = 0.5 * (1.0 + ice) * in_front + ice * (1.0 - in_front)
    return share


def ice(laboratory: Laboratory) -> Section:
    """ABS on ice: no longer way than locked wheels, and the car can be steered."""
    speed, friction = 50.0 / 3.6, 0.15
    ground = plane(frictions=(friction, friction))
    locked = brake_from(with_drive(laboratory.car, has_abs=False), speed, ground)
    rolling = brake_from(laboratory.car, speed, ground)
    checks = (
        Check(
            "way with ABS over way with locked wheels",
            rolling.last.x / locked.last.x,
            "1",
            0.5,
            1.0,
            "ABS brakes at the peak of the tyres' force",
        ),
    )
    chart = Chart(
        "ice",
        "Full braking from 50 km/h on ice",
        "distance [m]",
        "speed [m/s]",
        tuple(
            ChartCurve(name, each["x"], each["forward"])
            for name, each in (("ABS", rolling), ("wheels that lock", locked))
        ),
    )
    text = f"Full braking from 50 km/h where the friction is {friction:g}, straight ahead."
    return Section("Braking on ice", text, checks, (chart,))


def with_drive(car: RobotDescription, **values: Any) -> RobotDescription:
    """The car with other values in its drive actuators."""
    devices = tuple(
        replace(each, **values) if isinstance(each, DriveActuator) else each for each in car.devices
    )
    return replace(car, devices=devices)


def peak_friction(car: RobotDescription) -> float:
    """Greatest force along a wheel over its load: that of its tyre's coefficients."""
    wheel = next(each for each in car.devices if isinstance(each, WheelDevice))
    if not wheel.tyre.is_magic_formula:
        return wheel.friction
    return wheel.friction * dict(wheel.tyre.coefficients)["PDX1"]


def mean_deceleration(run: DriveSamples, speed: float) -> float:
    """From 80 % to 10 % of the speed, over the distance (UN R13-H)."""
    places, speeds = run["x"], run["forward"]
    fast, slow = (places[speeds <= share * speed][0] for share in (0.8, 0.1))
    return float(speed**2 * (0.8**2 - 0.1**2) / (2.0 * (slow - fast)))
