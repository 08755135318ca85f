"""Results: the table, filters, outliers, charts."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autosim.applications.sweeps.folder import SweepFolder
from autosim.applications.sweeps.outcomes import Outcome
from autosim.applications.sweeps.table import write_table
from autosim.cli import main
from tests.applications.sweeps.conftest import MakeSweep, order_of


def fill(folder: SweepFolder, count: int) -> None:
    """Twelve runs: those with a speed above 8 fail; one is far off."""
    folder.keep_plan((order_of(number, name=f"n{number % 2}"), {}) for number in range(count))
    for number, run in enumerate(folder.ids()):
        folder.run(run).finish(
            Outcome(
                id=run,
                status="done",
                parameters={"x": str(number), "name": f"n{number % 2}"},
                seed=number % 3,
                passed=number <= 8,
                measures={"speed": 100.0 if number == 5 else 1.0 + 0.1 * number, "gap": None},
                scenario={"name": "s", "criteria": {"no hit": "met"}, "events": {"cuts in": 1.5}},
                steps=240,
            )
        )


@pytest.fixture
def folder(tmp_path: Path) -> SweepFolder:
    found = SweepFolder(tmp_path / "sweep")
    fill(found, 12)
    return found


def show(folder: SweepFolder, *options: str) -> Result:
    return CliRunner().invoke(main, ["sweep", "show", str(folder.path), *options])


def rows(folder: SweepFolder, *options: str) -> list[str]:
    result = show(folder, "--json", *options)
    assert result.exit_code == 0, result.output
    found = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    return [each["id"] for each in found]


def test_a_table_has_parameters_how_it_ended_and_measures(folder: SweepFolder):
    text = show(folder).stdout
    assert text.splitlines()[0].split() == ["id", "x", "name", "seed", "status", "speed", "gap"]
    assert text.splitlines()[1].split() == ["run0", "0", "n0", "0", "passed", "1", "-"]
    assert "speed: 1 to 100, median 1.65" in text
    assert "12 of 12 runs done (9 passed, 3 failed)" in text


def test_conditions_order_and_number(folder: SweepFolder):
    assert rows(folder, "--where", "status = failed") == ["run9", "run10", "run11"]
    assert rows(folder, "--where", "x<4", "--where", "name != n0") == ["run1", "run3"]
    assert rows(folder, "--where", "event cuts in >= 1.5", "--limit", "2") == ["run0", "run1"]
    assert rows(folder, "--sort", "speed", "--reverse", "--limit", "2") == ["run5", "run11"]
    assert rows(folder, "--where", "gap < 1") == []


def test_outliers_are_far_from_all_others(folder: SweepFolder):
    assert rows(folder, "--outliers", "speed") == ["run5"]
    assert rows(folder, "--where", "x > 5", "--outliers", "speed") == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--where", "spede < 3"), "no column 'spede'; did you mean 'speed'?"),
        (("--where", "speed"), "'speed' is not a condition: expected one like 'gap < 20'"),
        (("--where", "speed < fast"), "expected a number, not 'fast'"),
        (("--sort", "zzz"), "no column 'zzz'; there is id, x, name"),
        (("--columns", "id,spede"), "did you mean 'speed'?"),
        (("--outliers", "gap"), "'gap' holds no numbers"),
        (("--plot", "p.png"), "expected a name that ends in .svg"),
    ],
)
def test_a_typo_is_named_with_the_nearest_column(
    folder: SweepFolder, options: tuple[str, ...], said: str
):
    result = show(folder, *options)
    assert result.exit_code == 1
    assert said in result.stderr


def test_charts_show_each_run_by_how_it_ended(folder: SweepFolder, tmp_path: Path):
    overview, curves = tmp_path / "overview.svg", tmp_path / "curves.svg"
    assert show(folder, "--plot", str(overview)).exit_code == 0
    assert overview.read_text().count("<circle") == 12
    chosen = ("--plot", str(curves), "--x", "x", "--y", "speed", "--group-by", "name")
    assert show(folder, *chosen).exit_code == 0
    text = curves.read_text()
    assert "name n0" in text
    assert "name n1" in text


def test_the_parquet_table_has_a_row_for_each_run_with_typed_columns(folder: SweepFolder):
    parquet = pytest.importorskip("pyarrow.parquet")
    write_table(folder)
    table = parquet.read_table(folder.table)
    assert table.num_rows == 12
    types = {each.name: str(each.type) for each in table.schema}
    assert (types["x"], types["name"], types["speed"], types["steps"]) == (
        "double",
        "string",
        "double",
        "int64",
    )
    assert table.column("status").to_pylist().count("failed") == 3
    assert [each.name for each in folder.path.iterdir() if each.name.endswith(".part")] == []


def test_without_pyarrow_there_is_no_table_and_all_else(
    folder: SweepFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    write_table(folder)
    assert not folder.table.exists()
    assert "pip install 'autosim[parquet]'" in capsys.readouterr().err
    assert show(folder).exit_code == 0


def test_rows_are_written_as_csv(folder: SweepFolder, tmp_path: Path):
    file = tmp_path / "rows.csv"
    assert show(folder, "--where", "x < 2", "--csv", str(file)).exit_code == 0
    lines = file.read_text().splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("run0,0.0,n0,0,passed,1.0,")


def test_runs_that_go_on_are_shown_with_their_address(make_sweep: MakeSweep):
    folder = make_sweep("", "")
    fill(folder, 1)
    folder.keep_plan((order_of(number), {}) for number in range(2))
    folder.run("run1").address.write_text("127.0.0.1:7")
    with folder.run("run1").claim():
        assert "run1 is running: autosim client --server 127.0.0.1:7" in show(folder).stdout
    assert "is running" not in show(folder).stdout


def test_what_is_no_sweep_is_named(tmp_path: Path):
    result = CliRunner().invoke(main, ["sweep", "show", str(tmp_path)])
    assert result.exit_code == 1
    assert "is not a folder of runs: autosim sweep" in result.stderr
