"""Distributions of parameters: the variants of a logical scenario."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from autosim.cli import main
from autosim.errors import UserError
from autosim.openscenario.reading.distribution_reader import read_distribution
from tests.openscenario.scenario_texts import scenario_text, write_scenario

SET = (
    "<Deterministic>"
    '<DeterministicSingleParameterDistribution parameterName="v"><DistributionRange stepWidth="5">'
    '<Range lowerLimit="10" upperLimit="20"/></DistributionRange>'
    "</DeterministicSingleParameterDistribution>"
    '<DeterministicSingleParameterDistribution parameterName="n"><DistributionSet>'
    '<Element value="a"/><Element value="b"/></DistributionSet>'
    "</DeterministicSingleParameterDistribution></Deterministic>"
)

DRAWN = (
    '<Stochastic numberOfTestRuns="4" randomSeed="7"><StochasticDistribution parameterName="v">'
    '<UniformDistribution><Range lowerLimit="1" upperLimit="2"/></UniformDistribution>'
    "</StochasticDistribution></Stochastic>"
)


def distribution(folder: Path, content: str) -> Path:
    declared = "".join(
        f'<ParameterDeclaration name="{name}" parameterType="string" value="1"/>' for name in "vn"
    )
    write_scenario(folder, scenario_text("", parameters=declared, end=1.0))
    path = folder / "variants.xosc"
    path.write_text(
        '<OpenSCENARIO><FileHeader revMajor="1" revMinor="2"/><ParameterValueDistribution>'
        f'<ScenarioFile filepath="scenario.xosc"/>{content}</ParameterValueDistribution>'
        "</OpenSCENARIO>"
    )
    return path


def test_deterministic_values_are_combined(tmp_path: Path) -> None:
    scenario, variants = read_distribution(distribution(tmp_path, SET))

    assert scenario.name == "scenario.xosc"
    assert [(each["v"], each["n"]) for each in variants] == [
        (speed, name) for speed in ("10", "15", "20") for name in "ab"
    ]


def test_drawn_values_depend_on_the_seed_alone(tmp_path: Path) -> None:
    path = distribution(tmp_path, DRAWN)
    _, first = read_distribution(path)

    assert read_distribution(path)[1] == first
    assert len({each["v"] for each in first}) == 4
    assert all(1.0 <= float(each["v"]) <= 2.0 for each in first)


def test_a_kind_of_distribution_that_is_not_known_is_refused(tmp_path: Path) -> None:
    content = SET.replace("DistributionSet", "Lottery")

    with pytest.raises(UserError, match="DeterministicSingleParameterDistribution"):
        read_distribution(distribution(tmp_path, content))


def test_all_variants_are_run(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["scenario", "sweep", str(distribution(tmp_path, SET))])

    assert result.exit_code == 0, result.output
    assert "6 variants, 0 did not end" in result.output
