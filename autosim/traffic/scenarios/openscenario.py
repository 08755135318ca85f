"""Reads the well-known subset of OpenSCENARIO XML 1.x into the records of a scenario.

Entities with their initial actions; events with speed, lane-change, teleport, routing and
trajectory actions; conditions on time, distance, position, headway, time to collision, speed,
collisions and events. What lies beyond is an error that names the element. Angles are in radians,
world positions are those of the exported OpenDRIVE file.

Source: ASAM OpenSCENARIO XML 1.3.
"""

from collections.abc import Callable, Iterator
from itertools import product
from math import inf, prod
from typing import TypeVar

from lxml import etree

from autosim.config.diagnostics import printable
from autosim.config.reading.attribute_values import parse_finite
from autosim.config.reading.faults import Faults
from autosim.config.reading.sources import Source
from autosim.config.reading.xml_reader import line_of
from autosim.config.scenarios import (
    PERSON,
    Action,
    Actor,
    ChangeLane,
    CollisionCondition,
    Condition,
    Criterion,
    DistanceCondition,
    DriveTo,
    EventCondition,
    FollowPath,
    Move,
    Position,
    ReachPositionCondition,
    RelativePosition,
    RoadPosition,
    Scenario,
    ScenarioEvent,
    SetSpeed,
    SpeedCondition,
    TimeCondition,
    ValueRange,
    WorldPosition,
)

EGO = ("ego", "hero")
"""Names of the entity that is under test, in lower case."""

_KINDS = {
    "car": "saloon",
    "van": "van",
    "truck": "lorry",
    "bus": "bus",
    "motorbike": "motorcycle",
    "bicycle": "bicycle",
}
"""The vehicle of the fleet for each category."""

_GREATEST = 1e9
"""Greatest number in size that a file may state: more than any metre, second or road there is, and
small enough to calculate with."""

_MOST_LANES = 100
"""Lanes to one side at most."""

_MOST_SETS = 1000
"""Largest number of sets of conditions of a trigger: each entity of one condition goes with each of
another."""

_LONGEST = 600.0
"""Time [s] after which a scenario without an end ends: ten minutes."""

_Element = etree._Element
Read = TypeVar("Read")


class _UnsupportedError(Exception):
    """Something beyond the subset; says what."""

    def __init__(self, element: _Element, text: str) -> None:
        super().__init__(text)
        self.line = line_of(element)


def read_openscenario(source: Source) -> Scenario | None:
    """The scenario that a file describes; None, with diagnostics, if it has errors."""
    reader = _Reader(source.root, source.faults)
    try:
        scenario = reader.read(source.path.stem)
    except _UnsupportedError as error:
        source.faults.error(error.line, str(error))
    return None if source.faults.has_errors else scenario


class _Reader:
    def __init__(self, root: _Element, faults: Faults) -> None:
        self._root, self._faults = root, faults
        self._parameters = {
            each.get("name", ""): each.get("value", "")
            for each in root.iterfind("ParameterDeclarations/ParameterDeclaration")
        }

    def read(self, name: str) -> Scenario:
        actors = [
            found
            for each in self._root.iterfind("Entities/ScenarioObject")
            if (found := self._guarded(self._actor, each)) is not None
        ]
        starts, first = self._init()
        placed = tuple(
            # Actions of the standard rule over all else: who has a speed keeps it.
            Actor(each.name, each.kind, starts.get(each.name, (None, 0.0))[0], speed, looks=False)
            for each in actors
            for speed in (starts.get(each.name, (None, 0.0))[1],)
        )
        events = [
            *(
                [ScenarioEvent("Init", ((TimeCondition(ValueRange(least=0.0)),),), first)]
                if first
                else []
            )
        ]
        for act in self._root.iterfind("Storyboard/Story/Act"):
            events += self._act(act)
        stop = self._root.find("Storyboard/StopTrigger")
        ends = self._trigger(stop) if stop is not None else ()
        tested = [each.name for each in actors if each.name.lower() in EGO]
        return Scenario(
            name,
            _LONGEST,
            placed,
            tuple(events),
            tuple(
                Criterion(f"no collision of {own}", "never", CollisionCondition(own))
                for own in tested
            ),
            ends=tuple(each for each in ends if each),
        )

    def _guarded(self, read: Callable[[_Element], Read], element: _Element) -> Read | None:
        """The result of `read` for an element; None, with a fault, where it fails."""
        try:
            return read(element)
        except _UnsupportedError as error:
            self._faults.error(error.line, str(error))
            return None

    def _text(self, element: _Element, name: str, default: str | None = None) -> str:
        value = element.get(name, default)
        if value is None:
            raise _UnsupportedError(element, f"<{element.tag}> has no attribute '{name}'")
        if value.startswith("$"):
            found = self._parameters.get(value[1:])
            if found is None:
                raise _UnsupportedError(element, f"there is no parameter '{value}'")
            return found
        return value

    def _number(
        self,
        element: _Element,
        name: str,
        default: str | None = None,
        *,
        least: float = -_GREATEST,
    ) -> float:
        """A finite number, of at most `_GREATEST` in size."""
        text = self._text(element, name, default)
        value = parse_finite(text)
        if value is None or not least <= value <= _GREATEST:
            raise _UnsupportedError(
                element,
                f"expected a number from {least:g} to {_GREATEST:g} for '{name}' of "
                f"<{element.tag}>, not '{printable(text)}'",
            )
        return value

    def _whole(self, element: _Element, name: str, most: float = _MOST_LANES) -> int:
        """A whole number, of at most `most` in size."""
        value = self._number(element, name)
        if not value.is_integer() or abs(value) > most:
            raise _UnsupportedError(
                element,
                f"expected a whole number from {-most:g} to {most:g} for '{name}' of "
                f"<{element.tag}>, not '{value:g}'",
            )
        return int(value)

    def _only(self, element: _Element) -> _Element:
        """The only child of an element that is a choice."""
        children = [each for each in element if isinstance(each.tag, str)]
        if not children:
            raise _UnsupportedError(element, f"<{element.tag}> is empty")
        return children[0]

    def _find(self, element: _Element, path: str) -> _Element:
        found = element.find(path)
        if found is None:
            raise _UnsupportedError(element, f"<{element.tag}> has no <{path}>")
        return found

    def _actor(self, element: _Element) -> Actor:
        name = self._text(element, "name")
        for child in element:
            if child.tag == "Pedestrian":
                return Actor(name, PERSON)
            if child.tag == "Vehicle":
                category = self._text(child, "vehicleCategory", "car")
                if category not in _KINDS:
                    raise _UnsupportedError(
                        child, f"there are no vehicles of category '{category}'"
                    )
                return Actor(name, _KINDS[category])
            if child.tag == "CatalogReference":
                is_person = "pedestrian" in self._text(child, "catalogName", "").lower()
                kind = PERSON if is_person else "saloon"
                self._faults.warning(
                    line_of(child), f"catalogues are not read: '{name}' is a {kind}"
                )
                return Actor(name, kind)
        raise _UnsupportedError(element, f"'{name}' is neither a vehicle nor a pedestrian")

    def _init(self) -> tuple[dict[str, tuple[Position | None, float]], tuple[Action, ...]]:
        """Start positions and speeds of entities by name, and their other initial actions."""
        starts: dict[str, tuple[Position | None, float]] = {}
        others: list[Action] = []
        for private in self._root.iterfind("Storyboard/Init/Actions/Private"):
            name = private.get("entityRef", "")
            for element in private.iterfind("PrivateAction"):
                for action in self._actions(element, name):
                    place, speed = starts.get(name, (None, 0.0))
                    if isinstance(action, Move):
                        starts[name] = (action.place, speed)
                    elif isinstance(action, SetSpeed):
                        starts[name] = (place, action.speed)
                    else:
                        others.append(action)
        return starts, tuple(others)

    def _act(self, act: _Element) -> Iterator[ScenarioEvent]:
        trigger = act.find("StartTrigger")
        name = f"act {act.get('name', '')}"
        if trigger is not None:
            yield ScenarioEvent(name, self._trigger(trigger), ())
        for group in act.iterfind("ManeuverGroup"):
            actors = [each.get("entityRef", "") for each in group.iterfind("Actors/EntityRef")]
            for event in group.iterfind("Maneuver/Event"):
                actions = [
                    action
                    for element in event.iterfind("Action/PrivateAction")
                    for actor in actors
                    for action in self._actions(element, actor)
                ]
                own = event.find("StartTrigger")
                sets: tuple[tuple[Condition, ...], ...] = (
                    ((),) if own is None else self._trigger(own)
                )
                begun: tuple[Condition, ...] = (
                    (EventCondition(name),) if trigger is not None else ()
                )
                when = tuple(
                    (*begun, *each) or (TimeCondition(ValueRange(least=0.0)),) for each in sets
                )
                yield ScenarioEvent(self._text(event, "name"), when, tuple(actions))

    def _actions(self, element: _Element, actor: str) -> list[Action]:
        found = self._guarded(lambda each: self._action(each, actor), self._only(element))
        return [found] if found is not None else []

    def _action(self, element: _Element, actor: str) -> Action:
        if element.tag == "TeleportAction":
            return Move(actor, self._position(self._find(element, "Position")))
        if element.tag == "LongitudinalAction":
            return self._speed(self._only(element), actor)
        if element.tag == "LateralAction":
            return self._lane_change(self._only(element), actor)
        if element.tag == "RoutingAction":
            return self._routing(self._only(element), actor)
        raise _UnsupportedError(element, f"<{element.tag}> is not supported")

    def _speed(self, element: _Element, actor: str) -> SetSpeed:
        if element.tag != "SpeedAction":
            raise _UnsupportedError(element, f"<{element.tag}> is not supported")
        target = self._only(self._find(element, "SpeedActionTarget"))
        if target.tag != "AbsoluteTargetSpeed":
            raise _UnsupportedError(
                target, f"<{target.tag}> is not supported: AbsoluteTargetSpeed is"
            )
        speed = self._number(target, "value")
        dynamics = self._find(element, "SpeedActionDynamics")
        value = self._number(dynamics, "value", "0", least=0.0)
        dimension = self._text(dynamics, "dynamicsDimension", "time")
        if self._text(dynamics, "dynamicsShape", "linear") == "step":
            return SetSpeed(actor, speed)
        if dimension == "time":
            return SetSpeed(actor, speed, value)
        if dimension == "rate":
            return SetSpeed(actor, speed, rate=value)
        raise _UnsupportedError(dynamics, f"a change of speed over a {dimension} is not supported")

    def _lane_change(self, element: _Element, actor: str) -> ChangeLane:
        if element.tag != "LaneChangeAction":
            raise _UnsupportedError(element, f"<{element.tag}> is not supported")
        target = self._only(self._find(element, "LaneChangeTarget"))
        if target.tag != "RelativeTargetLane" or self._text(target, "entityRef") != actor:
            raise _UnsupportedError(
                target, "only a RelativeTargetLane relative to the actor itself is supported"
            )
        dynamics = self._find(element, "LaneChangeActionDynamics")
        value = self._number(dynamics, "value", "0", least=0.0)
        lanes = self._whole(target, "value")
        if self._text(dynamics, "dynamicsDimension", "time") == "distance":
            return ChangeLane(actor, lanes, metres=value)
        return ChangeLane(actor, lanes, value)

    def _routing(self, element: _Element, actor: str) -> Action:
        if element.tag == "AcquirePositionAction":
            return DriveTo(actor, (self._position(self._find(element, "Position")),))
        if element.tag == "AssignRouteAction":
            places = [
                self._position(self._find(each, "Position"))
                for each in element.iterfind("Route/Waypoint")
            ]
            return DriveTo(actor, tuple(places))
        if element.tag != "FollowTrajectoryAction":
            raise _UnsupportedError(element, f"<{element.tag}> is not supported")
        vertices = list(element.iterfind(".//Polyline/Vertex"))
        if not vertices:
            raise _UnsupportedError(element, "only trajectories with a Polyline are supported")
        places = [self._position(self._find(each, "Position")) for each in vertices]
        is_timed = element.find("TimeReference/Timing") is not None
        timed = vertices if is_timed else []
        times = [self._number(each, "time", "0", least=0.0) for each in timed]
        return FollowPath(actor, tuple(places), tuple(times))

    def _position(self, element: _Element) -> Position:
        own = self._only(element)
        if own.tag == "WorldPosition":
            yaw = self._number(own, "h") if own.get("h") is not None else None
            return WorldPosition(self._number(own, "x"), self._number(own, "y"), yaw)
        if own.tag == "LanePosition":
            road, lane = self._whole(own, "roadId", _GREATEST), self._whole(own, "laneId")
            return RoadPosition(
                road, lane, self._number(own, "s"), self._number(own, "offset", "0")
            )
        of = self._text(own, "entityRef", "")
        if own.tag == "RelativeLanePosition":
            ahead = self._number(own, "ds" if own.get("ds") is not None else "dsLane")
            lanes = self._whole(own, "dLane")
            return RelativePosition(of, ahead, lanes, self._number(own, "offset", "0"))
        if own.tag == "RelativeRoadPosition":
            return RelativePosition(of, self._number(own, "ds"), 0, self._number(own, "dt"))
        if own.tag == "RelativeObjectPosition":
            return RelativePosition(of, self._number(own, "dx"), 0, self._number(own, "dy"))
        raise _UnsupportedError(own, f"<{own.tag}> is not supported")

    def _trigger(self, trigger: _Element) -> tuple[tuple[Condition, ...], ...]:
        """The sets of conditions of which one has to hold as a whole."""
        sets: list[tuple[Condition, ...]] = []
        for group in trigger.iterfind("ConditionGroup"):
            alternatives = [
                found
                for each in group.iterfind("Condition")
                if (found := self._guarded(self._condition, each)) is not None
            ]
            count = prod(len(each) for each in alternatives)
            if len(sets) + count > _MOST_SETS:
                raise _UnsupportedError(
                    group, f"its conditions can hold in more than {_MOST_SETS} ways"
                )
            sets += [tuple(each) for each in product(*alternatives)]
        return tuple(sets)

    def _condition(self, element: _Element) -> list[Condition]:
        """The conditions of which one has to hold."""
        own = self._only(element)
        if own.tag == "ByValueCondition":
            return [self._by_value(self._only(own))]
        entities = self._find(own, "TriggeringEntities")
        names = [self._text(each, "entityRef") for each in entities.iterfind("EntityRef")]
        if self._text(entities, "triggeringEntitiesRule", "any") == "all" and len(names) > 1:
            raise _UnsupportedError(
                entities, "the rule 'all' for several entities is not supported"
            )
        condition = self._only(self._find(own, "EntityCondition"))
        return [self._by_entity(condition, name) for name in names]

    def _by_value(self, element: _Element) -> Condition:
        if element.tag == "SimulationTimeCondition":
            return TimeCondition(self._bounds(element))
        if element.tag == "StoryboardElementStateCondition":
            return EventCondition(self._text(element, "storyboardElementRef"))
        raise _UnsupportedError(element, f"<{element.tag}> is not supported")

    def _by_entity(self, element: _Element, of: str) -> Condition:
        tag = element.tag
        if tag == "SpeedCondition":
            return SpeedCondition(of, self._bounds(element))
        if tag == "RelativeDistanceCondition":
            return DistanceCondition(of, self._text(element, "entityRef"), self._bounds(element))
        if tag == "TimeHeadwayCondition":
            return DistanceCondition(
                of, self._text(element, "entityRef"), self._bounds(element), "headway"
            )
        if tag == "TimeToCollisionCondition":
            target = self._find(element, "TimeToCollisionConditionTarget/EntityRef")
            other = self._text(target, "entityRef")
            return DistanceCondition(of, other, self._bounds(element), "collision")
        if tag == "ReachPositionCondition":
            place = self._position(self._find(element, "Position"))
            return ReachPositionCondition(of, place, self._number(element, "tolerance", least=0.0))
        if tag == "CollisionCondition":
            other_one = element.find("EntityRef")
            return CollisionCondition(
                of, "" if other_one is None else self._text(other_one, "entityRef")
            )
        raise _UnsupportedError(element, f"<{tag}> is not supported")

    def _bounds(self, element: _Element) -> ValueRange:
        value, rule = self._number(element, "value"), self._text(element, "rule", "greaterThan")
        if rule in ("greaterThan", "greaterOrEqual"):
            return ValueRange(value, inf)
        if rule in ("lessThan", "lessOrEqual"):
            return ValueRange(-inf, value)
        return ValueRange(value, value)
