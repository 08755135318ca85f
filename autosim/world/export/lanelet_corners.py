"""Borders of lanes as those of lanelets: which of their ends are one point, and which are shared.

The left and right ends of a lane are those of the lanes that follow it. Neighbours in one
carriageway share a border, except where a lanelet would get two equal corners: where two
neighbours lead into one lane.
"""

from typing import NamedTuple

import numpy as np
import shapely

from autosim import portable
from autosim.arrays import Floats
from autosim.world.export.carriageway_graph import CarriagewayGraph
from autosim.world.geometry.curves import to_left
from autosim.world.lanes.roads import RoadNetwork

_APART = 1.0
"""Distance [m] of the borders of two neighbours up to which they share one."""


_BETWEEN = 0.08
"""Distance [m] of the borders of two neighbours, away from their ends, up to which they share one:
the middles of the lanelets are off by half of it."""


class Corner(NamedTuple):
    """An end of a border.

    Attributes:
        lane: index of the lane.
        at_start: whether it is the end where traffic enters.
        side: 1 on the left, -1 on the right.
    """

    lane: int
    at_start: bool
    side: int


class LaneletCorners:
    """The corners of all lanes, and their borders.

    Args:
        roads: the lanes.
        graph: their carriageways.

    `points` (n, 3) [m] are the places of corners, by `place_of`.
    """

    def __init__(self, roads: RoadNetwork, graph: CarriagewayGraph) -> None:
        self._roads = roads
        self._parents: dict[Corner, Corner] = {}
        self._owners: dict[tuple[int, int], tuple[int, int]] = {}
        for lane in roads.lanes:
            for after in lane.successors:
                for side in (1, -1):
                    self._unite(Corner(lane.index, False, side), Corner(after, True, side))
        for carriageway in graph.carriageways:
            for left, right in zip(carriageway.lanes, carriageway.lanes[1:], strict=False):
                self._share(left, right)
        self._places: dict[Corner, int] = {}
        self.points = self._placed()

    def _find(self, corner: Corner) -> Corner:
        while (parent := self._parents.get(corner, corner)) != corner:
            corner = parent
        return corner

    def _unite(self, first: Corner, second: Corner) -> None:
        a, b = self._find(first), self._find(second)
        if a != b:
            self._parents[max(a, b)] = min(a, b)

    def _share(self, left: int, right: int) -> None:
        """Makes the border between two neighbours one, where nothing speaks against it."""
        inner, outer = self._offset(left, -1), self._offset(right, 1)
        gaps = [portable.length(inner[k] - outer[k]) for k in (0, -1)]
        if max(gaps) > _APART:
            return
        line = shapely.LineString(inner[:, :2])
        between: Floats = np.asarray(shapely.distance(shapely.points(outer[1:-1, :2]), line))
        if len(between) and float(between.max()) > _BETWEEN:
            return
        for at_start in (True, False):
            one, other = Corner(left, at_start, -1), Corner(right, at_start, 1)
            beyond = (Corner(left, at_start, 1), Corner(right, at_start, -1))
            ends = [self._find(each) for each in (one, other)]
            if any(self._find(each) in ends for each in beyond):
                return
        for at_start in (True, False):
            self._unite(Corner(left, at_start, -1), Corner(right, at_start, 1))
        self._owners[right, 1] = (left, -1)

    def owner_of(self, lane: int, side: int) -> tuple[int, int]:
        """The lane and side whose border a lane has on a side: its own or a neighbour's."""
        return self._owners.get((lane, side), (lane, side))

    def is_shared(self, lane: int, side: int) -> bool:
        """Whether the border of a lane is that of a neighbour, too."""
        return (lane, side) in self._owners.values()

    def place_of(self, corner: Corner) -> int:
        """The row of `points` at which a corner is."""
        return self._places[self._find(corner)]

    def border(self, lane: int, side: int) -> Floats:
        """The border (n, 3) [m] of a lane; its ends are those of its corners."""
        line = self._offset(lane, side).copy()
        for row, at_start in ((0, True), (-1, False)):
            line[row] = self.points[self.place_of(Corner(lane, at_start, side))]
        return line

    def _offset(self, lane: int, side: int) -> Floats:
        own = self._roads.lanes[lane]
        span = slice(int(self._roads.starts[lane]), int(self._roads.starts[lane + 1]))
        headings = self._roads.tangents[span]
        ahead = np.column_stack([portable.cos(headings), portable.sin(headings)])
        aside = to_left(ahead) * (side * own.width / 2.0)
        return np.column_stack([own.centre_line[:, :2] + aside, own.centre_line[:, 2]])

    def _placed(self) -> Floats:
        """The mean (n, 3) [m] of the ends that are one corner; ordinary lanes go before connectors.

        Connectors that begin and end at their lanes take the ends of these.
        """
        sums: list[Floats] = []
        counts: list[float] = []
        connectors = self._roads.connectors
        for lane in range(len(connectors)):
            for side in (1, -1):
                line = self._offset(lane, side)
                for row, at_start in ((0, True), (-1, False)):
                    root = self._find(Corner(lane, at_start, side))
                    place = self._places.setdefault(root, len(sums))
                    if place == len(sums):
                        sums.append(np.zeros(3))
                        counts.append(0.0)
                    weight = 1e-6 if connectors[lane] else 1.0
                    sums[place] += weight * line[row]
                    counts[place] += weight
        found: Floats = np.array(sums).reshape(-1, 3) / np.array(counts).reshape(-1, 1)
        return found
