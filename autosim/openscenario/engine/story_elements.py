"""The state machine of the storyboard: stories, acts, maneuver groups, maneuvers, events, actions.

Source: ASAM OpenSCENARIO XML 1.3.0, section 8, components of a scenario and their states.
"""

from collections.abc import Sequence

from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.executions.action_execution import Execution
from autosim.openscenario.engine.executions.other_executions import execute_global, make_execution
from autosim.openscenario.engine.scenario_world import ScenarioWorld
from autosim.openscenario.engine.triggers import ObservedElement, TriggerWatch
from autosim.openscenario.records.action_records import PrivateAction
from autosim.openscenario.records.storyboard_records import StoryAction, StoryEvent

STANDBY, RUNNING, COMPLETE = "standbyState", "runningState", "completeState"


class StoryElement(ObservedElement):
    """An element of the storyboard with others in it.

    Args:
        kind: of the standard, for example maneuverGroup.
        name: of the element.
        world: of the running scenario.
        count: number of executions at most, 0 for any number.
    """

    def __init__(self, kind: str, name: str, world: ScenarioWorld, count: int = 1) -> None:
        super().__init__(kind, name)
        self.world, self.count = world, count
        self.children: Sequence[StoryElement] = ()
        self.start_trigger: TriggerWatch | None = None
        self.stop_trigger: TriggerWatch | None = None
        self.executions = 0

    def change(self, transition: str, state: str) -> None:
        """Changes the state, and logs it."""
        super().change(transition, state)
        if transition == "startTransition":
            self.started_at = self.world.time
        self.world.log(f"{self.kind} {self.name}: {transition} -> {state}")

    def begin(self) -> None:
        """Waits for the start trigger, or starts where there is none."""
        if self.start_trigger is not None:
            self.state = STANDBY
            return
        self.start()

    def start(self) -> None:
        """Starts the element and what is in it."""
        self.executions += 1
        self.change("startTransition", RUNNING)
        for each in self.children:
            each.begin()

    def evaluate(self) -> None:
        """Evaluates the triggers of the element and, while it runs, of those in it."""
        if self.state == RUNNING and self.stop_trigger and self.stop_trigger.evaluate():
            self.stop()
        if self.state == STANDBY and self.start_trigger and self.start_trigger.evaluate():
            self.start()
        if self.state == RUNNING:
            for each in self.children:
                each.evaluate()

    def step(self) -> None:
        """Executes a step, and ends when all that is in it is complete."""
        if self.state != RUNNING:
            return
        for each in self.children:
            each.step()
        self.end_if_done()

    def end_if_done(self) -> None:
        """Ends the element when all that is in it is complete."""
        if self.state == RUNNING and all(each.state == COMPLETE for each in self.children):
            self.end()

    def end(self) -> None:
        """Ends an execution; it may start again until the number of executions is reached."""
        if self.count and self.executions >= self.count:
            self.change("endTransition", COMPLETE)
            return
        self.change("endTransition", STANDBY)
        if self.start_trigger is not None:
            self.start_trigger.reset()
            return
        for each in self.children:
            each.reset()
        if self.children:
            self.start()

    def reset(self) -> None:
        """Returns to the state before the first execution."""
        self.state, self.executions = "initState", 0
        for trigger in (self.start_trigger, self.stop_trigger):
            if trigger is not None:
                trigger.reset()
        for each in self.children:
            each.reset()

    def stop(self) -> None:
        """Stops the element and what is in it."""
        for each in self.children:
            each.stop()
        if self.state in (STANDBY, RUNNING):
            self.change("stopTransition", COMPLETE)


class ActionElement(ObservedElement):
    """An action of an event while it is executed, for all its entities."""

    def __init__(self, record: StoryAction, world: ScenarioWorld) -> None:
        super().__init__("action", record.name)
        self.record, self.world = record, world
        self.executions: list[Execution] = []

    def start(self, entities: Sequence[str], running: "RunningActions") -> None:
        """Begins the action; others of the same domain and entity end."""
        self.executions = []
        self.change("startTransition", RUNNING)
        self.world.log(f"action {self.name}: startTransition -> {RUNNING}")
        content = self.record.content
        if not isinstance(content, PrivateAction):
            execute_global(self.world, content)
            return
        for name in [self.record.entity] if self.record.entity else entities:
            entity = self.world.active(name)
            if entity is None:
                continue
            execution = make_execution(self.world, entity, content)
            if entity.is_external and self.world.dt > 0.0:
                self.world.notes.append(f"action '{self.name}' of '{name}' is left to its program")
                continue
            execution.start()
            running.replace(execution)
            self.executions.append(execution)

    def step(self) -> None:
        """Executes a step, and ends when the action is done for all entities."""
        if self.state != RUNNING:
            return
        for each in self.executions:
            if not each.is_done and each.entity.is_active and not each.entity.is_external:
                each.step()
        if all(
            each.is_done or not each.entity.is_active or each.entity.is_external
            for each in self.executions
        ):
            self.change("endTransition", COMPLETE)
            self.world.log(f"action {self.name}: endTransition -> {COMPLETE}")

    def stop(self) -> None:
        """Ends the action before it is done."""
        for each in self.executions:
            if not each.is_done:
                each.stop()
        if self.state == RUNNING:
            self.change("stopTransition", COMPLETE)


class RunningActions:
    """The actions that control entities now."""

    def __init__(self) -> None:
        self._running: list[Execution] = []

    def controls(self, entity: EntityState, domain: str) -> bool:
        """Whether an action controls an entity in a domain."""
        return any(
            each.entity is entity and domain in each.domains and not each.is_done
            for each in self._running
        )

    def replace(self, new: Execution) -> None:
        """Adds an action, and ends those of the same entity and domain."""
        self._running = [each for each in self._running if not each.is_done]
        for each in self._running:
            if each.entity is new.entity and each.domains & new.domains:
                each.stop()
        self._running.append(new)


class EventElement(StoryElement):
    """An event: when it starts, its actions are executed for the actors of its group."""

    def __init__(self, record: StoryEvent, world: ScenarioWorld, running: RunningActions) -> None:
        super().__init__("event", record.name, world, record.count)
        self.record, self._running = record, running
        self.actions = [ActionElement(each, world) for each in record.actions]
        self.siblings: Sequence[EventElement] = ()
        self.actors: tuple[str, ...] = ()
        self.takes_triggering = False

    def start(self) -> None:
        """Starts by its priority: instead of running events, in parallel, or not at all."""
        others = [each for each in self.siblings if each is not self and each.state == RUNNING]
        if others and self.record.priority == "skip":
            self.change("skipTransition", STANDBY)
            return
        if self.record.priority == "override":
            for each in others:
                each.stop()
        self.executions += 1
        self.change("startTransition", RUNNING)
        entities = list(self.actors)
        if self.takes_triggering and self.start_trigger is not None:
            entities += [each for each in self.start_trigger.entities() if each not in entities]
        for action in self.actions:
            action.start(entities, self._running)

    def step(self) -> None:
        """Executes a step of its actions."""
        if self.state != RUNNING:
            return
        for each in self.actions:
            each.step()
        if all(each.state == COMPLETE for each in self.actions):
            self.end()

    def stop(self) -> None:
        """Stops its actions."""
        for each in self.actions:
            each.stop()
        super().stop()
