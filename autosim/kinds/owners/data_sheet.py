"""Errors of a sensor as in its data sheet: read from the noise in its file."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from autosim.config.noise_records import (
    TIMING,
    Bias,
    Delay,
    Hold,
    Noise,
    Outlier,
    Quantization,
    RandomWalk,
    WhiteGaussianNoise,
    WhiteNoise,
)
from autosim.model.noise import UNIFORMS


@dataclass(frozen=True, slots=True)
class DataSheet:
    """The errors of one value, in its unit.

    `deviation` of each sample; `offset`, what is known of a lasting error; `bias`, the standard
    deviation of what is not; `walk` [unit/√s], how fast that changes. `delay` [s] with which values
    arrive on average, at most `latest` [s]. `held` [s] is how long a value stays; `is_held`: it
    may stay longer than a step.
    """

    deviation: float = 0.0
    offset: float = 0.0
    bias: float = 0.0
    walk: float = 0.0
    delay: float = 0.0
    latest: float = 0.0
    held: float = 0.0
    is_held: bool = False


def data_sheet(noises: Sequence[Noise], field: str, step_seconds: float) -> DataSheet:
    """The errors of the value `field` ("" for the only one) of a device with `noises`."""
    own = [each for each in noises if each.field in ("", field)]
    lasting = [each for each in own if isinstance(each, Bias)]
    walks = [each.density for each in own if isinstance(each, RandomWalk)]
    delays = [each for each in own if isinstance(each, Delay)]
    rates = [each.rate for each in own if isinstance(each, Hold)]
    offsets = [
        *(each.value for each in lasting),
        *(each.offset for each in own if isinstance(each, WhiteNoise | WhiteGaussianNoise)),
    ]
    return DataSheet(
        deviation=sqrt(sum(_variance(each, step_seconds) for each in own)),
        offset=sum(offsets),
        bias=sqrt(sum(each.deviation * each.deviation for each in lasting)),
        walk=sqrt(sum(walk * walk for walk in walks)),
        delay=sum(each.seconds + each.jitter / 2.0 for each in delays),
        latest=sum(each.seconds + each.jitter for each in delays),
        held=max((1.0 / rate for rate in rates), default=step_seconds),
        is_held=any(isinstance(each, TIMING) for each in own),
    )


def _variance(noise: Noise, step_seconds: float) -> float:
    """Of each sample."""
    match noise:
        case WhiteNoise(range=width):
            return width * width / 3.0
        case WhiteGaussianNoise(density=density) if density:
            return density * density / step_seconds
        case WhiteGaussianNoise(range=width):
            return width * width / (UNIFORMS * UNIFORMS)
        case Quantization(step=step):
            return step * step / 12.0
        case Outlier(probability=share, range=width):
            return share * width * width / 3.0
    return 0.0
