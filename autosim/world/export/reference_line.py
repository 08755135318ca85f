"""Makes reference lines of OpenDRIVE roads: cubic pieces through points with headings."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from lxml import etree

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.lanes.roads import Lane

_STRAIGHT = 1e-4
"""Angle [rad], or change of grade (rise over run), or coefficient [m] up to which a line is
straight."""

_SAME_HEADING = 2e-6
"""Angle [rad] up to which two straight pieces are one: checkers call them redundant."""

_SAME_GRADE, _SAME_HEIGHT = 2e-6, 1e-4
"""Difference of grades (rise over run) and of heights [m] up to which two pieces of a profile are
one."""

_QUADRATURE = 5
"""Number of points of the Gauss-Legendre quadrature of arc lengths: exact to a micrometre here."""

_NEAR = 0.005
"""Distance [m] from the line up to which a point is left out."""

_SUBDIVISIONS = 8
"""Number of straight pieces for each cubic one where points are placed on a line."""

_NEAREST_END, _FARTHEST_END = 1e-3, 3.0
"""Distances [m] from which on and up to which the end of a line is moved to that of the next."""

_LARGEST_TURN = 0.3
"""Angle [rad] up to which the end of a line is turned to that of the next one."""

_SHORT = 0.01
"""Length [m] to either side of a point over which the direction of a line is taken."""

_NEWTON = 8
"""Number of steps to the nearest place of a line: from a place within an eighth of a piece."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(_QUADRATURE)


@dataclass(frozen=True, slots=True)
class Feet:
    """Places on a reference line, and what lies beside them: k of each.

    Attributes:
        stations: (k,) [m].
        offsets: (k,) [m] to the left.
        points: (k, 2) [m] in W at these stations and offsets.
        headings: (k,) [rad] of the line.
        heights: (k,) [m] of the line.
    """

    stations: Floats
    offsets: Floats
    points: Floats
    headings: Floats
    heights: Floats


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """A curve through points (n, 3) [m] in W with headings (n,) [rad].

    Between two points it is the cubic Hermite curve whose tangents have these headings and the
    length of the chord. `stations` (n,) [m] are the arc lengths at the points.
    """

    points: Floats
    headings: Floats
    stations: Floats

    @classmethod
    def through(cls, points: Floats, headings: Floats) -> "ReferenceLine":
        """The line through points, without those that lie on it anyway."""
        kept = _needed(points)
        while True:
            line = cls._of(points[kept], headings[kept])
            is_off = np.abs(line.place(points[:, :2])[1]) > _NEAR
            is_off[kept] = False
            if not is_off.any():
                return line
            kept = _with_more(kept, is_off)

    @classmethod
    def _of(cls, points: Floats, headings: Floats) -> "ReferenceLine":
        lengths = _arc_lengths(*_coefficients(points, headings))
        return cls(points, headings, np.concatenate([[0.0], np.cumsum(lengths)]))

    @classmethod
    def along(cls, lane: Lane) -> "ReferenceLine":
        """The centre line of a lane."""
        starts = lane.network.starts
        headings = lane.network.tangents[starts[lane.index] : starts[lane.index + 1]]
        return cls.through(lane.centre_line, headings)

    def between(self, start: tuple[Floats, float], end: tuple[Floats, float]) -> "ReferenceLine":
        """The line from one end to another, each a point (2,) [m] with a heading [rad].

        The ends of the line are close to them already; where one moves along the line, the points
        that it passes are left out.
        """
        points, headings = self.points.copy(), self.headings.copy()
        kept = np.ones(len(points), dtype=np.bool_)
        for row, sign, (place, heading) in ((0, 1.0, start), (-1, -1.0, end)):
            turn = float(portable.wrapped(heading - headings[row]))
            headings[row] += turn if abs(turn) < _LARGEST_TURN else 0.0
            moved = portable.length(place - points[row, :2])
            if moved < _NEAREST_END or moved > _FARTHEST_END:
                continue
            ahead = sign * np.array([np.cos(headings[row]), np.sin(headings[row])])
            passed = (points[:, :2] - place) @ ahead < moved
            near = portable.hypot(*(points[:, :2] - place).T) < 2.0 * _FARTHEST_END
            kept &= ~(passed & near)
            points[row, :2] = place
        kept[[0, -1]] = True
        return ReferenceLine._of(points[kept], headings[kept])

    @property
    def length(self) -> float:
        """Arc length in plan [m]."""
        return float(self.stations[-1])

    def place(self, points: Floats) -> tuple[Floats, Floats]:
        """Stations (k,) and offsets (k,) [m] to the left of the points of the line nearest to some.

        Args:
            points: (k, 2) [m].
        """
        u, v = _coefficients(self.points, self.headings)
        shares = np.arange(_SUBDIVISIONS) / _SUBDIVISIONS
        powers = np.vstack([shares**0, shares, shares**2, shares**3])
        ahead, left = (u @ powers).ravel(), (v @ powers).ravel()
        cos, sin = (np.repeat(each(self.headings[:-1]), _SUBDIVISIONS) for each in (np.cos, np.sin))
        starts = np.repeat(self.points[:-1, :2], _SUBDIVISIONS, axis=0)
        curve = starts + np.column_stack([cos * ahead - sin * left, sin * ahead + cos * left])
        line: shapely.LineString = shapely.LineString(np.vstack([curve, self.points[-1, :2]]))
        stations = np.asarray(shapely.line_locate_point(line, shapely.points(points)))
        feet = shapely.get_coordinates(shapely.line_interpolate_point(line, stations))
        before = shapely.line_interpolate_point(line, np.maximum(stations - _SHORT, 0.0))
        after = shapely.line_interpolate_point(line, stations + _SHORT)
        tangents = shapely.get_coordinates(after) - shapely.get_coordinates(before)
        tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
        away = points - feet
        offsets = tangents[:, 0] * away[:, 1] - tangents[:, 1] * away[:, 0]
        return stations * (self.length / line.length), offsets

    def feet(self, points: Floats) -> "Feet":
        """The exact places of the line nearest to points (k, 2) [m]."""
        u, v = _coefficients(self.points, self.headings)
        stations, _ = self.place(points)
        piece = np.clip(np.searchsorted(self.stations, stations) - 1, 0, len(u) - 1)
        lengths = np.diff(self.stations)[piece]
        share = np.clip((stations - self.stations[piece]) / lengths, 0.0, 1.0)
        u, v = u[piece], v[piece]
        starts, turns = self.points[piece], self.headings[piece]
        cos, sin = np.cos(turns), np.sin(turns)
        x, y = (points - starts[:, :2]).T
        local = np.column_stack([cos * x + sin * y, cos * y - sin * x])
        for _ in range(_NEWTON):
            at, slope, bend = _at(u, v, share)
            gap = at - local
            error = (gap * slope).sum(axis=1)
            rate = (slope * slope).sum(axis=1) + (gap * bend).sum(axis=1)
            # Beyond the centre of a bend, steps by the length of the piece replace those of Newton.
            rate = np.where(rate > 0.1 * lengths**2, rate, lengths**2)
            share = np.clip(share - error / rate, 0.0, 1.0)
        at, slope, _ = _at(u, v, share)
        courses = np.arctan2(slope[:, 1], slope[:, 0])
        normals = np.column_stack([-np.sin(courses), np.cos(courses)])
        offsets = ((local - at) * normals).sum(axis=1)
        placed = at + offsets[:, None] * normals
        rise = np.append(np.diff(self.points[:, 2]), 0.0)[piece]
        run = _partial_lengths(u, v, share)
        return Feet(
            self.stations[piece] + run,
            offsets,
            starts[:, :2]
            + np.column_stack(
                [cos * placed[:, 0] - sin * placed[:, 1], sin * placed[:, 0] + cos * placed[:, 1]]
            ),
            turns + courses,
            starts[:, 2] + rise * run / lengths,
        )

    def write(self, road: etree._Element) -> None:
        """Adds `planView` and `elevationProfile` to a road."""
        plan = etree.SubElement(road, "planView")
        u, v = _coefficients(self.points, self.headings)
        is_line = np.abs(v).max(axis=1) < _STRAIGHT
        for first, last in self._pieces(is_line):
            k, length = first, self.stations[last] - self.stations[first]
            x, y, _ = self.points[k]
            attributes = {"s": self.stations[k], "x": x, "y": y, "hdg": self.headings[k]}
            geometry = etree.SubElement(plan, "geometry", _texts(attributes | {"length": length}))
            if is_line[k]:
                etree.SubElement(geometry, "line")
                continue
            names = (f"{letter}{axis}" for axis in "UV" for letter in "abcd")
            values = dict(zip(names, [*u[k], *v[k]], strict=True))
            etree.SubElement(geometry, "paramPoly3", _texts(values) | {"pRange": "normalized"})
        self._write_elevation(road)

    def _pieces(self, is_line: Booleans) -> Iterator[tuple[int, int]]:
        """First and last points of the pieces; straight ones that continue are one."""
        first = 0
        for k in range(1, len(is_line) + 1):
            if k < len(is_line) and is_line[first] and is_line[k]:
                turn = abs(float(self.headings[k] - self.headings[first]))
                if turn < _SAME_HEADING:
                    continue
            yield first, k
            first = k

    def _write_elevation(self, road: etree._Element) -> None:
        """Adds the heights; a piece that only continues the one before is left out."""
        profile = etree.SubElement(road, "elevationProfile")
        slopes = np.diff(self.points[:, 2]) / np.diff(self.stations)
        begun = 0
        for k, slope in enumerate(slopes):
            run = self.stations[k + 1] - self.stations[begun]
            expected = self.points[begun, 2] + slopes[begun] * run
            is_same = abs(float(slope - slopes[begun])) < _SAME_GRADE
            if k and is_same and abs(float(expected - self.points[k + 1, 2])) < _SAME_HEIGHT:
                continue
            begun = k
            values = {"s": self.stations[k], "a": self.points[k, 2], "b": slope, "c": 0.0, "d": 0.0}
            etree.SubElement(profile, "elevation", _texts(values))


def straight_line(first: Floats, last: Floats) -> ReferenceLine:
    """The straight line between two points (3,) [m]."""
    x, y, _ = last - first
    return ReferenceLine.through(np.array([first, last]), np.full(2, np.arctan2(y, x)))


def _needed(points: Floats) -> Integers:
    """The indices of points that do not lie inside a straight piece of constant grade."""
    steps = np.diff(points, axis=0)
    runs = np.linalg.norm(steps[:, :2], axis=1)
    courses = np.arctan2(steps[:, 1], steps[:, 0])
    grades = steps[:, 2] / np.maximum(runs, 1e-9)
    bends = np.abs(np.angle(np.exp(1j * (courses[1:] - courses[:-1]))))
    needed = np.ones(len(points), dtype=np.bool_)
    needed[1:-1] = (bends > _STRAIGHT) | (np.abs(np.diff(grades)) > _STRAIGHT)
    return np.flatnonzero(needed).astype(np.int64)


def _with_more(kept: Integers, is_off: Booleans) -> Integers:
    """Points kept (k,), and more of each piece that misses points: its second, middle and last."""
    pieces = np.unique(np.searchsorted(kept, np.flatnonzero(is_off))) - 1
    first, last = kept[pieces], kept[pieces + 1]
    more = np.concatenate([kept, first + 1, (first + last) // 2, last - 1])
    return np.unique(more).astype(np.int64)


def _coefficients(points: Floats, headings: Floats) -> tuple[Floats, Floats]:
    """Hermite coefficients a, b, c, d (n - 1, 4) of u and v in each piece's own frame."""
    steps = np.diff(points[:, :2], axis=0)
    cos, sin = np.cos(headings[:-1]), np.sin(headings[:-1])
    chord = np.linalg.norm(steps, axis=1)
    turn = np.diff(headings)
    u = _hermite(steps[:, 0] * cos + steps[:, 1] * sin, chord, chord * np.cos(turn))
    v = _hermite(steps[:, 1] * cos - steps[:, 0] * sin, 0.0 * chord, chord * np.sin(turn))
    return u, v


def _hermite(end: Floats, first: Floats, last: Floats) -> Floats:
    """Coefficients of a cubic from 0 to `end` with the end derivatives `first` and `last`."""
    return np.column_stack([0.0 * end, first, 3 * end - 2 * first - last, first + last - 2 * end])


def _arc_lengths(u: Floats, v: Floats) -> Floats:
    """Lengths [m] of cubic pieces by Gauss-Legendre quadrature."""
    t = (_NODES + 1.0) / 2.0
    powers = np.vstack([np.zeros_like(t), np.ones_like(t), 2.0 * t, 3.0 * t**2])
    speeds = np.hypot(u @ powers, v @ powers)
    lengths: Floats = speeds @ _WEIGHTS / 2.0
    return lengths


def _at(u: Floats, v: Floats, share: Floats) -> tuple[Floats, Floats, Floats]:
    """Points, first and second derivatives (k, 2) of cubics (k, 4) at shares (k,)."""
    both = np.stack([u, v], axis=1)
    one, none = np.ones_like(share), np.zeros_like(share)
    powers = (
        (one, share, share**2, share**3),
        (none, one, 2.0 * share, 3.0 * share**2),
        (none, none, 2.0 * one, 6.0 * share),
    )
    first, second, third = (np.einsum("kac,ck->ka", both, np.stack(each)) for each in powers)
    return first, second, third


def _partial_lengths(u: Floats, v: Floats, share: Floats) -> Floats:
    """Lengths [m] of cubic pieces (k, 4) up to shares (k,)."""
    t = (_NODES + 1.0) / 2.0 * share[:, None]
    powers = np.stack([np.zeros_like(t), np.ones_like(t), 2.0 * t, 3.0 * t**2])
    speeds = np.hypot(np.einsum("kc,ckn->kn", u, powers), np.einsum("kc,ckn->kn", v, powers))
    lengths: Floats = speeds @ _WEIGHTS / 2.0 * share
    return lengths


def _texts(values: dict[str, float]) -> dict[str, str]:
    return {name: f"{float(value):.9g}" for name, value in values.items()}
