"""The car of the demo and of most worlds, `robots/impreza.xml`: how it stops, stands and turns."""

import numpy as np

from autosim.applications.validation.braking import brake_from, mean_deceleration, with_drive
from autosim.applications.validation.laboratory import SETTLING, Laboratory
from autosim.applications.validation.proving_ground import (
    DriveCommand,
    DriveSamples,
    ProvingGround,
    plane,
)
from autosim.applications.validation.results import (
    Chart,
    ChartCurve,
    Check,
    Section,
    band_check,
    limit_check,
)
from autosim.applications.validation.steering_manoeuvres import cornering_stiffness, ramp
from autosim.config.descriptions import RobotDescription
from autosim.config.world_settings import GRAVITY
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.vehicle.body.body_state import body_parameters

SLOPE = 0.3
"""Slope on which the hand brake holds the car, as its file says."""

ICE = 0.15
"""Factor of ice on the friction of dry asphalt."""

TURN_SPEED, TURN_ANGLE, TURN_SECONDS = 22.0, 0.01, 6.0
"""Speed [m/s], angle of the wheels [rad] and time [s] of a turn in which tyres are linear."""


def default_car(laboratory: Laboratory) -> Section:
    """Braking, standing on a slope and a gentle turn of the default car."""
    speed = 100.0 / 3.6
    car = laboratory.car
    run = brake_from(car, speed)
    locked = brake_from(with_drive(car, has_abs=False), speed)
    turn = laboratory.steer(TURN_SPEED, TURN_SECONDS, ramp(TURN_ANGLE))
    checks = (
        Check(
            "stopping distance from 100 km/h",
            run.last.x,
            "m",
            36.0,
            40.0,
            "ADAC: 36.4 m is the mean of 500 cars of 2013 to 2016, 40 m of ten years before",
        ),
        Check(
            "mean fully developed deceleration",
            mean_deceleration(run, speed),
            "m/s²",
            6.43,
            1.1 * GRAVITY,
            "at least UN R13-H, annex 3, 2.1.1; at most the grip of summer tyres, 1.1 g",
        ),
        Check("drift to the side", run.last.y, "m", -0.05, 0.05, "straight"),
        Check(
            "way with ABS over way with locked wheels, 50 km/h on ice",
            _way_on_ice(car),
            "1",
            0.5,
            1.0,
            "ABS brakes at the peak of the tyres' force",
        ),
        limit_check(
            "creep in 10 s on a slope of 30 %, hand brake",
            _creep(laboratory),
            "mm",
            0.1,
            "it stands",
        ),
        band_check(
            f"yaw rate at {TURN_SPEED:g} m/s and {TURN_ANGLE:g} rad",
            turn.last.yaw_rate,
            "rad/s",
            [("linear single-track model", _expected_yaw_rate(laboratory))],
            share=0.03,
        ),
    )
    text = (
        "`robots/impreza.xml`, the car of the demo and of most worlds: full braking from 100 km/h "
        "on a dry, level road (ISO 21994) and from 50 km/h on ice, standing on a slope, and a turn "
        "in which the tyres are linear. The single-track model has the stiffness of the axles' "
        "tyres at the loads of rest."
    )
    return Section(
        "The default car: impreza", text, checks, (_braking_chart(run, locked),), car="impreza"
    )


def _way_on_ice(car: RobotDescription) -> float:
    """The stopping distance with ABS from 50 km/h on ice over that with wheels that lock."""
    slippery = plane(frictions=(ICE, ICE))
    with_abs = brake_from(car, 50.0 / 3.6, slippery).last.x
    return with_abs / brake_from(with_drive(car, has_abs=False), 50.0 / 3.6, slippery).last.x


def _braking_chart(run: DriveSamples, locked: DriveSamples) -> Chart:
    return Chart(
        "braking_impreza",
        "Braking from 100 km/h, impreza",
        "distance [m]",
        "speed [m/s]",
        (
            ChartCurve("impreza", run["x"], run["forward"]),
            ChartCurve("without ABS", locked["x"], locked["forward"]),
        ),
    )


def _creep(laboratory: Laboratory) -> float:
    """Distance [mm] that the car creeps in 10 s after it has settled."""
    with ProvingGround(laboratory.car, plane(slope=SLOPE)) as track:
        track.drive(3.0 * SETTLING, lambda track: DriveCommand(hand_brake=1.0))
        first = track.sample()
        last = track.drive(10.0, lambda track: DriveCommand(hand_brake=1.0)).last
        return 1000.0 * float(np.hypot(last.x - first.x, last.y - first.y))


def _expected_yaw_rate(laboratory: Laboratory) -> float:
    """Steady yaw rate [rad/s] of a linear single-track model: v δ / (L + K v²).

    K [s²/m·m] = (W_f / C_f - W_r / C_r) / g with loads W and stiffnesses C of the axles.
    """
    car = laboratory.car
    wheels = [each for each in car.devices if isinstance(each, WheelDevice)]
    parameters = body_parameters([car.parts[0]])
    weight, x = float(parameters.mass[0]) * GRAVITY, float(parameters.centre_of_mass[0, 0])
    places = np.array([each.position[0] for each in wheels])
    front, rear = float(places.max() - x), float(x - places.min())
    base = front + rear
    in_front = cornering_stiffness(wheels[0], 0.5 * weight * rear / base)
    behind = cornering_stiffness(wheels[-1], 0.5 * weight * front / base)
    understeer = (1.0 / in_front - 1.0 / behind) / GRAVITY
    return TURN_SPEED * TURN_ANGLE / (base + understeer * TURN_SPEED**2)
