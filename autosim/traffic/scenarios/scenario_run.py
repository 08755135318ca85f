"""Runs a scenario: lets events happen, and judges whether it passes."""

from collections.abc import Sequence

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.scenarios import (
    Action,
    Criterion,
    DriveTo,
    FollowPath,
    Move,
    Position,
    Scenario,
)
from autosim.model.snapshot import Memory
from autosim.traffic.pedestrians.pedestrian_bodies import LENGTH, RADIUS
from autosim.traffic.road_users import BOX, B
from autosim.traffic.scenarios.actors import Actors, C, half_sizes
from autosim.traffic.scenarios.conditions import ScenarioState, is_met
from autosim.traffic.scenarios.entity_binding import check_names
from autosim.traffic.scenarios.scenario_positions import LanePositions, PositionError
from autosim.traffic.traffic_node import FREE, KIND, NAME, P, ScenarioArrays, V
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES, Light
from autosim.traffic.vehicles.vehicle_motion import NOWHERE
from autosim.world.lanes.roads import RoadNetwork

RUNNING, PASSED, FAILED = range(3)
"""Codes of how a scenario stands."""

OPEN, MET, BROKEN = range(3)
"""Codes of how a criterion stands: `once` is open until it is met, others until they are broken."""

_RATE = 20.0
"""Rate [1/s] at which conditions are checked: participants do not react within a twentieth of a
second."""

_SLOWS = 0.7
"""Deceleration [m/s²] from which brake lights shine: engine drag alone is less."""


class ScenarioRun:
    """A scenario in a world.

    Args:
        scenario: what happens.
        roads: the lanes.
        robots: names of the robots and objects, in the order of their boxes.
        shown: what it writes.
        step_seconds: length of a step [s].

    Raises:
        UserError: the scenario names a participant that does not exist.
    """

    def __init__(
        self,
        scenario: Scenario,
        roads: RoadNetwork,
        *,
        robots: Sequence[str],
        shown: ScenarioArrays,
        step_seconds: float,
    ) -> None:
        self.scenario, self._shown, self._seconds = scenario, shown, step_seconds
        self._every = max(1, round(1.0 / (_RATE * step_seconds)))
        self._orders = [action for event in scenario.events for action in event.actions]
        self._lanes = LanePositions(roads)
        everybody = (*scenario.vehicles, *scenario.people)
        self.actors = Actors(everybody, self._lanes, tuple(self._orders))
        names = [*robots, *(actor.name for actor in everybody)]
        self._names = {name: number for number, name in enumerate(names)}
        check_names(scenario, self._names)
        self.boxes: Floats = np.zeros((len(everybody), BOX))
        self.motions: Floats = np.zeros((len(everybody), 13))
        self.motions[:, 2], self.motions[:, 6] = NOWHERE, 1.0
        shown.events[:], shown.criteria[:], shown.status[:] = -1, OPEN, RUNNING

    @property
    def memories(self) -> tuple[Memory, ...]:
        """State that the actors keep from step to step."""
        names = tuple(f"{NAME}.{actor.name}" for actor in self.actors.actors)
        return self.actors.memories(f"{KIND} scenario", names)

    def begin(self, robots: Floats) -> None:
        """Puts the actors where they begin, beside robots that stand at boxes (r, 8)."""
        for number, actor in enumerate(self.actors.actors):
            if actor.place is not None:
                everybody = np.concatenate([robots, self.boxes])
                moment = self._moment(0, everybody)
                self.actors.put(number, *self._lanes.find(actor.place, moment.pose_of))
                self.actors.begin_speed(number, actor.speed)
                self._write_boxes()
        self.actors.replay(0.0)
        self._write_boxes()
        self._write()

    def advance(self, step: int, robots: Floats, others: Floats) -> None:
        """Moves the actors on by the step of that number, and lets happen what is due.

        Args:
            step: its number.
            robots: (r, 8) boxes of robots and objects.
            others: (o, 8) boxes of all others in traffic.
        """
        if step % self._every == 0:
            boxes = np.concatenate([robots, self.boxes, others])
            if self._shown.status[0] == RUNNING:
                self._go_on(step, boxes)
            self.actors.find_obstacles(boxes, len(robots))
        self.actors.advance(self._seconds)
        self.actors.replay((step + 1) * self._seconds)
        self.show()

    def show(self) -> None:
        """Shows the actors where they are."""
        self._write_boxes()
        self._write()

    def _go_on(self, step: int, boxes: Floats) -> None:
        try:
            self._look(step, boxes)
        except PositionError:
            # The test cannot continue as written.
            self._end()
            self._shown.status[0] = FAILED

    def _look(self, step: int, boxes: Floats) -> None:
        moment = self._moment(step, boxes)
        order = 0
        for number, event in enumerate(self.scenario.events):
            is_new = self._shown.events[number] < 0
            if is_new and any(all(is_met(each, moment) for each in set_) for set_ in event.when):
                self._shown.events[number] = step
                for offset, action in enumerate(event.actions):
                    self._begin(order + offset, action, moment)
            order += len(event.actions)
        for number, criterion in enumerate(self.scenario.criteria):
            self._judge(number, criterion, moment)
        is_over = moment.seconds >= self.scenario.seconds or any(
            all(is_met(each, moment) for each in set_) for set_ in self.scenario.ends
        )
        if is_over:
            self._end()

    def _begin(self, order: int, action: Action, moment: ScenarioState) -> None:
        places: tuple[Position, ...] = ()
        if isinstance(action, Move):
            places = (action.place,)
        elif isinstance(action, FollowPath | DriveTo):
            places = action.places
        self.actors.apply_actions(
            order, [self._lanes.find(each, moment.pose_of) for each in places]
        )

    def _judge(self, number: int, criterion: Criterion, moment: ScenarioState) -> None:
        is_true = is_met(criterion.condition, moment)
        if self._shown.criteria[number] != OPEN:
            return
        if criterion.must == "once" and is_true:
            self._shown.criteria[number] = MET
        elif criterion.must != "once" and is_true == (criterion.must == "never"):
            self._shown.criteria[number] = BROKEN

    def _end(self) -> None:
        for number, criterion in enumerate(self.scenario.criteria):
            if self._shown.criteria[number] == OPEN:
                self._shown.criteria[number] = BROKEN if criterion.must == "once" else MET
        self._shown.status[0] = PASSED if (self._shown.criteria == MET).all() else FAILED

    def _moment(self, step: int, boxes: Floats) -> ScenarioState:
        events = {
            event.name: int(when)
            for event, when in zip(self.scenario.events, self._shown.events, strict=True)
        }
        return ScenarioState(
            names=self._names,
            boxes=boxes,
            seconds=step * self._seconds,
            step=step,
            step_seconds=self._seconds,
            events=events,
            lanes=self._lanes,
        )

    def _write_motions(self) -> None:
        """Writes the poses of the actors' bodies."""
        for number, actor in enumerate(self.actors.actors):
            row, motion = self.actors.rows[number], self.motions[number]
            motion[:] = 0.0
            motion[2], motion[6] = NOWHERE, 1.0
            if self.actors.is_there(number):
                s, c = portable.sin_cos(0.5 * float(row[C.yaw]))
                motion[:3] = row[C.x], row[C.y], row[C.z] + _middle(actor.kind)
                motion[5], motion[6] = s, c
                motion[7:9] = self.boxes[number, B.speed_x : B.speed_y + 1]
                motion[12] = row[C.turning]

    def _write_boxes(self) -> None:
        for number, actor in enumerate(self.actors.actors):
            row, box = self.actors.rows[number], self.boxes[number]
            box[B.x : B.yaw + 1] = row[C.x : C.yaw + 1]
            s, c = portable.sin_cos(float(row[C.yaw]))
            box[B.speed_x], box[B.speed_y] = row[C.speed] * c, row[C.speed] * s
            half = half_sizes(actor.kind)
            box[B.half_length : B.half_width + 1] = half if self.actors.is_there(number) else 0.0

    def _write(self) -> None:
        self._write_motions()
        vehicles = len(self.scenario.vehicles)
        for number, actor in enumerate(self.scenario.vehicles):
            row, shown = self.actors.rows[number], self._shown.vehicles[number]
            shown[:] = 0.0
            shown[V.kind] = KIND_NAMES.index(actor.kind) if self.actors.is_there(number) else FREE
            shown[V.x : V.yaw + 1] = row[C.x : C.yaw + 1]
            shown[V.speed], shown[V.rolled] = row[C.speed], row[C.rolled]
            shown[V.lights], shown[V.colour] = _lights(row), number
        for number in range(len(self.scenario.people)):
            row, shown = self.actors.rows[vehicles + number], self._shown.people[number]
            shown[:] = 0.0
            shown[P.kind] = number if self.actors.is_there(vehicles + number) else FREE
            shown[P.x : P.yaw + 1] = row[C.x : C.yaw + 1]
            shown[P.speed], shown[P.walked], shown[P.colour] = row[C.speed], row[C.rolled], number


def _middle(kind: str) -> float:
    """Height [m] of the middle of an actor's body."""
    if kind not in KIND_NAMES:
        return RADIUS + LENGTH / 2.0
    return FLEET[KIND_NAMES.index(kind)].height / 2.0


def _lights(row: Floats) -> float:
    lights = int(Light.BRAKE) if row[C.slowing] > _SLOWS else 0
    if row[C.change] > 0.0:
        is_left = (row[C.goal] > row[C.start]) != bool(row[C.opposite])
        lights |= int(Light.LEFT_INDICATOR if is_left else Light.RIGHT_INDICATOR)
    return float(lights)
