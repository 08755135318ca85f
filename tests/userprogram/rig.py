"""A toy simulation for user programs: two robots whose distance depends on what programs set."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

from autosim.config.descriptions import (
    MapSetup,
    PlacedRobot,
    RobotDescription,
    TerrainDescription,
    WorldDescription,
)
from autosim.config.world_settings import GraphicsDescription, PhysicsDescription
from autosim.engine.command_gate.drivers import Drivers
from autosim.engine.command_gate.gate import ProgramGate
from autosim.engine.programs.deadlines import DEFAULT_DEADLINES, Deadlines
from autosim.engine.programs.lockstep import Lockstep
from autosim.engine.programs.participant import Participant
from autosim.engine.programs.process_participants import ProcessParticipants, ProcessSetting
from autosim.engine.programs.program_thread import ThreadSetting
from autosim.engine.programs.thread_participants import ThreadParticipants
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.director import build_tree
from autosim.kinds.sensors.perception.camera import Camera
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.kinds.sensors.ranging.psd import PSDSensor
from autosim.model.commands import Command, DeviceState, write_command
from autosim.model.notices import Notice
from autosim.model.state import State, time_after
from autosim.model.tree import WORD, SimulationTree, TreeNode
from autosim.userprogram.ipc.program_exits import ProgramExit
from autosim.userprogram.ipc.shared_state import SharedState
from autosim.userprogram.session.navigation_map import NavigationMap

STEP_SECONDS = 1.0 / 240.0
ROBOTS = ("alpha", "beta")


def toy_tree() -> SimulationTree:
    """Two robots with a drive, a distance sensor, a GPS, a camera and a lidar each."""
    description = RobotDescription(
        "toy",
        Path("toy.xml"),
        (BoxPart("chassis", (0.0, 0.0, 0.0), (4.0, 2.0, 1.0), mass=1000.0),),
        (),
        (
            DriveActuator("drive", "chassis"),
            PSDSensor("psd0", "chassis"),
            GPSSensor("gps", "chassis"),
            Camera("view", "chassis"),
            LidarSensor(
                *("lidar", "chassis"),
                position=(0.0, 0.0, 1.0),
                channels=2,
                columns=4,
                min_elevation=-0.5,
                max_elevation=0.0,
            ),
        ),
    )
    return tree_of(description, *ROBOTS)


def tree_of(robot: RobotDescription, *names: str) -> SimulationTree:
    """Several robots of one kind."""
    world = WorldDescription(
        name="toy",
        source=Path("toy_world.xml"),
        graphics=GraphicsDescription(),
        physics=PhysicsDescription(STEP_SECONDS),
        terrain=TerrainDescription(Path("toy.osm"), MapSetup("toy")),
        robots=tuple(PlacedRobot(name, robot) for name in names),
    )
    return build_tree(world)


def node(tree: SimulationTree, name: str) -> TreeNode:
    """The node of that name, which is there."""
    found = tree.find(name)
    assert found is not None, name
    return found


def write(folder: Path, name: str, source: str) -> Path:
    """A user program's file."""
    path = folder / f"{name}.py"
    path.write_text(dedent(source))
    return path


def load_navigation_map() -> NavigationMap:
    """A plain with a ring road."""
    from tests.worlds import flat_world

    return NavigationMap.of(flat_world())


@dataclass
class Toy:
    """The loop of a simulation: applies commands, counts steps, senses, waits at the barrier."""

    tree: SimulationTree
    shared: SharedState
    state: State
    notices: list[Notice] = field(default_factory=list)
    log: list[tuple[int, Command]] = field(default_factory=list)
    program_exits: list[tuple[int, ProgramExit]] = field(default_factory=list)
    states: list[bytes] = field(default_factory=list)
    drivers: Drivers = field(default_factory=Drivers)

    @classmethod
    def new(cls) -> "Toy":
        """A toy at step 0."""
        tree = toy_tree()
        shared = SharedState.create(tree.stop)
        state = State(tree, shared.live)
        for name in ROBOTS:
            state.ints[node(tree, name).start // WORD] = DeviceState.READY
        return cls(tree, shared, state)

    def processes(self, deadlines: Deadlines = DEFAULT_DEADLINES) -> ProcessParticipants:
        """For programs in processes of their own."""
        return ProcessParticipants(
            ProcessSetting(self.tree, self.shared, STEP_SECONDS),
            drivers=self.drivers,
            report=self.notices.append,
            deadlines=deadlines,
        )

    def threads(self, deadlines: Deadlines = DEFAULT_DEADLINES) -> ThreadParticipants:
        """For programs in threads."""
        memory = self.shared.live.toreadonly()
        return ThreadParticipants(
            ThreadSetting(self.tree, memory, STEP_SECONDS, load_navigation_map),
            drivers=self.drivers,
            report=self.notices.append,
            deadlines=deadlines,
        )

    def run(self, participants: Lockstep, steps: int) -> None:
        """Does so many steps, the first barrier at step 0."""
        self._barrier(participants)
        for _ in range(steps):
            self._step(participants)
            self._barrier(participants)

    def reasons(self) -> dict[str, str]:
        """Why programs have left, by the stem of their file."""
        return {Path(each.program).stem: each.reason for _, each in self.program_exits}

    def program_exit(self, program: str) -> tuple[int, ProgramExit]:
        """At which step the program of that stem has left, and how."""
        return next(each for each in self.program_exits if Path(each[1].program).stem == program)

    def _step(self, participants: Lockstep) -> None:
        for command in participants.commands():
            self.log.append((self.state.step, command))
            device = node(self.tree, command.device)
            write_command(self.state, device, command)
        self.state.ints[0] += 1
        self.state.ints[1] = time_after(self.state.step, STEP_SECONDS)
        for name in ROBOTS:
            drive = node(self.tree, f"{name}.chassis.drive").start // WORD
            psd = node(self.tree, f"{name}.chassis.psd0").start // WORD
            self.state.floats[psd] += self.state.floats[drive + 1] * STEP_SECONDS

    def _barrier(self, participants: Lockstep) -> None:
        participants.open(self.state.step)
        participants.wait()
        self.program_exits += [(self.state.step, each) for each in participants.take_exits()]
        self.states.append(self.state.to_bitstream())


@contextmanager
def closing(participants: Lockstep) -> Iterator[None]:
    """Ends the programs at the end of the block."""
    try:
        yield
    finally:
        participants.close()


def hear_out(participant: Participant, toy: Toy) -> ProgramExit | None:
    """Hears a program that was woken at step 0 until it waits, or takes part no longer."""
    gate = ProgramGate(toy.tree, toy.drivers)
    participant.start_timeout()
    while participant.due <= 0:
        program_exit = participant.receive(0, gate)
        if program_exit is not None:
            return program_exit
    return None
