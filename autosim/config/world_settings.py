"""Settings of a world, each field with the declaration of its XML parameter.

See `xml_parameters.py`. A parameter of these records is written here alone: reader, writer, schema
and documentation follow.
"""

from dataclasses import dataclass, field
from typing import Literal

from autosim.config.demand import Demand
from autosim.config.scenarios import Scenario
from autosim.config.schema import Interval, ValueType
from autosim.config.world_limits import MOST_PEOPLE, MOST_VEHICLES, STEP_RATES
from autosim.config.xml_parameters import ChildTag, ValueForm, attribute, child, part

CLEAR = 1e5
"""Visibility [m] of air without any fog."""

GRAVITY = 9.81
"""Acceleration [m/s^2] of free fall in a world that does not state another: about that of middle
latitudes."""

_SHARE = Interval(0.0, 1.0)

_PIXELS = Interval(16, 16384)
"""Sides [px] of a picture: up to the largest texture of common graphics cards."""

_DENSITIES = Interval(0.0, 1000.0)
"""Vehicles or pedestrians per kilometre [1/km]: up to one on each metre."""

_TIME = ChildTag("Time", "The time of day. Without it the sun stands 48° high in the south-east.")

_DATE = ChildTag("Date", "The day of the year.")

_SUN = ChildTag("Sun", "Place of the sun, in place of that of time and date.")

_SIZE = ChildTag("Size", "Size of the picture.")

_VEHICLES = ChildTag("Vehicles", "Cars, lorries, buses, motorcycles, bicycles.")

_PEOPLE = ChildTag("People", "People on foot.")

_STEP_RATE = ValueForm(read=lambda rate: 1.0 / rate, write=lambda seconds: round(1.0 / seconds))
"""Steps per second in a file, seconds per step in the record."""


@dataclass(frozen=True, slots=True)
class SkyDescription:
    """Time of day and weather, of the element `Sky`.

    `hours` [h] is the time of day on a clock that is `utc_offset` [h] ahead of UTC, None: local
    mean time. Without `hours` the sun is 48 degrees high in the south-east. `sun_elevation` and
    `sun_azimuth` (from north over east) [°] state its place instead, where given. `clouds`, `rain`,
    `snow`, `wetness` (of the streets) and `snow_cover` (of all that looks up) are shares in 0..1.
    `visibility` [m] is the meteorological optical range.
    """

    hours: float | None = field(
        default=None,
        metadata=part(_TIME, "hours", "", unit="h", interval=Interval(0.0, 24.0), is_required=True),
    )
    utc_offset: float | None = field(
        default=None,
        metadata=part(
            _TIME,
            "utcOffset",
            "Hours that the clock is ahead of UTC; local mean time (the longitude / 15°) when not "
            "given.",
            unit="h",
            interval=Interval(-14.0, 14.0),
        ),
    )
    month: int = field(
        default=3, metadata=part(_DATE, "month", "", interval=Interval(1, 12), is_required=True)
    )
    """Month of the year, 1 to 12, which decides on the sun's path."""
    day: int = field(
        default=21, metadata=part(_DATE, "day", "", interval=Interval(1, 31), is_required=True)
    )
    sun_elevation: float | None = field(
        default=None,
        metadata=part(
            _SUN,
            "elevation",
            "Height above the horizon.",
            unit="°",
            interval=Interval(-90.0, 90.0),
            is_required=True,
        ),
    )
    sun_azimuth: float | None = field(
        default=None,
        metadata=part(
            _SUN,
            "azimuth",
            "Direction, from north over east.",
            unit="°",
            interval=Interval(-360.0, 360.0),
            is_required=True,
        ),
    )
    clouds: float = field(
        default=0.3, metadata=child("Clouds", "Share of the sky that is covered.", interval=_SHARE)
    )
    visibility: float = field(
        default=CLEAR,
        metadata=child(
            "Visibility",
            "Distance at which 5 % of the contrast is left (the meteorological optical range); fog "
            "is below 1000 m.",
            unit="m",
            interval=Interval(10.0, CLEAR),
        ),
    )
    rain: float = field(
        default=0.0,
        metadata=child("Rain", "Intensity of rain; 1 is 50 mm/h.", interval=_SHARE),
    )
    snow: float = field(
        default=0.0, metadata=child("Snow", "Intensity of snowfall.", interval=_SHARE)
    )
    wetness: float = field(
        default=0.0,
        metadata=child(
            "Wetness",
            "Wetness of the streets. Default: the value of `Rain`.",
            interval=_SHARE,
            absent=lambda before: before["rain"],
        ),
    )
    snow_cover: float = field(
        default=0.0,
        metadata=child(
            "SnowCover",
            "Snow on the ground: 1 is a closed cover, on streets with tracks of wheels. Default: "
            "the value of `Snow`.",
            interval=_SHARE,
            absent=lambda before: before["snow"],
        ),
    )


@dataclass(frozen=True, slots=True)
class GraphicsDescription:
    """Settings for drawing the world, of the element `View`; they may differ between clients."""

    width: int = field(
        default=640,
        metadata=part(_SIZE, "width", "Width.", unit="px", interval=_PIXELS, is_required=True),
    )
    """Width of the picture [px]."""
    height: int = field(
        default=480,
        metadata=part(_SIZE, "height", "Height.", unit="px", interval=_PIXELS, is_required=True),
    )
    """Height of the picture [px]."""
    has_shadows: bool = field(
        default=True, metadata=child("Shadows", "Whether the sun casts shadows.")
    )
    multisamples: int = field(
        default=0,
        metadata=child(
            "Multisamples",
            "Samples for each pixel against jagged edges; 0 is off. Slow without a graphics card.",
            interval=Interval(0, 16),
        ),
    )
    quality: Literal["fast", "balanced", "high"] = field(
        default="fast",
        metadata=child(
            "Quality",
            "Quality of pictures in colour; depths, labels and flow are the same in all. "
            "`balanced`: four samples for each pixel and blended textures. `high`: also finer, "
            "softer shadows, and with a graphics card textures that stay sharp at flat angles.",
        ),
    )
    far: float = field(
        default=2000.0,
        metadata=child(
            "Far",
            "Distance up to which the world is drawn.",
            unit="m",
            interval=Interval(10.0, 1e5),
        ),
    )
    sky: SkyDescription = SkyDescription()
    """Time of day and weather."""


@dataclass(frozen=True, slots=True)
class PhysicsDescription:
    """Physics of the world, of the element `Dynamics`.

    `step_seconds` [s] is the fixed integration step, `gravity` [m/s^2] points down; `wetness` and
    `snow_cover` of the ground, from 0 (dry, bare) to 1, and the factor `friction` change the grip
    of tyres.
    """

    step_seconds: float = field(
        default=1.0 / 240.0,
        metadata=child(
            "StepsPerSecond",
            "Integration steps in a second of simulated time.",
            unit="Hz",
            interval=STEP_RATES,
            type=ValueType.INTEGER,
            form=_STEP_RATE,
        ),
    )
    gravity: float = field(
        default=GRAVITY,
        metadata=child(
            "Gravity",
            "Acceleration of a free fall.",
            unit="m/s²",
            interval=Interval(0.0, 100.0),
        ),
    )
    wetness: float = field(
        default=0.0,
        metadata=child(
            "Wetness",
            "Wetness of the ground for tyres: at 1 asphalt has 0.71 of its dry friction. Pictures "
            "show `Wetness` of `Sky`.",
            interval=_SHARE,
        ),
    )
    snow_cover: float = field(
        default=0.0,
        metadata=child(
            "SnowCover",
            "How much snow lies on the ground for tyres: at 1 asphalt has 0.24 of its dry "
            "friction, that of packed snow. Pictures show `SnowCover` of `Sky`.",
            interval=_SHARE,
        ),
    )
    friction: float = field(
        default=1.0,
        metadata=child(
            "Friction",
            "Factor of the friction of the ground, in addition to wetness and snow.",
            interval=Interval(0.0, 10.0),
        ),
    )


@dataclass(frozen=True, slots=True)
class TrafficDescription:
    """The vehicles and people that a world brings along, of the element `Traffic`.

    `vehicles` and `people` are the most that there are at a time; `vehicle_density` and
    `people_density` [1/km] how many per kilometre of lane and of pavement, None for as many as
    there is room for; `seed` makes another traffic of the same numbers; `shares` of the kinds of
    vehicles by name, () for the usual ones; `imperfection`: how much drivers differ and vary, 0 for
    not at all; `signals`: whether their greens have fixed times, depend on the traffic, or they
    are off; `engine`: that moves the vehicles; `demand`: departures and routes of vehicles, None
    where they come and go by chance; `scenario`: its actors are in addition to the traffic.
    """

    vehicles: int = field(
        default=0,
        metadata=part(
            _VEHICLES,
            "count",
            "Largest number at a time.",
            interval=Interval(0, MOST_VEHICLES),
            is_required=True,
        ),
    )
    people: int = field(
        default=0,
        metadata=part(
            _PEOPLE,
            "count",
            "Largest number at a time.",
            interval=Interval(0, MOST_PEOPLE),
            is_required=True,
        ),
    )
    vehicle_density: float | None = field(
        default=None,
        metadata=part(
            _VEHICLES,
            "density",
            "Number per kilometre of lane, but never more than `count`. Default: "
            "`count`, as far as there is room.",
            unit="1/km",
            interval=_DENSITIES,
        ),
    )
    people_density: float | None = field(
        default=None,
        metadata=part(
            _PEOPLE,
            "density",
            "Number per kilometre of pavement, but never more than `count`. Default: "
            "`count`, as far as there is room.",
            unit="1/km",
            interval=_DENSITIES,
        ),
    )
    seed: int = field(
        default=0,
        metadata=child(
            "Seed",
            "Seed of the traffic, in addition to the seed of the run.",
            interval=Interval(0, 2**31 - 1),
        ),
    )
    shares: tuple[tuple[str, float], ...] = ()
    imperfection: float = field(
        default=1.0,
        metadata=child(
            "Imperfection",
            "How much drivers differ from each other and vary; 0: not at all.",
            interval=Interval(0.0, 2.0),
        ),
    )
    signals: Literal["fixed", "actuated", "off"] = field(
        default="fixed",
        metadata=child(
            "Signals",
            "The traffic signals of the map: with fixed times; actuated, with greens that depend "
            "on the traffic; or off, as at night.",
            attribute="control",
        ),
    )
    engine: Literal["autosim", "sumo"] = field(
        default="autosim",
        metadata=attribute(
            "engine", "Engine that moves the vehicles. `sumo` needs the extra of that name."
        ),
    )
    demand: Demand | None = None
    scenario: Scenario | None = None
