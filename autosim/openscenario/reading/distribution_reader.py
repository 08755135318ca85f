"""Reads parameter-value distributions: the variants of a logical scenario.

Deterministic distributions name all their values. Of stochastic ones, values are drawn by a seed.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from autosim.arrays import Floats
from autosim.config.diagnostics import printable
from autosim.errors import UserError
from autosim.openscenario.reading.nearby_files import find_near
from autosim.openscenario.reading.scenario_reader import faults_of, read_root
from autosim.openscenario.reading.xosc_elements import ElementError, Findings, XoscElement

_MAX_VARIANTS = 200_000
"""Number of variants at most: more do not run in a week."""

Variant = dict[str, str]


def read_distribution(path: Path) -> tuple[Path, list[Variant]]:
    """The scenario of a distribution, and the values of parameters of each variant.

    Raises:
        UserError: the file holds no distribution, or a part of it is not executed.
    """
    findings = Findings()
    root = XoscElement(read_root(path), path, findings, {})
    try:
        distribution = root.need("ParameterValueDistribution")
        name = distribution.need("ScenarioFile").text("filepath")
        variants = _variants(distribution)
    except ElementError as error:
        raise UserError(str(error)) from error
    refusals = faults_of(findings)
    if refusals:
        raise UserError(str(refusals[0]))
    scenario = find_near(path, name)
    if scenario is None:
        raise UserError(f"{path}: there is no scenario '{printable(name, 80)}'")
    return scenario, variants


def _variants(element: XoscElement) -> list[Variant]:
    stochastic = element.child("Stochastic")
    if stochastic is not None:
        return _draw(stochastic)
    deterministic = element.need("Deterministic")
    axes: list[list[Variant]] = []
    for each in deterministic.children("DeterministicSingleParameterDistribution"):
        name = each.reference("parameterName")
        axes.append([{name: value} for value in _values(each)])
    for each in deterministic.children("DeterministicMultiParameterDistribution"):
        sets = each.need("ValueSetDistribution").children("ParameterValueSet")
        axes.append(
            [
                {one.reference("parameterRef"): one.text("value") for one in _assigned(group)}
                for group in sets
            ]
        )
    count = math.prod(len(each) for each in axes)
    if count > _MAX_VARIANTS:
        raise deterministic.fail(f"has {count} variants; at most {_MAX_VARIANTS} are run")
    return [_joined(parts) for parts in itertools.product(*axes)]


def _assigned(group: XoscElement) -> list[XoscElement]:
    return group.children("ParameterAssignment")


def _joined(parts: tuple[Mapping[str, str], ...]) -> Variant:
    found: Variant = {}
    for each in parts:
        found.update(each)
    return found


def _values(element: XoscElement) -> list[str]:
    return element.pick({"DistributionSet": _listed, "DistributionRange": _stepped})


def _listed(found: XoscElement) -> list[str]:
    return [each.text("value") for each in found.children("Element")]


def _stepped(ranged: XoscElement) -> list[str]:
    limits, step = ranged.need("Range"), ranged.number("stepWidth")
    low, high = limits.number("lowerLimit"), limits.number("upperLimit")
    if step <= 0.0 or high < low or (high - low) / step > _MAX_VARIANTS:
        raise ranged.fail("has no usable stepWidth")
    return [f"{low + k * step:.12g}" for k in range(math.floor((high - low) / step + 1e-9) + 1)]


def _draw(element: XoscElement) -> list[Variant]:
    count = element.whole("numberOfTestRuns")
    if not 0 < count <= _MAX_VARIANTS:
        raise element.fail(f"numberOfTestRuns: expected 1 to {_MAX_VARIANTS}")
    random = np.random.default_rng(abs(element.whole("randomSeed", 0)))
    axes = {
        each.reference("parameterName"): list(itertools.islice(_random(each, random), count))
        for each in element.children("StochasticDistribution")
    }
    return [{name: values[k] for name, values in axes.items()} for k in range(count)]


_TRIES = 10_000
"""Number of draws until one lies in the range of a distribution, at most: a range that is met less
often holds none of its values."""


def _random(element: XoscElement, random: np.random.Generator) -> Iterator[str]:
    return element.pick({tag: partial(draw, random=random) for tag, draw in _DRAWS.items()})


def _weights(items: list[XoscElement], kind: XoscElement) -> Floats:
    weights = np.array([each.number("weight") for each in items])
    if not len(items) or not np.isfinite(weights).all() or weights.min() < 0.0:
        raise kind.fail("has no weights above 0")
    if weights.sum() <= 0.0:
        raise kind.fail("has no weights above 0")
    return np.asarray(weights / weights.sum())


def _of_set(kind: XoscElement, random: np.random.Generator) -> Iterator[str]:
    items = kind.children("Element")
    weights, values = _weights(items, kind), [each.text("value") for each in items]
    while True:
        yield values[int(random.choice(len(values), p=weights))]


def _of_histogram(kind: XoscElement, random: np.random.Generator) -> Iterator[str]:
    bins = kind.children("HistogramBin", "Bin")
    weights = _weights(bins, kind)
    ranges = [_range(each.need("Range")) for each in bins]
    while True:
        low, high = ranges[int(random.choice(len(bins), p=weights))]
        yield f"{random.uniform(low, high):.12g}"


def _range(limits: XoscElement) -> tuple[float, float]:
    low, high = limits.finite("lowerLimit"), limits.finite("upperLimit")
    if high < low:
        raise limits.fail("upperLimit is below lowerLimit")
    return low, high


def _of_uniform(kind: XoscElement, random: np.random.Generator) -> Iterator[str]:
    low, high = _range(kind.need("Range"))
    while True:
        yield f"{random.uniform(low, high):.12g}"


def _within(kind: XoscElement, draw: Callable[[], float]) -> Iterator[str]:
    """Draws that lie in the <Range> of a distribution."""
    limits = kind.child("Range")
    low = -math.inf if limits is None else limits.number("lowerLimit")
    high = math.inf if limits is None else limits.number("upperLimit")
    while True:
        value = next((each for _ in range(_TRIES) if low <= (each := draw()) <= high), None)
        if value is None:
            raise kind.fail("draws nothing in its range")
        yield f"{value:.12g}"


def _of_normal(kind: XoscElement, random: np.random.Generator) -> Iterator[str]:
    mean, spread = kind.finite("expectedValue"), math.sqrt(max(kind.finite("variance"), 0.0))
    return _within(kind, lambda: float(random.normal(mean, spread)))


def _of_log_normal(kind: XoscElement, random: np.random.Generator) -> Iterator[str]:
    """Draws with the mean and variance of the values themselves."""
    mean, variance = kind.finite("expectedValue"), max(kind.finite("variance"), 0.0)
    if mean <= 0.0:
        raise kind.fail("expectedValue: expected a number above 0")
    square = math.log1p(variance / (mean * mean))
    center = math.log(mean) - 0.5 * square
    return _within(kind, lambda: float(random.lognormal(center, math.sqrt(square))))


def _of_poisson(kind: XoscElement, random: np.random.Generator) -> Iterator[str]:
    mean = kind.finite("expectedValue")
    if not 0.0 <= mean <= 1e9:
        raise kind.fail("expectedValue: expected a number from 0 to 1e9")
    return _within(kind, lambda: float(random.poisson(mean)))


_DRAWS: dict[str, Callable[..., Iterator[str]]] = {
    "UniformDistribution": _of_uniform,
    "NormalDistribution": _of_normal,
    "LogNormalDistribution": _of_log_normal,
    "PoissonDistribution": _of_poisson,
    "Histogram": _of_histogram,
    "ProbabilityDistributionSet": _of_set,
}
"""Draws of each stochastic distribution; a user-defined one is refused."""
