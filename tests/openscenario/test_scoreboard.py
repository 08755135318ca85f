"""Tables of how the scenarios of a folder ran."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from autosim.cli import main
from tests.openscenario.scenario_texts import after, event, scenario_text, write_scenario


def test_a_scoreboard_lists_runs_and_refusals(tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    write_scenario(folder, scenario_text("", end=2.0), "runs.xosc")
    bad = scenario_text(event("e", "<LevitationAction/>", after(1.0)))
    write_scenario(folder, bad, "refused.xosc")
    (folder / "broken.xosc").write_text("<OpenSCENARIO>")
    out = tmp_path / "out"

    result = CliRunner().invoke(main, ["scenario", "scoreboard", str(folder), "--out", str(out)])

    assert result.exit_code == 0, result.output
    board = json.loads((out / "scoreboard.json").read_text())
    found = {each["file"]: each for each in board["scenarios"]}
    assert found["runs.xosc"]["outcome"] == "ran to its stop trigger"
    assert found["runs.xosc"]["digest"]
    assert found["refused.xosc"]["refusals"][0]["element"] == "LevitationAction"
    assert found["broken.xosc"]["outcome"] == "not parsed"
    assert "| runs.xosc |" in (out / "scoreboard.md").read_text()
    assert "<td>refused.xosc</td>" in (out / "scoreboard.html").read_text()


def test_a_file_is_checked_listed_and_run(tmp_path: Path) -> None:
    path = write_scenario(tmp_path, scenario_text("", end=1.0))

    for command in ("check", "list", "run"):
        result = CliRunner().invoke(main, ["scenario", command, str(path)])
        assert result.exit_code == 0, result.output


def test_values_that_no_road_has_are_one_line(tmp_path: Path) -> None:
    place = '<WorldPosition x="INF" y="0"/>'
    path = write_scenario(tmp_path, scenario_text("", road="road.xodr", position=place))

    result = CliRunner().invoke(main, ["scenario", "run", str(path)])

    assert result.exit_code == 1
    assert "<WorldPosition>: x is infinite" in result.output
    assert "Traceback" not in result.output


def test_a_missing_map_is_one_line(tmp_path: Path) -> None:
    path = write_scenario(tmp_path, scenario_text("", road="nowhere.xodr"))

    result = CliRunner().invoke(main, ["scenario", "run", str(path)])

    assert result.exit_code == 1
    assert "there is no map 'nowhere.xodr'" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--listen", "127.0.0.1:0"], "--listen is for runs with a robot"),
        (["--out", "results"], "--out is for runs with a robot"),
        (["--maps", "nowhere"], "'nowhere' does not exist"),
    ],
)
def test_options_without_effect_are_refused(
    tmp_path: Path, options: list[str], message: str
) -> None:
    path = write_scenario(tmp_path, scenario_text("", end=1.0))

    result = CliRunner().invoke(main, ["scenario", "run", str(path), *options])

    assert result.exit_code == 2
    assert message in result.output


def test_a_missing_file_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "none.xosc"

    result = CliRunner().invoke(main, ["scenario", "run", str(path)])

    assert result.output.count("error:") == 1
    assert f"{path}: error: cannot be read: No such file" in result.output
