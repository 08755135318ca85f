"""Plays a scenario: a test in traffic that passes or fails, with or without pictures of it."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from autosim.applications.common.files import write_whole
from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
from autosim.applications.common.terminal import tell, waiting
from autosim.applications.remote.program_choice import resolve_program
from autosim.applications.run.commonroad_solution import SolutionWriter
from autosim.applications.run.waiting import wait_for_step
from autosim.client.link.mirror import Mirror
from autosim.client.link.server_management import ServerManagement
from autosim.client.programs.client_programs import ClientPrograms, ProgramOrder
from autosim.config.descriptions import WorldDescription
from autosim.config.reading.map_kinds import is_map_file
from autosim.config.scenarios import Scenario
from autosim.errors import UserError
from autosim.loading.loader import world_for_osm
from autosim.loading.world_writer import with_scenario, with_traffic
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.orders.robot_orders import MoveRobot
from autosim.server.network.front import Event, ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.server.worlds.recorded_files import record_path
from autosim.traffic.scenarios.scenario_file import load_scenario
from autosim.traffic.scenarios.scenario_starts import Verdict, verdict_of, with_start_poses
from autosim.traffic.scenarios.storyboard_run import start_speeds
from autosim.traffic.traffic_node import counters_of
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compiled_file

_LAST_LOOK = 0.1
"""Time [s] from the end of a scenario until its verdict is there: two looks at its criteria."""


@dataclass(frozen=True, slots=True)
class ScenarioOptions:
    """Scenario, world and output.

    `place`: a world file or an extract. `program` drives the first robot instead of its own, with
    `arguments`; `out` is the folder for the figures; `vehicles` and `people` of traffic in addition
    to the actors, None: those of the world. `record`: the name of its record, None: none.
    """

    scenario: Path
    """File of the scenario."""
    place: Path
    out: Path
    seed: int = 0
    """Seed of all noise."""
    program: Path | None = None
    arguments: tuple[str, ...] = ()
    vehicles: int | None = None
    people: int | None = None
    record: str | None = None
    robot: Path | None = None
    """Robot file in place of the first robot of the world."""
    values: tuple[tuple[str, str], ...] = ()
    """Values of parameters of an OpenSCENARIO file, by name."""
    address: str = "127.0.0.1:0"
    """HOST:PORT at which clients may watch; port 0: any."""
    pace: float = 0.0
    """Simulated time per real time at most; 0: as fast as it goes."""


@dataclass(frozen=True, slots=True)
class ScenarioSummary:
    """The figures of a scenario, as `summary.json` holds them."""

    world: str
    """Name of the world."""
    seconds: float
    """Simulated time [s]."""
    real_time_factor: float
    """Simulated time per real time."""
    collisions: dict[str, int]
    """Number of collisions by robot."""
    traffic: dict[str, int]
    """Counters of traffic by name."""
    scenario: Verdict
    failure: str
    """Error message, "" for none."""
    out: str
    """Folder of the output."""

    def as_text(self) -> str:
        """The figures as lines of text."""
        return f"{verdict_text(self.scenario)}\nwritten   {self.out}/summary.json"


def play_scenario(options: ScenarioOptions) -> ScenarioSummary:
    """Plays a scenario as fast as it goes, and writes its figures.

    Raises:
        UserError: it cannot be played; the message says why.
    """
    scenario = _with_values(load_scenario(options.scenario), options.values)
    described = _world_of(options)
    described = with_traffic(described, vehicles=options.vehicles, people=options.people)
    order = _order_of(described, options)
    world = with_scenario(_without_driver(described, order), scenario)
    compiled = compile_with_progress(world)
    record = record_path(options.record, world.name) if options.record is not None else None
    options.out.mkdir(parents=True, exist_ok=True)

    def say(event: Event) -> None:
        if isinstance(event, Notice):
            tell(f"{event.source}: {event.text}")

    server_options = ServerOptions(address=options.address, seed=options.seed, record=record)
    with (
        ServerProcess(world, server_options, on_event=say) as server,
        Mirror(world, server.address, name="scenario") as mirror,
        _at_the_wheel(mirror, order, compiled_file(compiled.digest)) as failures,
    ):
        _roll(mirror, world, compiled)
        begin = time.perf_counter()
        _play(mirror, server, world, scenario, options)
        spent = time.perf_counter() - begin
        report = mirror.connection.report()
        verdict = verdict_of(world, mirror.state)
        counted = counters_of(mirror.state)
    assert verdict is not None
    summary = ScenarioSummary(
        world=world.name,
        seconds=report.status.time,
        real_time_factor=report.status.time / max(spent, 1e-9),
        collisions=dict(zip(report.robots, report.collisions, strict=True)),
        traffic=counted,
        scenario=verdict,
        failure="; ".join(filter(None, (failure_of(verdict), *failures))),
        out=str(options.out),
    )
    text = json.dumps(asdict(summary), indent=2)
    write_whole(options.out / "summary.json", f"{text}\n".encode())
    return summary


def _world_of(options: ScenarioOptions) -> WorldDescription:
    """The world in which a scenario is played."""
    if options.robot is None or not is_map_file(options.place):
        return open_named_world(options.place)
    return world_for_osm(options.place, robot=options.robot)


def _with_values(scenario: Scenario, values: tuple[tuple[str, str], ...]) -> Scenario:
    if not values:
        return scenario
    if scenario.storyboard is None:
        raise UserError("only OpenSCENARIO files have parameters to set")
    return replace(scenario, storyboard=replace(scenario.storyboard, values=values))


def _roll(mirror: Mirror, world: WorldDescription, compiled: CompiledWorld) -> None:
    """Sets the robots of a scenario in motion at the speeds that it states."""
    scenario = world.traffic.scenario if world.traffic else None
    if scenario is None:
        return
    board = scenario.storyboard
    speeds = dict(scenario.start_speeds) if board is None else start_speeds(board, compiled)
    if not any(speeds.values()):
        return
    for robot in with_start_poses(world, compiled).robots:
        speed = speeds.get(robot.name, 0.0)
        if speed and robot.position is not None:
            order = MoveRobot(
                robot.name, robot.position[:2], yaw=robot.yaw, velocity=(speed, 0.0, 0.0)
            )
            ServerManagement(mirror.connection).move_robot(order)


def _order_of(world: WorldDescription, options: ScenarioOptions) -> ProgramOrder | None:
    """The program under test and the first robot, which it drives; None: there is no such program.

    Raises:
        UserError: there is no such file or no robot.
    """
    if options.program is None:
        return None
    program = resolve_program(options.program)
    if not world.robots:
        raise UserError(f"world '{world.name}' has no robot for {options.program} to drive")
    return ProgramOrder(program, world.robots[0].name, options.arguments)


def _without_driver(world: WorldDescription, order: ProgramOrder | None) -> WorldDescription:
    """The world without the first robot's own program, where another one is to drive it."""
    if order is None:
        return world
    first = replace(world.robots[0], program=None, program_arguments=())
    return replace(world, robots=(first, *world.robots[1:]))


@contextmanager
def _at_the_wheel(
    mirror: Mirror, order: ProgramOrder | None, world_file: Path | None
) -> Iterator[list[str]]:
    """Inside, the program under test takes part from the first step on.

    Yields the list of messages about its failures, which may grow.

    Raises:
        UserError: it does not reach its first `wait`.
    """
    failures: list[str] = []
    if order is None:
        yield failures
        return

    def report(notice: Notice) -> None:
        if notice.level != "info":
            tell(str(notice))
        if notice.level == "error":
            failures.append(f"{order.program.name} has failed")

    with ClientPrograms(mirror, world_file=world_file, report=report) as programs:
        programs.launch(order)
        with waiting(f"starting {order.program.name}"):
            is_there = programs.wait_until_attached()
        if not is_there or not programs.running:
            raise UserError(f"{order.program.name} did not reach its first wait()")
        yield failures


def _play(
    mirror: Mirror,
    server: ServerProcess,
    world: WorldDescription,
    scenario: Scenario,
    options: ScenarioOptions,
) -> None:
    """Runs the simulation until the scenario has ended; of CommonRoad, it writes a solution."""
    steps = steps_of(scenario, world)
    with waiting("starting the simulation"):
        wait_for_step(mirror, server, 0)
    robot = world.robots[0].name if world.robots else ""
    solution = SolutionWriter.for_scenario(scenario, robot) if robot else None
    if solution is not None:
        mirror.take()
        solution.add(mirror.state)
        length, states = world.physics.step_seconds, 1
        while (target := round(states * solution.step_seconds / length)) <= steps:
            mirror.connection.run(steps=target - mirror.state.step, real_time_factor=options.pace)
            wait_for_step(mirror, server, target)
            mirror.take()
            solution.add(mirror.state)
            states += 1
        tell(f"written   {solution.write(options.out)}")
    left = max(steps - mirror.state.step, 1)
    mirror.connection.run(steps=left, real_time_factor=options.pace)
    while mirror.state.step < steps and not is_over(world, mirror.state):
        wait_for_step(mirror, server, mirror.state.step + 1)
        mirror.take()
    mirror.connection.pause()
    server.poll()


def duration_of(scenario: Scenario) -> float:
    """Time [s] after which the verdict on a scenario is there."""
    return scenario.seconds + _LAST_LOOK


def steps_of(scenario: Scenario, world: WorldDescription) -> int:
    """Number of steps after which it is there."""
    return max(1, round(duration_of(scenario) / world.physics.step_seconds))


def is_over(world: WorldDescription, state: State) -> bool:
    """Whether a scenario has ended before its time."""
    scenario = world.traffic.scenario if world.traffic else None
    if scenario is None or not (scenario.ends or scenario.storyboard):
        return False
    verdict = verdict_of(world, state)
    return verdict is not None and verdict.passed is not None


def failure_of(verdict: Verdict | None) -> str:
    """Why a scenario has failed; "" where it has not."""
    if verdict is None or verdict.passed is not False:
        return ""
    broken = [name for name, how in verdict.criteria.items() if how == "broken"]
    return f"scenario '{verdict.name}' has failed: {', '.join(broken)}"


def verdict_text(verdict: Verdict) -> str:
    """A line about how a scenario ended."""
    named = ", ".join(f"{name}: {how}" for name, how in verdict.criteria.items())
    how = {True: "passed", False: "failed", None: "did not end"}[verdict.passed]
    return f"played    scenario '{verdict.name}': {how}" + (f" ({named})" if named else "")
