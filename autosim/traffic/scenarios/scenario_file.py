"""Reads a scenario file; see `autosim.config.schemas.scenario`."""

from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path

from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.config.files.lookup import locate
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults, check_unique
from autosim.config.reading.sources import Source, open_source, read_block
from autosim.config.scenarios import (
    PERSON,
    Action,
    Actor,
    ChangeLane,
    CollisionCondition,
    Condition,
    Criterion,
    DistanceCondition,
    DriveTo,
    EventCondition,
    FollowPath,
    LanePosition,
    Move,
    Position,
    ReachPositionCondition,
    RelativePosition,
    Remove,
    Scenario,
    ScenarioEvent,
    SetSpeed,
    SpeedCondition,
    TimeCondition,
    ValueRange,
    WorldPosition,
)
from autosim.config.schemas.scenario import scenario_element
from autosim.config.xml_axes import world_yaw
from autosim.traffic.scenarios.openscenario import read_openscenario
from autosim.traffic.vehicle_kinds import KIND_NAMES

SCENARIO = scenario_element(KIND_NAMES)
"""The root of a scenario file."""

OPENSCENARIO = "OpenSCENARIO"
"""The name of the root of a file of OpenSCENARIO XML."""

_PLACES = ("Position", "OnLane", "Beside")

_FARTHEST = 1e7
"""Bounds from which on a number counts as none [SI units]: that of the schema."""


def load_scenario(path: str | Path, diagnostics: Diagnostics | None = None) -> Scenario:
    """Reads a scenario file, or one of OpenSCENARIO XML 1.x (`.xosc`).

    Args:
        path: of the file, from the working directory or a search root.
        diagnostics: receives the warnings, also where there is no error.

    Raises:
        ConfigError: the file has faults; all are named with their lines.
        PathError: there is no such file.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    file, _ = locate(path, None)
    source = open_source(file, found)
    scenario = read_scenario(source) if source else None
    if scenario is None:
        raise ConfigError(found.all)
    return scenario


def read_scenario(source: Source) -> Scenario | None:
    """The scenario of a file of either kind; None, with diagnostics, if it has errors."""
    if source.tag == OPENSCENARIO:
        scenario = read_openscenario(source)
        return replace(scenario, source=source.path) if scenario else None
    block = read_block(source, SCENARIO)
    if block is None:
        return None
    _check(block, source.faults)
    return None if source.faults.has_errors else replace(_scenario(block), source=source.path)


def _check(block: Block, faults: Faults) -> None:
    check_unique([*block.all("Vehicle", "Person")], faults)
    check_unique([*block.all("Event")], faults)
    for each in (*block.all("Vehicle", "Person", "Start"), *_nested(block)):
        _check_places(each, faults)
    for each in block.all("Never", "Once", "Always"):
        if len(each.children) != 1:
            faults.error(each, f"{each.title} takes one condition")
    for each in block.all("Event"):
        if each.first("When") is None:
            faults.error(each, f"{each.title} has no <When>: nothing would make it happen")


def _check_places(block: Block, faults: Faults) -> None:
    """Finds blocks with too few or too many places."""
    count = len([*block.all(*_PLACES)])
    if block.tag in ("FollowPath", "DriveTo"):
        if not count:
            faults.error(block, f"{block.title} names no place: Position, OnLane or Beside")
        return
    least = 0 if block.tag in ("Vehicle", "Person") else 1
    if not least <= count <= 1:
        faults.error(block, f"{block.title} takes one place: Position, OnLane or Beside")


def _nested(block: Block) -> list[Block]:
    """All blocks in events, criteria and ends that hold places."""
    found = []
    for each in block.children:
        if each.tag not in _PLACES:
            found += [each] if each.tag in ("Move", "At", "FollowPath", "DriveTo") else []
            found += _nested(each)
    return found


def _scenario(block: Block) -> Scenario:
    actors = [_actor(each) for each in block.all("Vehicle", "Person")]
    return Scenario(
        name=block.name,
        seconds=block.own_real("seconds"),
        actors=tuple(actors),
        events=tuple(_event(each) for each in block.all("Event")),
        criteria=tuple(_criterion(each) for each in block.all("Never", "Once", "Always")),
        starts=tuple((str(each.get("of")), _places(each)[0]) for each in block.all("Start")),
        ends=tuple(_conditions(each) for each in block.all("End")),
    )


def _actor(block: Block) -> Actor:
    places = _places(block)
    return Actor(
        block.name,
        PERSON if block.tag == "Person" else str(block.get("kind")),
        places[0] if places else None,
        block.own_real("speed"),
        block.tag == "Vehicle" and bool(block.get("opposite")),
        block.tag != "Vehicle" or bool(block.get("looks")),
    )


def _places(block: Block) -> tuple[Position, ...]:
    return tuple(_place(each) for each in block.all(*_PLACES))


def _place(block: Block) -> Position:
    if block.tag == "Position":
        turn = block.get("rotY")
        yaw = None if turn is None else world_yaw(float(turn))
        return WorldPosition(block.own_real("x"), block.own_real("z"), yaw)
    if block.tag == "OnLane":
        lane, left = int(block.own_real("lane")), block.own_real("left")
        return LanePosition(lane, block.own_real("station"), left)
    lanes = int(block.own_real("lanes"))
    return RelativePosition(
        str(block.get("of")), block.own_real("ahead"), lanes, block.own_real("left")
    )


def _event(block: Block) -> ScenarioEvent:
    when = tuple(_conditions(each) for each in block.all("When"))
    return ScenarioEvent(block.name, when, tuple(_action(each) for each in block.all(*_ACTIONS)))


def _conditions(block: Block) -> tuple[Condition, ...]:
    return tuple(_condition(each) for each in block.children)


def _criterion(block: Block) -> Criterion:
    condition = block.children[0]
    named = " and ".join(
        str(each) for each in (condition.values.get("of"), _other(condition)) if each
    )
    name = block.name or f"{block.tag} {condition.tag} {named}".strip()
    must = {"Never": "never", "Once": "once", "Always": "always"}[block.tag]
    return Criterion(name, must, _condition(condition))  # type: ignore[arg-type]


def _other(block: Block) -> object:
    return block.values.get("to") or block.values.get("with")


def _bounds(block: Block) -> ValueRange:
    least, most = block.own_real("least"), block.own_real("most")
    return ValueRange(
        -inf if least <= -_FARTHEST else least,
        inf if most >= _FARTHEST else most,
    )


def _condition(block: Block) -> Condition:
    of = str(block.values.get("of", ""))
    other = str(_other(block) or "")
    makers: dict[str, Callable[[], Condition]] = {
        "Time": lambda: TimeCondition(_bounds(block)),
        "Speed": lambda: SpeedCondition(of, _bounds(block)),
        "Gap": lambda: DistanceCondition(of, other, _bounds(block)),
        "Headway": lambda: DistanceCondition(of, other, _bounds(block), "headway"),
        "TimeToCollision": lambda: DistanceCondition(of, other, _bounds(block), "collision"),
        "At": lambda: ReachPositionCondition(of, _places(block)[0], block.own_real("within")),
        "Collision": lambda: CollisionCondition(of, other),
        "After": lambda: EventCondition(str(block.get("event")), block.own_real("seconds")),
    }
    return makers[block.tag]()


_ACTIONS = ("Move", "SetSpeed", "ChangeLane", "FollowPath", "DriveTo", "Remove")


def _action(block: Block) -> Action:
    actor = str(block.get("actor"))
    if block.tag == "Move":
        return Move(actor, _places(block)[0])
    if block.tag == "SetSpeed":
        return SetSpeed(actor, block.own_real("value"), block.own_real("seconds"))
    if block.tag == "ChangeLane":
        return ChangeLane(actor, int(block.own_real("lanes")), block.own_real("seconds"))
    if block.tag == "Remove":
        return Remove(actor)
    places = _places(block)
    if block.tag == "DriveTo":
        return DriveTo(actor, places)
    times = [each.values.get("time") for each in block.all(*_PLACES)]
    is_timed = all(time is not None for time in times)
    return FollowPath(actor, places, tuple(map(float, times)) if is_timed else ())  # type: ignore[arg-type]
