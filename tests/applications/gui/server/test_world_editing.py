"""The server's window changes what a running server simulates, as a user does it."""

import math
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import QEvent, QPointF, Qt
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialog, QFileDialog, QInputDialog, QMessageBox

from autosim.applications.gui.server.add_dialogs import ProgramDialog, RobotDialog
from autosim.applications.gui.server.operator import ServerStage
from autosim.applications.gui.server.programs_panel import STATE, ProgramsPanel
from autosim.applications.remote import management_orders as management
from autosim.loading.loader import load_world
from autosim.orders.robot_orders import AddRobot, MoveRobot
from tests.applications.gui.driving import (
    DEMO,
    LOAD_SECONDS,
    messages,
    press,
    shown_text,
    state_of,
    until,
)
from tests.worlds import ROOT

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def live(loaded):
    """A window with the demo world, loaded in safe mode, standing still; the programs are shown."""
    loaded.docks.raise_panel(loaded.programs)
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


def drag(view, start, end, *, modifier=Qt.KeyboardModifier.NoModifier, is_let_go=True):
    """Moves the mouse over the map with its button down, as people do: in several steps."""
    begin, way = QPointF(start), QPointF(end) - QPointF(start)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, modifier, begin.toPoint())
    for share in (0.3, 0.7, 1.0):
        point = begin + share * way
        event = QMouseEvent(
            QEvent.Type.MouseMove,
            point,
            QPointF(view.mapToGlobal(point.toPoint())),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton,
            modifier,
        )
        QApplication.sendEvent(view, event)
    if is_let_go:
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, modifier, QPointF(end).toPoint())


def on_map(window):
    """Brings the map in front, with the robot in its middle; gives view and the robot's place."""
    window.docks.raise_panel(window.map)
    window.map.follow()
    until(lambda: window.map.poses.size)
    return window.map, QPointF(*window.map.frame.to_view(window.map.poses[0, :2]).tolist())


def pose(window):
    return window.map.poses[0].copy()


def test_a_robot_is_carried_and_turned_on_the_map_and_put_back(live):
    view, place = on_map(live)
    before = pose(live)
    drag(view, place, place + QPointF(40.0, -20.0))
    until(lambda: abs(pose(live)[0] - before[0]) > 1.0)
    scale = view.scale
    way = np.array([40.0 / scale, 20.0 / scale, 0.0])
    assert pose(live) == pytest.approx(before + way, abs=0.15)
    until(lambda: any(text.startswith("was moved to x=") for _, text in messages(live)))
    place = QPointF(*view.frame.to_view(pose(live)[:2]).tolist())
    handle = view.robots.handle(view.frame)
    drag(view, handle, place + QPointF(3.0, -60.0), modifier=Qt.KeyboardModifier.ShiftModifier)
    until(lambda: pose(live)[2] == pytest.approx(math.pi / 2, abs=0.02))
    management.undo(live.operator.address)
    press(live, Qt.Key.Key_Z, CONTROL)
    until(lambda: pose(live) == pytest.approx(before, abs=0.1))
    until(lambda: live.actions_.undo.text() == "&Undo")


def test_undo_comes_in_time_right_after_an_order_and_for_another_clients_change(live):
    on_map(live)
    before = pose(live)

    def moves():
        return sum(text.startswith("was moved to x=") for _, text in messages(live))

    moved = moves()
    live.changes.move_here("impreza", before[0] + 3.0, before[1])
    press(live, Qt.Key.Key_Z, CONTROL)
    until(lambda: moves() == moved + 2)
    until(lambda: live.changes.undo_label == "")
    # The window works on no event meanwhile, so it cannot know of this one.
    place = (before[0] + 3.0, before[1])
    management.move_robot(live.operator.address, MoveRobot("impreza", place))
    assert live.changes.undo_label == ""
    press(live, Qt.Key.Key_Z, CONTROL)
    press(live, Qt.Key.Key_Z, CONTROL)
    until(lambda: any("no robot was added, removed or moved" in t for _, t in messages(live)))
    until(lambda: moves() == moved + 4)
    until(lambda: pose(live) == pytest.approx(before, abs=0.1))


def test_a_click_moves_no_robot_and_escape_lets_go_of_one(live):
    view, place = on_map(live)
    before = pose(live)
    wanted = []
    view.move_wanted.connect(lambda *move: wanted.append(move))
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place.toPoint())
    drag(view, place, place + QPointF(30.0, 0.0), is_let_go=False)
    assert view.hold is not None
    press(view, Qt.Key.Key_Escape)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton)
    assert view.hold is None
    assert not wanted
    assert pose(live) == pytest.approx(before)


def test_a_robot_that_cannot_stand_somewhere_stays_and_it_is_said_why(live):
    view, _ = on_map(live)
    before = pose(live)
    view.move_wanted.emit("impreza", 1e5, 0.0, 0.0)
    until(lambda: any("no ground at x=" in text for _, text in messages(live)))
    until(lambda: not live.changes.undo_label)
    assert pose(live) == pytest.approx(before)


def entries(menu):
    return {action.text().replace("&", ""): action for action in menu.actions()}


def test_the_menu_of_a_robot_says_what_can_be_done_with_it(live, monkeypatch):
    on_map(live)
    model = live.objects.model
    found = entries(live.menus.map_menu("impreza", 1.0, 2.0))
    for name in ("Follow impreza on the Map", "Show in the Tree", "Remove…", "Copy Name"):
        assert found[name].isEnabled()
    found["Copy Place"].trigger()
    assert QApplication.clipboard().text() == "1.00,2.00"
    x, y, _ = pose(live)
    entries(live.menus.map_menu("", x + 3.0, y))["Move impreza Here"].trigger()
    until(lambda: pose(live)[0] == pytest.approx(x + 3.0, abs=0.2))
    press(live, Qt.Key.Key_Z, CONTROL)
    until(lambda: pose(live)[0] == pytest.approx(x, abs=0.2))
    speed = model.row_of(model.find("impreza.chassis.velocimeter"))
    found = entries(live.menus.tree_menu(speed))
    found["Copy Name"].trigger()
    assert QApplication.clipboard().text() == speed.path
    found["Copy Value"].trigger()
    assert QApplication.clipboard().text() == f"{shown_text(live, speed.path)} m/s"
    found["Plot (P)"].trigger()
    step = model.row_of(model.find("step"))
    assert "Plot Together With" in entries(live.menus.tree_menu(step))
    entries(live.menus.tree_menu(speed))["Take out of the Plots"].trigger()
    assert live.plots.names == ()
    on_map(live)
    monkeypatch.setattr(QInputDialog, "getDouble", lambda *_: (90.0, True))
    entries(live.menus.map_menu("impreza", 0.0, 0.0))["Turn to…"].trigger()
    until(lambda: pose(live)[2] == pytest.approx(0.0, abs=0.02))


def test_a_program_is_started_and_stopped_by_its_menu(live):
    found = entries(live.programs.menu_at(0))
    assert found["Restart Program"].isEnabled()
    assert not found["Stop Program"].isEnabled()
    found["Copy Program"].trigger()
    assert QApplication.clipboard().text().startswith("userprograms/driver.py")


def test_a_program_gets_other_arguments_by_its_menu(live, monkeypatch):
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("7 'b c'", True))
    before = state_of(live).step
    press(live, Qt.Key.Key_F7)
    until(lambda: state_of(live).step == before + 1)
    entries(live.programs.menu_at(0))["Restart With Arguments…"].trigger()
    until(lambda: live.programs.text(0, 1) == "userprograms/driver.py 7 'b c'")
    until(lambda: entries(live.programs.menu_at(0))["Stop Program"].isEnabled())
    entries(live.programs.menu_at(0))["Stop Program"].trigger()
    until(lambda: not entries(live.programs.menu_at(0))["Stop Program"].isEnabled())


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
    said_before = len(messages(live))
    before = state_of(live).step
    press(live, Qt.Key.Key_N, CONTROL)
    until(lambda: state_of(live).tree.find("other") is not None, LOAD_SECONDS)
    assert seen == ["impreza2"]
    until(lambda: live.map.poses.shape == (2, 3))
    assert state_of(live).step == before
    assert shown_text(live, "other", 4) == "Robot"
    until(lambda: ("info", "was added") in messages(live))
    (said,) = (each for each in live.messages.model.entries if each.text == "was added")
    assert said.source == "other"
    assert said.time == pytest.approx(before / 240.0)
    until(lambda: live.operator.stage.is_live)
    press(live, Qt.Key.Key_F7)
    until(lambda: state_of(live).step == before + 1)
    assert not [text for level, text in messages(live)[said_before:] if level == "error"]


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


def test_a_robot_is_removed_if_the_user_means_it(live, monkeypatch):
    live.objects.select("other")
    asked = []

    def answer(role):
        def choose(box):
            asked.append(box.text())
            (button,) = (each for each in box.buttons() if box.buttonRole(each) is role)
            button.click()

        return choose

    view, _ = on_map(live)
    monkeypatch.setattr(QMessageBox, "exec", answer(QMessageBox.ButtonRole.RejectRole))
    press(view, Qt.Key.Key_Delete)
    assert asked == ["Remove other from the simulation?"]
    assert state_of(live).tree.find("other") is not None
    monkeypatch.setattr(QMessageBox, "exec", answer(QMessageBox.ButtonRole.DestructiveRole))
    press(view, Qt.Key.Key_Delete)
    until(lambda: state_of(live).tree.find("other") is None, LOAD_SECONDS)
    until(lambda: ("info", "was removed") in messages(live))
    assert live.map.robots.names == ("impreza",)


def test_a_removed_robot_comes_back_where_it_was_by_undo(live):
    if live.changes.undo_label != "other was removed":  # where the test before has not run
        live.changes.add(AddRobot("robots/impreza.xml", "other", (30.0, -20.0)))
        until(lambda: state_of(live).tree.find("other") is not None, LOAD_SECONDS)
        live.changes.remove("other")
        until(lambda: state_of(live).tree.find("other") is None, LOAD_SECONDS)
    until(lambda: live.changes.undo_label == "other was removed")
    assert live.actions_.undo.text() == "&Undo: other was removed"
    press(live, Qt.Key.Key_Z, CONTROL)
    until(lambda: state_of(live).tree.find("other") is not None, LOAD_SECONDS)
    until(lambda: live.map.poses.shape == (2, 3))
    assert live.map.poses[1, :2].tolist() == pytest.approx([30.0, -20.0], abs=1.0)


def test_a_set_actuator_goes_back_by_undo(live):
    drive = "impreza.chassis.drive_chassis"

    def brake():
        return float(shown_text(live, f"{drive}.brake"))

    before = brake()
    live.objects.set_wanted.emit(drive, [0.0, 0.0, 0.75, 0.0, 1.0])
    live.operator.step()
    until(lambda: brake() == 0.75)
    until(lambda: live.changes.undo_label == f"{drive} was set")
    press(live, Qt.Key.Key_Z, CONTROL)
    live.operator.step()
    until(lambda: brake() == before)


def test_a_world_that_somebody_else_loads_is_shown(live):
    management.load(live.operator.address, "worlds/convoy.xml", is_safe=True, steps_per_second=0)
    until(lambda: state_of(live).tree.find("third") is not None, LOAD_SECONDS)
    until(lambda: live.map.poses.shape == (3, 3))
    assert "convoy" in live.windowTitle()
    until(lambda: live.operator.stage is ServerStage.READY)
    assert live.stage_label.text() == "convoy is ready: Run (F5)"
    assert live.chosen_label.text() == ""
    assert Path(live.operator.world_file).name == "convoy.xml"
    until(lambda: state_of_program(live) == "stopped: not started")


def test_what_the_server_refuses_is_a_message(live):
    live.operator.live_session.attach_program("nobody", "userprograms/driver.py", ())
    until(lambda: any("no robot 'nobody'" in text for _, text in messages(live)))


def test_the_dialog_offers_the_files_of_the_worlds_folders(application):
    dialog = RobotDialog(load_world(DEMO))
    files = [dialog.file.itemText(row) for row in range(dialog.file.count())]
    assert {"robots/impreza.xml", "robots/scout.xml"} <= set(files)
    assert dialog.program.currentText() == "(none)"
    dialog.file.setCurrentText("robots/scout.xml")
    order = dialog.order()
    assert (order.file, order.name, order.position) == ("robots/scout.xml", "scout", None)


def test_the_dialog_says_why_there_is_nothing_to_add_yet(application, monkeypatch, tmp_path):
    dialog = RobotDialog(load_world(DEMO))
    ok = dialog.buttons.button(dialog.buttons.StandardButton.Ok)
    for name, reason in (
        ("", "needs a name"),
        ("impreza", "already a robot called 'impreza'"),
        ("a b", "letters, digits"),
    ):
        dialog.name.setText(name)
        assert not ok.isEnabled()
        assert not dialog.obstacle.isHidden()
        assert reason in dialog.obstacle.text()
    dialog.name.setText("mine")
    assert ok.isEnabled()
    assert dialog.obstacle.isHidden()
    stray = tmp_path / "car.xml"
    stray.write_text("<Robot/>")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(stray), ""))
    dialog.browse.click()
    assert "'car.xml' lies in none of the folders of this world" in dialog.obstacle.text()
    chosen = str(ROOT / "robots" / "scout.xml")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (chosen, ""))
    dialog.browse.click()
    assert dialog.file.currentText() == "robots/scout.xml"
    assert dialog.name.text() == "scout"
    assert ok.isEnabled()


def test_without_a_server_nothing_can_be_done_to_programs(application):
    panel = ProgramsPanel(is_safe=False)
    panel.show_world(load_world(DEMO))
    panel.show_stage(ServerStage.EMPTY)
    assert panel.text(0, STATE) == "waiting"
    assert not any(each.isEnabled() for each in (panel.restart, panel.stop, panel.attach))
    panel.show_stage(ServerStage.STOPPED)
    assert panel.text(0, STATE) == "ended with the server"
    panel.show_stage(ServerStage.READY)
    assert all(each.isEnabled() for each in (panel.restart, panel.stop, panel.attach))


def test_the_programs_have_room_for_long_names_and_files(application):
    panel = ProgramsPanel(is_safe=False)
    panel.resize(1100, 200)
    panel.show()
    panel.show_world(load_world(ROOT / "worlds" / "robots.xml"))
    rows = range(panel.table.rowCount())
    for column in (0, 1):
        wanted = max(panel.fontMetrics().horizontalAdvance(panel.text(row, column)) for row in rows)
        assert panel.table.columnWidth(column) > wanted
    panel.close()
