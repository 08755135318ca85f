"""Conditions of an episode as `reset(options=…)` chooses them: the car's mass, and the street."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from autosim.config.descriptions import PlacedRobot, WorldDescription

CONDITIONS = ("mass", "wetness")
"""Options that choose conditions."""

_MASSES = (0.2, 5.0)
"""Least and largest factor of masses: beyond them springs and tyres of the car no longer fit."""


@dataclass(frozen=True, slots=True)
class EpisodeConditions:
    """Conditions that differ from those of the world's file.

    `mass`: factor of the masses and moments of inertia of the driven cars; `wetness` of streets,
    from 0 to 1, which lowers their friction, None: as in the world.
    """

    mass: float = 1.0
    """Factor [1] of the masses and moments of inertia; 1.0: as in the robot's file."""
    wetness: float | None = None

    @classmethod
    def of(cls, options: Mapping[str, object]) -> "EpisodeConditions":
        """The conditions among the options of `reset`.

        Raises:
            ValueError: one is not a number, or outside its bounds.
        """
        wetness = options.get("wetness")
        return cls(
            _number("mass", options.get("mass", 1.0), _MASSES),
            None if wetness is None else _number("wetness", wetness, (0.0, 1.0)),
        )

    def of_car(self, car: PlacedRobot) -> PlacedRobot:
        """A car with its mass in these conditions."""
        if self.mass == 1.0:
            return car
        parts = []
        for part in car.robot.parts:
            inertia = part.inertia
            if inertia is not None:
                x, y, z = (self.mass * each for each in inertia)
                inertia = (x, y, z)
            parts.append(replace(part, mass=self.mass * part.mass, inertia=inertia))
        return replace(car, robot=replace(car.robot, parts=tuple(parts)))

    def of_world(self, world: WorldDescription) -> WorldDescription:
        """A world with the streets of these conditions."""
        if self.wetness is None:
            return world
        return replace(world, physics=replace(world.physics, wetness=self.wetness))


AS_IN_WORLD = EpisodeConditions()
"""Conditions of the world's file."""


def _number(name: str, given: object, bounds: tuple[float, float]) -> float:
    """An option within bounds.

    Raises:
        ValueError: it is not a number, or outside.
    """
    low, high = bounds
    value = float(given) if isinstance(given, int | float | np.number) else np.nan
    if not low <= value <= high:
        raise ValueError(f"{name}: expected a number from {low:g} to {high:g}, not {given!r}")
    return value
