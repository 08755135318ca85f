"""Routes and departures of traffic, as files state them: streets by name, not yet looked up."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class VehicleType:
    """A type of vehicles.

    Attributes:
        name: as others refer to it.
        kind: the kind of `autosim.traffic.fleet` that comes nearest.
        driving: what it states of `Driving`, by the names there, and of `speed_factor`, the share
            of limits that it drives.
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
    stated: str


@dataclass(frozen=True, slots=True)
class Departure:
    """A vehicle that sets out.

    Attributes:
        name: of the vehicle.
        seconds: when [s].
        type: place of its type in `Demand.types`.
        route: place of its route in `Demand.routes`.
        lane: from the kerb, from 0; None: any.
        speed: [m/s] with which it sets out; None: as fast as it can.
    """

    name: str
    seconds: float
    type: int
    route: int
    lane: int | None = None
    speed: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Demand:
    """All vehicles that set out, by their times."""

    types: tuple[VehicleType, ...]
    routes: tuple[StatedRoute, ...]
    departures: tuple[Departure, ...] = field(repr=False)

    def shares(self) -> tuple[tuple[str, float], ...]:
        """How many of the departures are of each kind of vehicle."""
        counts: dict[str, float] = {}
        for each in self.departures:
            kind = self.types[each.type].kind
            counts[kind] = counts.get(kind, 0.0) + 1.0
        return tuple(counts.items())
