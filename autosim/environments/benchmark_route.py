"""The route of an episode of the benchmark, for agents that are processes of their own.

`autosim benchmark run SUITE --agent "process:python my_agent.py"` starts the process beside a
paused server of the episode's world. In it

    environment = gymnasium.make("autosim/Benchmark-v0")

drives that episode: once, from the first `reset` to the end of the process.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.config.descriptions import PlacedRobot
from autosim.environments.driving import STEP_SECONDS, DrivingEnv
from autosim.environments.episodes.episode_conditions import AS_IN_WORLD, EpisodeConditions
from autosim.environments.episodes.served import ServedRun, served_world
from autosim.environments.observations import LaneView, Observation
from autosim.environments.rewards import LANE_REWARDS, Reward
from autosim.environments.tasks import Start, start_on
from autosim.environments.terminations import Arrived, Termination
from autosim.errors import UserError
from autosim.model.state import State
from autosim.tracks.lane_paths import SPACING, PathArrays, path_through
from autosim.world.lanes.roads import RoadNetwork

_START_STATION = 8.0
"""Station [m] of the car on its first lane, where `autosim.benchmark.routes` places it."""

_OVERRUN = 20.0
"""Length [m] of the path behind the goal: `Arrived` counts from some metres before its end."""


@dataclass(frozen=True)
class FollowRoute:
    """To follow given lanes to a goal.

    `lanes` in order; the goal is `length` [m] from the start, which is `station` [m] along the
    first one.
    """

    lanes: tuple[int, ...]
    length: float
    station: float = _START_STATION
    rewards: Sequence[Reward] = LANE_REWARDS
    """Rewards of a step, added up."""
    endings: Sequence[Termination] = (Arrived(),)
    """Terminations; the first that applies ends the episode."""

    @classmethod
    def from_text(cls, text: str) -> "FollowRoute":
        """The task of a route as the benchmark states it: `route=`, lanes, `;`, the length.

        The station of the start follows where it is not the usual one.

        Raises:
            UserError: the text is not a route.
        """
        lanes, *numbers = text.removeprefix("route=").split(";")
        try:
            length, station = (*map(float, numbers), _START_STATION)[:2]
            return cls(tuple(int(each) for each in lanes.split(",")), length, station)
        except ValueError as error:
            raise UserError(
                f"'{text}' is not a route: expected route=LANE,LANE,…;LENGTH, or the station of "
                "the start after it"
            ) from error

    def paths_in(self, roads: RoadNetwork) -> PathArrays:
        """The one path along the lanes, to a little behind the goal."""
        return path_through(roads, self.lanes, length=self.station + self.length + _OVERRUN)

    def start(self, paths: PathArrays, rng: np.random.Generator, agent: int = 0) -> Start:
        """The start of the route."""
        return start_on(paths, 0, round(self.station / SPACING))


class PresentRun(ServedRun):
    """The simulation that a server is in: its one episode begins without a new simulation."""

    def begin(
        self,
        cars: Sequence[PlacedRobot],
        seed: int,
        conditions: EpisodeConditions = AS_IN_WORLD,
    ) -> State:
        """As `EpisodeRun.begin`; the car is where the benchmark has put it.

        Raises:
            UserError: the episode has begun before.
            ValueError: the conditions are not those of the benchmark.
        """
        if conditions != AS_IN_WORLD:
            raise ValueError("mass, weather and other conditions are those of the benchmark")
        state = self.present()
        if state.step:
            raise UserError(
                "an episode of the benchmark is driven once: end the process after the first"
            )
        return state


class BenchmarkEnv(DrivingEnv):
    """The episode of the benchmark that this process was started for; see `DrivingEnv`.

    Args:
        observations: concatenated into one array; pictures are separate.

    Raises:
        UserError: this process was not started by `autosim benchmark`.
    """

    def __init__(self, observations: Sequence[Observation] = (LaneView(),)) -> None:
        try:
            address, route = os.environ["AUTOSIM_ADDRESS"], os.environ["AUTOSIM_ROUTE"]
        except KeyError as error:
            raise UserError(
                "autosim/Benchmark-v0 is for agents of the benchmark: start this program by "
                'autosim benchmark run SUITE --agent "process:…"'
            ) from error
        world = served_world(address)
        steps = round(STEP_SECONDS / world.physics.step_seconds)
        super().__init__(
            world,
            address=address,
            task=FollowRoute.from_text(route),
            observations=observations,
            physics_steps=steps,
        )
        self.run.close()
        self.run = PresentRun(
            address,
            self.run.world,
            self.run.compiled,
            step_seconds=world.physics.step_seconds,
            physics_steps=steps,
        )
