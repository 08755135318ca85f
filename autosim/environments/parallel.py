"""Several cars in one simulation, with PettingZoo's interface for agents that act at once."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.envs.registration import load_env_creator
from gymnasium.utils import EzPickle
from gymnasium.utils.seeding import np_random

from autosim.arrays import Bytes, Floats
from autosim.config.descriptions import RobotDescription, WorldDescription
from autosim.engine.step.simulation import Simulation
from autosim.environments.agent import Agent
from autosim.environments.agent_view import AgentView, Seen
from autosim.environments.driving import (
    PHYSICS_STEPS,
    RENDER_MODES,
    SEEDS,
    STEP_SECONDS,
    check_render_mode,
    check_steps,
    resolve_world_argument,
    short_digest,
)
from autosim.environments.episodes.episode_conditions import EpisodeConditions
from autosim.environments.episodes.episode_pictures import EpisodePictures
from autosim.environments.episodes.episode_runs import LocalRun, drivable, first_car
from autosim.environments.episodes.start_options import check_options, chosen_start
from autosim.environments.observations import LaneView, Observation
from autosim.environments.tasks import FollowLane, Start, Task
from autosim.environments.traffic_watch import TrafficWatch
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_robot
from autosim.model.notebook import VIEW_HEIGHT, NotebookView, view_of
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world

try:
    from pettingzoo import ParallelEnv
except ImportError as error:
    reason = "several agents need PettingZoo: pip install 'autosim[learning]'"
    raise ImportError(reason) from error

LEAST_DISTANCE = 10.0
"""[m] between cars at the beginning of an episode: two lengths of a car."""

_TRIES = 200
"""Number of tries to draw a start far enough from all others before an error reports no room."""

Actions = Mapping[str, npt.NDArray[np.float32]]


class ParallelDrivingEnv(ParallelEnv[str, Seen, npt.NDArray[np.float32]], EzPickle):
    """Cars of one kind that have the same task in a world, each in its own episode.

    A car whose episode has ended brakes and stays in the way of the others until all restart. The
    same seed and actions give the same bytes.

    Args:
        world: a world file, or what `load_world` made of one.
        agents: how many cars; their names are that of the car and a number, from 1 on. In a
            scenario the first one keeps the name of the car.
        car: the robot's name in the world file in whose place they come; None: the first one there.
        robot: a robot file, or the result of `load_robot`, that replaces the world's.
        task: the task of each agent.
        observations: of each agent, as for `DrivingEnv`.
        most_steps: of an episode; None: any number.
        step_seconds: length of a step [s].
        physics_steps: how many steps of the physics are in one.
        compiled: the compiled map; by default it comes from the cache, or is compiled.
        render_mode: as for `DrivingEnv`; the first agent is shown whose episode continues.

    `cars`: the agents by their names.

    Raises:
        ValueError: there are no agents, or as `DrivingEnv` raises.
    """

    metadata = {  # noqa: RUF012 (as PettingZoo's)
        "name": "autosim_driving_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": round(1.0 / STEP_SECONDS),
    }

    def __init__(
        self,
        world: str | Path | WorldDescription,
        *,
        agents: int = 2,
        car: str | None = None,
        robot: str | Path | RobotDescription | None = None,
        task: Task | None = None,
        observations: Sequence[Observation] = (LaneView(),),
        most_steps: int | None = None,
        step_seconds: float = STEP_SECONDS,
        physics_steps: int = PHYSICS_STEPS,
        compiled: CompiledWorld | None = None,
        render_mode: str | None = None,
    ) -> None:
        EzPickle.__init__(
            self,
            world,
            agents=agents,
            car=car,
            robot=robot,
            task=task,
            observations=observations,
            most_steps=most_steps,
            step_seconds=step_seconds,
            physics_steps=physics_steps,
            compiled=compiled,
            render_mode=render_mode,
        )
        if agents < 1:
            raise ValueError(f"expected one agent or more, not {agents}")
        check_steps(step_seconds, physics_steps)
        check_render_mode(render_mode)
        read = resolve_world_argument(world)
        chosen = car or first_car(read)
        alone = drivable(
            read,
            [chosen],
            robot=load_robot(robot) if isinstance(robot, str | Path) else robot,
            step_seconds=step_seconds / physics_steps,
        )
        described, self.possible_agents = _multiplied(alone, chosen, agents)
        place = compiled or compile_world(read.terrain)
        self.run = LocalRun(described, place, physics_steps=physics_steps)
        self.render_mode, self._most_steps = render_mode, most_steps
        self._step_seconds = step_seconds
        self.task = task or FollowLane()
        self.paths = self.task.paths_in(place.roads)
        tree = build_tree(described)
        self._pictures = EpisodePictures(described, place, tree, observations)
        self.cars = self._make_agents(described, tree, observations, step_seconds)
        self._others = _positions_besides(described, self.cars)
        self.observation_spaces = {name: each.observation_space for name, each in self.cars.items()}
        self.action_spaces = {name: each.action_space for name, each in self.cars.items()}
        self.agents: list[str] = []
        self._rng: np.random.Generator | None = None
        self._state: State | None = None
        self._steps = 0

    def _make_agents(
        self,
        described: WorldDescription,
        tree: SimulationTree,
        observations: Sequence[Observation],
        seconds: float,
    ) -> dict[str, Agent]:
        """The agents by their names; `seconds` [s] is the length of a step."""
        layout = State(tree)
        return {
            each.name: Agent(
                each,
                task=self.task,
                paths=self.paths,
                view=AgentView(observations, layout, each.name, draw=self._pictures.draw),
                seconds=seconds,
                gravity=described.physics.gravity,
                traffic=TrafficWatch(self.run.compiled, each.robot, described, each.name),
            )
            for each in described.robots
            if each.name in self.possible_agents
        }

    def observation_space(self, agent: str) -> gymnasium.Space[Seen]:
        """Observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Seen]:
        """Action space of an agent: (steering, pedal) in [-1, 1]."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Seen], dict[str, dict[str, Any]]]:
        """Begins an episode for all, in a new simulation.

        Args:
            seed: of this episode and, where they are given none, of those that follow.
            options: `starts` says for the names of agents where they start: see
                `start_options.chosen_start`; conditions are those of all, see
                `EpisodeConditions`. Other options are ignored, as PettingZoo's tests expect.

        Raises:
            ValueError: there is no room for all of them, an option is unknown, or chooses no
                place.
        """
        if seed is not None or self._rng is None:
            self._rng, _ = np_random(seed)
        conditions = EpisodeConditions.of(options or {})
        starts = self._starts(self._rng, (options or {}).get("starts", {}))
        number = int(self._rng.integers(SEEDS))
        cars = [self.cars[name].at(starts[name]) for name in starts]
        self._state = self.run.begin(cars, number, conditions)
        self._pictures.begin(number, conditions.sky(self.run.world))
        for name, start in starts.items():
            self.cars[name].begin(self._state, start)
        self.agents, self._steps = list(self.possible_agents), 0
        self._show()
        return self._seen(), {name: self.cars[name].info("") for name in self.agents}

    def step(
        self, actions: Actions
    ) -> tuple[
        dict[str, Seen],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Advances all agents by one step.

        Raises:
            ValueError: an agent has no action, or one that is not two finite numbers.
            RuntimeError: `reset` was not called.
        """
        self._require_state()
        missing = [name for name in self.agents if name not in actions]
        if missing:
            raise ValueError(f"there is no action for {', '.join(missing)}")
        self.run.drive(
            [
                each.command(actions[name]) if name in self.agents else each.brake()
                for name, each in self.cars.items()
            ]
        )
        self._steps += 1
        judged = {name: self.cars[name].judge() for name in self.agents}
        is_cut = self._most_steps is not None and self._steps >= self._most_steps
        seen = self._seen()
        infos = {name: self.cars[name].info(ended) for name, (_, ended) in judged.items()}
        rewards = {name: reward for name, (reward, _) in judged.items()}
        terminations = {name: bool(ended) for name, (_, ended) in judged.items()}
        truncations = {name: is_cut and not ended for name, (_, ended) in judged.items()}
        self.agents = [name for name, (_, ended) in judged.items() if not (ended or is_cut)]
        self._show()
        return seen, rewards, terminations, truncations, infos

    def render(self) -> Bytes | None:
        """The first agent whose episode continues, from behind: (height, width, 3).

        Raises:
            RuntimeError: `reset` was not called.
            RendererError: nothing can be drawn here.
        """
        if self.render_mode == "rgb_array":
            return self._pictures.follow(self._shown_agent, self._require_state())
        self._show()
        return None

    @property
    def _shown_agent(self) -> str:
        return (self.agents or self.possible_agents)[0]

    def _show(self) -> None:
        """Shows the present step in the window, in the render mode `human`."""
        if self.render_mode == "human":
            self._pictures.show(self._shown_agent, self._require_state(), self._step_seconds)

    def show(self, *, height: int = VIEW_HEIGHT) -> NotebookView:
        """The present episode from now on, for notebooks: see `autosim.show`.

        Raises:
            UserError: no episode has begun, it runs in a server, or the page for browsers was not
                built.
        """
        return view_of(self, height)

    @property
    def simulation(self) -> Simulation | None:
        """The simulation of the present episode, None if this process has none."""
        return self.run.simulation

    def close(self) -> None:
        """Frees the simulation, and what draws."""
        self._state, self.agents = None, []
        self.run.close()
        self._pictures.close()

    @property
    def digest(self) -> str:
        """Of the state now: equal wherever seed, actions and files were."""
        return short_digest(self._require_state())

    def _require_state(self) -> State:
        if self._state is None:
            raise RuntimeError("no episode has begun: call reset() first")
        return self._state

    def _seen(self) -> dict[str, Seen]:
        return {name: self.cars[name].observe() for name in self.agents}

    def _starts(
        self, rng: np.random.Generator, asked: Mapping[str, Mapping[str, object]]
    ) -> dict[str, Start]:
        """Draws the starts of all agents, `LEAST_DISTANCE` or more apart unless options choose."""
        check_options(asked, self.possible_agents)
        starts: dict[str, Start] = {}
        taken = self._others
        for number, name in enumerate(self.possible_agents):
            chosen = asked.get(name)
            for _ in range(_TRIES):
                drawn = self.task.start(self.paths, rng, number)
                start = chosen_start(drawn, self.paths, chosen)
                away = np.hypot(*(taken - start.place[:2]).T)
                if chosen or not (away < LEAST_DISTANCE).any():
                    break
            else:
                raise ValueError(
                    f"there is no room for {len(self.possible_agents)} agents that begin "
                    f"{LEAST_DISTANCE:g} m or more apart: make fewer, or give the task more room"
                )
            starts[name] = start
            taken = np.vstack([taken, start.place[:2]])
        return starts


def parallel_env(
    name: str = "autosim/Town-v0", *, agents: int = 2, **options: object
) -> ParallelDrivingEnv:
    """The environment of a registered name with several cars and its limit of steps.

    Args:
        name: as `gymnasium.make` takes it.
        agents: how many.
        options: as that environment takes them.

    Raises:
        ValueError: it is none of AutoSim's, or is to run in a server.
    """
    spec = gymnasium.spec(name)
    if spec.namespace != "autosim" or not isinstance(spec.entry_point, str):
        raise ValueError(f"'{name}' is not an environment of AutoSim, such as autosim/Town-v0")
    if "address" in options:
        raise ValueError("parallel environments run only in this process: leave out the address")
    create = cast(Callable[..., ParallelDrivingEnv], load_env_creator(spec.entry_point))
    given = {"most_steps": spec.max_episode_steps, **options}
    return create(make=partial(ParallelDrivingEnv, agents=agents), **given)


def _multiplied(
    world: WorldDescription, car: str, count: int
) -> tuple[WorldDescription, list[str]]:
    """The world with copies of a car, and their names."""
    names = [f"{car}_{number}" for number in range(1, count + 1)]
    if world.traffic is not None and world.traffic.scenario is not None:
        names[0] = car  # its scenario names the car
    taken = {each.name for each in world.robots if each.name != car} & set(names)
    if taken:
        raise ValueError(f"world '{world.name}' has a robot '{min(taken)}' already")
    robots = []
    for each in world.robots:
        own = names if each.name == car else [each.name]
        robots += [replace(each, name=name) for name in own]
    return replace(world, robots=tuple(robots)), names


def _positions_besides(described: WorldDescription, agents: Container[str]) -> Floats:
    """Positions (n, 2) [m] of the robots that are not agents."""
    return np.array(
        [
            each.position[:2]
            for each in described.robots
            if each.name not in agents and each.position is not None
        ]
    ).reshape(-1, 2)
