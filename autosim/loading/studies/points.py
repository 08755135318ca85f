"""The points of a study: which values its parameters have together."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import exp, floor, log

from autosim.arrays import Floats
from autosim.config.studies import Parameter, Study

Point = Mapping[str, str]
"""A value for each parameter, as text."""


def value_text(value: str | float) -> str:
    """A value as files have it: twelve digits, as many as any measurement has."""
    return value if isinstance(value, str) else f"{value:.12g}"


def points_of(study: Study) -> Iterator[Point]:
    """All points: those that a program has chosen, else each of the grid with each sample."""
    if study.cases:
        for case in study.cases:
            yield {name: value_text(value) for name, value in case.items()}
        return
    grid = [each for each in study.parameters if not each.is_sampled]
    samples = _samples(study)
    for values in product(*(grid_values(each) for each in grid)):
        for sample in samples:
            chosen = dict(zip((each.name for each in grid), values, strict=True)) | dict(sample)
            yield {each.name: chosen[each.name] for each in study.parameters}


def grid_values(parameter: Parameter) -> Sequence[str]:
    """The values of a parameter that are all tried; its bounds where it is sampled.

    Values that rounding makes equal come once.
    """
    if parameter.values:
        return parameter.values
    count = parameter.count or 2
    shares = (number / (count - 1) for number in range(count))
    return tuple(dict.fromkeys(_value_at(parameter, share) for share in shares))


def _samples(study: Study) -> list[Point]:
    """Latin hypercube samples of the parameters that are sampled; one without any if none are."""
    sampled = [each for each in study.parameters if each.is_sampled]
    if not sampled:
        return [{}]
    # Loading it takes a second, which only those wait who draw samples.
    from scipy.stats import qmc

    sampler = qmc.LatinHypercube(d=len(sampled), rng=study.sampling_seed)
    drawn: Floats = sampler.random(study.samples)
    return [
        {
            each.name: _value_at(each, float(share), is_drawn=True)
            for each, share in zip(sampled, row, strict=True)
        }
        for row in drawn
    ]


def _value_at(parameter: Parameter, share: float, *, is_drawn: bool = False) -> str:
    return value_text(number_at(parameter, share, is_drawn=is_drawn))


def number_at(parameter: Parameter, share: float, *, is_drawn: bool) -> float:
    """The number at a share of the range of a parameter.

    Args:
        parameter: has a range.
        share: 0 to 1.
        is_drawn: whether the share is drawn, so that each whole number has to be as likely.
    """
    low, high = parameter.low, parameter.high
    assert low is not None
    assert high is not None
    if parameter.is_whole and is_drawn:
        return min(floor(low + share * (high - low + 1)), floor(high))
    if parameter.is_log:
        value = exp(log(low) + share * (log(high) - log(low)))
    else:
        value = low + share * (high - low)
    return round(value) if parameter.is_whole else value
