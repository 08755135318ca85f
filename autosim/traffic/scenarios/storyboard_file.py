"""Reads OpenSCENARIO XML and DSL into the record of a scenario that is played in a world.

The record names the actors; their motion and the end are decided by the storyboard, which
`StoryboardRun` executes from the file.
"""

from collections.abc import Iterable
from pathlib import Path

from autosim.config.diagnostics import ConfigError
from autosim.config.reading.faults import Faults
from autosim.config.scenarios import PERSON, Actor, Scenario, ScenarioEvent, Storyboard
from autosim.openscenario.reading.scenario_reader import faults_of, read_scenario
from autosim.openscenario.reading.xosc_elements import Findings
from autosim.openscenario.records.action_records import TrafficFlow
from autosim.openscenario.records.entity_records import Entity
from autosim.openscenario.records.storyboard_records import StoryEvent, XoscScenario
from autosim.traffic.vehicle_kinds import FLEET

_LONGEST = 1800.0
"""Time [s] after which a scenario ends: half an hour."""

_SPARE_OF_SOURCE, _MAX_SPARE = 20, 60
"""Numbers of vehicles at a time, of a source and of all traffic actions: as many as are seen at
once, since each has a row in the state and a body in the physics."""

_CLASSES = {"van": 1, "truck": 2, "semitrailer": 2, "bus": 3, "motorbike": 4, "bicycle": 5}
"""The class of vehicles of the fleet for each category; all others are cars."""


def read_storyboard(path: Path, faults: Faults) -> Scenario | None:
    """The scenario that a file describes; None, with faults, if a part is not executed.

    Args:
        path: of the file, of OpenSCENARIO XML or DSL.
        faults: receives those of the file.
    """
    try:
        record, findings = read_scenario(path)
    except ConfigError as error:
        faults.diagnostics.extend(error.diagnostics)
        return None
    for each in faults_of(findings):
        word = "" if each.is_fault else "is not executed: "
        where = "" if each.file == path else f"{each.file.name}:{each.line}: "
        faults.error(each.line, f"{where}{each.title} {word}{each.reason}")
    if record is None and not faults.has_errors:
        faults.error(1, "holds no scenario with a behaviour (do)")
    if record is None or faults.has_errors:
        return None
    spare = _spare_of(record)
    actors = [_actor(each) for each in record.entities]
    vehicles = [each for each in actors if each.kind != PERSON]
    flows = [
        Actor(f"traffic {number + 1}", _SPARE_KIND, brakes_for_others=False)
        for number in range(spare)
    ]
    people = [each for each in actors if each.kind == PERSON]
    return Scenario(
        path.stem,
        _LONGEST,
        (*vehicles, *flows, *people),
        tuple(ScenarioEvent(name, (), ()) for name in event_names(record)),
        source=path,
        storyboard=Storyboard(path, places=_catalogs(findings), spare=spare),
    )


def event_names(record: XoscScenario) -> tuple[str, ...]:
    """The names of the events of a scenario, each once and in the order of the file.

    Events without an action are left out: they only keep acts of OpenSCENARIO DSL running.
    """
    return tuple(dict.fromkeys(each.name or "event" for each in _events(record) if each.actions))


def fleet_kind(entity: Entity) -> str:
    """The kind of the fleet that shows an entity: of its class the one with the nearest size."""
    number = _CLASSES.get(entity.category, 0)
    same = [each for each in FLEET if int(each.vehicle_class) == number] or list(FLEET)

    def difference(length: float, width: float, height: float) -> float:
        box = entity.box
        return abs(length - box.length) + abs(width - box.width) + abs(height - box.height)

    return min(same, key=lambda each: difference(each.length, each.width, each.height)).name


_SPARE_KIND = FLEET[0].name


def _actor(entity: Entity) -> Actor:
    kind = PERSON if entity.kind == "pedestrian" else fleet_kind(entity)
    return Actor(entity.name, kind, brakes_for_others=False)


def _events(record: XoscScenario) -> Iterable[StoryEvent]:
    for story in record.stories:
        for act in story.acts:
            for group in act.groups:
                for maneuver in group.maneuvers:
                    yield from maneuver.events


def _spare_of(record: XoscScenario) -> int:
    """Number of vehicles that the traffic actions of a scenario have at a time at most."""
    contents = [each.content for each in record.init]
    contents += [action.content for each in _events(record) for action in each.actions]
    count = 0
    for each in contents:
        if isinstance(each, TrafficFlow) and each.kind in ("source", "swarm"):
            count += _SPARE_OF_SOURCE if each.kind == "source" else int(each.amount)
    return min(count, _MAX_SPARE)


def _catalogs(findings: Findings) -> tuple[Path, ...]:
    entries = findings.catalogs.entries or {}
    return tuple(sorted({*findings.imports, *(path for _, path in entries.values())}))
