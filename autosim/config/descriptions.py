"""The content of loaded configuration files, as frozen records.

Only these records leave `autosim.config`. The loader has converted everything once: SI units,
radians, and the frames of the simulation (REP 103): world W with x east, y north, z up; body B with
x forward, y left, z up. The axes of the XML files (x right, y up, z forward) do not appear beyond
this package.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from autosim.config.arguments import join_arguments, split_arguments
from autosim.config.noise_records import Noise
from autosim.config.schema import Interval, ValueType
from autosim.config.world_settings import (
    GraphicsDescription,
    PhysicsDescription,
    TrafficDescription,
)
from autosim.config.xml_parameters import ValueForm, attribute, child, name_of

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

    kind: ClassVar[object]
    name: str
    """Name, unique in the robot."""
    position: Vector3
    mass: float = field(kw_only=True)
    centre_of_mass: Vector3 | None = field(default=None, kw_only=True)
    inertia: Vector3 | None = field(default=None, kw_only=True)
    model: ModelReference | None = field(default=None, kw_only=True)
    colour: Vector3 = field(default=PAINT, kw_only=True)
    motion: Motion = field(default="dynamic", kw_only=True)
    """`static`: never moves; `kinematic`: moved by the simulation alone; `dynamic`: by forces."""
    friction: float = field(default=0.5, kw_only=True)
    restitution: float = field(default=0.0, kw_only=True)


@dataclass(frozen=True, slots=True)
class PartFile:
    """A file that a part or a device names: its name in the robot file, and where it lies.

    `content`, which is text, is that of the time of reading.
    """

    name: str
    """Name in the robot file, with `/`."""
    path: Path
    """Absolute path of the file."""
    content: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Link:
    """Base of all links: the name, and the names of the two parts that it joins.

    `kind` says which joint links of its class make, see `autosim.kinds.kind`.
    """

    kind: ClassVar[object]
    name: str
    """Name, unique in the robot."""
    parent: str
    """Name of the first part."""
    child: str
    """Name of the second part."""


@dataclass(frozen=True, slots=True)
class Device:
    """Base of all devices: the name, the part that carries it, and its noise sources.

    `kind` says what devices of its class are and do, see `autosim.kinds.kind`.
    """

    kind: ClassVar[Any]
    name: str
    """Name, unique on its part."""
    part: str
    noises: tuple[Noise, ...] = ()
    """Noise sources, applied in this order."""


MOST_PUBLISHED = 4096
"""Numbers in a publication: 32 kB of each state, and of the packet of at most 100 kB in which a
program sets it."""


@dataclass(frozen=True, slots=True)
class PublishedColumn:
    """One number of each row of a publication, in SI units; "1": none."""

    name: str = field(metadata=name_of("the column"))
    """Name of the column."""
    unit: str = field(default="1", metadata=attribute("unit", "An SI unit; 1 for none."))
    """SI unit, "1" for none."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A list that user programs publish under a robot: at most `capacity` rows of `columns`.

    Clients draw its columns x, y and, where there is one, z: as `points`, or joined by a `line`.
    They are metres in the `frame` of the world or in that of the robot's first part.
    """

    name: str = field(metadata=name_of("the publication"))
    """Name, unique in the robot."""
    columns: tuple[PublishedColumn, ...]
    capacity: int = field(
        metadata=attribute(
            "capacity",
            "The most rows that it can have.",
            interval=Interval(1, MOST_PUBLISHED),
            is_required=True,
        )
    )
    drawn: Literal["no", "points", "line"] = field(
        default="no",
        metadata=attribute(
            "drawn",
            "How clients draw its columns `x`, `y` and, where there is one, `z`: as points, or "
            "joined by a line. Without `z` they lie at the height of the robot's first part.",
        ),
    )
    """Drawing by clients."""
    frame: Literal["world", "part"] = field(
        default="world",
        metadata=attribute(
            "frame",
            "The frame of these columns: the world (east, north, up), or the robot's first "
            "part (forward, left, up).",
        ),
    )


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
    """Name of the kind of robot."""
    source: Path
    """Path of the robot file."""
    parts: tuple[Part, ...]
    links: tuple[Link, ...]
    devices: tuple[Device, ...]
    publications: tuple[Publication, ...] = ()
    plugins: tuple[UsedPlugin, ...] = ()
    """Plug-ins of its devices."""
    semantic_class: str = ""
    """Name of its class in label pictures, "": a car's if it has wheels."""
    is_truth_readable: bool = False
    """Whether user programs may read the true motion."""
    running_gear: PartFile | None = None


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """The limits of a user program, and the consequence when it fails.

    `deadline` [s of wall-clock time] from one wait to the next, None: the server's own; it holds on
    a client, too. `memory` [bytes] of address space (in a process or a sandbox). `isolation`: its
    own process, a thread of the simulation's process, or a process in a sandbox. `is_restarted`: it
    is started again when it has failed.
    """

    deadline: float | None = field(
        default=None,
        metadata=attribute(
            "deadline",
            "Longest time from one wait to the next, without imports and kernels that compile; a "
            'slower program is stopped, and its robot brakes. With `side="client"` it holds for '
            "any program that drives the robot from elsewhere, also by `autosim run` and "
            "`autosim drive`.",
            unit="s",
            default=2.0,
            interval=Interval(0.001, 86400.0),
        ),
    )
    memory: int = field(
        default=4 << 30,
        metadata=attribute(
            "memory",
            "Address space of its process.",
            unit="MiB",
            interval=Interval(256, 1 << 20),
            form=ValueForm(read=lambda mebibytes: mebibytes << 20, write=lambda size: size >> 20),
        ),
    )
    isolation: Literal["process", "thread", "sandbox"] = field(
        default="process",
        metadata=attribute(
            "isolation",
            "On a server: its own process; a thread of the simulation process, for trusted "
            "programs; or a process that can neither use the network nor write to the disk (needs "
            "bubblewrap).",
        ),
    )
    is_restarted: bool = field(
        default=False,
        metadata=attribute(
            "restart",
            "Whether it starts again when it fails: after 1 s, then 2 s of simulated time. After "
            "three failures in a minute it stays stopped.",
        ),
    )


@dataclass(frozen=True, slots=True)
class PlacedRobot:
    """A robot in a world. Without `position` the server places it on a lane.

    `position` [m] in W of the robot's origin (z None: on the ground there); `yaw` [rad]
    counter-clockwise from east. `program` is a user program's file as written in the world
    file, run on `program_side` with `program_arguments` after the robot's name, within
    `program_limits`.
    """

    name: str
    """Name, unique in the world."""
    robot: RobotDescription
    position: tuple[float, float, float | None] | None = None
    yaw: float | None = None
    program: str | None = field(
        default=None,
        metadata=attribute(
            "file",
            "The program, in a folder `userprograms` below one of the roots, such as "
            "`userprograms/driver.py`.",
            type=ValueType.PATH,
            is_required=True,
        ),
    )
    program_side: Literal["server", "client"] = field(
        default="server",
        metadata=attribute("side", "It runs on the server, or on the client that takes the robot."),
    )
    program_arguments: tuple[str, ...] = field(
        default=(),
        metadata=attribute(
            "arguments",
            "Arguments of its `main` after the robot's name, separated by spaces; an argument with "
            "spaces stands in quotes.",
            type=ValueType.TEXT,
            form=ValueForm(read=split_arguments, write=join_arguments),
        ),
    )
    program_limits: ProgramLimits = ProgramLimits()


@dataclass(frozen=True, slots=True)
class PlacedObject:
    """A passive object in a world: one body.

    `position` [m] in W of the body's centre; z None: it stands on the ground there. `yaw` [rad]
    counter-clockwise from east.
    """

    name: str
    """Name, unique in the world."""
    body: Part
    """The body."""
    position: tuple[float, float, float | None]
    yaw: float = 0.0


@dataclass(frozen=True, slots=True)
class HighwayDimension:
    """Width [m] of the carriageway and of the pavements of one OSM `highway` value."""

    width: float
    """Carriageway [m]."""
    left_pavement_width: float
    """Left pavement [m], 0 for none."""
    right_pavement_width: float
    """Right pavement [m], 0 for none."""


@dataclass(frozen=True, slots=True)
class MapSetup:
    """A map set-up file (`setup.xml`). Lengths in metres, angles of the origin in degrees (WGS 84).

    `origin` is (latitude, longitude) of the world's centre; None for the map's own centre.
    `highways` maps an OSM `highway` value to its dimensions; others are not built (if it is empty,
    the built-in table holds). Roads without `road_levels_of_detail` have those of the terrain.
    """

    name: str
    """Name of the set-up."""
    source: Path | None = None
    """Path of the file; None for the built-in set-up."""
    origin: tuple[float, float] | None = None
    height_above_terrain: float = 0.0
    """Height of roads above the terrain [m]."""
    kerb_height: float = 0.15
    """Height of kerbs [m]."""
    road_levels_of_detail: int | None = None
    highways: tuple[tuple[str, HighwayDimension], ...] = ()
    road_textures: tuple[tuple[str, str], ...] = ()
    """(`highway` value, file) of each road texture."""
    terrain_texture: str | None = None
    """File of the ground's texture, None for the built-in one."""
    texture_repeat: float = 1.0
    """Repetitions of that texture along each side of the terrain."""
    sky_box: ModelReference | None = None
    """Cube map of the sky, None: the computed sky."""
    size: tuple[float, float] | None = None
    """Extent (east, north) [m] of the world, None: that of the map."""
    tile_size: float = 64.0
    """Width of a ring of detail around the camera [m]."""
    maximum_lod: int = 6
    """Level of detail at the camera."""
    terrain_levels_of_detail: int = 3
    """Number of levels of detail of terrain; 1: always the finest."""
    layers_of_each_lod: int = 1
    """Number of rings with the same level of detail."""
    height_data_per_area: float = 8.0
    """Spacing of the samples of the height map [m]."""
    camera_steps_per_tile: float = 2.0
    """Updates of the shown tiles per tile size of camera motion; -1: each picture."""
    height_division_coefficient: float = 10.0
    """Grey levels per metre of a height picture [1/m]."""


@dataclass(frozen=True, slots=True)
class House:
    """One entry of a house list; `size` [m] of its box along x right, y up, z forward."""

    name: str
    """Name of the entry."""
    landuse: str
    """OSM `landuse` value of areas that may have the house."""
    model: ModelReference
    """Model to draw."""
    size: Vector3


@dataclass(frozen=True, slots=True)
class HouseList:
    """A house file list: the objects that each OSM `landuse` may have."""

    source: Path
    """Path of the file."""
    houses: tuple[House, ...]
    """The entries, in the order of the file."""


@dataclass(frozen=True, slots=True)
class TerrainDescription:
    """The map: an OSM file, its set-up, optional heights, the side of traffic.

    `height_map` is a picture, an SRTM tile, a GeoTIFF, or a folder of tiles.
    `driving_side`: None to find it by the map's tags or its place.
    """

    osm: Path
    """Path of the OSM or OpenDRIVE file."""
    setup: MapSetup
    """Content of the map's set-up file."""
    height_map: Path | None = None
    driving_side: DrivingSide | None = field(
        default=None,
        metadata=child(
            "DrivingSide",
            "The side of the road that traffic keeps to. When not given, it is what `driving_side` "
            "tags of the map say, or a guess from the place.",
        ),
    )


@dataclass(frozen=True, slots=True)
class WorldDescription:
    """A world file with everything it refers to.

    `files` lists every file that the server and its clients must share (the world file, the
    robot files, the set-up, the OSM file, the height map), in a fixed order, each with the
    SHA-256 of its content. The world file's own digest leaves out its Graphics section.

    `texts` is the content of the world file, the robot files and the set-up at the time of reading:
    users may edit them while a server simulates. Their paths are resolved. `folders`: where files
    are looked up last.

    Attributes:
        name: name of the world, from its file.
        source: path of the world file.
        graphics: settings for drawing.
        physics: settings of the simulation.
        terrain: the map and its heights.
        robots: robots with their start poses, in the order of the file.
        objects: loose objects, in the order of the file.
        traffic: vehicles, pedestrians and signals, None without traffic.
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
