"""Files of OpenSCENARIO DSL where other scenarios are taken: commands, worlds, score boards."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from autosim.applications.openscenario.scenario_trial import TrialOptions, try_scenario
from autosim.applications.openscenario.scoreboard import make_scoreboard
from autosim.cli.runs.scenario import scenario
from autosim.config.diagnostics import ConfigError
from autosim.loading.checker import check_file
from autosim.traffic.scenarios.scenario_file import load_scenario
from tests.openscenario.dsl.dsl_texts import PHASES, dsl_file, dsl_text


def ran(*arguments: str) -> tuple[int, str]:
    """The exit code and the output of `autosim scenario`."""
    found = CliRunner().invoke(scenario, arguments)
    return found.exit_code, found.output


def test_the_commands_run_check_and_list(tmp_path: Path) -> None:
    path = dsl_file(tmp_path, dsl_text(PHASES, "    v: speed = 3mps\n"))

    code, output = ran("run", str(path), "--events", "--step", "0.05")
    assert code == 0
    assert "act second: startTransition" in output
    assert "ran to its stop trigger" in output
    assert ran("check", str(path)) == (0, f"{path}: no faults; all elements are executed\n")
    code, output = ran("list", str(path))
    assert code == 0
    assert "OpenSCENARIO 2.1, map: road.xodr" in output
    assert "parameter v = 3 m s^-1" in output
    assert "entity npc: vehicle car car" in output
    assert "event second npc.drive" in output
    assert "ends" not in output


def test_a_library_has_no_faults_and_nothing_to_run(tmp_path: Path) -> None:
    path = dsl_file(tmp_path, "actor lorry inherits truck\n")

    code, output = ran("check", str(path))
    assert code == 0
    assert "declares no scenario that could run" in output
    assert ran("run", str(path))[0] == 1


def test_a_fault_is_named_in_all_commands(tmp_path: Path) -> None:
    path = dsl_file(tmp_path, dsl_text("wait every(3s)\n"))
    reason = f"{path}:9: not executed: 'every': is not executed"

    assert ran("check", str(path)) == (1, f"{reason}\n")
    assert reason in ran("run", str(path))[1]
    (found,) = check_file(path)
    assert "'every' is not executed" in str(found)
    with pytest.raises(ConfigError, match="'every' is not executed"):
        load_scenario(path)


def test_worlds_take_it_as_a_storyboard(tmp_path: Path) -> None:
    (tmp_path / "units.osc").write_text("unit furlong of length is SI(m: 1, factor: 201.168)\n")
    path = dsl_file(tmp_path, "import units.osc\n" + dsl_text(PHASES, "    someone: person\n"))
    found = load_scenario(path)

    assert found.storyboard is not None
    assert found.storyboard.file == path
    assert found.storyboard.places == (tmp_path / "units.osc",)
    assert [each.name for each in found.vehicles] == ["ego", "npc"]
    assert [each.name for each in found.events] == ["second npc.drive"]
    assert not check_file(path)


def test_the_score_board_counts_it(tmp_path: Path) -> None:
    path = dsl_file(tmp_path, dsl_text("wait elapsed(1s)\n"))
    (tmp_path / "library.osc").write_text("actor lorry\n")
    (tmp_path / "faulty.osc").write_text("actor lorry:\n")
    board = make_scoreboard(tmp_path, TrialOptions(step=0.1), lambda _: None)

    assert {each.path.name: each.has_run for each in board.trials} == {
        "faulty.osc": False,
        path.name: True,
    }
    assert board.others == 1
    assert "'syntax', line 2" in {row[2] for row in board.rows()}


def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    text = dsl_text(
        "parallel(duration: [1s..3s]):\n        ego.drive() with:\n"
        "            speed([5mps..9mps])\n"
    )
    path = dsl_file(tmp_path, text)

    def digest(seed: str) -> str:
        return try_scenario(path, TrialOptions(values={"seed": seed})).digest

    assert digest("1") == digest("1") != digest("2")


def test_a_map_may_be_named_for_a_scenario_without_one(tmp_path: Path) -> None:
    text = dsl_text(PHASES).replace('    path.set_map("road.xodr")\n', "")
    path = dsl_file(tmp_path, text)

    plain = try_scenario(path, TrialOptions())
    on_road = try_scenario(path, TrialOptions(maps=tmp_path / "road.xodr"))
    assert plain.has_run
    assert on_road.has_run
    assert plain.digest != on_road.digest
