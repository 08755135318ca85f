"""The content of a map of lanelets as typed records, in W and units of SI.

Source: the tagging documents of Lanelet2 1.2.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from autosim.arrays import Floats
from autosim.world.geometry.meshes import Surface
from autosim.world.lanes.lane_rules import Control


class LaneletUse(IntEnum):
    """Use of a lanelet."""

    TRAFFIC = 0
    """Motor vehicles drive on it."""
    CARRIAGEWAY = 1
    """Others drive on it, as on bicycle lanes and bus lanes."""
    WALKWAY = 2
    CROSSWALK = 3
    RAIL = 4
    STAIRS = 5
    """Not made."""


class PathKey(NamedTuple):
    """A lanelet in one direction of traffic."""

    lanelet: int
    """Id of the lanelet."""
    is_along: bool
    """Whether it is the direction of the lanelet's borders."""


@dataclass(frozen=True, slots=True)
class Lanelet:
    """A lanelet: the area between two borders, of which the left one is `left`.

    Attributes:
        id: unique id in the file.
        left: border (n, 3) [m].
        right: border (m, 3) [m], in the same direction.
        use: what it is used for.
        highway: OSM value of the street that is most like it.
        speed_limit: in m/s.
        is_two_way: whether traffic drives in both directions.
        line: line in the file, from 1 on.
    """

    id: int
    left: Floats
    right: Floats
    use: LaneletUse
    highway: str
    speed_limit: float
    is_two_way: bool
    line: int


@dataclass(frozen=True, slots=True)
class LaneletMark:
    """A painted line.

    Attributes:
        points: (n, 3) [m].
        parts: whether each of its parallel lines is solid, from the left to the right.
        width: of each line [m].
        is_yellow: colour; otherwise white.
        shift: distance [m] to the left by which it is painted off its points, so that it is on the
            carriageway.
    """

    points: Floats
    parts: tuple[bool, ...]
    width: float
    is_yellow: bool
    shift: float


@dataclass(frozen=True, slots=True)
class LaneletControl:
    """A sign or light at which traffic on some paths waits.

    Attributes:
        control: rule.
        paths: the paths that it is for.
        place: (n, 3) [m], a line at which vehicles wait; empty: the end of the path.
    """

    control: Control
    paths: tuple[PathKey, ...]
    place: Floats


@dataclass(frozen=True, slots=True)
class LaneletArea:
    """An area in plan with heights: its ring (n, 3) [m], first point not repeated.

    Attributes:
        ring: corners.
        surface: of the ground; of a building, of its walls.
        height: of a solid [m]; 0 of a piece of ground.
    """

    ring: Floats
    surface: Surface
    height: float


@dataclass(frozen=True, slots=True)
class LaneletBarrier:
    """A wall, fence or rail along a line (n, 3) [m].

    Attributes:
        points: its line on the ground.
        surface: material.
        height: above the ground [m].
        width: in plan [m].
    """

    points: Floats
    surface: Surface
    height: float
    width: float


@dataclass(frozen=True, slots=True)
class LaneletMap:
    """All of a file.

    `beside` are pairs of paths next to each other in one direction, `opposite` in opposite ones.
    `junctions` are the lanelets that the file calls parts of a junction.

    Attributes:
        origin: latitude and longitude [deg] of W's origin.
        lanelets: by id.
        successors: the paths that follow each path.
        marks: painted lines.
        controls: signs and lights.
        areas: areas of ground and buildings.
        barriers: solids along lines.
        used: number of used elements of the file by kind.
        ignored: number of unused elements by kind.
    """

    origin: tuple[float, float]
    lanelets: Mapping[int, Lanelet]
    successors: Mapping[PathKey, tuple[PathKey, ...]]
    beside: tuple[tuple[PathKey, PathKey], ...]
    opposite: tuple[tuple[PathKey, PathKey], ...]
    junctions: frozenset[int]
    marks: tuple[LaneletMark, ...]
    controls: tuple[LaneletControl, ...]
    areas: tuple[LaneletArea, ...]
    barriers: tuple[LaneletBarrier, ...]
    used: Mapping[str, int]
    ignored: Mapping[str, int]
