"""Tasks: where episodes begin, and which way their cars are to go."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.environments.rewards import LANE_REWARDS, ActionRate, GoalDistance, Reward
from autosim.environments.terminations import LANE_ENDINGS, Collided, Parked, Stalled, Termination
from autosim.tracks.lane_paths import (
    SPACING,
    NoPathError,
    PathArrays,
    make_paths,
    path_between,
    paths_along,
)
from autosim.world.lanes.roads import RoadNetwork

_ROW_DISTANCE = 12.0
"""Distance [m] between the starts of several cars that begin at one place."""

Goal = tuple[float, float, float]
"""x, y [m] and yaw [rad] in W."""


class Start(NamedTuple):
    """Start of an episode.

    `place` (3,) [m] in W of the ground, `yaw` [rad]; the number of its `path` and the `station` [m]
    there; `goal` x, y [m] and yaw [rad] in W.
    """

    place: Floats
    yaw: float
    path: int
    station: float
    goal: Goal


class Task(Protocol):
    """Task of a car in an environment."""

    @property
    def rewards(self) -> Sequence[Reward]:
        """Of each step."""

    @property
    def endings(self) -> Sequence[Termination]:
        """Of an episode."""

    def paths_in(self, roads: RoadNetwork) -> PathArrays:
        """The ways to go."""

    def start(self, paths: PathArrays, rng: np.random.Generator, agent: int = 0) -> Start:
        """Draws the start of the next episode.

        Args:
            paths: as `paths_in` gave them.
            rng: draws it.
            agent: number of the car, where several have the same task.

        Raises:
            ValueError: the task has no room for that many cars.
        """


@runtime_checkable
class GoalTask(Protocol):
    """Task whose goal an episode may choose."""

    def towards(
        self, roads: RoadNetwork, start: Start, goal: Sequence[float], *, is_drawn: bool
    ) -> tuple[PathArrays, Start]:
        """The paths of an episode with its own goal, and its start on them.

        Args:
            roads: the lanes.
            start: of the episode.
            goal: x, y [m] in W; a yaw [rad] may follow.
            is_drawn: whether `start` was drawn by the task, not chosen.

        Raises:
            NoPathError: no lanes lead there.
        """


class _AlongLanes:
    """To reach a goal along the lanes of the map."""

    def towards(
        self, roads: RoadNetwork, start: Start, goal: Sequence[float], *, is_drawn: bool
    ) -> tuple[PathArrays, Start]:
        """The shortest way along lanes; see `GoalTask`."""
        x, y, _ = start.place.tolist()
        paths, station = path_between(roads, (x, y, start.yaw), goal)
        end = _end_of(paths, 0)
        return paths, start._replace(path=0, station=station, goal=end)


@dataclass(frozen=True)
class FollowLane(_AlongLanes):
    """To follow lanes, through junctions too, as one of `routes` routes of `length` [m] leads.

    Episodes begin anywhere on the first half of a route, or on its `share`, up to `offset` half
    widths beside the middle of the lane and turned by up to `turn` [rad]. `seed` chooses the
    routes, whatever the seeds of episodes; they start on streets of the `kind`, a value of the OSM
    key highway, "" for any.
    """

    routes: int = 64
    length: float = 600.0
    offset: float = 0.3
    turn: float = 0.1
    seed: int = 0
    rewards: Sequence[Reward] = LANE_REWARDS
    """Rewards of a step, added up."""
    endings: Sequence[Termination] = LANE_ENDINGS
    """Terminations; the first that applies ends the episode."""
    kind: str = ""
    share: float = 0.5

    def __post_init__(self) -> None:
        if self.routes < 1 or not self.length > 0.0:
            given = f"routes={self.routes}, length={self.length:g}"
            raise ValueError(f"there is one route or more, of some length: not {given}")

    def paths_in(self, roads: RoadNetwork) -> PathArrays:
        """Routes through the map.

        Raises:
            PathError: it has none.
        """
        lanes: list[int] = []
        if self.kind:
            lanes = np.flatnonzero(roads.is_of_kind(self.kind) & ~roads.connectors).tolist()
            if not lanes:
                raise NoPathError(f"the map has no street of kind '{self.kind}'")
        return make_paths(roads, count=self.routes, length=self.length, seed=self.seed, lanes=lanes)

    def start(self, paths: PathArrays, rng: np.random.Generator, agent: int = 0) -> Start:
        """Draws a place on the first half of a route."""
        path = int(rng.integers(len(paths.starts) - 1))
        first, last = paths.starts[path], paths.starts[path + 1]
        row = int(first + rng.integers(max(1, int((last - first) * self.share))))
        side = float(rng.uniform(-self.offset, self.offset)) * paths.half_widths[row]
        turn = float(rng.uniform(-self.turn, self.turn))
        return start_on(paths, path, row, offset=side, turn=turn)


@dataclass(frozen=True)
class FollowFrom(_AlongLanes):
    """To follow lanes from a `place` x, y [m] with a heading `yaw` [rad] in W, for `length` [m].

    All episodes begin there; of several cars each begins 12 m ahead of the one before it. `seed`
    chooses among equal ways on.
    """

    place: tuple[float, float]
    yaw: float
    length: float = 600.0
    seed: int = 0
    rewards: Sequence[Reward] = LANE_REWARDS
    """Rewards of a step, added up."""
    endings: Sequence[Termination] = LANE_ENDINGS
    """Terminations; the first that applies ends the episode."""

    def paths_in(self, roads: RoadNetwork) -> PathArrays:
        """The route from the lane there.

        Raises:
            PathError: no lane of the map is there or leads on.
        """
        lane, station, _ = roads.nearest_lane(self.place, self.yaw)
        if lane < 0:
            raise NoPathError(f"no lane of the map leads past {self.place}")
        length = self.length + station
        return make_paths(roads, count=1, length=length, seed=self.seed, lanes=[lane])

    def start(self, paths: PathArrays, rng: np.random.Generator, agent: int = 0) -> Start:
        """The place itself, at the height of the path there.

        Raises:
            ValueError: the path is too short for that many cars.
        """
        away = paths.points[:, :2] - np.array(self.place)
        row = int(np.argmin((away**2).sum(axis=1)))
        ahead = row + agent * round(_ROW_DISTANCE / SPACING)
        if ahead >= len(paths.points):
            raise ValueError(f"the path has no room for agent {agent + 1}: make fewer agents")
        found = start_on(paths, 0, ahead)
        if agent:
            return found
        place = np.array([*self.place, paths.points[row, 2]])
        return found._replace(place=place, yaw=self.yaw)


@dataclass(frozen=True)
class FollowTrack:
    """To drive around the closed track along `points` (n, 2) [m] in W, `laps` times.

    `half_width` [m] of the track; there is no speed limit but `fastest` [m/s].
    """

    points: Floats
    half_width: float
    laps: int = 2
    fastest: float = 30.0
    rewards: Sequence[Reward] = LANE_REWARDS
    """Rewards of a step, added up."""
    endings: Sequence[Termination] = LANE_ENDINGS
    """Terminations; the first that applies ends the episode."""

    def paths_in(self, roads: RoadNetwork) -> PathArrays:
        """The one path, round after round."""
        closed = np.vstack([np.tile(self.points, (self.laps, 1)), self.points[:1]])
        line = np.column_stack([closed, np.zeros(len(closed))])
        return paths_along([line], limit=self.fastest, half_width=self.half_width)

    def start(self, paths: PathArrays, rng: np.random.Generator, agent: int = 0) -> Start:
        """Draws a place on the first lap."""
        return start_on(paths, 0, int(rng.integers((len(paths.points) - 1) // self.laps)))


@dataclass(frozen=True)
class Park:
    """To stand at `goal`: x, y [m] and yaw [rad] in W.

    Of several cars each has its own goal: the first `goal`, the next ones the `others`. Episodes
    begin within `distance` [m] of the goal, turned by up to `turn` [rad] against it.
    """

    goal: Goal
    distance: float = 15.0
    turn: float = 0.8
    rewards: Sequence[Reward] = (GoalDistance(), ActionRate(0.05))
    """Rewards of a step, added up."""
    endings: Sequence[Termination] = field(
        default_factory=lambda: (Parked(), Collided(), Stalled(20.0))
    )
    """Terminations; the first that applies ends the episode."""
    others: Sequence[Goal] = ()

    def paths_in(self, roads: RoadNetwork) -> PathArrays:
        """A straight line through each goal."""
        stations = np.arange(-30.0, 31.0, SPACING)
        lines = []
        for x, y, yaw in (self.goal, *self.others):
            line = np.zeros((len(stations), 3))
            line[:, 0] = x + stations * float(portable.cos(yaw))
            line[:, 1] = y + stations * float(portable.sin(yaw))
            lines.append(line)
        return paths_along(lines, limit=3.0, half_width=10.0)

    def towards(
        self, roads: RoadNetwork, start: Start, goal: Sequence[float], *, is_drawn: bool
    ) -> tuple[PathArrays, Start]:
        """A straight line through the goal, whose yaw is the usual one where none is given.

        A start that was drawn is moved along with the goal.
        """
        x, y, before = start.goal
        yaw = goal[2] if len(goal) > 2 else before
        chosen = replace(self, goal=(goal[0], goal[1], yaw), others=())
        moved = start._replace(path=0, station=0.0, goal=chosen.goal)
        if is_drawn:
            sin, cos = float(portable.sin(yaw - before)), float(portable.cos(yaw - before))
            dx, dy = start.place[0] - x, start.place[1] - y
            plan = [goal[0] + cos * dx - sin * dy, goal[1] + sin * dx + cos * dy]
            place = np.append(plan, start.place[2])
            moved = moved._replace(place=place, yaw=start.yaw + yaw - before)
        return chosen.paths_in(roads), moved

    def start(self, paths: PathArrays, rng: np.random.Generator, agent: int = 0) -> Start:
        """Draws a place behind the goal, a little to one side.

        Raises:
            ValueError: there are fewer goals than cars.
        """
        goals = (self.goal, *self.others)
        if agent >= len(goals):
            raise ValueError(
                f"there are {len(goals)} places to park at, too few for agent {agent + 1}: "
                "make fewer agents, or give the task more goals (others=…)"
            )
        x, y, yaw = goals[agent]
        ahead = np.array([float(portable.cos(yaw)), float(portable.sin(yaw))])
        behind = float(rng.uniform(0.4, 1.0)) * self.distance
        beside = float(rng.uniform(-0.25, 0.25)) * self.distance
        left = np.array([-ahead[1], ahead[0]])
        plan = np.array([x, y]) - behind * ahead + beside * left
        heading = yaw + float(rng.uniform(-self.turn, self.turn))
        return Start(np.append(plan, np.nan), heading, agent, 0.0, goals[agent])


def start_on(
    paths: PathArrays, path: int, row: int, *, offset: float = 0.0, turn: float = 0.0
) -> Start:
    """The start at a point of a path, with the end of the path as goal.

    Args:
        paths: all paths.
        path: number of the path.
        row: the point, counted over all paths.
        offset: [m] to the left of the path.
        turn: [rad] to the left of the path's heading.
    """
    heading = float(paths.headings[row])
    place = paths.points[row].copy()
    place[0] -= offset * float(portable.sin(heading))
    place[1] += offset * float(portable.cos(heading))
    station = float(row - paths.starts[path]) * SPACING
    return Start(place, heading + turn, path, station, _end_of(paths, path))


def _end_of(paths: PathArrays, path: int) -> Goal:
    """The last point of a path, and its heading."""
    row = int(paths.starts[path + 1]) - 1
    return float(paths.points[row, 0]), float(paths.points[row, 1]), float(paths.headings[row])
