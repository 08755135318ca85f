"""Gives the parts of a scenario to a world: who is under test, where robots begin, how it ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

from autosim.config.descriptions import PlacedRobot, TrafficDescription, WorldDescription
from autosim.config.scenarios import Scenario
from autosim.simulation.state import State
from autosim.simulation.tree import WORD
from autosim.traffic.node import NAME, SCENARIO
from autosim.traffic.scenarios.openscenario import EGO
from autosim.traffic.scenarios.places import Lanes, Pose
from autosim.traffic.scenarios.run import BROKEN, FAILED, MET, PASSED, check_names
from autosim.world.compiled.compiled import CompiledWorld


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a scenario ended.

    `passed`: None where it has not ended. `criteria`: `met`, `broken` or `open`, by name; `events`:
    when each happened [s], None where it did not.
    """

    name: str
    passed: bool | None
    criteria: Mapping[str, str]
    events: Mapping[str, float | None]


def with_scenario(
    world: WorldDescription, compiled: CompiledWorld, scenario: Scenario
) -> WorldDescription:
    """The world with a scenario in its traffic, and robots where the scenario has them begin.

    Raises:
        UserError: the scenario names somebody or a place that is not there.
    """
    robots = [robot.name for robot in world.robots]
    scenario = played(scenario, robots, [thing.name for thing in world.objects])
    traffic = replace(world.traffic or TrafficDescription(), scenario=scenario)
    return placed(replace(world, traffic=traffic), compiled)


def played(scenario: Scenario, robots: Sequence[str], things: Sequence[str]) -> Scenario:
    """The scenario in which the first robot plays the entity under test.

    That is an actor called `ego` or `hero`, in upper or lower case. What the scenario tells that
    one to do later is left to the robot's program.

    Args:
        scenario: as its file says.
        robots: names of those of the world.
        things: names of the world's objects.

    Raises:
        UserError: the scenario names somebody who is not there.
    """
    for actor in scenario.actors:
        if actor.name.lower() in EGO and robots:
            scenario = _played_by(scenario, actor.name, robots[0])
    check_names(scenario, [*robots, *things, *(actor.name for actor in scenario.actors)])
    return scenario


def placed(world: WorldDescription, compiled: CompiledWorld) -> WorldDescription:
    """The world with its robots where its scenario has them begin; itself where it has none.

    Raises:
        UserError: the scenario names a place that is not there.
    """
    scenario = world.traffic.scenario if world.traffic else None
    if scenario is None or not scenario.starts:
        return world
    lanes = Lanes(compiled.roads)
    poses: dict[str, Pose] = {}
    for name, place in scenario.starts:
        poses[name], _ = lanes.find(place, poses.__getitem__)
    robots = tuple(_placed(robot, poses.get(robot.name)) for robot in world.robots)
    return replace(world, robots=robots)


def _placed(robot: PlacedRobot, pose: Pose | None) -> PlacedRobot:
    if pose is None:
        return robot
    return replace(robot, position=(pose.x, pose.y, None), yaw=pose.yaw)


def _played_by(scenario: Scenario, name: str, robot: str) -> Scenario:
    """The scenario in which a robot plays an actor."""
    actor = next(each for each in scenario.actors if each.name == name)
    events = tuple(
        replace(event, actions=tuple(each for each in event.actions if each.actor != name))
        for event in scenario.events
    )
    others = tuple(each for each in scenario.actors if each.name != name)
    starts = scenario.starts if actor.place is None else (*scenario.starts, (name, actor.place))
    changed = replace(scenario, actors=others, events=events, starts=starts)
    return cast(Scenario, _renamed(changed, name, robot))


def _renamed(value: Any, name: str, robot: str) -> Any:
    """A record, or several, in which `robot` stands wherever `name` stood."""
    if isinstance(value, str):
        return robot if value == name else value
    if isinstance(value, tuple):
        return tuple(_renamed(each, name, robot) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        own = {each.name: getattr(value, each.name) for each in fields(value)}
        return replace(value, **{key: _renamed(each, name, robot) for key, each in own.items()})
    return value


def verdict_of(world: WorldDescription, state: State) -> Verdict | None:
    """How the scenario of a world stands; None where it has none."""
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
