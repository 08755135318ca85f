"""Help, Keys and About, as every window has them."""

import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QMainWindow, QMenu, QPushButton

from autosim.tools.gui.help_menu import HelpMenu
from autosim.version import __version__
from tests.qt import qt_application


@pytest.fixture(scope="module")
def application():
    return qt_application()


@pytest.fixture
def window(application):
    made = QMainWindow()
    made.setWindowTitle("A Window")
    file = QMenu("&File", made)
    file.addAction("&Open…").setShortcut("Ctrl+O")
    file.addMenu("&Recent").addAction("&Forget").setShortcut("Ctrl+Y")
    file.addAction("No key")
    made.menuBar().addMenu(file)
    made.help = HelpMenu(made, "client_window.md", more_keys=[("Turn", "mouse")])
    made.menuBar().addMenu(made.help)
    made.show()
    made.activateWindow()
    QTest.qWaitForWindowActive(made)
    yield made
    made.close()
    made.deleteLater()
    application.processEvents()


def rows(dialog):
    groups = [dialog.list.topLevelItem(n) for n in range(dialog.list.topLevelItemCount())]
    return {
        group.text(0): [
            (group.child(n).text(0), group.child(n).text(1)) for n in range(group.childCount())
        ]
        for group in groups
    }


def test_f1_opens_the_page_of_the_window(window):
    QTest.keyClick(window, Qt.Key.Key_F1)
    text = window.help.shown.text.toPlainText()
    assert window.help.shown.isVisible()
    assert "The client’s window" in text or "The client's window" in text


def test_a_page_that_is_not_installed_is_named(window, monkeypatch):
    monkeypatch.setattr("autosim.tools.gui.help_page.search_roots", tuple)
    window.help.show_page()
    assert "client_window.md" in window.help.shown.text.toPlainText()


def test_the_keys_are_those_of_the_menus(window):
    QTest.keyClick(window, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    found = rows(window.help.shown)
    assert found["File"] == [("Open", "Ctrl+O"), ("Forget", "Ctrl+Y")]
    assert ("Help", "F1") in found["Help"]
    assert found["Keys and mouse"] == [("Turn", "mouse")]


def open_commands(window):
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_P, both)
    return window.help.shown


def shown_commands(palette):
    found = [palette.list.topLevelItem(n) for n in range(palette.list.topLevelItemCount())]
    return [(row.text(0), row.text(1)) for row in found if not row.isHidden()]


def test_all_commands_are_listed_with_menu_and_key_and_found_by_words(window):
    palette = open_commands(window)
    everything = shown_commands(palette)
    assert ("File ▸ Open…", "Ctrl+O") in everything
    assert ("File ▸ Recent ▸ Forget", "Ctrl+Y") in everything
    assert ("File ▸ No key", "") in everything
    QTest.keyClicks(palette.filter, "file FORG")
    assert shown_commands(palette) == [("File ▸ Recent ▸ Forget", "Ctrl+Y")]


def test_enter_executes_the_selected_command_and_closes_the_list(window):
    done = []
    file = window.menuBar().actions()[0].menu()
    file.actions()[0].triggered.connect(lambda: done.append("open"))
    file.actions()[2].triggered.connect(lambda: done.append("no key"))
    palette = open_commands(window)
    QTest.keyClick(palette.filter, Qt.Key.Key_Down)
    QTest.keyClick(palette.filter, Qt.Key.Key_Down)
    QTest.keyClick(palette.filter, Qt.Key.Key_Return)
    assert done == ["no key"]
    assert not palette.isVisible()


def test_a_disabled_command_is_listed_and_not_executed(window):
    done = []
    file = window.menuBar().actions()[0].menu()
    file.actions()[0].setEnabled(False)
    file.actions()[0].triggered.connect(lambda: done.append("open"))
    palette = open_commands(window)
    QTest.keyClicks(palette.filter, "open")
    QTest.keyClick(palette.filter, Qt.Key.Key_Return)
    assert shown_commands(palette) == [("File ▸ Open…", "Ctrl+O")]
    assert done == []


def test_about_names_version_licence_and_libraries_for_a_report(window):
    window.help.show_about()
    about = window.help.shown
    assert __version__ in about.label.text()
    assert "Apache License" in about.label.text()
    copy = next(each for each in about.findChildren(QPushButton) if "Copy" in each.text())
    QTest.mouseClick(copy, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert f"AutoSim {__version__}" in copied
    assert "PyQt6 " in copied


def test_one_help_window_at_a_time(window):
    window.help.show_about()
    first = window.help.shown
    window.help.show_keys()
    assert not first.isVisible()
    assert window.help.shown.isVisible()
