"""What all manoeuvres share: the car that is tested, and the models that it is held against."""

from collections.abc import Callable
from dataclasses import dataclass

from autosim.applications.validation.oracle import Course, Model, Oracle, following
from autosim.applications.validation.results import Section
from autosim.applications.validation.track import Ground, Run, Track, holding_speed
from autosim.config.descriptions import RobotDescription
from autosim.loading.loader import load_robot

HERTZ = 240.0
"""Steps per second, as worlds have them where they do not say otherwise."""

SETTLING = 1.0
"""[s] of straight driving before a manoeuvre: springs and tyres come to rest."""

Steering = Callable[[float], float]
"""Angle [rad] of the steering by the time [s] since the manoeuvre began."""


@dataclass(frozen=True)
class Laboratory:
    """The car and the oracle."""

    car: RobotDescription
    oracle: Oracle

    @classmethod
    def of_shipped_cars(cls) -> "Laboratory":
        """The reference car that comes with AutoSim.

        Raises:
            UserError: the models are not installed.
        """
        return cls(load_robot("robots/bmw_320i.xml"), Oracle())

    def steer(
        self,
        speed: float,
        seconds: float,
        steering: Steering,
        *,
        hertz: float = HERTZ,
        ground: Ground | None = None,
    ) -> Run:
        """Drives the car at a speed [m/s], steers it, and tells how it moves from then on.

        The time and the place count from the beginning of the manoeuvre.
        """
        with Track(self.car, ground, hertz=hertz) as track:
            track.start(speed)
            track.drive(SETTLING, holding_speed(speed, lambda track: 0.0))
            first = track.sample()
            start = first.time
            # A step is steered as at its end, as the models' steering is.
            driver = holding_speed(
                speed, lambda track: steering(track.time + track.step_seconds - start)
            )
            return track.drive(seconds, driver).since(first)

    def reference(self, model: Model, speed: float, seconds: float, steering: Steering) -> Course:
        """How a model moves when it is driven as `steer` drives the car."""
        return self.oracle.drive(model, speed, seconds, following(steering, speed))


Manoeuvre = Callable[[Laboratory], Section]
