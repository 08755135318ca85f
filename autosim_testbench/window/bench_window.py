"""The test bench's window."""

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from autosim_testbench.nodes.reality import RealityMode
from autosim_testbench.window.bench_runner import BenchRunner
from autosim_testbench.window.bench_snapshot import BenchSnapshot
from autosim_testbench.window.figure_tabs import Figures, GraphView
from autosim_testbench.window.nodes_table import NodesTable
from autosim_testbench.window.topics_table import TopicsTable

_WIDTH, _HEIGHT = 1280, 720
"""First size of the window [pixels]: fits on a small notebook's screen."""

_TABLES_SHARE = 0.64
"""Share of the window's width that the tables take at first: ten columns."""


class BenchWindow(QMainWindow):
    """Shows a bench while it runs; closing the window ends the bench, which writes its results."""

    def __init__(self, runner: BenchRunner) -> None:
        super().__init__()
        self.setWindowTitle(f"{runner.launch.file.name} – AutoSim test bench")
        self.resize(_WIDTH, _HEIGHT)
        self.runner = runner
        self.nodes, self.topics = NodesTable(), TopicsTable()
        self.figures, self.graph = Figures(), GraphView()
        self.status, self.stop_button = QLabel("starting"), QPushButton("Stop")
        self.mode_buttons = {
            mode: QPushButton(f"{int(mode)} {mode.name.capitalize()}") for mode in RealityMode
        }
        self._lay_out()
        self._seconds = 0.0
        self.nodes.mode_wanted.connect(runner.switch)
        self.stop_button.clicked.connect(self._stop)
        runner.seen.connect(self._show)
        runner.ended.connect(self._tell_end)

    def closeEvent(self, event: QCloseEvent | None) -> None:  # noqa: D102, N802
        self.runner.stop()
        super().closeEvent(event)

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.addWidget(QLabel("Reality of all nodes:"))
        for mode, button in self.mode_buttons.items():
            button.setCheckable(True)
            button.setToolTip(f"Switches all nodes to mode {int(mode)} that set none of their own")
            button.clicked.connect(lambda _, mode=mode: self._switch_all(mode))
            bar.addWidget(button)
        bar.addStretch(1)
        self.status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        bar.addWidget(self.status)
        self.stop_button.setToolTip("Ends the bench; its results are written, the window stays")
        bar.addWidget(self.stop_button)
        tables = QSplitter(Qt.Orientation.Vertical)
        tables.addWidget(self.nodes)
        tabs = QTabWidget()
        tabs.addTab(self.topics, "Topics")
        tabs.addTab(self.graph, "Graph")
        tables.addWidget(tabs)
        sides = QSplitter(Qt.Orientation.Horizontal)
        sides.addWidget(tables)
        sides.addWidget(self.figures)
        left = round(_WIDTH * _TABLES_SHARE)
        sides.setSizes([left, _WIDTH - left])
        column = QVBoxLayout()
        column.addLayout(bar)
        column.addWidget(sides, 1)
        middle = QWidget()
        middle.setLayout(column)
        self.setCentralWidget(middle)

    def _show(self, sight: BenchSnapshot) -> None:
        self._seconds = sight.seconds
        self.status.setText(f"{sight.seconds:.1f} s")
        self.nodes.show_nodes(sight.nodes)
        self.topics.show_topics(sight.topics)
        self.figures.show_sight(sight)
        self.graph.show_sight(sight)
        common = {each.mode for each in sight.nodes if each.name in self._switched_together(sight)}
        for mode, button in self.mode_buttons.items():
            button.setEnabled(bool(common))
            button.setChecked(common == {mode})

    def _switch_all(self, mode: RealityMode) -> None:
        for entry in self.runner.launch.nodes:
            if not entry.has_own_mode:
                self.runner.switch(entry.name, mode)

    def _switched_together(self, sight: BenchSnapshot) -> set[str]:
        own = {each.name for each in self.runner.launch.nodes if each.has_own_mode}
        return {each.name for each in sight.nodes if each.modes} - own

    def _stop(self) -> None:
        self.stop_button.setEnabled(False)
        self.runner.stop()

    def _tell_end(self) -> None:
        self.stop_button.setEnabled(False)
        for button in self.mode_buttons.values():
            button.setEnabled(False)
        self.nodes.setEnabled(False)
        if self.runner.error:
            self.status.setText(f"ended: {self.runner.error}")
            return
        folder = self.runner.options.folder
        where = f"; results in {folder}" if folder else ""
        failed = self.runner.summary["failed"] if self.runner.summary else {}
        faults = f"; failed: {', '.join(failed)}" if failed else ""
        self.status.setText(f"ended after {self._seconds:.1f} s{faults}{where}")
