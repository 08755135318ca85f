"""Executes actions on routes and trajectories, and teleports."""

import math
from collections.abc import Sequence

from autosim import portable
from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.executions.action_execution import LATERAL, LONGITUDINAL, Execution
from autosim.openscenario.engine.executions.trajectory_curves import TrajectoryCurve
from autosim.openscenario.engine.scenario_world import ScenarioWorld
from autosim.openscenario.records.action_records import (
    AcquirePosition,
    AssignRoute,
    FollowTrajectory,
    Teleport,
)
from autosim.openscenario.records.position_records import Position
from autosim.openscenario.road_map.road_network import MapPose, RoadPlace
from autosim.openscenario.road_map.ways import Leg, shortest_way

_SMALL = 1e-6
"""Rounding [m or s] at the end of a trajectory."""


class TeleportExecution(Execution):
    """Puts an entity somewhere."""

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: Teleport) -> None:
        super().__init__(world, entity)
        self._action = action

    def start(self) -> None:
        """Puts it there at once."""
        self.world.put(self.entity, self.world.placement.find(self._action.position))


class RouteExecution(Execution):
    """Assigns a route; the entity takes it at junctions from then on."""

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: AssignRoute) -> None:
        super().__init__(world, entity)
        self._positions: tuple[Position, ...] = action.route.waypoints

    def start(self) -> None:
        """Finds the way through all waypoints; a part without a way is left out."""
        self.entity.route = self._legs()

    def _legs(self) -> tuple[Leg, ...]:
        world, entity = self.world, self.entity
        if world.roads is None or entity.place is None:
            return ()
        places = [world.placement.find(each).place for each in self._positions]
        goals = [each for each in places if each is not None]
        legs: list[Leg] = []
        if len(goals) > 1:
            at = goals.pop(0)
            forward = world.roads.curve(at.road).along(at.lane, at.s)
            legs = self._through(at, forward, goals)
            if any(each.road == entity.place.road for each in legs):
                return tuple(legs)
            goals = [at, *goals]
        return tuple(self._through(entity.place, entity.forward, goals))

    def _through(self, at: RoadPlace, forward: bool, goals: Sequence[RoadPlace]) -> list[Leg]:
        """The roads from a place through all goals; a part without a way is left out."""
        roads = self.world.roads
        legs: list[Leg] = []
        if roads is None:
            return legs
        for goal in goals:
            way = shortest_way(roads, at, goal, forward)
            if way is None and not legs:
                way = shortest_way(roads, at, goal, None)
            if way is None:
                continue
            legs += way[0] if not legs or legs[-1] != way[0][0] else way[0][1:]
            at, forward = goal, way[0][-1].forward
        return legs


class AcquireExecution(RouteExecution):
    """Drives to a place; the action ends when it is there."""

    domains = frozenset((LATERAL,))

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: AcquirePosition) -> None:
        Execution.__init__(self, world, entity)
        self._positions = (action.position,)


class TrajectoryExecution(Execution):
    """Follows a trajectory, at its own speed or by its times."""

    domains = frozenset((LATERAL, LONGITUDINAL))

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: FollowTrajectory) -> None:
        super().__init__(world, entity)
        self._action = action
        self._curve: TrajectoryCurve | None = None
        self._s = self._time = 0.0
        self._sign = 1.0
        self._was_stated = False
        if action.timing is None:
            self.domains = frozenset((LATERAL,))

    def start(self) -> None:
        """Places the trajectory, from the entity where it states no start."""
        action, find = self._action, self.world.placement.find
        trajectory = action.trajectory
        places = [find(each).pose for each in trajectory.positions] or [self.entity.pose]
        starts = [
            None if each.start is None else find(each.start).pose for each in trajectory.segments
        ]
        curve = TrajectoryCurve(trajectory, places, starts, is_following=action.is_following)
        self._curve, self._s, self._time = curve, action.initial_distance, 0.0
        if action.timing is not None and not self._curve.is_timed:
            self.world.notes.append(f"the trajectory '{trajectory.name}' states no times")
        is_timed = action.timing is not None and self._curve.is_timed
        if not is_timed:
            self.domains = frozenset((LATERAL,))
        # One that moves backward along an unstated heading turns its back to where it goes.
        along, self._was_stated = curve.at(self._s)[3], curve.states_heading(self._s)
        heading = curve.heading_at(self._s) if self._was_stated else along
        if not self._was_stated and not is_timed and self.entity.speed < 0.0:
            heading += math.pi
        self._sign = _sign_of(heading - along)
        self.entity.followed = curve, self._s

    def step(self) -> None:
        """Moves the entity along the trajectory."""
        curve, entity, dt = self._curve, self.entity, self.world.dt
        if curve is None:
            self.is_done = True
            return
        timing = self._action.timing
        entity.is_moved = True
        if timing is not None and curve.is_timed:
            self._by_time(curve, timing)
        else:
            direction = self._sign * entity.speed
            self._s += direction * dt
            over = self._s - curve.length if direction > 0.0 else -self._s
            if dt > 0.0 and not curve.is_closed and over > -_SMALL and direction:
                self._show(curve, max(over, 0.0) * math.copysign(1.0, direction))
                self.entity.followed = None
                self.is_done = True
                return
            self._show(curve, 0.0)

    def _by_time(self, curve: TrajectoryCurve, timing: tuple[bool, float, float]) -> None:
        world, entity, dt = self.world, self.entity, self.world.dt
        is_absolute, scale, offset = timing
        if is_absolute:
            self._time = (world.time + dt) * scale
        else:
            self._time += scale * dt
        before, now = self._s, self._time + offset
        self._s = curve.station_at(now)
        last = curve.times[1]
        if dt > 0.0 and now < last + _SMALL:
            turned = entity.pose.heading - curve.at(before)[3]
            entity.speed = _sign_of(turned) * (self._s - before) / dt
        is_end = now > last - _SMALL
        speed = abs(entity.speed)
        self._show(curve, max(now - last, 0.0) * speed if is_end else 0.0)
        self.is_done = is_end and dt > 0.0
        if self.is_done:
            entity.followed = None

    def _show(self, curve: TrajectoryCurve, over: float) -> None:
        x, y, z, along = curve.at(self._s)
        sine, cosine = portable.sin_cos(along)
        heading, entity = curve.heading_at(self._s), self.entity
        is_stated = curve.states_heading(self._s)
        if self._was_stated and not is_stated:
            self._sign = _sign_of(entity.pose.heading - along)
        self._was_stated, entity.followed = is_stated, (curve, self._s)
        if not is_stated and self._sign < 0.0:
            heading += math.pi
        entity.pose = MapPose(x + over * cosine, y + over * sine, z, heading, entity.pose.pitch)
        self.world.locate(entity)
        if entity.place is not None and self.world.roads is not None:
            height = self.world.roads.pose(entity.place).z
            entity.pose = entity.pose._replace(z=height)
        entity.relative = self._across()

    def stop(self) -> None:
        """Leaves the trajectory."""
        super().stop()
        self.entity.followed = None

    def _across(self) -> float:
        """The angle to the lane that remains when the trajectory ends."""
        angle = self.world.angle_to_lane(self.entity)
        return angle if abs(angle) > 0.25 * math.pi else 0.0


def _sign_of(angle: float) -> float:
    """1 for an angle [rad] within a quarter turn, else -1."""
    return -1.0 if abs(float(portable.wrapped(angle))) > 0.5 * math.pi + _SMALL else 1.0
