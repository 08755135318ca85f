"""The actors of a scenario: they keep their speed and their lane until an action changes them.

Those that look brake for others in their way, and resume their speed when the way is free.
"""

from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.scenarios import (
    PERSON,
    Action,
    Actor,
    ChangeLane,
    DriveTo,
    FollowPath,
    Move,
    Remove,
    SetSpeed,
)
from autosim.model.snapshot import Memory
from autosim.traffic.scenarios.obstacle_braking import (
    RESUMES,
    find_obstacle_gap,
    idm_acceleration,
    look_ahead_distance,
    max_acceleration,
)
from autosim.traffic.scenarios.recorded.recorded_tracks import RecordedTracks, TrackStates
from autosim.traffic.scenarios.scenario_positions import (
    ActorPose,
    LanePose,
    LanePositions,
    stations_along,
)
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES

_AWAY, _STANDS, _DRIVES, _FOLLOWS, _REPLAYS = range(5)
"""Codes of what an actor does: it is not there; it stands; it follows lanes; it follows a path; it
moves as recorded."""


_SLOWEST = 1.0
"""Speed [m/s] at least by which the way of a lane change becomes a time."""

_QUICKEST = 0.1
"""Time [s] of the quickest lane change: a few steps, so that it has a velocity."""

_STANDS_AT = 0.1
"""Speed [m/s] below which who brakes for others stands."""

_AHEAD = 2.0
"""Distance [m] between the points of the way on which an actor looks: bends are longer."""

_PERSON = 0.25
"""Half the width [m] of a person."""

_NO_LANE = -1.0
"""Stands for no lane (number, without unit): all others count from 0."""


class ActorColumns(NamedTuple):
    """Columns of an actor's row.

    `told` [m/s] is the speed that it has by its orders now, on its way to `wanted`; `speed` is less
    while it is `held` up by others, who allow the acceleration `limit` [m/s²]. `turning` [rad/s].
    `points` of its path, and how far it has `passed` [m, or s where `timed`].

    Attributes:
        mode: absent, standing, on a lane, or along a path.
        x: in W [m].
        y: in W [m].
        z: in W [m].
        yaw: from east to north [rad].
        rate: acceleration of the change of speed [m/s²], infinite: at once.
        lane: number of its lane.
        station: along the lane [m].
        left: offset to the left of the lane's middle [m].
        goal: that offset at the end of a lane change [m].
        start: that offset at its beginning [m].
        change: duration of the lane change [s], 0: none.
        changed: time since its beginning [s].
        opposite: 1 against the direction of the lane.
        rolled: distance that the wheels have rolled [m].
        slowing: deceleration in the last step [m/s²], for brake lights.
    """

    mode: int
    x: int
    y: int
    z: int
    yaw: int
    speed: int
    told: int
    wanted: int
    rate: int
    limit: int
    held: int
    lane: int
    station: int
    left: int
    goal: int
    start: int
    change: int
    changed: int
    opposite: int
    points: int
    passed: int
    timed: int
    rolled: int
    turning: int
    slowing: int


WIDTH = len(ActorColumns._fields)
C = ActorColumns(*range(WIDTH))


class Actors:
    """All actors of a scenario.

    Args:
        actors: as the scenario names them.
        lanes: of the world.
        orders: all actions of the scenario.

    `rows` (a, WIDTH), `paths` (a, n, 4) and `routes` (a, m) are all that they remember: the points
    of the path of each, x, y, z [m] and the mark at which it is there, a time [s] from its start
    or metres along it; and the lane from which and those to which it drives, -1 for none.
    """

    def __init__(
        self, actors: tuple[Actor, ...], lanes: LanePositions, orders: tuple[Action, ...]
    ) -> None:
        self.actors, self._lanes, self._orders = actors, lanes, orders
        self.rows = np.zeros((len(actors), WIDTH))
        self.rows[:, C.limit] = np.inf
        self._tracks = RecordedTracks(actors, lanes.roads)
        paths = [len(each.places) for each in orders if isinstance(each, FollowPath)]
        paths += [len(way) for way in self._tracks.ways.values()]
        routes = [len(each.places) for each in orders if isinstance(each, DriveTo)]
        self.paths = np.zeros((len(actors), 1 + max(paths, default=0), 4))
        self.routes = np.full((len(actors), 1 + max(routes, default=0)), _NO_LANE)
        self._numbers = {actor.name: number for number, actor in enumerate(actors)}
        self._ways: dict[tuple[int, ...], tuple[int, ...]] = {}

    def memories(self, kind: str, names: tuple[str, ...]) -> tuple[Memory, ...]:
        """State of the actors, as rows of memories of that kind."""
        paths = self.paths.reshape(len(self.actors), 4 * self.paths.shape[1])
        return (
            Memory(f"{kind} actors", names, self.rows),
            Memory(f"{kind} paths", names, paths),
            Memory(f"{kind} routes", names, self.routes),
        )

    def number(self, name: str) -> int:
        """The place of an actor among all."""
        return self._numbers[name]

    def is_there(self, number: int) -> bool:
        """Whether an actor is in the world now."""
        return bool(self.rows[number, C.mode] != _AWAY)

    def pose(self, number: int) -> ActorPose:
        """Pose of an actor."""
        return ActorPose(*self.rows[number, C.x : C.yaw + 1].tolist())

    def put(self, number: int, pose: ActorPose, on_lane: LanePose) -> None:
        """Puts an actor somewhere: a vehicle on its lane, a person where it is."""
        row, actor = self.rows[number], self.actors[number]
        is_person = actor.kind == PERSON
        row[C.mode] = _STANDS if is_person else _DRIVES
        row[C.lane], row[C.station], row[C.left] = on_lane
        row[C.start] = row[C.goal] = on_lane.left
        row[C.opposite] = actor.is_opposite
        turned = float(portable.wrapped(pose.yaw + np.pi * actor.is_opposite))
        row[C.x : C.yaw + 1] = pose.x, pose.y, pose.z, turned
        row[C.change] = row[C.turning] = 0.0
        self.routes[number] = _NO_LANE

    def begin_speed(self, number: int, speed: float) -> None:
        """Gives an actor a speed [m/s] at once."""
        self.rows[number, [C.speed, C.told, C.wanted]] = speed

    def apply_actions(self, order: int, places: list[tuple[ActorPose, LanePose]]) -> None:
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
            row[C.mode] = _AWAY
            row[[C.speed, C.told]] = 0.0
        elif isinstance(action, SetSpeed):
            row[C.wanted] = action.speed
            change = abs(action.speed - row[C.told])
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
            self._take_path(number, action, [pose for pose, _ in places])
        elif isinstance(action, DriveTo):
            self.routes[number] = _NO_LANE
            self.routes[number, : len(places) + 1] = row[C.lane], *(at.lane for _, at in places)

    def find_obstacles(self, boxes: Floats, first: int) -> None:
        """Finds the obstacles in the way of those actors that look.

        Args:
            boxes: (n, 8) of all, see `Surroundings`.
            first: the row of the first actor.
        """
        for number, (actor, row) in enumerate(zip(self.actors, self.rows, strict=True)):
            row[C.limit] = np.inf
            is_led = row[C.mode] == _FOLLOWS and not row[C.timed]
            if (
                not actor.brakes_for_others
                or actor.kind == PERSON
                or not (is_led or row[C.mode] == _DRIVES)
            ):
                continue
            front, half_width = half_sizes(actor.kind)
            metres = front + look_ahead_distance(float(row[C.speed]))
            way = self._path_ahead(number, metres) if is_led else self._lanes_ahead(number, metres)
            if row[C.change] > 0.0:
                half_width += abs(float(row[C.goal] - row[C.left])) / 2.0
            gap, ahead = find_obstacle_gap(way, front, half_width, boxes, first + number).tolist()
            speed = float(row[C.speed])
            if actor.is_reactive:
                row[C.limit] = idm_acceleration(actor.kind, speed, float(row[C.wanted]), gap, ahead)
            else:
                row[C.limit] = max_acceleration(speed, gap, ahead, has_braked=bool(row[C.held]))

    def _path_ahead(self, number: int, metres: float) -> Floats:
        """Points (n, 3) [m] of a path from here on."""
        passed = float(self.rows[number, C.passed])
        path = self._path(number)
        marks = np.arange(passed, min(passed + metres, float(path[-1, 3])) + _AHEAD, _AHEAD)
        return np.stack([np.interp(marks, path[:, 3], values) for values in path.T[:3]], axis=1)

    def _lanes_ahead(self, number: int, metres: float) -> Floats:
        """Points (n, 3) [m] of the lanes from here on; in a change, in the middle of both."""
        row = self.rows[number]
        sign = -1.0 if row[C.opposite] else 1.0
        left = float(row[C.left])
        if row[C.change] > 0.0:
            left = (left + float(row[C.goal])) / 2.0
        at: LanePose | None = LanePose(int(row[C.lane]), float(row[C.station]), 0.0)
        points = []
        for _ in range(int(metres / _AHEAD) + 2):
            if at is None:
                break
            points.append(self._lanes.roads.lanes[at.lane].position(at.station, left))
            at = self._stepped(number, at, sign * _AHEAD)
        return np.array(points)

    def replay(self, moment: float) -> None:
        """Places the recorded actors where they are at a time [s]."""
        states = self._tracks.at(moment)
        for k, number in enumerate(self._tracks.numbers.tolist()):
            row = self.rows[number]
            if self.actors[number].is_reactive:
                if states.present[k] and row[C.mode] == _AWAY and not row[C.points]:
                    self._release(number, states, k)
                continue
            row[C.mode] = _REPLAYS if states.present[k] else _AWAY
            row[C.x : C.yaw + 1] = states.poses[k]
            row[[C.speed, C.told, C.wanted]] = states.speeds[k]
            row[C.turning] = states.turning[k]

    def _release(self, number: int, states: TrackStates, k: int) -> None:
        """Makes a recorded actor drive along its recorded way by itself."""
        row, way = self.rows[number], self._tracks.ways[number]
        self.paths[number, : len(way), :3] = way
        self.paths[number, : len(way), 3] = stations_along(way)
        row[C.mode], row[C.points], row[C.passed], row[C.timed] = _FOLLOWS, len(way), 0.0, 0.0
        row[C.x : C.yaw + 1] = states.poses[k]
        row[[C.speed, C.told]] = states.speeds[k]
        row[C.wanted] = row[C.told] = self._tracks.top_speeds[number]
        row[C.rate] = np.inf

    def advance(self, seconds: float) -> None:
        """Moves all actors on, except those that are replayed."""
        for number, row in enumerate(self.rows):
            if row[C.mode] in (_AWAY, _REPLAYS):
                row[C.rolled] += row[C.speed] * seconds
                continue
            before, yaw = float(row[C.speed]), float(row[C.yaw])
            _take_speed(row, seconds)
            if row[C.mode] == _DRIVES:
                self._drive(number, seconds)
            elif row[C.mode] == _FOLLOWS:
                self._follow(number, seconds)
            row[C.rolled] += row[C.speed] * seconds
            row[C.slowing] = (before - row[C.speed]) / seconds
            row[C.turning] = portable.wrapped(row[C.yaw] - yaw) / seconds

    def _take_path(self, number: int, action: FollowPath, poses: list[ActorPose]) -> None:
        """Begins a path that leads from here to places."""
        row, path = self.rows[number], self.paths[number]
        points = np.array([self.pose(number), *poses])
        path[: len(points), :3] = points[:, :3]
        path[: len(points), 3] = [0.0, *action.times] if action.times else stations_along(points)
        row[C.mode], row[C.points], row[C.passed] = _FOLLOWS, len(points), 0.0
        row[C.timed] = bool(action.times)

    def _path(self, number: int) -> Floats:
        """The points (n, 4) of the path of an actor."""
        return self.paths[number, : int(self.rows[number, C.points])]

    def _route(self, number: int) -> tuple[int, ...]:
        """The lanes on the way to where an actor drives; () where it drives nowhere."""
        stops = tuple(int(lane) for lane in self.routes[number] if lane != _NO_LANE)
        if stops and stops not in self._ways:
            found = [stops[0]]
            for goal in stops[1:]:
                found += self._lanes.way(found[-1], goal)[1:]
            self._ways[stops] = tuple(found)
        return self._ways.get(stops, ())

    def _drive(self, number: int, seconds: float) -> None:
        row = self.rows[number]
        metres = float(row[C.speed]) * seconds
        left, slope = float(row[C.left]), 0.0
        if row[C.change] > 0.0:
            left, slope = self._changed(number, metres, seconds)
        sign = -1.0 if row[C.opposite] else 1.0
        here = LanePose(int(row[C.lane]), float(row[C.station]), 0.0)
        at = self._stepped(number, here, sign * metres)
        if at is None:
            row[[C.speed, C.told, C.wanted]] = 0.0
            at = here
        row[C.lane], row[C.station], row[C.left] = at.lane, at.station, left
        pose = self._lanes.pose(LanePose(at.lane, at.station, left))
        turned = np.pi if row[C.opposite] else 0.0
        yaw = portable.wrapped(pose.yaw + turned + (-slope if row[C.opposite] else slope))
        row[C.x : C.yaw + 1] = pose.x, pose.y, pose.z, float(yaw)

    def _changed(self, number: int, metres: float, seconds: float) -> tuple[float, float]:
        """Offset [m] to the left in a lane change, and the angle [rad] to the lane."""
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

    def _stepped(self, number: int, at: LanePose, metres: float) -> LanePose | None:
        """The place so far along the way of an actor; None beyond the end of the lanes."""
        at = at._replace(station=at.station + metres)
        length = self._lanes.roads.lanes[at.lane].length
        if 0.0 <= at.station <= length:
            return at
        if at.station > length:
            after = self._after(number, at.lane)
            return None if after is None else LanePose(after, at.station - length, 0.0)
        before = self._lanes.before(at.lane)
        if before is None:
            return None
        return LanePose(before, at.station + self._lanes.roads.lanes[before].length, 0.0)

    def _after(self, number: int, lane: int) -> int | None:
        route = self._route(number)
        if lane in route[:-1]:
            return route[route.index(lane) + 1]
        return self._lanes.after(lane)

    def _follow(self, number: int, seconds: float) -> None:
        row, path = self.rows[number], self._path(number)
        end, before = float(path[-1, 3]), row[C.x : C.y + 1].copy()
        row[C.passed] += seconds if row[C.timed] else row[C.speed] * seconds
        for column, values in zip((C.x, C.y, C.z), path.T[:3], strict=True):
            row[column] = np.interp(min(float(row[C.passed]), end), path[:, 3], values)
        way = row[C.x : C.y + 1] - before
        metres = float(portable.hypot(way[0], way[1]))
        if metres > 1e-6:
            row[C.yaw] = portable.arctan2(way[1], way[0])
        if row[C.timed]:
            row[[C.speed, C.told, C.wanted]] = metres / seconds
        if row[C.passed] >= end:
            row[C.mode] = _AWAY if self.actors[number].is_reactive else _STANDS
            row[[C.speed, C.told, C.wanted]] = 0.0


def _take_speed(row: Floats, seconds: float) -> None:
    """Gives an actor its commanded speed, or less if others hold it up."""
    change = row[C.rate] * seconds
    told = row[C.told] + np.clip(row[C.wanted] - row[C.told], -change, change)
    row[C.told] = told = row[C.wanted] if np.isinf(row[C.rate]) else told
    if np.isinf(row[C.limit]) and not row[C.held]:
        row[C.speed] = told
        return
    speed = row[C.speed] + min(row[C.limit], RESUMES) * seconds
    if row[C.limit] < 0.0 and speed < _STANDS_AT:
        speed = 0.0
    row[C.speed] = min(told, speed)
    row[C.held] = speed < told


def half_sizes(kind: str) -> tuple[float, float]:
    """Half the length and half the width [m] of an actor."""
    if kind == PERSON:
        return _PERSON, _PERSON
    vehicle = FLEET[KIND_NAMES.index(kind)]
    return vehicle.length / 2.0, vehicle.width / 2.0
