"""The pictures of a window and their cameras, kept over another load and for the next time."""

import pytest

pytest.importorskip("panda3d")
pytest.importorskip("PyQt6")

from PyQt6.QtCore import Qt

from autosim.applications.gui.client.pictures.pane_looks import (
    PaneLook,
    looks_from_text,
    looks_to_text,
)
from autosim.applications.gui.client.player import ClientStage
from tests.applications.gui.client.driving import FRONT, make_client, play
from tests.applications.gui.driving import LOAD_SECONDS, press, until

CONTROL = Qt.KeyboardModifier.ControlModifier
LOOKS = [PaneLook("Chase camera", "second"), PaneLook(FRONT, "first")]


def test_looks_are_kept_as_a_text():
    assert looks_from_text(looks_to_text(LOOKS)) == LOOKS
    assert looks_from_text("") == looks_from_text("[1]") == looks_from_text('"x"') == []


def test_pictures_keep_their_cameras_over_a_load_and_for_the_next_time(
    application, server, world_file, tmp_path, complaints
):
    window = make_client(tmp_path, world_file, server.address)
    try:
        play(window)
        until(lambda: window.player.stage is ClientStage.RUNNING, LOAD_SECONDS)
        window.grid.panes[0].choose_robot("second")
        window.add_pane()
        window.grid.panes[1].choose(FRONT)
        assert window.drawing.looks() == LOOKS
        press(window, Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
        press(window, Qt.Key.Key_L, CONTROL)
        until(lambda: window.player.stage is ClientStage.LOADED, LOAD_SECONDS)
        assert window.drawing.looks() == LOOKS
    finally:
        window.close()
    again = make_client(tmp_path, world_file, server.address)
    try:
        assert len(again.grid.panes) == 2
        press(again, Qt.Key.Key_L, CONTROL)
        until(lambda: again.player.stage is ClientStage.LOADED, LOAD_SECONDS)
        assert again.drawing.looks() == LOOKS
    finally:
        again.close()
