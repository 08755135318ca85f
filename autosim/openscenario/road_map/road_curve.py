"""A road as tables that are read one place at a time.

Entities of a scenario are few and each stands elsewhere, so their places are found by plain
arithmetic on tables; the tables are made by array work when a road is first used.
"""

from bisect import bisect_right
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.world.opendrive.cubics import Cubics
from autosim.world.opendrive.lane_links import is_along
from autosim.world.opendrive.plan_view import plan_points
from autosim.world.opendrive.xodr_records import XodrLane, XodrRoad, XodrSection

_STEP = 0.5
"""Greatest distance [m] of the stations of a table: cubic interpolation is exact to 1e-5 m."""

_DIFFERENCE = 0.02
"""Distance [m] over which the slope of a lane's centre is taken."""


class Reference(NamedTuple):
    """A point of a reference line: x, y, z [m], heading [rad], curvature [1/m], slope and bank."""

    x: float
    y: float
    z: float
    heading: float
    curvature: float
    slope: float
    bank: float


class Polynomials:
    """Piecewise cubics of a profile, evaluated at single stations."""

    __slots__ = ("rows", "starts")

    def __init__(self, cubics: Cubics) -> None:
        self.starts: list[float] = cubics.starts.tolist()
        self.rows: list[list[float]] = cubics.coefficients.tolist()

    def at(self, s: float) -> float:
        """Value at a station; 0 before the first piece."""
        number = bisect_right(self.starts, s) - 1
        if number < 0:
            return 0.0
        ds = s - self.starts[number]
        a, b, c, d = self.rows[number]
        return a + ds * (b + ds * (c + ds * d))

    def slope(self, s: float) -> float:
        """Derivative at a station."""
        number = bisect_right(self.starts, s) - 1
        if number < 0:
            return 0.0
        ds = s - self.starts[number]
        _, b, c, d = self.rows[number]
        return b + ds * (2.0 * c + 3.0 * ds * d)


class RoadCurve:
    """A road of a map.

    Args:
        road: its record.
    """

    def __init__(self, road: XodrRoad) -> None:
        self.road, self.length = road, road.length
        count = max(2, int(np.ceil(road.length / _STEP)) + 1)
        stations = np.linspace(0.0, road.length, count)
        found = plan_points(road.plan, stations)
        self._step = float(stations[1])
        self.points = found.points
        self.headings = np.unwrap(found.headings)
        self._x: list[float] = found.points[:, 0].tolist()
        self._y: list[float] = found.points[:, 1].tolist()
        self._h: list[float] = self.headings.tolist()
        self._k: list[float] = found.curvatures.tolist()
        sine, cosine = portable.sin_cos(found.headings)
        self._dx: list[float] = (cosine * self._step).tolist()
        self._dy: list[float] = (sine * self._step).tolist()
        self._elevation, self._bank = Polynomials(road.elevation), Polynomials(road.superelevation)
        self._offset = Polynomials(road.lane_offset)
        self._starts = [each.start for each in road.sections]
        self._widths: dict[tuple[int, int], tuple[Polynomials, bool]] = {}
        for number, section in enumerate(road.sections):
            for id_, lane in section.lanes.items():
                has_border = bool(len(lane.borders.starts))
                table = lane.borders if has_border else lane.widths
                self._widths[number, id_] = Polynomials(table), has_border

    def reference(self, s: float) -> Reference:
        """The point of the reference line at a station [m]; it is straight beyond the ends."""
        inside = min(max(s, 0.0), self.length)
        k = min(int(inside / self._step), len(self._x) - 2)
        u = inside / self._step - k
        v = 1.0 - u
        h00, h10 = (1.0 + 2.0 * u) * v * v, u * v * v
        h01, h11 = u * u * (3.0 - 2.0 * u), -u * u * v
        x = h00 * self._x[k] + h10 * self._dx[k] + h01 * self._x[k + 1] + h11 * self._dx[k + 1]
        y = h00 * self._y[k] + h10 * self._dy[k] + h01 * self._y[k + 1] + h11 * self._dy[k + 1]
        heading = v * self._h[k] + u * self._h[k + 1]
        bend = v * self._k[k] + u * self._k[k + 1]
        if s != inside:
            sine, cosine = portable.sin_cos(heading)
            x, y, bend = x + (s - inside) * cosine, y + (s - inside) * sine, 0.0
        return Reference(
            x,
            y,
            self._elevation.at(inside),
            heading,
            bend,
            self._elevation.slope(inside),
            self._bank.at(inside),
        )

    def speed_limit(self, s: float) -> float | None:
        """The speed limit [m/s] at a station [m], or None where the file states none."""
        found = None
        for start, limit in self.road.speeds:
            if start <= s + 1e-9 and limit > 0.0:
                found = limit
        return found

    def section_at(self, s: float) -> int:
        """Number of the lane section at a station."""
        return max(bisect_right(self._starts, s + 1e-9) - 1, 0)

    def section(self, s: float) -> XodrSection:
        """The lane section at a station."""
        return self.road.sections[self.section_at(s)]

    def lane(self, id_: int, s: float) -> XodrLane | None:
        """The record of a lane at a station, or None."""
        return self.section(s).lanes.get(id_)

    def edges(self, id_: int, s: float) -> tuple[float, float]:
        """Inner and outer edge [m] of a lane, left of the reference line; outer ones are kept."""
        number = self.section_at(s)
        section = self.road.sections[number]
        ds = min(max(s, section.start), section.end) - section.start
        sign = 1 if id_ > 0 else -1
        inner = outer = self._offset.at(min(max(s, 0.0), self.length))
        for each in range(1, abs(id_) + 1):
            table = self._widths.get((number, sign * each))
            if table is None:
                continue
            inner = outer
            outer = table[0].at(ds) if table[1] else inner + sign * max(table[0].at(ds), 0.0)
        return inner, outer

    def center(self, id_: int, s: float) -> float:
        """The centre [m] of a lane, left of the reference line."""
        if not id_:
            return self._offset.at(s)
        inner, outer = self.edges(id_, s)
        return 0.5 * (inner + outer)

    def center_slope(self, id_: int, s: float) -> float:
        """Change of the centre of a lane per metre."""
        section = self.section(s)
        before = max(s - _DIFFERENCE, section.start)
        after = min(s + _DIFFERENCE, section.end - 1e-6)
        if after - before < 1e-6:
            return 0.0
        return (self.center(id_, after) - self.center(id_, before)) / (after - before)

    def lane_at(self, s: float, t: float) -> int:
        """The lane at (s, t); off the road the outermost one of that side."""
        section = self.section(s)
        middle = self._offset.at(min(max(s, 0.0), self.length))
        sign = 1 if t >= middle else -1
        ids = sorted((each for each in section.lanes if each * sign > 0), key=abs)
        if not ids:
            sign = -sign
            ids = sorted((each for each in section.lanes if each * sign > 0), key=abs)
        for id_ in ids:
            if (self.edges(id_, s)[1] - t) * sign >= -1e-6:
                return id_
        return ids[-1] if ids else 0

    def is_on_road(self, s: float, t: float, margin: float = 0.0) -> bool:
        """Whether (s, t) is on a lane."""
        if not -margin <= s <= self.length + margin:
            return False
        section = self.section(s)
        left = max(section.lanes, default=0)
        right = min(section.lanes, default=0)
        return self.edges(right, s)[1] - margin <= t <= self.edges(left, s)[1] + margin

    def is_off_road(self, s: float, t: float) -> bool:
        """Whether (s, t) is beyond all lanes that are of a type."""
        section = self.section(s)
        center = self.edges(0, s)[0]
        side = 1 if t > center else -1
        width = 0.0
        for id_, lane in section.lanes.items():
            if id_ * side > 0 and lane.type != "none":
                inner, outer = self.edges(id_, s)
                width += abs(outer - inner)
        return abs(t - center) > width

    def along(self, id_: int, s: float) -> bool:
        """Whether traffic on a lane drives along the reference line."""
        lane = self.lane(id_, s)
        if lane is None:
            return (id_ < 0) is not self.road.is_left_hand
        return is_along(self.road, lane)
