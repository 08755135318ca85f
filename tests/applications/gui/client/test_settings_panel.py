"""The fields of the client's window, across worlds."""

from dataclasses import replace

import pytest

pytest.importorskip("PyQt6")

from autosim.applications.gui.client.settings_panel import SettingsPanel
from tests.server.light_simulation import light_world

ONE, TWO = light_world(1).robots, light_world(2).robots


@pytest.fixture
def panel(application):
    made = SettingsPanel()
    made.show_robots(TWO)
    yield made
    made.deleteLater()


def test_a_robot_that_was_chosen_is_chosen_again_when_its_world_comes_back(panel):
    panel.robot.setCurrentText("r1")
    panel.show_robots(ONE)
    assert panel.robot.currentText() == "r0"
    panel.show_robots(TWO)
    assert panel.robot.currentText() == "r1"


def test_what_is_chosen_in_the_other_world_counts_from_then_on(panel):
    panel.robot.setCurrentText("r1")
    panel.show_robots(ONE)
    panel.robot.setCurrentText("another")
    panel.show_robots(TWO)
    assert panel.robot.currentText() == "r0"


def test_the_arguments_of_the_world_file_are_shown_where_none_are_given(panel):
    robot = replace(ONE[0], program="p.py", program_side="client", program_arguments=("a", "b c"))
    panel.show_robots((robot,))
    assert panel.arguments.placeholderText() == "a 'b c' (as the world file says)"
    assert panel.program.line.placeholderText() == "p.py (as the world file says)"


def test_where_none_was_chosen_it_is_the_first(panel):
    panel.show_robots(tuple(reversed(TWO)))
    assert panel.robot.currentText() == "r1"
