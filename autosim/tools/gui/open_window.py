"""Opens windows: the one place that starts Qt."""

import signal
from pathlib import Path

from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication

from autosim.tools.gui.manipulator_window import ManipulatorWindow
from autosim.tools.osm_manipulator.furnish_options import FurnishRequest


def run_osm_manipulator(request: FurnishRequest, target: Path | None) -> None:
    """Opens the OSM Manipulator's window; returns when it is closed.

    Qt ends the whole process where there is no screen: callers look for one first.
    """
    application = QApplication(["autosim"])
    # Qt's loop never returns to Python's, so Ctrl-C would otherwise be ignored.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    window = ManipulatorWindow(request, target, QSettings("AutoSim", "osm manipulator"))
    window.show()
    if request.original != Path():
        window.open_map(request.original)
    application.exec()
