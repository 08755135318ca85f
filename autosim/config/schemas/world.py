"""The elements of a world file: graphics, physics, terrain and robots."""

from collections.abc import Iterable, Sequence

from autosim.config.descriptions import GRAVITY
from autosim.config.schema import Attribute, Element, Interval, Occurs, ValueType
from autosim.config.schemas.common import (
    name_of,
    parameter,
    path_of,
    section_name,
    switch,
)

STEP_RATES = Interval(30, 10000)
"""Steps [Hz] in a simulated second: fewer are unstable, more serve nothing that is simulated."""

_PIXELS = Interval(16, 16384)


def _whole(name: str, default: int, high: int) -> Attribute:
    interval = Interval(1, high)
    return Attribute(name, "", ValueType.INTEGER, default=default, required=True, interval=interval)


_VIEW = Element(
    "View",
    "How a client draws the world.",
    (section_name(),),
    (
        Element(
            "Size",
            "Size of the picture.",
            (
                Attribute("width", "Width.", ValueType.INTEGER, "px", 640, True, _PIXELS),
                Attribute("height", "Height.", ValueType.INTEGER, "px", 480, True, _PIXELS),
            ),
        ),
        switch("Shadows", "Whether the sun casts shadows.", default=True),
        parameter(
            "Multisamples",
            "Samples for each pixel against jagged edges; 0 is off. Slow without a graphics card.",
            default=0,
            interval=Interval(0, 16),
            type=ValueType.INTEGER,
        ),
        parameter(
            "Far",
            "Distance up to which the world is drawn.",
            unit="m",
            default=2000.0,
            interval=Interval(10.0, 1e5),
        ),
    ),
)

_SHARE = Interval(0.0, 1.0)

_SKY = Element(
    "Sky",
    "Time of day and weather, constant during a run. They change pictures, and rain and fog what "
    "lidars see; receivers and radars take no notice. `Wetness` and `SnowCover` of "
    "`Dynamics` change the grip of tyres.",
    (section_name(),),
    (
        Element(
            "Time",
            "The time of day. Without it the sun stands 48° high in the south-east.",
            (
                Attribute("hours", "", unit="h", required=True, interval=Interval(0.0, 24.0)),
                Attribute(
                    "utcOffset",
                    "Hours that the clock is ahead of UTC; local mean time (the longitude / 15°) "
                    "when not given.",
                    unit="h",
                    interval=Interval(-14.0, 14.0),
                ),
            ),
        ),
        Element(
            "Date",
            "The day of the year.",
            (
                _whole("month", 3, 12),
                _whole("day", 21, 31),
            ),
        ),
        parameter("Clouds", "Share of the sky that is covered.", default=0.3, interval=_SHARE),
        parameter(
            "Visibility",
            "Distance at which 5 % of the contrast is left (the meteorological optical range); fog "
            "is below 1000 m.",
            unit="m",
            default=1e5,
            interval=Interval(10.0, 1e5),
        ),
        parameter("Rain", "How heavily it rains; 1 is 50 mm/h.", default=0.0, interval=_SHARE),
        parameter("Snow", "How heavily it snows.", default=0.0, interval=_SHARE),
        parameter(
            "Wetness",
            "How wet the streets are; as wet as it rains when not given.",
            interval=_SHARE,
        ),
        parameter(
            "SnowCover",
            "How much snow lies: 1 is a closed cover, on streets with tracks of wheels; as much as "
            "it snows when not given.",
            interval=_SHARE,
        ),
    ),
)

_DYNAMICS = Element(
    "Dynamics",
    "Parameters of the physics engine.",
    (section_name(),),
    (
        parameter(
            "StepsPerSecond",
            "Integration steps in a second of simulated time.",
            unit="Hz",
            default=240,
            interval=STEP_RATES,
            type=ValueType.INTEGER,
        ),
        parameter(
            "Gravity",
            "Acceleration of a free fall.",
            unit="m/s²",
            default=GRAVITY,
            interval=Interval(0.0, 100.0),
        ),
        parameter(
            "Wetness",
            "Wetness of the ground for tyres: at 1 asphalt has 0.71 of its dry friction. Pictures "
            "show `Wetness` of `Sky`.",
            default=0.0,
            interval=_SHARE,
        ),
        parameter(
            "SnowCover",
            "How much snow lies on the ground for tyres: at 1 asphalt has 0.24 of its dry "
            "friction, that of packed snow. Pictures show `SnowCover` of `Sky`.",
            default=0.0,
            interval=_SHARE,
        ),
    ),
)

_MAP = Element(
    "Map",
    "The place: a folder, or single files. A named file replaces the one in the folder.",
    (section_name(),),
    (
        path_of(
            "Folder",
            "Folder with one `*.osm`, `*.osm.gz`, `*.osm.bz2`, `*.osm.pbf` or `*.xodr` file, a "
            "`setup.xml`, and, if heights are wanted, one picture `heightmap.*` (png, bmp, jpg, "
            "pgm or tif).",
        ),
        path_of("OsmFile", "The map: OpenStreetMap or OpenDRIVE (`*.xodr`)."),
        path_of("SetupFile", "The map set-up file."),
        path_of(
            "HeightMap",
            "Heights: a grey picture about the origin (see HeightDataPerArea in the map set-up), "
            "an SRTM tile (`.hgt`, `.hgt.zip`), a GeoTIFF, or a folder of tiles, of which only "
            "those that the world touches are read.",
        ),
        Element(
            "DrivingSide",
            "The side of the road that traffic keeps to. When not given, it is what `driving_side` "
            "tags of the map say, or a guess from the place.",
            (Attribute("value", "", ValueType.TEXT, required=True, allowed=("left", "right")),),
        ),
    ),
    occurs=Occurs.ONCE,
)

_USER_PROGRAM = Element(
    "UserProgram",
    "A Python file that controls the robot.",
    (
        Attribute(
            "file",
            "The program, in a folder `userprograms` below one of the roots, such as "
            "`userprograms/driver.py`.",
            ValueType.PATH,
            required=True,
        ),
        Attribute(
            "side",
            "It runs on the server, or on the client that takes the robot.",
            ValueType.TEXT,
            default="server",
            allowed=("server", "client"),
        ),
        Attribute(
            "arguments",
            "Arguments of its `main` after the robot's name, separated by spaces; an argument with "
            "spaces stands in quotes.",
            ValueType.TEXT,
            default="",
        ),
        Attribute(
            "isolation",
            "On a server: its own process; a thread of the simulation process, for trusted "
            "programs; or a process that can neither use the network nor write to the disk (needs "
            "bubblewrap).",
            ValueType.TEXT,
            default="process",
            allowed=("process", "thread", "sandbox"),
        ),
        Attribute(
            "deadline",
            "Longest time from one wait to the next, without imports and kernels that compile; a "
            'slower program is stopped, and its robot brakes. With `side="client"` it holds for '
            "any program that drives the robot from elsewhere, also by `autosim run` and "
            "`autosim drive`.",
            unit="s",
            default=2.0,
            interval=Interval(0.001, 86400.0),
        ),
        Attribute(
            "memory",
            "Address space of its process.",
            ValueType.INTEGER,
            "MiB",
            4096,
            interval=Interval(256, 1 << 20),
        ),
        Attribute(
            "restart",
            "Whether it starts again when it fails: after 1 s, then 2 s of simulated time. After "
            "three failures in a minute it stays stopped.",
            ValueType.BOOLEAN,
            default=False,
        ),
    ),
)

MOST_PUBLISHED = 4096
"""Numbers in a publication: 32 kB of each state, and of the packet of at most 100 kB in which a
program sets it."""

PUBLICATION = Element(
    "Publication",
    "A list that user programs publish under the robot, as `<robot>.<publication>`: detections, a "
    "planned path, rollouts. `set_data` sets its rows, `get_data` reads them.",
    (
        name_of("the publication"),
        Attribute(
            "capacity",
            "The most rows that it can have.",
            ValueType.INTEGER,
            required=True,
            interval=Interval(1, MOST_PUBLISHED),
        ),
        Attribute(
            "drawn",
            "How clients draw its columns `x`, `y` and, where there is one, `z`: as points, or "
            "joined by a line. Without `z` they lie at the height of the robot's first part.",
            ValueType.TEXT,
            default="no",
            allowed=("no", "points", "line"),
        ),
        Attribute(
            "frame",
            "The frame of these columns: the world (east, north, up), or the robot's first "
            "part (forward, left, up).",
            ValueType.TEXT,
            default="world",
            allowed=("world", "part"),
        ),
    ),
    (
        Element(
            "Column",
            "One number of each row, in the order of the rows.",
            (
                name_of("the column"),
                Attribute("unit", "An SI unit; 1 for none.", ValueType.TEXT, default="1"),
            ),
            occurs=Occurs.SOME,
        ),
    ),
    occurs=Occurs.ANY,
)

_ROBOT = Element(
    "Robot",
    "A robot in the world. Several may share one robot file and one user program.",
    (name_of("the robot; its devices are `<robot>.<part>.<device>`"),),
    (
        path_of("File", "The robot file.", required=True),
        Element(
            "Position",
            "The place of the robot's origin; without it a free lane.",
            (
                Attribute("x", "To the east.", unit="m", required=True),
                Attribute("y", "Up; on the ground when not given.", unit="m"),
                Attribute("z", "To the north.", unit="m", required=True),
            ),
        ),
        parameter(
            "RotY",
            "Clockwise from north, seen from above. Only with Position.",
            unit="rad",
            default=0.0,
        ),
        _USER_PROGRAM,
        switch(
            "ReadableTruth",
            "Whether user programs may read `<robot>.state_truth`, how the robot really moves. All "
            "of them read `<robot>.state`, what it believes of that.",
        ),
        PUBLICATION,
    ),
    occurs=Occurs.ANY,
)


MOST_VEHICLES, MOST_PEOPLE = 1000, 1000
"""Vehicles and people at a time: what a computer of today steps in about real time."""


_SECONDS, _PERIOD = Interval(0.0, 1e7), Interval(0.0, 1e7, low_open=True)
"""Moments and periods [s] of departures: four months."""


def _traffic_element(kinds: Sequence[str]) -> Element:
    def number(name: str, description: str, most: int, way: str) -> Element:
        count = Attribute(
            *("count", "The most at a time.", ValueType.INTEGER, "", 0, True, Interval(0, most))
        )
        density = Attribute(
            "density",
            f"How many there are per kilometre of {way}, but never more than `count`. Default: "
            "`count`, as far as there is room.",
            unit="1/km",
            interval=Interval(0.0, 1000.0),
        )
        return Element(name, description, (count, density))

    share = Element(
        "Share",
        "How many of the vehicles are of a kind, relative to the other shares. Without any, there "
        "are all kinds as in a town; with some, only those.",
        (
            Attribute("kind", "The kind.", ValueType.TEXT, required=True, allowed=tuple(kinds)),
            Attribute("value", "", required=True, interval=Interval(0.0, 1e6)),
        ),
        occurs=Occurs.ANY,
    )
    trip = Element(
        "Trip",
        "A vehicle that sets out at a stated time on a stated way, or several one after another.",
        (
            Attribute(
                "kind", "The kind.", ValueType.TEXT, default="hatchback", allowed=tuple(kinds)
            ),
            Attribute(
                "streets",
                "Where it goes along, from the first street to the last: ids of OSM ways, `-` "
                "before those that it drives against their direction, or names as in the exported "
                "`.net.xml`, with spaces between. Between two of them it takes the fastest way.",
                ValueType.TEXT,
                required=True,
            ),
            Attribute("depart", "When it sets out.", unit="s", default=0.0, interval=_SECONDS),
            Attribute(
                "every", "Time from one to the next.", unit="s", default=10.0, interval=_PERIOD
            ),
            Attribute(
                "count",
                "How many there are.",
                ValueType.INTEGER,
                default=1,
                interval=Interval(1, 10_000),
            ),
        ),
        occurs=Occurs.ANY,
    )
    return Element(
        "Traffic",
        "Vehicles and people that move by themselves. See [Traffic](traffic.md).",
        (
            section_name(),
            Attribute(
                "engine",
                "Who moves the vehicles. `sumo` needs the extra of that name.",
                ValueType.TEXT,
                default="autosim",
                allowed=("autosim", "sumo"),
            ),
            Attribute(
                "routes",
                "A file of SUMO with routes and departures (`.rou.xml`, trips, flows), or its "
                "configuration (`.sumocfg`) that names such files: its "
                "vehicles come instead of such that drive about by chance.",
                ValueType.PATH,
                default="",
            ),
        ),
        (
            number(
                "Vehicles", "Cars, lorries, buses, motorcycles, bicycles.", MOST_VEHICLES, "lane"
            ),
            number("People", "People on foot.", MOST_PEOPLE, "pavement"),
            parameter(
                "Seed",
                "Another number is another traffic; the seed of the run counts as well.",
                default=0,
                interval=Interval(0, 2**31 - 1),
                type=ValueType.INTEGER,
            ),
            parameter(
                "Imperfection",
                "How much drivers differ from each other and vary; 0: not at all.",
                default=1.0,
                interval=Interval(0.0, 2.0),
            ),
            Element(
                "Signals",
                "The traffic signals of the map: with fixed times; actuated, with greens that "
                "depend on who comes; or off, as at night.",
                (
                    Attribute(
                        "control",
                        "",
                        ValueType.TEXT,
                        default="fixed",
                        required=True,
                        allowed=("fixed", "actuated", "off"),
                    ),
                ),
            ),
            share,
            path_of(
                "Scenario",
                "A scenario that is played in this world. See [Scenarios](scenarios.md).",
            ),
            trip,
        ),
    )


def world_element(objects: Iterable[Element], vehicles: Sequence[str]) -> Element:
    """The root of a world file that may hold `objects` beside robots, and `vehicles` in traffic."""
    return Element(
        "World",
        "A world file: everything that a simulation needs. It must be the same on the server and "
        "its clients, except for the section Graphics.",
        (name_of("the world"),),
        (
            Element("Graphics", "How clients draw the world.", children=(_VIEW, _SKY)),
            Element("Physics", "How the world moves.", children=(_DYNAMICS,)),
            Element("Terrain", "The map.", children=(_MAP,), occurs=Occurs.ONCE),
            _traffic_element(vehicles),
            Element("Objects", "The robots and objects of the world.", children=(_ROBOT, *objects)),
        ),
        occurs=Occurs.ONCE,
    )
