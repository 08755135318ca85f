"""The actors of a scenario: they keep their speed and their lane until they are told otherwise."""

from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.scenarios import (
    Action,
    Actor,
    ChangeLane,
    DriveTo,
    FollowPath,
    Move,
    Remove,
    SetSpeed,
)
from autosim.traffic.scenarios.places import LanePose, Lanes, Pose, along

_AWAY, _STANDS, _DRIVES, _FOLLOWS = range(4)
"""Codes of what an actor does: it is not there; it stands; it follows lanes; it follows a path."""


_SLOWEST = 1.0
"""Speed [m/s] at least by which the way of a lane change becomes a time."""

_QUICKEST = 0.1
"""Time [s] of the quickest lane change: a few steps, so that it has a velocity."""


class Columns(NamedTuple):
    """Columns of an actor's row, which is all that it remembers."""

    mode: int
    x: int
    y: int
    z: int
    yaw: int
    speed: int
    wanted: int
    rate: int
    lane: int
    station: int
    left: int
    goal: int
    start: int
    change: int
    changed: int
    opposite: int
    order: int
    passed: int
    rolled: int
    steering: int
    slowing: int


WIDTH = len(Columns._fields)
C = Columns(*range(WIDTH))


class Path(NamedTuple):
    """A way that an actor follows.

    `points` (n, 4) x, y, z [m] and yaw [rad]; `marks` (n,) at which it is there: times [s] from its
    start, or metres along it.
    """

    points: Floats
    marks: Floats
    is_timed: bool


class Actors:
    """All actors of a scenario.

    Args:
        actors: as the scenario names them.
        lanes: of the world.
        orders: all actions of the scenario; rows remember them by their numbers.

    `rows` (a, WIDTH) is what they remember; after `restore_from_rows` they go on from it.
    """

    def __init__(self, actors: tuple[Actor, ...], lanes: Lanes, orders: tuple[Action, ...]) -> None:
        self.actors, self._lanes, self._orders = actors, lanes, orders
        self.rows = np.zeros((len(actors), WIDTH))
        self.rows[:, C.order] = -1.0
        self._numbers = {actor.name: number for number, actor in enumerate(actors)}
        self._paths: dict[int, Path] = {}
        self._routes: dict[int, tuple[int, ...]] = {}

    def number(self, name: str) -> int:
        """The place of an actor among all."""
        return self._numbers[name]

    def is_there(self, number: int) -> bool:
        """Whether an actor is in the world now."""
        return bool(self.rows[number, C.mode] != _AWAY)

    def pose(self, number: int) -> Pose:
        """Where an actor is."""
        return Pose(*self.rows[number, C.x : C.yaw + 1].tolist())

    def put(self, number: int, pose: Pose, on_lane: LanePose) -> None:
        """Puts an actor somewhere: a vehicle on its lane, a person where it is."""
        row, actor = self.rows[number], self.actors[number]
        is_person = actor.kind == "person"
        row[C.mode] = _STANDS if is_person else _DRIVES
        row[C.lane], row[C.station], row[C.left] = on_lane
        row[C.start] = row[C.goal] = on_lane.left
        row[C.opposite] = actor.is_opposite
        turned = float(portable.wrapped(pose.yaw + np.pi * actor.is_opposite))
        row[C.x : C.yaw + 1] = pose.x, pose.y, pose.z, turned
        row[C.order], row[C.change] = -1.0, 0.0

    def begin_speed(self, number: int, speed: float) -> None:
        """Gives an actor a speed [m/s] at once."""
        self.rows[number, C.speed] = self.rows[number, C.wanted] = speed

    def obey(self, order: int, places: list[tuple[Pose, LanePose]]) -> None:
        """Begins an action.

        Args:
            order: its number.
            places: where the places are that it names.
        """
        action = self._orders[order]
        number = self._numbers[action.actor]
        row = self.rows[number]
        if isinstance(action, Move):
            self.put(number, *places[0])
        elif isinstance(action, Remove):
            row[C.mode], row[C.speed] = _AWAY, 0.0
        elif isinstance(action, SetSpeed):
            row[C.wanted] = action.speed
            change = abs(action.speed - row[C.speed])
            rate = change / action.seconds if action.seconds > 0.0 else np.inf
            row[C.rate] = action.rate or rate
        elif isinstance(action, ChangeLane):
            width = self._lanes.roads.lanes[int(row[C.lane])].width
            sign = -1.0 if row[C.opposite] else 1.0
            row[C.start], row[C.goal] = row[C.left], sign * action.lanes * width
            seconds = action.seconds
            if action.metres > 0.0:
                seconds = action.metres / max(float(row[C.speed]), _SLOWEST)
            row[C.change], row[C.changed] = max(seconds, _QUICKEST), 0.0
        elif isinstance(action, FollowPath):
            self._paths[number] = self._path(number, action, [pose for pose, _ in places])
            row[C.mode], row[C.order], row[C.passed] = _FOLLOWS, order, 0.0
        elif isinstance(action, DriveTo):
            self._routes[number] = self._route(int(row[C.lane]), [at.lane for _, at in places])

    def advance(self, seconds: float) -> None:
        """Moves all actors on."""
        for number, row in enumerate(self.rows):
            if row[C.mode] == _AWAY:
                continue
            before = float(row[C.speed])
            change = np.clip(row[C.wanted] - before, -row[C.rate] * seconds, row[C.rate] * seconds)
            row[C.speed] = row[C.wanted] if np.isinf(row[C.rate]) else before + change
            if row[C.mode] == _DRIVES:
                self._drive(number, seconds)
            elif row[C.mode] == _FOLLOWS:
                self._follow(number, seconds)
            row[C.rolled] += row[C.speed] * seconds
            row[C.slowing] = (before - row[C.speed]) / seconds

    def _path(self, number: int, action: FollowPath, poses: list[Pose]) -> Path:
        points = np.array([self.pose(number), *poses])
        marks = along(points)
        if action.times:
            return Path(points, np.array([0.0, *action.times]), is_timed=True)
        return Path(points, marks, is_timed=False)

    def _route(self, lane: int, goals: list[int]) -> tuple[int, ...]:
        found = [lane]
        for goal in goals:
            found += self._lanes.way(found[-1], goal)[1:]
        return tuple(found)

    def _drive(self, number: int, seconds: float) -> None:
        row = self.rows[number]
        metres = float(row[C.speed]) * seconds
        left, slope = float(row[C.left]), 0.0
        if row[C.change] > 0.0:
            left, slope = self._changed(number, metres, seconds)
        at = self._stepped(number, metres * (-1.0 if row[C.opposite] else 1.0))
        row[C.lane], row[C.station], row[C.left] = at.lane, at.station, left
        pose = self._lanes.pose(LanePose(at.lane, at.station, left))
        turned = np.pi if row[C.opposite] else 0.0
        yaw = portable.wrapped(pose.yaw + turned + (-slope if row[C.opposite] else slope))
        row[C.x : C.yaw + 1] = pose.x, pose.y, pose.z, float(yaw)

    def _changed(self, number: int, metres: float, seconds: float) -> tuple[float, float]:
        """How far to the left [m] a vehicle is in its change, and its angle [rad] to the lane."""
        row = self.rows[number]
        row[C.changed] += seconds
        share = min(float(row[C.changed] / row[C.change]), 1.0)
        way = row[C.goal] - row[C.start]
        left = float(row[C.start] + way * (3.0 - 2.0 * share) * share * share)
        aside = left - float(row[C.left])
        if share == 1.0:
            row[C.change] = 0.0
            self._take_lane(number, left)
            left = float(row[C.left])
        return left, float(portable.arctan2(aside, max(metres, 1e-3)))

    def _take_lane(self, number: int, left: float) -> None:
        """Makes the lane on which a vehicle has arrived its own."""
        row = self.rows[number]
        pose = self._lanes.pose(LanePose(int(row[C.lane]), float(row[C.station]), left))
        at = self._lanes.nearest(pose.x, pose.y, pose.yaw)
        row[C.lane], row[C.station], row[C.left] = at

    def _stepped(self, number: int, metres: float) -> LanePose:
        row = self.rows[number]
        at = LanePose(int(row[C.lane]), float(row[C.station]) + metres, 0.0)
        length = self._lanes.roads.lanes[at.lane].length
        if 0.0 <= at.station <= length:
            return at
        if at.station > length:
            after = self._after(number, at.lane)
            if after is not None:
                return LanePose(after, at.station - length, 0.0)
        else:
            before = self._lanes.before(at.lane)
            if before is not None:
                return LanePose(before, at.station + self._lanes.roads.lanes[before].length, 0.0)
        row[C.speed] = row[C.wanted] = 0.0
        return at._replace(station=float(row[C.station]))

    def _after(self, number: int, lane: int) -> int | None:
        route = self._routes.get(number, ())
        if lane in route[:-1]:
            return route[route.index(lane) + 1]
        return self._lanes.after(lane)

    def _follow(self, number: int, seconds: float) -> None:
        row, path = self.rows[number], self._paths[number]
        before = row[C.x : C.y + 1].copy()
        row[C.passed] += seconds if path.is_timed else row[C.speed] * seconds
        passed = min(float(row[C.passed]), float(path.marks[-1]))
        for column, values in zip((C.x, C.y, C.z), path.points.T[:3], strict=True):
            row[column] = np.interp(passed, path.marks, values)
        way = row[C.x : C.y + 1] - before
        metres = float(portable.hypot(way[0], way[1]))
        if metres > 1e-6:
            row[C.yaw] = portable.arctan2(way[1], way[0])
        if path.is_timed:
            row[C.speed] = row[C.wanted] = metres / seconds
        if row[C.passed] >= path.marks[-1]:
            row[C.mode], row[C.speed], row[C.wanted] = _STANDS, 0.0, 0.0
