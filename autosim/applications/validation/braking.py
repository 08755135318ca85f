"""How the car stops."""

from autosim.applications.validation.laboratory import HERTZ, SETTLING, Laboratory
from autosim.applications.validation.results import Chart, Check, Curve, Section
from autosim.applications.validation.track import Command, Ground, Run, Track, holding_speed
from autosim.config.descriptions import GRAVITY, RobotDescription
from autosim.kinds.actuators.wheel import WheelDevice

LONGEST = 60.0
"""[s] after which a car that still moves is not waited for."""

SLOW = 0.05
"""[m/s] below which a car has stopped: what is left is its springs' swinging."""


def brake_from(
    car: RobotDescription,
    speed: float,
    ground: Ground | None = None,
    *,
    steering: float = 0.0,
    brake: float = 1.0,
    hertz: float = HERTZ,
) -> Run:
    """Drives at `speed` [m/s], then brakes until the car stands; its time and place from there."""
    with Track(car, ground, hertz=hertz) as track:
        track.start(speed)
        track.drive(SETTLING, holding_speed(speed, lambda time: 0.0))
        run = Run([track.sample()])
        while run.last.forward > SLOW and track.time < LONGEST:
            track.step(Command(steering, brake=brake))
            run.samples.append(track.sample())
        return run.since(run.samples[0])


def straight_braking(laboratory: Laboratory) -> Section:
    """ISO 21994: the stopping distance from 100 km/h."""
    speed = 100.0 / 3.6
    friction = _friction(laboratory.car)
    run = brake_from(laboratory.car, speed)
    ideal = speed**2 / (2.0 * friction * GRAVITY)
    deceleration = _mean_deceleration(run, speed)
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
        (Curve("bmw_320i", run["x"], run["forward"]),),
    )
    text = "ISO 21994: full braking from 100 km/h on a dry, level road, the steering held straight."
    return Section("Straight-line braking (ISO 21994)", text, checks, (chart,))


def _friction(car: RobotDescription) -> float:
    return next(each.friction for each in car.devices if isinstance(each, WheelDevice))


def _mean_deceleration(run: Run, speed: float) -> float:
    """From 80 % to 10 % of the speed, over the distance (UN R13-H)."""
    places, speeds = run["x"], run["forward"]
    fast, slow = (places[speeds <= share * speed][0] for share in (0.8, 0.1))
    return float(speed**2 * (0.8**2 - 0.1**2) / (2.0 * (slow - fast)))
