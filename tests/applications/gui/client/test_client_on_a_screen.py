"""The client's window on an X server, started as users start it."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("PyQt6")
pytest.importorskip("panda3d")

from PIL import Image

from autosim.client.control import server_control
from tests.applications.gui.driving import is_alive
from tests.applications.gui.test_on_a_screen import SECONDS, pixels, screen, wait_for  # noqa: F401


def start(world, address, folder, *options):
    command = [sys.executable, "-m", "autosim", "client", world, "--server", address, *options]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder)}
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)


def colours(picture):
    return len(np.unique(picture.reshape(-1, 3), axis=0))


@pytest.mark.slow
def test_a_client_shows_pictures_until_it_is_told_to_end(screen, server, world_file, tmp_path):  # noqa: F811
    out, film = tmp_path / "out", tmp_path / "film.webp"
    window = start(world_file, server.address, tmp_path, "--out", str(out), "--record", str(film))
    # The town has many more colours than all widgets together.
    wait_for(lambda: window.poll() is not None or colours(pixels(screen)) > 2000)
    with server_control(server.address) as control:
        assert "client window" in [client.name for client in control.clients()]
        control.step(48)
    window.send_signal(signal.SIGINT)
    assert window.wait(SECONDS) == 0
    said = window.stderr.read()
    window.stderr.close()
    assert "Traceback" not in said
    assert not is_alive(window.pid)
    for name in ("chase.png", "front.png"):
        with Image.open(out / name) as picture:
            assert colours(np.asarray(picture)) > 100
    assert film.exists()
