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


@pytest.mark.parametrize(
    ("content", "low", "high"),
    [
        (
            '<Histogram><HistogramBin weight="1"><Range lowerLimit="1" upperLimit="2"/>'
            '</HistogramBin><HistogramBin weight="0"><Range lowerLimit="5" upperLimit="6"/>'
            "</HistogramBin></Histogram>",
            1.0,
            2.0,
        ),
        (
            '<PoissonDistribution expectedValue="4"><Range lowerLimit="2" upperLimit="5"/>'
            "</PoissonDistribution>",
            2.0,
            5.0,
        ),
        (
            '<NormalDistribution expectedValue="0" variance="9"><Range lowerLimit="0" '
            'upperLimit="1"/></NormalDistribution>',
            0.0,
            1.0,
        ),
        ('<LogNormalDistribution expectedValue="3" variance="0.01"/>', 2.0, 4.5),
    ],
)
def test_draws_lie_in_the_range_of_their_distribution(
    tmp_path: Path, content: str, low: float, high: float
) -> None:
    drawn = (
        '<Stochastic numberOfTestRuns="40" randomSeed="7"><StochasticDistribution '
        f'parameterName="v">{content}</StochasticDistribution></Stochastic>'
    )
    _, variants = read_distribution(distribution(tmp_path, drawn))
    values = [float(each["v"]) for each in variants]

    assert all(low <= each <= high for each in values)
    assert len(set(values)) > 2


def test_a_sweep_runs_each_variant_once_and_continues(tmp_path: Path) -> None:
    path, out = distribution(tmp_path, SET), tmp_path / "sweep"
    arguments = ["sweep", str(path), "--out", str(out), "--jobs", "2"]
    result = CliRunner().invoke(main, arguments)

    assert result.exit_code == 0, result.output
    assert "6 of 6 runs done (6 passed)" in result.output
    summaries = {each: each.stat().st_mtime_ns for each in out.glob("runs/*/summary.json")}
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert {each: each.stat().st_mtime_ns for each in summaries} == summaries
    shown = CliRunner().invoke(main, ["sweep", "show", str(out), "--where", "v = 15"])
    assert shown.output.count("  15  ") == 2


def test_a_plan_of_a_sweep_runs_nothing(tmp_path: Path) -> None:
    path, out = distribution(tmp_path, DRAWN), tmp_path / "sweep"
    result = CliRunner().invoke(main, ["sweep", str(path), "--out", str(out), "--plan"])

    assert result.exit_code == 0, result.output
    assert "0 of 4 runs done" in result.output
    assert not [*out.glob("runs/*/summary.json")]
