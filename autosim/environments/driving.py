"""One car in one simulation, with Gymnasium's interface."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.utils import EzPickle

from autosim.arrays import Bytes
from autosim.config.descriptions import RobotDescription, WorldDescription
from autosim.engine.step.simulation import Simulation
from autosim.environments.agent import Agent
from autosim.environments.agent_view import AgentView, Seen
from autosim.environments.episodes.episode_conditions import CONDITIONS, EpisodeConditions
from autosim.environments.episodes.episode_pictures import EpisodePictures
from autosim.environments.episodes.episode_runs import EpisodeRun, LocalRun, drivable, first_car
from autosim.environments.episodes.episode_worlds import (
    WORLD_OPTIONS,
    EpisodeParts,
    OpenWorlds,
    Reopen,
)
from autosim.environments.episodes.start_options import (
    GOAL,
    IN_WORLD,
    ON_PATH,
    check_options,
    chosen_goal,
    chosen_start,
)
from autosim.environments.observations import LaneView, Observation
from autosim.environments.tasks import FollowLane, GoalTask, Start, Task
from autosim.environments.traffic_watch import TrafficWatch
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_robot, load_world
from autosim.model.notebook import VIEW_HEIGHT, NotebookView, view_of
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.tracks.lane_paths import PathArrays
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world

STEP_SECONDS = 0.1
"""Length [s] of a step of an environment: ten decisions a second."""

PHYSICS_STEPS = 6
"""Steps of the physics in each of them: 60 in a second, at which cars are validated too."""

RENDER_MODES = ("rgb_array", "human")
"""Modes of `render`: a picture of the car, from behind, or a window that shows each step."""

SEEDS = 2**31
"""Number of seeds of simulations."""


class DrivingEnv(gymnasium.Env[Seen, npt.NDArray[np.float32]], EzPickle):
    """A car that has a task in a world.

    Actions are (steering, pedal) in [-1, 1], see `autosim.environments.action_mapping`. The same
    seed and actions give the same bytes: `digest` says them in a few letters.

    Args:
        world: a world file, or what `load_world` made of one; None: that of the server.
        address: HOST:PORT of a running server, in which episodes run then: `served.ServedRun`.
        car: the robot's name in the world file; None: the first one there.
        robot: a robot file, or the result of `load_robot`, that replaces the world's.
        task: the car's task.
        observations: concatenated into one array; pictures are separate.
        step_seconds: length of a step [s].
        physics_steps: number of physics steps per step.
        compiled: the compiled map; by default it comes from the cache, or is compiled.
        render_mode: `rgb_array`: `render` returns a picture; `human`: a window shows each step, no
            faster than in real time; None: neither.
        reopen: makes the same environment in another world, for the options `world` and `settings`
            of `reset`; by default one with the arguments of this one.

    Copies, also by pickle, are made of the same arguments and start from the beginning.

    `run` executes the episodes.

    Raises:
        ConfigError: a file has faults.
        ActionMappingError: the car has no drive actuator.
        DeviceError: an observation is of a device that the car does not have.
        PathError: the map has no path for the task.
        UserError: the server cannot be reached, or has another world.
        ValueError: a step is not positive, the world has no such robot, there is no world, or the
        render mode is unknown.
    """

    metadata = {  # noqa: RUF012 (Gymnasium says so)
        "render_modes": list(RENDER_MODES),
        "render_fps": round(1.0 / STEP_SECONDS),
    }

    def __init__(
        self,
        world: str | Path | WorldDescription | None = None,
        *,
        address: str | None = None,
        car: str | None = None,
        robot: str | Path | RobotDescription | None = None,
        task: Task | None = None,
        observations: Sequence[Observation] = (LaneView(),),
        step_seconds: float = STEP_SECONDS,
        physics_steps: int = PHYSICS_STEPS,
        compiled: CompiledWorld | None = None,
        render_mode: str | None = None,
        reopen: Reopen | None = None,
    ) -> None:
        EzPickle.__init__(
            self,
            world,
            address=address,
            car=car,
            robot=robot,
            task=task,
            observations=observations,
            step_seconds=step_seconds,
            physics_steps=physics_steps,
            compiled=compiled,
            render_mode=render_mode,
            reopen=reopen,
        )
        check_steps(step_seconds, physics_steps)
        check_render_mode(render_mode)
        read = resolve_world_argument(world, address)
        self.car = car or first_car(read)
        self.run = _run_of(
            drivable(
                read,
                [self.car],
                robot=load_robot(robot) if isinstance(robot, str | Path) else robot,
                step_seconds=step_seconds / physics_steps,
            ),
            compiled,
            address=address,
            physics_steps=physics_steps,
        )
        self.render_mode, self._step_seconds = render_mode, step_seconds
        self.task = task or FollowLane()
        self.paths = self.task.paths_in(self.run.compiled.roads)
        tree = build_tree(self.run.world)
        self._pictures = EpisodePictures(self.run.world, self.run.compiled, tree, observations)
        self.agent = self._make_agent(tree, observations, step_seconds)
        self.observation_space = self.agent.observation_space
        self.action_space = self.agent.action_space
        self._state: State | None = None
        given = {"car": car, "robot": robot, "task": task, "observations": observations}
        again = partial(_opened, step_seconds, physics_steps, given)
        self._worlds = OpenWorlds(read, None if address else reopen or again)

    def _make_agent(
        self, tree: SimulationTree, observations: Sequence[Observation], seconds: float
    ) -> Agent:
        """The agent of the car; `seconds` [s] is the length of a step."""
        described = self.run.world
        view = AgentView(observations, State(tree), self.car, draw=self._pictures.draw)
        return Agent(
            next(each for each in described.robots if each.name == self.car),
            task=self.task,
            paths=self.paths,
            view=view,
            seconds=seconds,
            gravity=described.physics.gravity,
            traffic=self._watch(),
        )

    def _watch(self) -> TrafficWatch:
        """The road users and streets around the car."""
        world = self.run.world
        robot = next(each.robot for each in world.robots if each.name == self.car)
        return TrafficWatch(self.run.compiled, robot, world, self.car)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begins an episode in a new simulation.

        Args:
            seed: of this episode and, where they are given none, of those that follow.
            options: choose where the car starts, see `start_options.chosen_start`; its `goal`; the
                `mass` of the car and other conditions, see `EpisodeConditions`; and the `world`
                and its `settings`, see `OpenWorlds`. All of this episode only.

        Raises:
            ConfigError: the file of a world has faults.
            NoPathError: no lanes lead to the goal.
            ValueError: an option is unknown, or chooses no place.
        """
        super().reset(seed=seed)
        given = dict(options or {})
        check_options(given, (*ON_PATH, *IN_WORLD, GOAL, *CONDITIONS, *WORLD_OPTIONS))
        self._enter(given)
        conditions = EpisodeConditions.of(given)
        start, paths = self._start(given)
        number = int(self.np_random.integers(SEEDS))
        self._state = self.run.begin([self.agent.at(start)], number, conditions)
        self._pictures.begin(number, conditions.sky(self.run.world))
        self.agent.begin(self._state, start, paths)
        self._show()
        return self.agent.observe(), self.agent.info("")

    def _enter(self, options: Mapping[str, object]) -> None:
        """Goes to the world of an episode, as its options say."""
        found = self._worlds.enter(self.parts, options)
        if found.run is not self.run:
            self.run.close()
            self._pictures.close_window()
            self.car, self.run, self.task, self.paths, self.agent, self._pictures = found

    @property
    def parts(self) -> EpisodeParts:
        """The parts that depend on the world of the present episode."""
        return EpisodeParts(self.car, self.run, self.task, self.paths, self.agent, self._pictures)

    def _start(self, options: Mapping[str, object]) -> tuple[Start, PathArrays]:
        """The start of an episode, and the paths that its agent follows."""
        start = self.task.start(self.paths, self.np_random)
        where = {name: each for name, each in options.items() if name in (*ON_PATH, *IN_WORLD)}
        start = chosen_start(start, self.paths, where)
        if options.get(GOAL) is None:
            return start, self.paths
        if not isinstance(self.task, GoalTask):
            raise ValueError(f"goal: {type(self.task).__name__} has the goal of its world")
        goal, roads = chosen_goal(options[GOAL]), self.run.compiled.roads
        paths, start = self.task.towards(roads, start, goal, is_drawn=not where)
        return start, paths

    def step(
        self, action: npt.NDArray[np.float32]
    ) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Advances by one step.

        Raises:
            ValueError: the action is not two finite numbers.
            RuntimeError: `reset` was not called.
        """
        self.state  # noqa: B018 (it raises before anything is noted)
        self.run.drive([self.agent.command(action)])
        reward, ended = self.agent.judge()
        self._show()
        return self.agent.observe(), reward, bool(ended), False, self.agent.info(ended)

    def render(self) -> Bytes | None:
        """The car from behind, (height, width, 3), in the render mode `rgb_array`.

        Raises:
            RuntimeError: `reset` was not called.
            RendererError: nothing can be drawn here.
            UserError: there is no screen for a window.
        """
        if self.render_mode == "rgb_array":
            return self._pictures.follow(self.car, self.state)
        self._show()
        return None

    def _show(self) -> None:
        """Shows the present step in the window, in the render mode `human`."""
        if self.render_mode == "human":
            self._pictures.show(self.car, self.state, self._step_seconds)

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
        self._state = None
        self.run.close()
        self._pictures.close()
        self._worlds.close()

    @property
    def state(self) -> State:
        """Of the simulation, now.

        Raises:
            RuntimeError: `reset` was not called.
        """
        if self._state is None:
            raise RuntimeError("no episode has begun: call reset() first")
        return self._state

    @property
    def digest(self) -> str:
        """Of the state now: equal wherever seed, actions and files were."""
        return short_digest(self.state)


def resolve_world_argument(
    world: str | Path | WorldDescription | None, address: str | None = None
) -> WorldDescription:
    """The description of a world, or of that of a server.

    Raises:
        ConfigError: a file has faults.
        UserError: the server cannot be reached.
        ValueError: neither or both are given.
    """
    if isinstance(world, WorldDescription):
        return world
    if world is not None:
        return load_world(world)
    if address is None:
        raise ValueError("expected a world, or the address of a server that has one")
    from autosim.environments.episodes.served import served_world

    return served_world(address)


def _opened(
    step_seconds: float,
    physics_steps: int,
    given: Mapping[str, object],
    world: str | Path | WorldDescription,
) -> DrivingEnv:
    """An environment with the arguments of another one, in its own world."""
    make: Callable[..., DrivingEnv] = DrivingEnv
    return make(world, step_seconds=step_seconds, physics_steps=physics_steps, **given)


def _run_of(
    world: WorldDescription,
    compiled: CompiledWorld | None,
    *,
    address: str | None,
    physics_steps: int,
) -> EpisodeRun:
    if address is None:
        place = compiled or compile_world(world.terrain)
        return LocalRun(world, place, physics_steps=physics_steps)
    from autosim.environments.episodes.served import ServedRun, served_map

    return ServedRun(
        address,
        world,
        compiled or served_map(world),
        step_seconds=world.physics.step_seconds,
        physics_steps=physics_steps,
    )


def check_steps(step_seconds: float, physics_steps: int) -> None:
    """Checks the step sizes.

    Raises:
        ValueError: they are not positive.
    """
    if not step_seconds > 0.0 or physics_steps < 1:
        given = f"step_seconds={step_seconds:g}, physics_steps={physics_steps}"
        raise ValueError(f"a step takes time, and one step of the physics or more: not {given}")


def check_render_mode(mode: str | None) -> None:
    """Checks that `render` supports this mode.

    Raises:
        ValueError: it does not.
    """
    if mode is not None and mode not in RENDER_MODES:
        known = ", ".join(RENDER_MODES)
        raise ValueError(f"there is no render mode '{mode}' (render modes: {known})")


def short_digest(state: State) -> str:
    """A state in sixteen letters."""
    return hashlib.sha256(state.buffer).hexdigest()[:16]
