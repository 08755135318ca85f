"""Suites of the driving benchmark: worlds, routes through them, weather and limits, as data."""

from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Literal

from autosim.config.schema import Interval, ValueType
from autosim.config.studies import COUNT, SEEDS
from autosim.config.xml_parameters import ValueForm, attribute, name_of

SensorTrack = Literal["state", "lidar", "camera"]
"""Track of a suite: what agents may perceive. In `state` they may read their true motion, too."""

Split = Literal["train", "validation", "test"]
"""Split of a group of routes by town: agents may learn in the towns of `train` alone."""

ParkingKind = Literal["none", "parallel", "perpendicular"]
"""Places in which routes end: none, along the street, or across it."""

_PATH = ValueForm(read=Path, write=str)
_SHARE = Interval(0.0, 1.0)
_SECONDS = Interval(0.0, 1e5, low_open=True)


def _read_places(text: str) -> tuple[tuple[float, float], ...]:
    """The places of a text `x,y x,y …`; () for a text that does not state two or more."""
    with suppress(ValueError):
        places = [tuple(map(float, each.split(","))) for each in text.split()]
        if len(places) > 1 and all(len(each) == 2 and all(map(isfinite, each)) for each in places):
            return tuple((each[0], each[1]) for each in places)
    return ()


def _write_places(places: tuple[tuple[float, float], ...]) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in places)


@dataclass(frozen=True, slots=True)
class RouteGroup:
    """Routes through one world that are driven under the same conditions.

    `name` in results. `world`: a world file or a map; `is_optional`: left out
    where it is absent. `split` of its town. `robot`: the file of the car. `vehicles` and `people`
    of traffic; `rain`. `routes` of `length` [m] each, drawn by `seed`, with at least
    `junctions` connectors on their way, from a street of kind `start`, "" for any. `hours` of the
    day [h], None: the sun of the world. With `parking` each route ends in a free place.
    """

    name: str = field(metadata=name_of("the group of routes"))
    world: Path = field(
        metadata=attribute(
            "world",
            "The world file, or a map.",
            type=ValueType.PATH,
            is_required=True,
            form=_PATH,
        )
    )
    split: Split = field(
        default="test",
        metadata=attribute("split", "Whether agents may learn in this town (train) or not."),
    )
    is_optional: bool = field(
        default=False,
        metadata=attribute("optional", "Whether the group is skipped where the file is absent."),
    )
    robot: Path = field(
        default=Path("robots/impreza.xml"),
        metadata=attribute(
            "robot",
            "The robot file of the car.",
            type=ValueType.PATH,
            form=_PATH,
            default="robots/impreza.xml",
        ),
    )
    routes: int = field(
        default=5, metadata=attribute("routes", "Number of routes.", interval=COUNT)
    )
    length: float = field(
        default=400.0,
        metadata=attribute(
            "length", "Length of each route.", unit="m", interval=Interval(50.0, 1e5)
        ),
    )
    junctions: int = field(
        default=0,
        metadata=attribute(
            "junctions",
            "Least number of junctions on each route.",
            interval=Interval(0, 1000),
        ),
    )
    start: str = field(
        default="",
        metadata=attribute(
            "start",
            "Kind of street on which routes start, a value of the OSM key highway.",
            type=ValueType.TEXT,
        ),
    )
    seed: int = field(
        default=0, metadata=attribute("seed", "Seed that draws the routes.", interval=SEEDS)
    )
    vehicles: int = field(
        default=0,
        metadata=attribute("vehicles", "Vehicles of traffic.", interval=Interval(0, 1000)),
    )
    people: int = field(
        default=0, metadata=attribute("people", "Pedestrians.", interval=Interval(0, 1000))
    )
    hours: float | None = field(
        default=None,
        metadata=attribute(
            "hours",
            "Time of day; the sun of the world when not given.",
            unit="h",
            interval=Interval(0.0, 24.0),
        ),
    )
    rain: float = field(
        default=0.0,
        metadata=attribute("rain", "Intensity of rain, which wets the street.", interval=_SHARE),
    )
    waypoints: tuple[tuple[float, float], ...] = field(
        default=(),
        metadata=attribute(
            "waypoints",
            "Places x,y that the one route of the group leads through, from its start to its goal, "
            "in place of drawn routes.",
            unit="m",
            type=ValueType.TEXT,
            form=ValueForm(read=_read_places, write=_write_places),
            absent=lambda before: (),
        ),
    )
    """Places x, y [m] in W along the one route; () where routes are drawn."""
    parking: ParkingKind = field(
        default="none",
        metadata=attribute(
            "parking",
            "Free places between parked cars in which routes end: none, parallel to the street, or "
            "perpendicular to it.",
        ),
    )
    line: int = field(default=0, compare=False)
    """Line in the suite's file, 0 for none."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite: `groups` of routes, each of whose routes is one episode per seed.

    `name`, sensor `track` and description, `text`; `seeds` of noise from `first_seed` on.
    `limit` [s of wall-clock time] of an episode; `pace` [s/m] and `grace` [s] give the time limit
    of a route; `blocked` [s] of standing end an episode. `source`: its file.
    """

    name: str = field(metadata=name_of("the suite"))
    track: SensorTrack = field(
        default="state", metadata=attribute("track", "What agents may perceive.")
    )
    text: str = field(
        default="", metadata=attribute("text", "Description of the suite.", type=ValueType.TEXT)
    )
    first_seed: int = field(
        default=0, metadata=attribute("firstSeed", "First seed of noise.", interval=SEEDS)
    )
    seeds: int = field(
        default=1, metadata=attribute("seeds", "Seeds of noise per route.", interval=COUNT)
    )
    pace: float = field(
        default=0.8,
        metadata=attribute(
            "pace", "Time limit per metre of route.", unit="s/m", interval=Interval(0.01, 100.0)
        ),
    )
    grace: float = field(
        default=30.0,
        metadata=attribute(
            "grace", "Time in addition to that.", unit="s", interval=Interval(0.0, 1e4)
        ),
    )
    blocked: float = field(
        default=60.0,
        metadata=attribute(
            "blocked", "Time of standing that ends an episode.", unit="s", interval=_SECONDS
        ),
    )
    limit: float = field(
        default=1800.0,
        metadata=attribute(
            "limit",
            "Longest time of an episode, by the clock on the wall.",
            unit="s",
            interval=_SECONDS,
        ),
    )
    groups: tuple[RouteGroup, ...] = ()
    source: Path | None = field(default=None, compare=False)
