"""The elements of a world file: graphics, physics, terrain and robots."""

from collections.abc import Iterable, Sequence

from autosim.config.demand import StatedTrip
from autosim.config.descriptions import (
    PlacedRobot,
    ProgramLimits,
    Publication,
    PublishedColumn,
    TerrainDescription,
)
from autosim.config.schema import Attribute, Element, Interval, Occurs, ValueType
from autosim.config.schemas.common import (
    name_of,
    parameter,
    path_of,
    section_name,
    switch,
)
from autosim.config.world_settings import (
    GraphicsDescription,
    PhysicsDescription,
    SkyDescription,
    TrafficDescription,
)
from autosim.config.xml_parameters import attributes_of, children_of

_VIEW = Element(
    "View",
    "Rendering by a client.",
    (section_name(),),
    children_of(GraphicsDescription),
)

_SKY = Element(
    "Sky",
    "Time of day and weather, constant during a run. They change pictures, and rain and fog what "
    "lidars see, but not receivers and radars. `Wetness` and `SnowCover` of "
    "`Dynamics` change the grip of tyres.",
    (section_name(),),
    children_of(SkyDescription),
)

_DYNAMICS = Element(
    "Dynamics",
    "Parameters of the physics engine.",
    (section_name(),),
    children_of(PhysicsDescription),
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
        path_of("OsmFile", "The map: OpenStreetMap, OpenDRIVE (`*.xodr`), Lanelet2 or CommonRoad."),
        path_of("SetupFile", "The map set-up file."),
        path_of(
            "HeightMap",
            "Heights: a grey picture about the origin (see HeightDataPerArea in the map set-up), "
            "an SRTM tile (`.hgt`, `.hgt.zip`), a GeoTIFF, or a folder of tiles, of which only "
            "those that the world touches are read.",
        ),
        *children_of(TerrainDescription),
    ),
    occurs=Occurs.ONCE,
)

_USER_PROGRAM = Element(
    "UserProgram",
    "A Python file that controls the robot.",
    attributes_of(PlacedRobot, ProgramLimits),
)

PUBLICATION = Element(
    "Publication",
    "A list that user programs publish under the robot, as `<robot>.<publication>`: detections, a "
    "planned path, rollouts. `set_data` sets its rows, `get_data` reads them.",
    attributes_of(Publication),
    (
        Element(
            "Column",
            "One number of each row, in the order of the rows.",
            attributes_of(PublishedColumn),
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


def _traffic_element(kinds: Sequence[str]) -> Element:
    share = Element(
        "Share",
        "Share of a kind among the vehicles, relative to the other shares. Without any, there "
        "are all kinds as in a town; with some, only those.",
        (
            Attribute(
                "kind", "Kind of vehicle.", ValueType.TEXT, required=True, allowed=tuple(kinds)
            ),
            Attribute("value", "", required=True, interval=Interval(0.0, 1e6)),
        ),
        occurs=Occurs.ANY,
    )
    trip = Element(
        "Trip",
        "A vehicle with a stated time of departure and route, or several one after another.",
        attributes_of(StatedTrip, allowed={"kind": kinds}),
        occurs=Occurs.ANY,
    )
    return Element(
        "Traffic",
        "Vehicles and people that move by themselves. See [Traffic](traffic.md).",
        (
            section_name(),
            *attributes_of(TrafficDescription),
            Attribute(
                "routes",
                "A file of SUMO with routes and departures (`.rou.xml`, trips, flows), or its "
                "configuration (`.sumocfg`) that names such files: its "
                "vehicles replace those with random routes.",
                ValueType.PATH,
                default="",
            ),
        ),
        (
            *children_of(TrafficDescription),
            share,
            Element(
                "Scenario",
                "A scenario that is played in this world. See [Scenarios](scenarios.md).",
                (
                    Attribute("path", "", ValueType.PATH, required=True),
                    Attribute(
                        "reactive",
                        "`idm`: recorded vehicles drive by themselves along their recorded ways, "
                        "at the distances of the Intelligent Driver Model. `none`: as recorded.",
                        ValueType.TEXT,
                        default="none",
                        allowed=("none", "idm"),
                    ),
                ),
                occurs=Occurs.OPTIONAL,
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
            Element("Graphics", "Rendering of the world by clients.", children=(_VIEW, _SKY)),
            Element("Physics", "Physics of the world.", children=(_DYNAMICS,)),
            Element("Terrain", "The map.", children=(_MAP,), occurs=Occurs.ONCE),
            _traffic_element(vehicles),
            Element("Objects", "The robots and objects of the world.", children=(_ROBOT, *objects)),
        ),
        occurs=Occurs.ONCE,
    )
