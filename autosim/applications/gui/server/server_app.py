"""Opens the server's window and waits until it is closed."""

import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication

from autosim.applications.gui.server.operator import ServerSettings
from autosim.applications.gui.server.server_window import ServerWindow
from autosim.applications.gui.shared.messages.entries import entry_of_text
from autosim.terminal_text import for_terminal


@dataclass(frozen=True, slots=True)
class ServerWindowOptions:
    """Initial options; `is_loaded`, `is_run`: without waiting for the user."""

    world: str
    """Path of the world file."""
    server: ServerSettings
    """Settings of the server."""
    is_loaded: bool
    is_run: bool


def run_server_window(options: ServerWindowOptions) -> int:
    """Shows the window until it is closed; returns the exit code."""
    app = QApplication(sys.argv[:1])
    app.setApplicationName("AutoSim Server")
    # Qt does not return to Python while nothing happens; the window's timer does.
    signal.signal(signal.SIGINT, lambda *_: app.closeAllWindows())
    signal.signal(signal.SIGTERM, lambda *_: app.closeAllWindows())
    window = ServerWindow(options.world, options.server, QSettings("AutoSim", "server window"))
    sys.excepthook = _teller(window)
    window.show()
    if options.is_run:
        window.operator.run()
    elif options.is_loaded:
        window.load()
    return app.exec()


def _teller(
    window: ServerWindow,
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """Shows an error of the window itself in its messages; Qt would end the whole process."""

    def tell(kind: type[BaseException], error: BaseException, place: TracebackType | None) -> None:
        text = "".join(traceback.format_exception(kind, error, place))
        print(for_terminal(text), file=sys.stderr)
        said = f"{kind.__name__}: {error}\n{text}"
        window.messages.add(entry_of_text("error", "window", said))

    return tell
