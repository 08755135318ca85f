"""The elements of a scenario file. Axes as in world files: x east, y up, z north."""

from autosim.config.scenarios import (
    Actor,
    ChangeLane,
    CollisionCondition,
    DistanceCondition,
    DriveTo,
    EventCondition,
    FollowPath,
    LanePosition,
    Move,
    ReachPositionCondition,
    RelativePosition,
    Remove,
    Scenario,
    SetSpeed,
    SpeedCondition,
    ValueRange,
    WorldPosition,
)
from autosim.config.schema import Attribute, Element, Occurs, ValueType
from autosim.config.xml_parameters import attributes_of

_AT_TIME = Attribute("time", "As in `Position`.", unit="s")


def _reference(name: str, text: str) -> Attribute:
    return Attribute(name, text, ValueType.TEXT, required=True)


def _bounds(unit: str) -> tuple[Attribute, ...]:
    return attributes_of(ValueRange, unit=unit)


def _element(
    name: str, text: str, attributes: tuple[Attribute, ...], children: tuple[Element, ...] = ()
) -> Element:
    """An element of which there may be any number."""
    return Element(name, text, attributes, children, occurs=Occurs.ANY)


_PLACES = (
    _element(
        "Position",
        "A place on the map.",
        (
            *attributes_of(WorldPosition),
            Attribute(
                "rotY",
                "Heading, clockwise from north; that of the nearest lane when not given.",
                unit="rad",
            ),
            Attribute("time", "In a path: time of arrival, from the start of the path.", unit="s"),
        ),
    ),
    _element("LanePosition", "A place on a lane.", (*attributes_of(LanePosition), _AT_TIME)),
    _element(
        "RelativePosition",
        "A position relative to a vehicle or person, along the lanes.",
        (*attributes_of(RelativePosition), _AT_TIME),
    ),
)

_GAP = attributes_of(DistanceCondition)

_CONDITIONS = (
    _element("Time", "Time since the beginning.", _bounds("s")),
    _element(
        "Speed", "Speed of an actor or a robot.", (*attributes_of(SpeedCondition), *_bounds("m/s"))
    ),
    _element("Gap", "Distance between the outlines of two of them.", (*_GAP, *_bounds("m"))),
    _element(
        "Headway", "Time gap to another one ahead, at the current speed.", (*_GAP, *_bounds("s"))
    ),
    _element(
        "TimeToCollision",
        "Time until two of them meet if both keep their velocities.",
        (*_GAP, *_bounds("s")),
    ),
    _element(
        "At",
        "A vehicle or person is near a position.",
        attributes_of(ReachPositionCondition),
        _PLACES,
    ),
    _element("Collision", "Two of them touch.", attributes_of(CollisionCondition)),
    _element("After", "An event has happened.", attributes_of(EventCondition)),
)

_ACTIONS = (
    _element("Move", "Moves an actor to another position at once.", attributes_of(Move), _PLACES),
    _element("SetSpeed", "Brings an actor to a speed.", attributes_of(SetSpeed)),
    _element("ChangeLane", "Brings a vehicle to another lane.", attributes_of(ChangeLane)),
    _element(
        "FollowPath",
        "Moves an actor along positions, at the times that they state or at its speed.",
        attributes_of(FollowPath),
        _PLACES,
    ),
    _element(
        "DriveTo",
        "Routes a vehicle by the shortest way through positions, one after the other.",
        attributes_of(DriveTo),
        _PLACES,
    ),
    _element("Remove", "Removes an actor.", attributes_of(Remove)),
)


def _criterion(name: str, text: str) -> Element:
    own = Attribute("name", "Name in reports.", ValueType.TEXT, default="")
    return Element(name, text, (own,), _CONDITIONS, occurs=Occurs.ANY, is_strict=True)


def scenario_element(vehicles: tuple[str, ...]) -> Element:
    """The root of a scenario file, whose actors may be `vehicles`."""
    attributes = attributes_of(Actor, allowed={"kind": vehicles})
    return Element(
        "Scenario",
        "A scenario file: actors, what they do and when, and what must hold for a test to pass.",
        attributes_of(Scenario),
        (
            _element(
                "Vehicle",
                "A driving actor: it keeps its lane and its speed until an action changes them.",
                attributes,
                _PLACES,
            ),
            _element(
                "Person",
                "A pedestrian actor: stationary until an action moves it.",
                tuple(each for each in attributes if each.name in ("name", "speed")),
                _PLACES,
            ),
            Element(
                "Start",
                "Start position of a robot of the world.",
                (_reference("of", "Name of the robot."),),
                _PLACES,
                occurs=Occurs.ANY,
            ),
            Element(
                "Event",
                "Actions that are taken once, as soon as all conditions of one of its `When` hold.",
                (_reference("name", "Name of the event."),),
                (
                    Element(
                        "When",
                        "Conditions that hold together.",
                        children=_CONDITIONS,
                        occurs=Occurs.ANY,
                        is_strict=True,
                    ),
                    *_ACTIONS,
                ),
                occurs=Occurs.ANY,
                is_strict=True,
            ),
            _criterion("Never", "A condition that must never hold."),
            _criterion("Once", "A condition that must hold at least once."),
            _criterion("Always", "A condition that must always hold."),
            Element(
                "End",
                "The scenario ends early where these conditions hold together.",
                children=_CONDITIONS,
                occurs=Occurs.ANY,
                is_strict=True,
            ),
        ),
        occurs=Occurs.ONCE,
        is_strict=True,
    )
