"""Reads a scenario file; see `autosim.config.schemas.scenario`.

The readers of other formats are imported with the first file of their kind: most worlds have none.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.config.files.lookup import locate
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults, check_unique
from autosim.config.reading.map_kinds import is_commonroad
from autosim.config.reading.record_reader import read_record
from autosim.config.reading.sources import Source, open_source, read_block
from autosim.config.reading.xml_reader import line_of
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
from autosim.openscenario.dsl.file_names import is_dsl
from autosim.traffic.vehicle_kinds import KIND_NAMES

SCENARIO = scenario_element(KIND_NAMES)
"""The root of a scenario file."""

TABLE_SUFFIXES = (".csv", ".parquet")
"""Endings of the names of tables of recorded actors, in lower case."""

SCENARIO_KINDS = (
    "a scenario (<Scenario>, <OpenSCENARIO> or <commonRoad>), or a file whose name ends in .osc "
    "(OpenSCENARIO DSL), .csv or .parquet (recorded actors)"
)
"""Kinds of files of which a scenario is one, for messages."""

OPENSCENARIO = "OpenSCENARIO"
"""The name of the root of a file of OpenSCENARIO XML."""

_PLACES = ("Position", "LanePosition", "RelativePosition")
_PLACE_NAMES = "Position, LanePosition or RelativePosition"


def load_scenario(path: str | Path, diagnostics: Diagnostics | None = None) -> Scenario:
    """Reads a scenario file, one of OpenSCENARIO or CommonRoad, or a recorded table.

    Args:
        path: of the file, from the working directory or a search root.
        diagnostics: receives the warnings, also where there is no error.

    Raises:
        ConfigError: the file has faults; all are named with their lines.
        PathError: there is no such file.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    file, _ = locate(path, None)
    scenario = read_scenario_file(file, found)
    if scenario is None:
        raise ConfigError(found.all)
    return scenario


def read_scenario_file(path: Path, found: Diagnostics) -> Scenario | None:
    """The scenario of a file of any kind; None, with diagnostics, if it has errors."""
    if path.suffix.lower() in TABLE_SUFFIXES:
        from autosim.traffic.scenarios.recorded.recorded_table import read_recorded_table

        try:
            return replace(read_recorded_table(path, found), source=path)
        except ConfigError:
            return None
    if is_dsl(path):
        from autosim.traffic.scenarios.storyboard_file import read_storyboard

        return read_storyboard(path, Faults(path, found))
    if is_commonroad(path):
        from autosim.traffic.scenarios.recorded.commonroad import read_commonroad_scenario

        scenario = read_commonroad_scenario(path, found)
        return replace(scenario, source=path) if scenario else None
    source = open_source(path, found, SCENARIO_KINDS)
    return read_scenario(source) if source else None


def read_scenario(source: Source) -> Scenario | None:
    """The scenario of a file of either kind; None, with diagnostics, if it has errors."""
    if source.tag == OPENSCENARIO:
        from autosim.traffic.scenarios.storyboard_file import read_storyboard

        return read_storyboard(source.path, source.faults)
    if source.tag != SCENARIO.name:
        name = printable(source.tag, 40)
        source.faults.error(line_of(source.root), f"is <{name}>: expected {SCENARIO_KINDS}")
        return None
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
            faults.error(block, f"{block.title} names no place: {_PLACE_NAMES}")
        return
    least = 0 if block.tag in ("Vehicle", "Person") else 1
    if not least <= count <= 1:
        faults.error(block, f"{block.title} takes one place: {_PLACE_NAMES}")


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
    return read_record(
        Scenario,
        block,
        actors=tuple(actors),
        events=tuple(_event(each) for each in block.all("Event")),
        criteria=tuple(_criterion(each) for each in block.all("Never", "Once", "Always")),
        starts=tuple((str(each.get("of")), _places(each)[0]) for each in block.all("Start")),
        ends=tuple(_conditions(each) for each in block.all("End")),
    )


def _actor(block: Block) -> Actor:
    place = next(iter(_places(block)), None)
    if block.tag == "Person":
        walks = {"kind": PERSON, "is_opposite": False, "brakes_for_others": True}
        return read_record(Actor, block, place=place, **walks)
    return read_record(Actor, block, place=place)


def _places(block: Block) -> tuple[Position, ...]:
    return tuple(_place(each) for each in block.all(*_PLACES))


def _place(block: Block) -> Position:
    if block.tag == "Position":
        turn = block.get("rotY")
        yaw = None if turn is None else world_yaw(float(turn))
        return read_record(WorldPosition, block, yaw=yaw)
    if block.tag == "LanePosition":
        return read_record(LanePosition, block)
    return read_record(RelativePosition, block)


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


def _condition(block: Block) -> Condition:
    makers: dict[str, Callable[[], Condition]] = {
        "Time": lambda: TimeCondition(_bounds(block)),
        "Speed": lambda: read_record(SpeedCondition, block, bounds=_bounds(block)),
        "Gap": lambda: _distance(block, "metres"),
        "Headway": lambda: _distance(block, "headway"),
        "TimeToCollision": lambda: _distance(block, "collision"),
        "At": lambda: read_record(ReachPositionCondition, block, place=_places(block)[0]),
        "Collision": lambda: read_record(CollisionCondition, block),
        "After": lambda: read_record(EventCondition, block),
    }
    return makers[block.tag]()


def _bounds(block: Block) -> ValueRange:
    return read_record(ValueRange, block)


def _distance(block: Block, measure: str) -> DistanceCondition:
    return read_record(DistanceCondition, block, bounds=_bounds(block), measure=measure)


_ACTIONS = ("Move", "SetSpeed", "ChangeLane", "FollowPath", "DriveTo", "Remove")


def _action(block: Block) -> Action:
    places = _places(block)
    makers: dict[str, Callable[[], Action]] = {
        "Move": lambda: read_record(Move, block, place=places[0]),
        "SetSpeed": lambda: read_record(SetSpeed, block),
        "ChangeLane": lambda: read_record(ChangeLane, block),
        "FollowPath": lambda: read_record(FollowPath, block, places=places, times=_times(block)),
        "DriveTo": lambda: read_record(DriveTo, block, places=places),
        "Remove": lambda: read_record(Remove, block),
    }
    return makers[block.tag]()


def _times(block: Block) -> tuple[float, ...]:
    """When an actor is at each place of a path [s]; () where a place states no time."""
    times = [each.values.get("time") for each in block.all(*_PLACES)]
    known = [float(time) for time in times if time is not None]
    return tuple(known) if len(known) == len(times) else ()
