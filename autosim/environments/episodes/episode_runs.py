"""Backends of episodes: a simulation of this process, or a server (`served`)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from autosim.config.descriptions import PlacedRobot, RobotDescription, WorldDescription
from autosim.engine.command_gate.gate import CheckedCommand
from autosim.engine.physics.world_shapes import WorldShapes
from autosim.engine.step.simulation import Simulation
from autosim.environments.episodes.episode_conditions import AS_IN_WORLD, EpisodeConditions
from autosim.model.commands import Command
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.world.compiled.compiled_world import CompiledWorld


class EpisodeRun(Protocol):
    """Simulations of one world, one after the other.

    `world` with its cars as actions drive them; `compiled`: its map; `physics_steps` in a step of
    the environment.
    """

    @property
    def world(self) -> WorldDescription:
        """The simulated world."""

    @property
    def compiled(self) -> CompiledWorld:
        """Its map."""

    @property
    def physics_steps(self) -> int:
        """Number of physics steps per step of the environment."""

    @property
    def simulation(self) -> Simulation | None:
        """The simulation of the present episode, None if this process has none."""

    def begin(
        self,
        cars: Sequence[PlacedRobot],
        seed: int,
        conditions: EpisodeConditions = AS_IN_WORLD,
    ) -> State:
        """Begins a new simulation.

        Args:
            cars: where those begin that actions drive; all others as the world says.
            seed: of all noise, and of traffic.
            conditions: of this episode.

        Returns:
            the state, which `drive` brings up to date.
        """

    def drive(self, commands: Sequence[Command]) -> None:
        """Does a step of the environment, in which the cars obey these commands."""

    def close(self) -> None:
        """Frees everything; `begin` restarts."""


class LocalRun:
    """Simulations in this process; see `EpisodeRun`.

    Args:
        world: as `drivable` gives it.
        compiled: its map.
        physics_steps: in a step of the environment.

    `simulation` is the present one, None before the first and after the last.
    """

    def __init__(
        self, world: WorldDescription, compiled: CompiledWorld, *, physics_steps: int
    ) -> None:
        self.world, self.compiled, self.physics_steps = world, compiled, physics_steps
        self.simulation: Simulation | None = None
        self._shapes = WorldShapes(compiled)

    def begin(
        self,
        cars: Sequence[PlacedRobot],
        seed: int,
        conditions: EpisodeConditions = AS_IN_WORLD,
    ) -> State:
        """As `EpisodeRun.begin`."""
        self.close()
        placed = {each.name: conditions.of_car(each) for each in cars}
        robots = tuple(placed.get(each.name, each) for each in self.world.robots)
        world = conditions.of_world(replace(self.world, robots=robots))
        self.simulation = Simulation(world, seed=seed, shapes=self._shapes, report=_keep_silent)
        if conditions.speed:
            for car in placed.values():
                _set_rolling(self.simulation, car, conditions.speed)
        return self.simulation.state

    def drive(self, commands: Sequence[Command]) -> None:
        """As `EpisodeRun.drive`."""
        simulation = self.simulation
        assert simulation is not None
        simulation.take([CheckedCommand(each) for each in commands])
        simulation.run(self.physics_steps)

    def close(self) -> None:
        """As `EpisodeRun.close`."""
        if self.simulation is not None:
            self.simulation.close()
            self.simulation = None


def drivable(
    world: WorldDescription,
    cars: Sequence[str],
    *,
    robot: RobotDescription | None = None,
    step_seconds: float | None = None,
) -> WorldDescription:
    """A world some of whose cars actions drive: they have no program.

    Args:
        world: as its file says.
        cars: their names.
        robot: stands in for each of them.
        step_seconds: of the physics [s]; None: as the file says.

    Raises:
        ValueError: the world has no such robot.
    """
    names = [each.name for each in world.robots]
    for car in cars:
        if car not in names:
            raise ValueError(f"world '{world.name}' has no robot '{car}' (robots: {names})")
    robots = tuple(
        replace(each, program=None, robot=robot or each.robot) if each.name in cars else each
        for each in world.robots
    )
    seconds = world.physics.step_seconds if step_seconds is None else step_seconds
    physics = replace(world.physics, step_seconds=seconds)
    return replace(world, robots=robots, physics=physics)


def first_car(world: WorldDescription) -> str:
    """The name of the first robot.

    Raises:
        ValueError: there is none.
    """
    if not world.robots:
        raise ValueError(f"world '{world.name}' has no robot to drive")
    return world.robots[0].name


def _set_rolling(simulation: Simulation, car: PlacedRobot, speed: float) -> None:
    """Sets a car rolling along its heading at `speed` [m/s], at its place."""
    if car.position is None:
        return
    x, y, height = car.position
    simulation.place(car.name, (x, y), yaw=car.yaw, height=height, velocity=(speed, 0.0, 0.0))


def _keep_silent(notice: Notice) -> None:
    """Takes a message: what an episode has come to is in its rewards and its `info`."""
