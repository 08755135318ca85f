"""Ways along the paths of the map: footways, cycleways, pedestrian streets, steps.

Where a path leads over a carriageway, it becomes a way across the street; where it runs along one,
through a wall or over water, it ends. Where the pavement of a street is mapped as its own path, the
strip beside the street stays unconnected.
"""

from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

import numpy as np
from scipy.spatial import cKDTree

from autosim.arrays import Booleans, Floats, Integers
from autosim.traffic.ways.pavement_strips import MARGIN, WIDEST, clear_segments
from autosim.traffic.ways.strip_joiner import ACROSS_HALF, LONGEST_CROSSING
from autosim.traffic.ways.walk_network import WayKind
from autosim.traffic.ways.way_draft import (
    StandaloneWay,
    WayDraft,
    pose_at_station,
    stations_of,
    subline,
)
from autosim.world.compiled.paths import Paths, Users
from autosim.world.geometry.meshes import Surface

_STEP = 0.5
"""Distance [m] between the places of a path at which the ground is looked at: less than a kerb and
a gutter are wide."""

_ON_ROAD = 1.5
"""Length [m] on a carriageway up to which a path does not cross a street: it touches its edge."""

_MARKED = 2.5
"""Distance [m] from the middle of a crossing on a lane within which a path uses the crossing."""

_SAME = 2.0
"""Distance [m] of a path from the middle of a strip within which it is the same pavement."""

_SAME_CROSSING = 3.0
"""Distance [m] of the middles of two ways across a street within which they are one."""

_SHARE = 0.6
"""Share of a path that lies on a strip from which on it is the same pavement: its ends lead off."""

_TO_STRIP = 6.0
"""Distance [m] from the end of a path to a strip, at most, over which people walk: a verge."""

_NARROW = 0.15
"""Half the width [m] of a way on which people walk one behind the other: between walls."""


class _Ground(IntEnum):
    """Ground of a point of a path."""

    WALKED = 0
    ROAD = 1
    BARRED = 2
    """Not passable."""


@dataclass(frozen=True, slots=True)
class _Chain:
    """A path of the map, or several that continue each other in the middle of a street.

    `points` (n, 3) [m] from the node `start` to `end`, at `stations` (n,) [m]; its `width` [m];
    whether it may be used only from its start to its end.
    """

    points: Floats
    stations: Floats
    start: int
    end: int
    width: float
    is_one_way: bool = False


@dataclass(frozen=True, slots=True)
class _PathGraph:
    """The paths in `rows` (r,) of `paths`, and the nodes at which they meet.

    `ends` (r, 2): the nodes of each; `at`: the rows by node; `goes_on` (nodes,): whether two paths
    continue each other there; `users`: whose directions apply.
    """

    paths: Paths
    rows: Integers
    ends: Integers
    at: dict[int, list[int]]
    goes_on: Booleans
    users: Users


def add_paths(draft: WayDraft, paths: Paths, users: Users, crossings: Floats) -> None:
    """Adds ways along all paths that the given users may use.

    Args:
        draft: written.
        paths: of the world.
        users: pedestrians or cyclists; with `ONE_WAY`, directions apply.
        crossings: (z, 3) [m] the places of crossings on lanes.
    """
    rows = np.flatnonzero(paths.users & users & ~Users.ONE_WAY)
    if not len(rows):
        return
    first = len(draft.nodes)
    before = len(draft.lines)
    chains = _chains(draft, paths, rows, users)
    laid = _Laying(draft, crossings)
    for chain, labels in zip(chains, _labels(draft, chains), strict=True):
        laid.lay(chain, labels)
    laid.clear_of_walls(before)
    loose = [node for node in draft.loose_ends() if node >= first]
    for node in sorted({*loose, *laid.kerbs}):
        draft.join_to_strip(node, _TO_STRIP)


def _chains(draft: WayDraft, paths: Paths, rows: Integers, users: Users) -> list[_Chain]:
    """The paths, joined where two meet in the middle of a street."""
    ends = paths.ends[rows].astype(np.int64)
    places = np.zeros((int(ends.max()) + 1, 3))
    places[ends[:, 0]] = paths.points[paths.starts[rows]]
    places[ends[:, 1]] = paths.points[paths.starts[rows + 1] - 1]
    uses = np.bincount(ends.ravel(), minlength=len(places))
    on_road = draft.ground.surfaces_at(places) == Surface.CARRIAGEWAY
    goes_on = (uses == 2) & on_road
    at: dict[int, list[int]] = {}
    for row, pair in enumerate(ends.tolist()):
        for node in pair:
            at.setdefault(node, []).append(row)
    graph = _PathGraph(paths, rows, ends, at, goes_on, users)
    used = np.zeros(len(rows), dtype=np.bool_)
    found = []
    # Those that begin or end elsewhere come first; what is left are rings on streets.
    order = np.argsort(goes_on[ends].all(axis=1), kind="stable").tolist()
    for row in order:
        if used[row]:
            continue
        a, b = ends[row].tolist()
        start = b if goes_on[a] and not goes_on[b] else a
        found.append(_chain(graph, used, row, start))
    return found


def _chain(graph: _PathGraph, used: Booleans, row: int, start: int) -> _Chain:
    """The paths from `row` on, which begins at the node `start`; marks them as used."""
    paths, rows, ends, users = graph.paths, graph.rows, graph.ends, graph.users
    node, parts, width = start, list[Floats](), np.inf
    directions = set[bool]()
    while True:
        used[row] = True
        path = int(rows[row])
        points = paths.points[paths.starts[path] : paths.starts[path + 1]]
        is_forward = int(ends[row, 0]) == node
        parts.append(points if is_forward else points[::-1])
        width = min(width, float(paths.widths[path]))
        if paths.users[path] & users & Users.ONE_WAY:
            directions.add(is_forward)
        node = int(ends[row, 1 if is_forward else 0])
        following = [each for each in graph.at[node] if not used[each]]
        if not graph.goes_on[node] or not following:
            break
        row = following[0]
    joined = np.concatenate([parts[0], *(each[1:] for each in parts[1:])])
    is_one_way = len(directions) == 1
    if directions == {False}:
        joined, start, node = joined[::-1], node, start
    return _Chain(joined, stations_of(joined), start, node, width, is_one_way)


def _samples(chain: _Chain) -> Floats:
    """The stations [m] of a chain at which the ground is looked at."""
    return np.linspace(0.0, chain.stations[-1], max(3, round(chain.stations[-1] / _STEP) + 1))


def _labels(draft: WayDraft, chains: list[_Chain]) -> list[Integers]:
    """Ground at the samples of each chain."""
    places = [
        np.column_stack([np.interp(at, c.stations, c.points[:, axis]) for axis in range(3)])
        for c in chains
        for at in (_samples(c),)
    ]
    flat = np.concatenate(places)
    surfaces = draft.ground.surfaces_at(flat)
    labels = np.where(surfaces == Surface.CARRIAGEWAY, _Ground.ROAD, _Ground.WALKED)
    labels[~draft.is_open(flat)] = _Ground.BARRED
    return np.split(labels, np.cumsum([len(each) for each in places])[:-1])


class _Laying:
    """Lays ways along chains. `kerbs`: the nodes at the ends of ways across streets."""

    def __init__(self, draft: WayDraft, crossings: Floats) -> None:
        self._draft, self.kerbs = draft, list[int]()
        self._nodes: dict[int, int] = {}
        self._crossings = cKDTree(crossings[:, :2]) if len(crossings) else None
        across = [each for each in draft.lines if each.kind is not WayKind.PAVEMENT]
        middles = [(each.points[0] + each.points[-1])[:2] / 2.0 for each in across]
        self._across = cKDTree(np.array(middles).reshape(-1, 2))
        dense = [np.zeros((0, 2))]
        for strip, at in zip(draft.strips, draft.stations, strict=True):
            s = np.arange(0.0, at[-1] + 1.0)
            dense.append(np.column_stack([np.interp(s, at, strip.points[:, k]) for k in (0, 1)]))
        self._strips = cKDTree(np.concatenate(dense))

    def lay(self, chain: _Chain, labels: Integers) -> None:
        """Adds the ways along a chain."""
        at = _samples(chain)
        step = float(at[1] - at[0])
        last: int | None = None
        for label, first, end in _runs(labels, step):
            # A way across a street reaches to the places beside it.
            is_road = label == _Ground.ROAD
            a, b = (max(first - 1, 0), min(end, len(at) - 1)) if is_road else (first, end - 1)
            is_across = a < first and b >= end and at[b] - at[a] < LONGEST_CROSSING
            if label == _Ground.BARRED or (is_road and not is_across):
                last = None
                continue
            if a == b:
                continue
            if last is None:
                last = self._node_at(chain, at, a)
            node = self._node_at(chain, at, b)
            part = subline(chain.points, chain.stations, at[a], at[b])
            self._add(part, last, node, is_road, chain)
            last = node

    def _node_at(self, chain: _Chain, at: Floats, sample: int) -> int:
        """The node of a sample: at the ends of a chain, that in which paths meet."""
        place = pose_at_station(chain.points, chain.stations, at[sample])[0]
        if 0 < sample < len(at) - 1:
            return self._draft.node(place)
        number = chain.start if sample == 0 else chain.end
        if number not in self._nodes:
            self._nodes[number] = self._draft.node(place)
        return self._nodes[number]

    def _add(self, points: Floats, start: int, end: int, is_across: bool, chain: _Chain) -> None:
        lines = self._draft.lines
        if is_across:
            ends = points[[0, -1]]
            middle = ends[:, :2].mean(axis=0)
            if not self._across.query_ball_point(middle, _SAME_CROSSING):
                kind = WayKind.CROSSING if self._is_marked(points) else WayKind.UNMARKED
                lines.append(StandaloneWay(ends, start, end, ACROSS_HALF, kind, chain.is_one_way))
            self.kerbs += [start, end]
            return
        places = points[:, :2]
        far, _ = self._strips.query(places, distance_upper_bound=_SAME)
        if np.isfinite(far).mean() < _SHARE:
            half = min(max(chain.width / 2.0 - MARGIN, _NARROW), WIDEST)
            lines.append(
                StandaloneWay(points, start, end, half, WayKind.PAVEMENT, chain.is_one_way)
            )

    def _is_marked(self, points: Floats) -> bool:
        if self._crossings is None:
            return False
        return any(self._crossings.query_ball_point(p, _MARKED) for p in _dense(points))

    def clear_of_walls(self, before: int) -> None:
        """Takes away where walls stand in the lines from the number `before` on."""
        draft = self._draft
        lines, draft.lines[before:] = draft.lines[before:], []
        if not lines:
            return
        firsts = np.concatenate([each.points[:-1] for each in lines])
        seconds = np.concatenate([each.points[1:] for each in lines])
        counts = [len(each.points) - 1 for each in lines]
        ends = np.cumsum(counts)
        halves = np.repeat([each.half for each in lines], counts)
        is_wide = clear_segments(draft.walls, firsts, seconds, halves)
        is_narrow = clear_segments(draft.walls, firsts, seconds, np.full(len(halves), _NARROW))
        for line, end, count in zip(lines, ends.tolist(), counts, strict=True):
            own = slice(end - count, end)
            if is_wide[own].all():
                draft.lines.append(line)
            elif line.kind is WayKind.PAVEMENT:
                self._add_clear(line, is_narrow[own])

    def _add_clear(self, line: StandaloneWay, is_clear: Booleans) -> None:
        """Adds the parts of a line in which no wall stands."""
        edges = np.flatnonzero(np.diff(np.concatenate([[0], is_clear.astype(np.int8), [0]])))
        for first, end in edges.reshape(-1, 2).tolist():
            points = line.points[first : end + 1]
            start = line.start if first == 0 else self._draft.node(points[0])
            is_end = end == len(is_clear)
            last = line.end if is_end else self._draft.node(points[-1])
            self._draft.lines.append(
                StandaloneWay(points, start, last, _NARROW, line.kind, line.is_one_way)
            )


def _dense(points: Floats) -> Floats:
    """Places (n, 2) each half metre along a line."""
    at = stations_of(points)
    s = np.linspace(0.0, at[-1], max(2, round(at[-1] / _STEP) + 1))
    return np.column_stack([np.interp(s, at, points[:, k]) for k in (0, 1)])


def _runs(labels: Integers, step: float) -> list[tuple[int, int, int]]:
    """Runs of one label (label, first, end); short ones on a carriageway count as walked on."""

    def split(values: Integers) -> list[tuple[int, int, int]]:
        cuts = [0, *(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)]
        return [(int(values[a]), a, b) for a, b in pairwise(cuts)]

    smooth = labels.copy()
    for label, first, end in split(labels):
        if label == _Ground.ROAD and (end - first) * step < _ON_ROAD:
            smooth[first:end] = _Ground.WALKED
    return split(smooth)
