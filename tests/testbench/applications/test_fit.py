"""`autosim testbench fit`: the table of nine distributions, the best of them, and its figure."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from autosim.cli import main
from autosim_testbench.applications.fit import fit_file
from autosim_testbench.range_finding.error_models import NAMES
from tests.paths import ROOT

SHIPPED = ROOT / "testbenches" / "range_finder_errors.csv"


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["testbench", "fit", *arguments])


def write(file: Path, rows: list[tuple[float, float]]) -> str:
    file.write_text("true,measured\n" + "".join(f"{a},{b}\n" for a, b in rows))
    return str(file)


def test_a_fit_is_a_table_a_parameter_and_a_figure(tmp_path: Path) -> None:
    result = call(str(SHIPPED), "--out", str(tmp_path / "fit"))
    assert result.exit_code == 0, result.output
    record = json.loads((tmp_path / "fit" / "fit.json").read_text())
    assert record["errors"] == 160
    assert {each["distribution"] for each in record["fits"]} == set(NAMES)
    assert f'best: <param name="~error" value="{record["best"]}"/>' in result.output
    picture = (tmp_path / "fit" / "fit.svg").read_text()
    assert all(f">{name}</text>" in picture for name in NAMES)


@pytest.mark.parametrize(
    ("criterion", "key"), [("aic", "aic"), ("ks", "ks"), ("square", "square_error")]
)
def test_the_best_is_best_by_what_was_asked_for(criterion: str, key: str) -> None:
    values = [getattr(each, key) for each in fit_file(SHIPPED, criterion).fits]
    assert values == sorted(values)


def test_statistics_are_those_of_a_known_case(tmp_path: Path) -> None:
    rows = [(1.0, 1.0 + each) for each in np.linspace(-0.02, 0.02, 5)]
    fits = {
        each.model.name: each for each in fit_file(Path(write(tmp_path / "e.csv", rows)), "ks").fits
    }
    uniform = fits["uniform"]
    assert uniform.ks == pytest.approx(0.2), "five steps of a fifth, against a straight line"
    assert uniform.square_error == pytest.approx(0.0, abs=1e-9), "one error in each of five bars"
    assert uniform.log_likelihood == pytest.approx(5 * np.log(1 / 0.04))
    assert uniform.aic == pytest.approx(4 - 2 * 5 * np.log(1 / 0.04))


def test_measurements_without_an_echo_are_left_out(tmp_path: Path) -> None:
    rows = [(1.0, 1.0 + 0.001 * each) for each in range(6)] + [(3.9, float("inf"))]
    output = call(write(tmp_path / "e.csv", rows)).output
    assert "6 errors" in output
    assert "1 measurements without an echo are left out" in output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "no column measured and true"),
        ("true,measured\n1,x\n", "e.csv:2: error: expected two numbers [m], found '1' and 'x'"),
        ("true,measured\n1,1\ninf,1\n", "e.csv:3: error: the true distance has to be finite"),
        ("true,measured\n1,1.1\n1,1.2\n", "a fit needs 5 errors that are not all equal"),
        ("", "no column measured and true"),
    ],
)
def test_a_wrong_file_is_said(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "e.csv").write_text(text)
    result = call(str(tmp_path / "e.csv"))
    assert result.exit_code == 1
    assert message.replace("has to be finite", "has to be a finite") in result.output
    assert "Traceback" not in result.output
