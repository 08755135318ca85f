"""Triggers and conditions with their edges and delays, and the states that they observe."""

import math
from collections.abc import Callable

from autosim.openscenario.engine.condition_tests import entities_hold, value_holds
from autosim.openscenario.engine.scenario_world import ScenarioWorld
from autosim.openscenario.records.condition_records import (
    Condition,
    Elapsed,
    EntityCondition,
    HasStarted,
    StateCondition,
    Trigger,
    ValueCondition,
)

_SMALL = 1e-6
"""Rounding [s] of times: steps are longer."""

TRANSITIONS = ("startTransition", "endTransition", "stopTransition", "skipTransition")
"""Transitions of elements of the storyboard."""


class ObservedElement:
    """An element of the storyboard: its state, and all transitions so far."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind, self.name = kind, name
        self.state = "initState"
        self.transitions: list[tuple[str, str]] = []
        self.started_at: float | None = None

    def change(self, transition: str, state: str) -> None:
        """Changes the state."""
        self.state = state
        self.transitions.append((transition, state))


FindElement = Callable[[str, str], ObservedElement | None]


class ConditionWatch:
    """A condition that is watched.

    Args:
        condition: its record.
        world: of the running scenario.
        find: finds an element of the storyboard by kind and name.
    """

    def __init__(self, condition: Condition, world: ScenarioWorld, find: FindElement) -> None:
        self.condition, self._world = condition, world
        self._element: ObservedElement | None = None
        self._since: ObservedElement | None = None
        content = condition.content
        if isinstance(content, StateCondition):
            self._element = find(content.kind, content.element)
        elif isinstance(content, Elapsed | HasStarted):
            self._element = find("act", content.act)
            if isinstance(content, HasStarted) and content.since:
                self._since = find("act", content.since)
        self._seen = 0
        self.entities: list[str] = []
        self.reset()

    @property
    def is_undeclared(self) -> bool:
        """Whether it looks at a parameter or variable that the scenario does not declare."""
        content = self.condition.content
        if not isinstance(content, ValueCondition) or content.kind == "user":
            return False
        values = self._world.parameters if content.kind == "parameter" else self._world.variables
        return content.name not in values

    def reset(self) -> None:
        """Forgets what it has seen."""
        self._last: bool | None = None
        self._history: list[tuple[float, bool]] = []
        self._shown: str = ""

    def restart_edge(self) -> None:
        """Waits for a new edge after the trigger has fired."""
        self._last = None

    def evaluate(self) -> bool:
        """Whether the condition holds now, with its edge and its delay."""
        is_met = self._check()
        held = _edge(self.condition.edge, is_met, self._last)
        self._last = is_met
        delay, time = self.condition.delay, self._world.time
        if delay <= 0.0:
            self._log("true" if held else "")
            return held
        if not self._history or self._history[-1][1] != held:
            self._history.append((time, held))
        found = False
        for since, value in self._history:
            if since > time - delay + _SMALL:
                break
            found = value
        self._log("true" if found else f"true, delay {delay:g} s" if held else "")
        return found

    def _log(self, state: str) -> None:
        """Logs the state of the condition when it changes to another one that is not empty."""
        if state and state != self._shown:
            self._world.log(f"condition {self.condition.name}: {state}")
        self._shown = state

    def _check(self) -> bool:
        content = self.condition.content
        if isinstance(content, EntityCondition):
            is_met, self.entities = entities_hold(self._world, content)
            return is_met
        if isinstance(content, StateCondition):
            return self._state_holds(content.state)
        if isinstance(content, Elapsed):
            return self._world.time >= self._start() + content.seconds - _SMALL
        if isinstance(content, HasStarted):
            return self._has_started()
        return value_holds(self._world, content)

    def _start(self) -> float:
        """The time [s] at which the element started, infinite before."""
        started = None if self._element is None else self._element.started_at
        return math.inf if started is None else started

    def _has_started(self) -> bool:
        """Whether the element has started, and not before the other one."""
        since = None if self._since is None else self._since.started_at
        if self._since is not None and since is None:
            return False
        return self._world.time >= self._start() >= (since or 0.0) - _SMALL

    def _state_holds(self, wanted: str) -> bool:
        """Whether an element is in a state, or went through it since the last look."""
        if self._element is None:
            return False
        recent = self._element.transitions[self._seen :]
        self._seen = len(self._element.transitions)
        if wanted in TRANSITIONS:
            return any(transition == wanted for transition, _ in recent)
        return self._element.state == wanted or any(state == wanted for _, state in recent)


def _edge(edge: str, now: bool, last: bool | None) -> bool:
    if edge == "none":
        return now
    if last is None:
        return False
    if edge == "rising":
        return now and not last
    if edge == "falling":
        return last and not now
    return now != last


class TriggerWatch:
    """A trigger that is watched; one without groups has the value `empty`."""

    def __init__(
        self, trigger: Trigger, world: ScenarioWorld, find: FindElement, *, empty: bool
    ) -> None:
        self._groups = [[ConditionWatch(each, world, find) for each in group] for group in trigger]
        self._world, self._empty = world, empty

    def reset(self) -> None:
        """Forgets what its conditions have seen."""
        for group in self._groups:
            for each in group:
                each.reset()

    def evaluate(self) -> bool:
        """Whether one of the groups holds; all conditions are looked at."""
        if not self._groups:
            return self._empty
        held = [[each.evaluate() for each in group] for group in self._groups]
        is_met = any(group and all(group) for group in held)
        if is_met:
            for group in self._groups:
                for each in group:
                    each.restart_edge()
        return is_met

    @property
    def can_fire(self) -> bool:
        """Whether a group has no condition on a value that the scenario does not declare."""
        return not self._groups or any(
            not any(each.is_undeclared for each in group) for group in self._groups
        )

    def entities(self) -> list[str]:
        """The entities for which its conditions held last."""
        return sorted({name for group in self._groups for each in group for name in each.entities})

    def names(self) -> str:
        """The names of its conditions."""
        return ", ".join(each.condition.name for group in self._groups for each in group)
