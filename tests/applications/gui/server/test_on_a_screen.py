"""The window on an X server, started as users start it."""

import signal
import sys

import pytest

from tests.applications.gui.screen_fixtures import (
    SECONDS,
    colours,
    free_port,
    pixels,
    started,
    wait_for,
)

pytest.importorskip("PyQt6")

from autosim.client.link.client_errors import ClientError
from autosim.client.link.simulation_control import simulation_control
from autosim.model.phase import Phase
from tests.applications.gui.driving import is_alive


def test_a_named_world_runs_in_a_window_until_it_is_told_to_end(screen, tmp_path):
    port = free_port()
    command = [sys.executable, "-m", "autosim", "server", "worlds/circle_town.xml"]
    with started([*command, "--port", str(port)], tmp_path) as window:
        blank = pixels(screen)

        def runs():
            assert window.poll() is None, window.stderr.read()
            try:
                with simulation_control(f"127.0.0.1:{port}") as server:
                    return server.status().phase is Phase.RUNNING
            except ClientError:
                return False

        wait_for(runs)
        wait_for(lambda: colours(pixels(screen)) > 100)
        assert (pixels(screen) != blank).any(axis=2).mean() > 0.5
        with simulation_control(f"127.0.0.1:{port}") as server:
            assert "server window" in [client.name for client in server.clients()]
        window.send_signal(signal.SIGINT)
        assert window.wait(SECONDS) == 0
        assert not is_alive(window.pid)
        assert "Traceback" not in window.stderr.read()
    with pytest.raises(ClientError), simulation_control(f"127.0.0.1:{port}") as server:
        server.status()
