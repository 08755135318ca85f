"""The server's window changes what a running server simulates, as a user does it."""

import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDialog, QFileDialog

from autosim.applications import management
from autosim.applications.gui.adding import ProgramDialog, RobotDialog
from autosim.applications.gui.operator import Stage
from autosim.applications.gui.programs_panel import STATE, ProgramsPanel
from autosim.config.loader import load_world
from tests.applications.gui.driving import (
    DEMO,
    LOAD_SECONDS,
    messages,
    press,
    shown_text,
    state_of,
    until,
)

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def live(loaded):
    """A window with the demo world, loaded in safe mode, standing still; the programs are shown."""
    loaded.lists.setCurrentWidget(loaded.programs)
    until(lambda: loaded.operator.stage.is_live and loaded.operator.mirror is not None)
    until(lambda: loaded.programs.text(0, STATE) != "")
    return loaded


def state_of_program(window, row=0):
    return window.programs.text(row, STATE)


def test_in_safe_mode_programs_are_started_and_stopped_one_by_one(live):
    until(lambda: state_of_program(live) == "stopped: not started")
    assert live.programs.is_safe.isChecked()
    assert not live.programs.stop.isEnabled()
    press(live, Qt.Key.Key_F7)
    until(lambda: state_of(live).step > 0)
    live.programs.restart.click()
    until(lambda: state_of_program(live).startswith("running"))
    live.programs.stop.click()
    until(lambda: state_of_program(live) == "stopped: was stopped")
    assert live.programs.restart.isEnabled()


def test_a_robot_is_added_by_a_dialog_and_the_simulation_goes_on(live, monkeypatch):
    seen = []

    def choose(dialog):
        seen.append(dialog.name.text())
        assert not dialog.east.isEnabled()
        dialog.is_on_lane.setChecked(False)
        dialog.east.setValue(30.0)
        dialog.north.setValue(-20.0)
        dialog.name.setText("impreza")
        assert not dialog.buttons.button(dialog.buttons.StandardButton.Ok).isEnabled()
        dialog.name.setText("other")
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(RobotDialog, "exec", choose)
    before = state_of(live).step
    press(live, Qt.Key.Key_R, CONTROL)
    until(lambda: state_of(live).tree.find("other") is not None, LOAD_SECONDS)
    assert seen == ["impreza2"]
    until(lambda: live.map.poses.shape == (2, 3))
    assert state_of(live).step == before
    assert shown_text(live, "other", 3) == "Robot"
    until(lambda: ("info", "other is in the world") in messages(live))
    (said,) = (each for each in live.messages.model.entries if "other is in" in each.text)
    assert said.time == pytest.approx(before / 240.0)
    until(lambda: live.operator.stage.is_live)
    press(live, Qt.Key.Key_F7)
    until(lambda: state_of(live).step == before + 1)
    assert not [text for level, text in messages(live) if level == "error"]


def test_a_robot_that_has_none_is_given_a_program(live, monkeypatch):
    offered = []

    def choose(dialog):
        offered.append([dialog.robot.itemText(row) for row in range(dialog.robot.count())])
        dialog.robot.setCurrentText("other")
        dialog.program.setCurrentText("userprograms/driver.py")
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(ProgramDialog, "exec", choose)
    live.programs.attach.click()
    until(lambda: live.programs.table.rowCount() == 2)
    assert offered == [["impreza", "other"]]
    assert live.programs.text(1, 0) == "other"


def test_the_world_is_saved_as_it_stands(live, monkeypatch, tmp_path):
    chosen = str(tmp_path / "later")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (chosen, ""))
    press(live, Qt.Key.Key_S, CONTROL)
    file = tmp_path / "later.xml"
    until(file.exists)
    until(lambda: ("info", f"the world is saved in {file}") in messages(live))
    first, second = load_world(file).robots
    x, y, _ = first.position
    assert [x, y] == pytest.approx(live.map.poses[0, :2].tolist(), abs=1.0)
    assert (second.name, second.program) == ("other", "userprograms/driver.py")


def test_a_world_that_somebody_else_loads_is_shown(live):
    management.load(live.operator.address, "worlds/convoy.xml", is_safe=True)
    until(lambda: state_of(live).tree.find("third") is not None, LOAD_SECONDS)
    until(lambda: live.map.poses.shape == (3, 3))
    assert "convoy" in live.windowTitle()
    until(lambda: live.operator.stage is Stage.READY)
    until(lambda: state_of_program(live) == "stopped: not started")


def test_what_the_server_refuses_is_a_message(live):
    live.operator.orders.attach_program("nobody", "userprograms/driver.py", ())
    until(lambda: any("no robot 'nobody'" in text for _, text in messages(live)))


def test_the_dialog_offers_the_files_of_the_worlds_folders(application):
    dialog = RobotDialog(load_world(DEMO))
    files = [dialog.file.itemText(row) for row in range(dialog.file.count())]
    assert {"robots/impreza.xml", "robots/scout.xml"} <= set(files)
    assert dialog.program.currentText() == "(none)"
    dialog.file.setCurrentText("robots/scout.xml")
    order = dialog.order()
    assert (order.file, order.name, order.position) == ("robots/scout.xml", "scout", None)


def test_without_a_server_nothing_can_be_done_to_programs(application):
    panel = ProgramsPanel(is_safe=False)
    panel.show_world(load_world(DEMO))
    panel.show_stage(Stage.EMPTY)
    assert panel.text(0, STATE) == "waiting"
    assert not any(each.isEnabled() for each in (panel.restart, panel.stop, panel.attach))
    panel.show_stage(Stage.READY)
    assert all(each.isEnabled() for each in (panel.restart, panel.stop, panel.attach))
