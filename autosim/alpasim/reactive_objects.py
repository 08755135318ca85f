"""Objects of a session of traffic: first as they were logged, then vehicles drive by themselves.

A vehicle keeps to the way on which it was logged, and then to the lanes behind its end. It keeps
its distance by the Intelligent Driver Model, with the highest logged speed as the desired one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from autosim.alpasim.alpasim_scene import ObjectShape
from autosim.alpasim.frame_poses import MICROSECONDS, FramePose, TimedPoses
from autosim.arrays import Floats
from autosim.config.scenarios import PERSON
from autosim.traffic.road_users import BOX, B
from autosim.traffic.scenarios.obstacle_braking import (
    find_obstacle_gap,
    idm_acceleration,
    look_ahead_distance,
)
from autosim.traffic.scenarios.scenario_positions import LanePose, LanePositions, stations_along

STEP_US = 50_000
"""Longest step [µs] in which vehicles move."""

_SPACING = 0.3
"""Distance [m] of the points of a logged way: noise of standing vehicles is smaller."""

_MOVED = 1.0
"""Distance [m] that a vehicle has to move in its log to count as one that drives."""

_EXTENSION, _EXTENSION_STEP = 400.0, 2.0
"""Length [m] of the way behind the end of a log, and the distance [m] of its points."""

_NEAR_LANE = 3.0
"""Distance [m] from the middle of a lane within which a vehicle continues along it."""

_AHEAD = 2.0
"""Distance [m] of the points of a way in which obstacles are searched."""

_SPAN_US = 200_000
"""Time [µs] over which a logged speed is measured."""


@dataclass(slots=True)
class _Drive:
    """A vehicle that drives by itself: station [m] on its way, speed and desired speed [m/s]."""

    station: float
    speed: float
    desired: float


class ReactiveObject:
    """One object of a session.

    Args:
        shape: its size and kind.
        log: its recorded motion.
        is_static: whether it stays as it is.
        handover: time [µs] from which on it drives by itself.
    """

    def __init__(
        self, shape: ObjectShape, log: TimedPoses, *, is_static: bool, handover: int
    ) -> None:
        self.shape, self.log, self.is_static = shape, log, is_static
        spread = np.ptp(log.positions[:, :2], axis=0).max()
        self._drives = not is_static and shape.kind != PERSON and spread > _MOVED
        self._handover = max(handover, int(log.times[0]))
        self._drive: _Drive | None = None
        self._way: Floats = np.zeros((0, 4))

    def is_present(self, time: int) -> bool:
        """Whether it is in the scene at a time [µs]; what has been taken over, stays."""
        return self.is_static or time >= int(self.log.times[0])

    def pose(self, time: int) -> FramePose:
        """The centre of its box at a time [µs]."""
        if self._drive is None:
            return self.log.at(time)
        behind, at, ahead = self._places(self._drive.station + np.array([-1.0, 0.0, 1.0]))
        step = ahead - behind
        x, y, z = at.tolist()
        return FramePose.at(x, y, z, float(np.arctan2(step[1], step[0])))

    def box(self, time: int) -> Floats:
        """Its box (8,) as other vehicles see it."""
        return box_of(self.pose(time), self.shape, self.speed(time))

    def speed(self, time: int) -> float:
        """Its speed [m/s] along its heading."""
        return logged_speed(self.log, time) if self._drive is None else self._drive.speed

    def take_over(self, time: int, lanes: LanePositions) -> None:
        """Begins to drive by itself where it is time [µs] for that."""
        if self._drive is not None or not self._drives or time < self._handover:
            return
        self._way = _way_of(self.log, lanes, self.shape.size[2] / 2.0)
        here = self.log.at(time).position
        station = _station_of(self._way, here)
        steps = np.diff(self.log.positions[:, :2], axis=0)
        speeds = np.hypot(*steps.T) / (np.diff(self.log.times) / MICROSECONDS)
        self._drive = _Drive(station, max(self.speed(time), 0.0), float(speeds.max()))

    def advance(self, seconds: float, boxes: Floats, own: int) -> None:
        """Drives on; without effect on an object that does not drive by itself.

        Args:
            seconds: length of the step [s].
            boxes: (n, 8) of all objects.
            own: its row there.
        """
        drive = self._drive
        if drive is None:
            return
        length, width, _ = self.shape.size
        metres = length / 2.0 + look_ahead_distance(drive.speed)
        marks = np.arange(drive.station, drive.station + metres + _AHEAD, _AHEAD)
        end = float(self._way[-1, 3])
        marks = marks[marks <= end]
        ahead = self._places(marks) if len(marks) else boxes[own : own + 1, :3]
        gap, speed = find_obstacle_gap(ahead, length / 2.0, width / 2.0, boxes, own).tolist()
        if end - drive.station < gap:
            gap, speed = min(gap, max(end - drive.station, 0.0)), 0.0
        pull = idm_acceleration(self.shape.kind, drive.speed, drive.desired, gap, speed)
        before, drive.speed = drive.speed, max(drive.speed + seconds * pull, 0.0)
        drive.station = min(drive.station + 0.5 * seconds * (before + drive.speed), end)

    def _places(self, stations: Floats) -> Floats:
        """The places (n, 3) [m] on its way at stations (n,) [m]; beyond its ends, the ends."""
        x, y, z, along = self._way.T
        return np.column_stack([np.interp(stations, along, each) for each in (x, y, z)])


def box_of(pose: FramePose, shape: ObjectShape, speed: float) -> Floats:
    """The box (8,) of an object as vehicles see it; its height is that of its bottom."""
    length, width, height = shape.size
    box = np.zeros(BOX)
    box[B.x : B.yaw + 1] = *(pose.position - [0.0, 0.0, height / 2.0]).tolist(), pose.yaw
    box[B.half_length], box[B.half_width] = length / 2.0, width / 2.0
    box[B.speed_x], box[B.speed_y] = speed * np.cos(pose.yaw), speed * np.sin(pose.yaw)
    return box


def logged_speed(log: TimedPoses, time: int) -> float:
    """The speed [m/s] along the heading of a log at a time [µs]; 0 outside."""
    first, last = int(log.times[0]), int(log.times[-1])
    if not first <= time <= last or first == last:
        return 0.0
    begin, end = max(time - _SPAN_US // 2, first), min(time + _SPAN_US // 2, last)
    way = log.at(end).position - log.at(begin).position
    return float(way @ log.at(time).axes[:, 0]) * MICROSECONDS / (end - begin)


def advance_objects(
    objects: Mapping[str, ReactiveObject],
    others: Mapping[str, TimedPoses],
    lanes: LanePositions,
    *,
    begin: int,
    end: int,
) -> None:
    """Moves all objects from a time [µs] to another; `others` move as they are given."""
    names = list(objects)
    for time in range(begin, end, STEP_US):
        boxes = np.zeros((len(names), BOX))
        for row, name in enumerate(names):
            each = objects[name]
            if name in others:
                given = others[name]
                boxes[row] = box_of(given.at(time), each.shape, logged_speed(given, time))
            elif each.is_present(time):
                each.take_over(time, lanes)
                boxes[row] = each.box(time)
        seconds = min(STEP_US, end - time) / MICROSECONDS
        for row, name in enumerate(names):
            if name not in others:
                objects[name].advance(seconds, boxes, row)


def _way_of(log: TimedPoses, lanes: LanePositions, lift: float) -> Floats:
    """The points (n, 4) of a logged way and of the lanes behind its end, with stations [m]."""
    points = [log.positions[0]]
    for each in log.positions[1:]:
        if np.hypot(*(each - points[-1])[:2]) >= _SPACING:
            points.append(each)
    points += _lanes_behind(log, lanes, lift)
    way = np.array(points)
    return np.column_stack([way, stations_along(way)])


def _lanes_behind(log: TimedPoses, lanes: LanePositions, lift: float) -> list[Floats]:
    """Points (3,) [m] `lift` above the lanes that lead on from the end of a log; none off them."""
    if not len(lanes.roads.lanes):
        return []
    last = log.at(int(log.times[-1]))
    x, y, _ = last.position.tolist()
    lane, station, left = lanes.roads.nearest_lane((x, y), last.yaw)
    if abs(left) > _NEAR_LANE:
        return []
    found, at = [], LanePose(lane, station, left)
    for _ in range(int(_EXTENSION / _EXTENSION_STEP)):
        after = lanes.moved(at, _EXTENSION_STEP)
        if after.station > lanes.roads.lanes[after.lane].length:
            break
        # It comes back to the middle of its lane.
        at = after._replace(left=0.95 * after.left)
        pose = lanes.pose(at)
        found.append(np.array([pose.x, pose.y, pose.z + lift]))
    return found


def _station_of(way: Floats, point: Floats) -> float:
    """The station [m] on a way (n, 4) that is nearest to a point (3,)."""
    starts, steps = way[:-1], np.diff(way, axis=0)
    squares = np.maximum((steps[:, :2] ** 2).sum(axis=1), 1e-12)
    shares = ((point[:2] - starts[:, :2]) * steps[:, :2]).sum(axis=1) / squares
    shares = np.clip(shares, 0.0, 1.0)
    places = starts[:, :2] + shares[:, None] * steps[:, :2]
    nearest = int(((places - point[:2]) ** 2).sum(axis=1).argmin())
    return float(starts[nearest, 3] + shares[nearest] * steps[nearest, 3])
