"""A simulation that costs microseconds: robots that drive in circles, without a physics engine.

It has the interface of `Simulation`, and takes part in the processes in its place where a test
is about the processes and the network.
"""

import math
import os
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autosim.config.descriptions import (
    MapSetup,
    PlacedRobot,
    RobotDescription,
    TerrainDescription,
    WorldDescription,
)
from autosim.config.world_settings import GraphicsDescription, PhysicsDescription
from autosim.engine.command_gate.drivers import Drivers
from autosim.engine.command_gate.gate import CheckedCommand
from autosim.engine.engine_errors import PlacementError
from autosim.engine.programs.program_manager import (
    MakeParticipants,
    ProgramManager,
    ProgramsContext,
)
from autosim.engine.programs.thread_participants import ThreadParticipants
from autosim.engine.step.run_monitor import RunMonitor
from autosim.helper_processes.process_socket import ControlSocket
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.director import build_tree
from autosim.kinds.sensors.perception.camera import Camera
from autosim.model.commands import write_command
from autosim.model.notices import Notice, Severity
from autosim.model.snapshot import Snapshot
from autosim.model.state import State, time_after
from autosim.model.tree import WORD
from autosim.server.network.front import ServerOptions
from autosim.userprogram.ipc.program_exits import ProgramExit
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.meshes import Mesh
from autosim.world.lanes.roads import RoadNetwork

FILES = (("worlds/light.xml", "11" * 32), ("robots/light.xml", "22" * 32))


def light_world(
    robots: int = 1,
    *,
    step_seconds: float = 1.0 / 240.0,
    files: tuple[tuple[str, str], ...] = FILES,
) -> WorldDescription:
    """A world of `robots` robots r0, r1 … with one box and one drive actuator each."""
    description = RobotDescription(
        name="light",
        source=Path("robots/light.xml"),
        parts=(BoxPart("box", (0.0, 0.0, 0.5), (4.0, 2.0, 1.0), mass=1000.0),),
        links=(),
        devices=(DriveActuator("drive", "box"), Camera("eye", "box")),
    )
    return WorldDescription(
        name="light",
        source=Path("worlds/light.xml"),
        graphics=GraphicsDescription(),
        physics=PhysicsDescription(step_seconds=step_seconds),
        terrain=TerrainDescription(osm=Path("none.osm"), setup=MapSetup("light")),
        robots=tuple(PlacedRobot(f"r{index}", description) for index in range(robots)),
        files=files,
    )


def flat_world() -> CompiledWorld:
    """A compiled world with nothing in it."""
    nothing = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, np.uint8))
    world = CompiledWorld(
        name="light",
        digest="33" * 32,
        origin=(0.0, 0.0),
        bounds=(-50.0, -50.0, 50.0, 50.0),
        driving_side="left",
        ground=nothing,
        buildings=nothing,
        houses=(),
        roads=RoadNetwork.from_lanes(()),
        invariants=(),
        left_out=(),
        attribution="",
    )
    return sort_into_tiles(world)


class LightSimulation:
    """Robots on circles; what their actuators are set to appears in the next state."""

    def __init__(
        self,
        world: WorldDescription,
        *,
        seed: int = 0,
        buffer: memoryview | None = None,
        report: Callable[[Notice], None] = lambda notice: None,
        idle: Collection[str] = (),
        make_participants: MakeParticipants = ThreadParticipants.of,
    ) -> None:
        self.tree = build_tree(world)
        self.state = State(self.tree, buffer)
        self.step_seconds = world.physics.step_seconds
        self.on_publish: list[Callable[[], None]] = []
        self.on_command: list[Callable[[int, Any], None]] = []
        self.compiled = flat_world()
        self.programs = ProgramManager.of(
            ProgramsContext.of(
                world,
                self.state,
                seed=seed,
                compiled=self.compiled,
                drivers=Drivers(),
                report=report,
            ),
            self.state,
            make_participants=make_participants,
            report_exit=self._report_exit,
            idle=idle,
        )
        self.participants = self.programs.participants
        self._report = report
        self._commands: list[CheckedCommand] = []
        self._seed = seed
        self._is_started = False
        self.record: RunMonitor | None = None
        report(Notice("info", "light", 0, f"loaded with seed {seed}"))

    def begin(self) -> None:
        self._is_started = True
        self.programs.start()
        self.participants.open(self.state.step)

    def settle(self) -> None:
        for program_exit in self.participants.take_exits():
            self._report_exit(program_exit)
        self.programs.give_back_due()

    def snapshot(self, *, is_continued: bool = True) -> Snapshot:
        return Snapshot.of(self.state)

    def restore(self, snapshot: Snapshot) -> None:
        snapshot.restore(self.state)

    def place(
        self,
        name: str,
        place: Sequence[float],
        *,
        yaw: float | None,
        height: float | None,
        velocity: Sequence[float],
        angular_velocity: Sequence[float],
    ) -> None:
        node = self.tree.find(name)
        if node is None:
            raise PlacementError(f"there is no robot '{name}'")
        first = node.children[0].field_offset("position") // WORD
        self.state.floats[first : first + 2] = place
        self.state.floats[first + 7 : first + 10] = velocity

    def _report_exit(self, program_exit: ProgramExit) -> None:
        level: Severity = "error" if program_exit.has_failed else "info"
        lines = (f"{program_exit.robot}: {program_exit.reason}", program_exit.traceback)
        text = "\n".join(filter(None, lines))
        self._report(Notice(level, program_exit.program, self.state.step, text))
        self.programs.take_program_exit(program_exit)

    def take(self, commands: Sequence[CheckedCommand]) -> None:
        self._commands.extend(commands)

    def step(self) -> None:
        for opens in (self.advance,) if self._is_started else (self.begin, self.advance):
            opens()
            self.participants.wait()
            self.settle()

    def advance(self) -> None:
        commands, self._commands = self._commands, []
        commands += self.participants.commands()
        for command in commands:
            node = self.tree.find(command.device)
            assert node is not None
            write_command(self.state, node, command)
            for listener in self.on_command:
                listener(self.state.step, command)
        state = self.state
        state.ints[0] += 1
        state.ints[1] = time_after(state.step, self.step_seconds)
        for number, robot in enumerate(self.tree.robots):
            first = robot.children[0].field_offset("position") // WORD
            angle = state.time + number + self._seed
            state.floats[first : first + 2] = 10.0 * math.cos(angle), 10.0 * math.sin(angle)
            state.floats[first + 5 : first + 7] = math.sin(angle / 2), math.cos(angle / 2)
        for publish in self.on_publish:
            publish()
        self.programs.start_due()
        self.participants.open(self.state.step)

    def close(self) -> None:
        self.participants.close()
        self._report(Notice("info", "light", self.state.step, "closed"))


class FailingSimulation(LightSimulation):
    """Raises in its third step."""

    def advance(self) -> None:
        if self.state.step == 2:
            raise ArithmeticError("the wheels came off")
        super().advance()


class TalkativeFailingSimulation(FailingSimulation):
    """Says more before it fails than a socket holds."""

    def advance(self) -> None:
        for number in range(1000):
            self._report(Notice("info", "light", self.state.step, f"word {number}"))
        super().advance()


class UnloadableSimulation(LightSimulation):
    """Cannot be made."""

    def __init__(self, world: WorldDescription, **others: Any) -> None:
        raise ValueError("the map is empty")


class DyingSimulation(LightSimulation):
    """Its process is gone in the third step, without a word."""

    def advance(self) -> None:
        if self.state.step == 2:
            os.kill(os.getpid(), 9)
        super().advance()


class DyingHeirSimulation(LightSimulation):
    """Its process is gone, without a word, when it has taken over programs in some worlds.

    Those are worlds with a robot `DOOMED`.
    """

    DOOMED = "doomed"

    def __init__(self, world: WorldDescription, **others: Any) -> None:
        super().__init__(world, **others)
        if any(robot.name == self.DOOMED for robot in world.robots):
            take_over = self.participants.take_over

            def take_over_and_die(giver: ControlSocket) -> None:
                take_over(giver)
                os.kill(os.getpid(), 9)

            self.participants.take_over = take_over_and_die  # type: ignore[method-assign]


class EndlesslyLoadingSimulation(LightSimulation):
    """Never gets ready."""

    def __init__(self, world: WorldDescription, **others: Any) -> None:
        super().__init__(world, **others)
        threading.Event().wait()


class EndlesslyStartingSimulation(LightSimulation):
    """Its user programs never come to their first wait."""

    def begin(self) -> None:
        threading.Event().wait()


def light_options(
    simulation: type[LightSimulation] = LightSimulation, **others: Any
) -> ServerOptions:
    """A server on any free port; its simulation process makes `simulation`."""
    name = f"{simulation.__module__}:{simulation.__qualname__}"
    return ServerOptions(**{"address": "127.0.0.1:0", "simulation": name, **others})


def run_in_process(world: WorldDescription, steps: int, *, seed: int = 0) -> LightSimulation:
    """The same simulation in this process, after `steps` steps; `record` holds its figures."""
    simulation = LightSimulation(world, seed=seed)
    simulation.record = RunMonitor(simulation)
    simulation.on_publish.append(simulation.record.add_state)
    for _ in range(steps):
        simulation.step()
    return simulation
