"""Small networks of streets such as no town has, but maps may: strategies that draw them.

A network is made of courses: lines with tags for each of their segments. A course begins anywhere,
at a node of another one, or beside one; so ways run side by side at other levels, meet at small
angles, part and join, cross with and without a node.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from PIL import Image

from autosim.config.descriptions import MapSetup
from autosim.config.diagnostics import Diagnostics
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.maps import Point, Way, write_map

Tags = Mapping[str, str]

_CLASSES = ("motorway", "motorway_link", "primary", "secondary", "residential", "service", "track")
_STEPS = (6.0, 12.0, 25.0, 40.0, 70.0, 110.0)
_TURNS = (-100.0, -60.0, -30.0, -12.0, 0.0, 0.0, 0.0, 12.0, 30.0, 60.0, 100.0)
_GAPS = (-11.0, -8.0, -6.0, -4.0, -2.5, 2.5, 4.0, 6.0, 8.0, 11.0)
_LEVELS: tuple[Tags, ...] = (
    {},
    {},
    {"bridge": "yes", "layer": "1"},
    {"bridge": "yes", "layer": "2"},
    {"tunnel": "yes", "layer": "-1"},
    {"tunnel": "yes", "layer": "-2"},
)
_ODD: tuple[Tags, ...] = (
    {},
    {},
    {},
    {"width": "24"},
    {"width": "1"},
    {"lanes": "8"},
    {"layer": "3"},
)


@dataclass(frozen=True)
class Network:
    """Ways in metres, and hills [m]: how high, and how far from crest to crest; 0 for none."""

    ways: tuple[Way, ...]
    hills: tuple[float, float] = (0.0, 0.0)


SETUP = MapSetup(name="hills", height_data_per_area=8.0, height_division_coefficient=100.0)


def build(folder: Path, network: Network) -> CompiledWorld:
    """Compiles a network with files in a folder."""
    osm = write_map(folder, network.ways)
    return build_world(
        osm,
        setup=SETUP,
        height_map=_picture(folder, *network.hills) if network.hills[0] else None,
        driving_side="right",
        diagnostics=Diagnostics(),
        processes=1,
    )


def _picture(folder: Path, height: float, length: float) -> Path:
    """A grey picture of hills about the middle of the map, a kilometre wide."""
    along = np.arange(-500.0, 501.0, SETUP.height_data_per_area) * math.tau / length
    crests = height * (1.0 + np.sin(along)[None, :] * np.cos(0.8 * along)[:, None])
    path = folder / "hills.tiff"
    # Floating-point numbers, because whole numbers of 8 or 16 bits end at 255.
    Image.fromarray((crests * SETUP.height_division_coefficient).astype(np.float32)).save(path)
    return path


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Two to five courses, on level ground or on hills."""
    courses: list[tuple[list[Point], list[Tags]]] = []
    for _ in range(draw(st.integers(2, 5))):
        line = draw(_lines([each[0] for each in courses]))
        courses.append((line, draw(_tags(len(line) - 1))))
    hills = draw(st.sampled_from([(0.0, 0.0), (0.0, 0.0), (4.0, 120.0), (12.0, 160.0)]))
    ways = tuple(way for line, tags in courses for way in _ways(line, tags))
    return Network(ways, hills)


@st.composite
def _lines(draw: st.DrawFn, others: Sequence[Sequence[Point]]) -> list[Point]:
    """The points of a course."""
    kind = draw(st.sampled_from(["free", "from", "between", "beside", "beside", "ring"]))
    if not others or kind == "free":
        start = draw(st.tuples(st.integers(-20, 20), st.integers(-20, 20)))
        heading = 15.0 * draw(st.integers(0, 23))
        return draw(_walks((4.0 * start[0], 4.0 * start[1]), heading))
    other = draw(st.sampled_from(list(others)))
    if kind == "beside":
        return _beside(other, draw(st.sampled_from(_GAPS)), draw(st.sampled_from(_GAPS)))
    start = draw(st.sampled_from(list(other)))
    if kind == "ring":
        radius = draw(st.sampled_from([8.0, 14.0, 25.0]))
        turns = [math.tau * k / 8.0 for k in range(8)]
        ring = [
            (start[0] + radius * math.cos(t) - radius, start[1] + radius * math.sin(t))
            for t in turns
        ]
        ring = [start, *map(_rounded, ring[1:])]
        return [*ring, start]
    ahead = _heading(other, other.index(start)) + draw(st.sampled_from(_TURNS)) / 2.0
    line = draw(_walks(start, ahead))
    if kind == "between":
        last = draw(st.sampled_from(list(draw(st.sampled_from(list(others))))))
        if last not in line:
            line.append(last)
    return line


@st.composite
def _walks(draw: st.DrawFn, start: Point, heading: float) -> list[Point]:
    """A line from a place in a direction [deg]."""
    line = [start]
    for _ in range(draw(st.integers(1, 5))):
        step = draw(st.sampled_from(_STEPS))
        turn = math.radians(heading)
        x, y = line[-1]
        line.append(_rounded((x + step * math.cos(turn), y + step * math.sin(turn))))
        heading += draw(st.sampled_from(_TURNS))
    return list(dict.fromkeys(line))


@st.composite
def _tags(draw: st.DrawFn, count: int) -> list[Tags]:
    """Tags for each segment: one street that changes its level, and at times its class."""
    own = {"highway": draw(st.sampled_from(_CLASSES))}
    own |= draw(st.sampled_from([{}, {"oneway": "yes"}]))
    own |= draw(st.sampled_from(_ODD))
    levels = draw(st.lists(st.sampled_from(_LEVELS), min_size=count, max_size=count))
    return [own | level for level in levels]


def _beside(line: Sequence[Point], first: float, last: float) -> list[Point]:
    """A line beside another one, `first` [m] to its left where it begins and `last` at its end."""
    points = np.array(line)
    ahead = np.gradient(points, axis=0)
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    gaps = np.linspace(first, last, len(points))[:, None]
    moved = points + gaps * np.column_stack([-ahead[:, 1], ahead[:, 0]])
    return list(dict.fromkeys(_rounded(point) for point in moved.tolist()))


def _heading(line: Sequence[Point], at: int) -> float:
    first = max(min(at, len(line) - 2), 0)
    (x, y), (u, v) = line[first], line[first + 1]
    return math.degrees(math.atan2(v - y, u - x))


def _rounded(point: Sequence[float]) -> Point:
    return (round(point[0], 1), round(point[1], 1))


def _ways(line: Sequence[Point], tags: Sequence[Tags]) -> list[Way]:
    """The ways of a course: segments of the same tags are one."""
    ways: list[tuple[list[Point], Tags]] = []
    for first, last, own in zip(line[:-1], line[1:], tags, strict=False):
        if ways and ways[-1][1] == own:
            ways[-1][0].append(last)
        else:
            ways.append(([first, last], own))
    return [(tuple(points), own) for points, own in ways]
