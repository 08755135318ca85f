"""From a suite and an agent to the orders of its episodes."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
from autosim.applications.common.terminal import tell
from autosim.applications.sweeps.order import RunOrder
from autosim.applications.sweeps.run_plan import PlannedRun, programs_of, with_id
from autosim.benchmark.agents import BenchmarkAgent
from autosim.benchmark.episode import Episode
from autosim.benchmark.parking_routes import plan_in
from autosim.benchmark.routes import PlannedRoute
from autosim.config.descriptions import PlacedRobot, WorldDescription
from autosim.config.files.digests import file_digest
from autosim.config.files.lookup import locate
from autosim.config.suites import RouteGroup, Suite
from autosim.errors import UserError
from autosim.loading.loader import load_robot
from autosim.loading.world_writer import rewritten, roots_of, write_world

CAR = "car"
"""Name of the car of worlds that are made from an extract."""


def plan_benchmark(suite: Suite, agent: BenchmarkAgent, limit: int | None) -> Iterator[PlannedRun]:
    """The runs of a suite: each route of each group with each seed.

    Args:
        suite: the suite.
        agent: drives all episodes.
        limit: largest number of runs, None for all.

    Raises:
        ConfigError: a world has faults.
        UserError: a world has too few routes, or a file is absent.
    """
    count = 0
    for group in suite.groups:
        if limit is not None and count >= limit:
            return
        world = open_group(group)
        if world is None:
            tell(f"skipped '{group.name}': there is no {group.world}")
            continue
        for run in _runs(suite, group, world, agent):
            if limit is not None and count >= limit:
                return
            count += 1
            yield run
    if not count:
        raise UserError(
            f"suite '{suite.name}' has no episode here: put the folder of its maps into "
            "$AUTOSIM_PATH"
        )


def open_group(group: RouteGroup) -> WorldDescription | None:
    """The world of a group with its car alone; None where it is optional and absent.

    Raises:
        ConfigError: it has faults, or the file is absent.
    """
    file, _ = locate(group.world, None)
    if group.is_optional and not file.exists():
        return None
    described = open_named_world(file)
    robot = load_robot(str(group.robot))
    name = described.robots[0].name if described.robots else CAR
    return replace(described, robots=(PlacedRobot(name, robot),))


def _runs(
    suite: Suite, group: RouteGroup, world: WorldDescription, agent: BenchmarkAgent
) -> Iterator[PlannedRun]:
    compiled = compile_with_progress(world)
    roots = roots_of(world)
    folders = tuple(map(str, roots))
    driven = rewritten(world)
    text = write_world(driven, roots).encode()
    place = f"worlds/{group.name}.xml"
    placed = replace(world.robots[0], program=agent.program or None)
    programs = programs_of(replace(world, robots=(placed,)), roots)
    programs |= {str(each.resolve()): file_digest(each) for each in agent.files}
    for number, route in enumerate(plan_in(compiled, group)):
        episode = _episode(suite, group, agent, number, route)
        for seed in range(suite.first_seed, suite.first_seed + suite.seeds):
            order = RunOrder(
                id="",
                study=suite.name,
                parameters={"group": group.name, "route": str(number), "agent": agent.name},
                seed=seed,
                world=place,
                roots=folders,
                own={place: hashlib.sha256(text).hexdigest()},
                others=dict(driven.files[1:]),
                programs=programs,
                seconds=episode.timeout,
                measures=(),
                measured_by="",
                limit=suite.limit,
                record="none",
                episode=episode.to_json(),
            )
            yield PlannedRun(with_id(order), {place: text})


def _episode(
    suite: Suite, group: RouteGroup, agent: BenchmarkAgent, number: int, route: PlannedRoute
) -> Episode:
    return Episode(
        suite=suite.name,
        group=group.name,
        split=group.split,
        track=suite.track,
        number=number,
        lanes=route.lanes,
        length=route.length,
        station=route.station,
        place=route.place,
        vehicles=group.vehicles,
        people=group.people,
        hours=group.hours,
        rain=group.rain,
        timeout=route.length * suite.pace + suite.grace,
        blocked=suite.blocked,
        agent=agent.name,
        program=agent.program,
        arguments=agent.arguments,
        command=agent.command,
    )
