"""All roads of a map: poses, the nearest road of a point, and the lanes behind a road's end."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from autosim import portable
from autosim.openscenario.road_map.road_curve import RoadCurve
from autosim.world.opendrive.xodr_records import XodrConnection, XodrFile, XodrLink

_SPACING = 4
"""Number of stations of a road's table between the points of the search tree."""

_CANDIDATES = 12
"""Nearest points of the search tree that are looked at."""

_ITERATIONS = 8
"""Newton steps to the foot of a perpendicular."""


class MapPose(NamedTuple):
    """A pose: x, y, z [m]; heading, pitch and roll [rad]."""

    x: float
    y: float
    z: float
    heading: float
    pitch: float = 0.0
    roll: float = 0.0


@dataclass(slots=True)
class RoadPlace:
    """A place on a road: station `s` and `t` [m], its lane and the offset from its centre [m]."""

    road: str
    s: float
    t: float
    lane: int
    offset: float = 0.0


class LaneEntry(NamedTuple):
    """The start or end of a road's lane, entered there."""

    road: str
    lane: int
    at_start: bool
    """Whether it is the start of the road."""


class ScenarioRoads:
    """The roads of a map.

    Args:
        content: of the OpenDRIVE file.
    """

    def __init__(self, content: XodrFile) -> None:
        self.content = content
        self._curves: dict[str, RoadCurve] = {}
        self._tree: cKDTree | None = None
        self._owners: list[tuple[str, float]] = []
        self._linked: dict[tuple[str, str], list[XodrConnection]] = {}
        for junction in content.junctions.values():
            for each in junction.connections:
                self._linked.setdefault((junction.id, each.incoming), []).append(each)

    def curve(self, road: str) -> RoadCurve:
        """The tables of a road.

        Raises:
            KeyError: the map has no such road.
        """
        found = self._curves.get(road)
        if found is None:
            found = self._curves[road] = RoadCurve(self.content.roads[road])
        return found

    def place(self, road: str, s: float, t: float) -> RoadPlace:
        """The place at (s, t) of a road."""
        curve = self.curve(road)
        lane = curve.lane_at(s, t)
        return RoadPlace(road, s, t, lane, t - curve.center(lane, s))

    def lane_place(self, road: str, lane: int, s: float, offset: float) -> RoadPlace:
        """The place on a lane."""
        t = self.curve(road).center(lane, s) + offset
        return RoadPlace(road, s, t, lane, offset)

    def pose(self, place: RoadPlace, relative: float = 0.0) -> MapPose:
        """Pose at a place, `relative` [rad] to the reference line."""
        at = self.curve(place.road).reference(place.s)
        sine, cosine = portable.sin_cos(at.heading)
        up, across = portable.sin_cos(at.bank)
        x, y = at.x - sine * place.t * across, at.y + cosine * place.t * across
        turn, _ = portable.sin_cos(relative)
        ahead = portable.sin_cos(relative)[1]
        slope = at.slope * ahead + up * turn
        pitch = -float(portable.arctan2(slope, 1.0))
        return MapPose(x, y, at.z + up * place.t, at.heading + relative, pitch, at.bank * ahead)

    def nearest(self, x: float, y: float, last: RoadPlace | None = None) -> RoadPlace | None:
        """The place of a point; it stays on the road of `last` while it is on that road."""
        if last is not None and last.road in self.content.roads:
            s, t = self._foot(last.road, x, y, last.s)
            curve = self.curve(last.road)
            if abs(s - last.s) < 25.0 and 0.0 <= s <= curve.length and curve.is_on_road(s, t):
                return self.place(last.road, s, t)
        if not self.content.roads:
            return None
        tree = self._search_tree()
        _, rows = tree.query((x, y), k=min(_CANDIDATES, len(self._owners)))
        best: tuple[float, str, float, float] | None = None
        tried: set[str] = set()
        for row in np.atleast_1d(rows).tolist():
            road, station = self._owners[row]
            if road in tried:
                continue
            tried.add(road)
            s, t = self._foot(road, x, y, station)
            curve = self.curve(road)
            inside = min(max(s, 0.0), curve.length)
            over = abs(s - inside)
            on_road = curve.is_on_road(inside, t) and over < 1e-3
            cost = (0.0 if on_road else 1000.0) + over + abs(t)
            if self.content.roads[road].junction:
                cost += 0.1
            if best is None or cost < best[0]:
                best = cost, road, inside, t
        return None if best is None else self.place(best[1], best[2], best[3])

    def _foot(self, road: str, x: float, y: float, s: float) -> tuple[float, float]:
        """Station and offset of a point, near a station."""
        curve, t = self.curve(road), 0.0
        for _ in range(_ITERATIONS):
            at = curve.reference(s)
            sine, cosine = portable.sin_cos(at.heading)
            ahead = (x - at.x) * cosine + (y - at.y) * sine
            t = (y - at.y) * cosine - (x - at.x) * sine
            s += ahead / max(1.0 - at.curvature * t, 0.2)
            if abs(ahead) < 1e-6:
                break
        return s, t

    def _search_tree(self) -> cKDTree:
        if self._tree is None:
            points = []
            for name in self.content.roads:
                curve = self.curve(name)
                stations = np.linspace(0.0, curve.length, len(curve.points))
                rows = np.unique(
                    np.append(np.arange(0, len(stations), _SPACING), len(stations) - 1)
                )
                points.append(curve.points[rows])
                self._owners += [(name, s) for s in stations[rows].tolist()]
            self._tree = cKDTree(np.concatenate(points))
        return self._tree

    # ---- what follows a road

    def entries(self, road: str, lane: int, *, at_end: bool) -> list[LaneEntry]:
        """The lanes that a lane leads to behind an end of its road."""
        record = self.content.roads[road]
        link = record.successor if at_end else record.predecessor
        if link is None:
            return []
        section = record.sections[-1 if at_end else 0]
        own = section.lanes.get(lane)
        if link.is_junction:
            return self._through(road, lane, link)
        if link.element not in self.content.roads:
            return []
        ids = () if own is None else (own.successors if at_end else own.predecessors)
        at_start = bool(link.at_start) if link.at_start is not None else at_end
        if not ids:
            # The file links no lanes: those that continue at the same side of the road.
            ids = (lane if at_start == at_end else -lane,)
            other = self.content.roads[link.element].sections[0 if at_start else -1]
            ids = tuple(each for each in ids if each in other.lanes)
        return [LaneEntry(link.element, id_, at_start) for id_ in ids]

    def _through(self, road: str, lane: int, link: XodrLink) -> list[LaneEntry]:
        found = []
        for each in self._linked.get((link.element, road), []):
            if each.road not in self.content.roads:
                continue
            links = each.links or ((lane, lane if each.at_start else -lane),)
            found += [LaneEntry(each.road, to, each.at_start) for at, to in links if at == lane]
        return found

    def neighbours(self, road: str, *, at_end: bool) -> list[tuple[str, bool]]:
        """The roads behind an end of a road, and whether each is entered at its start."""
        record = self.content.roads[road]
        link = record.successor if at_end else record.predecessor
        if link is None:
            return []
        if link.is_junction:
            connections = self._linked.get((link.element, road), [])
            return sorted(
                {
                    (each.road, each.at_start)
                    for each in connections
                    if each.road in self.content.roads
                }
            )
        if link.element not in self.content.roads:
            return []
        return [(link.element, link.at_start if link.at_start is not None else at_end)]

    def turn_of(self, entry: LaneEntry) -> float:
        """The change of heading [rad] along a road from where it is entered."""
        curve = self.curve(entry.road)
        change = float(curve.headings[-1] - curve.headings[0])
        return change if entry.at_start else -change
