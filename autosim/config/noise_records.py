"""Noise: errors of a device's values.

They act in the order in which the file names them, each on what the one before has left. Some
belong to the value itself; others to when it arrives, and are common to all values of a device.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Noise:
    """One source of noise of a device.

    It acts on the one of the device's values that `field` names; "": on all of them.
    """

    field: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class WhiteNoise(Noise):
    """Uniform in `offset` ± `range`, in the unit of the value."""

    range: float
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class WhiteGaussianNoise(Noise):
    """Nearly normal about `offset`, in the unit of the value.

    Its standard deviation is `range` / 20; or, where `density` [unit/sqrt(Hz)] is not 0, that
    divided by the square root of the step's length.
    """

    range: float = 0.0
    offset: float = 0.0
    density: float = 0.0


@dataclass(frozen=True, slots=True)
class Bias(Noise):
    """Adds a number that stays: `value`, and what is drawn with `deviation` once in each run."""

    value: float = 0.0
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class Scale(Noise):
    """Multiplies by 1 + a number that stays, given as that of `Bias` is."""

    value: float = 0.0
    """Fixed share of the deviation, 0.01: one per cent too much."""
    deviation: float = 0.0
    """Standard deviation of the share that is drawn once in each run."""


@dataclass(frozen=True, slots=True)
class RandomWalk(Noise):
    """Adds a random walk of `density` [unit/sqrt(s)] that begins at 0.

    Where `time` [s] is not 0, it returns to 0 with that time constant, so that its standard
    deviation grows no further than `density` sqrt(`time` / 2).
    """

    density: float
    time: float = 0.0


@dataclass(frozen=True, slots=True)
class Quantization(Noise):
    """Rounds to whole multiples of `step`."""

    step: float


@dataclass(frozen=True, slots=True)
class Saturation(Noise):
    """Keeps the value between `lower` and `upper`."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Outlier(Noise):
    """With a `probability` in each step, adds a number that is uniform in ± `range`."""

    probability: float
    range: float


@dataclass(frozen=True, slots=True)
class Dropout(Noise):
    """With a `probability` in each step, no value arrives: the last one stays."""

    probability: float


@dataclass(frozen=True, slots=True)
class Delay(Noise):
    """Values arrive `seconds` late, and up to `jitter` [s] more; none overtakes another."""

    seconds: float
    jitter: float = 0.0


@dataclass(frozen=True, slots=True)
class Hold(Noise):
    """A new value arrives `rate` [Hz] times a second, and stays until the next."""

    rate: float


TIMING = (Dropout, Delay, Hold)
"""Sources that decide when values arrive: all values of a device at once."""

RECORDS: dict[str, type[Noise]] = {
    each.__name__: each
    for each in (
        *(WhiteNoise, WhiteGaussianNoise, Bias, Scale, RandomWalk, Quantization, Saturation),
        *(Outlier, *TIMING),
    )
}
"""The record of each element."""
