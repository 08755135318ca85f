"""What the tests of commands and windows share."""

import pytest

from autosim.applications.common.screen import find_obstacle
from tests import screens
from tests.applications.gui.screen_fixtures import SCREEN


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
