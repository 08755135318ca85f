"""Conditions of an episode as `reset(options=…)` chooses them: car, street, weather and traffic."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from autosim.config.descriptions import Device, PlacedRobot, WorldDescription
from autosim.config.world_settings import CLEAR, SkyDescription
from autosim.kinds.actuators.wheel import WheelDevice

CONDITIONS = ("mass", "friction", "wetness", "weather", "traffic_seed", "speed")
"""Options that choose conditions."""

_MASSES = (0.2, 5.0)
"""Least and largest factor of masses: beyond them springs and tyres of the car no longer fit."""

_FRICTIONS = (0.05, 2.0)
"""Least and largest factor of the tyres' friction: from wet ice to the tyres of race cars."""

_SPEEDS = (0.0, 40.0)
"""Least and largest speed [m/s] at a start: that of a motorway."""

_SHARES = ("clouds", "rain", "snow", "wetness", "snow_cover")
"""Fields of the weather that are shares from 0 to 1."""

_WEATHER: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(_SHARES, (0.0, 1.0)),
    "hours": (0.0, 24.0),
    "visibility": (10.0, CLEAR),
}
"""Fields of `SkyDescription` that an episode may choose, and their bounds."""


@dataclass(frozen=True, slots=True)
class EpisodeConditions:
    """Conditions that differ from those of the world's file.

    `mass`: factor of the masses and moments of inertia of the driven cars; `wetness` of streets,
    from 0 to 1, which lowers their friction, None: as in the world, or as wet as the weather is.
    """

    mass: float = 1.0
    """Factor [1] of the masses and moments of inertia; 1.0: as in the robot's file."""
    friction: float = 1.0
    """Factor [1] of the friction of the driven cars' tyres; 1.0: as in the robot's file."""
    wetness: float | None = None
    weather: tuple[tuple[str, float], ...] = ()
    """Changed fields of the sky, by name; rain and snow cover streets, too."""
    traffic_seed: int | None = None
    """Seed of the traffic, in addition to that of the episode; None: that of the world."""
    speed: float = 0.0
    """Speed [m/s] of the driven cars at the start, along their heading."""

    @classmethod
    def of(cls, options: Mapping[str, object]) -> "EpisodeConditions":
        """The conditions among the options of `reset`.

        Raises:
            ValueError: one is not a number, or outside its bounds.
        """
        wetness, seed = options.get("wetness"), options.get("traffic_seed")
        return cls(
            _number("mass", options.get("mass", 1.0), _MASSES),
            _number("friction", options.get("friction", 1.0), _FRICTIONS),
            None if wetness is None else _number("wetness", wetness, (0.0, 1.0)),
            _weather(options.get("weather", {})),
            None if seed is None else _seed(seed),
            _number("speed", options.get("speed", 0.0), _SPEEDS),
        )

    def of_car(self, car: PlacedRobot) -> PlacedRobot:
        """A car with its mass and tyres in these conditions."""
        if self.mass == 1.0 and self.friction == 1.0:
            return car
        parts = []
        for part in car.robot.parts:
            inertia = part.inertia
            if inertia is not None:
                x, y, z = (self.mass * each for each in inertia)
                inertia = (x, y, z)
            parts.append(replace(part, mass=self.mass * part.mass, inertia=inertia))
        devices = tuple(map(self._of_device, car.robot.devices))
        return replace(car, robot=replace(car.robot, parts=tuple(parts), devices=devices))

    def _of_device(self, device: Device) -> Device:
        if isinstance(device, WheelDevice):
            return replace(device, friction=self.friction * device.friction)
        return device

    def of_world(self, world: WorldDescription) -> WorldDescription:
        """A world with the streets, the weather and the traffic of these conditions.

        Raises:
            ValueError: the conditions are of traffic, and the world has none.
        """
        physics, sky = world.physics, self.sky(world)
        if self.weather:
            wetness = max(physics.wetness, sky.wetness)
            cover = max(physics.snow_cover, sky.snow_cover)
            physics = replace(physics, wetness=wetness, snow_cover=cover)
            world = replace(world, graphics=replace(world.graphics, sky=sky))
        if self.wetness is not None:
            physics = replace(physics, wetness=self.wetness)
        if self.traffic_seed is not None:
            if world.traffic is None:
                raise ValueError(f"traffic_seed: world '{world.name}' has no traffic")
            world = replace(world, traffic=replace(world.traffic, seed=self.traffic_seed))
        return replace(world, physics=physics)

    def sky(self, world: WorldDescription) -> SkyDescription:
        """Day time and weather of an episode in a world."""
        sky, chosen = world.graphics.sky, dict(self.weather)
        if not chosen:
            return sky
        values = {each.name: getattr(sky, each.name) for each in fields(sky)} | chosen
        if "rain" in chosen and "wetness" not in chosen:
            values["wetness"] = max(sky.wetness, chosen["rain"])
        if "snow" in chosen and "snow_cover" not in chosen:
            values["snow_cover"] = max(sky.snow_cover, chosen["snow"])
        return SkyDescription(**values)


AS_IN_WORLD = EpisodeConditions()
"""Conditions of the world's file."""


def _weather(given: object) -> tuple[tuple[str, float], ...]:
    """Changed fields of the sky.

    Raises:
        ValueError: they are not a mapping, one is unknown, not a number, or outside its bounds.
    """
    known = ", ".join(_WEATHER)
    if not isinstance(given, Mapping):
        raise ValueError(f"weather: expected a mapping of {known}, not {given!r}")
    unknown = [str(name) for name in given if name not in _WEATHER]
    if unknown:
        raise ValueError(f"weather has no '{unknown[0]}' (it has {known})")
    return tuple(
        (name, _number(f"weather: {name}", given[name], bounds))
        for name, bounds in _WEATHER.items()
        if name in given
    )


def _seed(given: object) -> int:
    """A seed of traffic.

    Raises:
        ValueError: it is not a whole number from 0 to 2³¹ − 1.
    """
    value = _number("traffic_seed", given, (0.0, 2.0**31 - 1.0))
    if value != int(value):
        raise ValueError(f"traffic_seed: expected a whole number, not {given!r}")
    return int(value)


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
