"""What a user program's calls cost: get_data, set_data and wait, in process and across processes.

    python benchmarks/get_data.py

Each call is timed singly, then the cost of the timing itself is taken off. The limit that the
figures stand against is measured in the same run: reading one number through a memoryview. The
goals are: get_data at most 0.5 µs in process and 3 µs over shared memory, a wait (one step of a
simulation that does nothing else, and back) at most 100 µs; p50.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

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
from autosim.engine.programs.deadlines import Deadlines
from autosim.engine.programs.lockstep import Lockstep
from autosim.engine.programs.process_participants import ProcessParticipants, ProcessSetting
from autosim.engine.programs.program_thread import ThreadSetting
from autosim.engine.programs.thread_participants import ThreadParticipants
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.director import build_tree
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.kinds.sensors.ranging.psd import PSDSensor
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.userprogram import get_data, set_data, wait
from autosim.userprogram.ipc.program_exits import ProgramExit
from autosim.userprogram.ipc.shared_state import SharedState
from autosim.userprogram.session.navigation_map import NavigationMap

CALLS = 20_000
WAITS = 2_000
STEP_SECONDS = 1.0 / 240.0
REPORT = "results.npz"


def main(argv: list[str]) -> None:
    """The user program that is measured; argv[1] is the folder for what it finds."""
    robot, folder = argv
    number, several = f"{robot}.chassis.psd0", f"{robot}.chassis.drive"
    words = memoryview(bytearray(64)).cast("d")
    empty = timed(lambda: None, CALLS)
    calls: dict[str, tuple[Callable[[], object], int]] = {
        "memoryview, one number (limit)": (lambda: words[3], CALLS),
        "get_data, one number": (lambda: get_data(number), CALLS),
        "get_data, three numbers": (lambda: get_data(several), CALLS),
        "get_data, text": (lambda: get_data(f"{robot}.chassis.gps"), CALLS),
        "set_data, three numbers": (lambda: set_data(several, (0.0, 0.5, 0.0)), WAITS),
    }
    results = {}
    for name, (call, count) in calls.items():
        results[name] = np.maximum(timed(call, count) - np.median(empty), 0.0)
        wait(STEP_SECONDS)
    results["wait, one step and back"] = timed(lambda: wait(STEP_SECONDS), WAITS)
    np.savez(Path(folder) / REPORT, **results)


def timed(call: Callable[[], object], count: int) -> np.ndarray:
    """Duration of each of `count` calls [µs], after some for warming up."""
    clock = time.perf_counter_ns
    durations = np.empty(count)
    for _ in range(100):
        call()
    for k in range(count):
        begin = clock()
        call()
        durations[k] = clock() - begin
    return durations * 1e-3


def tree_of(robots: int) -> SimulationTree:
    """A tree with so many robots, of which the program uses the last."""
    description = RobotDescription(
        "car",
        Path("car.xml"),
        (BoxPart("chassis", (0.0, 0.0, 0.0), (4.0, 2.0, 1.0), mass=1000.0),),
        (),
        (
            DriveActuator("drive", "chassis"),
            PSDSensor("psd0", "chassis"),
            GPSSensor("gps", "chassis"),
        ),
    )
    return build_tree(
        WorldDescription(
            name="benchmark",
            source=Path("benchmark.xml"),
            graphics=GraphicsDescription(),
            physics=PhysicsDescription(STEP_SECONDS),
            terrain=TerrainDescription(Path("benchmark.osm"), MapSetup("benchmark")),
            robots=tuple(PlacedRobot(f"car{k}", description) for k in range(robots)),
        )
    )


def no_map() -> NavigationMap:
    """The program that is measured does not navigate."""
    raise NotImplementedError


def run(participants: Lockstep, state: State, folder: Path) -> tuple[dict[str, np.ndarray], float]:
    """Steps until the program has ended; its figures, and the cost of a barrier without it [µs]."""
    participants.launch(Path(__file__), robot=state.tree.children[-1].name, arguments=[str(folder)])
    while not (exits := barrier(participants, state.step)):
        state.ints[0] += 1
        participants.commands()
    if exits[0].has_failed:
        sys.exit(f"{exits[0].reason}\n{exits[0].traceback}")
    idle = timed(lambda: barrier(participants, state.step), CALLS)
    participants.close()
    with np.load(folder / REPORT) as results:
        return dict(results), float(np.median(idle))


def barrier(participants: Lockstep, step: int) -> Sequence[ProgramExit]:
    """The barrier of a step; who has left."""
    participants.open(step)
    participants.wait()
    return participants.take_exits()


def measure(robots: int, *, is_shared: bool) -> tuple[dict[str, np.ndarray], float]:
    """Runs the program in a process of its own or in a thread of this one."""
    tree = tree_of(robots)
    shared = SharedState.create(tree.stop)
    state = State(tree, shared.live)
    participants: ProcessParticipants | ThreadParticipants
    if is_shared:
        participants = ProcessParticipants(
            ProcessSetting(tree, shared, STEP_SECONDS),
            drivers=Drivers(),
            report=print,
            deadlines=Deadlines(turn=60.0),
        )
    else:
        participants = ThreadParticipants(
            ThreadSetting(tree, shared.live.toreadonly(), STEP_SECONDS, no_map),
            drivers=Drivers(),
            report=print,
            deadlines=Deadlines(turn=60.0),
        )
    with tempfile.TemporaryDirectory() as folder:
        return run(participants, state, Path(folder))


def show(title: str, figures: dict[str, np.ndarray], idle: float) -> None:
    """Prints a table: p50, p99, and how many times the limit of the same run."""
    limit = max(float(np.median(next(iter(figures.values())))), 1e-3)
    print(f"\n{title}\n{'':34}{'p50 µs':>10}{'p99 µs':>10}{'x limit':>10}")
    for name, durations in figures.items():
        middle, high = np.percentile(durations, [50, 99])
        print(f"{name:34}{middle:10.2f}{high:10.2f}{middle / limit:10.1f}")
    print(f"{'barrier, nobody due (host)':34}{idle:10.2f}")


if __name__ == "__main__":
    for robots in (1, 100):
        for is_shared in (False, True):
            where = "its own process, shared memory" if is_shared else "a thread of the simulation"
            show(f"{robots} robots, program in {where}", *measure(robots, is_shared=is_shared))
