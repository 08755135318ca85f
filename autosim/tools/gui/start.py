"""Opens windows: the one place that starts Qt."""

import os
import signal
import sys
from pathlib import Path

from PyQt6.QtWidgets import QApplication

from autosim.tools.gui.manipulator_window import ManipulatorWindow
from autosim.tools.osm_manipulator.errors import ManipulatorError
from autosim.tools.osm_manipulator.options import Request


def run_osm_manipulator(request: Request, target: Path | None) -> None:
    """Opens the OSM Manipulator's window; returns when it is closed.

    Raises:
        ManipulatorError: there is no screen.
    """
    _require_screen()
    application = QApplication(["autosim"])
    # Qt's loop never returns to Python's, so Ctrl-C would otherwise be ignored.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    window = ManipulatorWindow(request, target)
    window.show()
    application.exec()


def _require_screen() -> None:
    """Qt ends the whole process when it finds no screen; a message is kinder."""
    has_screen = any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    )
    if sys.platform.startswith("linux") and not has_screen:
        raise ManipulatorError(
            "there is no screen for the window; leave out --gui to work in the terminal"
        )
