"""Numbers that are typed, entered and undone."""

import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QMainWindow

from autosim.applications.gui.shared.number_box import NumberBox
from tests.applications.gui.driving import until


@pytest.fixture
def undone(application):
    """A window with a number that has the focus; how often its Undo is called."""
    window, calls = QMainWindow(), []
    undo = QAction("Undo", window)
    undo.setShortcut(QKeySequence("Ctrl+Z"))
    undo.triggered.connect(lambda: calls.append("undo"))
    window.addAction(undo)
    box = NumberBox(window)
    window.setCentralWidget(box)
    window.show()
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    box.setFocus()
    until(box.hasFocus)
    yield box, calls
    window.close()


def test_it_counts_once_entered(undone):
    box, _ = undone
    values = []
    box.valueChanged.connect(values.append)
    box.selectAll()
    QTest.keyClicks(box, "0.5")
    assert values == []
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert values == [0.5]


def test_ctrl_z_belongs_to_the_window_unless_a_number_is_being_typed(undone):
    box, calls = undone
    box.selectAll()
    QTest.keyClicks(box, "7")
    QTest.keyClick(box, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert calls == []
    QTest.keyClicks(box, "8")
    QTest.keyClick(box, Qt.Key.Key_Return)
    QTest.keyClick(box, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert calls == ["undo"]
