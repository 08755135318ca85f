"""Binds the entities of a scenario to robots and objects, and checks that all exist."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import cast

from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.map_kinds import is_opendrive
from autosim.config.scenarios import CollisionCondition, Criterion, Scenario, Storyboard
from autosim.errors import UserError
from autosim.traffic.scenarios.ego import EGO, ego_of


def bind_entities(scenario: Scenario, robots: Sequence[str], things: Sequence[str]) -> Scenario:
    """The scenario in which the first robot plays the entity under test.

    That is an actor with a name of `EGO`, in upper or lower case; its later actions are left to
    the robot's program. In a scenario of OpenSCENARIO robots play the entities that have their
    names. Without such, the first one plays one of these, or else the first vehicle.

    Args:
        scenario: as its file says.
        robots: names of those of the world.
        things: names of the world's objects.

    Raises:
        UserError: the scenario names a participant that does not exist.
    """
    if scenario.storyboard is not None:
        return _with_egos(scenario, scenario.storyboard, robots)
    for actor in scenario.actors:
        if actor.name.lower() in EGO and robots:
            scenario = _played_by(scenario, actor.name, robots[0])
    check_names(scenario, [*robots, *things, *(actor.name for actor in scenario.actors)])
    return scenario


def _played_by(scenario: Scenario, name: str, robot: str) -> Scenario:
    """The scenario in which a robot plays an actor."""
    actor = next(each for each in scenario.actors if each.name == name)
    events = tuple(
        replace(event, actions=tuple(each for each in event.actions if each.actor != name))
        for event in scenario.events
    )
    others = tuple(each for each in scenario.actors if each.name != name)
    starts, speeds = scenario.starts, scenario.start_speeds
    if actor.place is not None:
        starts = (*starts, (name, actor.place))
        speeds = (*speeds, (name, actor.speed)) if actor.speed > 0.0 else speeds
    changed = replace(scenario, actors=others, events=events, starts=starts, start_speeds=speeds)
    return cast(Scenario, _renamed(changed, name, robot))


def _renamed(value: object, name: str, robot: str) -> object:
    """A record, or several, in which `robot` stands wherever `name` stood."""
    if isinstance(value, str):
        return robot if value == name else value
    if isinstance(value, tuple):
        return tuple(_renamed(each, name, robot) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        own = {each.name: getattr(value, each.name) for each in fields(value)}
        return replace(value, **{key: _renamed(each, name, robot) for key, each in own.items()})
    return value


def on_map(scenario: Scenario, file: Path) -> Scenario:
    """The scenario in a world of a map file: storyboards take the roads of OpenDRIVE from it."""
    if scenario.storyboard is None or not is_opendrive(file):
        return scenario
    return replace(scenario, storyboard=replace(scenario.storyboard, map=file))


def _with_egos(scenario: Scenario, storyboard: Storyboard, robots: Sequence[str]) -> Scenario:
    """The scenario in which robots play some of its entities."""
    names = [each.name for each in scenario.actors]
    egos = [(robot, robot) for robot in robots if robot in names]
    free = [robot for robot in robots if robot not in names]
    if not egos and free:
        ego = ego_of(scenario.vehicles)
        egos += [(ego, free[0])] if ego else []
    played = dict(egos)
    criteria = tuple(
        Criterion(f"no collision of {entity}", "never", CollisionCondition(robot))
        for entity, robot in egos
    )
    return replace(
        scenario,
        actors=tuple(each for each in scenario.actors if each.name not in played),
        criteria=criteria,
        storyboard=replace(storyboard, egos=tuple(egos)),
    )


def check_names(scenario: Scenario, known: Collection[str]) -> None:
    """Checks that all names in a scenario are those of participants.

    Raises:
        UserError: with all unknown names.
    """
    among = {
        "of": known,
        "to": known,
        "actor": [actor.name for actor in scenario.actors],
        "event": [event.name for event in scenario.events],
    }
    named = [(field, name) for record in _records(scenario) for field, name in _names_in(record)]
    named += [("of", name) for name, _ in scenario.starts]
    wrong = dict.fromkeys(name for field, name in named if name not in among[field])
    if wrong:
        names = ", ".join(f"'{name}'" for name in wrong)
        origin = f" of {scenario.source}" if scenario.source else ""
        hint = suggestion(next(iter(wrong)), known)
        raise UserError(
            f"scenario '{scenario.name}'{origin} names {names}, who take no part in it{hint}; "
            f"there are: {', '.join(known) or 'nobody'}"
        )


def _records(scenario: Scenario) -> Iterator[object]:
    """All records of a scenario that may name participants."""
    sets = [*(set_ for event in scenario.events for set_ in event.when), *scenario.ends]
    conditions = [*(each for set_ in sets for each in set_)]
    conditions += [each.condition for each in scenario.criteria]
    actions = [action for event in scenario.events for action in event.actions]
    for record in (*scenario.actors, *conditions, *actions):
        yield record
        yield from (getattr(record, "place", None), *getattr(record, "places", ()))
    yield from (place for _, place in scenario.starts)


def _names_in(record: object) -> Iterator[tuple[str, str]]:
    for field in ("of", "to", "actor", "event"):
        name = getattr(record, field, "")
        if name:
            yield field, name
