"""Elements that many kinds of parts and devices share, and short ways to write them."""

from autosim.config.schema import Attribute, Element, Interval, Occurs
from autosim.config.schemas.common import NOT_NEGATIVE, name_of, parameter, reference

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


def _noise(name: str, description: str) -> Element:
    return Element(
        name,
        description + " Range and offset have the unit of the device's value.",
        (
            Attribute("range", "Width of the noise.", required=True, interval=NOT_NEGATIVE),
            Attribute("offset", "Added to each sample.", default=0.0),
        ),
        occurs=Occurs.ANY,
    )


NOISES = (
    _noise("WhiteNoise", "Uniform noise from -range to +range, anew in each step."),
    _noise(
        "WhiteGaussianNoise",
        "Nearly normal noise from the sum of 20 uniform numbers, anew in each step. Its standard "
        "deviation is range / 20.",
    ),
)
"""The children of a device whose values have noise."""

NOISE_NAMES = tuple(each.name for each in NOISES)


def device_element(name: str, description: str, *parameters: Element) -> Element:
    """The element of a kind of device: a name, the part that carries it, and `parameters`."""
    part = reference("Part", "The part that carries the device.")
    return Element(
        name, description, (name_of("the device"),), (part, *parameters), occurs=Occurs.ANY
    )
