"""Joins the strips beside streets: across these, and round their corners."""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.traffic.ways.pavement_strips import Strip
from autosim.traffic.ways.walk_network import WayKind
from autosim.traffic.ways.way_draft import (
    CORNER_HALF,
    LEVEL,
    StandaloneWay,
    WayDraft,
    pose_at_station,
)
from autosim.world.lanes.roads import RoadNetwork

LONGEST_CROSSING = 32.0
"""Length [m] of the longest way across a street: six lanes with their pavements."""

ACROSS_HALF = 0.8
"""Half the width [m] of ways across streets: half of a zebra's, and its edge."""

_CORNER = 30.0
"""Length [m] of the longest way round a corner, or along the mouth of a street."""

_SAME_PLACE = 5.0
"""Distance [m] along a street within which two crossings are one."""

_NO_OTHER = 35.0
"""Distance [m] along a street to a marked crossing up to which people do not cross elsewhere."""

_BETWEEN = 90.0
"""Distance [m] between places where some cross a long street beside crossings."""

_SLOW = 15.3
"""Speed limit [m/s] above which people cross at crossings only: more than 55 km/h."""

_MOUTH = 12.0
"""Distance [m] along a street from a crossing to where its pavements begin, at most: crossings lie
in the mouths of streets, where those turn round corners."""


@dataclass(slots=True)
class _Across:
    """A way across a street: from one strip at a station [m] to another."""

    first: tuple[int, float]
    second: tuple[int, float]
    is_marked: bool


@dataclass(slots=True)
class StripJoiner:
    """Joins the strips of a draft along the streets of a network."""

    draft: WayDraft
    roads: RoadNetwork
    """Lanes of the world."""

    def join(self) -> None:
        """Adds the ways across streets and round corners."""
        marked = self._marked_crossings()
        for each in (*marked, *self._unmarked_crossings(marked)):
            self._cross(each)
        self._join_corners()

    def _marked_crossings(self) -> list[_Across]:
        """The crossings of the map, each once, however many lanes it crosses."""
        roads, found = self.roads, list[_Across]()
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
        """Unmarked crossings: at the ends of streets, and between."""
        found: list[_Across] = []
        used: dict[int, list[float]] = {}
        for each in marked:
            for beside, station in (each.first, each.second):
                used.setdefault(beside, []).append(station)
        for number, strip in enumerate(self.draft.strips):
            if self.roads.speed_limits[strip.lane] > _SLOW:
                continue
            length = float(self.draft.stations[number][-1])
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
        strip, at = self.draft.strips[number], self.draft.stations[number]
        point, heading = pose_at_station(strip.points, at, station)
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
        nearest = LONGEST_CROSSING
        for number in self.draft.strips_near(place, LONGEST_CROSSING):
            strip = self.draft.strips[number]
            gap = strip.points[:, :2] - place[:2]
            along, aside = portable.dot(gap, ahead), side * portable.dot(gap, left)
            rows = np.flatnonzero((along[:-1] <= 0.0) != (along[1:] <= 0.0))
            for k in rows.tolist():
                share = along[k] / (along[k] - along[k + 1])
                across = aside[k] + share * (aside[k + 1] - aside[k])
                height = strip.points[k, 2] - place[2]
                if least < across < nearest and abs(height) < LEVEL:
                    at = self.draft.stations[number]
                    nearest, best = across, (number, float(at[k] + share * (at[k + 1] - at[k])))
        return best

    def _end_beside(self, place: Floats, heading: float, side: float) -> tuple[int, float] | None:
        """The nearest end of a strip to the left (1) or right (-1) of a crossing at a junction."""
        s, c = portable.sin_cos(heading)
        ahead, left = np.array([c, s]), np.array([-s, c])
        best: tuple[int, float] | None = None
        nearest = np.inf
        for number in self.draft.strips_near(place, LONGEST_CROSSING):
            strip = self.draft.strips[number]
            for row, station in ((0, 0.0), (-1, float(self.draft.stations[number][-1]))):
                gap = strip.points[row] - place
                along = float(portable.dot(gap[:2], ahead))
                across = float(side * portable.dot(gap[:2], left))
                far = abs(along) + across
                is_beside = abs(along) < _MOUTH and 0.5 < across < LONGEST_CROSSING / 2.0
                if is_beside and far < nearest and abs(gap[2]) < LEVEL:
                    nearest, best = far, (number, station)
        return best

    def _cross(self, across: _Across) -> None:
        draft = self.draft
        ends = [
            pose_at_station(draft.strips[number].points, draft.stations[number], station)[0]
            for number, station in (across.first, across.second)
        ]
        gap = portable.length(ends[1][:2] - ends[0][:2])
        if gap > LONGEST_CROSSING or not draft.is_clear(ends[0], ends[1], 0.3):
            return
        nodes = [draft.cut(*across.first), draft.cut(*across.second)]
        if nodes[0] != nodes[1]:
            kind = WayKind.CROSSING if across.is_marked else None
            draft.lines.append(StandaloneWay(np.stack(ends), nodes[0], nodes[1], ACROSS_HALF, kind))

    def _join_corners(self) -> None:
        """Ways from the end of each strip round the corner to the next strip on the same side."""
        beginnings = {
            (strip.lane, strip.side): number
            for number, strip in enumerate(self.draft.strips)
            if strip.at_start
        }
        for number, strip in enumerate(self.draft.strips):
            if not strip.at_end:
                continue
            following = self._following(strip, beginnings)
            if following is None:
                continue
            first, second = strip.points[-1], self.draft.strips[following].points[0]
            way = np.stack([first, second])
            if portable.length(second[:2] - first[:2]) > _CORNER:
                continue
            if not self.draft.is_clear(way[0], way[1]):
                continue
            start, end = self.draft.cuts[number][1].node, self.draft.cuts[following][0].node
            self.draft.lines.append(StandaloneWay(way, start, end, CORNER_HALF))

    def _following(self, strip: Strip, beginnings: dict[tuple[int, int], int]) -> int | None:
        """The following strip: past the sharpest turn to the strip's own side."""
        roads = self.roads
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


def _is_same(first: _Across, second: _Across) -> bool:
    pairs = ((first.first, second.first), (first.second, second.second))
    turned = ((first.first, second.second), (first.second, second.first))
    return any(
        all(a[0] == b[0] and abs(a[1] - b[1]) < _SAME_PLACE for a, b in each)
        for each in (pairs, turned)
    )
