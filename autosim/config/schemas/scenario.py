"""The elements of a scenario file. Axes as in world files: x east, y up, z north."""

from autosim.config.schema import Attribute, Element, Interval, Occurs, ValueType
from autosim.config.schemas.common import name_of

_TIME = Interval(0.0, 1e5)
"""Times [s]: up to more than a day."""

_SPEED = Interval(0.0, 100.0)
"""Speeds [m/s]."""


def _whose(name: str, text: str) -> Attribute:
    return Attribute(name, text, ValueType.TEXT, required=True)


def _called(what: str) -> Attribute:
    return Attribute("name", f"What reports call {what}.", ValueType.TEXT, required=True)


def _bounds(unit: str) -> tuple[Attribute, Attribute]:
    return (
        Attribute("least", "It holds from here on.", unit=unit, default=-1e7),
        Attribute("most", "It holds up to here.", unit=unit, default=1e7),
    )


_PLACES = (
    Element(
        "Position",
        "A place on the map.",
        (
            Attribute("x", "To the east.", unit="m", required=True),
            Attribute("z", "To the north.", unit="m", required=True),
            Attribute(
                "rotY",
                "Heading, clockwise from north; that of the nearest lane when not given.",
                unit="rad",
            ),
            Attribute("time", "In a path: when it is there, from the start of the path.", unit="s"),
        ),
        occurs=Occurs.ANY,
    ),
    Element(
        "OnLane",
        "A place on a lane.",
        (
            Attribute("lane", "Its index in `get_roads()`.", ValueType.INTEGER, required=True),
            Attribute("station", "Along the lane.", unit="m", required=True),
            Attribute("left", "From its middle.", unit="m", default=0.0),
            Attribute("time", "As of Position.", unit="s"),
        ),
        occurs=Occurs.ANY,
    ),
    Element(
        "Beside",
        "A position relative to a vehicle or person, along the lanes.",
        (
            _whose("of", "Whose."),
            Attribute("ahead", "Along the lanes; negative: behind.", unit="m", default=0.0),
            Attribute(
                "lanes", "Lanes to the left; negative: to the right.", ValueType.INTEGER, default=0
            ),
            Attribute("left", "To the left of that.", unit="m", default=0.0),
            Attribute("time", "As of Position.", unit="s"),
        ),
        occurs=Occurs.ANY,
    ),
)

_BEGIN_SPEED = Attribute("speed", "At the beginning.", unit="m/s", default=0.0, interval=_SPEED)

_CONDITIONS = (
    Element("Time", "Time since the beginning.", _bounds("s"), occurs=Occurs.ANY),
    Element("Speed", "Somebody's.", (_whose("of", "Whose."), *_bounds("m/s")), occurs=Occurs.ANY),
    Element(
        "Gap",
        "Between the outlines of two.",
        (_whose("of", "Whose."), _whose("to", "To whom."), *_bounds("m")),
        occurs=Occurs.ANY,
    ),
    Element(
        "Headway",
        "Time gap to another one ahead, at the current speed.",
        (_whose("of", "Whose."), _whose("to", "To whom."), *_bounds("s")),
        occurs=Occurs.ANY,
    ),
    Element(
        "TimeToCollision",
        "After how long two meet if both keep their velocities.",
        (_whose("of", "Whose."), _whose("to", "With whom."), *_bounds("s")),
        occurs=Occurs.ANY,
    ),
    Element(
        "At",
        "A vehicle or person is near a position.",
        (
            _whose("of", "Who."),
            Attribute("within", "Of the place.", unit="m", required=True),
        ),
        _PLACES,
        occurs=Occurs.ANY,
    ),
    Element(
        "Collision",
        "Two touch.",
        (
            _whose("of", "Who."),
            Attribute("with", "The other one. Default: any.", ValueType.TEXT, default=""),
        ),
        occurs=Occurs.ANY,
    ),
    Element(
        "After",
        "An event has happened.",
        (
            _whose("event", "Its name."),
            Attribute("seconds", "So long ago at least.", unit="s", default=0.0, interval=_TIME),
        ),
        occurs=Occurs.ANY,
    ),
)

_ACTOR = _whose("actor", "Who does it.")

_WITHIN = Attribute("seconds", "How long it takes.", unit="s", default=0.0, interval=_TIME)

_ACTIONS = (
    Element("Move", "Puts an actor elsewhere at once.", (_ACTOR,), _PLACES, occurs=Occurs.ANY),
    Element(
        "SetSpeed",
        "Brings an actor to a speed.",
        (
            _ACTOR,
            Attribute("value", "The speed.", unit="m/s", required=True, interval=_SPEED),
            _WITHIN,
        ),
        occurs=Occurs.ANY,
    ),
    Element(
        "ChangeLane",
        "Brings a vehicle to another lane.",
        (
            _ACTOR,
            Attribute(
                "lanes",
                "To the left; negative: to the right.",
                ValueType.INTEGER,
                required=True,
                interval=Interval(-8, 8),
            ),
            Attribute("seconds", "How long it takes.", unit="s", default=3.0, interval=_TIME),
        ),
        occurs=Occurs.ANY,
    ),
    Element(
        "FollowPath",
        "Leads an actor along places, at the times that they state or at its speed.",
        (_ACTOR,),
        _PLACES,
        occurs=Occurs.ANY,
    ),
    Element(
        "DriveTo",
        "Lets a vehicle take the shortest way to places, one after the other.",
        (_ACTOR,),
        _PLACES,
        occurs=Occurs.ANY,
    ),
    Element("Remove", "Takes an actor away.", (_ACTOR,), occurs=Occurs.ANY),
)


def _criterion(name: str, text: str) -> Element:
    own = Attribute("name", "What reports call it.", ValueType.TEXT, default="")
    return Element(name, text, (own,), _CONDITIONS, occurs=Occurs.ANY, is_strict=True)


def scenario_element(vehicles: tuple[str, ...]) -> Element:
    """The root of a scenario file, whose actors may be `vehicles`."""
    return Element(
        "Scenario",
        "A scenario file: actors, what they do and when, and what must hold for a test to pass.",
        (
            _called("the scenario"),
            Attribute(
                "seconds",
                "How long it lasts at most.",
                unit="s",
                required=True,
                interval=Interval(0.1, 1e5),
            ),
        ),
        (
            Element(
                "Vehicle",
                "A driving actor: it keeps its lane and its speed until an action changes them.",
                (
                    name_of("the actor"),
                    Attribute(
                        "kind",
                        "A kind of vehicle of traffic.",
                        ValueType.TEXT,
                        default="saloon",
                        allowed=vehicles,
                    ),
                    _BEGIN_SPEED,
                    Attribute(
                        "opposite",
                        "Whether it drives against the direction of its lane.",
                        ValueType.BOOLEAN,
                        default=False,
                    ),
                    Attribute(
                        "looks",
                        "Whether it brakes for others in its way.",
                        ValueType.BOOLEAN,
                        default=True,
                    ),
                ),
                _PLACES,
                occurs=Occurs.ANY,
            ),
            Element(
                "Person",
                "A pedestrian actor: it stands still until an action moves it.",
                (name_of("the actor"), _BEGIN_SPEED),
                _PLACES,
                occurs=Occurs.ANY,
            ),
            Element(
                "Start",
                "Where a robot of the world begins.",
                (_whose("of", "Its name."),),
                _PLACES,
                occurs=Occurs.ANY,
            ),
            Element(
                "Event",
                "What is done once, as soon as all conditions of one of its `When` hold.",
                (_called("the event"),),
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
            _criterion("Never", "What must not become true."),
            _criterion("Once", "What must become true."),
            _criterion("Always", "What must be true all the time."),
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
