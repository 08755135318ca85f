"""A world in which no robot stands is looked at all the same: from a camera that flies."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PyQt6")
pytest.importorskip("panda3d")

from click.testing import CliRunner
from PIL import Image
from PyQt6.QtCore import Qt

from autosim.cli import main
from autosim.loading.loader import load_world
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.v1 import autosim_pb2 as pb
from tests.applications.gui.client.driving import (
    TWO_CARS,
    connection,
    differ,
    make_client,
    picture,
    play,
    settle,
)
from tests.applications.gui.driving import LOAD_SECONDS, messages, press, until

Key = Qt.Key


@pytest.fixture(scope="module")
def empty_file(tmp_path_factory) -> Path:
    """The demo town without a word of objects, and small pictures."""
    file = tmp_path_factory.mktemp("empty") / "empty.xml"
    file.write_text(TWO_CARS.split("  <Objects>")[0] + "</World>\n")
    return file


@pytest.fixture(scope="module")
def empty_server(empty_file):
    with ServerProcess(load_world(empty_file), ServerOptions(address="127.0.0.1:0")) as served:
        yield served


def test_a_client_without_a_window_draws_it(empty_server, empty_file, tmp_path):
    options = ["--server", empty_server.address, "--headless", "--seconds", "0.1"]
    done = CliRunner().invoke(main, ["client", str(empty_file), *options, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert [file.name for file in tmp_path.iterdir()] == ["chase.png"]
    with Image.open(tmp_path / "chase.png") as drawn:
        pixels = np.asarray(drawn)
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 1000


def test_the_window_flies_over_it_until_a_robot_is_added(
    application, empty_server, tmp_path, complaints
):
    window = make_client(tmp_path, "", empty_server.address)
    try:
        play(window)
        until(lambda: window.drawing.frames > 0, LOAD_SECONDS)
        pane = window.grid.panes[0]
        assert pane.camera.choices == ("Free camera",)
        assert window.commands.free.isEnabled()
        assert not window.commands.chase.isEnabled()
        assert not window.commands.next_robot.isEnabled()
        settle(window)
        before = picture(window)
        press(pane.view, Key.Key_W)
        settle(window)
        assert differ(before, picture(window)) > 0.1
        request = pb.AddRobotRequest(file="robots/scout.xml", name="first")
        connection(window).stub.AddRobot(request, timeout=LOAD_SECONDS)
        until(lambda: window.commands.chase.isEnabled(), LOAD_SECONDS)
        assert pane.camera.choice == "Chase camera"
        assert not [text for level, text in messages(window) if level == "error"]
    finally:
        window.close()
