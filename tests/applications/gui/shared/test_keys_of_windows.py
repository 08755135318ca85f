"""Keys and mnemonics: one meaning each, in both windows."""

import re

import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import QSettings, Qt
from PyQt6.QtGui import QAction
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QAbstractButton, QApplication, QLabel, QTabBar

from autosim.applications.gui.client.client_window import ClientWindow
from autosim.applications.gui.client.player import ClientSettings, ClientStage
from autosim.applications.gui.server.operator import ServerSettings
from autosim.applications.gui.server.server_window import ServerWindow

SAME = [
    {"Run"},
    {"Pause", "Let Simulation Run", "Pause Simulation"},
    {"Step", "Step Simulation"},
    {"Select User Program", "Attach a User Program"},
]
"""Commands under one key of which each window has its own words."""


@pytest.fixture
def windows(application, tmp_path):
    """Both windows, with nothing loaded."""
    kept = [QSettings(str(tmp_path / n), QSettings.Format.IniFormat) for n in ("server", "client")]
    made = (
        ServerWindow("", ServerSettings("127.0.0.1", 0), kept[0]),
        ClientWindow("", ClientSettings(address="127.0.0.1:1"), kept[1]),
    )
    for window in made:
        window.show()
        QTest.qWaitForWindowExposed(window)
    yield made
    for window in made:
        window.close()
        window.deleteLater()
    application.processEvents()


def keys_of(window):
    """Commands by their key."""
    found = {}
    for action in window.findChildren(QAction):
        key = action.shortcut().toString()
        if key:
            found.setdefault(key, set()).add(re.sub(r"&|…", "", action.text()))
    return found


def test_a_key_means_the_same_in_both_windows(windows):
    server, client = map(keys_of, windows)
    assert {"F5", "F6", "F7", "Ctrl+J", "Ctrl+R", "Ctrl+1"} <= server.keys() & client.keys()
    for key in server.keys() & client.keys():
        words = server[key] | client[key]
        assert len(words) == 1 or any(words <= same for same in SAME), (key, words)
    for keys in (server, client):
        assert all(len(words) == 1 for words in keys.values()), keys


def mnemonics_of(window):
    """What Alt with a letter may mean in the menu bar and among the parts that can be seen."""
    texts = [action.text() for action in window.menuBar().actions()]
    texts += [each.text() for each in window.findChildren(QAbstractButton) if each.isVisible()]
    for label in window.findChildren(QLabel):
        if label.isVisible() and label.buddy() is not None:
            texts.append(label.text())
    for bar in window.findChildren(QTabBar):
        texts += [bar.tabText(number) for number in range(bar.count())]
    for text in texts:
        letter = re.search(r"&(\w)", text.replace("&&", ""))
        if letter is not None:
            yield letter[1].upper(), text


@pytest.mark.parametrize("number", [0, 1])
def test_a_letter_with_alt_is_used_once(windows, number):
    window = windows[number]
    server_panels = ("messages", "programs", "network", "time")
    for name in server_panels if number == 0 else ("messages",):
        window.docks.raise_panel(getattr(window, name))
        QApplication.processEvents()
        found = {}
        for letter, text in mnemonics_of(window):
            assert letter not in found, (name, letter, text, found[letter])
            found[letter] = text
        assert found["F"] == "&File"


def test_escape_cancels_loading_and_closes_no_window(windows):
    _, client = windows
    QTest.keyClick(client, Qt.Key.Key_Escape)
    assert client.isVisible()
    client.load()
    assert client.player.stage is ClientStage.LOADING
    QTest.keyClick(client, Qt.Key.Key_Escape)
    assert client.player.stage is ClientStage.EMPTY
    assert client.isVisible()
