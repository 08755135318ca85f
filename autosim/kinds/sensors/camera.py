"""Virtual cameras; clients draw what they see."""

from dataclasses import dataclass
from math import pi
from typing import Literal

from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Attribute, Element, Interval, ValueType
from autosim.config.schemas.common import direction, parameter, vector
from autosim.kinds.checks import check_axes
from autosim.kinds.elements import FORWARD, ORIGIN, UP, device_element
from autosim.kinds.kind import DeviceKind


@dataclass(frozen=True, slots=True)
class Camera(Device):
    """A virtual camera, drawn by the clients. `position` [m], `direction`, `up` in B.

    A `thirdperson` camera looks at its part from `position`.
    """

    type: Literal["fixed", "thirdperson"] = "fixed"
    position: Vector3 = (0.0, 0.0, 0.0)
    direction: Vector3 = (1.0, 0.0, 0.0)
    up: Vector3 = (0.0, 0.0, 1.0)
    fov: float = 1.0471975511965976


KIND = DeviceKind(
    record=Camera,
    element=device_element(
        "Camera",
        "A virtual camera, drawn by the clients.",
        Element(
            "Type",
            "`fixed` looks along Direction; `thirdperson` looks at its part from Position.",
            (
                Attribute(
                    "name",
                    "",
                    ValueType.TEXT,
                    default="fixed",
                    required=True,
                    allowed=("fixed", "thirdperson"),
                ),
            ),
        ),
        vector("Position", "Place, relative to the part's centre.", default=ORIGIN),
        direction("Direction", "Where it looks.", default=FORWARD),
        direction("UpVector", "What is up in the picture.", default=UP),
        parameter(
            "Fov",
            "Vertical field of view.",
            unit="rad",
            default=pi / 3,
            interval=Interval(0.01, 3.0),
        ),
    ),
    names={"UpVector": "up"},
    check=check_axes,
)
