"""Tasks: where episodes begin, and which way their cars are to go."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.environments.endings import LANE_ENDINGS, Collided, Ending, Parked, Stood
from autosim.environments.rewards import LANE_REWARDS, Approach, Jerking, Reward
from autosim.tracks.lane_paths import SPACING, PathArrays, make_paths, path_along
from autosim.world.lanes.roads import RoadNetwork


class Start(NamedTuple):
    """Where an episode begins.

    `place` (3,) [m] in W of the ground, `yaw` [rad]; the number of its `path` and the `station` [m]
    there; `goal` x, y [m] and yaw [rad] in W.
    """

    place: Floats
    yaw: float
    path: int
    station: float
    goal: tuple[float, float, float]


class Task(Protocol):
    """What an environment asks of its car."""

    @property
    def rewards(self) -> Sequence[Reward]:
        """Of each step."""

    @property
    def endings(self) -> Sequence[Ending]:
        """Of an episode."""

    def paths_in(self, roads: RoadNetwork) -> PathArrays:
        """The ways to go."""

    def start(self, paths: PathArrays, rng: np.random.Generator) -> Start:
        """Where the next episode begins."""


@dataclass(frozen=True)
class FollowLane:
    """To follow lanes, through junctions too, as one of `routes` routes of `length` [m] leads.

    Episodes begin anywhere on the first half of a route, up to `offset` half widths beside the
    middle of the lane and turned by up to `turn` [rad]. `seed` chooses the routes, whatever the
    seeds of episodes.
    """

    routes: int = 64
    length: float = 600.0
    offset: float = 0.3
    turn: float = 0.1
    seed: int = 0
    rewards: Sequence[Reward] = LANE_REWARDS
    endings: Sequence[Ending] = LANE_ENDINGS

    def __post_init__(self) -> None:
        if self.routes < 1 or not self.length > 0.0:
            given = f"routes={self.routes}, length={self.length:g}"
            raise ValueError(f"there is one route or more, of some length: not {given}")

    def paths_in(self, roads: RoadNetwork) -> PathArrays:
        """Routes through the map.

        Raises:
            PathError: it has none.
        """
        return make_paths(roads, count=self.routes, length=self.length, seed=self.seed)

    def start(self, paths: PathArrays, rng: np.random.Generator) -> Start:
        """A place on a route."""
        path = int(rng.integers(len(paths.starts) - 1))
        first, last = paths.starts[path], paths.starts[path + 1]
        row = int(first + rng.integers(max(1, (last - first) // 2)))
        side = float(rng.uniform(-self.offset, self.offset)) * paths.half_widths[row]
        heading = float(paths.headings[row])
        place = paths.points[row].copy()
        place[0] -= side * float(portable.sin(heading))
        place[1] += side * float(portable.cos(heading))
        yaw = heading + float(rng.uniform(-self.turn, self.turn))
        return Start(place, yaw, path, (row - first) * SPACING, _end_of(paths, path))


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
    endings: Sequence[Ending] = LANE_ENDINGS

    def paths_in(self, roads: RoadNetwork) -> PathArrays:
        """The one path, round after round."""
        closed = np.vstack([np.tile(self.points, (self.laps, 1)), self.points[:1]])
        line = np.column_stack([closed, np.zeros(len(closed))])
        return path_along(line, limit=self.fastest, half_width=self.half_width)

    def start(self, paths: PathArrays, rng: np.random.Generator) -> Start:
        """Anywhere on the first lap."""
        row = int(rng.integers((len(paths.points) - 1) // self.laps))
        heading = float(paths.headings[row])
        return Start(paths.points[row].copy(), heading, 0, row * SPACING, _end_of(paths, 0))


@dataclass(frozen=True)
class Park:
    """To stand at `goal`: x, y [m] and yaw [rad] in W.

    Episodes begin within `distance` [m] of it, turned by up to `turn` [rad] against it.
    """

    goal: tuple[float, float, float]
    distance: float = 15.0
    turn: float = 0.8
    rewards: Sequence[Reward] = (Approach(), Jerking(0.05))
    endings: Sequence[Ending] = field(default_factory=lambda: (Parked(), Collided(), Stood(20.0)))

    @cached_property
    def _ahead(self) -> Floats:
        return np.array([portable.cos(self.goal[2]), portable.sin(self.goal[2])])

    def paths_in(self, roads: RoadNetwork) -> PathArrays:
        """A straight line through the goal."""
        stations = np.arange(-30.0, 31.0, SPACING)
        line = np.zeros((len(stations), 3))
        line[:, :2] = np.array(self.goal[:2]) + stations[:, None] * self._ahead
        return path_along(line, limit=3.0, half_width=10.0)

    def start(self, paths: PathArrays, rng: np.random.Generator) -> Start:
        """Behind the goal, a little beside."""
        behind = float(rng.uniform(0.4, 1.0)) * self.distance
        beside = float(rng.uniform(-0.25, 0.25)) * self.distance
        left = np.array([-self._ahead[1], self._ahead[0]])
        plan = np.array(self.goal[:2]) - behind * self._ahead + beside * left
        yaw = self.goal[2] + float(rng.uniform(-self.turn, self.turn))
        return Start(np.append(plan, np.nan), yaw, 0, 0.0, self.goal)


def _end_of(paths: PathArrays, path: int) -> tuple[float, float, float]:
    row = int(paths.starts[path + 1]) - 1
    return float(paths.points[row, 0]), float(paths.points[row, 1]), float(paths.headings[row])
