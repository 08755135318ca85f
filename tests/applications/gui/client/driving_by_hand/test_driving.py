"""Driving in the client's window: keys that go down and up, who drives, and what is shown of it."""

import pytest

pytest.importorskip("PyQt6")
pytest.importorskip("panda3d")

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from autosim.applications.driving import event_device
from autosim.applications.gui.client.driving.driving_display import DrivingDisplay
from autosim.applications.gui.client.driving.driving_seat import SeatStage
from tests.applications.gui.client.driving import (
    LOOK,
    TWO_CARS,
    connection,
    differ,
    painted,
    settle,
)
from tests.applications.gui.driving import messages, press, until

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
GO = """\
from autosim.userprogram import set_data, wait

def main(argv):
    set_data(f"{argv[0]}.chassis.drive_chassis", [0.0, 0.25, 0.0])
    wait(1e6)
"""


@pytest.fixture(scope="module")
def world_file(tmp_path_factory):
    """Two cars; a program of the server drives the first."""
    folder = tmp_path_factory.mktemp("driven")
    programs = folder / "userprograms"
    programs.mkdir()
    (programs / "go.py").write_text(GO)
    program = '<UserProgram file="go.py"/>'
    text = TWO_CARS.replace('impreza.xml"/></Robot>', f'impreza.xml"/>{program}</Robot>')
    (programs / "look.py").write_text(LOOK)
    file = folder / "driven.xml"
    file.write_text(text)
    return str(file)


@pytest.fixture
def driver(playing):
    """The window, while the simulation runs; at the end nobody drives, and it stands still."""
    connection(playing).run()
    yield playing
    playing.driving.seat.give_back()
    until(lambda: playing.driving.seat.stage is SeatStage.OUT)
    connection(playing).pause()
    settle(playing)


def reading(window):
    """Speed, gear and controls of the first car, as the pictures show them."""
    shown = window.player.shown
    return DrivingDisplay(shown.world, shown.tree).read(window.player.state, "first")


def take_over(window):
    press(window.grid.current.view, Key.Key_D, CONTROL)
    assert window.driving.seat.is_driving
    until(lambda: reading(window).throttle == 0.0)


def said(window):
    return "\n".join(text for _, text in messages(window))


def test_a_held_pedal_stays_down_while_the_steering_is_tapped(driver):
    take_over(driver)
    view = driver.grid.current.view
    QTest.keyPress(view, Key.Key_W)
    until(lambda: reading(driver).throttle == 1.0 and reading(driver).gear == "D")
    QTest.keyPress(view, Key.Key_A)
    until(lambda: reading(driver).steering > 0.1)
    QTest.keyRelease(view, Key.Key_A)
    before, seen = reading(driver).speed, []

    def goes_on():
        seen.append(reading(driver))
        return seen[-1].steering == 0.0 and seen[-1].speed > before + 2.0

    until(goes_on)
    assert {each.throttle for each in seen} == {1.0}
    assert {each.brake for each in seen} == {0.0}
    QTest.keyRelease(view, Key.Key_W)
    until(lambda: reading(driver).throttle == 0.0)
    assert reading(driver).brake == 0.0


def test_a_key_that_repeats_is_one_key(driver):
    take_over(driver)
    view = driver.grid.current.view
    QTest.keyPress(view, Key.Key_Up)
    for kind in (QKeyEvent.Type.KeyRelease, QKeyEvent.Type.KeyPress):
        again = QKeyEvent(kind, Key.Key_Up, Qt.KeyboardModifier.NoModifier, "", True)
        QApplication.sendEvent(view, again)
    until(lambda: reading(driver).throttle == 1.0)
    QTest.keyRelease(view, Key.Key_Up)
    until(lambda: reading(driver).throttle == 0.0)


def test_keys_that_go_elsewhere_are_let_go_and_the_car_stops_gently(driver):
    take_over(driver)
    QTest.keyPress(driver.grid.current.view, Key.Key_W)
    until(lambda: reading(driver).throttle == 1.0)
    driver.objects.filter.setFocus()
    until(lambda: reading(driver).throttle == 0.0 and reading(driver).brake == pytest.approx(0.2))
    driver.grid.current.view.setFocus()
    QTest.keyPress(driver.grid.current.view, Key.Key_Space)
    until(lambda: reading(driver).brake == 1.0)
    QTest.keyRelease(driver.grid.current.view, Key.Key_Space)


def test_a_robot_is_taken_over_and_given_back(driver):
    until(lambda: reading(driver).throttle == 0.25)
    assert driver.driving.take_over.text() == "Take &Over"
    take_over(driver)
    assert driver.driving.take_over.text() == "Give &Back"
    assert "took 'first' over from go.py" in said(driver)
    press(driver.grid.current.view, Key.Key_D, CONTROL)
    until(lambda: reading(driver).throttle == 0.25)
    until(lambda: "returned 'first' to go.py" in said(driver))
    until(lambda: driver.driving.seat.stage is SeatStage.OUT)


def test_who_stops_the_connection_gives_back(driver):
    take_over(driver)
    count = said(driver).count("returned 'first'")
    press(driver, Key.Key_F5, SHIFT)
    until(lambda: said(driver).count("returned 'first'") == count + 1)
    press(driver, Key.Key_F5)
    until(lambda: driver.player.session is not None and driver.player.state is not None)


def test_a_robot_is_given_back_while_the_simulation_stands_still(driver):
    take_over(driver)
    connection(driver).pause()
    press(driver.grid.current.view, Key.Key_D, CONTROL)
    until(lambda: driver.driving.seat.stage is SeatStage.OUT)


def test_the_display_shows_what_the_car_does(driver):
    connection(driver).pause()
    settle(driver)
    before = painted(driver)
    press(driver.grid.current.view, Key.Key_8)
    assert differ(before, painted(driver)) > 0.02
    press(driver.grid.current.view, Key.Key_8)
    assert differ(before, painted(driver)) == 0.0


def test_the_devices_are_listed_and_their_absence_is_one_sentence(
    driver, tmp_path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(event_device, "INPUT", tmp_path)
    driver.driving.fill_devices()
    keys, nothing = driver.driving.devices.actions()
    assert keys.isChecked()
    assert not nothing.isEnabled()
    assert nothing.text().startswith("There is no joystick, gamepad or wheel")
