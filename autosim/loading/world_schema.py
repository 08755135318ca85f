"""The elements of a world file, with an element for each kind of part that may be an object."""

from autosim.config.schema import Attribute, Element, Occurs
from autosim.config.schemas.common import name_of, parameter
from autosim.config.schemas.world import world_element
from autosim.kinds.kind import PLACE, AnyPartKind
from autosim.kinds.registry import PARTS
from autosim.traffic.vehicle_kinds import KIND_NAMES

_POSITION = Element(
    PLACE,
    "Where its centre is.",
    (
        Attribute("x", "To the east.", unit="m", required=True),
        Attribute("y", "Up; it stands on the ground when not given.", unit="m"),
        Attribute("z", "To the north.", unit="m", required=True),
    ),
    occurs=Occurs.ONCE,
)

_HEADING = parameter("RotY", "Clockwise from north, seen from above.", unit="rad", default=0.0)


def _object_element(kind: AnyPartKind) -> Element:
    own = [each for each in kind.element.children if each.name != PLACE]
    return Element(
        kind.name,
        "A passive object: it collides, and sensors and clients see it. Wheels do not roll on it: "
        "they pass through, and the car touches it with its body.",
        (name_of("the object; robots and objects have separate names"),),
        (_POSITION, _HEADING, *own),
        occurs=Occurs.ANY,
    )


WORLD = world_element((_object_element(kind) for kind in PARTS), KIND_NAMES)
"""The root of a world file."""
