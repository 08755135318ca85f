"""Acts of the storyboard while a scenario is compiled, and the conditions between them."""

from dataclasses import dataclass, field, replace
from itertools import product

from autosim.openscenario.records.action_records import PrivateAction
from autosim.openscenario.records.condition_records import (
    Condition,
    ConditionContent,
    Elapsed,
    HasStarted,
    StateCondition,
    Trigger,
)
from autosim.openscenario.records.storyboard_records import (
    Act,
    Maneuver,
    ManeuverGroup,
    StoryAction,
    StoryEvent,
)

NEVER: Trigger = ((Condition("never", "none", 0.0, HasStarted("", "")),),)
"""A trigger that never fires: an event that waits for it keeps its act running."""


@dataclass(frozen=True, slots=True)
class Emission:
    """A place in a trigger for the acts that make an event occur, which are known at the end.

    `event` is its scope and its name, `since` the act from whose start on it counts.
    """

    event: tuple[int, str]
    since: str
    line: int
    """Line of the file."""


Group = tuple[Condition | Emission, ...]
"""Conditions that have to hold together."""


def condition(name: str, content: ConditionContent, edge: str = "none") -> Condition:
    """A condition without a delay."""
    return Condition(name, edge, 0.0, content)


def is_over(act: str) -> Condition:
    """Whether an act has ended."""
    return condition(f"{act} is over", StateCondition("act", act, "completeState"))


def is_running(act: str) -> Condition:
    """Whether an act runs."""
    return condition(f"{act} runs", StateCondition("act", act, "runningState"))


def has_lasted(act: str, seconds: float) -> Condition:
    """Whether an act has run for a duration [s]."""
    return condition(f"{act} has lasted {seconds:g} s", Elapsed(act, seconds))


@dataclass
class ActDraft:
    """An act: its name, start conditions, groups of stop conditions, and the actions of an actor.

    `is_kept`: it runs until a stop condition holds, also when its actions are done.
    """

    name: str
    start: Group
    stops: list[Group] = field(default_factory=list)
    """Groups of conditions, of which one ends it."""
    actor: str = ""
    """Name of the actor, "" for none."""
    actions: list[StoryAction] = field(default_factory=list)
    is_kept: bool = True

    def add(self, content: PrivateAction, name: str, line: int) -> None:
        """Adds an action of the actor."""
        self.actions.append(StoryAction(f"{self.name}: {name}", content, "", line))

    def build(self, emitters: dict[tuple[int, str], list[str]]) -> Act:
        """The act, with the acts that emit events in its conditions."""
        events = []
        if self.actions:
            events.append(StoryEvent(self.name, "parallel", 1, None, tuple(self.actions)))
        if self.is_kept:
            events.append(StoryEvent(f"{self.name} ends", "parallel", 1, NEVER, ()))
        actors = (self.actor,) if self.actor else ()
        group = ManeuverGroup(self.name, 1, actors, False, (Maneuver(self.name, tuple(events)),))
        start = expand((self.start,), emitters) if self.start else None
        return Act(self.name, (group,), start, expand(tuple(self.stops), emitters))


def expand(groups: tuple[Group, ...], emitters: dict[tuple[int, str], list[str]]) -> Trigger:
    """A trigger whose groups name the acts that emit events, one group for each of them."""
    found: list[tuple[Condition, ...]] = []
    for group in groups:
        choices: list[list[Condition]] = []
        for each in group:
            if isinstance(each, Condition):
                choices.append([each])
                continue
            acts = emitters.get(each.event, [])
            choices.append(
                [condition(f"{each.event[1]} occurs", HasStarted(act, each.since)) for act in acts]
            )
        found += [tuple(each) for each in product(*choices)]
    return tuple(found)


def with_edge(group: Group, edge: str) -> Group:
    """A group whose only condition has an edge."""
    return tuple(
        replace(each, edge=edge) if isinstance(each, Condition) else each for each in group
    )
