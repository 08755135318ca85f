"""Elements that many kinds of parts and devices share, and short ways to write them."""

from autosim.config.schema import Element, Interval, Occurs
from autosim.config.schemas import noises
from autosim.config.schemas.common import direction, name_of, parameter, reference, vector

ORIGIN = (0.0, 0.0, 0.0)
"""Place [m] of a device whose file gives none: the centre of its part."""

FORWARD = (0.0, 0.0, 1.0)
"""Direction, without unit, in the axes of the files: x right, y up, z forward."""

UP = (0.0, 1.0, 0.0)
"""Direction, without unit, in the same axes."""

SHARE = Interval(0.0, 1.0)

ALPHA = parameter(
    "Alpha",
    "Weight of the newest sample in a first-order low-pass filter; 1 does not filter.",
    default=1.0,
    interval=Interval(0.0, 1.0, low_open=True),
)


UPDATE_RATE = parameter(
    "UpdateRate",
    "New values in a second, which stay until the next; without it there is one in each step.",
    unit="Hz",
    default=0.0,
    interval=Interval(0.0, 1e5),
)


def view(
    place: str,
    looks: str,
    up: str = "What is up for it, nearly: at a right angle to Direction.",
) -> tuple[Element, ...]:
    """Elements of a device's view: its position, direction and up vector."""
    return (
        vector("Position", place, default=ORIGIN),
        direction("Direction", looks, default=FORWARD),
        direction("UpVector", up, default=UP),
    )


def seen_from_to(nearer: str, farther: str) -> tuple[Element, ...]:
    """Elements of a device's range: the nearest and the farthest distance."""
    return (
        parameter("MinRange", nearer, unit="m", default=0.5, interval=Interval(0.001, 1e3)),
        parameter(
            "Range",
            f"{farther} The physics has the world at least as far around.",
            unit="m",
            default=100.0,
            interval=Interval(0.01, 1e3),
        ),
    )


def update_rate(description: str, *, default: float, highest: float = 1e4) -> Element:
    """The rate of a device that has one of its own: it measures no more often."""
    interval = Interval(0.001, highest)
    return parameter(UPDATE_RATE.name, description, unit="Hz", default=default, interval=interval)


NOISES = (UPDATE_RATE, *noises.ELEMENTS)
"""The children of a device whose values have noise."""

RATED_NOISES = noises.ELEMENTS
"""Noise elements of a device that has its own `update_rate`."""

POINT_NOISES = tuple(each for each in noises.ELEMENTS if each.name in noises.OF_EACH_SAMPLE)
"""Noises of a device whose values mean something else in each step, as a lidar's points do."""

DELAY = next(each for each in noises.ELEMENTS if each.name == "Delay")

LIST_NOISES = (*POINT_NOISES, DELAY)
"""The same for a device whose values arrive as a whole, and may be late."""


def is_noise(element: Element) -> bool:
    """Whether a child of a device is held in `noises` of its record."""
    return element in NOISES


_REPLACED = (("Rate", f"write <{UPDATE_RATE.name}> in its place"),)
"""Children that devices had under other names."""


def device_element(name: str, description: str, *parameters: Element) -> Element:
    """The element of a kind of device: a name, the part that carries it, and `parameters`."""
    part = reference("Part", "The part that carries the device.")
    return Element(
        name,
        description,
        (name_of("the device"),),
        (part, *parameters),
        occurs=Occurs.ANY,
        replaced=_REPLACED,
    )
