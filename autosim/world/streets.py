"""From OSM ways to streets: pieces of carriageway between two junctions.

Ways that only continue one another are joined first, so that a street does not break where a
mapper changed a tag that means nothing here; then corners are rounded; then the ways are split at
the nodes they share.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from autosim.config.descriptions import MapSetup
from autosim.world.curves import Floats, length_of, round_corners
from autosim.world.highways import HighwayClass, highway_classes
from autosim.world.osm_data import OsmData, OsmWay
from autosim.world.tags import Tags, is_yes, parse_count, parse_length, parse_speed

_MIN_WIDTH, _MAX_WIDTH = 2.5, 30.0
_MIN_LANE_WIDTH, _USUAL_LANE_WIDTH, _MAX_LANE_WIDTH = 2.4, 3.25, 3.5
_MAX_LANES = 12
_CLOSEST_POINTS = 0.3
_IMPLIED_ONE_WAY = frozenset({"motorway"})


@dataclass(frozen=True, slots=True)
class StreetProfile:
    """What a street is across: the same all along.

    `width` [m] of the carriageway, `pavement` [m] left and right of it, `speed_limit` [m/s];
    `rank` as in `HighwayClass`. A street with no backward lanes is one-way.
    """

    highway: str
    width: float
    pavement: tuple[float, float]
    forward_lanes: int
    backward_lanes: int
    speed_limit: float
    rank: int
    is_roundabout: bool

    @property
    def is_one_way(self) -> bool:
        """Whether traffic goes along the street's points only."""
        return self.backward_lanes == 0


@dataclass(frozen=True, slots=True)
class Street:
    """A street from node `start` to node `end` (rows of the map's nodes, negative where cut).

    `points` (n, 2) [m] in W is its axis; `way` the OSM way it comes from. `level` is 0 on the
    ground, above 0 on a bridge, below 0 in a tunnel.
    """

    way: int
    start: int
    end: int
    points: Floats
    profile: StreetProfile
    level: int = 0


@dataclass(frozen=True, slots=True)
class _Course:
    """A way's nodes in driving direction, with its profile and level."""

    way: int
    nodes: tuple[int, ...]
    profile: StreetProfile
    level: int


def find_streets(data: OsmData, points: Floats, *, setup: MapSetup | None) -> list[Street]:
    """The streets of a map, on the ground, on bridges and in tunnels.

    Args:
        data: the map.
        points: (n, 2) places of the map's nodes in W [m].
        setup: which highways to build and how wide, None for the built-in table.
    """
    courses = _joined(_courses(data, highway_classes(setup)))
    junctions = _junctions(courses)
    return [street for course in courses for street in _split(course, points, junctions)]


def _courses(data: OsmData, classes: Mapping[str, HighwayClass]) -> list[_Course]:
    courses = []
    for way in data.ways:
        kind = classes.get(way.tags.get("highway", ""))
        if kind is not None and way.tags.get("area") != "yes" and len(way.refs) > 1:
            courses.append(_course(way, data, kind))
    return courses


def level_of(tags: Tags) -> int:
    """Level of a way: 0 is the ground.

    `layer` alone only orders what is drawn on top of what; a bridge or a tunnel makes a level.
    A passage through a building is on the ground.
    """
    layer = parse_layer(tags)
    if is_yes(tags.get("bridge")):
        return max(1, layer)
    if is_yes(tags.get("tunnel")) and tags["tunnel"] != "building_passage":
        return min(-1, layer)
    return min(0, layer) if is_yes(tags.get("covered")) else 0


def parse_layer(tags: Tags) -> int:
    """The first value of `layer`, 0 if there is none."""
    text = tags.get("layer", "0").split(";")[0].strip()
    return int(text) if text.lstrip("+-").isdigit() else 0


def _course(way: OsmWay, data: OsmData, kind: HighwayClass) -> _Course:
    nodes = tuple(data.rows(way.refs).tolist())
    profile = street_profile(way.tags, kind)
    if way.tags.get("oneway") in ("-1", "reverse"):
        nodes = nodes[::-1]
        profile = replace(profile, pavement=profile.pavement[::-1])
    return _Course(way.id, nodes, profile, level_of(way.tags))


def street_profile(tags: Tags, kind: HighwayClass) -> StreetProfile:
    """The profile that a way's tags and its class give; for `oneway=-1` seen along the traffic."""
    is_roundabout = tags.get("junction") in ("roundabout", "circular")
    one_way = _is_one_way(tags, is_roundabout)
    width, forward, backward = _lanes_and_width(tags, kind, one_way)
    speed = parse_speed(tags.get("maxspeed"))
    return StreetProfile(
        highway=tags["highway"],
        width=width,
        pavement=_pavement(tags, kind),
        forward_lanes=forward,
        backward_lanes=backward,
        speed_limit=kind.speed_limit if speed is None else max(speed, 1.0),
        rank=kind.rank,
        is_roundabout=is_roundabout,
    )


def _is_one_way(tags: Tags, is_roundabout: bool) -> bool:
    stated = tags.get("oneway")
    if stated in ("yes", "1", "true", "-1", "reverse"):
        return True
    return stated is None and (is_roundabout or tags["highway"] in _IMPLIED_ONE_WAY)


def _lanes_and_width(tags: Tags, kind: HighwayClass, one_way: bool) -> tuple[float, int, int]:
    """Width [m] and lanes forward and backward: the width tag, else lanes, else the class."""
    usual_width = kind.one_way_width if one_way else kind.width
    directions = 1 if one_way else 2
    usual_lanes = directions * max(1, int(usual_width / directions / _USUAL_LANE_WIDTH))
    lanes = min(parse_count(tags.get("lanes")) or usual_lanes, _MAX_LANES)
    width = parse_length(tags.get("width"))
    if width is None or not width > 0.0:
        each = min(usual_width / usual_lanes, _MAX_LANE_WIDTH)
        width = usual_width if lanes == usual_lanes else lanes * each
    width = min(max(width, _MIN_WIDTH), _MAX_WIDTH)
    lanes = max(directions, min(lanes, int(width / _MIN_LANE_WIDTH)))
    if one_way:
        return width, lanes, 0
    backward = min(parse_count(tags.get("lanes:backward")) or lanes // 2, lanes - 1)
    return width, lanes - backward, backward


def _pavement(tags: Tags, kind: HighwayClass) -> tuple[float, float]:
    left, right = kind.pavement
    stated = tags.get("sidewalk") or tags.get("sidewalk:both")
    if stated in ("no", "none"):
        return (0.0, 0.0)
    if stated == "left":
        return (left, 0.0)
    return (0.0, right) if stated == "right" else (left, right)


def _joined(courses: Sequence[_Course]) -> list[_Course]:
    """Joins courses of one profile and level that meet end to end where no other comes."""
    uses = Counter(node for course in courses for node in course.nodes)
    open_ends: dict[int, _Course] = {}
    done: list[_Course] = []
    for course in courses:
        if course.nodes[0] == course.nodes[-1]:
            done.append(course)
            continue
        for node in (course.nodes[0], course.nodes[-1]):
            other = open_ends.get(node)
            joined = _join(other, course, node) if other and uses[node] == 2 else None
            if other and joined and joined.nodes[0] != joined.nodes[-1]:
                del open_ends[other.nodes[0]], open_ends[other.nodes[-1]]
                course = joined
        _open(course, open_ends, done)
    return done + list({id(course): course for course in open_ends.values()}.values())


def _open(course: _Course, open_ends: dict[int, _Course], done: list[_Course]) -> None:
    """Keeps a course for joining; where one already ends at its nodes, that one is done."""
    for node in (course.nodes[0], course.nodes[-1]):
        other = open_ends.pop(node, None)
        if other is not None:
            far = other.nodes[0] if other.nodes[-1] == node else other.nodes[-1]
            open_ends.pop(far, None)
            done.append(other)
    open_ends[course.nodes[0]] = open_ends[course.nodes[-1]] = course


def _join(first: _Course, second: _Course, node: int) -> _Course | None:
    if first.nodes[-1] != node:
        first = _reversed(first)
    if second.nodes[0] != node:
        second = _reversed(second)
    if first.profile != second.profile or first.level != second.level:
        return None
    return replace(first, nodes=first.nodes + second.nodes[1:])


def _reversed(course: _Course) -> _Course:
    profile = course.profile
    turned = replace(
        profile,
        pavement=profile.pavement[::-1],
        forward_lanes=profile.backward_lanes,
        backward_lanes=profile.forward_lanes,
    )
    return replace(course, nodes=course.nodes[::-1], profile=turned)


def _junctions(courses: Sequence[_Course]) -> frozenset[int]:
    """Nodes at which streets end: those used twice, and the ends of courses."""
    uses = Counter(node for course in courses for node in course.nodes)
    ends = {node for course in courses for node in (course.nodes[0], course.nodes[-1])}
    return frozenset(ends | {node for node, count in uses.items() if count > 1})


def _split(course: _Course, points: Floats, junctions: frozenset[int]) -> list[Street]:
    course = _forward(course)
    nodes = _spaced(_rotated(course.nodes, junctions), points, junctions)
    if len(nodes) < 2:
        return []
    is_fixed = np.array([node in junctions for node in nodes])
    rounded, rows = round_corners(points[list(nodes)], is_fixed)
    breaks = [k for k in range(len(nodes)) if is_fixed[k] or k in (0, len(nodes) - 1)]
    streets = []
    for a, b in pairwise(breaks):
        piece = rounded[rows[a] : rows[b] + 1]
        if length_of(piece) > 0.0:
            street = Street(course.way, nodes[a], nodes[b], piece, course.profile, course.level)
            streets.append(street)
    return streets


def _forward(course: _Course) -> _Course:
    """A one-way course along its traffic (joining may have turned it)."""
    return _reversed(course) if course.profile.forward_lanes == 0 else course


def _rotated(nodes: tuple[int, ...], junctions: frozenset[int]) -> tuple[int, ...]:
    """A closed course started at a junction, so that its seam is no corner of its own."""
    if nodes[0] != nodes[-1]:
        return nodes
    ring = nodes[:-1]
    at = next((k for k in range(1, len(ring)) if ring[k] in junctions), 0)
    return ring[at:] + ring[:at] + (ring[at],)


def _spaced(nodes: tuple[int, ...], points: Floats, junctions: frozenset[int]) -> tuple[int, ...]:
    """The nodes without repeats and without bends that crowd closer than 0.3 m."""
    kept = [nodes[0]]
    for node in nodes[1:]:
        gap = float(np.linalg.norm(points[node] - points[kept[-1]]))
        if node != kept[-1] and (gap > _CLOSEST_POINTS or node in junctions):
            kept.append(node)
    return tuple(kept)
