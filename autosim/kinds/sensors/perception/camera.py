"""Virtual cameras; clients draw what they see."""

from dataclasses import dataclass
from math import pi
from typing import Literal

import numpy as np

from autosim.config.descriptions import Device, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Attribute, Element, Interval, Occurs, ValueType
from autosim.config.schemas.common import parameter
from autosim.kinds.checks import RobotBlocks, check_axes
from autosim.kinds.elements import device_element, view
from autosim.kinds.kind import DeviceKind
from autosim.kinds.sensors.perception.lens import Lens


@dataclass(frozen=True, slots=True)
class Camera(Device):
    """A virtual camera, drawn by the clients. `position` [m], `direction`, `up` in B.

    A `thirdperson` camera looks at its part from `position`, a `top` camera straight down; `span`
    [m], where it is not 0, is the height of what that one shows, in one size. `kinds`: which
    pictures it makes, see `PICTURES`. `resolution`: width and height [pixels], None: those of the
    world's graphics.
    `update_rate` [Hz]: how many pictures it makes a second of simulated time at most; 0: no limit.
    `brown_conrady` (k1, k2, p1, p2, k3) and `fisheye` (k1 to k4): of its lens, see `lens`; () for
    none. `exposure`: light is taken 2 to the power of it; `full_well`: electrons of a white pixel,
    0 without noise; `read_noise`: standard deviation [electrons]. `depth_noise` [1/m]: that of a
    depth, by the square of the depth.
    """

    type: Literal["fixed", "thirdperson", "top"] = "fixed"
    """`fixed` to its part, or one of the other two."""
    position: Vector3 = (0.0, 0.0, 0.0)
    direction: Vector3 = (1.0, 0.0, 0.0)
    up: Vector3 = (0.0, 0.0, 1.0)
    fov: float = 1.0471975511965976
    """Vertical field of view [rad]."""
    span: float = 0.0
    kinds: tuple[str, ...] = ("rgb",)
    resolution: tuple[int, int] | None = None
    update_rate: float = 0.0
    brown_conrady: tuple[float, ...] = ()
    fisheye: tuple[float, ...] = ()
    exposure: float = 0.0
    full_well: float = 0.0
    read_noise: float = 0.0
    depth_noise: float = 0.0


@dataclass(frozen=True, slots=True)
class PictureKind:
    """A kind of picture: `dtype` and number of `channels` of a pixel, and what they hold."""

    dtype: str
    channels: int
    description: str
    """Content of a pixel, with its unit."""

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
    "flow": PictureKind(
        "float32",
        2,
        "motion [pixels] to the right and downwards, since the camera's last picture, of what the "
        "pixel shows; NaN where that is not known, as in the first picture",
    ),
}
"""The kinds of pictures by name."""

MOST_PIXELS = 8192
"""[pixels] Edge of the largest picture: what graphics drivers draw at once."""


def lens_of(camera: Camera, size: tuple[int, int]) -> Lens:
    """The lens of a camera where the world's pictures are of `size`."""
    return Lens.of(
        fov=camera.fov,
        size=picture_size(camera, size),
        brown_conrady=camera.brown_conrady,
        fisheye=camera.fisheye,
        span=camera.span,
    )


def picture_size(camera: Camera, size: tuple[int, int]) -> tuple[int, int]:
    """Width and height [pixels] of a camera's pictures where the world's are of `size`."""
    return camera.resolution or size


def _read_kinds(camera: Block, tag: str) -> tuple[str, ...]:
    return tuple(str(each.get("name")) for each in camera.all(tag)) or ("rgb",)


def _read_resolution(camera: Block, tag: str) -> tuple[int, int] | None:
    if camera.first(tag) is None:
        return None
    return camera.whole(tag, "width"), camera.whole(tag, "height")


def _read_coefficients(camera: Block, tag: str) -> tuple[float, ...]:
    if camera.first(tag) is None:
        return ()
    return tuple(camera.real(tag, each.name) for each in camera.element.child(tag).attributes)


def _check(camera: Block, robot: RobotBlocks, faults: Faults) -> None:
    check_axes(camera, robot, faults)
    seen: set[str] = set()
    for each in camera.all("Kind"):
        name = str(each.get("name"))
        if name in seen:
            faults.error(each.line, f'{camera.title} has <Kind name="{name}"> twice')
        seen.add(name)
    if camera.first("BrownConrady") is not None and camera.first("Fisheye") is not None:
        message = f"{camera.title} has <BrownConrady> and <Fisheye>: a lens is one or the other"
        faults.error(camera.line_of("Fisheye"), message)
    _check_span(camera, faults)
    if camera.value("ReadNoise") and not camera.value("FullWell"):
        message = f"<ReadNoise> of {camera.title} is in electrons: say with <FullWell> how many"
        faults.error(camera.line_of("ReadNoise"), message + " a white pixel has")
    if camera.value("DepthNoise") and "depth" not in seen:
        message = f'<DepthNoise> of {camera.title} acts on depths: it has no <Kind name="depth"/>'
        faults.error(camera.line_of("DepthNoise"), message)


def _check_span(camera: Block, faults: Faults) -> None:
    """Notes a Span that the camera's type or its lens makes no sense of."""
    if not camera.value("Span"):
        return
    if camera.text("Type") != "top":
        message = f'{camera.title} has a <Span>, which only <Type name="top"/> can have'
        faults.error(camera.line_of("Span"), message)
    for tag in ("BrownConrady", "Fisheye"):
        if camera.first(tag) is not None:
            message = f"{camera.title} has <Span> and <{tag}>: an orthographic camera has no lens"
            faults.error(camera.line_of(tag), message)


def _coefficients(name: str, description: str, names: tuple[str, ...]) -> Element:
    """An element with the coefficients of a lens."""
    attributes = tuple(
        Attribute(each, "", default=0.0, interval=Interval(-100.0, 100.0)) for each in names
    )
    return Element(name, description, attributes)


KIND = DeviceKind(
    record=Camera,
    element=device_element(
        "Camera",
        "A virtual camera, drawn by the clients.",
        Element(
            "Type",
            "`fixed` looks along Direction; `thirdperson` looks at its part from Position; `top` "
            "looks straight down from Position, with the part's heading up. Of the last two, "
            "Position turns with the part's heading alone.",
            (
                Attribute(
                    "name",
                    "",
                    ValueType.TEXT,
                    default="fixed",
                    required=True,
                    allowed=("fixed", "thirdperson", "top"),
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
        _coefficients(
            "BrownConrady",
            "A lens that bends straight lines, with OpenCV's coefficients: k1, k2, k3 along the "
            "radius, p1, p2 across. Fov is then that without the lens.",
            ("k1", "k2", "p1", "p2", "k3"),
        ),
        _coefficients(
            "Fisheye",
            "An equidistant fisheye with OpenCV's coefficients; where all are 0, equal angles are "
            "equal lengths in the picture. It shows what is up to 80° from its axis; beyond, it is "
            "black.",
            ("k1", "k2", "k3", "k4"),
        ),
        parameter(
            "Exposure",
            "Stops by which pictures are brighter: one more doubles the light.",
            unit="EV",
            default=0.0,
            interval=Interval(-16.0, 16.0),
        ),
        parameter(
            "FullWell",
            "Electrons of a white pixel, of which the noise of photons follows: 10000 is a good "
            "small sensor, less is noisier. 0: pictures without noise.",
            default=0.0,
            interval=Interval(0.0, 1e7),
        ),
        parameter(
            "ReadNoise",
            "Standard deviation of the noise of reading out a pixel, in electrons.",
            default=0.0,
            interval=Interval(0.0, 1e6),
        ),
        parameter(
            "DepthNoise",
            "Standard deviation of a depth, divided by the square of the depth: 0.01 is 1 cm at 1 "
            "m and 1 m at 10 m, as where depths follow from the disparity of two pictures.",
            unit="1/m",
            default=0.0,
            interval=Interval(0.0, 10.0),
        ),
        *view(
            "Place, relative to the part's centre.", "Where it looks.", "What is up in the picture."
        ),
        parameter(
            "Fov",
            "Vertical field of view.",
            unit="rad",
            default=pi / 3,
            interval=Interval(0.01, 3.0),
        ),
        parameter(
            "Span",
            "Of a `top` camera, height of the ground that its picture shows, near and far in one "
            "size (orthographic). 0: in perspective, with Fov.",
            unit="m",
            default=0.0,
            interval=Interval(0.0, 10_000.0),
        ),
    ),
    names={"UpVector": "up", "Kind": "kinds"},
    codecs={
        "Kind": _read_kinds,
        "Resolution": _read_resolution,
        "BrownConrady": _read_coefficients,
        "Fisheye": _read_coefficients,
    },
    check=_check,
)
