"""Builds the elements of a storyboard from its records."""

from collections.abc import Sequence

from autosim.openscenario.engine.scenario_world import ScenarioWorld
from autosim.openscenario.engine.story_elements import EventElement, RunningActions, StoryElement
from autosim.openscenario.engine.triggers import ObservedElement, TriggerWatch
from autosim.openscenario.records.condition_records import Trigger
from autosim.openscenario.records.storyboard_records import (
    Act,
    Maneuver,
    ManeuverGroup,
    Story,
    XoscScenario,
)


class StoryboardBuilder:
    """Builds the storyboard of a scenario.

    Args:
        scenario: its record.
        world: of the running scenario.
        running: the actions that control entities.
    """

    def __init__(
        self, scenario: XoscScenario, world: ScenarioWorld, running: RunningActions
    ) -> None:
        self._world, self._running = world, running
        self._scenario = scenario
        self._elements: list[tuple[str, ObservedElement]] = []
        self._triggers: list[tuple[StoryElement, Trigger | None, Trigger | None]] = []

    def build(self) -> StoryElement:
        """The storyboard, with all that is in it."""
        root = StoryElement("storyboard", "storyboard", self._world)
        root.children = [self._story(each) for each in self._scenario.stories]
        self._triggers.append((root, None, self._scenario.stop))
        for element, start, stop in self._triggers:
            if start is not None:
                element.start_trigger = TriggerWatch(start, self._world, self.find, empty=True)
            if stop:
                element.stop_trigger = TriggerWatch(stop, self._world, self.find, empty=False)
        return root

    def find(self, kind: str, name: str) -> ObservedElement | None:
        """The element of a kind that a name or the end of a path of names states."""
        wanted = name.replace("::", "/").strip("/")
        for path, element in self._elements:
            if element.kind.lower() != kind.lower():
                continue
            if path == wanted or path.endswith(f"/{wanted}"):
                return element
        return None

    def _add(self, path: str, element: ObservedElement) -> None:
        self._elements.append((path, element))

    def _story(self, record: Story) -> StoryElement:
        element = StoryElement("story", record.name, self._world)
        self._add(record.name, element)
        element.children = [self._act(each, record.name) for each in record.acts]
        return element

    def _act(self, record: Act, path: str) -> StoryElement:
        element = StoryElement("act", record.name, self._world)
        path = f"{path}/{record.name}"
        self._add(path, element)
        self._triggers.append((element, record.start, record.stop))
        element.children = [self._group(each, path) for each in record.groups]
        return element

    def _group(self, record: ManeuverGroup, path: str) -> StoryElement:
        element = StoryElement("maneuverGroup", record.name, self._world, record.count)
        path = f"{path}/{record.name}"
        self._add(path, element)
        element.children = [self._maneuver(each, record, path) for each in record.maneuvers]
        return element

    def _maneuver(self, record: Maneuver, group: ManeuverGroup, path: str) -> StoryElement:
        element = StoryElement("maneuver", record.name, self._world)
        path = f"{path}/{record.name}"
        self._add(path, element)
        events = []
        for each in record.events:
            event = EventElement(each, self._world, self._running)
            event.actors = self._members(group.actors)
            event.takes_triggering = group.takes_triggering
            self._add(f"{path}/{each.name}", event)
            for action in event.actions:
                self._add(f"{path}/{each.name}/{action.name}", action)
            self._triggers.append((event, each.start, None))
            events.append(event)
        for event in events:
            event.siblings = events
        element.children = events
        return element

    def _members(self, names: Sequence[str]) -> tuple[str, ...]:
        """The entities of names, of which some are groups."""
        groups = {each.name: each for each in self._scenario.selections}
        found: list[str] = []
        for name in names:
            group = groups.get(name)
            if group is None:
                found.append(name)
                continue
            found += group.members
            kinds = ["object" if each == "miscellaneous" else each for each in group.kinds]
            found += [each.name for each in self._scenario.entities if each.kind in kinds]
        return tuple(dict.fromkeys(found))
