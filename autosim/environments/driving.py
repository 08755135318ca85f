"""One car in one simulation, with Gymnasium's interface."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.config.descriptions import PlacedRobot, RobotDescription, WorldDescription
from autosim.environments import controls as actions
from autosim.environments.controls import Controls
from autosim.environments.observations import LaneView, Look, Observation
from autosim.environments.situation import Situation
from autosim.environments.tasks import FollowLane, Start, Task
from autosim.jit import bound, compiled
from autosim.loading.loader import load_robot, load_world
from autosim.server.commands.gate import CheckedCommand
from autosim.server.step.simulation import Simulation
from autosim.simulation.commands import Command
from autosim.simulation.notices import Notice
from autosim.simulation.tree import WORD
from autosim.tracks import lane_view
from autosim.tracks.lane_paths import SPACING
from autosim.tracks.lane_view import ALLOWED, AWRY, HALF, PLACES, SIDE, STATION
from autosim.vehicle.measures.placement import place_height
from autosim.world.compiled.compiled import CompiledWorld
from autosim.world.pipeline.cache import compile_world

STEP_SECONDS = 0.1
"""Length [s] of a step of an environment: ten decisions a second."""

PHYSICS_STEPS = 6
"""Steps of the physics in each of them: 60 in a second, at which cars are validated too."""

_MOVING = 0.2
"""Speed [m/s] below which a car stands."""

Observed = npt.NDArray[np.float32]


class DrivingEnvironment(gymnasium.Env[Observed, Observed]):
    """A car that has a task in a world.

    Actions are (steering, pedal) in [-1, 1], see `autosim.environments.controls`. The same seed and
    actions give the same bytes: `digest` says them in a few letters.

    Args:
        world: a world file, or what `load_world` made of one.
        car: the robot's name in the world file; None: the first one there.
        robot: a robot file, or what `load_robot` made of one, that stands in for it.
        task: what the car is asked to do.
        observations: what is told of it, one after the other in one array.
        step_seconds: length of a step [s].
        physics_steps: how many steps of the physics are in one.
        compiled: the compiled map; by default it comes from the cache, or is compiled.

    Raises:
        ConfigError: a file has faults.
        ControlsError: the car has no drive actuator.
        PathError: the map has no way for the task.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 (Gymnasium says so)

    def __init__(
        self,
        world: str | Path | WorldDescription,
        *,
        car: str | None = None,
        robot: str | Path | RobotDescription | None = None,
        task: Task | None = None,
        observations: Sequence[Observation] = (LaneView(),),
        step_seconds: float = STEP_SECONDS,
        physics_steps: int = PHYSICS_STEPS,
        compiled: CompiledWorld | None = None,
    ) -> None:
        if step_seconds <= 0.0 or physics_steps < 1:
            given = f"step_seconds={step_seconds:g}, physics_steps={physics_steps}"
            raise ValueError(f"a step takes time, and one step of the physics or more: not {given}")
        read = world if isinstance(world, WorldDescription) else load_world(world)
        described = load_robot(robot) if isinstance(robot, str | Path) else robot
        self._world, self.car = _alone(read, car, described, step_seconds / physics_steps)
        self._compiled = compiled or compile_world(self._world.terrain)
        self.task = task or FollowLane()
        self._observations = tuple(observations)
        self._seconds, self.physics_steps = step_seconds, physics_steps
        placed = self._placed()
        self._controls = Controls.of(placed.robot, self.car)
        self._height = place_height(placed.robot, gravity=self._world.physics.gravity)
        self.paths = self.task.paths_in(self._compiled.roads)
        self.simulation: Simulation | None = None
        self._situation = Situation(step_seconds)
        self._set_up_looks()
        self._set_up_spaces()

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Begins an episode in a new simulation.

        Args:
            seed: of this episode and, where they are given none, of those that follow.
            options: none.
        """
        super().reset(seed=seed)
        start = self.task.start(self.paths, self.np_random)
        self._begin(start, int(self.np_random.integers(2**31)))
        return self._observe(), self._info("")

    def step(self, action: Observed) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        """Drives on for a step.

        Raises:
            ValueError: the action is no two finite numbers.
            RuntimeError: `reset` was not called.
        """
        simulation = self._require_simulation()
        chosen = np.asarray(action, dtype=np.float64).reshape(-1)
        if chosen.shape != (actions.WIDTH,) or not np.isfinite(chosen).all():
            raise ValueError(f"an action is two finite numbers, steering and pedal, not {action!r}")
        chosen = np.clip(chosen, -1.0, 1.0)
        command = Command(self._controls.device, self._controls.command(chosen))
        simulation.take([CheckedCommand(command)])
        for _ in range(self.physics_steps):
            simulation.step()
        situation = self._situation
        situation.last_action, situation.action = situation.action, chosen
        situation.time += self._seconds
        self._steering[0] = chosen[actions.STEERING]
        before = situation.station
        self._look_around()
        situation.progress = situation.station - before
        is_moving = abs(situation.speed) > _MOVING
        situation.standing = 0.0 if is_moving else situation.standing + self._seconds
        reward = sum(each.of(situation) for each in self.task.rewards)
        ended = ""
        for ending in self.task.endings:
            if ending.has_come(situation):
                reward, ended = reward + ending.reward, type(ending).__name__
                break
        return self._observe(), float(reward), bool(ended), False, self._info(ended)

    def close(self) -> None:
        """Frees the simulation."""
        if self.simulation is not None:
            self.simulation.close()
            self.simulation = None

    @property
    def digest(self) -> str:
        """Of the state now: equal wherever seed, actions and files were."""
        return hashlib.sha256(self._require_simulation().state.buffer).hexdigest()[:16]

    def _require_simulation(self) -> Simulation:
        if self.simulation is None:
            raise RuntimeError("no episode has begun: call reset() first")
        return self.simulation

    def _placed(self) -> PlacedRobot:
        return next(each for each in self._world.robots if each.name == self.car)

    def _set_up_looks(self) -> None:
        self._path: Integers = np.zeros(1, dtype=np.int64)
        self._rows: Integers = np.full(1, -1, dtype=np.int64)
        self._poses, self._steering = np.zeros((1, 4)), np.zeros(1)
        self._views, self._told = np.zeros((1, lane_view.WIDTH)), np.zeros((1, PLACES))
        self._body = np.zeros(13)
        self._read_pose = bound(pose_of, self._body, self._poses)
        self._look_ahead = bound(
            lane_view.look,
            self.paths,
            self._path,
            self._rows,
            self._poses,
            self._steering,
            self._views,
            self._told,
        )

    def _set_up_spaces(self) -> None:
        simulation = self._simulation_at(self.task.start(self.paths, np.random.default_rng(0)), 0)
        with simulation:
            bounds = [each.bounds(simulation.state, self.car) for each in self._observations]
        sizes = [len(low) for low, _ in bounds]
        ends = np.cumsum([0, *sizes]).tolist()
        self._slices = [slice(a, b) for a, b in pairwise(ends)]
        self.observation_space = gymnasium.spaces.Box(
            np.concatenate([low for low, _ in bounds]), np.concatenate([high for _, high in bounds])
        )
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (actions.WIDTH,))

    def _simulation_at(self, start: Start, seed: int) -> Simulation:
        x, y, z = start.place.tolist()
        height = None if np.isnan(z) else z + self._height
        robots = tuple(
            replace(each, position=(x, y, height), yaw=start.yaw) if each.name == self.car else each
            for each in self._world.robots
        )
        world = replace(self._world, robots=robots)
        return Simulation(world, seed=seed, compiled=self._compiled, report=_report)

    def _begin(self, start: Start, seed: int) -> None:
        self.close()
        self.simulation = self._simulation_at(start, seed)
        state = self.simulation.state
        robot = next(each for each in state.tree.robots if each.name == self.car)
        part = next(each for each in robot.children if each.kind != "State")
        first = part.start // WORD
        self._body_words = slice(first, first + 13)
        self._collision_word = robot.start // WORD + 1
        self._readers = [each.reader(state, self.car) for each in self._observations]
        self._path[0], self._rows[0], self._steering[0] = start.path, -1, 0.0
        rows = self.paths.starts[start.path + 1] - self.paths.starts[start.path]
        self._situation = Situation(self._seconds, length=float(rows - 1) * SPACING)
        self._goal, self._yaw = start.goal, start.yaw
        if not np.isnan(start.place[2]):
            self._rows[0] = int(self.paths.starts[start.path] + start.station / SPACING)
        self._look_around()

    def _look_around(self) -> None:
        """Brings the situation up to date."""
        state, situation = self._require_simulation().state, self._situation
        self._body[:] = state.floats[self._body_words]
        self._read_pose()
        self._look_ahead()
        x, y, yaw, speed = self._poses[0].tolist()
        turned = float(portable.wrapped(np.float64(yaw - self._yaw)))
        situation.lateral, self._yaw = speed * turned / self._seconds, yaw
        told = self._told[0].tolist()
        situation.speed, situation.station, situation.offset = speed, told[STATION], told[SIDE]
        situation.half_width, situation.limit = told[HALF], told[ALLOWED]
        situation.heading = told[AWRY]
        situation.collisions = int(state.ints[self._collision_word])
        dx, dy = self._goal[0] - x, self._goal[1] - y
        sin, cos = float(portable.sin(yaw)), float(portable.cos(yaw))
        turn = float(portable.wrapped(np.float64(self._goal[2] - yaw)))
        situation.goal[:] = cos * dx + sin * dy, cos * dy - sin * dx, turn

    def _observe(self) -> Observed:
        out: Observed = np.empty(self.observation_space.shape or (0,), dtype=np.float32)
        look = Look(self._require_simulation().state, self._views[0], self._situation)
        for read, place in zip(self._readers, self._slices, strict=True):
            read(look, out[place])
        return out

    def _info(self, ended: str) -> dict[str, Any]:
        situation = self._situation
        return {
            "station": situation.station,
            "offset": situation.offset,
            "speed": situation.speed,
            "collisions": situation.collisions,
            "ended_by": ended,
            "is_success": ended in ("Arrived", "Parked"),
        }


def _alone(
    world: WorldDescription, car: str | None, robot: RobotDescription | None, seconds: float
) -> tuple[WorldDescription, str]:
    """The world with a car that actions drive, and no program; and the car's name."""
    if not world.robots:
        raise ValueError(f"world '{world.name}' has no robot to drive")
    names = [each.name for each in world.robots]
    chosen = car or names[0]
    if chosen not in names:
        raise ValueError(f"world '{world.name}' has no robot '{chosen}' (robots: {names})")
    robots = tuple(
        replace(each, program=None, robot=robot or each.robot) if each.name == chosen else each
        for each in world.robots
    )
    physics = replace(world.physics, step_seconds=seconds)
    return replace(world, robots=robots, physics=physics), chosen


def _report(notice: Notice) -> None:
    """Keeps silent: what an episode has come to is in its rewards and its `info`."""


@compiled
def pose_of(body: Floats, poses: Floats) -> None:
    """Writes x, y [m], yaw [rad] and forward speed [m/s] of a body's thirteen numbers."""
    x, y, z, w = body[3], body[4], body[5], body[6]
    forward_x = 1.0 - 2.0 * (y * y + z * z)
    forward_y = 2.0 * (x * y + w * z)
    forward_z = 2.0 * (x * z - w * y)
    poses[0, 0], poses[0, 1] = body[0], body[1]
    poses[0, 2] = portable.arctan2(forward_y, forward_x)
    poses[0, 3] = forward_x * body[7] + forward_y * body[8] + forward_z * body[9]
