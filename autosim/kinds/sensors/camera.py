"""Virtual cameras; clients draw what they see."""

from dataclasses import dataclass
from math import pi
from typing import Literal

import numpy as np

from autosim.config.blocks import Block
from autosim.config.descriptions import Device, Vector3
from autosim.config.faults import Faults
from autosim.config.schema import Attribute, Element, Interval, Occurs, ValueType
from autosim.config.schemas.common import direction, parameter, vector
from autosim.kinds.checks import RobotBlocks, check_axes
from autosim.kinds.elements import FORWARD, ORIGIN, UP, device_element
from autosim.kinds.kind import DeviceKind


@dataclass(frozen=True, slots=True)
class Camera(Device):
    """A virtual camera, drawn by the clients. `position` [m], `direction`, `up` in B.

    A `thirdperson` camera looks at its part from `position`. `kinds`: which pictures it makes, see
    `PICTURES`. `resolution`: width and height [pixels], None: those of the world's graphics.
    `update_rate` [Hz]: how many pictures it makes a second of simulated time at most; 0: no limit.
    """

    type: Literal["fixed", "thirdperson"] = "fixed"
    position: Vector3 = (0.0, 0.0, 0.0)
    direction: Vector3 = (1.0, 0.0, 0.0)
    up: Vector3 = (0.0, 0.0, 1.0)
    fov: float = 1.0471975511965976
    kinds: tuple[str, ...] = ("rgb",)
    resolution: tuple[int, int] | None = None
    update_rate: float = 0.0


@dataclass(frozen=True, slots=True)
class PictureKind:
    """A kind of picture: `dtype` and number of `channels` of a pixel, and what they hold."""

    dtype: str
    channels: int
    description: str

    def shape(self, width: int, height: int) -> tuple[int, ...]:
        """The shape of its arrays: rows from the top."""
        return (height, width, self.channels) if self.channels > 1 else (height, width)

    def bytes_of(self, width: int, height: int) -> int:
        """The size of such a picture [bytes]."""
        return width * height * self.channels * np.dtype(self.dtype).itemsize


PICTURES: dict[str, PictureKind] = {
    "rgb": PictureKind("uint8", 4, "red, green, blue and 255"),
    "depth": PictureKind("float32", 1, "depth [m] along the view axis, inf where nothing is"),
    "semantic": PictureKind("uint8", 1, "number of the semantic class"),
    "instance": PictureKind("int32", 1, "number of the thing, 0 where there is none"),
    "normals": PictureKind(
        "float32",
        3,
        "unit vector out of the surface along the camera's own axes (forward, left, up), NaN where "
        "nothing is",
    ),
}
"""The kinds of pictures by name."""

MOST_PIXELS = 8192
"""[pixels] Edge of the largest picture: what graphics drivers draw at once."""


def picture_size(camera: Camera, size: tuple[int, int]) -> tuple[int, int]:
    """Width and height [pixels] of a camera's pictures where the world's are of `size`."""
    return camera.resolution or size


def _read_kinds(camera: Block, tag: str) -> tuple[str, ...]:
    return tuple(str(each.get("name")) for each in camera.all(tag)) or ("rgb",)


def _read_resolution(camera: Block, tag: str) -> tuple[int, int] | None:
    if camera.first(tag) is None:
        return None
    return camera.whole(tag, "width"), camera.whole(tag, "height")


def _check(camera: Block, robot: RobotBlocks, faults: Faults) -> None:
    check_axes(camera, robot, faults)
    seen: set[str] = set()
    for each in camera.all("Kind"):
        name = str(each.get("name"))
        if name in seen:
            faults.error(each.line, f'{camera.title} has <Kind name="{name}"> twice')
        seen.add(name)


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
        Element(
            "Kind",
            "A kind of picture that it makes; without any, `rgb`. "
            + "; ".join(f"`{name}`: {each.description}" for name, each in PICTURES.items())
            + ".",
            (Attribute("name", "", ValueType.TEXT, required=True, allowed=tuple(PICTURES)),),
            occurs=Occurs.ANY,
        ),
        Element(
            "Resolution",
            "Size of its pictures; without it that of the world's graphics.",
            tuple(
                Attribute(
                    name,
                    "",
                    ValueType.INTEGER,
                    "pixels",
                    required=True,
                    interval=Interval(1, MOST_PIXELS),
                )
                for name in ("width", "height")
            ),
        ),
        parameter(
            "UpdateRate",
            "Pictures that it makes in a second of simulated time at most; who asks sooner gets "
            "the last one again. 0: no limit.",
            unit="Hz",
            default=0.0,
            interval=Interval(0.0, 10_000.0),
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
    names={"UpVector": "up", "Kind": "kinds"},
    codecs={"Kind": _read_kinds, "Resolution": _read_resolution},
    check=_check,
)
