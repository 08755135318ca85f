"""The elements of the test bench's files: launch files, and scenes for range finders."""

from autosim.config.launches import Machine, NodeEntry
from autosim.config.schema import Attribute, Element, Interval, Occurs, ValueType
from autosim.config.xml_parameters import attributes_of

_LENGTH = Interval(0.0, 1e4, low_open=True)
"""[m]: what is as large as a scene at most."""

_PARAM = Element(
    "param",
    "A setting; its name may begin with `~`. Outside a node, it applies to all nodes that do not "
    "set it themselves.",
    (
        Attribute("name", "Name of the setting.", ValueType.TEXT, required=True),
        Attribute(
            "value", "Its value; of a topic, the topic's name.", ValueType.TEXT, required=True
        ),
    ),
    occurs=Occurs.ANY,
)

_NODE = Element(
    "node",
    "A node of the bench.",
    (
        *attributes_of(NodeEntry),
        Attribute(
            "machine", "The machine that runs it. Default: this one.", ValueType.TEXT, default=""
        ),
    ),
    (_PARAM,),
    occurs=Occurs.ANY,
)

_MACHINE = Element(
    "machine",
    "Another machine, which ssh reaches without asking for a password.",
    attributes_of(Machine),
    occurs=Occurs.ANY,
)

LAUNCH = Element(
    "launch", "The nodes of a test bench and their topics.", (), (_MACHINE, _PARAM, _NODE)
)

_BOUNDS = tuple(
    Attribute(name, f"{side} bound of the shape; without it, unbounded.", unit="m")
    for name, side in (
        ("x_min", "Left"),
        ("x_max", "Right"),
        ("y_min", "Lower"),
        ("y_max", "Upper"),
    )
)


def _shape(name: str, description: str, *coefficients: Attribute) -> Element:
    return Element(name, description, (*coefficients, *_BOUNDS), occurs=Occurs.ANY)


def _coefficient(name: str, unit: str = "") -> Attribute:
    return Attribute(name, f"The coefficient {name}.", unit=unit, required=True)


SCENE = Element(
    "scene",
    "The surroundings of a range finder at the origin: x to the east, y to the north, in metres.",
    (),
    (
        _shape("Line", "a x + b y + c = 0.", *(_coefficient(each) for each in "abc")),
        _shape(
            "Quadratic",
            "s x² + t x + u y + v = 0.",
            *(_coefficient(each) for each in "stuv"),
        ),
        _shape(
            "Ellipse",
            "((x − h)/a)² + ((y − k)/b)² = 1.",
            *(
                Attribute(
                    each, f"Half axis along {axis}.", unit="m", required=True, interval=_LENGTH
                )
                for each, axis in (("a", "x"), ("b", "y"))
            ),
            *(_coefficient(each, "m") for each in "hk"),
        ),
    ),
)
