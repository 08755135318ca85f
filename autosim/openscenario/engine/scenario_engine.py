"""Runs a scenario step by step."""

from collections.abc import Iterable

from autosim import portable
from autosim.openscenario.engine.entity_controllers import EntityControllers
from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.measures import overlaps
from autosim.openscenario.engine.scenario_world import ScenarioWorld
from autosim.openscenario.engine.signal_phases import SignalPrograms
from autosim.openscenario.engine.story_elements import (
    COMPLETE,
    RUNNING,
    ActionElement,
    RunningActions,
)
from autosim.openscenario.engine.storyboard_builder import StoryboardBuilder
from autosim.openscenario.records.action_records import AddEntity, Teleport
from autosim.openscenario.records.storyboard_records import XoscScenario
from autosim.openscenario.road_map.road_network import MapPose, ScenarioRoads


class ScenarioEngine:
    """A running scenario.

    A step evaluates triggers, executes actions and then moves the entities; the first step has no
    duration. `collisions` are (time [s], first, second) in the order in which they began.

    Args:
        scenario: what to run.
        roads: the map, None for a plane.
        external: names of the entities that something else moves.
        has_controllers: whether controllers drive; else an entity keeps the motion of its actions.
    """

    def __init__(
        self,
        scenario: XoscScenario,
        roads: ScenarioRoads | None,
        external: Iterable[str] = (),
        *,
        has_controllers: bool = True,
    ) -> None:
        self.scenario = scenario
        self.world = ScenarioWorld(roads, {}, dict(scenario.parameters), dict(scenario.variables))
        for record in scenario.entities:
            state = self.world.add(record)
            state.is_external = record.name in set(external)
            state.is_active = record.name not in _added_later(scenario)
            state.trailer = record.trailer
        for state in list(self.world.entities.values()):
            towed = self.world.entities.get(state.trailer)
            if towed is not None:
                towed.is_towed = True
        self._running = RunningActions()
        self.controllers = EntityControllers(self.world, self._running, scenario)
        self._has_controllers = has_controllers
        self._signals = SignalPrograms(scenario.signals)
        self.board = StoryboardBuilder(scenario, self.world, self._running).build()
        self._init = [ActionElement(each, self.world) for each in scenario.init]
        self._has_begun = False
        self.collisions: list[tuple[float, str, str]] = []
        self._touching: set[tuple[str, str]] = set()

    @property
    def entities(self) -> dict[str, EntityState]:
        """The entities by name."""
        return self.world.entities

    @property
    def is_stopped(self) -> bool:
        """Whether the stop trigger has fired."""
        return self.board.state == COMPLETE

    @property
    def is_over(self) -> bool:
        """Whether nothing can happen any longer: it was stopped, or all stories are complete.

        A scenario with a stop trigger runs until that fires, unless it never can.
        """
        if self.is_stopped:
            return True
        stop = self.board.stop_trigger
        if self.board.state != RUNNING or (stop is not None and stop.can_fire):
            return False
        return self._are_stories_complete

    @property
    def _are_stories_complete(self) -> bool:
        return all(each.state == COMPLETE for each in self.board.children)

    def observe(self, name: str, pose: MapPose, velocity: tuple[float, float], dt: float) -> None:
        """Takes the motion of an entity that something else moves, before a step.

        Args:
            name: of the entity.
            pose: of its reference point.
            velocity: (2,) in the map [m/s].
            dt: time [s] since it was observed before.
        """
        entity = self.world.entities[name]
        away = pose.x - entity.pose.x, pose.y - entity.pose.y
        entity.travelled += float(portable.hypot(*away))
        sine, cosine = portable.sin_cos(pose.heading)
        entity.pose = pose
        entity.speed = velocity[0] * cosine + velocity[1] * sine
        if dt > 0.0:
            change = velocity[0] - entity.velocity[0], velocity[1] - entity.velocity[1]
            entity.acceleration = change[0] / dt, change[1] / dt
        entity.velocity = velocity
        self.world.locate(entity)
        entity.relative = self.world.angle_to_lane(entity)

    def step(self, dt: float) -> None:
        """Executes a step of dt [s]."""
        world = self.world
        world.dt = dt
        for each in world.entities.values():
            each.is_moved = False
        is_first = not self._has_begun
        if is_first:
            self._begin()
        self.controllers.step_traffic()
        before = {name: each.pose for name, each in world.entities.items()}
        self._signals.update(world)
        if is_first:
            # Trajectories place their entities before a trigger looks at them.
            self._step_init()
        self.board.evaluate()
        if self.board.state == COMPLETE:
            return
        if not is_first:
            self._step_init()
        for child in self.board.children:
            child.step()
        world.time = round(world.time + dt, 9)
        self._move()
        for name, entity in world.entities.items():
            entity.finish_step(before[name], dt, is_off_road=self._is_off_road(entity))
        self._find_collisions()

    def _step_init(self) -> None:
        for action in self._init:
            action.step()

    def _begin(self) -> None:
        """Executes the init phase and starts the storyboard."""
        self._has_begun = True
        for action in self._init:
            action.start((), self._running)
        for entity in self.world.entities.values():
            if entity.trailer and not entity.is_towed:
                self.world.tow(entity)
        self.board.begin()

    def _move(self) -> None:
        """Moves the entities that no action has moved, and then the trailers."""
        active = [each for each in self.world.entities.values() if each.is_active]
        if self._has_controllers:
            self.controllers.drive(active)
        for entity in active:
            if not (entity.is_moved or entity.is_external or entity.is_towed):
                self.world.move(entity)
        for entity in active:
            if entity.trailer and not entity.is_towed:
                self.world.tow(entity)

    def _is_off_road(self, entity: EntityState) -> bool:
        place, roads = entity.place, self.world.roads
        if roads is None:
            return False
        if place is None:
            return True
        return roads.curve(place.road).is_off_road(place.s, place.t)

    def _find_collisions(self) -> None:
        entities = [each for each in self.world.entities.values() if each.is_active]
        boxes = {}
        touching = set()
        for number, first in enumerate(entities):
            for second in entities[number + 1 :]:
                if first.trailer == second.name or second.trailer == first.name:
                    continue
                reach = first.record.box.length + second.record.box.length
                dx = abs(first.pose.x - second.pose.x)
                if dx > reach or abs(first.pose.y - second.pose.y) > reach:
                    continue
                if abs(first.pose.z - second.pose.z) > 3.0:
                    continue
                for each in (first, second):
                    if each.name not in boxes:
                        boxes[each.name] = each.corners()
                if overlaps(boxes[first.name], boxes[second.name]):
                    touching.add((first.name, second.name))
        for pair in sorted(touching - self._touching):
            self.collisions.append((self.world.time, *pair))
            self.world.log(f"collision of {pair[0]} and {pair[1]}")
        self._touching = touching


def _added_later(scenario: XoscScenario) -> set[str]:
    """The entities that an action adds and that the init phase does not place."""
    placed = {each.entity for each in scenario.init if isinstance(each.content, Teleport)}
    added = {
        action.content.entity
        for story in scenario.stories
        for act in story.acts
        for group in act.groups
        for maneuver in group.maneuvers
        for event in maneuver.events
        for action in event.actions
        if isinstance(action.content, AddEntity)
    }
    init = {each.content.entity for each in scenario.init if isinstance(each.content, AddEntity)}
    return (added | init) - placed
