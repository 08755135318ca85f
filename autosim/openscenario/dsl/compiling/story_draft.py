"""The storyboard, entities and map of a scenario while it is compiled."""

from dataclasses import dataclass, field
from pathlib import Path

from autosim.openscenario.dsl.compiling.act_drafts import ActDraft, Emission, Group, expand
from autosim.openscenario.dsl.compiling.actor_starts import ActorStart, StartPlan
from autosim.openscenario.dsl.standard_names import PEOPLE, VEHICLES
from autosim.openscenario.dsl.values.dsl_values import ActorValue, DslError
from autosim.openscenario.records.action_records import (
    AddEntity,
    Dynamics,
    SpeedChange,
    SpeedTarget,
    Teleport,
)
from autosim.openscenario.records.entity_records import Entity, EntityBox
from autosim.openscenario.records.storyboard_records import Act, Story, StoryAction, XoscScenario

_CAR = EntityBox((1.4, 0.0, 0.75), 4.5, 1.8, 1.5)
_BOXES = {
    "van": EntityBox((1.4, 0.0, 1.0), 5.5, 2.0, 2.0),
    "truck": EntityBox((3.0, 0.0, 1.6), 9.0, 2.5, 3.2),
    "trailer": EntityBox((3.0, 0.0, 1.6), 9.0, 2.5, 3.2),
    "bus": EntityBox((4.0, 0.0, 1.55), 12.0, 2.5, 3.1),
    "motorbike": EntityBox((0.7, 0.0, 0.75), 2.1, 0.8, 1.5),
    "bicycle": EntityBox((0.5, 0.0, 0.9), 1.8, 0.6, 1.8),
    "pedestrian": EntityBox((0.06, 0.0, 0.923), 0.5, 0.6, 1.8),
}
"""Boxes by category; those of all others are a car's."""

_MIN_LENGTH, _MAX_LENGTH = 300.0, 5000.0
"""Lengths [m] of a path: for short scenarios, and as far as a search for one looks."""

_MAX_ACTS = 2000
"""Number of behaviours at most: each is looked at in each step."""

_FAST = 20.0
"""Speed [m/s] from which the length of the path follows where a scenario states its duration."""


@dataclass
class StoryDraft:
    """A scenario that is compiled: its acts in the order of their start, its actors and its map."""

    acts: list[ActDraft] = field(default_factory=list)
    emitters: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    """Acts that make an event occur."""
    actors: dict[str, ActorValue] = field(default_factory=dict)
    """Actors that move, by name."""
    starts: list[ActorStart] = field(default_factory=list)
    """Starts of actors at 0 s."""
    later: list[tuple[ActDraft, ActorStart, bool]] = field(default_factory=list)
    """Acts at whose start an actor is put somewhere, and whether it is added there."""
    map: str = ""
    """Name of the map."""
    lanes: int = 1
    """Number of lanes that the path has at least."""
    seconds: float = 0.0
    """Sum of all durations [s]."""
    _names: set[str] = field(default_factory=set)

    def unique(self, name: str) -> str:
        """A name for an act that no other has."""
        name, number = name.replace("/", "_"), 1
        found = name
        while found in self._names:
            number += 1
            found = f"{name} {number}"
        self._names.add(found)
        return found

    def add(self, act: ActDraft) -> None:
        """Adds an act.

        Raises:
            DslError: there are too many.
        """
        if len(self.acts) >= _MAX_ACTS:
            reason = f"has more than {_MAX_ACTS} behaviours"
            raise DslError(1, "scenario", reason, is_final=True)
        self.acts.append(act)

    def is_known(self, actor: ActorValue) -> bool:
        """Whether an actor has moved before."""
        return actor.name in self.actors

    def entity(self, actor: ActorValue, line: int) -> Entity:
        """The entity of an actor."""
        if is_person(actor):
            box = _BOXES["pedestrian"]
            return Entity(actor.name, "pedestrian", "pedestrian", actor.types[0], box, line=line)
        category = next((VEHICLES[each] for each in actor.types if each in VEHICLES), "car")
        box = _BOXES.get(category, _CAR)
        return Entity(actor.name, "vehicle", category, actor.types[0], box, line=line)

    def build(
        self,
        source: Path,
        description: str,
        parameters: tuple[tuple[str, str], ...],
        end: Group,
    ) -> XoscScenario:
        """The record of the scenario.

        Raises:
            DslError: an actor has no place.
        """
        length = min(max(self.seconds * _FAST, _MIN_LENGTH), _MAX_LENGTH)
        stated = [*self.starts, *(start for _, start, _ in self.later)]
        plan = StartPlan(self.starts, self._lanes_of(stated), length)
        lines = {each.actor: each.line for each in stated}
        init: list[StoryAction] = []
        for start in plan.order():
            name = start.actor
            teleport = Teleport(plan.position(start))
            init.append(StoryAction(f"{name} begins", teleport, name, start.line))
            init.append(StoryAction(f"{name} speed", _at_once(plan.speed(start)), name, start.line))
        for act, start, is_added in self.later:
            self._place(act, start, is_added, plan)
        return XoscScenario(
            source,
            (2, 1),
            description,
            self.map,
            parameters,
            (),
            tuple(self.entity(each, lines.get(each.name, 0)) for each in self.actors.values()),
            (),
            (),
            tuple(init),
            (Story(description, self._built()),),
            expand((end,), self.emitters),
        )

    def _lanes_of(self, starts: list[ActorStart]) -> int:
        counted = [each.lane.number for each in starts if each.lane and not each.lane.actor]
        return max([self.lanes, *counted])

    def _place(self, act: ActDraft, start: ActorStart, is_added: bool, plan: StartPlan) -> None:
        position = plan.position(start)
        name = f"{act.name}: begins"
        if not is_added:
            act.actions.insert(0, StoryAction(name, Teleport(position), "", start.line))
            return
        speed = _at_once(plan.speed(start))
        act.actions[:0] = [
            StoryAction(name, AddEntity(start.actor, position), "", start.line),
            StoryAction(f"{act.name}: first speed", speed, "", start.line),
        ]

    def _built(self) -> tuple[Act, ...]:
        for act in self.acts:
            for group in (act.start, *act.stops):
                for each in group:
                    if isinstance(each, Emission) and not self.emitters.get(each.event):
                        name = each.event[1]
                        raise DslError(each.line, name, "is an event that nothing emits")
        return tuple(act.build(self.emitters) for act in self.acts)


def is_person(actor: ActorValue) -> bool:
    """Whether an actor is a person."""
    return any(each in PEOPLE for each in actor.types)


def _at_once(speed: float) -> SpeedChange:
    return SpeedChange(Dynamics("step", "time", 0.0), SpeedTarget("absolute", speed))
