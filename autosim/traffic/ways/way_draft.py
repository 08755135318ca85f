"""Ways of a network while it is made: strips that are cut where others meet them, and lines."""

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.rays.ray_scene import RayScene
from autosim.traffic.ways.pavement_strips import CHEST, Strip, clear_segments
from autosim.traffic.ways.walk_network import WayKind
from autosim.world.compiled.ground_index import GroundIndex, are_inside
from autosim.world.geometry.meshes import Surface

CORNER_HALF = 0.4
"""Half the width [m] of ways round corners, and of short ones that join others."""

LEVEL = 3.0
"""Difference of height [m] below which two places are on one level."""

STEP = 1.5
"""Difference of height [m] over a gap that people do not walk: there is a wall or a bridge."""

_UNEVEN = 0.5
"""Difference of height [m] of a way from the ground from which on a wall or a ditch is there."""

_SAME_CUT = 0.5
"""Distance [m] along a strip within which two places on it are one."""

_GAP = 24.0
"""Length [m] of the longest gap between ways that people walk over: the mouth of a street."""


@dataclass(slots=True)
class StripCut:
    """A place on a strip where another way begins: its station [m] and its node."""

    station: float
    node: int


@dataclass(slots=True)
class StandaloneWay:
    """A way that is not part of a strip; without a kind, the ground tells it.

    Attributes:
        points: (n, 3) [m] in W, its middle line.
        start: node at its start.
        end: node at its end.
        half: half its width [m].
        is_one_way: leads along its points only.
    """

    points: Floats
    start: int
    end: int
    half: float
    kind: WayKind | None = None
    is_one_way: bool = False


@dataclass
class WayDraft:
    """The strips of a world and the lines that join them.

    Args:
        strips: beside streets.
        walls: barriers.
        ground: all floors; its surfaces mark streets and waters.
        solids: buildings, which pedestrians do not enter.

    `nodes`: their places (3,) [m]; `cuts` of each strip, that at its start and that at its end
    first; `stations` [m] of the points of each strip.
    """

    strips: list[Strip]
    walls: RayScene
    ground: GroundIndex
    solids: GroundIndex
    nodes: list[Floats] = field(default_factory=list)
    lines: list[StandaloneWay] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.stations = [stations_of(each.points) for each in self.strips]
        self.cuts: list[list[StripCut]] = [
            [StripCut(0.0, self.node(each.points[0])), StripCut(at[-1], self.node(each.points[-1]))]
            for each, at in zip(self.strips, self.stations, strict=True)
        ]
        points = [each.points for each in self.strips]
        self._owner = np.repeat(np.arange(len(points)), [len(each) for each in points])
        self._tree = cKDTree(np.concatenate([np.zeros((0, 3)), *points])[:, :2])

    def node(self, point: Floats) -> int:
        """A new node at a point (3,)."""
        self.nodes.append(point)
        return len(self.nodes) - 1

    def strips_near(self, place: Floats, reach: float) -> list[int]:
        """The strips with a point within reach [m] of a place."""
        near = self._tree.query_ball_point(place[:2], reach)
        return sorted(set(self._owner[near].tolist()))

    def cut(self, number: int, station: float) -> int:
        """The node of a strip at a station; one that is there already where it is near enough."""
        for cut in self.cuts[number]:
            if abs(cut.station - station) < _SAME_CUT:
                return cut.node
        node = self.node(
            pose_at_station(self.strips[number].points, self.stations[number], station)[0]
        )
        self.cuts[number].append(StripCut(station, node))
        return node

    def is_open(self, points: Floats) -> Booleans:
        """Whether one can stand at points (n, 3): on ground, outdoors, and not in water.

        Carriageways are open, too.
        """
        triangles, heights = self.ground.nearest(points)
        is_there = (triangles >= 0) & (np.abs(heights - points[:, 2]) < _UNEVEN)
        is_dry = self.ground.mesh.surfaces[triangles] != Surface.WATER
        chest = points + np.array([0.0, 0.0, CHEST])
        return np.asarray(is_there & is_dry & ~are_inside(self.solids, chest))

    def is_clear(self, first: Floats, second: Floats, half: float = CORNER_HALF) -> bool:
        """Whether no wall stands on the straight way between two points."""
        return bool(clear_segments(self.walls, first[None], second[None], np.array([half]))[0])

    def join_to_strip(self, node: int, reach: float) -> None:
        """Joins a node to the nearest place of a strip within reach [m], if no wall is between."""
        place = self.nodes[node]
        found = self.nearest_on_strip(place, reach)
        if found is None:
            return
        number, station = found
        point, _ = pose_at_station(self.strips[number].points, self.stations[number], station)
        if self.is_clear(place, point):
            other = self.cut(number, station)
            way = np.stack([place, self.nodes[other]])
            self.lines.append(StandaloneWay(way, node, other, CORNER_HALF, WayKind.PAVEMENT))

    def nearest_on_strip(self, place: Floats, reach: float) -> tuple[int, float] | None:
        """The nearest strip within reach [m] of a place (3,), and the station [m] on it."""
        best: tuple[int, float] | None = None
        nearest = reach
        for number in self.strips_near(place, reach + 2.5):
            points, at = self.strips[number].points, self.stations[number]
            ahead, gap = np.diff(points[:, :2], axis=0), place[:2] - points[:-1, :2]
            square = np.maximum(portable.dot(ahead, ahead), 1e-12)
            share = np.clip(portable.dot(gap, ahead) / square, 0.0, 1.0)
            beside = gap - share[:, None] * ahead
            far = portable.hypot(beside[:, 0], beside[:, 1])
            k = int(np.argmin(far))
            height = points[k, 2] + share[k] * (points[k + 1, 2] - points[k, 2])
            if far[k] < nearest and abs(height - place[2]) < STEP:
                nearest = float(far[k])
                best = number, float(at[k] + share[k] * (at[k + 1] - at[k]))
        return best

    def bridge_gaps(self) -> None:
        """Joins loose ends to the nearest node of another connected part.

        The lanes do not lead round each corner: where turns are barred, and at small side streets;
        and maps have paths that end beside a street.
        """
        used, parts = self._uses(), self._parts()
        ends = np.flatnonzero(used == 1).tolist()
        if not ends:
            return
        nodes = np.array(self.nodes).reshape(-1, 3)
        pairs = cKDTree(nodes[ends, :2]).sparse_distance_matrix(
            cKDTree(nodes[:, :2]), _GAP, output_type="coo_matrix"
        )
        rows, others = np.array(ends)[pairs.row], pairs.col.astype(np.int64)
        is_level = np.abs(nodes[rows, 2] - nodes[others, 2]) < STEP
        is_apart = (parts[rows] != parts[others]) & (used[others] > 0) & is_level
        rows, others = rows[is_apart], others[is_apart]
        halves = np.full(len(rows), CORNER_HALF)
        is_clear = clear_segments(self.walls, nodes[rows], nodes[others], halves)
        rows, others = rows[is_clear], others[is_clear]
        gaps = portable.hypot(*(nodes[rows, :2] - nodes[others, :2]).T)
        for k in np.lexsort((others, rows, gaps)).tolist():
            first, second = int(rows[k]), int(others[k])
            if parts[first] != parts[second]:
                way = np.stack([nodes[first], nodes[second]])
                self.lines.append(StandaloneWay(way, first, second, CORNER_HALF))
                parts[parts == parts[second]] = parts[first]

    def loose_ends(self) -> list[int]:
        """The nodes at which but one way ends."""
        return np.flatnonzero(self._uses() == 1).tolist()

    def _uses(self) -> Integers:
        """At how many ends of ways each node (nodes,) is."""
        used = np.zeros(len(self.nodes), dtype=np.int64)
        for cuts in self.cuts:
            for node in (cuts[0].node, cuts[1].node):
                used[node] += 1
        for line in self.lines:
            used[line.start] += 1
            used[line.end] += 1
        return used

    def _parts(self) -> Integers:
        """The connected part (nodes,) of each node."""
        pairs = [(cuts[0].node, cut.node) for cuts in self.cuts for cut in cuts]
        pairs += [(line.start, line.end) for line in self.lines]
        a, b = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        count = len(self.nodes)
        graph = csr_matrix((np.ones(len(a)), (a, b)), shape=(count, count))
        return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def stations_of(points: Floats) -> Floats:
    """The arc lengths (n,) [m] in plan of points (n, 3)."""
    step = np.diff(points[:, :2], axis=0)
    lengths = portable.hypot(step[:, 0], step[:, 1])
    return np.concatenate([[0.0], np.cumsum(lengths)])


def pose_at_station(points: Floats, stations: Floats, station: float) -> tuple[Floats, float]:
    """The point (3,) of a line at a station [m], and its heading [rad] there."""
    k = int(np.clip(np.searchsorted(stations, station, side="right") - 1, 0, len(points) - 2))
    share = (station - stations[k]) / max(stations[k + 1] - stations[k], 1e-9)
    gap = points[k + 1] - points[k]
    heading = float(portable.arctan2(np.array([gap[1]]), np.array([gap[0]]))[0])
    return points[k] + share * gap, heading


def subline(points: Floats, stations: Floats, first: float, second: float) -> Floats:
    """The part of a line from one station [m] to another."""
    inside = points[(stations > first + 1e-6) & (stations < second - 1e-6)]
    ends = [pose_at_station(points, stations, station)[0] for station in (first, second)]
    return np.concatenate([ends[:1], inside, ends[1:]])
