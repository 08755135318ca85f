"""The nodes of a bench: their classes, their modes (to switch), and what they report."""

from collections.abc import Mapping

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QBrush, QColor
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from autosim_testbench.window.bench_snapshot import NodeSnapshot

_TITLES = ("Node", "Kind", "Mode", "Reports")
_NAME, _KIND, _MODE, _REPORT = range(len(_TITLES))

_FAULT_COLOUR = "#c0392b"
"""Of the text of a node that has failed: a red that is legible on light and on dark ground."""


class NodesTable(QTableWidget):
    """One row for each node.

    Signals: `mode_wanted` (the node's name, the `RealityMode`).
    """

    mode_wanted = pyqtSignal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_TITLES), parent)
        self.setHorizontalHeaderLabels(_TITLES)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setAccessibleName("Nodes")
        side, top = self.verticalHeader(), self.horizontalHeader()
        assert side is not None
        assert top is not None
        side.hide()
        top.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        top.setSectionResizeMode(_REPORT, QHeaderView.ResizeMode.Stretch)
        self.setWordWrap(False)
        self._rows: dict[str, int] = {}
        self._switches: dict[str, QComboBox] = {}

    def show_nodes(self, nodes: tuple[NodeSnapshot, ...]) -> None:
        """Shows the nodes as they are now."""
        for row, each in enumerate(nodes):  # some speak later, but have their place
            if each.name not in self._rows:
                self._add(row, each)
        self._rows = {each.name: row for row, each in enumerate(nodes)}
        for each in nodes:
            text = f"failed: {each.fault}" if each.fault else _in_words(each.report)
            item = self.item(self._rows[each.name], _REPORT)
            assert item is not None
            item.setText(text)
            item.setToolTip(text)
            if each.fault:
                item.setForeground(QBrush(QColor(_FAULT_COLOUR)))
            self._show_mode(each)

    def switch_of(self, node: str) -> QComboBox | None:
        """The choice of a node's mode; None where it has none."""
        return self._switches.get(node)

    def _add(self, row: int, node: NodeSnapshot) -> None:
        self.insertRow(row)
        for column, text in ((_NAME, node.name), (_KIND, node.kind), (_MODE, ""), (_REPORT, "")):
            self.setItem(row, column, QTableWidgetItem(text))
        if len(node.modes) < 2:
            return
        choice = QComboBox(self)
        choice.setAccessibleName(f"Mode of {node.name}")
        for mode in node.modes:
            choice.addItem(f"{int(mode)} {mode.name.lower()}", mode)
        choice.activated.connect(
            lambda index: self.mode_wanted.emit(node.name, choice.itemData(index))
        )
        self.setCellWidget(row, _MODE, choice)
        self._switches[node.name] = choice

    def _show_mode(self, node: NodeSnapshot) -> None:
        choice = self._switches.get(node.name)
        if choice is None or node.mode is None:
            return
        view = choice.view()
        if view is not None and view.isVisible():  # the user is choosing
            return
        choice.setCurrentIndex(choice.findData(node.mode, Qt.ItemDataRole.UserRole))


def _in_words(report: Mapping[str, object]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in report.items())
