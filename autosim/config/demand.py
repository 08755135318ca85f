"""Routes and departures of traffic, as files state them: streets by name, not yet looked up."""

from dataclasses import dataclass, field
from pathlib import Path

from autosim.config.schema import Interval, ValueType
from autosim.config.xml_parameters import ValueForm, attribute


@dataclass(frozen=True, slots=True)
class VehicleType:
    """A type of vehicles.

    Attributes:
        name: as others refer to it.
        kind: the kind of `autosim.traffic.vehicle_kinds` that comes nearest.
        driving: what it states of `DriverModel`, by the names there, and of `speed_factor`, the
            share of limits that it drives.
        attributes: all that it states, in SUMO's words.
    """

    name: str
    kind: str
    driving: tuple[tuple[str, float], ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class StatedRoute:
    """A sequence of streets by their names; `stated`: file and line, as `town.rou.xml:12`."""

    streets: tuple[str, ...]
    stated: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Departure:
    """The departure of a vehicle.

    Attributes:
        name: of the vehicle.
        seconds: when [s].
        type: place of its type in `Demand.types`.
        route: place of its route in `Demand.routes`.
        lane: from the kerb, from 0; None: any.
        speed: initial speed [m/s]; None: as fast as possible.
    """

    name: str
    seconds: float
    type: int
    route: int
    lane: int | None = None
    speed: float | None = 0.0


_SECONDS, _PERIOD = Interval(0.0, 1e7), Interval(0.0, 1e7, low_open=True)
"""Moments and periods [s] of departures: four months."""


@dataclass(frozen=True, slots=True)
class StatedTrip:
    """Vehicles that a world file sends on a route, of the element `Trip`."""

    kind: str = field(
        metadata=attribute("kind", "Kind of vehicle.", default="hatchback"),
    )
    """One of `autosim.traffic.vehicle_kinds`."""

    streets: tuple[str, ...] = field(
        metadata=attribute(
            "streets",
            "Its streets, from the first to the last: ids of OSM ways, `-` "
            "before those that it drives against their direction, or names as in the exported "
            "`.net.xml`, with spaces between. Between two of them it takes the fastest way.",
            type=ValueType.TEXT,
            is_required=True,
            form=ValueForm(read=lambda text: tuple(text.split()), write=" ".join),
        )
    )
    """Their names, from the first to the last."""

    depart: float = field(
        metadata=attribute("depart", "Time of departure.", unit="s", default=0.0, interval=_SECONDS)
    )
    """Departure [s] of the first."""

    every: float = field(
        metadata=attribute(
            "every", "Time between two of them.", unit="s", default=10.0, interval=_PERIOD
        )
    )
    """Time [s] from one to the next."""

    count: int = field(
        metadata=attribute("count", "Number of vehicles.", default=1, interval=Interval(1, 10_000))
    )
    """Number of vehicles."""


@dataclass(frozen=True, slots=True)
class Demand:
    """All vehicles that set out, by their times.

    `file`: of SUMO, that states them; `trips`: of the world file. All of both are in `departures`.
    """

    types: tuple[VehicleType, ...]
    """Kinds of vehicles with their shares."""
    routes: tuple[StatedRoute, ...]
    """Sequences of streets that departures refer to."""
    departures: tuple[Departure, ...] = field(repr=False)
    file: Path | None = None
    trips: tuple[StatedTrip, ...] = ()

    def shares(self) -> tuple[tuple[str, float], ...]:
        """Shares of the kinds of vehicles among the departures."""
        counts: dict[str, float] = {}
        for each in self.departures:
            kind = self.types[each.type].kind
            counts[kind] = counts.get(kind, 0.0) + 1.0
        return tuple(counts.items())
