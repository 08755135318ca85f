"""The network on which people walk: pavements, joined round corners and across streets."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from autosim import portable
from autosim.arrays import Bytes, Floats, Integers, Integers32
from autosim.traffic.people.pavements import Strip, clear_segments, find_strips, walls_of
from autosim.world.compiled.compiled import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex, all_levels
from autosim.world.geometry.meshes import Surface
from autosim.world.lanes.roads import RoadNetwork

_LONGEST_CROSSING = 32.0
"""Length [m] of the longest way across a street: six lanes with their pavements."""

_CORNER = 30.0
"""Length [m] of the longest way round a corner, or along the mouth of a street."""

_SAME_PLACE = 5.0
"""Distance [m] along a street within which two crossings are one."""

_NO_OTHER = 35.0
"""Distance [m] along a street to a marked crossing up to which people do not cross elsewhere."""

_BETWEEN = 90.0
"""Distance [m] between places where some cross a long street beside crossings."""

_SLOW = 15.3
"""Speed limit [m/s] above which nobody crosses beside crossings: more than 55 km/h."""

_ACROSS_HALF = 0.8
"""Half the width [m] of ways across streets: half of a zebra's, and its edge."""

_CORNER_HALF = 0.4
"""Half the width [m] of ways round corners."""

_GAP = 24.0
"""Length [m] of the longest gap between strips that people walk over: the mouth of a street."""

_STEP = 1.5
"""Difference of height [m] over a gap that people do not walk: there is a wall or a bridge."""

_MOUTH = 12.0
"""Distance [m] along a street from a crossing to where its pavements begin, at most: crossings lie
in the mouths of streets, where those turn round corners."""

_LEVEL = 3.0
"""Difference of height [m] below which two places are on one level."""

_ON_ROAD = 1.5
"""Length [m] on a carriageway from which on a way is one across a street."""


class WayKind(IntEnum):
    """What a way of the network is."""

    PAVEMENT = 0
    CROSSING = 1
    """Across a street at a marked crossing."""
    UNMARKED = 2
    """Across a street where no crossing is marked."""


@dataclass(frozen=True, slots=True)
class WalkNetwork:
    """Ways between nodes, both as arrays.

    points: (p, 3) [m] in W and stations: (p,) [m], the middle lines of all ways one after another;
    way k has the rows `starts[k]:starts[k + 1]`. lengths: (n,) [m]; half_widths: (n,) [m]; kinds:
    (n,) uint8 of `WayKind`; ends: (n, 2) int32, the nodes at its start and end. lanes: int32, those
    that way k crosses are `lanes[lane_starts[k]:lane_starts[k + 1]]`. nodes: (m, 3) [m] in W.
    """

    points: Floats
    stations: Floats
    starts: Integers32
    lengths: Floats
    half_widths: Floats
    kinds: Bytes
    ends: Integers32
    lanes: Integers32
    lane_starts: Integers32
    nodes: Floats

    @classmethod
    def of(cls, world: CompiledWorld) -> "WalkNetwork":
        """The network of a world; without ways where it has no streets to walk along."""
        return _Builder(world).network()


def network_of_lines(
    lines: Sequence[tuple[Floats, int, int, float, WayKind]],
    nodes: Floats,
    lanes: Sequence[Sequence[int]] | None = None,
) -> WalkNetwork:
    """A network of ways: (points (n, 3), node at the start, node at the end, half width, kind).

    Args:
        lines: the ways.
        nodes: (m, 3) [m].
        lanes: those that each way crosses; by default none.
    """
    crossed = lanes if lanes is not None else [()] * len(lines)
    stations = []
    for points, *_ in lines:
        step = np.diff(points[:, :2], axis=0)
        lengths = portable.hypot(step[:, 0], step[:, 1])
        stations.append(np.concatenate([[0.0], np.cumsum(lengths)]))
    return WalkNetwork(
        points=np.concatenate([np.zeros((0, 3)), *(points for points, *_ in lines)]),
        stations=np.concatenate([np.zeros(0), *stations]),
        starts=np.cumsum([0, *(len(points) for points, *_ in lines)]).astype(np.int32),
        lengths=np.array([each[-1] for each in stations]),
        half_widths=np.array([half for *_, half, _ in lines], dtype=np.float64),
        kinds=np.array([kind for *_, kind in lines], dtype=np.uint8),
        ends=np.array([(a, b) for _, a, b, *_ in lines], dtype=np.int32).reshape(-1, 2),
        lanes=np.array([lane for each in crossed for lane in each], dtype=np.int32),
        lane_starts=np.cumsum([0, *map(len, crossed)]).astype(np.int32),
        nodes=nodes,
    )


@dataclass(slots=True)
class _Cut:
    """A place on a strip where a way across a street begins: its station [m] and its node."""

    station: float
    node: int


@dataclass(slots=True)
class _Line:
    """A way that is not part of a strip."""

    points: Floats
    start: int
    end: int
    half: float
    is_marked: bool = False


@dataclass(slots=True)
class _Across:
    """A way across a street: from one strip at a station [m] to another."""

    first: tuple[int, float]
    second: tuple[int, float]
    is_marked: bool


@dataclass
class _Builder:
    """Joins the strips of a world."""

    world: CompiledWorld
    strips: list[Strip] = field(init=False)
    nodes: list[Floats] = field(default_factory=list)
    lines: list[_Line] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.strips = find_strips(self.world)
        self.walls = walls_of(self.world)
        self._stations = [_stations(each.points) for each in self.strips]
        self._cuts: list[list[_Cut]] = [
            [_Cut(0.0, self._node(each.points[0])), _Cut(at[-1], self._node(each.points[-1]))]
            for each, at in zip(self.strips, self._stations, strict=True)
        ]
        points = [each.points for each in self.strips]
        self._owner = np.repeat(np.arange(len(points)), [len(each) for each in points])
        self._tree = cKDTree(np.concatenate([np.zeros((0, 3)), *points])[:, :2])

    def network(self) -> WalkNetwork:
        marked = self._marked_crossings()
        for each in (*marked, *self._unmarked_crossings(marked)):
            self._cross(each)
        self._join_corners()
        self._bridge_gaps()
        lines, kinds = self._all_lines()
        crossed = _crossed_lanes(self.world.roads, [line.points for line in lines], kinds)
        return network_of_lines(
            [
                (line.points, line.start, line.end, line.half, kind)
                for line, kind in zip(lines, kinds, strict=True)
            ],
            np.array(self.nodes).reshape(-1, 3),
            crossed,
        )

    def _node(self, point: Floats) -> int:
        self.nodes.append(point)
        return len(self.nodes) - 1

    def _marked_crossings(self) -> list[_Across]:
        """The crossings of the map, each once, however many lanes it crosses."""
        roads, found = self.world.roads, list[_Across]()
        rules = roads.traffic
        for number, station in zip(rules.crossing_lanes, rules.crossing_stations, strict=True):
            lane = roads.lanes[int(number)]
            place, heading = lane.position(float(station)), lane.heading(float(station))
            ends = [
                self._beside(place, heading, side) or self._end_beside(place, heading, side)
                for side in (1.0, -1.0)
            ]
            if ends[0] is None or ends[1] is None:
                continue
            new = _Across(ends[0], ends[1], is_marked=True)
            if not any(_is_same(new, each) for each in found):
                found.append(new)
        return found

    def _unmarked_crossings(self, marked: list[_Across]) -> list[_Across]:
        """Where people cross though nothing is marked: at the ends of streets, and between."""
        found: list[_Across] = []
        used: dict[int, list[float]] = {}
        for each in marked:
            for beside, station in (each.first, each.second):
                used.setdefault(beside, []).append(station)
        for number, strip in enumerate(self.strips):
            if self.world.roads.speed_limits[strip.lane] > _SLOW:
                continue
            length = float(self._stations[number][-1])
            places = np.linspace(0.0, length, max(2, round(length / _BETWEEN) + 1))
            for station in np.clip(places, min(1.0, length / 2), max(length - 1.0, length / 2)):
                if any(abs(station - other) < _NO_OTHER for other in used.get(number, ())):
                    continue
                new = self._straight_across(number, float(station))
                if new is None:
                    continue
                found.append(new)
                for side, at in (new.first, new.second):
                    used.setdefault(side, []).append(at)
        return found

    def _straight_across(self, number: int, station: float) -> _Across | None:
        strip, at = self.strips[number], self._stations[number]
        point, heading = _at(strip.points, at, station)
        other = self._beside(point, heading, -float(strip.side), least=3.0)
        if other is None or other[0] == number:
            return None
        return _Across((number, station), other, is_marked=False)

    def _beside(
        self, place: Floats, heading: float, side: float, *, least: float = 0.5
    ) -> tuple[int, float] | None:
        """The nearest strip straight to the left (1) or right (-1) of a place, and where on it."""
        s, c = portable.sin_cos(heading)
        ahead, left = np.array([c, s]), np.array([-s, c])
        best: tuple[int, float] | None = None
        nearest = _LONGEST_CROSSING
        for number in self._near(place):
            strip = self.strips[number]
            gap = strip.points[:, :2] - place[:2]
            along, aside = portable.dot(gap, ahead), side * portable.dot(gap, left)
            rows = np.flatnonzero((along[:-1] <= 0.0) != (along[1:] <= 0.0))
            for k in rows.tolist():
                share = along[k] / (along[k] - along[k + 1])
                across = aside[k] + share * (aside[k + 1] - aside[k])
                height = strip.points[k, 2] - place[2]
                if least < across < nearest and abs(height) < _LEVEL:
                    at = self._stations[number]
                    nearest, best = across, (number, float(at[k] + share * (at[k + 1] - at[k])))
        return best

    def _end_beside(self, place: Floats, heading: float, side: float) -> tuple[int, float] | None:
        """The nearest end of a strip to the left (1) or right (-1) of a crossing at a junction."""
        s, c = portable.sin_cos(heading)
        ahead, left = np.array([c, s]), np.array([-s, c])
        best: tuple[int, float] | None = None
        nearest = np.inf
        for number in self._near(place):
            strip = self.strips[number]
            for row, station in ((0, 0.0), (-1, float(self._stations[number][-1]))):
                gap = strip.points[row] - place
                along = float(portable.dot(gap[:2], ahead))
                across = float(side * portable.dot(gap[:2], left))
                far = abs(along) + across
                is_beside = abs(along) < _MOUTH and 0.5 < across < _LONGEST_CROSSING / 2.0
                if is_beside and far < nearest and abs(gap[2]) < _LEVEL:
                    nearest, best = far, (number, station)
        return best

    def _near(self, place: Floats) -> list[int]:
        near = self._tree.query_ball_point(place[:2], _LONGEST_CROSSING)
        return sorted(set(self._owner[near].tolist()))

    def _cross(self, across: _Across) -> None:
        ends = []
        for number, station in (across.first, across.second):
            point, _ = _at(self.strips[number].points, self._stations[number], station)
            ends.append((number, station, point))
        (_, _, first), (_, _, second) = ends
        gap = second[:2] - first[:2]
        is_clear = clear_segments(self.walls, first[None], second[None], 0.3)
        if portable.length(gap) > _LONGEST_CROSSING or not is_clear[0]:
            return
        nodes = [self._cut(number, station, point) for number, station, point in ends]
        if nodes[0] != nodes[1]:
            line = _Line(np.stack([first, second]), nodes[0], nodes[1], _ACROSS_HALF)
            line.is_marked = across.is_marked
            self.lines.append(line)

    def _cut(self, number: int, station: float, point: Floats) -> int:
        """The node of a strip at a station; one that is there already where it is near enough."""
        for cut in self._cuts[number]:
            if abs(cut.station - station) < 0.5:
                return cut.node
        node = self._node(point)
        self._cuts[number].append(_Cut(station, node))
        return node

    def _join_corners(self) -> None:
        """Ways from the end of each strip round the corner to the next strip on the same side."""
        beginnings = {
            (strip.lane, strip.side): number
            for number, strip in enumerate(self.strips)
            if strip.at_start
        }
        for number, strip in enumerate(self.strips):
            if not strip.at_end:
                continue
            following = self._following(strip, beginnings)
            if following is None:
                continue
            first, second = strip.points[-1], self.strips[following].points[0]
            way = np.stack([first, second])
            if portable.length(second[:2] - first[:2]) > _CORNER:
                continue
            if not clear_segments(self.walls, way[:1], way[1:], _CORNER_HALF)[0]:
                continue
            start, end = self._cuts[number][1].node, self._cuts[following][0].node
            self.lines.append(_Line(way, start, end, _CORNER_HALF))

    def _following(self, strip: Strip, beginnings: dict[tuple[int, int], int]) -> int | None:
        """The strip that goes on: past the sharpest turn to the strip's own side."""
        roads = self.world.roads
        candidates = []
        for number in roads.lanes[strip.lane].successors:
            connector = roads.lanes[number]
            if not connector.is_connector:
                if (number, strip.side) in beginnings:
                    candidates.append((0.0, beginnings[number, strip.side]))
                continue
            for lane in connector.successors:
                if (lane, strip.side) in beginnings:
                    candidates.append((strip.side * connector.turn, beginnings[lane, strip.side]))
        return max(candidates)[1] if candidates else None

    def _bridge_gaps(self) -> None:
        """Joins ends of strips to the nearest strip of another connected part.

        The lanes do not lead round each corner: where turns are barred, and at small side streets.
        """
        ends, parts = self._loose_ends(), self._parts()
        nodes = np.array(self.nodes).reshape(-1, 3)
        if not ends:
            return
        gaps = portable.hypot(
            nodes[ends, 0][:, None] - nodes[None, :, 0], nodes[ends, 1][:, None] - nodes[None, :, 1]
        )
        rows, others = np.nonzero(gaps < _GAP)
        for k in np.argsort(gaps[rows, others], kind="stable").tolist():
            first, second = ends[int(rows[k])], int(others[k])
            way = np.stack([nodes[first], nodes[second]])
            is_level = abs(way[0, 2] - way[1, 2]) < _STEP
            if parts[first] == parts[second] or not is_level:
                continue
            if clear_segments(self.walls, way[:1], way[1:], _CORNER_HALF)[0]:
                self.lines.append(_Line(way, first, second, _CORNER_HALF))
                parts[parts == parts[second]] = parts[first]

    def _loose_ends(self) -> list[int]:
        """The nodes at which but one way ends."""
        used = np.zeros(len(self.nodes), dtype=np.int64)
        for cuts in self._cuts:
            for node in (cuts[0].node, cuts[1].node):
                used[node] += 1
        for line in self.lines:
            used[line.start] += 1
            used[line.end] += 1
        return np.flatnonzero(used == 1).tolist()

    def _parts(self) -> Integers:
        """The connected part (nodes,) of each node."""
        pairs = [(cuts[0].node, cut.node) for cuts in self._cuts for cut in cuts]
        pairs += [(line.start, line.end) for line in self.lines]
        a, b = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        count = len(self.nodes)
        graph = csr_matrix((np.ones(len(a)), (a, b)), shape=(count, count))
        return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)

    def _all_lines(self) -> tuple[list[_Line], list[WayKind]]:
        lines, kinds = [], []
        for strip, at, cuts in zip(self.strips, self._stations, self._cuts, strict=True):
            ordered = sorted(cuts, key=lambda cut: cut.station)
            for first, second in pairwise(ordered):
                points = _between(strip.points, at, first.station, second.station)
                lines.append(_Line(points, first.node, second.node, strip.half_width))
                kinds.append(WayKind.PAVEMENT)
        ground = GroundIndex.build(
            all_levels(self.world),
            about=np.concatenate([np.zeros((1, 3)), *(line.points for line in self.lines)]),
        )
        for line in self.lines:
            lines.append(line)
            on_road = _length_on_road(ground, line.points)
            is_across = line.is_marked or on_road > _ON_ROAD
            unmarked = WayKind.UNMARKED if is_across else WayKind.PAVEMENT
            kinds.append(WayKind.CROSSING if line.is_marked else unmarked)
        return lines, kinds


def _stations(points: Floats) -> Floats:
    step = np.diff(points[:, :2], axis=0)
    lengths = portable.hypot(step[:, 0], step[:, 1])
    return np.concatenate([[0.0], np.cumsum(lengths)])


def _at(points: Floats, stations: Floats, station: float) -> tuple[Floats, float]:
    """The point (3,) of a line at a station [m], and its heading [rad] there."""
    k = int(np.clip(np.searchsorted(stations, station, side="right") - 1, 0, len(points) - 2))
    share = (station - stations[k]) / max(stations[k + 1] - stations[k], 1e-9)
    gap = points[k + 1] - points[k]
    heading = float(portable.arctan2(np.array([gap[1]]), np.array([gap[0]]))[0])
    return points[k] + share * gap, heading


def _between(points: Floats, stations: Floats, first: float, second: float) -> Floats:
    inside = points[(stations > first + 1e-6) & (stations < second - 1e-6)]
    ends = [_at(points, stations, station)[0] for station in (first, second)]
    return np.concatenate([ends[:1], inside, ends[1:]])


def _is_same(first: _Across, second: _Across) -> bool:
    pairs = ((first.first, second.first), (first.second, second.second))
    turned = ((first.first, second.second), (first.second, second.first))
    return any(
        all(a[0] == b[0] and abs(a[1] - b[1]) < _SAME_PLACE for a, b in each)
        for each in (pairs, turned)
    )


def _length_on_road(ground: GroundIndex, points: Floats) -> float:
    """How far [m] a straight way leads over carriageways."""
    length = portable.length(points[-1, :2] - points[0, :2])
    shares = np.linspace(0.0, 1.0, max(2, round(length / 0.5) + 1))
    places = points[0] + shares[:, None] * (points[-1] - points[0])
    return float(np.mean(ground.surfaces_at(places) == Surface.CARRIAGEWAY)) * length


def _crossed_lanes(
    roads: RoadNetwork, lines: Sequence[Floats], kinds: Sequence[WayKind]
) -> list[list[int]]:
    """The lanes, connectors too, that each way across a street crosses."""
    if not len(roads.points):
        return [[] for _ in lines]
    first = np.delete(np.arange(len(roads.points) - 1), roads.starts[1:-1] - 1)
    a, b = roads.points[first], roads.points[first + 1]
    owners = np.searchsorted(roads.starts, first, side="right") - 1
    tree = cKDTree((a[:, :2] + b[:, :2]) / 2.0)
    longest = float(portable.hypot(*(b - a)[:, :2].T).max())
    crossed: list[list[int]] = []
    for points, kind in zip(lines, kinds, strict=True):
        if kind is WayKind.PAVEMENT:
            crossed.append([])
            continue
        p, q = points[0], points[-1]
        reach = portable.length(q[:2] - p[:2]) / 2.0 + longest
        near = np.array(tree.query_ball_point((p[:2] + q[:2]) / 2.0, reach), dtype=np.int64)
        hit = _intersect(a[near], b[near], p, q) if len(near) else np.zeros(0, np.bool_)
        crossed.append(sorted(set(owners[near[hit]].tolist())))
    return crossed


def _intersect(a: Floats, b: Floats, p: Floats, q: Floats) -> Floats:
    """Whether segments (n, 3) from `a` to `b` meet that from `p` to `q`, on one level."""
    u, v, w = b[:, :2] - a[:, :2], q[:2] - p[:2], p[:2] - a[:, :2]
    area = u[:, 0] * v[1] - u[:, 1] * v[0]
    safe = np.where(np.abs(area) < 1e-9, 1.0, area)
    s = (w[:, 0] * v[1] - w[:, 1] * v[0]) / safe
    t = (w[:, 0] * u[:, 1] - w[:, 1] * u[:, 0]) / safe
    is_level = np.abs(a[:, 2] - (p[2] + q[2]) / 2.0) < 2.5
    inside = (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    return np.asarray(inside & (np.abs(area) >= 1e-9) & is_level)
