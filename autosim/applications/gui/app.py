"""Opens the server's window and waits until it is closed."""

import signal
import sys
from dataclasses import dataclass

from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication

from autosim.applications.gui.main_window import ServerWindow
from autosim.applications.gui.operator import ServerSettings


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """What to begin with; `is_loaded`, `is_run`: without waiting for the user."""

    world: str
    server: ServerSettings
    is_loaded: bool
    is_run: bool


def run_window(options: WindowOptions) -> int:
    """Shows the window until it is closed; returns the exit code."""
    app = QApplication(sys.argv[:1])
    app.setApplicationName("AutoSim Server")
    # Qt does not return to Python while nothing happens; the window's timer does.
    signal.signal(signal.SIGINT, lambda *_: app.closeAllWindows())
    signal.signal(signal.SIGTERM, lambda *_: app.closeAllWindows())
    window = ServerWindow(options.world, options.server, QSettings("AutoSim", "server window"))
    window.show()
    if options.is_run:
        window.operator.run()
    elif options.is_loaded:
        window.load()
    return app.exec()
