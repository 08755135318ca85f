"""Executes actions on speed and distance."""

import math
from enum import Enum

from autosim import portable
from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.executions.action_execution import LONGITUDINAL, Execution
from autosim.openscenario.engine.executions.speed_ramps import RampLimits, SpeedRamp
from autosim.openscenario.engine.executions.transitions import Transition
from autosim.openscenario.engine.measures import distance
from autosim.openscenario.engine.scenario_placement import Placed
from autosim.openscenario.engine.scenario_world import ScenarioWorld
from autosim.openscenario.records.action_records import (
    Dynamics,
    KeepDistance,
    ReachDistance,
    SpeedChange,
    SpeedProfile,
    SpeedTarget,
    Synchronize,
)
from autosim.openscenario.records.condition_records import DistanceMeasure
from autosim.openscenario.road_map.ways import signed_distance

_SAME_DISTANCE = 0.1
"""Difference [m] up to which a distance is reached."""

_SAME_TIME = 1e-6
"""Rounding [s] of the end of a duration."""

_ALONG_ROAD = DistanceMeasure("road", "longitudinal", is_free=False)
"""Distance of reference points along the road."""

_FULL_BRAKING = 8.0
"""Deceleration [m/s²] of a stop for which the way is short."""

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
        self._left: Transition | SpeedRamp | None = None

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
        self._number += 1
        if self._action.is_smooth and math.isfinite(min(limits.jerk, limits.lowering_jerk)):
            rates = limits.jerk, limits.lowering_jerk
            ramp = RampLimits(most, *(rates if speed > start else rates[::-1]))
            first = self._first_acceleration() if self._left is None else 0.0
            self._left = SpeedRamp(start, speed, first, ramp, seconds)
            return
        if seconds is None:
            dynamics = Dynamics("linear", "rate", most)
        else:
            dynamics = Dynamics("linear", "time", seconds)
        self._left = Transition(dynamics, start, speed, most)

    def _first_acceleration(self) -> float:
        """The acceleration [m/s²] of the entity along its heading."""
        sine, cosine = portable.sin_cos(self.entity.pose.heading)
        ax, ay = self.entity.acceleration
        return ax * cosine + ay * sine

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


class ReachExecution(Execution):
    """Reaches a distance ahead of another entity after a duration, by an even change of speed."""

    domains = frozenset((LONGITUDINAL,))

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: ReachDistance) -> None:
        super().__init__(world, entity)
        self._action, self._left = action, action.seconds

    def step(self) -> None:
        """Sets the speed whose even change makes up for the difference in the time that is left."""
        other, dt = self.world.active(self._action.entity), self.world.dt
        gap = None if other is None else distance(self.world, self.entity, other, _ALONG_ROAD)
        if other is not None and gap is not None and dt > 0.0:
            mean = other.speed + (gap + self._action.ahead) / max(self._left, dt)
            share = min(2.0 * dt / max(self._left, dt), 1.0)
            self.entity.speed = max(self.entity.speed + share * (mean - self.entity.speed), 0.0)
        self._left -= dt
        self.is_done = other is None or self._left <= _SAME_TIME


class SynchronizeExecution(Execution):
    """Arrives at a place when the master arrives at another.

    With a final speed, its speed changes evenly up (or down) to an apex and at the same rate on to
    the final one; where it would have to go back, it stops and starts again. Performance does not
    limit it, as in the reference player: the time of arrival comes first.
    """

    domains = frozenset((LONGITUDINAL,))

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: Synchronize) -> None:
        super().__init__(world, entity)
        self._action = action
        self._last = (math.inf, math.inf)
        self._phase = _Phase.BEGINS

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
            if final is not None:
                entity.speed = final
            self.is_done = True
        elif math.isinf(seconds):
            # The master stands: it would arrive too early.
            entity.speed, self._phase = 0.0, _Phase.BEGINS
        elif final is None:
            entity.speed += 2.0 * (rest / seconds - entity.speed) * world.dt / seconds
        else:
            entity.speed = self._speed(rest, seconds, final)

    def _speed(self, rest: float, seconds: float, final: float) -> float:
        """The speed [m/s] for the next step with `rest` [m] to go in `seconds`."""
        action, dt, now = self._action, self.world.dt, self.entity.speed
        if action.steady_kind and final > 0.0:
            is_time = action.steady_kind == "time"
            tail = action.steady * final if is_time else action.steady
            if rest - tail < 1e-6 or seconds - tail / final < 1e-6:
                return final
            rest, seconds = rest - tail, seconds - tail / final
        if self._phase is _Phase.STOPPED:
            if final <= 0.0 or seconds >= 2.0 * rest / final:
                return 0.0
            self._phase = _Phase.STRAIGHT
        on_line = max(2.0 * rest / seconds - final, 0.0)
        if self._phase is _Phase.BEGINS:
            is_faster = 0.5 * (now + final) < rest / seconds
            self._phase = _Phase.RISES if is_faster else _Phase.FALLS
        rate = _rate_to_apex(rest, seconds, now, final, rises=self._phase is _Phase.RISES)
        until_apex = 0.5 * (seconds + (final - now) / rate) if rate else 0.0
        if self._phase is _Phase.STRAIGHT or until_apex < dt:
            self._phase = _Phase.STRAIGHT
            return on_line
        apex = 0.5 * (now + final + rate * seconds)
        if apex < 0.0:
            return self._stopping(rest, now, final)
        return max(now + rate * dt, 0.0)

    def _stopping(self, rest: float, now: float, final: float) -> float:
        """The speed [m/s] on the way to a stop, after which the rest takes it to the final one."""
        square = now * now + final * final
        share = now * now / square if square > 0.0 else 1.0
        way = max(share * rest, 1e-6)
        rate = -0.5 * now * now / way if share <= 0.5 else -_FULL_BRAKING
        speed = now + rate * self.world.dt
        if speed <= 0.0:
            self._phase = _Phase.STOPPED
        return max(speed, 0.0)


class _Phase(Enum):
    """Phases of the profile of speed of a synchronization."""

    BEGINS = 0
    RISES = 1
    """To an apex above the straight change of speed."""
    FALLS = 2
    STRAIGHT = 3
    """Evenly to the final speed."""
    STOPPED = 4


def _rate_to_apex(rest: float, seconds: float, now: float, final: float, *, rises: bool) -> float:
    """The rate [m/s²] up to the apex of a profile that changes back at the same rate.

    With the rate a, the phases last t / 2 ± (v1 - v0) / (2 a); their ways are `rest` in all, from
    which a² t² + a (2 t (v0 + v1) - 4 s) = (v1 - v0)² follows.
    """
    half = 2.0 * rest - seconds * (now + final)
    root = math.sqrt(half * half + (seconds * (final - now)) ** 2)
    return (half + root if rises else half - root) / (seconds * seconds)


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
