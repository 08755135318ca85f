"""The window on an X server, started as users start it."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest

pytest.importorskip("PyQt6")

from autosim.applications.common.screen import find_obstacle
from autosim.client.link.failures import ClientError
from autosim.client.link.server_control import server_control
from autosim.simulation.phase import Phase
from tests import screens
from tests.applications.gui.driving import is_alive

SECONDS = 200.0
SCREEN = (1280, 720)


@pytest.fixture
def screen(tmp_path, monkeypatch):
    """An X server of its own; its picture is the file `Xvfb_screen0`."""
    with screens.screen(*SCREEN, "-fbdir", str(tmp_path)) as display:
        monkeypatch.setenv("DISPLAY", display)
        monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
        obstacle = find_obstacle()
        if obstacle:
            pytest.skip(obstacle)
        yield tmp_path / "Xvfb_screen0"


def pixels(file):
    """The screen as (height, width, 3): an XWD file is a header, a colour map, and rows of BGRX."""
    data = np.fromfile(file, np.uint8)[-SCREEN[0] * SCREEN[1] * 4 :]
    return data.reshape(SCREEN[1], SCREEN[0], 4)[..., 2::-1].astype(int)


def colours(picture):
    """How many colours a picture (height, width, 3) has."""
    seen = np.zeros(1 << 24, dtype=bool)
    seen[np.asarray(picture, dtype=int) @ (1 << 16, 1 << 8, 1)] = True
    return np.count_nonzero(seen)


def wait_for(condition):
    """Waits for what other processes do, and leaves them the processor."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)


@contextmanager
def started(command, folder):
    """A window's process with settings in `folder`; it is ended however the test ends."""
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_named_world_runs_in_a_window_until_it_is_told_to_end(screen, tmp_path):
    port = free_port()
    command = [sys.executable, "-m", "autosim", "server", "worlds/circle_town.xml"]
    with started([*command, "--port", str(port)], tmp_path) as window:
        blank = pixels(screen)

        def runs():
            assert window.poll() is None, window.stderr.read()
            try:
                with server_control(f"127.0.0.1:{port}") as server:
                    return server.status().phase is Phase.RUNNING
            except ClientError:
                return False

        wait_for(runs)
        wait_for(lambda: colours(pixels(screen)) > 100)
        assert (pixels(screen) != blank).any(axis=2).mean() > 0.5
        with server_control(f"127.0.0.1:{port}") as server:
            assert "server window" in [client.name for client in server.clients()]
        window.send_signal(signal.SIGINT)
        assert window.wait(SECONDS) == 0
        assert not is_alive(window.pid)
        assert "Traceback" not in window.stderr.read()
    with pytest.raises(ClientError), server_control(f"127.0.0.1:{port}") as server:
        server.status()
