"""Opens the client's window and waits until it is closed."""

import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from PyQt6.QtCore import QSettings, QTimer
from PyQt6.QtWidgets import QApplication

from autosim.applications.common.terminal import tell
from autosim.applications.gui.client.client_window import ClientWindow
from autosim.applications.gui.client.player import ClientSettings, Player
from autosim.applications.recording.picture_output import front_camera


@dataclass(frozen=True, slots=True)
class ClientWindowOptions:
    """Initial options of the window.

    `camera`: of the first picture, "" for the chase camera; `seconds`: time after which to close;
    `out`: a folder for the last pictures; `record`: a file or folder to record to.
    """

    world: str
    """Path of the world file, "" for that of the server."""
    client: ClientSettings
    """Settings of the connection and of the program."""
    camera: str = ""
    seconds: float | None = None
    out: Path | None = None
    record: Path | None = None


def run_client_window(options: ClientWindowOptions) -> int:
    """Shows the window until it is closed, and connects at once; returns the exit code."""
    app = QApplication(sys.argv[:1])
    app.setApplicationName("AutoSim Client")
    # Qt does not return to Python while nothing happens; the window's timer does.
    signal.signal(signal.SIGINT, lambda *_: app.closeAllWindows())
    signal.signal(signal.SIGTERM, lambda *_: app.closeAllWindows())
    window = ClientWindow(options.world, options.client, QSettings("AutoSim", "client window"))
    # Qt ends a program at the first exception of a slot unless a hook handles it.
    sys.excepthook = window.take_fault
    if options.camera:
        window.player.loaded.connect(lambda: window.grid.panes[0].choose(options.camera))
    if options.out is not None:
        out = options.out
        window.player.unloading.connect(lambda: save_pictures(window.player, out))
    if options.seconds is not None:
        QTimer.singleShot(round(1000 * options.seconds), window.close)
    window.keeping.said.connect(tell)
    window.keeping.failed.connect(tell)
    window.show()
    if options.record is not None:
        window.keeping.record(options.record)
    window.run()
    return app.exec()


def save_pictures(player: Player, folder: Path) -> None:
    """Writes the last pictures of the main view and of the first robot's front camera."""
    if player.shown is None or player.state is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    front = front_camera(player.shown.world)
    for name, camera in {"chase.png": "", **({"front.png": front} if front else {})}.items():
        picture = player.shown.viewer.image(camera)
        Image.fromarray(picture).convert("RGB").save(folder / name)
        tell(f"wrote {folder / name}")
