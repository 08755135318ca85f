"""The client's window from its first moment to its last: loading, connecting, losing, quitting."""

import os
import signal
import socket
import time
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("PyQt6")
pytest.importorskip("panda3d")

from PyQt6.QtCore import Qt

from autosim.applications.gui.client import client_window
from autosim.applications.gui.client.player import ClientStage
from autosim.client.link import updates
from autosim.loading.loader import load_world
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.v1 import autosim_pb2 as pb
from tests.applications.gui.client.driving import (
    connection,
    make_client,
    play,
    step,
)
from tests.applications.gui.driving import LOAD_SECONDS, messages, press, shown_text, until

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


def said(window, level=None):
    return "\n".join(text for kind, text in messages(window) if level in (None, kind))


def test_load_alone_shows_the_robots_but_no_picture(client):
    press(client, Key.Key_L, CONTROL)
    until(lambda: client.player.stage is ClientStage.LOADED, LOAD_SECONDS)
    assert shown_text(client, "first", 0) == "first"
    assert client.fields.robot.itemText(1) == "second"
    assert client.grid.panes[0].view.image is None
    assert "Run" in client.grid.panes[0].view.hint
    play(client)
    until(lambda: client.drawing.frames > 0)


class Clock:
    """The time of a window and of its connection: it stands until the test puts it on."""

    def __init__(self):
        self.now = time.monotonic()
        self.time_ns = time.time_ns

    def monotonic(self):
        return self.now


def test_motion_between_rare_states_is_interpolated(client, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(updates, "time", clock)
    monkeypatch.setattr(client_window, "time", clock)
    client.player.settings = replace(client.player.settings, rate=5.0)
    play(client)
    until(lambda: client.drawing.frames > 0, LOAD_SECONDS)
    node = client.player.shown.tree.find("first.chassis")
    place = node.field_offset("position") // 8

    def place_in(state):
        return state.floats[place : place + 2].copy()

    def do_steps():
        last = connection(client).step(48).step
        until(lambda: playback.newest.step == last)

    playback = client.player.playback
    client.player.set_data("first.chassis.drive_chassis", [0.0, 1.0, 0.0])
    do_steps()
    arrived = clock.now
    for _ in range(3):
        arrived += 0.25
        clock.now, before = arrived, place_in(playback.newest)
        do_steps()
        after = place_in(playback.newest)
        for share in (0.25, 0.5, 0.75):
            drawn, clock.now = client.drawing.frames, arrived + 0.25 * share
            until(lambda drawn=drawn: client.drawing.frames > drawn)
            between = before + share * (after - before)
            np.testing.assert_allclose(place_in(client.player.state), between, atol=1e-9)
    assert np.linalg.norm(after - before) > 0.1
    client.player.set_data("first.chassis.drive_chassis", [0.0, 0.0, 1.0])


def test_escape_leaves_a_window_that_is_connected_as_it_is(client):
    play(client)
    until(lambda: client.player.session is not None, LOAD_SECONDS)
    press(client.grid.current.view, Key.Key_Escape)
    assert client.isVisible()
    assert client.player.session is not None


def test_a_window_without_a_world_waits_for_a_server_until_it_is_stopped(
    application, tmp_path, complaints
):
    window = make_client(tmp_path, "", "127.0.0.1:1")
    view = window.grid.panes[0].view
    try:
        play(window)
        until(lambda: "No server listens at 127.0.0.1:1 yet" in view.hint)
        assert view.hint.endswith("Esc cancels it.")
        press(window, Key.Key_Escape)
        assert window.player.stage is ClientStage.EMPTY
        assert said(window) == "loading was cancelled"
        assert "Run (F5)" in view.hint
        assert window.commands.run.isEnabled()
    finally:
        window.close()


@pytest.mark.slow
def test_a_server_without_a_world_is_not_called_missing(
    application, world_file, tmp_path, complaints
):
    with ServerProcess(None, ServerOptions(address="127.0.0.1:0")) as server:
        window = make_client(tmp_path, world_file, server.address)
        view = window.grid.panes[0].view
        try:
            play(window)
            until(lambda: "has no world yet. Waiting for one" in view.banner, LOAD_SECONDS)
            assert said(window, "error") == ""
        finally:
            window.close()


@pytest.mark.slow
def test_a_lost_server_is_said_and_found_again(application, world_file, tmp_path, complaints):
    world = load_world(world_file)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    window = make_client(tmp_path, world_file, address)
    view = window.grid.panes[0].view
    try:
        play(window)
        until(lambda: "No server" in view.banner, LOAD_SECONDS)
        with ServerProcess(world, ServerOptions(address=address)) as first:
            until(lambda: window.drawing.frames > 0, LOAD_SECONDS)
            until(lambda: view.banner == "")
            step(window, 20)
            os.kill(first.pid, signal.SIGKILL)
            until(lambda: "Lost the server" in view.banner)
        assert view.image is not None
        with ServerProcess(world, ServerOptions(address=address)):
            until(lambda: view.banner == "", LOAD_SECONDS)
            # A new simulation begins at its beginning.
            until(lambda: window.player.state.step == 0)
            connection(window).stop()
            until(lambda: "was stopped" in view.banner)
        assert "Disconnect (Shift+F5)" in view.banner
        assert "connected again" in said(window)
        assert "was stopped; waiting until it is started again" in said(window)
        assert said(window, "error") == ""
        # What is left of the run is not taken for a live picture.
        press(window, Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
        until(lambda: "Not connected: a picture of 0.000 s" in view.banner)
        window.fields.address.setText("foo:bar")
        play(window)
        until(lambda: "expected HOST:PORT" in said(window, "error"))
        assert "Not connected" in view.banner
    finally:
        window.close()


LOOKS = """
from autosim.userprogram import get_image, get_time, unlock_image, wait

def main(argv):
    turn, camera = 0, f"{argv[0]}.chassis.front_view"
    while True:
        turn += 1
        picture = get_image(camera)
        print(turn, round(240 * get_time()), picture.shape[:2], file=open(argv[1], "a"))
        unlock_image()
        wait(0.05)
"""


@pytest.mark.slow
def test_a_robot_that_is_added_is_followed_where_no_world_was_chosen(
    application, world_file, tmp_path, complaints
):
    program, lines = tmp_path / "looks.py", tmp_path / "lines.txt"
    program.write_text(LOOKS)

    def told():
        return lines.read_text().splitlines() if lines.exists() else []

    world = load_world(world_file)
    settings = {"robot": "first", "program": str(program), "arguments": str(lines)}
    with ServerProcess(world, ServerOptions(address="127.0.0.1:0")) as server:
        window = make_client(tmp_path, "", server.address, **settings)
        try:
            play(window)
            until(lambda: window.drawing.frames > 0, LOAD_SECONDS)
            until(lambda: connection(window).status().programs == 1)
            connection(window).run(steps=30)
            until(lambda: len(told()) == 3)
            request = pb.AddRobotRequest(file="robots/scout.xml", name="third")
            connection(window).stub.AddRobot(request, timeout=LOAD_SECONDS)
            until(lambda: "the server's world has changed" in said(window), LOAD_SECONDS)
            until(lambda: window.player.state is not None, LOAD_SECONDS)
            assert window.player.shown.tree.find("third") is not None
            # The program continues, counts on and gets pictures: it has noticed nothing.
            # It takes part in the step again from its next wait on.
            until(lambda: connection(window).status().programs == 1)
            connection(window).run(steps=30)
            until(lambda: len(told()) == 6)
            assert told() == [f"{turn} {12 * (turn - 1)} (120, 160)" for turn in range(1, 7)]
            assert said(window).count("started looks.py") == 1
            assert said(window, "error") == ""
        finally:
            window.close()


def test_a_server_of_another_world_is_refused_with_the_reason(client, tmp_path, world_file):
    other = tmp_path / "other.xml"
    with open(world_file) as file:
        other.write_text(file.read().replace('"second"', '"third"'))
    client.fields.world.line.setText(str(other))
    play(client)
    until(lambda: client.player.stage is ClientStage.LOADED and said(client, "error"), LOAD_SECONDS)
    assert "refuses" in said(client, "error")
    assert client.fields.world.isEnabled()


def test_a_world_with_faults_is_refused_with_file_and_line(client, tmp_path):
    broken = tmp_path / "broken.xml"
    broken.write_text("<World name='broken'>\n  <Terrain/>\n</World>\n")
    client.fields.world.line.setText(str(broken))
    play(client)
    until(lambda: said(client, "error"))
    assert client.player.stage is ClientStage.EMPTY
    entry = next(e for e in client.messages.model.entries if e.level == "error")
    assert entry.place.file == broken


def test_a_user_program_runs_beside_the_window_and_gets_pictures(client, tmp_path):
    program = tmp_path / "look.py"
    program.write_text(
        "from autosim.userprogram import get_image, set_data, wait\n"
        "def main(argv):\n"
        "    picture = get_image(f'{argv[0]}.chassis.front_view')\n"
        "    wait(0.05)\n"
        "    raise SystemExit(f'seen {picture.shape}')\n"
    )
    client.fields.program.line.setText(str(program))
    client.fields.robot.setCurrentText("second")
    play(client)
    until(lambda: client.player.session is not None, LOAD_SECONDS)
    connection(client).run(real_time_factor=1.0)
    until(lambda: "seen" in said(client))
    connection(client).pause()
    assert "seen (120, 160, 4)" in said(client)


def test_the_windows_own_program_that_has_failed_is_shown_and_restarted(client, tmp_path):
    program = tmp_path / "fails.py"
    program.write_text("def main(argv):\n    raise ValueError('no map')\n")
    client.fields.program.line.setText(str(program))
    client.fields.robot.setCurrentText("second")
    play(client)
    until(lambda: client.player.session is not None, LOAD_SECONDS)
    connection(client).run(real_time_factor=1.0)
    until(client.banner.isVisible)
    connection(client).pause()
    assert client.banner.text.text() == "fails.py has failed: ValueError: no map"
    program.write_text("from autosim.userprogram import wait\n\ndef main(argv):\n    wait(9e9)\n")
    client.banner.button.click()
    until(lambda: not client.banner.isVisible())


def test_the_program_that_the_world_names_for_the_chosen_robot_runs(client):
    client.fields.robot.setCurrentText("second")
    play(client)
    until(lambda: client.player.session is not None, LOAD_SECONDS)
    assert client.fields.program.line.placeholderText() == "look.py (as the world file says)"
    connection(client).run(real_time_factor=1.0)
    # The server's messages of earlier programs are shown, too.
    until(lambda: "seen (120, 160, 4) closely" in said(client))
    connection(client).pause()
    assert "started look.py for second" in said(client)
    client.fields.robot.setCurrentText("first")
    assert client.fields.program.line.placeholderText() == "none"


def test_what_cannot_run_is_said(client, tmp_path):
    client.fields.program.line.setText("nowhere.py")
    play(client)
    until(lambda: "no user program" in said(client, "error"), LOAD_SECONDS)
    assert client.player.stage is ClientStage.RUNNING
    program = tmp_path / "idle.py"
    program.write_text("def main(argv):\n    pass\n")
    client.fields.program.line.setText(str(program))
    client.fields.robot.setCurrentText("third")
    press(client, Key.Key_R, CONTROL)
    until(lambda: "no robot 'third'" in said(client, "error"))
