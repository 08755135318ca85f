"""The mode of a node is switched from another terminal while its bench runs."""

import threading
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from autosim.cli import main
from autosim_testbench.applications.run_bench import run_bench
from autosim_testbench.launch.bench import BenchOptions
from autosim_testbench.launch.launch_file import load_launch

BENCH = Path(__file__).parents[3] / "testbenches" / "range_finding.xml"


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def mode(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["testbench", "mode", *arguments])


def run_while(backend: str, commands: list[tuple[str, ...]]) -> tuple[dict[str, Any], list[Result]]:
    """The summary of a bench that runs until all commands are done, and what they have said."""
    results: list[Result] = []
    thread = threading.Thread(target=lambda: results.extend(mode(*each) for each in commands))

    def watch(bench: Any) -> None:
        if thread.ident is None:
            thread.start()
        elif not thread.is_alive():
            bench.stop()

    options = BenchOptions(60.0, in_real_time=True)
    summary = run_bench(load_launch(BENCH), backend=backend, options=options, watch=watch)
    thread.join()
    return summary, results


@pytest.mark.parametrize("backend", ["embedded", "local"])
def test_a_combiner_takes_the_mode(backend: str) -> None:
    summary, results = run_while(
        backend, [("range_combiner", "0"), ("range_combiner", "1", "--bench", str(BENCH))]
    )
    assert [each.output for each in results] == [
        "range_combiner: physical\n",
        "range_combiner: virtual\n",
    ]
    assert summary["modes"] == {"range_combiner": 1}
    assert summary["topics"]["range_combiner/mode"]["received"] == 2


def test_what_cannot_be_is_said() -> None:
    results = run_while(
        "embedded",
        [("range_combine", "1"), ("turntable", "1"), ("sense", "0", "--bench", __file__)],
    )[1]
    wanted = (
        "the bench has no node 'range_combine'; did you mean 'range_combiner'",
        "turntable has no reality mode: it is neither a combiner nor a splitter",
        f"no bench runs of {__file__}; those that do: {BENCH}",
    )
    for result, message in zip(results, wanted, strict=True):
        assert message in result.output
        assert result.exit_code == 1


def test_a_bench_that_was_killed_is_none_that_runs(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "autosim" / "benches"
    folder.mkdir(parents=True)
    (folder / "999999999.json").write_text('{"bench": "/b.xml", "address": "local:/nowhere"}')
    assert "no bench runs; those that do: none" in mode("a", "1").output
    assert not list(folder.iterdir())
