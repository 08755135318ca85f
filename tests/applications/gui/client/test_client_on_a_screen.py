"""The client's window on an X server, started as users start it."""

import signal
import sys

import pytest

pytest.importorskip("PyQt6")
pytest.importorskip("panda3d")

from PIL import Image

from autosim.client.link.simulation_control import simulation_control
from tests.applications.gui.driving import is_alive
from tests.applications.gui.screen_fixtures import (
    SECONDS,
    colours,
    pixels,
    started,
    wait_for,
)


@pytest.mark.slow
def test_a_client_shows_pictures_until_it_is_told_to_end(screen, server, world_file, tmp_path):
    out, film = tmp_path / "out", tmp_path / "film.webp"
    command = [sys.executable, "-m", "autosim", "client", world_file, "--server", server.address]
    options = ["--out", str(out), "--record", str(film)]
    with started([*command, *options], tmp_path) as window:
        # The town has many more colours than all widgets together.
        wait_for(lambda: window.poll() is not None or colours(pixels(screen)) > 2000)
        with simulation_control(server.address) as control:
            assert "client window" in [client.name for client in control.clients()]
            control.step(48)
        window.send_signal(signal.SIGINT)
        assert window.wait(SECONDS) == 0
        assert "Traceback" not in window.stderr.read()
        assert not is_alive(window.pid)
    for name in ("chase.png", "front.png"):
        with Image.open(out / name) as picture:
            assert colours(picture) > 100
    assert film.exists()
