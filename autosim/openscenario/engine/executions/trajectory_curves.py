"""Trajectories as curves by arc length: polylines, clothoids, splines of clothoids, NURBS."""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.openscenario.records.position_records import ClothoidSegment, XoscTrajectory
from autosim.openscenario.road_map.road_network import MapPose
from autosim.world.opendrive.plan_view import clothoid

_STEP = 0.2
"""Greatest distance [m] of the samples of clothoids."""

_SAMPLES = 1000
"""Number of samples of a NURBS curve."""

_CORNER = 2.0
"""Greatest distance [m] to a vertex within which an entity turns from one segment to the next."""


class TrajectoryCurve:
    """A trajectory, sampled.

    Args:
        trajectory: its record.
        poses: of its vertices, control points or start.
        starts: of the segments of a spline, None where one continues the last.
        is_following: an entity turns over the whole of a segment, not near its vertices alone.
    """

    def __init__(
        self,
        trajectory: XoscTrajectory,
        poses: Sequence[MapPose],
        starts: Sequence[MapPose | None] = (),
        *,
        is_following: bool = False,
    ) -> None:
        self.is_closed, self._is_following = trajectory.is_closed, is_following
        times: list[float | None] = list(trajectory.times)
        if trajectory.kind == "polyline":
            points = np.array([(each.x, each.y, each.z) for each in poses])
            if trajectory.is_closed:
                points = np.concatenate([points, points[:1]])
        elif trajectory.kind == "nurbs":
            points, times = _nurbs(trajectory, poses)
        else:
            points, times = _clothoids(trajectory.segments, poses, starts)
        steps = np.hypot(np.diff(points[:, 0]), np.diff(points[:, 1]))
        self._s: list[float] = np.concatenate([[0.0], np.cumsum(steps)]).tolist()
        self._points: list[list[float]] = points.tolist()
        known = [each for each in times if each is not None]
        self.is_timed = len(times) >= 2 and len(known) == len(times)
        self._times = known if self.is_timed else []
        self._states_heading: list[bool] = []
        self._headings: list[float] = []
        if trajectory.kind == "polyline":
            self._take_headings(trajectory, poses)

    def _take_headings(self, trajectory: XoscTrajectory, poses: Sequence[MapPose]) -> None:
        """Keeps the headings [rad] of vertices: those stated, else along the next segment."""
        for number in range(len(self._points)):
            vertex = number % len(poses)
            is_stated = trajectory.positions[vertex].orientation.heading is not None
            self._states_heading.append(is_stated)
            along = self.at(self._s[min(number, len(self._points) - 2)] + 1e-6)[3]
            self._headings.append(poses[vertex].heading if is_stated else along)

    @property
    def length(self) -> float:
        """Arc length [m]."""
        return self._s[-1]

    @property
    def times(self) -> tuple[float, float]:
        """First and last time [s]; zeros where it has none."""
        return (self._times[0], self._times[-1]) if self._times else (0.0, 0.0)

    def at(self, s: float) -> tuple[float, float, float, float]:
        """Point x, y, z [m] and heading [rad] at an arc length [m]."""
        if self.is_closed and self.length > 0.0:
            s %= self.length
        s = min(max(s, 0.0), self.length)
        k = min(max(bisect_right(self._s, s) - 1, 0), len(self._s) - 2)
        while k > 0 and self._s[k + 1] - self._s[k] <= 1e-9:
            k -= 1
        span = self._s[k + 1] - self._s[k]
        u = (s - self._s[k]) / span if span > 1e-9 else 0.0
        (x0, y0, z0), (x1, y1, z1) = self._points[k], self._points[k + 1]
        heading = float(portable.arctan2(y1 - y0, x1 - x0)) if span > 1e-9 else 0.0
        return x0 + u * (x1 - x0), y0 + u * (y1 - y0), z0 + u * (z1 - z0), heading

    def states_heading(self, s: float) -> bool:
        """Whether the vertex before an arc length [m] states a heading."""
        return bool(self._states_heading) and self._states_heading[self._segment(s)[0]]

    def _segment(self, s: float) -> tuple[int, float, float]:
        """The number of a segment, the arc length on it and its length [m]."""
        if self.is_closed and self.length > 0.0:
            s %= self.length
        k = min(max(bisect_right(self._s, s + 1e-9) - 1, 0), len(self._s) - 2)
        return (
            k,
            min(max(s - self._s[k], 0.0), self._s[k + 1] - self._s[k]),
            self._s[k + 1] - self._s[k],
        )

    def heading_at(self, s: float) -> float:
        """Heading [rad] of an entity: from vertex to vertex on polylines, else along the curve."""
        if not self._headings:
            return self.at(s)[3]
        k, local, length = self._segment(s)
        now, following = self._headings[k], self._headings[k + 1]
        if length <= 1e-6:
            return following
        if local >= length - 1e-6:
            return following
        if self._is_following:
            return _between(now, following, local / length)
        radius = min(_CORNER, 0.5 * length)
        if local < radius and k > 0:
            return _between(self._headings[k - 1], now, (radius + local) / (2.0 * radius))
        if local > length - radius:
            over = local - length + radius
            is_last = k == len(self._headings) - 2
            return _between(now, following, over / (radius if is_last else 2.0 * radius))
        return now

    def station_at(self, time: float) -> float:
        """Arc length [m] at a time [s]; between times the speed changes linearly."""
        times = self._times
        if time <= times[0]:
            return self._s[0]
        if time >= times[-1]:
            return self._s[len(times) - 1]
        k = min(bisect_right(times, time) - 1, len(times) - 2)
        span = times[k + 1] - times[k]
        u = (time - times[k]) / span if span > 0.0 else 1.0
        return self._s[k] + u * (self._s[k + 1] - self._s[k])

    def project(self, x: float, y: float) -> float:
        """The arc length [m] of the nearest point."""
        points = np.array(self._points)[:, :2]
        first, step = points[:-1], np.diff(points, axis=0)
        square = np.maximum((step * step).sum(axis=1), 1e-12)
        u = np.clip((((x, y) - first) * step).sum(axis=1) / square, 0.0, 1.0)
        foot = first + u[:, None] * step - (x, y)
        k = int(np.argmin((foot * foot).sum(axis=1)))
        return self._s[k] + float(u[k]) * (self._s[k + 1] - self._s[k])


def _between(first: float, second: float, share: float) -> float:
    return first + share * float(portable.wrapped(second - first))


def _clothoids(
    segments: Sequence[ClothoidSegment],
    poses: Sequence[MapPose],
    starts: Sequence[MapPose | None],
) -> tuple[Floats, list[float | None]]:
    at = poses[0]
    found: list[Floats] = []
    times: list[float | None] = []
    for number, each in enumerate(segments):
        start = starts[number] if number < len(starts) else None
        at = start if start is not None else at
        count = max(2, int(np.ceil(each.length / _STEP)) + 1)
        s = np.linspace(0.0, each.length, count)
        many = np.ones(count)
        points, turned, _ = clothoid(
            s, many * each.curvature_start, many * each.curvature_end, many * each.length
        )
        sine, cosine = portable.sin_cos(at.heading)
        x = at.x + cosine * points[:, 0] - sine * points[:, 1]
        y = at.y + sine * points[:, 0] + cosine * points[:, 1]
        found.append(np.column_stack([x, y, np.full(count, at.z)]))
        last = segments[number + 1].time_start if number + 1 < len(segments) else each.time_end
        if each.time_start is None or last is None:
            times += [None] * count
        else:
            times += np.linspace(each.time_start, last, count).tolist()
        at = MapPose(float(x[-1]), float(y[-1]), at.z, at.heading + float(turned[-1]))
    return np.concatenate(found), times


def _nurbs(
    trajectory: XoscTrajectory, poses: Sequence[MapPose]
) -> tuple[Floats, list[float | None]]:
    """Points of a NURBS curve by the algorithm of de Boor, in homogeneous coordinates."""
    degree = trajectory.order - 1
    knots = np.array(trajectory.knots)
    weights = np.array(trajectory.weights)
    times = [0.0 if each is None else each for each in trajectory.times]
    has_times = all(each is not None for each in trajectory.times)
    rows = np.array([(each.x, each.y, each.z, t) for each, t in zip(poses, times, strict=True)])
    control = np.column_stack([rows * weights[:, None], weights])
    u = np.linspace(knots[degree], knots[len(poses)], _SAMPLES)
    k = np.clip(np.searchsorted(knots, u, side="right") - 1, degree, len(poses) - 1)
    points = [control[k - degree + j] for j in range(degree + 1)]
    for r in range(1, degree + 1):
        for j in range(degree, r - 1, -1):
            low, high = knots[j + k - degree], knots[j + 1 + k - r]
            span = np.where(high > low, high - low, 1.0)
            share = np.where(high > low, (u - low) / span, 0.0)[:, None]
            points[j] = (1.0 - share) * points[j - 1] + share * points[j]
    found = points[degree]
    found = found[:, :4] / found[:, 4:]
    stamps: list[float | None] = found[:, 3].tolist() if has_times else [None] * len(found)
    return found[:, :3], stamps
