"""Reads triggers and conditions."""

from autosim.openscenario.reading.position_reader import read_position
from autosim.openscenario.reading.xosc_elements import XoscElement
from autosim.openscenario.records.condition_records import (
    Accelerates,
    Collides,
    Comparison,
    Condition,
    ConditionContent,
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
    StateCondition,
    TimeOfDayCondition,
    TimeToCollision,
    Travelled,
    Trigger,
    ValueCondition,
)

_RULES = (
    "greaterThan",
    "lessThan",
    "equalTo",
    "greaterOrEqual",
    "lessOrEqual",
    "notEqualTo",
)

_ANGULAR_TOLERANCE = 0.05
"""Angle [rad] to a stated orientation up to which a position is reached: that of esmini."""

_EDGES = ("none", "rising", "falling", "risingOrFalling")


def read_trigger(element: XoscElement) -> Trigger:
    """The groups of conditions of a trigger; () for one that never holds."""
    return tuple(
        tuple(_condition(each) for each in group.children("Condition"))
        for group in element.children("ConditionGroup")
    )


def _condition(element: XoscElement) -> Condition:
    content = element.pick({"ByEntityCondition": _by_entity, "ByValueCondition": _by_value})
    delay = element.number("delay", 0.0)
    if delay < 0.0:
        raise element.fail("delay is negative")
    edge = element.choice("conditionEdge", _EDGES, "none")
    return Condition(element.label("name", ""), edge, delay, content)


def _by_value(element: XoscElement) -> ConditionContent:
    def value(each: XoscElement, kind: str) -> ConditionContent:
        name = each.reference(f"{kind}Ref" if kind != "user" else "name")
        rule = each.choice("rule", _RULES)
        return ValueCondition(kind, name, rule, each.text("value", ""))

    def state(each: XoscElement) -> ConditionContent:
        return StateCondition(
            each.text("storyboardElementType"),
            each.label("storyboardElementRef"),
            each.text("state"),
        )

    def signal(each: XoscElement) -> ConditionContent:
        return SignalCondition(each.text("name"), each.text("state"), False)

    def phase(each: XoscElement) -> ConditionContent:
        name = each.text("trafficSignalControllerRef")
        return SignalCondition(name, each.text("phase"), True)

    def time_of_day(each: XoscElement) -> ConditionContent:
        return TimeOfDayCondition(each.choice("rule", _RULES), each.text("dateTime"))

    return element.pick(
        {
            "SimulationTimeCondition": lambda each: SimulationTimeCondition(_compare(each)),
            "ParameterCondition": lambda each: value(each, "parameter"),
            "VariableCondition": lambda each: value(each, "variable"),
            "UserDefinedValueCondition": lambda each: value(each, "user"),
            "StoryboardElementStateCondition": state,
            "TrafficSignalCondition": signal,
            "TrafficSignalControllerCondition": phase,
            "TimeOfDayCondition": time_of_day,
        }
    )


def _compare(element: XoscElement) -> Comparison:
    return Comparison(element.choice("rule", _RULES), element.number("value"))


def _by_entity(element: XoscElement) -> ConditionContent:
    triggering = element.need("TriggeringEntities")
    rule = triggering.choice("triggeringEntitiesRule", ("any", "all", "none"))
    names = tuple(each.text("entityRef") for each in triggering.children("EntityRef"))
    return EntityCondition(names, rule, read_test(element.need("EntityCondition")))


def read_test(element: XoscElement) -> EntityTest:
    """The test of an <EntityCondition>."""
    return element.pick(
        {
            "EndOfRoadCondition": lambda each: Lasting("end_of_road", each.number("duration")),
            "OffroadCondition": lambda each: Lasting("off_road", each.number("duration")),
            "StandStillCondition": lambda each: Lasting("stands", each.number("duration")),
            "CollisionCondition": _collision,
            "TimeHeadwayCondition": lambda each: Headway(
                each.text("entityRef"), _compare(each), _measure(each, "longitudinal")
            ),
            "TimeToCollisionCondition": _time_to_collision,
            "AccelerationCondition": lambda each: Accelerates(
                _compare(each), each.text("direction", "")
            ),
            "SpeedCondition": lambda each: HasSpeed(_compare(each), each.text("direction", "")),
            "RelativeSpeedCondition": lambda each: HasSpeed(
                _compare(each), each.text("direction", ""), each.text("entityRef")
            ),
            "TraveledDistanceCondition": lambda each: Travelled(each.number("value")),
            "ReachPositionCondition": _reaches,
            "DistanceCondition": lambda each: Distance(
                "", read_position(each.need("Position")), _compare(each), _measure(each)
            ),
            "RelativeDistanceCondition": lambda each: Distance(
                each.text("entityRef"), None, _compare(each), _measure(each)
            ),
            "RelativeClearanceCondition": _clearance,
            "AngleCondition": lambda each: _angle(each, ""),
            "RelativeAngleCondition": lambda each: _angle(each, each.text("entityRef")),
        }
    )


def _reaches(element: XoscElement) -> EntityTest:
    """A position with an <Orientation> is reached in that orientation."""
    position, angle = element.need("Position"), element.maybe("angularTolerance")
    if angle is None and any(
        isinstance(each.tag, str) and each.tag.endswith("Orientation")
        for each in position.node.iter()
    ):
        angle = _ANGULAR_TOLERANCE
    return Reaches(read_position(position), element.number("tolerance"), angle)


def _measure(element: XoscElement, default: str = "euclidianDistance") -> DistanceMeasure:
    """Way of measuring a distance; version 1.0 has alongRoute, and cartesianDistance."""
    along = element.find("alongRoute")
    kind = element.text("relativeDistanceType", default)
    system = element.text("coordinateSystem", "")
    if not system:
        system = "road" if along is not None and element.flag("alongRoute") else "entity"
    if along is not None and element.flag("alongRoute") and kind == default:
        kind = "longitudinal"
    if kind in ("cartesianDistance", "euclidianDistance", "euclideanDistance"):
        kind = "euclidean"
    on_route = element.text("routingAlgorithm", "undefined") == "assignedRoute"
    return DistanceMeasure(system, kind, element.flag("freespace", default=False), on_route)


def _collision(element: XoscElement) -> EntityTest:
    entity, kind = element.child("EntityRef"), element.child("ByType")
    if entity is None and kind is None:
        raise element.fail("expected <EntityRef> or <ByType>")
    name = "" if entity is None else entity.text("entityRef")
    return Collides(name, "" if kind is None else kind.text("type"))


def _time_to_collision(element: XoscElement) -> EntityTest:
    target = element.need("TimeToCollisionConditionTarget")
    position, entity = target.child("Position"), target.child("EntityRef")
    if position is None and entity is None:
        raise target.fail("expected <Position> or <EntityRef>")
    return TimeToCollision(
        "" if entity is None else entity.text("entityRef"),
        None if position is None else read_position(position),
        _compare(element),
        _measure(element),
    )


def _clearance(element: XoscElement) -> EntityTest:
    lanes = []
    for each in element.children("RelativeLaneRange"):
        ends = [None if each.find(name) is None else each.whole(name) for name in ("from", "to")]
        lanes.append((ends[0], ends[1]))
    return RelativeClearance(
        tuple(each.text("entityRef") for each in element.children("EntityRef")),
        element.number("distanceForward", 0.0),
        element.number("distanceBackward", 0.0),
        element.flag("freeSpace", default=element.flag("freespace", default=False)),
        element.flag("oppositeLanes", default=False),
        tuple(lanes),
    )


def _angle(element: XoscElement, entity: str) -> EntityTest:
    return HasAngle(
        element.text("angleType"),
        element.number("angle"),
        element.number("angleTolerance"),
        element.text("coordinateSystem", "road" if not entity else "entity"),
        entity,
    )
