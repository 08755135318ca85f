"""Drives entities whose controller is active: along the lane, behind others, at a wanted speed.

Source: intelligent driver model, Treiber et al., Physical Review E 62 (2000).
"""

import math
from dataclasses import dataclass

from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.measures import distance
from autosim.openscenario.engine.scenario_world import ScenarioWorld
from autosim.openscenario.records.condition_records import DistanceMeasure
from autosim.openscenario.road_map.ways import advance

_GAP, _HEADWAY = 2.0, 1.5
"""Gap [m] to the entity ahead at standstill, and time gap [s]: usual values of the model."""

_ACCELERATION, _BRAKING, _MAX_BRAKING = 1.5, 2.0, 9.0
"""Acceleration, comfortable and greatest deceleration [m/s²]."""

_USUAL_SPEED = 50.0 / 3.6
"""Wanted speed [m/s] where neither a controller, an action nor the road states one: 50 km/h."""

_LOOK_AHEAD = 150.0
"""Distance [m] within which the entity ahead is looked for."""

_AHEAD = DistanceMeasure("lane", "longitudinal", True)

_SPEED_PROPERTIES = ("setSpeed", "speed", "targetSpeed", "desiredSpeed")
"""Properties of controllers that state the wanted speed [m/s]."""


@dataclass(slots=True)
class BuiltInDriver:
    """A controller of an entity, played by the intelligent driver model."""

    name: str
    """Name of the controller."""
    longitudinal: bool = False
    """Whether it is active along the lane."""
    lateral: bool = False
    """Whether it is active across the lane."""
    wanted: float | None = None
    """Speed [m/s] that it states, None for that of the entity."""


def driver_of(entity: EntityState) -> BuiltInDriver:
    """The controller of an entity as its description or an action assigns it."""
    for controller in entity.controllers:
        properties = dict(controller.properties)
        for name in _SPEED_PROPERTIES:
            try:
                return BuiltInDriver(controller.name, wanted=float(properties[name]))
            except (KeyError, ValueError):
                continue
        return BuiltInDriver(controller.name)
    return BuiltInDriver("")


def drive(world: ScenarioWorld, entity: EntityState, driver: BuiltInDriver) -> None:
    """Sets the speed of an entity for the next step."""
    if world.dt <= 0.0:
        return
    wanted = max(_wanted_speed(world, entity, driver), 0.1)
    gap, ahead = _gap_ahead(world, entity)
    limits = entity.record.performance
    most = min(_ACCELERATION, limits.max_acceleration)
    free = 1.0 - (max(entity.speed, 0.0) / wanted) ** 4
    closing = entity.speed - ahead
    desired = _GAP + max(
        entity.speed * _HEADWAY + entity.speed * closing / (2.0 * math.sqrt(most * _BRAKING)), 0.0
    )
    slowed = (desired / max(gap, 0.1)) ** 2 if math.isfinite(gap) else 0.0
    least = -min(_MAX_BRAKING, limits.max_deceleration)
    acceleration = max(most * (free - slowed), least)
    entity.speed = max(entity.speed + acceleration * world.dt, 0.0)


def _wanted_speed(world: ScenarioWorld, entity: EntityState, driver: BuiltInDriver) -> float:
    if driver.wanted is not None:
        return driver.wanted
    if entity.ordered_speed:
        return entity.ordered_speed
    if world.roads is not None and entity.place is not None:
        limit = world.roads.curve(entity.place.road).speed_limit(entity.place.s)
        if limit is not None and limit > 0.0:
            return min(limit, entity.record.performance.max_speed)
    return min(_USUAL_SPEED, entity.record.performance.max_speed)


def _gap_ahead(world: ScenarioWorld, entity: EntityState) -> tuple[float, float]:
    """Gap [m] to the next entity on the lane ahead and its speed [m/s]; infinite without one."""
    best, speed = math.inf, 0.0
    if world.roads is None or entity.place is None:
        return best, speed
    for other in world.entities.values():
        if other is entity or not other.is_active or other.is_towed or other.place is None:
            continue
        reach = _LOOK_AHEAD + other.record.box.length
        if abs(other.pose.x - entity.pose.x) > reach or abs(other.pose.y - entity.pose.y) > reach:
            continue
        gap = distance(world, entity, other, _AHEAD)
        if gap is None or not 0.0 <= gap < min(best, _LOOK_AHEAD):
            continue
        if _is_on_way(world, entity, other, gap):
            same = other.forward == entity.forward or other.place.road != entity.place.road
            best, speed = gap, other.speed if same else -other.speed
    return best, speed


def _is_on_way(world: ScenarioWorld, entity: EntityState, other: EntityState, gap: float) -> bool:
    """Whether another entity is on the lane that an entity follows."""
    assert world.roads is not None
    assert entity.place is not None
    assert other.place is not None
    if other.place.road == entity.place.road:
        aside = abs(other.place.t - entity.place.t)
        return aside < 0.5 * (other.record.box.width + entity.record.box.width)
    length = gap + 0.5 * (entity.record.box.length + other.record.box.length)
    step = advance(world.roads, entity.place, entity.forward, length, entity.route)
    return step.place.road == other.place.road and step.place.lane == other.place.lane
