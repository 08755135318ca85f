"""Executes actions on lanes and offsets."""

import math

from autosim import portable
from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.executions.action_execution import LATERAL, Execution
from autosim.openscenario.engine.executions.transitions import Transition
from autosim.openscenario.engine.measures import distance, relative_direction
from autosim.openscenario.engine.scenario_placement import step_lanes
from autosim.openscenario.engine.scenario_world import ScenarioWorld
from autosim.openscenario.records.action_records import (
    Dynamics,
    KeepLateralDistance,
    LaneChange,
    SetLaneOffset,
)
from autosim.openscenario.records.condition_records import DistanceMeasure
from autosim.openscenario.road_map.path_search import counted_lane
from autosim.openscenario.road_map.road_network import RoadPlace
from autosim.openscenario.road_map.ways import advance

_SLOW = 1e-6
"""Distance [m] of a step below which an entity stands."""

_REACHED = 0.01
"""Difference [m] up to which a lateral distance is reached."""

_SPRING = 0.4
"""Share of the greatest acceleration per metre with which a distance is regulated."""

_SAME = 1e-6
"""Duration [s] or length [m] below which a change happens at once."""


class LaneChangeExecution(Execution):
    """Changes to another lane while it drives."""

    domains = frozenset((LATERAL,))

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: LaneChange) -> None:
        super().__init__(world, entity)
        self._action = action
        self._transition: Transition | None = None

    def start(self) -> None:
        """Takes the offset from the centre of the lane that it changes to."""
        world, entity, action = self.world, self.entity, self._action
        if world.roads is None or entity.place is None:
            self.is_done = True
            return
        lane = action.lane
        if action.is_counted:
            lane = counted_lane(world.roads, entity.place, entity.forward, action.lane)
        elif action.entity is not None:
            other = world.entities.get(action.entity)
            if other is None or other.place is None:
                self.is_done = True
                return
            lane = step_lanes(other.place.lane, action.lane * (1 if other.forward else -1))
        place = entity.place
        center = world.roads.curve(place.road).center(lane, place.s)
        sign = 1.0 if entity.forward else -1.0
        self._lane = RoadPlace(place.road, place.s, place.t, lane, 0.0)
        offset = (place.t - center) * sign
        self._transition = Transition(action.dynamics, offset, action.offset * sign)
        entity.relative = 0.0

    def step(self) -> None:
        """Moves it along and across the road."""
        world, entity, transition = self.world, self.entity, self._transition
        if transition is None or world.roads is None:
            self.is_done = True
            return
        entity.is_moved = True
        length = abs(entity.speed) * world.dt
        if length < _SLOW:
            if transition.span <= _SAME and world.dt > 0.0:
                self._finish(transition.target, 0.0)
            return
        rate, ahead, angle = transition.slope(), length, 0.0
        if transition.span <= _SAME:
            offset = transition.target
        elif self._action.dynamics.dimension == "distance":
            ahead = length / math.sqrt(1.0 + rate * rate)
            offset = transition.step(ahead)
            angle = float(portable.arctan(rate))
        else:
            aside = world.dt * abs(rate)
            ahead = math.sqrt(max(length * length - aside * aside, 0.0))
            share = 1.0 if aside <= length else length / aside
            offset = transition.step(world.dt * share)
            angle = float(portable.arctan2(rate * world.dt * share, max(ahead, 1e-9)))
        if transition.is_done:
            self._finish(offset, ahead)
        else:
            self._show(offset, ahead, angle)

    def _finish(self, offset: float, ahead: float) -> None:
        self._show(offset, ahead, 0.0)
        self.is_done = True

    def _show(self, offset: float, ahead: float, angle: float) -> None:
        world, entity = self.world, self.entity
        assert world.roads is not None
        sign = 1.0 if entity.forward else -1.0
        lane = RoadPlace(self._lane.road, self._lane.s, 0.0, self._lane.lane, offset * sign)
        forward = entity.forward == (entity.speed >= 0.0)
        step = advance(world.roads, lane, forward, ahead, entity.route)
        self._lane = step.place
        entity.forward = step.forward == (entity.speed >= 0.0)
        entity.is_road_end = step.is_end
        entity.place = world.roads.place(step.place.road, step.place.s, step.place.t)
        if not angle:
            entity.place = step.place
        entity.relative = angle if entity.speed >= 0.0 else -angle
        at = RoadPlace(step.place.road, step.place.s, step.place.t, step.place.lane)
        shown, entity.place = entity.place, at
        world.show_on_lane(entity)
        entity.place = shown
        if step.is_end:
            self.is_done = True


class LaneOffsetExecution(Execution):
    """Moves to an offset from the centre of its lane."""

    domains = frozenset((LATERAL,))

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: SetLaneOffset) -> None:
        super().__init__(world, entity)
        self._action = action
        self._transition: Transition | None = None

    def start(self) -> None:
        """Begins the transition from the offset now."""
        world, entity, action = self.world, self.entity, self._action
        place = entity.place
        if world.roads is None or place is None:
            self.is_done = True
            return
        target = action.value
        if action.entity is not None:
            other = world.entities.get(action.entity)
            if other is None or other.place is None:
                self.is_done = True
                return
            t = other.place.t + action.value * (1.0 if other.forward else -1.0)
            target = t - (place.t - place.offset)
        change, most = abs(target - place.offset), action.max_acceleration
        seconds = 0.0
        if action.shape != "step" and most is not None and 0.0 < most < 1e9:
            factor = 0.5 * math.pi * math.pi if action.shape == "sinusoidal" else 6.0
            seconds = math.sqrt(factor * change / most)
        dynamics = Dynamics(action.shape, "time", seconds)
        self._transition = Transition(dynamics, place.offset, target)

    def step(self) -> None:
        """Sets the offset, and the heading that leads there."""
        transition, entity = self._transition, self.entity
        if transition is None or entity.place is None or self.world.roads is None:
            self.is_done = True
            return
        place = entity.place
        offset, speed = transition.value(), entity.speed
        done = transition.is_done or abs(offset - transition.target) < _SAME
        entity.relative = 0.0
        entity.place = self.world.roads.lane_place(place.road, place.lane, place.s, offset)
        self.world.show_on_lane(entity)
        if done:
            # An absolute offset is kept by the motion along the lane; a relative one moves on.
            self.is_done = not self._action.is_continuous or self._action.entity is None
        else:
            slope = transition.slope() / speed if abs(speed) > 1e-3 else 0.0
            sign = 1.0 if entity.forward else -1.0
            angle = float(portable.arctan(slope)) * sign
            self.world.move_along_lane(entity, speed * self.world.dt)
            entity.relative = angle
            self.world.show_on_lane(entity)
            entity.is_moved = True
        transition.step(self.world.dt)

    def stop(self) -> None:
        """Leaves it parallel to its lane."""
        super().stop()
        self.entity.relative = 0.0


class LateralDistanceExecution(Execution):
    """Keeps a lateral distance to another entity."""

    domains = frozenset((LATERAL,))

    def __init__(
        self, world: ScenarioWorld, entity: EntityState, action: KeepLateralDistance
    ) -> None:
        super().__init__(world, entity)
        self._action, self._rate, self._acceleration = action, 0.0, 0.0
        self._is_first = True
        system = "road" if action.system in ("road", "lane") else action.system
        self._measure = DistanceMeasure(system, "lateral", False)

    def start(self) -> None:
        """Begins in the next step."""
        self._is_first = True

    def step(self) -> None:
        """Moves it aside within the limits of the action, and ahead by what is left of its way."""
        world, entity, limits = self.world, self.entity, self._action.limits
        other = world.active(self._action.entity)
        if other is None or entity.place is None or world.roads is None:
            return
        gap = distance(world, entity, other, self._measure)
        if gap is None or self._is_first:
            self._is_first = False
            return
        error = self._error(other, gap)
        if math.isinf(limits.acceleration) and math.isinf(limits.speed):
            move, ahead = error, 0.0
            self.is_done = not self._action.is_continuous and abs(error) < _REACHED
        else:
            move = self._limited(error, other)
            length = abs(entity.speed) * world.dt
            ahead = math.copysign(math.sqrt(max(length * length - move * move, 0.0)), entity.speed)
        self._move(move, ahead)

    def _move(self, move: float, ahead: float) -> None:
        world, entity = self.world, self.entity
        assert world.roads is not None
        before = entity.pose
        if ahead:
            entity.is_moved = True
            world.move_along_lane(entity, ahead)
        assert entity.place is not None
        place, sign = entity.place, 1.0 if entity.forward else -1.0
        entity.place = world.roads.place(place.road, place.s, place.t + sign * move)
        entity.relative = 0.0
        world.show_on_lane(entity)
        if ahead:
            dx, dy = entity.pose.x - before.x, entity.pose.y - before.y
            turned = float(portable.arctan2(dy, dx)) - entity.pose.heading
            entity.pose = entity.pose._replace(heading=entity.pose.heading + turned)

    def _error(self, other: EntityState, gap: float) -> float:
        """The distance [m] to move to the left."""
        action, entity = self._action, self.entity
        wanted = abs(action.distance if action.distance is not None else 0.0)
        if action.is_free:
            wanted += 0.5 * (entity.record.box.width + other.record.box.width)
        is_left = gap <= 0.0
        if action.side in ("leftToReferencedEntity", "rightToReferencedEntity"):
            same_road = relative_direction(self.world, entity, other) > 0.0
            same_way = (other.forward == entity.forward) is same_road
            is_left = same_way is (action.side == "leftToReferencedEntity")
        return gap + wanted if is_left else gap - wanted

    def _limited(self, error: float, other: EntityState) -> float:
        """The way [m] aside in this step: a damped spring, or the greatest speed aside."""
        limits, dt, entity = self._action.limits, self.world.dt, self.entity
        if dt <= 0.0:
            return 0.0
        most = min(limits.speed, abs(entity.speed)) - _SAME
        if math.isinf(limits.acceleration):
            self._rate = math.copysign(min(max(most, 0.0), abs(error) / dt), error)
            self.is_done = not self._action.is_continuous and abs(self._rate * dt - error) < _SAME
            return self._rate * dt
        stiffness = _SPRING * limits.acceleration
        rate = self._rate - self._rate_of(other)
        wanted = error * stiffness - rate * 2.0 * math.sqrt(stiffness)
        change = limits.jerk * dt
        wanted = min(max(wanted, self._acceleration - change), self._acceleration + change)
        self._acceleration = min(max(wanted, -limits.acceleration), limits.acceleration)
        self._rate = min(max(self._rate + self._acceleration * dt, -most), most)
        self.is_done = not self._action.is_continuous and abs(error) < _REACHED
        return self._rate * dt

    def _rate_of(self, other: EntityState) -> float:
        """The speed [m/s] of another entity to the left of this one's lane."""
        sine, cosine = portable.sin_cos(self.world.lane_heading(self.entity))
        return other.velocity[1] * cosine - other.velocity[0] * sine
