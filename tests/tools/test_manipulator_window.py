"""The OSM Manipulator's window, driven as a user drives it; offscreen unless told otherwise."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.paths import ROOT

pytest.importorskip("PyQt6")

from PyQt6.QtCore import QEvent, QEventLoop, QPoint, QPointF, QSettings, Qt
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QFileDialog, QLabel, QMessageBox

from autosim.tools.gui import manipulator_window
from autosim.tools.gui.manipulator_window import ManipulatorWindow
from autosim.tools.osm_manipulator.furnish_options import FurnishRequest
from autosim.tools.osm_manipulator.preview import NEW_HOUSE
from tests.qt import qt_application
from tests.screens import screen
from tests.tools.houses import furnish_file, house_list, read_houses
from tests.world.maps import RESIDENTIAL, write_map

STREET = (((-120.0, 0.0), (120.0, 0.0)), RESIDENTIAL)


@pytest.fixture(scope="module")
def application():
    return qt_application()


@pytest.fixture
def window(application, tmp_path):
    opened = ManipulatorWindow(
        FurnishRequest(write_map(tmp_path, [STREET]), house_list(tmp_path)), tmp_path / "out.osm"
    )
    opened.show()
    yield opened
    opened.edits.stack.setClean()
    opened.close()
    opened.deleteLater()
    application.processEvents()


def click(button):
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def wait(window):
    while window.is_busy:
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)


def pixels(window, colour):
    """How many pixels of the window are of a colour, more or less."""
    image = window.grab().toImage().convertToFormat(window.grab().toImage().Format.Format_RGB32)
    data = image.constBits().asarray(image.sizeInBytes())
    rgb = np.frombuffer(data, np.uint8).reshape(image.height(), -1, 4)[..., 2::-1]
    return int((np.abs(rgb.astype(int) - colour).max(axis=2) < 40).sum())


def test_it_has_the_fields_of_the_first_manipulator(window):
    labels = {label.text() for label in window.form.findChildren(QLabel)}
    assert labels >= {
        "Original File",
        "Target File",
        "Map Setup File",
        "House File List",
        "Distance to Street",
        "Distance between Houses",
    }
    assert window.generate_button.text() == "Generate OSM File"
    assert not window.cancel_button.isEnabled()


def test_what_is_typed_is_what_is_done(window, tmp_path):
    form = window.form
    form.to_street.selectAll()
    QTest.keyClicks(form.to_street, "17.5")
    form.between.setValue(8.0)
    form.seed.setValue(3)
    form.files.target.line.clear()
    QTest.keyClicks(form.files.target.line, str(tmp_path / "typed.osm.gz"))
    click(window.generate_button)
    wait(window)
    request = form.request()
    assert (request.spacing.to_street, request.spacing.between, request.seed) == (17.5, 8.0, 3)
    expected = tmp_path / "expected.osm.gz"
    furnish_file(request.original, expected, request.houses, to_street=17.5, between=8.0, seed=3)
    assert (tmp_path / "typed.osm.gz").read_bytes() == expected.read_bytes()


def test_the_preview_shows_the_houses_and_writes_nothing(window, tmp_path):
    before = pixels(window, NEW_HOUSE)
    click(window.preview_button)
    assert window.is_busy
    assert not window.generate_button.isEnabled()
    wait(window)
    assert window.map.has_picture
    assert pixels(window, NEW_HOUSE) > before + 50
    assert "new houses" in window.message.text()
    assert not (tmp_path / "out.osm").exists()


def test_generating_shows_the_houses_and_writes_the_file(window, tmp_path):
    click(window.generate_button)
    wait(window)
    assert window.map.has_picture
    houses = read_houses(tmp_path / "out.osm")
    assert window.message.text().startswith(f"{len(houses)} new houses")
    assert "out.osm" in window.message.text()
    assert window.generate_button.isEnabled()


def test_what_is_shown_is_not_sought_again_until_something_changes(window, monkeypatch):
    calls = []

    def counted(request, progress):
        calls.append(request)
        return furnish(request, progress)

    furnish = manipulator_window.furnish
    monkeypatch.setattr(manipulator_window, "furnish", counted)
    for button in (window.preview_button, window.generate_button):
        click(button)
        wait(window)
    assert len(calls) == 1
    original = window.form.files.original.path
    original.write_text(original.read_text() + "\n")
    click(window.generate_button)
    wait(window)
    assert len(calls) == 2
    window.form.seed.setValue(5)
    click(window.generate_button)
    wait(window)
    assert len(calls) == 3


def test_it_begins_with_a_page_that_says_what_to_do(application, tmp_path, monkeypatch):
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    opened = ManipulatorWindow(FurnishRequest(Path(), house_list(tmp_path)), settings=settings)
    opened.show()
    page = opened.start_page
    assert page.isVisible()
    assert "Furnish a town" in page.findChildren(QLabel)[0].text()
    assert [button.text() for button in page.buttons] == ["circle_town.osm"]
    file = write_map(tmp_path, [STREET])
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    click(page.open_button)
    wait(opened)
    assert not page.isVisible()
    assert opened.map.isVisible()
    assert opened.form.files.original.path == file
    assert opened.form.files.target.path.name == f"{file.stem}_furnished.osm"
    again = ManipulatorWindow(FurnishRequest(Path(), house_list(tmp_path)), settings=settings)
    assert again.start_page.buttons[0].text() == file.name
    opened.close()


@pytest.fixture
def empty(window):
    """The window with a map, and no houses yet."""
    window.form.is_filled.setChecked(False)
    click(window.preview_button)
    wait(window)
    assert not window.edits.houses
    return window


def press_at(view, point, *, button=Qt.MouseButton.LeftButton):
    QTest.mouseClick(view.viewport(), button, pos=point)


def set_one(window, place=(0.0, 25.0), kind="small"):
    """Sets a house by a click; gives its number."""
    names = [window.tools.kind.itemText(row) for row in range(window.tools.kind.count())]
    window.tools.kind.setCurrentIndex([name.split()[0] for name in names].index(kind))
    window.tools.set_button.setChecked(True)
    press_at(window.map, window.map.point_of(place))
    window.tools.set_button.setChecked(False)
    (number,) = window.map.chosen()
    return number


def drag(view, start, end):
    viewport = view.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    for point in (start + (end - start) / 2, end):
        at = QPointF(point)
        event = QMouseEvent(
            QEvent.Type.MouseMove,
            at,
            QPointF(viewport.mapToGlobal(point)),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(viewport, event)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=end)


def written(window, tmp_path):
    click(window.generate_button)
    wait(window)
    return read_houses(tmp_path / "out.osm")


def test_a_click_sets_a_house_that_looks_at_the_street(empty, tmp_path):
    set_one(empty, (30.0, 25.0))
    (house,) = written(empty, tmp_path)
    assert house.tags["name"] == "small"
    assert house.centre == pytest.approx([30.0, 25.0], abs=0.5)
    assert house.front == pytest.approx([0.0, -1.0], abs=0.01)
    assert empty.message.text().startswith("1 new houses")


def test_a_house_is_dragged_turned_removed_and_all_that_is_undone(empty):
    number = set_one(empty)
    before = empty.edits.houses[number]
    start = empty.map.point_of(before.centre)
    drag(empty.map, start, start + QPoint(60, -40))
    moved = empty.edits.houses[number]
    assert moved.centre == pytest.approx(empty.map.place_at(start + QPoint(60, -40)), abs=0.5)
    QTest.keyClick(empty.map, Qt.Key.Key_R)
    turned = empty.edits.houses[number]
    assert turned.yaw == pytest.approx(moved.yaw - np.pi / 12)
    click(empty.tools.street)
    assert empty.edits.houses[number].yaw == pytest.approx(-np.pi / 2, abs=0.01)
    QTest.keyClick(empty.map, Qt.Key.Key_Delete)
    assert not empty.edits.houses
    for expected in (moved.yaw, turned.yaw, moved.yaw, before.yaw):
        empty.tools.undo.trigger()
        assert empty.edits.houses[number].yaw == pytest.approx(expected)
    assert empty.edits.houses[number] == before
    empty.tools.undo.trigger()
    assert not empty.edits.houses
    assert not empty.tools.undo.isEnabled()
    empty.tools.redo.trigger()
    assert empty.edits.houses[number] == before


def test_a_house_that_stands_badly_may_stay_but_it_is_said(empty):
    set_one(empty, (10.0, 0.0))
    assert empty.message.text() == "small stands on a street"
    set_one(empty, (40.0, 30.0))
    assert empty.message.text() == ""
    set_one(empty, (44.5, 38.0), kind="wide")
    assert empty.message.text() == "wide stands in another house"


def test_the_menu_of_a_house_and_of_the_ground(empty):
    number = set_one(empty, (30.0, 40.0))

    def entries(place):
        menu = empty.map.menu_at(empty.map.point_of(place))
        return {action.text().replace("&", ""): action for action in menu.actions()}

    yaw = empty.edits.houses[number].yaw
    entries((30.0, 40.0))["Turn Left (Shift+R)"].trigger()
    assert empty.edits.houses[number].yaw == pytest.approx(yaw + np.pi / 12)
    entries((30.0, 40.0))["Delete"].trigger()
    assert not empty.edits.houses
    assert "Delete" not in entries((0.0, 60.0))
    entries((0.0, 60.0))["Undo (Ctrl+Z)"].trigger()
    entries((0.0, 60.0))["Remove All Houses"].trigger()
    assert not empty.edits.houses


def test_houses_of_an_earlier_map_are_changed_too(empty, application, tmp_path):
    set_one(empty, (30.0, 25.0))
    set_one(empty, (-30.0, 25.0))
    first = written(empty, tmp_path)
    request = FurnishRequest(tmp_path / "out.osm", house_list(tmp_path), is_filled=False)
    second = ManipulatorWindow(request, tmp_path / "second.osm")
    second.show()
    second.preview()
    wait(second)
    left, right = sorted(second.edits.houses, key=lambda n: second.edits.houses[n].centre)
    second.edits.remove([left])
    second.generate()
    wait(second)
    (kept,) = read_houses(tmp_path / "second.osm")
    assert kept.id in {house.id for house in first}
    assert kept.centre == pytest.approx([30.0, 25.0], abs=0.5)
    second.edits.move({right: (60.0, 25.0)})
    second.generate()
    wait(second)
    (moved,) = read_houses(tmp_path / "second.osm")
    assert moved.centre == pytest.approx([60.0, 25.0], abs=0.5)
    second.close()


def test_what_is_changed_by_hand_is_not_dropped_unasked(empty, monkeypatch, tmp_path):
    number = set_one(empty)
    asked = []

    def answer(role):
        def choose(box):
            asked.append(box.text())
            next(each for each in box.buttons() if box.buttonRole(each) is role).click()

        return choose

    monkeypatch.setattr(QMessageBox, "exec", answer(QMessageBox.ButtonRole.RejectRole))
    click(empty.preview_button)
    assert asked == ["Discard your manual changes?"]
    assert number in empty.edits.houses
    assert not empty.close()
    assert empty.isVisible()
    monkeypatch.setattr(QMessageBox, "exec", answer(QMessageBox.ButtonRole.DestructiveRole))
    click(empty.preview_button)
    wait(empty)
    assert not empty.edits.houses


def test_progress_is_shown_step_by_step(window):
    seen = []
    window.progress.valueChanged.connect(seen.append)
    click(window.preview_button)
    wait(window)
    assert len(set(seen)) > 5
    assert max(seen) == window.progress.maximum()


def test_the_cancel_button_calls_the_work_off(window, tmp_path):
    click(window.generate_button)
    assert window.cancel_button.isEnabled()
    click(window.cancel_button)
    wait(window)
    assert "cancelled" in window.message.text()
    assert not (tmp_path / "out.osm").exists()
    assert window.generate_button.isEnabled()
    assert window.progress.value() <= 0


def test_closing_while_it_works_ends_the_work(window, tmp_path):
    click(window.generate_button)
    worker = window._worker
    window.close()
    assert worker.isFinished()
    assert not (tmp_path / "out.osm").exists()


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("original", "", "choose the original file"),
        ("original", "nowhere.osm", "No such file"),
        ("target", "", "choose the target file"),
        ("target", "out.txt", "not a map file"),
        ("houses", "", "choose the house file list"),
        ("houses", "nowhere.xml", "nowhere.xml"),
        ("setup", "nowhere.xml", "nowhere.xml"),
    ],
)
def test_what_is_wrong_is_said_in_the_window(window, field, text, message):
    getattr(window.form.files, field).line.setText(text)
    click(window.generate_button)
    wait(window)
    assert message in window.message.text()
    assert "color" in window.message.styleSheet()
    assert window.generate_button.isEnabled()


def test_the_original_cannot_be_the_target(window):
    window.form.files.target.path = window.form.files.original.path
    click(window.generate_button)
    assert "choose another name" in window.message.text()


def test_a_fault_of_the_program_does_not_close_the_window(window, monkeypatch, capsys):
    def broken(request, progress):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(manipulator_window, "furnish", broken)
    click(window.preview_button)
    wait(window)
    assert "ZeroDivisionError: oops" in window.message.text()
    assert "Traceback" in capsys.readouterr().err
    assert window.preview_button.isEnabled()


@pytest.mark.parametrize("answer", ["/maps/chosen.osm", ""])
def test_the_change_buttons_ask_for_files(window, monkeypatch, answer):
    for method in ("getOpenFileName", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, method, lambda *_: (answer, ""))
    for name in ("original", "target", "setup", "houses"):
        field = getattr(window.form.files, name)
        before = field.line.text()
        click(field.button)
        assert field.line.text() == (answer or before)


def test_the_picture_of_the_tutorial_can_be_made_again_also_on_a_screen(tmp_path):
    """In a process of its own: Qt ends the process where a screen does not work."""
    picture = tmp_path / "window.png"
    opens = "from PyQt6.QtWidgets import QApplication; QApplication([])"
    with screen(1400, 900) as display:
        settings = {**os.environ, "QT_QPA_PLATFORM": "xcb", "DISPLAY": display}
        if subprocess.run(
            [sys.executable, "-c", opens], env=settings, capture_output=True
        ).returncode:
            pytest.skip("Qt does not start on the virtual screen (libxcb-cursor0 is missing?)")
        command = [sys.executable, "-m", "autosim.tools.gui.make_picture", str(picture)]
        root = ROOT
        subprocess.run(command, env=settings, cwd=root, check=True, capture_output=True)
    with Image.open(picture) as found:
        red = (np.abs(np.asarray(found.convert("RGB")).astype(int) - NEW_HOUSE) < 40).all(axis=2)
    assert red.sum() > 100
