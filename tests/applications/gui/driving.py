"""What the tests of the window share: a window of its own settings, waiting, keys."""

import os
import time
from pathlib import Path

from PyQt6.QtCore import QEventLoop, QSettings, Qt, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from autosim.applications.gui.server.operator import ServerSettings
from autosim.applications.gui.server.server_window import ServerWindow

DEMO = "worlds/circle_town.xml"
LOAD_SECONDS = 180.0
SECONDS = 90.0


def make_window(folder, *, world=DEMO, **settings):
    """A window whose settings are in `folder`, on screen and active."""
    kept = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    window = ServerWindow(world, ServerSettings("127.0.0.1", 0, **settings), kept)
    window.resize(1280, 720)
    window.show()
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    return window


def until(condition, seconds=SECONDS):
    """Lets Qt work until the condition holds; fails where it does not in time."""
    end = time.monotonic() + seconds
    tick = QTimer()
    tick.start(10)
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    tick.stop()


def press(widget, key, modifier=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(widget, key, modifier)


def state_of(window):
    return window.operator.mirror.state


def shown_text(window, path, column=1):
    """What the tree shows in the row of a node or field."""
    index = window.objects.model.find(path).siblingAtColumn(column)
    return index.data()


def messages(window):
    return [(entry.level, entry.text) for entry in window.messages.model.entries]


def descendants(pid=None):
    """The ids of all processes below `pid`, by default this one."""
    found = []
    for listed in Path(f"/proc/{pid or os.getpid()}/task").glob("*/children"):
        try:
            children = [int(each) for each in listed.read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def is_alive(pid):
    """Whether the process is there and has not ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rsplit(")", 1)[1].split()[0] not in "ZX"
