"""Reads parameter-value distributions: the variants of a logical scenario.

Deterministic distributions name all their values. Of stochastic ones, values are drawn by a seed.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

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
    found = element.child("DistributionSet")
    if found is not None:
        return [each.text("value") for each in found.children("Element")]
    ranged = element.child("DistributionRange")
    if ranged is None:
        raise element.refuse("takes <DistributionSet> or <DistributionRange>")
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


def _random(element: XoscElement, random: np.random.Generator) -> Iterator[str]:
    kind = element.need("UniformDistribution", "NormalDistribution", "ProbabilityDistributionSet")
    if kind.tag == "ProbabilityDistributionSet":
        items = kind.children("Element")
        weights = np.array([each.number("weight") for each in items])
        if not len(items) or weights.min() < 0.0 or weights.sum() <= 0.0:
            raise kind.fail("has no weights above 0")
        values = [each.text("value") for each in items]
        while True:
            yield values[int(random.choice(len(values), p=weights / weights.sum()))]
    limits = kind.child("Range")
    low = -math.inf if limits is None else limits.number("lowerLimit")
    high = math.inf if limits is None else limits.number("upperLimit")
    if kind.tag == "UniformDistribution":
        while True:
            yield f"{random.uniform(low, high):.12g}"
    mean, spread = kind.number("expectedValue"), math.sqrt(max(kind.number("variance"), 0.0))
    while True:
        value = random.normal(mean, spread)
        yield f"{min(max(value, low), high):.12g}"
