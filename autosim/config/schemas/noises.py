"""The elements of noise: what may be wrong with the values of a device."""

from autosim.config.schema import EVERYDAY, Attribute, Element, Interval, Occurs, ValueType
from autosim.config.schemas.common import NOT_NEGATIVE

_SHARE = Interval(0.0, 1.0)
"""Bounds of a share."""

_LONGEST_DELAY = 60.0
"""Greatest delay [s]: a value is kept for each step of it, 14 400 numbers at 240 Hz."""


OF_EACH_SAMPLE = ("WhiteNoise", "WhiteGaussianNoise", "Quantization", "Saturation", "Outlier")
"""Sources without memory that give no value its own error."""


def _element(name: str, description: str, *attributes: Attribute) -> Element:
    which = Attribute(
        "field",
        "Which value of the device it acts on, if it has several; all when not given.",
        ValueType.NAME,
        default="",
    )
    return Element(name, description, (*attributes, which), occurs=Occurs.ANY)


def _number(
    name: str,
    description: str,
    *,
    unit: str = "",
    default: float | None = None,
    interval: Interval = EVERYDAY,
) -> Attribute:
    return Attribute(
        name,
        description,
        unit=unit,
        default=default,
        required=default is None,
        interval=interval,
    )


_OWN = "In the unit of the value."

_LASTING = (
    _number("value", "What is known of it.", default=0.0),
    _number(
        "deviation",
        "Standard deviation of what is drawn once in each run.",
        default=0.0,
        interval=NOT_NEGATIVE,
    ),
)

_PROBABILITY = _number("probability", "In each step.", interval=_SHARE)

ELEMENTS = (
    _element(
        "WhiteNoise",
        "Uniform noise from -range to +range, a new sample in each step. Range and offset have the "
        "unit of the device's value.",
        _number("range", "Width of the noise.", interval=NOT_NEGATIVE),
        _number("offset", "Added to each sample.", default=0.0),
    ),
    _element(
        "WhiteGaussianNoise",
        "Nearly normal noise from the sum of 20 uniform numbers, a new sample in each step. Its "
        "standard deviation is range / 20; or density divided by the square root of the step size, "
        "so that the noise per second does not depend on the step size.",
        _number("range", "Width of the noise. " + _OWN, default=0.0, interval=NOT_NEGATIVE),
        _number("offset", "Added to each sample. " + _OWN, default=0.0),
        _number(
            "density",
            "In place of range, where it is not 0: in the unit of the value per sqrt(Hz).",
            default=0.0,
            interval=NOT_NEGATIVE,
        ),
    ),
    _element("Bias", "An error that stays. " + _OWN, *_LASTING),
    _element("Scale", "An error of the scale: the value is multiplied by 1 + this.", *_LASTING),
    _element(
        "RandomWalk",
        "An error that wanders.",
        _number(
            "density",
            "Standard deviation after one second, in the unit of the value per sqrt(s).",
            interval=NOT_NEGATIVE,
        ),
        _number(
            "time",
            "Time constant with which it returns to 0, as the instability of a bias does; 0: it "
            "never returns.",
            unit="s",
            default=0.0,
            interval=NOT_NEGATIVE,
        ),
    ),
    _element(
        "Quantization",
        "Rounds the value.",
        _number("step", "To multiples of this. " + _OWN, interval=Interval(0.0, 1e7, True)),
    ),
    _element(
        "Saturation",
        "Keeps the value within limits. They have the unit of the value.",
        _number("lower", "Least value."),
        _number("upper", "Greatest value."),
    ),
    _element(
        "Outlier",
        "Now and then adds a large error to a single sample.",
        _PROBABILITY,
        _number("range", "Its greatest size. " + _OWN, interval=NOT_NEGATIVE),
    ),
    _element("Dropout", "Now and then nothing arrives: the last value stays.", _PROBABILITY),
    _element(
        "Delay",
        "Values arrive late, in their order.",
        _number("seconds", "How late.", unit="s", interval=Interval(0.0, _LONGEST_DELAY)),
        _number(
            "jitter",
            "Up to how much later, by chance.",
            unit="s",
            default=0.0,
            interval=Interval(0.0, _LONGEST_DELAY),
        ),
    ),
    _element(
        "Hold",
        "Sample and hold: a new value at this rate, held until the next.",
        _number("rate", "New values in a second.", unit="Hz", interval=Interval(0.001, 1e5)),
    ),
)
"""The children of a device whose values have noise, in the order of the documentation."""

NAMES = tuple(each.name for each in ELEMENTS)
