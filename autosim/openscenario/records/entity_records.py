"""Entities and their controllers. Lengths in m, speeds in m/s, accelerations in m/s²."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EntityBox:
    """A bounding box: its centre relative to the reference point, and its sizes."""

    center: tuple[float, float, float]
    """Centre [m] relative to the reference point."""
    length: float
    """Length [m]."""
    width: float
    """Width [m]."""
    height: float
    """Height [m]."""


@dataclass(frozen=True, slots=True)
class Performance:
    """Limits of a vehicle's motion."""

    max_speed: float = 1e3
    """Greatest speed [m/s]."""
    max_acceleration: float = 1e3
    """Greatest acceleration [m/s²]."""
    max_deceleration: float = 1e3
    """Greatest deceleration [m/s²]."""


@dataclass(frozen=True, slots=True)
class Controller:
    """A controller: its name, and properties by name."""

    name: str
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity: `kind` vehicle, pedestrian, object or external; `category` of the standard.

    `model` is the name of its description, for example in a catalog. `hitch` and `coupler` [m] lie
    before the reference point; `trailer` is the name of the entity that it pulls.
    """

    name: str
    kind: str
    category: str
    model: str
    box: EntityBox
    """Bounding box."""
    performance: Performance = Performance()
    """Limits of its motion."""
    wheelbase: float = 2.8
    """Distance of the axles [m]."""
    controllers: tuple[Controller, ...] = ()
    """The controllers."""
    hitch: float | None = None
    coupler: float | None = None
    trailer: str = ""
    line: int = 0
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class EntitySelection:
    """A named group of entities, by name or by kind."""

    name: str
    members: tuple[str, ...] = ()
    """Names of its entities."""
    kinds: tuple[str, ...] = ()
    """Kinds of its entities."""


@dataclass(frozen=True, slots=True)
class LightState:
    """State of a light: `mode` on, off or flashing."""

    light: str
    mode: str
    seconds: float = 0.0
    """Duration [s] of a flash."""


@dataclass(frozen=True, slots=True)
class Environment:
    """State of the environment; None for what the file does not state.

    `time`: date and time (ISO 8601). `friction`: scale factor of the road. Sun: elevation and
    azimuth [rad] and illuminance [lx]. `rain` [mm/h]; `fog`: visual range [m]; `wind`: direction
    [rad] and speed [m/s]; temperature [K].
    """

    name: str = ""
    """Name in the file."""
    time: str | None = None
    friction: float | None = None
    sun: tuple[float, float, float] | None = None
    """Elevation and azimuth [rad], illuminance [lx]."""
    rain: float | None = None
    precipitation: str = ""
    """Kind of precipitation."""
    fog: float | None = None
    wind: tuple[float, float] | None = None
    temperature: float | None = None
    clouds: str = ""
    """Cloud cover, as in the standard."""
    other: tuple[tuple[str, str], ...] = ()
    """Other properties."""
