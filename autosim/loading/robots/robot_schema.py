"""The elements of a robot file: parts, links and devices, as their kinds describe them."""

from collections.abc import Iterable

from autosim.config.schema import Attribute, Element, Occurs, ValueType
from autosim.config.schemas.common import name_of
from autosim.config.semantic_classes import CLASSES
from autosim.kinds.kind import AnyDeviceKind
from autosim.kinds.registry import BUILT_IN, LINKS, PARTS
from autosim.loading.robots.running_gear import ELEMENT as RUNNING_GEAR

_UNKNOWN = Attribute(
    "unknown",
    "Treatment of parts and devices of an unknown kind: `refuse` reports errors, because a robot "
    "without them behaves differently; `ignore` leaves them out with a warning.",
    ValueType.TEXT,
    default="refuse",
    allowed=("refuse", "ignore"),
)

_CLASS = Attribute(
    "class",
    "What the robot is in pictures of labels. Without it, one with wheels is a car, and any other "
    "is dynamic.",
    ValueType.TEXT,
    allowed=tuple(each.name for each in CLASSES if each.is_robot),
)

_PLUGIN = Element(
    "Plugin",
    "A Python file with kinds of devices that do not come with AutoSim. Its path is looked up like "
    "any other; the file is run wherever the robot file is read, so each machine needs its own.",
    (
        Attribute(
            "file", "The file, such as `plugins/propeller.py`.", ValueType.PATH, required=True
        ),
    ),
    occurs=Occurs.ANY,
)


_REPLACED = (
    (
        "BeliefDevice",
        "write <ProgramState> in its place; programs set the belief by set_state_estimate(robot, …)"
        " (docs/belief.md)",
    ),
)


def robot_element(
    devices: Iterable[AnyDeviceKind] = BUILT_IN, *, is_strict: bool = True
) -> Element:
    """The root of a robot file that may hold `devices`.

    Args:
        devices: their kinds.
        is_strict: parts and devices of other kinds are errors, not warnings.
    """
    bodies = tuple(each.element for each in (*PARTS, *LINKS))
    sensors = tuple(each.element for each in devices)
    return Element(
        "Robot",
        "A robot file: the parts of a robot and the devices on them.",
        (name_of("the robot"), _UNKNOWN, _CLASS),
        (
            _PLUGIN,
            RUNNING_GEAR,
            Element(
                "Parts",
                "Bodies and links.",
                children=bodies,
                occurs=Occurs.ONCE,
                is_strict=is_strict,
            ),
            Element(
                "Devices",
                "Actuators, sensors, and who owns what the robot believes.",
                children=sensors,
                is_strict=is_strict,
                replaced=_REPLACED,
            ),
        ),
        occurs=Occurs.ONCE,
    )


ROBOT = robot_element()
"""The root of a robot file without plug-ins."""
