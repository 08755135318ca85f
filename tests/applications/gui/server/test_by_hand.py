"""A whole session at the windows of server and client with a real keyboard and mouse: xdotool."""

import os
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("PyQt6")
pytest.importorskip("panda3d")

from autosim.client.link.client_errors import ClientError
from autosim.client.link.simulation_control import Phase, simulation_control
from tests.applications.gui.screen_fixtures import (
    SECONDS,
    free_port,
    pixels,
    wait_for,
)

if shutil.which("xdotool") is None:
    pytest.skip("xdotool is not installed", allow_module_level=True)


def xdotool(*words: str) -> str:
    return subprocess.run(
        ["xdotool", *words], check=True, capture_output=True, text=True, timeout=SECONDS
    ).stdout


def find(title: str) -> str:
    """The number of the visible window with this title, "" while there is none."""
    command = ["xdotool", "search", "--onlyvisible", "--name", title]
    found = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    return found.stdout.strip().split("\n")[0]


class Hand:
    """Someone at the keyboard and mouse of one program."""

    def __init__(self, title: str, *words: str, home: str) -> None:
        command = [sys.executable, "-m", "autosim", *words]
        environment = {**os.environ, "XDG_CONFIG_HOME": home}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        self.title = title
        wait_for(lambda: self.process.poll() is not None or find(title))
        if self.process.poll() is not None:
            pytest.fail(f"no window, but {self.process.poll()}: {self.process.communicate()[1]}")
        # Without a window manager the focus follows nobody but us.
        self.window = find(title)
        xdotool("windowfocus", "--sync", self.window)

    def press(self, *keys: str) -> None:
        xdotool("key", "--clearmodifiers", *keys)

    def click(self, x: int, y: int) -> None:
        xdotool("mousemove", "--sync", str(x), str(y), "click", "1")

    def leave(self, *keys: str) -> str:
        """Presses the last keys; what the program has said on its way out."""
        self.press(*keys)
        assert self.process.wait(SECONDS) == 0
        assert self.process.stderr is not None
        with self.process.stderr as stream:
            return stream.read()


def phase(address: str) -> Phase | None:
    try:
        with simulation_control(address) as server:
            return server.status().phase
    except ClientError:
        return None


@pytest.mark.slow
def test_a_server_and_a_client_are_used_by_keyboard_alone(screen, tmp_path):
    address = f"127.0.0.1:{free_port()}"
    port = address.rsplit(":", 1)[1]
    server = Hand("AutoSim Server", "server", "--port", port, home=str(tmp_path))
    try:
        assert phase(address) is None, "nothing is loaded before the user says so"
        server.press("ctrl+l")
        wait_for(lambda: phase(address) is Phase.READY)
        server.press("F5")
        wait_for(lambda: phase(address) is Phase.RUNNING)
        client = Hand("AutoSim Client", "client", "--server", address, home=str(tmp_path))
        try:
            seen = pixels(screen)
            wait_for(lambda: (pixels(screen) != seen).any(axis=2).mean() > 0.3)
            # The world came from the server; the picture moves while the car drives.
            seen = pixels(screen)
            wait_for(lambda: (pixels(screen) != seen).any(axis=2).mean() > 0.02)
            client.press("c")
            assert "Traceback" not in client.leave("ctrl+q")
        finally:
            client.process.kill()
        xdotool("windowfocus", "--sync", server.window)
        server.press("F6")
        wait_for(lambda: phase(address) is Phase.PAUSED)
        with simulation_control(address) as control:
            step = control.status().step
            server.press("F7")
            wait_for(lambda: control.status().step == step + 1)
        assert "Traceback" not in server.leave("ctrl+q")
        assert phase(address) is None
    finally:
        server.process.kill()
