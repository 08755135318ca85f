"""From OSM ways to streets: pieces of carriageway between two junctions.

Three steps make them. Ways that only continue one another are joined, so that a street does not
break where a mapper changed a tag without a meaning here. Corners are rounded. Ways are split at
the nodes that they share.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import MapSetup
from autosim.world.geometry.curves import length_of, round_corners
from autosim.world.osm.highways import HighwayClass, highway_classes
from autosim.world.osm.osm_data import OsmData, OsmWay
from autosim.world.osm.restriction_relations import via_nodes
from autosim.world.osm.tags import layer_of
from autosim.world.streets.street_profiles import StreetProfile, street_profile

_CLOSEST_POINTS = 0.3
"""Least distance [m] between two nodes of a way: closer ones are slips of a mapper, whose bends no
vehicle could follow."""

_SAME_PLACE_DIGITS = 3
"""Decimals [m] to which the places of nodes are compared: a map has about centimetres."""


@dataclass(frozen=True, slots=True)
class WayPart:
    """A part of OSM way `way`; `is_forward`: it runs in the order of the way's own nodes."""

    way: int
    is_forward: bool

    def reversed(self) -> "WayPart":
        """The same part seen the other way round."""
        return WayPart(self.way, not self.is_forward)


@dataclass(frozen=True, slots=True)
class Street:
    """A street from node `start` to node `end` (rows of the map's nodes, negative where cut).

    `parts` are its parts of OSM ways, from its start to its end; `points` (n, 2) [m] in W is its
    axis. `layer` is 0 on the ground, above 0 on a bridge, below 0 in a
    tunnel.
    """

    parts: tuple[WayPart, ...]
    start: int
    end: int
    points: Floats
    profile: StreetProfile
    """Cross-section of the street."""
    layer: int = 0

    def part_at(self, is_start: bool) -> WayPart:
        """The part at one of its ends."""
        return self.parts[0 if is_start else -1]


@dataclass(frozen=True, slots=True)
class _Course:
    """Nodes in driving direction, with profile and layer; `parts` (nodes - 1) between nodes."""

    parts: tuple[WayPart, ...]
    nodes: tuple[int, ...]
    profile: StreetProfile
    layer: int


def find_streets(data: OsmData, points: Floats, *, setup: MapSetup | None) -> list[Street]:
    """The streets of a map, on the ground, on bridges and in tunnels.

    Args:
        data: the map.
        points: (n, 2) places of the map's nodes in W [m].
        setup: which highways to build and how wide, None for the built-in table.
    """
    courses = _on_common_nodes(_courses(data, highway_classes(setup)), points)
    courses = _joined(courses, kept=via_nodes(data))
    junctions = _junctions(courses)
    return [street for course in courses for street in _split(course, points, junctions)]


def _courses(data: OsmData, classes: Mapping[str, HighwayClass]) -> list[_Course]:
    courses = []
    for way in data.ways:
        kind = classes.get(way.tags.get("highway", ""))
        if kind is not None and way.tags.get("area") != "yes" and len(way.refs) > 1:
            courses.append(_course(way, data, kind))
    return courses


def _course(way: OsmWay, data: OsmData, kind: HighwayClass) -> _Course:
    nodes = tuple(data.rows(way.refs).tolist())
    profile = street_profile(way.tags, kind)
    is_reverse = way.tags.get("oneway") in ("-1", "reverse")
    if is_reverse:
        nodes = nodes[::-1]
        profile = replace(profile, pavement=profile.pavement[::-1])
    parts = (WayPart(way.id, not is_reverse),) * (len(nodes) - 1)
    return _Course(parts, nodes, profile, layer_of(way.tags))


def _on_common_nodes(courses: Sequence[_Course], points: Floats) -> list[_Course]:
    """The courses with one node for all nodes at a place where edges of one layer coincide.

    Copies of a way often have nodes of their own. Nodes at the same place that no edge connects
    with the same next place, as above one another at a bridge, stay apart.
    """
    rows = np.unique([node for course in courses for node in course.nodes]).astype(np.int64)
    rounded = np.round(points[rows], _SAME_PLACE_DIGITS)
    unique, places = np.unique(rounded, axis=0, return_inverse=True)
    if len(unique) == len(rows):
        return list(courses)
    place_of = dict(zip(rows.tolist(), places.reshape(-1).tolist(), strict=True))
    edges: dict[tuple[int, int, int], tuple[int, int]] = {}
    stand_ins: dict[int, int] = {}
    for course in courses:
        for edge in pairwise(course.nodes):
            first, second = sorted(edge, key=lambda node: place_of[node])
            key = (course.layer, place_of[first], place_of[second])
            for node, known in zip(
                (first, second), edges.setdefault(key, (first, second)), strict=True
            ):
                _join_nodes(stand_ins, node, known)
    return [
        replace(course, nodes=tuple(_root(stand_ins, node) for node in course.nodes))
        for course in courses
    ]


def _root(stand_ins: Mapping[int, int], node: int) -> int:
    """The node that stands for a node."""
    while node in stand_ins:
        node = stand_ins[node]
    return node


def _join_nodes(stand_ins: dict[int, int], first: int, second: int) -> None:
    """Makes two nodes one: the one with the lower number."""
    low, high = sorted((_root(stand_ins, first), _root(stand_ins, second)))
    if low != high:
        stand_ins[high] = low


def _joined(courses: Sequence[_Course], *, kept: frozenset[int]) -> list[_Course]:
    """Joins courses of one profile and layer that meet end to end, and meet no other there.

    The nodes in `kept` stay ends.
    """
    uses = Counter(node for course in courses for node in course.nodes)
    open_ends: dict[int, _Course] = {}
    done: list[_Course] = []
    for course in courses:
        if course.nodes[0] == course.nodes[-1]:
            done.append(course)
            continue
        for node in (course.nodes[0], course.nodes[-1]):
            other = open_ends.get(node)
            is_free = uses[node] == 2 and node not in kept
            joined = _join(other, course, node) if other and is_free else None
            if other and joined and joined.nodes[0] != joined.nodes[-1]:
                del open_ends[other.nodes[0]], open_ends[other.nodes[-1]]
                course = joined
        _open(course, open_ends, done)
    return done + list({id(course): course for course in open_ends.values()}.values())


def _open(course: _Course, open_ends: dict[int, _Course], done: list[_Course]) -> None:
    """Keeps a course for joining; another one that already ends at its nodes is done."""
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
    if first.profile != second.profile or first.layer != second.layer:
        return None
    nodes, parts = first.nodes + second.nodes[1:], first.parts + second.parts
    return replace(first, nodes=nodes, parts=parts)


def _reversed(course: _Course) -> _Course:
    parts = tuple(part.reversed() for part in course.parts[::-1])
    return _Course(parts, course.nodes[::-1], course.profile.reversed(), course.layer)


def _junctions(courses: Sequence[_Course]) -> frozenset[int]:
    """Nodes at which streets end: those used twice, and the ends of courses."""
    uses = Counter(node for course in courses for node in course.nodes)
    ends = {node for course in courses for node in (course.nodes[0], course.nodes[-1])}
    return frozenset(ends | {node for node, count in uses.items() if count > 1})


def _split(course: _Course, points: Floats, junctions: frozenset[int]) -> list[Street]:
    course = _spaced(_rotated(_forward(course), junctions), points, junctions)
    nodes = course.nodes
    if len(nodes) < 2:
        return []
    is_fixed = np.array([node in junctions for node in nodes])
    rounded, rows = round_corners(points[list(nodes)], is_fixed)
    breaks = [k for k in range(len(nodes)) if is_fixed[k] or k in (0, len(nodes) - 1)]
    streets = []
    for a, b in pairwise(breaks):
        piece = rounded[rows[a] : rows[b] + 1]
        if length_of(piece) > 0.0:
            parts = tuple(part for part, _ in groupby(course.parts[a:b]))
            street = Street(parts, nodes[a], nodes[b], piece, course.profile, course.layer)
            streets.append(street)
    return streets


def _forward(course: _Course) -> _Course:
    """A one-way course along its traffic (joining may have turned it)."""
    return _reversed(course) if course.profile.forward_lanes == 0 else course


def _rotated(course: _Course, junctions: frozenset[int]) -> _Course:
    """A closed course started at a junction, so that its seam adds no corner."""
    nodes, parts = course.nodes, course.parts
    if nodes[0] != nodes[-1]:
        return course
    at = next((k for k in range(1, len(nodes) - 1) if nodes[k] in junctions), 0)
    ring = nodes[at:-1] + nodes[:at] + (nodes[at],)
    return replace(course, nodes=ring, parts=parts[at:] + parts[:at])


def _spaced(course: _Course, points: Floats, junctions: frozenset[int]) -> _Course:
    """The course without nodes closer than `_CLOSEST_POINTS` to the one before."""
    nodes, parts = [course.nodes[0]], []
    for node, part in zip(course.nodes[1:], course.parts, strict=True):
        gap = portable.length(points[node] - points[nodes[-1]])
        if node != nodes[-1] and (gap > _CLOSEST_POINTS or node in junctions):
            nodes.append(node)
            parts.append(part)
    return replace(course, nodes=tuple(nodes), parts=tuple(parts))
