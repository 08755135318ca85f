"""Draws the pictures of the server's window in docs/.

    python -m tests.applications.gui.draw_pictures docs

On no screen, so that they are the same everywhere; look at them before they are committed.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

KINDS = {
    "server_window": ("light", "1280x720", "1"),
    "server_window_dark": ("dark", "1280x720", "1"),
    "server_window_200": ("light", "640x360", "2"),
}
DRIVEN_SECONDS = 14.0


def draw_all(folder):
    """Each kind in a process of its own: Qt reads its scale once."""
    for name, (look, size, scale) in KINDS.items():
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": scale}
        command = [sys.executable, "-m", __spec__.name, str(folder), name, look, size]
        subprocess.run(command, check=True, env=environment)


def settle(window):
    from tests.applications.gui.driving import until

    end = window.frames + 5
    until(lambda: window.frames >= end)


def save(window, file):
    window.grab().save(str(file))
    with Image.open(file) as picture:
        # A third of the size, and nobody sees it: these 256 colours are at most 10 from all others.
        # The median cut would give them to the many greys, and none to the few trees of the map.
        few = picture.convert("RGB").quantize(
            256, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE
        )
    few.save(file, optimize=True)


def draw(folder, name, look, size):
    from PyQt6.QtGui import QColor, QPalette
    from PyQt6.QtWidgets import QApplication

    from autosim.applications.gui.server.add_dialogs import RobotDialog
    from autosim.applications.gui.server.operator import ServerStage
    from autosim.applications.gui.server.programs_panel import STATE
    from tests.applications.gui.driving import LOAD_SECONDS, make_window, state_of, until

    app = QApplication(["pictures"])
    app.setStyle("Fusion")
    if look == "dark":
        app.setPalette(QPalette(QColor(53, 53, 53), QColor(35, 35, 35)))
    with tempfile.TemporaryDirectory() as settings:
        window = make_window(Path(settings), pace=4.0)
        window.resize(*map(int, size.split("x")))
        window.operator.run()
        until(lambda: window.operator.stage is ServerStage.RUNNING, LOAD_SECONDS)
        model = window.objects.model
        speed = model.row_of(model.find("impreza.chassis.velocimeter"))
        window.plot(speed)
        window.plot(model.row_of(model.find("impreza.chassis.gyro_yaw")), speed.path)
        window.plot(model.row_of(model.find("impreza.chassis.angular_velocity")))
        window.docks.raise_panel(window.network)
        until(lambda: state_of(window).time > DRIVEN_SECONDS, LOAD_SECONDS)
        window.docks.raise_panel(window.programs)
        until(lambda: window.programs.text(0, STATE + 1) != "")
        save(window, folder / f"{name}_programs.png")
        window.docks.raise_panel(window.network)
        window.operator.pause()
        until(lambda: window.operator.stage is ServerStage.PAUSED)
        window.plots.plots[0].read(0.8 * DRIVEN_SECONDS)
        settle(window)
        save(window, folder / f"{name}_plots.png")
        window.docks.raise_panel(window.map)
        window.map.follow()
        window.objects.select("impreza.chassis.drive_chassis")
        window.docks.raise_panel(window.messages)
        settle(window)
        save(window, folder / f"{name}.png")
        dialog = RobotDialog(window.operator.world, window)
        dialog.show()
        settle(window)
        save(dialog, folder / f"{name}_robot.png")
        dialog.close()
        window.close()


if __name__ == "__main__":
    target = Path(sys.argv[1])
    if len(sys.argv) == 2:
        draw_all(target)
    else:
        draw(target, *sys.argv[2:])
