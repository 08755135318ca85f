"""Traffic sources, sinks and swarms: vehicles that appear, drive along their lanes and vanish."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from autosim import portable
from autosim.openscenario.engine.built_in_driver import BuiltInDriver
from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.scenario_placement import Placed
from autosim.openscenario.engine.scenario_world import ScenarioWorld
from autosim.openscenario.records.action_records import TrafficFlow
from autosim.openscenario.records.entity_records import Entity, EntityBox, Performance
from autosim.openscenario.records.position_records import Orientation

_BOXES = {
    "car": (4.5, 1.8, 1.5),
    "van": (5.2, 2.0, 2.2),
    "truck": (8.0, 2.5, 3.5),
    "semitrailer": (12.0, 2.5, 3.8),
    "bus": (12.0, 2.5, 3.2),
    "motorbike": (2.2, 0.8, 1.5),
    "bicycle": (1.8, 0.6, 1.7),
}
"""Length, width and height [m] of a vehicle of each category."""

_PERFORMANCE = Performance(max_speed=70.0, max_acceleration=4.0, max_deceleration=9.0)
"""Limits of vehicles of flows: those of a fast car, since the built-in driver stays below them."""

_MIN_GAP = 12.0
"""Distance [m] to all others at which a vehicle may appear."""

_TRIES = 12
"""Places that are tried for a vehicle of a swarm in a step."""

_MAX_VEHICLES = 200
"""Most vehicles of all flows at a time: one point of view sees no larger swarm."""

_DRIVING = ("driving", "entry", "exit", "onRamp", "offRamp")
"""Types of lanes on which vehicles appear."""

_SPEED = 10.0
"""Speed [m/s] of a vehicle where the action states none."""


@dataclass
class _Flow:
    """A flow that runs: its action, the vehicles that are due and the number of those made."""

    action: TrafficFlow
    due: float = 0.0
    count: int = 0
    vehicles: list[str] = field(default_factory=list)


class _Occupied:
    """The places near which no vehicle may appear: those of all n entities in the world.

    Args:
        entities: of the scenario.
    """

    def __init__(self, entities: Iterable[EntityState]) -> None:
        present = [each for each in entities if each.is_active]
        self._x = np.array([each.pose.x for each in present])
        self._y = np.array([each.pose.y for each in present])
        self._reaches = np.array([_reach(each) for each in present])
        self.traffic = sum(each.is_traffic for each in present)

    def is_free(self, x: float, y: float) -> bool:
        """Whether no entity is near a place [m]."""
        return bool((portable.hypot(self._x - x, self._y - y) >= self._reaches).all())

    def add(self, entity: EntityState) -> None:
        """Adds a vehicle of a flow."""
        self._x = np.append(self._x, entity.pose.x)
        self._y = np.append(self._y, entity.pose.y)
        self._reaches = np.append(self._reaches, _reach(entity))
        self.traffic += 1


class TrafficFlows:
    """The flows of a running scenario; the same seed gives the same vehicles.

    Args:
        world: of the running scenario.
        drivers: receives a driver for each vehicle, by its name.
        seed: of the choice of places and categories.
    """

    def __init__(
        self, world: ScenarioWorld, drivers: dict[str, BuiltInDriver], seed: int = 0
    ) -> None:
        self._world, self._drivers = world, drivers
        self._random = np.random.default_rng(seed)
        self._flows: list[_Flow] = []
        self._made = 0
        self._occupied = _Occupied(())

    def take(self, action: TrafficFlow) -> None:
        """Starts a flow, or stops those of a name (all for an empty one)."""
        if action.kind != "stop":
            self._flows.append(_Flow(action))
            return
        self._flows = [
            each for each in self._flows if action.name and each.action.name != action.name
        ]

    def step(self) -> None:
        """Adds the vehicles that are due, and removes those that have arrived."""
        for flow in self._flows:
            if flow.action.kind == "source":
                self._feed(flow)
            elif flow.action.kind == "sink":
                self._drain(flow.action)
            else:
                self._surround(flow)

    def _feed(self, flow: _Flow) -> None:
        action = flow.action
        if action.position is None:
            return
        flow.due += action.amount * self._world.dt
        if flow.due < 1.0:
            return
        self._occupied = _Occupied(self._world.entities.values())
        placed = self._world.placement.find(action.position)
        if self._add(flow, placed):
            flow.due -= 1.0

    def _drain(self, action: TrafficFlow) -> None:
        if action.position is None:
            return
        pose = self._world.placement.find(action.position).pose
        radius = action.radii[0] if action.radii else 5.0
        for name in list(self._drivers):
            entity = self._world.active(name)
            if entity is None or not entity.is_traffic:
                continue
            if float(portable.hypot(entity.pose.x - pose.x, entity.pose.y - pose.y)) <= radius:
                entity.is_active = False

    def _surround(self, flow: _Flow) -> None:
        center = self._world.active(flow.action.entity)
        if center is None or self._world.roads is None:
            return
        inner, major, minor = flow.action.radii
        for name in flow.vehicles:
            entity = self._world.active(name)
            if entity is not None and not _is_inside(center, entity, major, minor):
                entity.is_active = False
        flow.vehicles = [each for each in flow.vehicles if self._world.active(each)]
        if len(flow.vehicles) < flow.action.amount:
            self._occupied = _Occupied(self._world.entities.values())
        for _ in range(_TRIES):
            if len(flow.vehicles) >= flow.action.amount:
                return
            angle, share = self._random.uniform(-math.pi, math.pi), self._random.uniform(0.0, 1.0)
            sine, cosine = portable.sin_cos(angle)
            ahead = (inner + share * max(major - inner, 0.0)) * cosine
            left = (inner + share * max(minor - inner, 0.0)) * sine
            self._add(flow, self._place_near(center, ahead, left))

    def _place_near(self, center: EntityState, ahead: float, left: float) -> Placed | None:
        """The driving lane nearest to a point in the axes of an entity, None without one."""
        roads = self._world.roads
        assert roads is not None
        sine, cosine = portable.sin_cos(center.pose.heading)
        x = center.pose.x + cosine * ahead - sine * left
        y = center.pose.y + sine * ahead + cosine * left
        place = roads.nearest(x, y)
        if place is None:
            return None
        curve = roads.curve(place.road)
        lane = curve.lane(place.lane, place.s)
        if lane is None or lane.type not in _DRIVING:
            return None
        on_lane = roads.lane_place(place.road, place.lane, place.s, 0.0)
        return self._world.placement.on_road(on_lane, Orientation())

    def _add(self, flow: _Flow, placed: Placed | None) -> bool:
        """Adds a vehicle where there is room for it."""
        world, action, occupied = self._world, flow.action, self._occupied
        if placed is None or occupied.traffic >= _MAX_VEHICLES:
            return False
        if not occupied.is_free(placed.pose.x, placed.pose.y):
            return False
        name = ""
        while not name or name in world.entities:
            self._made += 1
            name = f"{action.name or action.kind} {self._made}"
        category = self._category(action)
        length, width, height = _BOXES.get(category, _BOXES["car"])
        box = EntityBox((0.3 * length, 0.0, 0.5 * height), length, width, height)
        entity = world.add(Entity(name, "vehicle", category, category, box, _PERFORMANCE))
        entity.is_traffic = True
        world.put(entity, placed)
        entity.speed = _SPEED if action.speed is None else action.speed
        self._drivers[name] = BuiltInDriver(name, True, True, action.speed)
        occupied.add(entity)
        flow.vehicles.append(name)
        flow.count += 1
        return True

    def _category(self, action: TrafficFlow) -> str:
        if not action.categories:
            return "car"
        weights = np.array([weight for _, weight in action.categories])
        if weights.sum() <= 0.0:
            return action.categories[0][0]
        number = int(self._random.choice(len(weights), p=weights / weights.sum()))
        return action.categories[number][0]


def _reach(entity: EntityState) -> float:
    """Distance [m] to an entity's position within which no vehicle may appear."""
    return _MIN_GAP + 0.5 * entity.record.box.length


def _is_inside(center: EntityState, entity: EntityState, major: float, minor: float) -> bool:
    dx, dy = entity.pose.x - center.pose.x, entity.pose.y - center.pose.y
    sine, cosine = portable.sin_cos(center.pose.heading)
    ahead, left = dx * cosine + dy * sine, dy * cosine - dx * sine
    return (ahead / max(major, 1.0)) ** 2 + (left / max(minor, 1.0)) ** 2 <= 1.0
