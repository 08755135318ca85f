"""The client's window while it shows a simulation, by keyboard and mouse."""

import numpy as np
import pytest

pytest.importorskip("PyQt6")
pytest.importorskip("panda3d")

from PIL import Image
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QFileDialog, QInputDialog

from autosim.applications.gui.client.player import ClientStage
from autosim.applications.gui.shared.skies import SkyChoice
from autosim.model.belief import make_estimate
from autosim.model.phase import Phase
from autosim.userprogram.ipc.camera_images import PictureRequest
from tests.applications.gui.client.driving import (
    FRONT,
    connection,
    differ,
    let_work,
    painted,
    picture,
    settle,
    step,
)
from tests.applications.gui.driving import messages, press, shown_text, until

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


def said(window, level=None):
    return "\n".join(text for kind, text in messages(window) if level in (None, kind))


def drive_on(window, *, pictures):
    """Lets the simulation run until so many more pictures are drawn; half a second at least."""
    begin, drawn = window.player.state.step, window.drawing.frames
    connection(window).run(real_time_factor=1.0)
    until(
        lambda: window.player.state.step > begin + 120 and window.drawing.frames >= drawn + pictures
    )
    connection(window).pause()


def test_run_loads_connects_and_shows_the_simulation(playing):
    assert playing.player.stage is ClientStage.RUNNING
    assert len(np.unique(picture(playing).reshape(-1, 3), axis=0)) > 100
    step(playing, 4)
    step(playing, 1)  # the first state of a stream has no latency
    let_work(playing)
    assert shown_text(playing, "step") == str(playing.player.state.step)
    assert shown_text(playing, "second", 0) == "second"
    figures = " ".join(playing.grid.panes[0].view.figures)
    for word in ("pictures/s", "latency", "age of the state", "simulated time"):
        assert word in figures


def test_nothing_is_drawn_twice(playing):
    settle(playing)
    before = playing.drawing.frames
    let_work(playing, 5)
    assert playing.drawing.frames == before
    step(playing, 8)
    assert playing.drawing.frames > before


def test_a_free_camera_flies_while_the_simulation_stands(playing):
    press(playing.grid.current.view, Key.Key_F)
    pane = playing.grid.current
    assert pane.camera.choice == "Free camera" == pane.choice.currentText()
    settle(playing)
    before, place = picture(playing), pane.camera.pose.position.copy()
    QTest.keyPress(pane.view, Key.Key_W)
    until(lambda: np.linalg.norm(pane.camera.pose.position - place) > 3.0)
    QTest.keyRelease(pane.view, Key.Key_W)
    settle(playing)
    assert differ(before, picture(playing)) > 0.1
    forward = pane.camera.pose.rotation[:, 1]
    moved = pane.camera.pose.position - place
    np.testing.assert_allclose(moved / np.linalg.norm(moved), forward, atol=1e-6)


def test_the_mouse_turns_the_camera(playing):
    view = playing.grid.current.view
    before = playing.grid.current.camera.pose.rotation.copy()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
    QTest.mouseMove(view, QPoint(110, 60))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(110, 60))
    after = playing.grid.current.camera.pose.rotation
    assert np.abs(after - before).max() > 0.1


def test_the_next_robot_is_a_key_away(playing):
    pane = playing.grid.current
    assert pane.camera.robot_name == "first"
    press(pane.view, Key.Key_N)
    assert pane.camera.robot_name == "second"
    assert playing.objects.current_path == "second"
    playing.objects.select("second.chassis.velocity")
    pane.choose("second.chassis.front_view")
    press(pane.view, Key.Key_N)
    assert pane.camera.choice == FRONT == pane.choice.currentText()
    assert playing.objects.current_path == "first.chassis.velocity"


def test_the_simulation_is_let_run_paused_and_stepped_by_keys(playing):
    until(lambda: playing.player.time.is_standing)
    assert connection(playing).status().phase is not Phase.RUNNING
    begin = connection(playing).status().step
    press(playing, Key.Key_F7)
    until(lambda: connection(playing).status().step == begin + 1)
    press(playing, Key.Key_F6)
    until(lambda: playing.player.time.phase is Phase.RUNNING)
    assert not playing.commands.step.isEnabled()
    assert "Pause" in playing.commands.pause.text().replace("&", "")
    press(playing, Key.Key_F6)
    until(lambda: playing.player.time.is_standing)
    assert connection(playing).status().phase is Phase.PAUSED
    assert "Run" in playing.commands.pause.text().replace("&", "")
    assert "stands" in playing.stage_label.text()


def test_the_step_size_is_chosen_in_the_menu(playing, monkeypatch):
    until(lambda: playing.commands.step_size.isEnabled())
    asked, chosen = [], []

    def answer(_window, _title, text, *numbers):
        asked.append((text, numbers))
        return 480, True

    monkeypatch.setattr(QInputDialog, "getInt", answer)
    monkeypatch.setattr(playing.player.time, "choose_step_size", chosen.append)
    playing.commands.step_size.trigger()
    assert chosen == [480]
    ((text, numbers),) = asked
    assert "restarts" in text
    assert numbers == (240, 30, 10000)


def test_who_pauses_the_simulation_elsewhere_is_seen(playing):
    connection(playing).run()
    until(lambda: playing.player.time.phase is Phase.RUNNING)
    connection(playing).pause()
    until(lambda: playing.player.time.is_standing)
    assert playing.commands.step.isEnabled()


def test_the_tree_has_a_menu_on_each_row(playing):
    tree = playing.objects
    row = tree.model.row_of(tree.model.find("first.chassis.velocity"))
    menu = playing.tree_menu(row)
    texts = [action.text().replace("&", "") for action in menu.actions()]
    assert texts == ["Copy Name", "Copy Value", "", "Look at first"]
    menu.actions()[1].trigger()
    assert QGuiApplication.clipboard().text().endswith(" m/s")


def test_a_picture_has_a_menu(playing):
    press(playing.grid.current.view, Key.Key_T, CONTROL)
    for pane in playing.grid.panes:
        offered = [each for each in pane.view.actions() if not each.isSeparator()]
        assert playing.commands.save in offered
        assert playing.commands.next_robot in offered
        assert "Lanes" in [each.text().replace("&", "") for each in offered]


def test_several_pictures_at_once(playing):
    press(playing.grid.current.view, Key.Key_T, CONTROL)
    press(playing.grid.current.view, Key.Key_T, CONTROL)
    assert len(playing.grid.panes) == 3
    until(lambda: all(pane.view.image is not None for pane in playing.grid.panes))
    assert len({pane.camera.choice for pane in playing.grid.panes}) == 3
    size = playing.grid.panes[1].view.image.size()
    assert (size.width(), size.height()) == (160, 120)
    assert differ(picture(playing, 1), picture(playing, 2)) > 0.1
    press(playing.grid.current.view, Key.Key_W, CONTROL)
    assert len(playing.grid.panes) == 2
    for _ in range(3):
        press(playing.grid.current.view, Key.Key_W, CONTROL)
    assert len(playing.grid.panes) == 1


def test_a_picture_that_is_closed_may_be_painted_once_more(playing):
    playing.add_pane()
    closed = playing.grid.current
    closed.choose("Chase camera")
    until(lambda: closed.view.image is not None)
    playing.grid.remove(closed)
    closed.view.annotated()
    assert playing.grid.panes[0].view.image is not None


def test_full_screen_shows_one_picture_and_escape_leads_back(playing):
    playing.add_pane()
    press(playing, Key.Key_F11)
    until(playing.isFullScreen)
    assert [pane.isVisible() for pane in playing.grid.panes] == [False, True]
    assert not playing.objects.isVisible()
    assert not playing.messages.isVisible()
    press(playing.grid.current.view, Key.Key_Escape)
    until(lambda: not playing.isFullScreen())
    assert all(pane.isVisible() for pane in playing.grid.panes)
    assert playing.objects.isVisible()


def test_full_screen_leads_back_to_a_window_that_fills_the_screen(playing):
    playing.showMaximized()
    until(playing.isMaximized)
    press(playing, Key.Key_F11)
    until(playing.isFullScreen)
    press(playing.grid.current.view, Key.Key_Escape)
    until(lambda: not playing.isFullScreen())
    assert playing.isMaximized()
    playing.showNormal()


def test_letters_in_fields_are_letters(playing):
    playing.objects.filter.setFocus()
    QTest.keyClicks(playing.objects.filter, "nfc1")
    assert playing.objects.filter.text() == "nfc1"
    assert playing.grid.current.camera.choice == "Chase camera"
    assert playing.drawing.chosen.figures


@pytest.mark.parametrize(
    ("key", "name"), [(Key.Key_2, "names"), (Key.Key_3, "rays"), (Key.Key_4, "lanes")]
)
def test_overlays_are_painted_over_the_picture(playing, key, name):
    settle(playing)
    bare = painted(playing)
    press(playing.grid.current.view, key)
    assert getattr(playing.drawing.chosen, name)
    assert 0.0005 < differ(bare, painted(playing)) < 0.5


def test_the_driven_path_is_painted(playing):
    press(playing.grid.current.view, Key.Key_5)
    playing.player.set_data("first.chassis.drive_chassis", [0.0, 1.0, 0.0])
    for _ in range(8):
        step(playing, 60)
    playing.player.set_data("first.chassis.drive_chassis", [0.0, 0.0, 1.0])
    playing.drawing.chosen.paths = False
    bare = painted(playing)
    playing.drawing.chosen.paths = True
    assert differ(bare, painted(playing)) > 0.0005


def test_an_actuator_is_set_in_the_tree(playing):
    playing.player.set_data("second.chassis.drive_chassis", [0.25, 0.0, 0.5])

    def has_arrived():
        step(playing, 1)
        playing.objects.refresh()
        return shown_text(playing, "second.chassis.drive_chassis.steering") == "0.2500"

    until(has_arrived)


def test_one_step_takes_what_was_set_before_it(playing):
    until(lambda: playing.player.time.is_standing)
    begin = connection(playing).status().step
    playing.player.set_data("second.chassis.drive_chassis", [0.125, 0.0, 0.5])
    press(playing, Key.Key_F7)
    until(lambda: playing.player.playback.newest.step == begin + 1)
    playing.objects.refresh()
    assert shown_text(playing, "second.chassis.drive_chassis.steering") == "0.1250"


def test_pictures_are_saved_as_they_are_seen(playing, tmp_path, monkeypatch):
    file = tmp_path / "seen.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    press(playing, Key.Key_S, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    with Image.open(file) as image:
        assert differ(np.asarray(image.convert("RGB")), painted(playing)) < 0.02


def test_a_recording_is_made_of_what_was_drawn(playing, tmp_path):
    film = tmp_path / "film.webp"
    playing.keeping.record(film)
    assert playing.commands.record.isChecked()
    assert playing.recording.isVisible()
    drive_on(playing, pictures=10)
    playing.keeping.ask_and_record(False)
    until(film.exists)
    until(lambda: "recorded" in said(playing))
    with Image.open(film) as frames:
        assert frames.n_frames > 3


def test_a_video_is_made_of_what_was_drawn(playing, tmp_path, monkeypatch):
    av = pytest.importorskip("av")
    film = tmp_path / "film.mp4"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(film), ""))
    playing.commands.record.trigger()
    drive_on(playing, pictures=10)
    playing.commands.record.trigger()
    until(lambda: "recorded" in said(playing) and "film.mp4" in said(playing))
    with av.open(str(film)) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    assert len(frames) > 3
    height, width = painted(playing).shape[:2]
    assert frames[0].shape == (height // 2 * 2, width // 2 * 2, 3)


def test_keys_change_the_day_time_and_the_weather(playing):
    settle(playing)
    view, sky = playing.grid.current.view, playing.fields.sky
    day = picture(playing)
    for _ in range(10):
        press(view, Key.Key_T)
    settle(playing)
    assert sky.clock.text() == "22:00"
    night = picture(playing)
    # The town is dark, and its lamps and the car's head lights shine.
    assert night.mean() < 0.7 * day.mean()
    press(view, Key.Key_T, Qt.KeyboardModifier.ShiftModifier)
    assert sky.clock.text() == "21:00"
    press(view, Key.Key_G, Qt.KeyboardModifier.ShiftModifier)
    settle(playing)
    assert differ(day, picture(playing)) < 0.001
    for _ in range(4):
        press(view, Key.Key_G)
    settle(playing)
    assert sky.weather.currentText() == "fog"
    blue_sky, fog = (each[:10].astype(int) for each in (day, picture(playing)))
    assert np.ptp(blue_sky, axis=2).mean() > 40
    assert np.ptp(fog, axis=2).mean() < 15


def test_a_program_sees_the_worlds_own_light(playing):
    (world,) = playing.player.render_for_programs(
        [PictureRequest(FRONT, "rgb")], playing.player.state
    )
    playing.fields.sky.choose(SkyChoice(hours=23.0, weather="fog"))
    settle(playing)
    (again,) = playing.player.render_for_programs(
        [PictureRequest(FRONT, "rgb")], playing.player.state
    )
    np.testing.assert_array_equal(world.pixels, again.pixels)
    playing.player._is_outdated = True
    settle(playing)


def test_a_belief_is_painted_where_the_program_believes_to_be(playing):
    press(playing.grid.current.view, Key.Key_6)
    assert playing.drawing.chosen.beliefs
    settle(playing)
    bare = painted(playing)
    state, part = playing.player.state, playing.player.shown.tree.find("first.chassis")
    x, y, z = state.floats[part.start // 8 : part.start // 8 + 3].tolist()
    believed = make_estimate(
        playing.player.state.time,
        position=(x, y + 1.0, z),
        heading=0.5,
        covariance=np.diag([0.36, 0.09, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0]),
    )
    playing.player.set_data("first.state", believed.words())
    step(playing, 1)
    settle(playing)
    assert 0.005 < differ(bare, painted(playing)) < 0.5


def test_what_cannot_be_recorded_is_said(playing, tmp_path):
    playing.keeping.record(tmp_path / "film.avi")
    assert not playing.commands.record.isChecked()
    assert ".webp" in said(playing, "error")
