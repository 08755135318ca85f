"""The elements of a robot file: parts, links and devices, as their kinds describe them."""

from collections.abc import Iterable
from typing import Any

from autosim.config.schema import Element, Occurs
from autosim.config.schemas.common import name_of
from autosim.kinds.kind import DeviceKind
from autosim.kinds.registry import BUILT_IN, PARTS


def robot_element(devices: Iterable[DeviceKind[Any]] = BUILT_IN) -> Element:
    """The root of a robot file that may hold `devices`."""
    bodies = tuple(each.element for each in PARTS)
    sensors = tuple(each.element for each in devices)
    return Element(
        "Robot",
        "A robot file: the parts of a robot and the devices on them.",
        (name_of("the robot"),),
        (
            Element("Parts", "Bodies and links.", children=bodies, occurs=Occurs.ONCE),
            Element("Devices", "Actuators and sensors.", children=sensors),
        ),
        occurs=Occurs.ONCE,
    )


ROBOT = robot_element()
"""The root of a robot file without plug-ins."""
