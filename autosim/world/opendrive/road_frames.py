"""Places roads in W: points at (s, t), the borders of lanes, and stations that follow curves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.world.opendrive.cubics import Cubics
from autosim.world.opendrive.plan_view import plan_points
from autosim.world.opendrive.xodr_records import PlanShape, XodrLane, XodrRoad, XodrSection

_SAGITTA = 0.004
"""Greatest distance [m] of a curve from its chord: too small to be felt by a wheel."""

_LONGEST_STEP = 2.5
"""Greatest distance [m] of stations where a road bends, rises or changes its width."""

_STRAIGHT_STEP = 10.0
"""Greatest distance [m] of stations where nothing changes."""

_SHORTEST_STEP = 0.25
"""Least distance [m] of stations in tight curves."""

_SAME = 1e-4
"""Distance [m] up to which two stations are one."""


@dataclass(frozen=True, slots=True)
class RoadFrame:
    """A road with its stations, sampled.

    s: (n,) [m], ascending, both ends among them; points: (n, 3) of the reference line in W;
    headings: (n,) [rad]; banks: (n,) [rad], the superelevation; sections: (n - 1,) the lane section
    of each interval; shift: (3,) [m], added to the coordinates of the file.
    """

    road: XodrRoad
    s: Floats
    points: Floats
    headings: Floats
    banks: Floats
    sections: Integers
    shift: tuple[float, float, float]

    @classmethod
    def of(cls, road: XodrRoad, shift: tuple[float, float, float]) -> "RoadFrame":
        """The frame of a road; `shift` [m] is added to the coordinates of the file."""
        s = _stations(road)
        found = plan_points(road.plan, s)
        z = road.elevation.at(s) + shift[2]
        banks = road.superelevation.at(s)
        starts = np.array([each.start for each in road.sections])
        middles = (s[1:] + s[:-1]) / 2.0
        sections = np.clip(np.searchsorted(starts, middles, side="right") - 1, 0, None)
        points = np.column_stack([found.points + shift[:2], z])
        return cls(road, s, points, found.headings, banks, sections, shift)

    def rows_of(self, section: int) -> Integers:
        """Rows of the stations of a lane section, both its ends among them."""
        cells = np.flatnonzero(self.sections == section)
        return np.append(cells, cells[-1] + 1) if len(cells) else cells

    def at(self, s: Floats, t: Floats, lift: Floats | float = 0.0) -> Floats:
        """Points (n, 3) in W at stations and distances to the left (n,) [m], `lift` [m] higher."""
        found = plan_points(self.road.plan, s)
        base = np.column_stack(
            [found.points + self.shift[:2], self.road.elevation.at(s) + self.shift[2]]
        )
        return self._beside(base, found.headings, self.road.superelevation.at(s), s, t, lift)

    def beside(self, rows: Integers, t: Floats, lift: Floats | float = 0.0) -> Floats:
        """Points (n, 3) in W at the sampled stations `rows` and `t` (n,) [m] to the left."""
        return self._beside(
            self.points[rows], self.headings[rows], self.banks[rows], self.s[rows], t, lift
        )

    def _beside(
        self,
        base: Floats,
        headings: Floats,
        banks: Floats,
        s: Floats,
        t: Floats,
        lift: Floats | float,
    ) -> Floats:
        sine, cosine = portable.sin_cos(headings)
        up, across = portable.sin_cos(banks)
        z = base[:, 2] + t * up + lift + _crossfall(self.road, s, t) + _lateral(self.road, s, t)
        return np.column_stack(
            [base[:, 0] - sine * t * across, base[:, 1] + cosine * t * across, z]
        )

    def borders(self, section: int, s: Floats) -> dict[int, Floats]:
        """The outer border (n,) [m] left of the reference line of each lane; of 0 the inner one."""
        return lane_borders(self.road, self.road.sections[section], s)


def lane_borders(road: XodrRoad, section: XodrSection, s: Floats) -> dict[int, Floats]:
    """The outer border (n,) [m] of each lane, left of the reference line, at stations (n,)."""
    s = _inside(section, s)
    ds = s - section.start
    found = {0: road.lane_offset.at(s)}
    for sign in (1, -1):
        at = found[0]
        for id_ in sorted((each for each in section.lanes if each * sign > 0), key=abs):
            lane = section.lanes[id_]
            if len(lane.borders.starts):
                outer = lane.borders.at(ds)
                at = np.maximum(at, outer) if sign > 0 else np.minimum(at, outer)
            else:
                at = at + sign * np.maximum(lane.widths.at(ds), 0.0)
            found[id_] = at
    return found


def inner_of(id_: int) -> int:
    """The lane on the inner side of a lane."""
    return id_ - (1 if id_ > 0 else -1)


def lifts(section: XodrSection, lane: XodrLane, s: Floats) -> tuple[Floats, Floats]:
    """Heights (n,) [m] of a lane's inner and outer edges over its road, at stations (n,)."""
    if not len(lane.heights):
        return np.zeros(len(s)), np.zeros(len(s))
    ds = _inside(section, s) - section.start
    row = np.clip(np.searchsorted(lane.heights[:, 0], ds, side="right") - 1, 0, None)
    return lane.heights[row, 1], lane.heights[row, 2]


def _inside(section: XodrSection, s: Floats) -> Floats:
    """Stations (n,) [m] just inside a section: what begins at its end does not count."""
    return np.clip(s, section.start, max(section.end - 1e-9, section.start))


def _crossfall(road: XodrRoad, s: Floats, t: Floats) -> Floats | float:
    """The share of heights [m] of the crossfall of version 1.4: the road falls to both sides."""
    left, right = road.crossfalls
    if left.is_zero and right.is_zero:
        return 0.0
    angle = np.where(t > 0.0, left.at(s), right.at(s))
    return -np.abs(t) * portable.tan(angle)


def _lateral(road: XodrRoad, s: Floats, t: Floats) -> Floats | float:
    """The height [m] of the lateral shape, linear along the road between its profiles."""
    if not len(road.shapes):
        return 0.0
    stations = np.unique(road.shapes[:, 0])
    profiles = np.stack([_profile(road.shapes[road.shapes[:, 0] == at], t) for at in stations])
    last = len(stations) - 1
    row = np.clip(np.searchsorted(stations, s, side="right") - 1, 0, last)
    after = np.minimum(row + 1, last)
    span = np.where(after > row, stations[after] - stations[row], 1.0)
    share = np.clip((s - stations[row]) / span, 0.0, 1.0)
    k = np.arange(len(s))
    return np.asarray((1.0 - share) * profiles[row, k] + share * profiles[after, k])


def _profile(rows: Floats, t: Floats) -> Floats:
    """The height (n,) of a lateral profile, rows s, t, a, b, c, d; level before its first piece."""
    return Cubics(rows[:, 1], rows[:, 2:]).at(np.maximum(t, rows[0, 1]))


def _stations(road: XodrRoad) -> Floats:
    """The stations of a road: each start of anything, and more between them in curves."""
    length = road.length
    breaks = np.unique(np.concatenate([[0.0, length], *_breaks(road)]))
    breaks = breaks[(breaks >= 0.0) & (breaks <= length)]
    keep = np.concatenate([[True], np.diff(breaks) > _SAME])
    breaks = breaks[keep]
    if length - breaks[-1] > 0.0:
        breaks = np.append(breaks[:-1], length) if len(breaks) > 1 else np.append(breaks, length)
    spans = np.diff(breaks)
    steps = _steps(road, breaks)
    counts = np.maximum(np.ceil(spans / steps - 1e-9).astype(np.int64), 1)
    of = np.repeat(np.arange(len(spans)), counts)
    k = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.append(breaks[of] + spans[of] * (k / counts[of]), length)


def _breaks(road: XodrRoad) -> Sequence[Floats]:
    found = [road.plan.starts, road.elevation.starts, road.superelevation.starts]
    found += [each.starts for each in road.crossfalls]
    found += [road.lane_offset.starts, np.unique(road.shapes[:, 0])]
    for section in road.sections:
        found.append(np.array([section.start]))
        for lane in section.lanes.values():
            found += [
                section.start + starts[starts < section.end - section.start]
                for starts in (lane.widths.starts, lane.borders.starts, lane.heights[:, 0])
            ]
    return found


def _steps(road: XodrRoad, breaks: Floats) -> Floats:
    """The greatest distance (n,) [m] of stations in each interval between breaks (n + 1,)."""
    middles = (breaks[1:] + breaks[:-1]) / 2.0
    ends = np.stack([breaks[:-1], middles, breaks[1:]])
    bends = np.abs(plan_points(road.plan, ends.reshape(-1)).curvatures).reshape(3, -1).max(axis=0)
    # On the outer side of a curve the radius and so the step is larger by the lanes.
    steps = np.sqrt(8.0 * _SAGITTA / np.maximum(bends, 1e-9))
    piece = np.clip(np.searchsorted(road.plan.starts, middles, side="right") - 1, 0, None)
    is_curve = (road.plan.shapes[piece] != PlanShape.LINE) | ~_is_even(road, middles)
    most = np.where(is_curve, _LONGEST_STEP, _STRAIGHT_STEP)
    return np.asarray(np.clip(steps, _SHORTEST_STEP, most))


def _is_even(road: XodrRoad, s: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Whether heights and widths are linear about stations (n,)."""
    if len(road.shapes) or not all(each.is_zero for each in road.crossfalls):
        return np.zeros(len(s), dtype=np.bool_)
    even = np.ones(len(s), dtype=np.bool_)
    for profile in (road.elevation, road.superelevation, road.lane_offset):
        even &= np.abs(profile.slope_at(s + 0.05) - profile.slope_at(s - 0.05)) < 1e-9
    even &= np.abs(road.superelevation.slope_at(s)) < 1e-9
    even &= np.abs(road.lane_offset.slope_at(s)) < 1e-9
    for section in road.sections:
        if all(
            each.widths.is_stepwise and each.borders.is_stepwise for each in section.lanes.values()
        ):
            continue
        even &= (s < section.start) | (s > section.end)
    return even
