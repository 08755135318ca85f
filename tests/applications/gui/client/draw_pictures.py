"""Draws the pictures of the client's window in docs/.

    python -m tests.applications.gui.client.draw_pictures docs

On no screen, so that they are the same everywhere; look at them before they are committed.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

KINDS = {
    "client_window": ("light", "1280x720", "1"),
    "client_window_dark": ("dark", "1280x720", "1"),
    "client_window_200": ("light", "640x360", "2"),
    "client_window_night": ("light", "1280x720", "1"),
    "client_window_lidar": ("light", "1280x720", "1"),
    "client_window_driving": ("light", "1280x720", "1"),
}
LIDAR = "worlds/lidar.xml"
DRIVEN_SECONDS = 4.0
NIGHT_SECONDS = 16.0
COLOURS = 256


def draw_all(folder):
    """Each kind in a process of its own: Qt reads its scale once."""
    for name, (look, size, scale) in KINDS.items():
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": scale}
        command = [sys.executable, "-m", __spec__.name, str(folder), name, look, size]
        subprocess.run(command, check=True, env=environment)


def draw(folder, name, look, size):
    from PyQt6.QtGui import QColor, QPalette
    from PyQt6.QtWidgets import QApplication

    from autosim.loading.loader import load_world
    from autosim.server.network.front import ServerOptions
    from autosim.server.network.server_process import ServerProcess
    from tests.applications.gui.client.driving import connection, let_work, make_client, play
    from tests.applications.gui.driving import DEMO, LOAD_SECONDS, until

    app = QApplication(["pictures"])
    app.setStyle("Fusion")
    if look == "dark":
        app.setPalette(QPalette(QColor(53, 53, 53), QColor(35, 35, 35)))
    world = LIDAR if name.endswith("lidar") else DEMO
    options = ServerOptions(address="127.0.0.1:0")
    with (
        tempfile.TemporaryDirectory() as settings,
        ServerProcess(load_world(world), options) as server,
    ):
        window = make_client(Path(settings), world, server.address)
        window.resize(*map(int, size.split("x")))
        play(window)
        until(lambda: window.drawing.frames > 0, LOAD_SECONDS)
        if world == LIDAR:
            window.drawing.chosen.lidar = True
        else:
            chosen = window.drawing.chosen
            chosen.names = chosen.rays = chosen.paths = not name.endswith("driving")
            if not name.endswith("driving"):
                window.add_pane()
        seconds = DRIVEN_SECONDS
        if name.endswith("night"):
            seconds = NIGHT_SECONDS
            fall_dark(window)
        connection(window).run(real_time_factor=1.0)
        until(lambda: window.player.state.time > seconds, LOAD_SECONDS)
        if name.endswith("driving"):
            drive(window)
        let_work(window)
        save(window, folder / f"{name}.png")
        window.close()


def drive(window):
    """A person takes over, accelerates and steers."""
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest

    from tests.applications.gui.driving import until

    window.driving.take_over.trigger()
    QTest.keyPress(window.grid.current.view, Qt.Key.Key_W)
    begin = window.player.state.time
    until(lambda: window.player.state.time > begin + 1.0)
    QTest.keyPress(window.grid.current.view, Qt.Key.Key_D)
    until(lambda: window.player.state.time > begin + 1.3)


def fall_dark(window):
    """Dusk, head lights, an indicator, and a program that says where it believes to be."""
    from autosim.applications.gui.shared.skies import SkyChoice
    from tests.worlds import ROOT

    chosen = window.drawing.chosen
    chosen.names = chosen.rays = chosen.paths = False
    chosen.beliefs = True
    window.fields.sky.choose(SkyChoice(hours=18.4))
    lamps = ("head_left", "head_right", "tail_left", "tail_right", "indicator_left_rear")
    for lamp in lamps:
        window.player.set_data(f"impreza.chassis.{lamp}", [1.0])
    window.fields.program.line.setText(str(ROOT / "userprograms" / "dead_reckoning.py"))
    window.fields.robot.setCurrentText("impreza")
    window.restart_program()


def save(window, file):
    """A picture of few colours is a small file; the light of lamps needs them all."""
    from PIL import Image

    from autosim.applications.gui.client.pane_recorder import to_pixels

    image = Image.fromarray(to_pixels(window.grab().toImage()))
    if file.stem.endswith("night"):
        image.save(file, optimize=True)
        return
    image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        file, optimize=True
    )


if __name__ == "__main__":
    target = Path(sys.argv[1])
    if len(sys.argv) == 2:
        draw_all(target)
    else:
        draw(target, *sys.argv[2:])
