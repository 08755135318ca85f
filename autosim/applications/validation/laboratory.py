"""Parts shared by all manoeuvres: the tested car, and the reference models."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from autosim.applications.validation.oracle import Course, Input, Model, Oracle, following
from autosim.applications.validation.proving_ground import (
    DriveSamples,
    ProvingGround,
    Sample,
    holding_speed,
)
from autosim.applications.validation.results import Section
from autosim.config.descriptions import RobotDescription
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.loading.loader import load_robot
from autosim.model.environment.standard_atmosphere import AIR_DENSITY

HERTZ = 240.0
"""Steps per second, as worlds have them where they do not say otherwise."""

SETTLING = 1.0
"""[s] of straight driving before a manoeuvre: springs and tyres come to rest."""

Steering = Callable[[float], float]
"""Angle [rad] of the steering by the time [s] since the manoeuvre began."""

SAME: tuple[Model, ...] = ("ST*", "MB*")
"""The models that have the tyres of the car, and a mass that is moved by their forces."""


@dataclass(frozen=True)
class Laboratory:
    """The car and the oracle."""

    car: RobotDescription
    oracle: Oracle

    @classmethod
    def of_shipped_cars(cls) -> "Laboratory":
        """The reference car that comes with AutoSim."""
        return cls(load_robot("robots/bmw_320i.xml"), Oracle())

    def with_default_car(self) -> "Laboratory":
        """The same with the car of the demo and of most worlds."""
        return replace(self, car=load_robot("robots/impreza.xml"))

    def steer(
        self,
        speed: float,
        seconds: float,
        steering: Steering,
        *,
        hertz: float = HERTZ,
        is_resisted: bool = False,
    ) -> DriveSamples:
        """Drives the car at a speed [m/s], steers it, and tells how it moves from then on.

        The time and the place count from the beginning of the manoeuvre. The models meet neither
        air nor rolling resistance: the car does so only where it `is_resisted`.
        """

        # An angle is held over a step: in the middle of it, it is the one that is wanted.
        def drive(track: ProvingGround, first: Sample) -> float:
            return steering(track.time + 0.5 * track.step_seconds - first.time)

        return self.drive(speed, seconds, drive, hertz=hertz, is_resisted=is_resisted)

    def drive(
        self,
        speed: float,
        seconds: float,
        steering: Callable[[ProvingGround, Sample], float],
        *,
        hertz: float = HERTZ,
        is_resisted: bool = False,
    ) -> DriveSamples:
        """As `steer`, by a driver who sees the car.

        `steering` is given the track, and how the car was when the manoeuvre began.
        """
        car = self.car if is_resisted else without_resistance(self.car)
        density = AIR_DENSITY if is_resisted else 0.0
        with ProvingGround(car, hertz=hertz, air_density=density) as track:
            track.start(speed)
            track.drive(SETTLING, holding_speed(speed, lambda track: 0.0))
            first = track.sample()
            driver = holding_speed(speed, lambda track: steering(track, first))
            return track.drive(seconds, driver).since(first)

    def references(
        self, names: Sequence[Model], speed: float, seconds: float, steering: Steering
    ) -> dict[str, Course]:
        """Motions of the available models of `names`, driven as `steer` drives the car."""
        return self.driven(names, speed, seconds, following(steering, speed))

    def driven(
        self, names: Sequence[Model], speed: float, seconds: float, command: Input
    ) -> dict[str, Course]:
        """Motions of the available models of `names` under a `command`."""
        return {
            name: self.oracle.drive(name, speed, seconds, command)
            for name in names
            if name in self.oracle.names
        }


def without_resistance(car: RobotDescription) -> RobotDescription:
    """The car with wheels that roll freely."""
    devices = tuple(
        replace(each, rolling_resistance=0.0) if isinstance(each, WheelDevice) else each
        for each in car.devices
    )
    return replace(car, devices=devices)


Manoeuvre = Callable[[Laboratory], Section]
