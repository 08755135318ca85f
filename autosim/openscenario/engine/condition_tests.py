"""Evaluates conditions, without their edges and delays."""

import math
from datetime import datetime, timedelta

from autosim import portable
from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.measures import (
    acceleration_along,
    distance,
    overlaps,
    speed_along,
)
from autosim.openscenario.engine.scenario_world import ScenarioWorld
from autosim.openscenario.records.condition_records import (
    Accelerates,
    Collides,
    Comparison,
    Distance,
    DistanceMeasure,
    EntityCondition,
    EntityTest,
    HasAngle,
    HasSpeed,
    Headway,
    Lasting,
    Reaches,
    RelativeClearance,
    SignalCondition,
    SimulationTimeCondition,
    TimeOfDayCondition,
    TimeToCollision,
    Travelled,
    ValueCondition,
)
from autosim.openscenario.road_map.road_network import MapPose

_SAME = 1e-6
"""Difference up to which two numbers are equal."""

_SLOW = 1e-3
"""Speed [m/s] below which a headway or a time to a collision is not defined."""


def compares(rule: str, value: float, limit: float) -> bool:
    """Whether a number obeys a rule."""
    if rule == "greaterThan":
        return value > limit
    if rule == "lessThan":
        return value < limit
    if rule == "greaterOrEqual":
        return value >= limit - _SAME
    if rule == "lessOrEqual":
        return value <= limit + _SAME
    return (abs(value - limit) < _SAME) == (rule == "equalTo")


def value_holds(
    world: ScenarioWorld,
    condition: SimulationTimeCondition | TimeOfDayCondition | ValueCondition | SignalCondition,
) -> bool:
    """Whether a condition on values holds."""
    if isinstance(condition, SimulationTimeCondition):
        return compares(condition.comparison.rule, world.time, condition.comparison.value)
    if isinstance(condition, ValueCondition):
        return _value(world, condition)
    if isinstance(condition, SignalCondition):
        states = world.phases if condition.is_controller else world.signals
        return states.get(condition.name) == condition.state
    return _time_of_day(world, condition)


def _value(world: ScenarioWorld, condition: ValueCondition) -> bool:
    values = world.parameters if condition.kind == "parameter" else world.variables
    text = values.get(condition.name)
    if text is None:
        return False
    try:
        return compares(condition.rule, float(text), float(condition.value))
    except ValueError:
        same = text.strip().lower() == condition.value.strip().lower()
        return same == (condition.rule != "notEqualTo")


def _time_of_day(world: ScenarioWorld, condition: TimeOfDayCondition) -> bool:
    if world.environment.time is None:
        return False
    try:
        now = datetime.fromisoformat(world.environment.time) + timedelta(seconds=world.time)
        limit = datetime.fromisoformat(condition.time)
        seconds = (now.replace(tzinfo=None) - limit.replace(tzinfo=None)).total_seconds()
    except ValueError:
        return False
    return compares(condition.rule, seconds, 0.0)


def entities_hold(world: ScenarioWorld, condition: EntityCondition) -> tuple[bool, list[str]]:
    """Whether a test of entities holds, and for which of them."""
    names = [name for name in condition.entities if world.active(name) is not None]
    held = [name for name in names if _holds(world, world.entities[name], condition.test)]
    if condition.rule == "any":
        return bool(held), held
    if condition.rule == "none":
        return not held, names
    return bool(names) and len(held) == len(names), held


def _holds(world: ScenarioWorld, entity: EntityState, test: EntityTest) -> bool:
    if isinstance(test, Lasting):
        durations = {
            "stands": entity.standing,
            "off_road": entity.off_road,
            "end_of_road": entity.at_end,
        }
        lasted = durations[test.kind]
        return lasted >= 0.0 and lasted >= test.duration - _SAME
    if isinstance(test, Collides):
        return _collides(world, entity, test)
    if isinstance(test, Headway | TimeToCollision | Distance):
        return _gap_holds(world, entity, test)
    if isinstance(test, Reaches):
        return _reaches(world, entity, test)
    if isinstance(test, HasSpeed):
        return _has_speed(world, entity, test)
    if isinstance(test, Travelled):
        return entity.travelled >= test.value
    if isinstance(test, Accelerates):
        value = acceleration_along(entity, test.direction)
        return _compare(test.comparison, value)
    if isinstance(test, RelativeClearance):
        return _is_clear(world, entity, test)
    return _has_angle(world, entity, test)


def _compare(comparison: Comparison, value: float) -> bool:
    return compares(comparison.rule, value, comparison.value)


def _collides(world: ScenarioWorld, entity: EntityState, test: Collides) -> bool:
    own = entity.corners()
    for other in world.entities.values():
        if other is entity or not other.is_active:
            continue
        if test.entity and other.name != test.entity:
            continue
        kinds = {"miscellaneous": "object", "miscObject": "object"}
        if test.kind and other.record.kind != kinds.get(test.kind, test.kind):
            continue
        reach = entity.record.box.length + other.record.box.length + 20.0
        if abs(other.pose.x - entity.pose.x) + abs(other.pose.y - entity.pose.y) > 2.0 * reach:
            continue
        if overlaps(own, other.corners()):
            return True
    return False


def _gap_holds(
    world: ScenarioWorld, entity: EntityState, test: Headway | TimeToCollision | Distance
) -> bool:
    position = None if isinstance(test, Headway) else test.position
    other: EntityState | None = None
    if position is not None:
        gap = distance(world, entity, world.placement.find(position), test.measure)
    else:
        other = world.active(test.entity)
        if other is None:
            return False
        gap = distance(world, entity, other, test.measure)
    if isinstance(test, Distance):
        return _compare(test.comparison, math.inf if gap is None else abs(gap))
    if gap is None:
        return False
    if isinstance(test, Headway):
        if gap < 0.0 or entity.speed < _SLOW:
            return False
        return _compare(test.comparison, gap / entity.speed)
    closing = _closing_speed(entity, other)
    if abs(closing) < _SLOW or gap / closing < 0.0:
        return False
    return _compare(test.comparison, gap / closing)


def _closing_speed(entity: EntityState, other: EntityState | None) -> float:
    """The speed [m/s] at which an entity closes in on another, along the other's motion."""
    if other is None or float(portable.hypot(*other.velocity)) < _SLOW:
        return entity.speed
    speed = float(portable.hypot(*other.velocity))
    along = entity.velocity[0] * other.velocity[0] + entity.velocity[1] * other.velocity[1]
    projected = along / speed
    sign = 1.0 if entity.speed >= 0.0 else -1.0
    return sign * (1.0 if projected >= 0.0 else -1.0) * (projected - speed)


def _reaches(world: ScenarioWorld, entity: EntityState, test: Reaches) -> bool:
    found = world.placement.find(test.position).pose
    away = float(portable.hypot(found.x - entity.pose.x, found.y - entity.pose.y))
    if away >= test.tolerance:
        return False
    if test.angle is None:
        return True
    return abs(float(portable.wrapped(found.heading - entity.pose.heading))) < test.angle


def _has_speed(world: ScenarioWorld, entity: EntityState, test: HasSpeed) -> bool:
    if not test.entity:
        return _compare(test.comparison, speed_along(entity, test.direction))
    other = world.active(test.entity)
    if other is None:
        return False
    if not test.direction:
        return _compare(test.comparison, entity.speed - other.speed)
    # Speeds are compared along the axes of the reference entity.
    sine, cosine = portable.sin_cos(other.pose.heading)
    dx = entity.velocity[0] - other.velocity[0]
    dy = entity.velocity[1] - other.velocity[1]
    along = dx * cosine + dy * sine if test.direction == "longitudinal" else dy * cosine - dx * sine
    return _compare(test.comparison, along)


def _is_clear(world: ScenarioWorld, entity: EntityState, test: RelativeClearance) -> bool:
    for other in world.entities.values():
        if other is entity or not other.is_active:
            continue
        if test.entities and other.name not in test.entities:
            continue
        if entity.place is None or other.place is None or world.roads is None:
            continue
        if not test.is_opposite and not test.entities and other.forward != entity.forward:
            continue
        if not _in_lanes(entity, other, test):
            continue
        measure = _LANE_FREE if test.is_free else _LANE
        gap = distance(world, entity, other, measure)
        if gap is not None and -test.behind <= gap <= test.ahead:
            return False
    return True


def _in_lanes(entity: EntityState, other: EntityState, test: RelativeClearance) -> bool:
    if not test.lanes or entity.place is None or other.place is None:
        return True
    across = lanes_between(entity.place.lane, other.place.lane)
    across = across if entity.forward else -across
    for low, high in test.lanes:
        if (low is None or across >= low) and (high is None or across <= high):
            return True
    return False


def lanes_between(first: int, second: int) -> int:
    """The number of lanes to the left from one lane to another; lane 0 is not counted."""
    crosses = first and second and (first > 0) != (second > 0)
    return second - first - ((1 if second > first else -1) if crosses else 0)


def _has_angle(world: ScenarioWorld, entity: EntityState, test: HasAngle) -> bool:
    value = _angle_of(entity.pose, test.kind)
    if test.entity:
        other = world.active(test.entity)
        if other is None:
            return False
        value -= _angle_of(other.pose, test.kind)
    elif test.system == "trajectory":
        if entity.followed is None or test.kind != "heading":
            return False
        followed, s = entity.followed
        value -= followed.at(s)[3]
    elif test.system in ("road", "lane") and entity.place and world.roads:
        curve = world.roads.curve(entity.place.road)
        is_along = test.system == "road" or curve.along(entity.place.lane, entity.place.s)
        base = world.roads.pose(entity.place, 0.0 if is_along else math.pi)
        value -= _angle_of(base, test.kind)
    return abs(float(portable.wrapped(value - test.angle))) <= test.tolerance + _SAME


def _angle_of(pose: MapPose, kind: str) -> float:
    return {"heading": pose.heading, "pitch": pose.pitch, "roll": pose.roll}.get(kind, 0.0)


_LANE = DistanceMeasure("lane", "longitudinal", False)
_LANE_FREE = DistanceMeasure("lane", "longitudinal", True)
