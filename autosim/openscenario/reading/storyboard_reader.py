"""Reads the storyboard."""

from functools import partial

from autosim.openscenario.reading.action_reader import read_private_action
from autosim.openscenario.reading.catalogs import resolve_reference
from autosim.openscenario.reading.condition_reader import read_trigger
from autosim.openscenario.reading.global_action_reader import read_global_action, read_user_action
from autosim.openscenario.reading.position_reader import declared
from autosim.openscenario.reading.xosc_elements import XoscElement, read_each
from autosim.openscenario.records.action_records import (
    ActionContent,
    AddEntity,
    Teleport,
    UserCommand,
)
from autosim.openscenario.records.condition_records import Trigger
from autosim.openscenario.records.storyboard_records import (
    Act,
    Maneuver,
    ManeuverGroup,
    Story,
    StoryAction,
    StoryEvent,
)

_PRIORITIES = {
    "overwrite": "override",
    "override": "override",
    "skip": "skip",
    "parallel": "parallel",
}


def read_init(element: XoscElement) -> tuple[StoryAction, ...]:
    """The actions of <Init>: those of entities with their teleports first, then global ones.

    An entity is placed before it acts, in whatever order the file names them, and those that are
    added come after those that they may be placed by.
    """
    actions = element.need("Actions")
    everywhere = read_each(actions.children("GlobalAction"), _global)
    added = [each for each in everywhere if isinstance(each.content, AddEntity)]
    found = [each for each in everywhere if not isinstance(each.content, AddEntity)]
    found += read_each(actions.children("UserDefinedAction"), _user)
    private: list[StoryAction] = []
    for each in actions.children("Private"):
        private += read_each(
            each.children("PrivateAction"), partial(_private, entity=each.text("entityRef"))
        )
    placed = [each for each in private if isinstance(each.content, Teleport)]
    others = [each for each in private if not isinstance(each.content, Teleport)]
    return (*found, *placed, *added, *others)


def _global(element: XoscElement) -> StoryAction:
    return StoryAction("", read_global_action(element), line=element.line)


def _user(element: XoscElement) -> StoryAction:
    return StoryAction("", read_user_action(element), line=element.line)


def _private(element: XoscElement, entity: str) -> StoryAction:
    kinds = [each.tag for each in element.node if isinstance(each.tag, str)]
    name = f"Init {entity} {kinds[0]}" if kinds else f"Init {entity}"
    return StoryAction(name, read_private_action(element), entity, element.line)


def read_story(element: XoscElement) -> Story:
    """The story of a <Story>."""
    element = declared(element)
    return Story(element.label("name", ""), read_each(element.children("Act"), _act))


def _act(element: XoscElement) -> Act:
    start, stop = element.child("StartTrigger"), element.child("StopTrigger")
    return Act(
        element.label("name", ""),
        read_each(element.children("ManeuverGroup"), _group),
        _trigger(start),
        _trigger(stop),
    )


def _trigger(element: XoscElement | None) -> Trigger | None:
    return None if element is None else read_trigger(element)


def _group(element: XoscElement) -> ManeuverGroup:
    actors = element.need("Actors")
    names = tuple(each.text("entityRef") for each in actors.children("EntityRef"))
    elements = element.children("Maneuver", "CatalogReference")
    return ManeuverGroup(
        element.label("name", ""),
        _count(element),
        names,
        actors.flag("selectTriggeringEntities", default=False),
        read_each(elements, _maneuver),
    )


def _count(element: XoscElement) -> int:
    """The greatest number of executions; at least one, and 0 for any number."""
    value = element.number("maximumExecutionCount", 1.0)
    return 0 if value == float("inf") or value < 0.0 else max(1, int(value))


def _maneuver(element: XoscElement) -> Maneuver:
    if element.tag == "CatalogReference":
        element = resolve_reference(element, "Maneuver")
    element = declared(element)
    return Maneuver(element.label("name", ""), read_each(element.children("Event"), _event))


def _event(element: XoscElement) -> StoryEvent:
    start = element.child("StartTrigger")
    priority = element.choice("priority", tuple(_PRIORITIES), "parallel")
    return StoryEvent(
        element.label("name", ""),
        _PRIORITIES[priority],
        _count(element),
        _trigger(start),
        read_each(element.children("Action"), _action),
    )


def _action(element: XoscElement) -> StoryAction:
    if not len(element.node):
        return StoryAction(element.label("name", ""), UserCommand("", ""), line=element.line)
    content: ActionContent = element.pick(
        {
            "PrivateAction": read_private_action,
            "GlobalAction": read_global_action,
            "UserDefinedAction": read_user_action,
        }
    )
    return StoryAction(element.label("name", ""), content, line=element.line)
