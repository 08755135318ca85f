"""The status bar says what is simulated and what is chosen, and never one for the other."""

import pytest

pytest.importorskip("PyQt6")

from autosim.applications.gui.server.operator import ServerStage
from autosim.applications.gui.server.status_text import WindowStatus


def texts(stage, *, world="town", chosen="yard.xml", is_other=True, has_server=True):
    found = WindowStatus(stage, world, chosen, is_other, has_server)
    return found.stage_text, found.chosen_text


def test_a_file_that_is_chosen_is_not_said_to_run():
    said, hint = texts(ServerStage.RUNNING)
    assert said == "town runs"
    assert hint == "yard.xml is chosen: Load (Ctrl+L) puts it in its place, then Run (F5)"
    assert texts(ServerStage.RUNNING, is_other=False) == ("town runs", "")


def test_a_world_that_is_loaded_waits_for_run():
    assert texts(ServerStage.READY, is_other=False)[0] == "town is ready: Run (F5)"


def test_without_a_server_run_loads_what_is_chosen():
    nothing = texts(ServerStage.EMPTY, world="", has_server=False)
    assert nothing == ("no world is loaded", "Run (F5) loads and runs yard.xml")
    stopped = texts(ServerStage.STOPPED, has_server=False)
    assert stopped == ("town is stopped", "Run (F5) loads and runs yard.xml")


def test_while_a_world_is_loaded_the_one_before_goes_on():
    assert texts(ServerStage.LOADING) == ("loading yard.xml; town continues meanwhile", "")
    assert texts(ServerStage.LOADING, world="", has_server=False)[0] == "loading yard.xml"


def test_while_the_next_world_starts_the_one_before_goes_on():
    found = WindowStatus(ServerStage.STARTING, "town", "yard.xml", True, True, is_replacing=True)
    assert found.stage_text == "loading yard.xml; town continues meanwhile"


@pytest.mark.parametrize("stage", ServerStage)
def test_every_stage_has_words(stage):
    assert texts(stage)[0]
