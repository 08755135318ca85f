"""The test bench's window: what it shows of a bench that runs, and how it switches modes."""

from pathlib import Path

import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from autosim_testbench.launch.bench import BenchOptions, LockstepBench
from autosim_testbench.launch.launch_file import load_launch
from autosim_testbench.nodes.reality import RealityMode
from autosim_testbench.window.bench_runner import BenchRunner
from autosim_testbench.window.bench_snapshot import Observer
from autosim_testbench.window.bench_window import BenchWindow
from tests.applications.gui.driving import until
from tests.paths import ROOT
from tests.testbench.launch.test_node_faults import bench as bench_of_wind

RANGES = ROOT / "testbenches" / "range_finding.xml"
ROVER = ROOT / "testbenches" / "obstacle_avoidance.xml"


@pytest.fixture
def open_window(application, complaints):
    """Opens windows of benches, and closes them after the test."""
    opened = []

    def open_one(file: Path, backend: str = "embedded", **options) -> BenchWindow:
        runner = BenchRunner(load_launch(file), backend, BenchOptions(**options))
        window = BenchWindow(runner)
        opened.append(window)
        window.show()
        runner.start()
        return window

    yield open_one
    for window in opened:
        window.close()
        window.runner.wait()
        window.deleteLater()
    application.processEvents()


def cell(table, row, title):
    titles = [table.horizontalHeaderItem(each).text() for each in range(table.columnCount())]
    return table.item(row, titles.index(title)).text()


def column(table, title):
    return [cell(table, row, title) for row in range(table.rowCount())]


def row_of(table, name):
    return column(table, table.horizontalHeaderItem(0).text()).index(name)


def receivers(window, topic):
    names = column(window.topics, "Topic")
    return cell(window.topics, names.index(topic), "To") if topic in names else ""


@pytest.mark.parametrize("backend", ["embedded", "local"])
def test_nodes_topics_and_figures_are_shown_while_the_bench_runs(open_window, backend):
    window = open_window(RANGES, backend)
    until(
        lambda: window.figures.names() and "points plotted" in str(column(window.nodes, "Reports"))
    )
    until(lambda: window.nodes.rowCount() == 6)
    assert column(window.nodes, "Kind")[-1] == "Sense"
    row = row_of(window.topics, "virtual/range")
    assert cell(window.topics, row, "Message") == "Range"
    assert cell(window.topics, row, "From") == "range_finder"
    until(lambda: cell(window.topics, row, "Lag").endswith("ms"))
    until(lambda: cell(window.topics, row, "Rate").endswith("Hz"))
    assert window.figures.names() == ["sense: points", "sense: lag"]


def test_a_mode_is_switched_while_the_bench_runs(open_window):
    window = open_window(RANGES)
    until(lambda: receivers(window, "physical/range") == "range_combiner")
    assert window.mode_buttons[RealityMode.AUGMENTED].isChecked()
    choice = window.nodes.switch_of("range_combiner")
    choice.setCurrentIndex(1)
    choice.activated.emit(1)
    until(lambda: receivers(window, "physical/range") == "–")
    assert receivers(window, "virtual/range") == "range_combiner"
    QTest.mouseClick(window.mode_buttons[RealityMode.PHYSICAL], Qt.MouseButton.LeftButton)
    until(lambda: receivers(window, "virtual/range") == "–")
    until(lambda: choice.currentText() == "0 physical")


def test_a_mode_is_switched_in_another_process(open_window):
    window = open_window(RANGES, "local")
    until(lambda: window.nodes.switch_of("range_combiner") is not None)
    QTest.mouseClick(window.mode_buttons[RealityMode.VIRTUAL], Qt.MouseButton.LeftButton)
    until(lambda: window.nodes.switch_of("range_combiner").currentText() == "1 virtual")


def test_stop_writes_the_results_and_the_window_stays(open_window, tmp_path):
    window = open_window(ROVER, folder=tmp_path)
    until(lambda: window.figures.names())
    QTest.mouseClick(window.stop_button, Qt.MouseButton.LeftButton)
    until(lambda: window.runner.summary is not None and "results in" in window.status.text())
    assert window.isVisible()
    assert (tmp_path / "summary.json").exists()
    assert not window.stop_button.isEnabled()


def test_an_error_stands_in_the_window(open_window):
    window = open_window(RANGES, "carrier-pigeon")
    until(lambda: window.status.text().startswith("ended: no backend is called"))


def test_rates_are_those_of_the_newest_seconds():
    observer = Observer()
    with LockstepBench(load_launch(RANGES), BenchOptions()) as bench:
        for _ in range(5):
            for _ in range(200):
                bench.tick()
            sight = observer.observe(bench.seconds, bench.glimpses())
    rates = {each.name: each.rate_hz for each in sight.topics}
    assert rates["physical/range"] == pytest.approx(1 / 0.06, abs=0.6)
    assert ("range_combiner", "sense", "range") in sight.edges
    assert "range_combiner/mode" not in rates


@pytest.mark.parametrize("backend", ["embedded", "local"])
def test_a_node_that_fails_is_shown_with_file_and_line(open_window, tmp_path, backend):
    window = open_window(bench_of_wind(tmp_path, "turn"), backend)
    until(lambda: "failed" in str(column(window.nodes, "Reports")))
    said = cell(window.nodes, row_of(window.nodes, "source"), "Reports")
    assert said.startswith(f"failed: {tmp_path}/nodes.py:")
    assert said.endswith("ValueError: calm")
    seen = cell(window.nodes, row_of(window.nodes, "sink"), "Reports")
    assert seen.startswith("seen "), "the other one runs"
    QTest.mouseClick(window.stop_button, Qt.MouseButton.LeftButton)
    until(lambda: "failed: source" in window.status.text())
