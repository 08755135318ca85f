"""The mouse on robots in the pictures of a client's window."""

import pytest

pytest.importorskip("panda3d")
pytest.importorskip("PyQt6")

from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PyQt6.QtGui import QDragEnterEvent, QDropEvent
from PyQt6.QtTest import QTest

from tests.applications.gui.client.driving import let_work, settle
from tests.applications.gui.driving import messages, until

LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier
NO_MOVE = Qt.DropAction.CopyAction


def place_of(window, robot):
    """The place of a robot's middle in the view of the first picture."""
    pane, shown, state = window.grid.panes[0], window.player.shown, window.player.state
    area = pane.view.picture_area(pane.view.image)
    projection = pane.camera.projection(area.width(), area.height())
    middle = shown.picker.corners(robot, state).mean(axis=0)
    ((place,), _) = projection.points(middle[None])
    return QPoint(round(area.left() + place[0]), round(area.top() + place[1]))


def test_a_click_selects_a_robot_and_a_double_click_follows_it(playing):
    view = playing.grid.panes[0].view
    QTest.mouseClick(view, LEFT, pos=place_of(playing, "first"))
    assert playing.picking.chosen == "first"
    assert playing.objects.current_path.split(".")[0] == "first"
    playing.grid.panes[0].choose("Free camera")
    settle(playing)
    QTest.mouseDClick(view, LEFT, pos=place_of(playing, "first"))
    assert playing.grid.panes[0].camera.choice == "Chase camera"
    QTest.mouseClick(view, LEFT, pos=QPoint(3, 3))
    assert playing.picking.chosen == "first", "the sky selects nothing"


def test_a_drag_without_shift_turns_the_camera_and_selects_nothing(playing):
    playing.picking.chosen = ""
    pane, begin = playing.grid.panes[0], place_of(playing, "first")
    yaw = pane.camera.chases[0].yaw
    QTest.mousePress(pane.view, LEFT, pos=begin)
    QTest.mouseMove(pane.view, begin + QPoint(80, 0))
    QTest.mouseRelease(pane.view, LEFT, pos=begin + QPoint(80, 0))
    assert pane.camera.chases[0].yaw != yaw
    assert playing.picking.chosen == ""
    pane.camera.chases[0].yaw = yaw


def test_a_robot_is_moved_by_a_drag_with_shift(playing):
    until(lambda: playing.player.shown.clearance.has_scene)
    view, begin = playing.grid.panes[0].view, place_of(playing, "first")
    end = begin + QPoint(0, -40)
    before = len(messages(playing))
    QTest.mousePress(view, LEFT, SHIFT, pos=begin)
    QTest.mouseMove(view, end)
    QTest.mouseRelease(view, LEFT, SHIFT, pos=end)
    until(lambda: any("was moved" in text for _, text in messages(playing)[before:]))


def test_the_menu_of_a_robot_offers_what_can_be_done_with_it(playing):
    pane = playing.grid.panes[0]
    at = QPointF(place_of(playing, "first"))
    names = [each.text().replace("&", "") for each in playing.picking.menu(pane, at).actions()]
    assert names[:3] == ["Inspect first", "Follow first", "Drive first"]
    sky = playing.picking.menu(pane, QPointF(3.0, 3.0)).actions()
    assert sky[0].text().replace("&", "") == "Chase Camera"


def test_a_program_dropped_on_a_robot_runs_for_it(playing, tmp_path):
    file = tmp_path / "dropped.py"
    file.write_text("def main(argv):\n    print('dropped on', argv[0])\n")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    view, at = playing.grid.panes[0].view, place_of(playing, "first")
    buttons = (LEFT, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(at, NO_MOVE, data, *buttons)
    view.dragEnterEvent(enter)
    assert enter.isAccepted()
    view.dropEvent(QDropEvent(QPointF(at), NO_MOVE, data, *buttons))
    assert playing.fields.robot.currentText() == "first"
    until(lambda: ("info", "started dropped.py for first") in messages(playing))
    let_work(playing)
    playing.fields.program.line.clear()
