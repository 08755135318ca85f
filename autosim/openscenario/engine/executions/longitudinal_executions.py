"""Executes actions on speed and distance."""

import math

from autosim import portable
from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.executions.action_execution import LONGITUDINAL, Execution
from autosim.openscenario.engine.executions.transitions import Transition
from autosim.openscenario.engine.measures import distance
from autosim.openscenario.engine.scenario_placement import Placed
from autosim.openscenario.engine.scenario_world import ScenarioWorld
from autosim.openscenario.records.action_records import (
    Dynamics,
    KeepDistance,
    SpeedChange,
    SpeedProfile,
    SpeedTarget,
    Synchronize,
)
from autosim.openscenario.records.condition_records import DistanceMeasure
from autosim.openscenario.road_map.ways import signed_distance

_SAME_DISTANCE = 0.1
"""Difference [m] up to which a distance is reached."""

_SPRING = 0.4
"""Share of the greatest acceleration per metre with which a distance is regulated."""


def target_speed(world: ScenarioWorld, target: SpeedTarget) -> float:
    """The speed [m/s] of a target now."""
    if target.kind == "absolute":
        return target.value
    other = world.entities.get(target.entity)
    speed = 0.0 if other is None else other.speed
    return speed + target.value if target.kind == "delta" else speed * target.value


class SpeedExecution(Execution):
    """Changes the speed of an entity."""

    domains = frozenset((LONGITUDINAL,))

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: SpeedChange) -> None:
        super().__init__(world, entity)
        self._action = action

    def _target(self) -> float:
        most = self.entity.record.performance.max_speed
        return min(max(target_speed(self.world, self._action.target), -most), most)

    def start(self) -> None:
        """Begins the transition from the speed now."""
        start, target = self.entity.speed, self._target()
        self._fixed = self.entity.ordered_speed = target
        dynamics = self._action.dynamics
        if dynamics.dimension == "distance" and dynamics.shape != "step":
            mean = 0.5 * abs(start + target)
            seconds = 0.0 if start == target or not mean else dynamics.value / mean
            dynamics = Dynamics(dynamics.shape, "time", seconds)
        limits = self.entity.record.performance
        most = limits.max_acceleration if target > start else limits.max_deceleration
        self._transition = Transition(dynamics, start, target, most)
        self.entity.speed = self._transition.value()

    def step(self) -> None:
        """Changes the speed; a relative target that is continuous is followed without an end."""
        is_followed = self._action.target.is_continuous
        self._transition.target = self._target() if is_followed else self._fixed
        self.entity.speed = self._transition.step(self.world.dt)
        if self._transition.is_done and not self._action.target.is_continuous:
            self.is_done = True


class SpeedProfileExecution(Execution):
    """Follows a list of speeds."""

    domains = frozenset((LONGITUDINAL,))

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: SpeedProfile) -> None:
        super().__init__(world, entity)
        self._action, self._number = action, 0
        self._left: Transition | None = None

    def _next(self) -> None:
        speed, seconds = self._action.entries[self._number]
        if self._action.entity:
            other = self.world.entities.get(self._action.entity)
            speed += 0.0 if other is None else other.speed
        start, limits = self.entity.speed, self._action.limits
        most = limits.acceleration if speed > start else limits.deceleration
        if math.isinf(most):
            performance = self.entity.record.performance
            most = performance.max_acceleration if speed > start else performance.max_deceleration
        if seconds is None:
            dynamics = Dynamics("linear", "rate", most)
        else:
            dynamics = Dynamics("linear", "time", seconds)
        self._left = Transition(dynamics, start, speed, most)
        self._number += 1

    def start(self) -> None:
        """Begins with the first speed; a first entry at time 0 states the speed now."""
        self._number = 0
        if self._action.entries[0][1] == 0.0 and len(self._action.entries) > 1:
            self.entity.speed = self._action.entries[0][0]
            self._number = 1
        self._next()

    def step(self) -> None:
        """Changes the speed, from entry to entry."""
        rest = self.world.dt
        while self._left is not None:
            before = self._left.at
            self.entity.speed = self._left.step(rest)
            rest -= self._left.at - before
            if not self._left.is_done:
                return
            if self._number >= len(self._action.entries):
                self.is_done = True
                return
            self._next()
            if rest <= 1e-9:
                return


class DistanceExecution(Execution):
    """Keeps a distance to another entity."""

    domains = frozenset((LONGITUDINAL,))

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: KeepDistance) -> None:
        super().__init__(world, entity)
        self._action, self._acceleration = action, 0.0
        system = "road" if action.system in ("road", "lane") else action.system
        self._measure = DistanceMeasure(system, "longitudinal", action.is_free)

    def _error(self, other: EntityState) -> float | None:
        """The distance [m] that is too large, ahead."""
        gap = distance(self.world, self.entity, other, self._measure)
        if gap is None:
            return None
        wanted = self._action.distance
        if wanted is None:
            wanted = abs(other.speed) * (self._action.time_gap or 0.0)
        if self._action.side == "leadingReferencedEntity":
            return gap + abs(wanted)
        if self._action.side == "any" and gap < 0.0:
            return gap + abs(wanted)
        return gap - abs(wanted)

    def step(self) -> None:
        """Regulates the distance as a damped spring within the limits of the action."""
        other = self.world.active(self._action.entity)
        error = None if other is None else self._error(other)
        if other is None or error is None:
            return
        if not self._action.is_continuous and abs(error) < _SAME_DISTANCE:
            self.is_done = True
            return
        limits, dt = self._action.limits, self.world.dt
        if math.isinf(limits.acceleration) and math.isinf(limits.deceleration):
            self.world.move_along_lane(self.entity, error)
            self.entity.speed = other.speed
            self.world.show_on_lane(self.entity)
            return
        most = min(limits.acceleration if error < 0.0 else limits.deceleration, 1e3)
        stiffness = most * _SPRING
        damping = 2.0 * math.sqrt(stiffness)
        wanted = error * stiffness - (self.entity.speed - other.speed) * damping
        wanted = min(max(wanted, -limits.deceleration), limits.acceleration)
        low = self._acceleration - limits.lowering_jerk * dt
        high = self._acceleration + limits.jerk * dt
        self._acceleration = min(max(wanted, low), high) if dt > 0.0 else 0.0
        speed = self.entity.speed + self._acceleration * dt
        self.entity.speed = min(max(speed, -limits.speed), limits.speed)


class SynchronizeExecution(Execution):
    """Arrives at a place when the master arrives at another."""

    domains = frozenset((LONGITUDINAL,))

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: Synchronize) -> None:
        super().__init__(world, entity)
        self._action = action
        self._last = (math.inf, math.inf)

    def step(self) -> None:
        """Sets the speed at which it arrives in time, and with the final speed if one is stated."""
        action, world, entity = self._action, self.world, self.entity
        master = world.active(action.master)
        if master is None:
            self.is_done = True
            return
        rest = _way_left(world, entity, world.placement.find(action.position))
        master_rest = _way_left(world, master, world.placement.find(action.master_position))
        has_arrived = rest < action.tolerance + 1e-6
        has_arrived = has_arrived or master_rest < action.master_tolerance + 1e-6
        is_past = rest > self._last[0] + 1e-9 or master_rest > self._last[1] + 1e-9
        self._last = rest, master_rest
        rest = max(rest - action.tolerance, 1e-6)
        master_rest = max(master_rest - action.master_tolerance, 1e-6)
        seconds = master_rest / master.speed if master.speed > 1e-6 else math.inf
        final = None if action.final is None else target_speed(world, action.final)
        if has_arrived or is_past or seconds < world.dt:
            if final is not None and seconds < world.dt:
                entity.speed = final
            self.is_done = True
            return
        if math.isinf(seconds):
            return
        entity.speed = self._speed(rest, seconds, final)

    def _speed(self, rest: float, seconds: float, final: float | None) -> float:
        """The speed [m/s] for the next step with `rest` [m] to go in `seconds`."""
        action, dt = self._action, self.world.dt
        if final is None:
            return rest / seconds
        if action.steady_kind == "distance":
            tail = min(action.steady, rest)
            rest, seconds = rest - tail, seconds - (tail / final if final > 0.0 else 0.0)
        elif action.steady_kind == "time":
            rest, seconds = rest - final * action.steady, seconds - action.steady
        if seconds <= dt or rest <= 0.0:
            return final
        # Two linear changes of speed: to a middle one, and on to the final one.
        now = self.entity.speed
        straight = 2.0 * rest / seconds - final
        if abs(straight - now) < 0.05 * max(abs(now), 1.0):
            return now + (final - now) * dt / seconds
        middle = (2.0 * rest - 0.5 * seconds * (now + final)) / seconds
        change = (max(middle, 0.0) - now) / max(0.5 * seconds, dt)
        limits = self.entity.record.performance
        change = min(max(change, -limits.max_deceleration), limits.max_acceleration)
        return max(now + change * dt, 0.0)


def _way_left(world: ScenarioWorld, entity: EntityState, goal: Placed) -> float:
    """Distance [m] to a place: along the trajectory or the roads that an entity follows."""
    if entity.followed is not None:
        curve, s = entity.followed
        return abs(curve.project(goal.pose.x, goal.pose.y) - s)
    if world.roads is not None and entity.place is not None and goal.place is not None:
        along = signed_distance(world.roads, entity.place, goal.place, entity.forward, 5000.0)
        if along is not None:
            return abs(along)
    return float(portable.hypot(goal.pose.x - entity.pose.x, goal.pose.y - entity.pose.y))
