"""Distance of a car from rolling over on a flat, dry road."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from autosim.applications.validation.laboratory import SETTLING, Laboratory, Steering
from autosim.applications.validation.proving_ground import (
    DriveCommand,
    Driver,
    DriveSamples,
    ProvingGround,
    holding_speed,
    plane,
)
from autosim.applications.validation.results import (
    Chart,
    ChartCurve,
    Check,
    Section,
    at_least,
    band_check,
    limit_check,
)
from autosim.arrays import Booleans, Floats
from autosim.config.descriptions import RobotDescription
from autosim.config.world_settings import GRAVITY
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.vehicle.body.body_state import body_parameters
from autosim.vehicle.info.standing_height import standing_height
from autosim.vehicle.wheels.wheel_arrays import LOAD

SPEED = 80.0 / 3.6
"""Speed [m/s] of the manoeuvres, that of FMVSS 126."""

HELD = float(np.radians(5.7))
"""Angle [rad] of the front wheels in the held turn."""

RATE = 0.4
"""Greatest rate [rad/s] of the front wheels."""

LIMIT = 10.0
"""Lateral acceleration [m/s²] up to which the margin is measured: more than tyres of passenger
cars hold on a dry road."""

ROUGH = 1.5
"""Factor on the friction of dry asphalt with which a car reaches `LIMIT`."""

GENTLE = 4.0
"""Lateral acceleration [m/s²] at which the roll of a car is measured (ISO 4138)."""

SLOWLY = 0.012
"""Rate [rad/s] of a slowly increasing steer: 13.5 °/s of a steering wheel (FMVSS 126, S7.6) with a
steering ratio of 20."""

DWELL = 0.5
"""Pause [s] of the sine with dwell at its second peak (FMVSS 126, S7.9)."""

FREQUENCY = 0.7
"""Frequency [Hz] of the sine with dwell (FMVSS 126, S7.9)."""

GAINS = (1.5, 3.0, 5.0, 6.5)
"""Amplitudes of the sines with dwell, in units of A (FMVSS 126, S7.9.3 and S7.9.4)."""


@dataclass(frozen=True)
class _Drive:
    """A drive and the loads (n, wheels) [N] of the wheels after each step."""

    run: DriveSamples
    loads: Floats

    def lateral(self) -> Floats:
        """Lateral acceleration (n,) [m/s²] along the ground: speed × yaw rate + change of slip."""
        run = self.run
        turning = run["yaw_rate"] * run["forward"]
        result: Floats = turning + np.gradient(run["left"], run["time"])
        return result

    def inner_share(self, is_left: Floats) -> Floats:
        """The share (n,) of the weight on the two wheels of the lighter side."""
        left = self.loads[:, is_left > 0.5].sum(axis=1)
        total = np.maximum(self.loads.sum(axis=1), 1.0)
        result: Floats = np.minimum(left, total - left) / total
        return result


@dataclass(frozen=True)
class _SlowTurn:
    """A slowly increasing steer.

    Attributes:
        lateral: lateral acceleration (n,) [m/s²].
        share: share (n,) of the weight on the inner wheels.
        roll: size of the roll angle (n,) [rad].
        reached: index at which the lateral acceleration is `LIMIT`.
        expected: the share there that the balance of moments gives.
    """

    lateral: Floats
    share: Floats
    roll: Floats
    reached: int
    expected: float


def rollover(laboratory: Laboratory) -> Section:
    """The margin against rolling over, up to 10 m/s² and in the sine with dwell."""
    car = laboratory.car
    geometry = _geometry(car)
    turn = _turn_slowly(car, geometry)
    held = _drive(car, _ramp(HELD), 6.0)
    unit = _angle_of(car)
    sines = {gain: _drive(car, sine_with_dwell(gain * unit), 4.0, coasts=True) for gain in GAINS}
    return Section(
        f"Roll-over margin: {car.name}",
        _text(unit),
        (*_slow_checks(geometry, turn), *_fast_checks(geometry, held, sines)),
        _charts(car.name, turn, sines),
        car=car.name,
    )


def _turn_slowly(car: RobotDescription, geometry: "_Geometry") -> _SlowTurn:
    pushed = _drive(car, lambda time: SLOWLY * max(time, 0.0), 25.0, friction=ROUGH, until=LIMIT)
    lateral, roll = pushed.lateral(), np.abs(pushed.run["roll"])
    reached = _first(lateral >= LIMIT)
    transferred = GRAVITY * np.sin(roll[reached]) + LIMIT * np.cos(roll[reached])
    expected = 0.5 - transferred * geometry.height / GRAVITY / geometry.track
    share = pushed.inner_share(geometry.is_left)
    return _SlowTurn(lateral, share, roll, reached, float(expected))


def _slow_checks(geometry: "_Geometry", turn: _SlowTurn) -> tuple[Check, ...]:
    """Checks of the car at rest and of the slowly increasing steer."""
    gentle = _first(turn.lateral >= GENTLE)
    return (
        at_least(
            "static stability factor",
            geometry.track / 2.0 / geometry.height,
            "1",
            1.25,
            "four stars of NHTSA's rollover resistance rating (66 FR 3388, 2001)",
        ),
        Check(
            f"roll at {GENTLE:g} m/s², for each g",
            float(np.degrees(turn.roll[gentle]) * GRAVITY / turn.lateral[gentle]),
            "°",
            3.0,
            7.0,
            "passenger cars (Gillespie 1992, chapter 6)",
        ),
        band_check(
            f"share of the weight on the inner wheels at {LIMIT:g} m/s²",
            float(turn.share[turn.reached]),
            "1",
            [("balance of moments", turn.expected)],
            share=0.0,
            room=0.02,
        ),
    )


def _fast_checks(
    geometry: "_Geometry", held: _Drive, sines: dict[float, _Drive]
) -> tuple[Check, ...]:
    """Checks of the held turn and of the sines with dwell."""
    lightest = [float(each.inner_share(geometry.is_left).min()) for each in sines.values()]
    return (
        at_least(
            "least share of the weight on the inner wheels, 5.7° held",
            float(held.inner_share(geometry.is_left).min()),
            "1",
            0.05,
            "both inner wheels on the ground, where NHTSA's tip-up begins at 0",
        ),
        at_least(
            "least share of the weight on the inner wheels, sine with dwell",
            min(lightest),
            "1",
            0.05,
            "both inner wheels on the ground, at 1.5, 3, 5 and 6.5 A",
        ),
        limit_check(
            "greatest roll angle of all",
            max(float(np.abs(each.run["roll"]).max()) for each in (held, *sines.values())),
            "rad",
            np.radians(7.0) * LIMIT / GRAVITY,
            "7° for each g",
        ),
        at_least(
            "lateral displacement 1.07 s after a sine with dwell of 5 A begins",
            _displacement(sines[5.0]),
            "m",
            1.83,
            "FMVSS 126, S5.2.3",
        ),
    )


def _charts(name: str, turn: _SlowTurn, sines: dict[float, _Drive]) -> tuple[Chart, ...]:
    end = turn.reached + 1
    return (
        Chart(
            f"rollover_{name}",
            f"Slowly increasing steer at 80 km/h, {name}",
            "lateral acceleration [m/s²]",
            "share of the weight on the inner wheels",
            (
                ChartCurve(name, turn.lateral[:end], turn.share[:end]),
                ChartCurve(
                    "balance of moments",
                    np.array([0.0, LIMIT]),
                    np.array([0.5, turn.expected]),
                ),
            ),
        ),
        Chart(
            f"sine_with_dwell_{name}",
            f"Sine with dwell at 80 km/h, {name}",
            "time [s]",
            "roll angle [rad]",
            tuple(
                ChartCurve(f"{gain:g} A", each.run["time"], each.run["roll"])
                for gain, each in sines.items()
            ),
        ),
    )


def _text(unit: float) -> str:
    """Description of the manoeuvres; `unit` [rad] is the angle A."""
    return (
        "On a flat road at 80 km/h. The wheels turn slowly until the car turns at "
        f"{LIMIT:g} m/s², for which the road has {ROUGH:g} times the friction of dry asphalt. On "
        "dry asphalt they turn to 5.7° within 0.25 s and are held there for 6 s, and they follow "
        "the sine with dwell of FMVSS 126 (0.7 Hz, held for 0.5 s at its second peak) with up to "
        f"6.5 times A, the angle at which the car turns at 0.3 g ({unit:.4g} rad), without ESC and "
        "without drive. The balance of moments of a stiff body that leans as the car does gives "
        "what its inner wheels bear."
    )


@dataclass(frozen=True)
class _Geometry:
    track: float
    height: float
    is_left: Floats


def _geometry(car: RobotDescription) -> _Geometry:
    """Mean track and height of the centre of mass [m], and which wheels (n,) are on the left."""
    wheels = [each for each in car.devices if isinstance(each, WheelDevice)]
    y = np.array([each.position[1] for each in wheels])
    height = standing_height(car, gravity=GRAVITY)
    height += float(body_parameters([car.parts[0]]).centre_of_mass[0, 2])
    return _Geometry(float(2.0 * np.abs(y).mean()), height, (y > 0.0).astype(np.float64))


def _drive(
    car: RobotDescription,
    steering: Steering,
    seconds: float,
    *,
    friction: float = 1.0,
    until: float = np.inf,
    coasts: bool = False,
) -> _Drive:
    """Steers at `SPEED` for `seconds`, or until the car turns at `until` [m/s²].

    The speed is kept, or the car `coasts`.
    """
    with ProvingGround(car, plane(frictions=(friction, friction))) as track:
        track.start(SPEED)
        track.drive(SETTLING, holding_speed(SPEED, lambda track: 0.0))
        first = track.sample()

        def turn(track: ProvingGround) -> float:
            return steering(track.time + 0.5 * track.step_seconds - first.time)

        driver: Driver = holding_speed(SPEED, turn)
        if coasts:
            driver = _coasting(turn)
        run, loads = DriveSamples(), []
        for _ in range(round(seconds / track.step_seconds)):
            track.step(driver(track))
            run.samples.append(track.sample())
            loads.append(track.wheels[:, LOAD].copy())
            if abs(run.last.yaw_rate * run.last.forward) > 1.05 * until:
                break
        return _Drive(run.since(first), np.array(loads))


def _coasting(turn: Callable[[ProvingGround], float]) -> Driver:
    return lambda track: DriveCommand(turn(track))


def _ramp(angle: float) -> Steering:
    return lambda time: min(max(RATE * time, 0.0), angle)


def _first(chosen: Booleans) -> int:
    """The first index that is chosen, else the last."""
    found = np.flatnonzero(chosen)
    return int(found[0]) if found.size else len(chosen) - 1


def _angle_of(car: RobotDescription) -> float:
    """A [rad]: the angle of the wheels at 0.3 g, by a line through it up to there (S7.6)."""
    found = _drive(car, lambda time: SLOWLY * max(time, 0.0), 8.0)
    lateral, angle = found.lateral(), found.run["steering"]
    chosen = (lateral >= 0.1 * GRAVITY) & (lateral <= 0.375 * GRAVITY)
    slope, level = np.polyfit(lateral[chosen], angle[chosen], 1)
    return float(slope * 0.3 * GRAVITY + level)


def sine_with_dwell(amplitude: float) -> Steering:
    """The steering of FMVSS 126 (S7.9): amplitude [rad]."""
    peak = 0.75 / FREQUENCY

    def steer(time: float) -> float:
        if time < 0.0 or time > 1.0 / FREQUENCY + DWELL:
            return 0.0
        if peak < time < peak + DWELL:
            return -amplitude
        turned = time if time <= peak else time - DWELL
        return amplitude * float(np.sin(2.0 * np.pi * FREQUENCY * turned))

    return steer


def _displacement(drive: _Drive) -> float:
    """Distance [m] to the side 1.07 s after the steering began."""
    run = drive.run
    return float(abs(np.interp(1.07, run["time"], run["y"])))
