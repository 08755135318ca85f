"""Start poses of robots in a world's scenario, and the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from autosim.config.descriptions import PlacedRobot, WorldDescription
from autosim.config.scenarios import Storyboard
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.traffic.scenarios.scenario_positions import ActorPose, LanePositions
from autosim.traffic.scenarios.scenario_run import BROKEN, FAILED, MET, PASSED
from autosim.traffic.traffic_node import NAME, SCENARIO
from autosim.world.compiled.compiled_world import CompiledWorld


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict of a scenario.

    `passed`: None until it has ended. `criteria`: `met`, `broken` or `open`, by name; `events`:
    the time of each [s], None if it has not happened.
    """

    name: str
    passed: bool | None
    criteria: Mapping[str, str]
    events: Mapping[str, float | None]


def with_start_poses(world: WorldDescription, compiled: CompiledWorld) -> WorldDescription:
    """The world with its robots where its scenario has them begin; itself where it has none.

    Raises:
        UserError: the scenario names a place that is not there.
    """
    scenario = world.traffic.scenario if world.traffic else None
    if scenario is not None and scenario.storyboard is not None and scenario.storyboard.egos:
        return _with_egos_placed(world, scenario.storyboard, compiled)
    if scenario is None or not scenario.starts:
        return world
    lanes = LanePositions(compiled.roads)
    poses: dict[str, ActorPose] = {}
    for name, place in scenario.starts:
        poses[name], _ = lanes.find(place, poses.__getitem__)
    robots = tuple(_placed(robot, poses.get(robot.name)) for robot in world.robots)
    return replace(world, robots=robots)


def _with_egos_placed(
    world: WorldDescription, storyboard: Storyboard, compiled: CompiledWorld
) -> WorldDescription:
    """The world with its robots where the init phase of a storyboard puts their entities."""
    # Imports SciPy's trees, which worlds without a storyboard have no use for.
    from autosim.traffic.scenarios.storyboard_run import center_of, load_engine

    engine, shift = load_engine(storyboard, compiled)
    poses = {
        robot: ActorPose(*center_of(engine.entities[entity], shift))
        for entity, robot in storyboard.egos
    }
    robots = tuple(_placed(robot, poses.get(robot.name)) for robot in world.robots)
    return replace(world, robots=robots)


def _placed(robot: PlacedRobot, pose: ActorPose | None) -> PlacedRobot:
    if pose is None:
        return robot
    return replace(robot, position=(pose.x, pose.y, None), yaw=pose.yaw)


def verdict_of(world: WorldDescription, state: State) -> Verdict | None:
    """Current verdict of a world's scenario; None without a scenario."""
    scenario = world.traffic.scenario if world.traffic else None
    node = state.tree.find(f"{NAME}.{SCENARIO}")
    if scenario is None or node is None:
        return None
    starts = [node.field_offset(each.name) // WORD for each in node.fields]
    status, event, criterion = starts
    words = {MET: "met", BROKEN: "broken"}
    seconds = world.physics.step_seconds
    steps = state.ints[event : event + len(scenario.events)].tolist()
    codes = state.ints[criterion : criterion + len(scenario.criteria)].tolist()
    return Verdict(
        name=scenario.name,
        passed={PASSED: True, FAILED: False}.get(int(state.ints[status])),
        criteria={
            each.name: words.get(code, "open")
            for each, code in zip(scenario.criteria, codes, strict=True)
        },
        events={
            each.name: round(step * seconds, 6) if step >= 0 else None
            for each, step in zip(scenario.events, steps, strict=True)
        },
    )
