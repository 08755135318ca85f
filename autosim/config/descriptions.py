"""The content of loaded configuration files, as frozen records.

Only these records leave `autosim.config`. The loader has converted everything once: SI units,
radians, and the frames of the simulation (REP 103): world W with x east, y north, z up; body B with
x forward, y left, z up. The axes of the XML files (x right, y up, z forward) do not appear beyond
this package.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from autosim.config.demand import Demand
from autosim.config.noise_records import Noise
from autosim.config.scenarios import Scenario

Vector3 = tuple[float, float, float]
DrivingSide = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class ModelReference:
    """The graphics model of a part, wheel or house.

    `path` is a folder with `LOD0/model.*`, as written in the file; `type` the extension hint.
    """

    path: str
    type: str


PAINT = (0.59, 0.235, 0.195)
"""Colour (sRGB in 0..1) of a part that has neither a model nor its own colour: a dull red."""


Motion = Literal["static", "kinematic", "dynamic"]
"""Motion of a body: none; as commanded, whatever is in its way; by forces."""


@dataclass(frozen=True, slots=True)
class Part:
    """Base of all parts: a rigid body.

    `kind` says which shape parts of its class have, see `autosim.kinds.kind`. `position` [m] is the
    origin of B in the robot's frame; `mass` [kg]. `centre_of_mass` [m] in B and the moments of
    `inertia` [kg m²] about the axes of B through it are those of a homogeneous body where they are
    None. `colour` (sRGB in 0..1) is that of the shape which is drawn where there is no `model`.
    `friction` is its coefficient against the ground, `restitution` the share of its speed with
    which it bounces back from there; between two bodies it is the product of both.
    """

    kind: ClassVar[Any]
    name: str
    position: Vector3
    mass: float = field(kw_only=True)
    centre_of_mass: Vector3 | None = field(default=None, kw_only=True)
    inertia: Vector3 | None = field(default=None, kw_only=True)
    model: ModelReference | None = field(default=None, kw_only=True)
    colour: Vector3 = field(default=PAINT, kw_only=True)
    motion: Motion = field(default="dynamic", kw_only=True)
    friction: float = field(default=0.5, kw_only=True)
    restitution: float = field(default=0.0, kw_only=True)


@dataclass(frozen=True, slots=True)
class PartFile:
    """A file that a part or a device names: its name in the robot file, and where it lies.

    `content`, which is text, is that of the time of reading.
    """

    name: str
    path: Path
    content: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Link:
    """Base of all links: the name, and the names of the two parts that it joins.

    `kind` says which joint links of its class make, see `autosim.kinds.kind`.
    """

    kind: ClassVar[Any]
    name: str
    parent: str
    child: str


@dataclass(frozen=True, slots=True)
class Device:
    """Base of all devices: the name, the part that carries it, and its noise sources.

    `kind` says what devices of its class are and do, see `autosim.kinds.kind`.
    """

    kind: ClassVar[Any]
    name: str
    part: str
    noises: tuple[Noise, ...] = ()


@dataclass(frozen=True, slots=True)
class PublishedColumn:
    """One number of each row of a publication, in SI units; "1": none."""

    name: str
    unit: str = "1"


@dataclass(frozen=True, slots=True)
class Publication:
    """A list that user programs publish under a robot: at most `capacity` rows of `columns`.

    Clients draw its columns x, y and, where there is one, z: as `points`, or joined by a `line`.
    They are metres in the `frame` of the world or in that of the robot's first part.
    """

    name: str
    columns: tuple[PublishedColumn, ...]
    capacity: int
    drawn: Literal["no", "points", "line"] = "no"
    frame: Literal["world", "part"] = "world"


@dataclass(frozen=True, slots=True)
class UsedPlugin:
    """Origin of a robot's devices that are not part of AutoSim.

    Either a Python file: `name` is that in the robot file, `version` the SHA-256 (hex) of its
    content. Or an installed package: its name and version.
    """

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class RobotDescription:
    """A robot file: its parts, links and devices, each in the order of the file.

    The world file adds `publications`, and whether user programs may read what is true of the
    robot's motion. `running_gear` is the file from which it has its wheels, if they are not in its
    own.
    """

    name: str
    source: Path
    parts: tuple[Part, ...]
    links: tuple[Link, ...]
    devices: tuple[Device, ...]
    publications: tuple[Publication, ...] = ()
    plugins: tuple[UsedPlugin, ...] = ()
    semantic_class: str = ""
    is_truth_readable: bool = False
    running_gear: PartFile | None = None


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """The limits of a user program, and the consequence when it fails.

    `deadline` [s of wall-clock time] from one wait to the next, None: the server's own; it holds on
    a client, too. `memory` [bytes] of address space (in a process or a sandbox). `isolation`: its
    own process, a thread of the simulation's process, or a process in a sandbox. `is_restarted`: it
    is started again when it has failed.
    """

    deadline: float | None = None
    memory: int = 4 << 30
    isolation: Literal["process", "thread", "sandbox"] = "process"
    is_restarted: bool = False


@dataclass(frozen=True, slots=True)
class PlacedRobot:
    """A robot in a world. Without `position` the server places it on a lane.

    `position` [m] in W of the robot's origin (z None: on the ground there); `yaw` [rad]
    counter-clockwise from east. `program` is a user program's file as written in the world
    file, run on `program_side` with `program_arguments` after the robot's name, within
    `program_limits`.
    """

    name: str
    robot: RobotDescription
    position: tuple[float, float, float | None] | None = None
    yaw: float | None = None
    program: str | None = None
    program_arguments: tuple[str, ...] = ()
    program_side: Literal["server", "client"] = "server"
    program_limits: ProgramLimits = ProgramLimits()


@dataclass(frozen=True, slots=True)
class PlacedObject:
    """A passive object in a world: one body.

    `position` [m] in W of the body's centre; z None: it stands on the ground there. `yaw` [rad]
    counter-clockwise from east.
    """

    name: str
    body: Part
    position: tuple[float, float, float | None]
    yaw: float = 0.0


@dataclass(frozen=True, slots=True)
class HighwayDimension:
    """Width [m] of the carriageway and of the pavements of one OSM `highway` value."""

    width: float
    left_pavement_width: float
    right_pavement_width: float


@dataclass(frozen=True, slots=True)
class MapSetup:
    """A map set-up file (`setup.xml`). Lengths in metres, angles of the origin in degrees (WGS 84).

    `origin` is (latitude, longitude) of the world's centre; None for the map's own centre.
    `highways` maps an OSM `highway` value to its dimensions; others are not built (if it is empty,
    the built-in table holds). Roads without `road_levels_of_detail` have those of the terrain.
    """

    name: str
    source: Path | None = None
    origin: tuple[float, float] | None = None
    height_above_terrain: float = 0.0
    kerb_height: float = 0.15
    road_levels_of_detail: int | None = None
    highways: tuple[tuple[str, HighwayDimension], ...] = ()
    road_textures: tuple[tuple[str, str], ...] = ()
    terrain_texture: str | None = None
    texture_repeat: float = 1.0
    sky_box: ModelReference | None = None
    size: tuple[float, float] | None = None
    tile_size: float = 64.0
    maximum_lod: int = 6
    terrain_levels_of_detail: int = 3
    layers_of_each_lod: int = 1
    height_data_per_area: float = 8.0
    camera_steps_per_tile: float = 2.0
    height_division_coefficient: float = 10.0


@dataclass(frozen=True, slots=True)
class House:
    """One entry of a house list; `size` [m] of its box along x right, y up, z forward."""

    name: str
    landuse: str
    model: ModelReference
    size: Vector3


@dataclass(frozen=True, slots=True)
class HouseList:
    """A house file list: the objects that each OSM `landuse` may have."""

    source: Path
    houses: tuple[House, ...]


CLEAR = 1e5
"""Visibility [m] of air without any fog."""


@dataclass(frozen=True, slots=True)
class SkyDescription:
    """Time of day and weather.

    `hours` [h] is the time of day on a clock that is `utc_offset` [h] ahead of UTC, None: local
    mean time. Without `hours` the sun is 48 degrees high in the south-east. `clouds`, `rain`,
    `snow`, `wetness` (of the streets) and `snow_cover` (of all that looks up) are shares in 0..1.
    `visibility` [m] is the meteorological optical range.
    """

    hours: float | None = None
    utc_offset: float | None = None
    month: int = 3
    day: int = 21
    clouds: float = 0.3
    visibility: float = CLEAR
    rain: float = 0.0
    snow: float = 0.0
    wetness: float = 0.0
    snow_cover: float = 0.0


@dataclass(frozen=True, slots=True)
class GraphicsDescription:
    """Settings for drawing the world; may differ between server and clients."""

    width: int = 640
    height: int = 480
    has_shadows: bool = True
    multisamples: int = 0
    far: float = 2000.0
    sky: SkyDescription = SkyDescription()


GRAVITY = 9.81
"""Acceleration [m/s^2] of free fall in a world that does not state another: about that of middle
latitudes."""


@dataclass(frozen=True, slots=True)
class PhysicsDescription:
    """Physics of the world.

    `step_seconds` [s] is the fixed integration step, `gravity` [m/s^2] points down; `wetness` and
    `snow_cover` of the ground, from 0 (dry, bare) to 1, change the grip of tyres.
    """

    step_seconds: float = 1.0 / 240.0
    gravity: float = GRAVITY
    wetness: float = 0.0
    snow_cover: float = 0.0


@dataclass(frozen=True, slots=True)
class TerrainDescription:
    """The map: an OSM file, its set-up, optional heights, the side of traffic.

    `height_map` is a picture, an SRTM tile, a GeoTIFF, or a folder of tiles.
    `driving_side`: None to find it by the map's tags or its place.
    """

    osm: Path
    setup: MapSetup
    height_map: Path | None = None
    driving_side: DrivingSide | None = None


@dataclass(frozen=True, slots=True)
class TrafficDescription:
    """The vehicles and people that a world brings along.

    `vehicles` and `people` are the most that there are at a time; `vehicle_density` and
    `people_density` [1/km] how many per kilometre of lane and of pavement, None for as many as
    there is room for; `seed` makes another traffic of the same numbers; `shares` of the kinds of
    vehicles by name, () for the usual ones; `imperfection`: how much drivers differ and vary, 0 for
    not at all; `signals`: whether their greens have fixed times, depend on who comes, or they are
    off; `engine`: who moves the vehicles; `demand`: which vehicles set out when on which routes,
    None where they come and go by chance; `scenario`: what its own actors do, who come on top.
    """

    vehicles: int = 0
    people: int = 0
    vehicle_density: float | None = None
    people_density: float | None = None
    seed: int = 0
    shares: tuple[tuple[str, float], ...] = ()
    imperfection: float = 1.0
    signals: Literal["fixed", "actuated", "off"] = "fixed"
    engine: Literal["autosim", "sumo"] = "autosim"
    demand: Demand | None = None
    scenario: Scenario | None = None


@dataclass(frozen=True, slots=True)
class WorldDescription:
    """A world file with everything it refers to.

    `files` lists every file that the server and its clients must share (the world file, the
    robot files, the set-up, the OSM file, the height map), in a fixed order, each with the
    SHA-256 of its content. The world file's own digest leaves out its Graphics section.

    `texts` is the content of the world file, the robot files and the set-up at the time of reading:
    users may edit them while a server simulates. Their paths are resolved. `folders`: where files
    are looked up last.
    """

    name: str
    source: Path
    graphics: GraphicsDescription
    physics: PhysicsDescription
    terrain: TerrainDescription
    robots: tuple[PlacedRobot, ...]
    objects: tuple[PlacedObject, ...] = ()
    traffic: TrafficDescription | None = None
    files: tuple[tuple[str, str], ...] = ()
    texts: tuple[tuple[Path, bytes], ...] = field(default=(), repr=False, compare=False)
    folders: tuple[Path, ...] = ()

    def text_of(self, path: Path) -> bytes | None:
        """The content of the file at `path` when the world was read; None if not in `texts`."""
        return dict(self.texts).get(path.resolve())
