"""The window's parts one by one."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QDesktopServices, QGuiApplication, QPalette
from PyQt6.QtWidgets import QApplication, QMainWindow, QWidget

from autosim.applications.common.screen import find_obstacle
from autosim.applications.gui.server.clients_table import ClientsTable, rate_text
from autosim.applications.gui.server.map.map_view import MapView, round_length
from autosim.applications.gui.server.plots.series import MAX_SAMPLES, Series
from autosim.applications.gui.server.simulation_controls import SimulationControls
from autosim.applications.gui.shared.formats import number_text
from autosim.applications.gui.shared.icons import IconGlyph, make_icon
from autosim.applications.gui.shared.messages.entries import (
    MessageEntry,
    MessageLocation,
    entry_of_notice,
    entry_of_text,
    find_location,
)
from autosim.applications.gui.shared.messages.messages_model import MAX_ENTRIES, MessageColumn
from autosim.applications.gui.shared.messages.messages_panel import MessagesPanel
from autosim.applications.gui.shared.objects.objects_panel import ObjectsPanel
from autosim.client.link.simulation_control import ConnectedClient
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_world
from autosim.loading.world_writer import with_step_size
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.tools.gui.first_size import take_first_size
from tests.applications.gui.driving import press

TRACEBACK = """it raised ValueError
Traceback (most recent call last):
  File "/programs/first.py", line 3, in main
    drive()
  File "/programs/helper.py", line 12, in drive
    raise ValueError
ValueError"""


def entry(level="info", text="a word", place=None):
    return MessageEntry(level, "someone", text, "12:00:00", place=place)


def test_a_traceback_leads_to_the_line_that_failed():
    assert find_location(TRACEBACK) == MessageLocation(Path("/programs/helper.py"), 12)


def test_a_place_in_a_sentence_is_found():
    assert find_location("see worlds/town.xml:7: error: no") == MessageLocation(
        Path("worlds/town.xml"), 7
    )
    assert find_location("serving at 127.0.0.1:2008") is None


def test_a_notice_tells_the_simulated_time():
    assert entry_of_notice(Notice("info", "p", 480, "t"), step_seconds=1 / 240).time == 2.0


def test_a_program_is_called_by_the_name_of_its_file():
    notice = Notice("error", "/far/away/first.py", 1, "failed")
    assert entry_of_notice(notice, step_seconds=0.1).source == "first.py"


def test_messages_are_filtered_by_level_and_text(application):
    panel = MessagesPanel()
    for level, text in (("info", "one"), ("warning", "two"), ("error", "three")):
        panel.add(entry(level, text))
    model = panel.view.model()
    panel.level.setCurrentIndex(1)
    assert model.rowCount() == 2
    panel.search.setText("THR")
    assert model.rowCount() == 1
    assert panel.problems == 2


def test_the_oldest_messages_go(application):
    panel = MessagesPanel()
    for number in range(MAX_ENTRIES + 3):
        panel.add(entry(text=str(number)))
    assert len(panel.model.entries) == MAX_ENTRIES
    assert panel.model.entries[0].text == "3"


@pytest.mark.parametrize(("name", "is_opened"), [("a.xml", True), ("a.desktop", False)])
def test_only_texts_are_opened_and_the_place_is_copied(
    application, tmp_path, monkeypatch, name, is_opened
):
    file = tmp_path / name
    file.write_text("")
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    panel = MessagesPanel()
    panel.add(entry(place=MessageLocation(file, 4)))
    panel.view.selectRow(0)
    panel.open_place()
    assert QGuiApplication.clipboard().text() == f"{file}:4"
    assert panel.copied.text() == f"copied {file.name}:4"
    assert bool(opened) is is_opened


def test_a_text_of_many_lines_is_shown_whole(application):
    panel = MessagesPanel()
    panel.add(entry("error", TRACEBACK))
    panel.view.selectRow(0)
    assert panel.details.toPlainText() == TRACEBACK
    assert not panel.details.isHidden()


@pytest.mark.parametrize("width", [220, 340, 900])
def test_the_text_of_messages_has_room_in_narrow_and_wide_windows(application, width):
    panel = MessagesPanel()
    panel.resize(width, 200)
    panel.show()
    columns = panel.view.horizontalHeader()
    panel.add(entry(place=MessageLocation(Path("town.xml"), 7)))
    share = 0.2 if width > 300 else 0.35  # in a column, nearly half of it
    assert columns.sectionSize(MessageColumn.TEXT) > share * panel.view.width()
    assert columns.isSectionHidden(MessageColumn.PLACE) is (width < 400)
    panel.close()


def test_files_take_no_room_while_no_message_names_one(application):
    panel = MessagesPanel()
    panel.resize(900, 200)
    panel.show()
    panel.add(entry())
    assert panel.view.isColumnHidden(MessageColumn.PLACE)
    panel.add(entry(place=MessageLocation(Path("town.xml"), 7)))
    assert not panel.view.isColumnHidden(MessageColumn.PLACE)
    panel.model.clear()
    assert panel.view.isColumnHidden(MessageColumn.PLACE)
    panel.close()


def test_a_line_that_does_not_fit_its_column_is_shown_whole(application):
    panel = MessagesPanel()
    panel.resize(500, 200)
    panel.show()
    panel.add(entry(text="short"))
    panel.add(entry(text="a long line " * 20))
    panel.view.selectRow(0)
    assert panel.details.isHidden()
    panel.view.selectRow(1)
    assert panel.details.isVisible()
    panel.close()


def test_a_worlds_own_step_is_on_the_slider(application):
    controls = SimulationControls(pace=1.0)
    controls.choose_steps(777)
    assert controls.steps_per_second == 777
    assert controls.step_label.text() == "1/777 s"
    controls.step_size.setValue(controls.step_size.maximum())
    assert controls.step_label.text() == "1/2400 s *"


def test_as_fast_as_it_goes_is_a_factor_of_zero(application):
    controls = SimulationControls(pace=2.0)
    said = []
    controls.pace_changed.connect(said.append)
    controls.is_fast.setChecked(True)
    controls.is_fast.setChecked(False)
    assert said == [0.0, 2.0]


def test_another_step_makes_another_world():
    world = load_world("worlds/circle_town.xml")
    assert with_step_size(world, 240) is world
    finer = with_step_size(world, 480)
    assert finer.physics.step_seconds == 1 / 480
    assert finer.files[0][0] == world.files[0][0]
    assert finer.files[0][1] != world.files[0][1]


def test_a_series_keeps_the_newest_and_begins_anew_after_a_reset():
    series = Series(1)
    for number in range(2 * MAX_SAMPLES + 5):
        series.add(float(number), number)
    assert series.times[-1] == 2 * MAX_SAMPLES + 4
    assert MAX_SAMPLES <= len(series.times) <= 2 * MAX_SAMPLES
    assert np.array_equal(series.times, series.values[:, 0])
    series.add(0.0, 3.0)
    assert len(series.times) == 1


def test_in_a_low_window_the_tree_has_the_room(application):
    panel = ObjectsPanel()
    world = load_world("worlds/circle_town.xml")
    panel.show_world(world, State(build_tree(world)))
    panel.resize(320, 500)
    panel.show()
    panel.select("impreza.chassis.drive_chassis")
    assert panel.actuator.isVisible()
    panel.resize(320, 150)
    application.processEvents()
    assert not panel.actuator.isVisible()
    assert panel.view.height() > 100
    panel.resize(320, 500)
    assert panel.actuator.isVisible()
    panel.close()


def test_the_filter_leads_into_the_tree(application):
    panel = ObjectsPanel()
    world = load_world("worlds/circle_town.xml")
    panel.show_world(world, State(build_tree(world)))
    panel.show()
    panel.filter.setFocus()
    panel.filter.setText("velocimeter")
    press(panel.filter, Qt.Key.Key_Down)
    assert panel.focusWidget() is panel.view
    assert (
        panel.model.row_of(panel.view.currentIndex()).path == "impreza.chassis.velocimeter.velocity"
    )
    panel.filter.setFocus()
    panel.filter.setText("brake_left")
    press(panel.filter, Qt.Key.Key_Return)
    assert panel.model.row_of(panel.view.currentIndex()).path.startswith(
        "impreza.chassis.brake_left"
    )
    panel.close()


def test_escape_empties_the_filter_before_it_quits_the_window(application):
    window = QMainWindow()
    panel = ObjectsPanel()
    window.setCentralWidget(panel)
    asked = []
    window.keyPressEvent = asked.append
    window.show()
    panel.filter.setFocus()
    panel.filter.setText("brake")
    press(panel.filter, Qt.Key.Key_Escape)
    assert panel.filter.text() == ""
    assert not asked
    press(panel.filter, Qt.Key.Key_Escape)
    assert len(asked) == 1
    window.close()


@pytest.mark.parametrize(("length", "rounded"), [(1.0, 1.0), (99.0, 50.0), (0.3, 0.2), (5.0, 5.0)])
def test_lengths_are_rounded_down(length, rounded):
    assert round_length(length) == pytest.approx(rounded)


@pytest.mark.parametrize(
    ("number", "text"), [(-0.0, "0.0000"), (1.5, "1.5000"), (-1e-9, "0.0000"), (1e9, "1e+09")]
)
def test_numbers_are_of_steady_width(number, text):
    assert number_text(number) == text


def test_no_name_on_the_map_covers_another(application):
    tree = build_tree(load_world("worlds/convoy.xml"))
    state = State(tree)
    for number, robot in enumerate(tree.children):
        start = robot.children[0].field_offset("position") // 8
        state.floats[start : start + 7] = (8.0 * number, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    view = MapView()
    view.resize(400, 300)
    view.fit()
    view.show_tree(tree)
    view.show_state(state)

    def named():
        boxes = view.robots.name_boxes(view.fontMetrics(), view.frame)
        return [number for number, _ in boxes]

    assert named() == [0]
    view.choose("third")
    assert named() == [2]
    view.zoom(20.0)
    assert sorted(named()) == [0, 1, 2]


def test_without_a_screen_there_is_a_reason(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert "no screen" in find_obstacle()


def test_a_screen_that_cannot_be_reached_is_a_reason_and_not_the_end(monkeypatch):
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.setenv("DISPLAY", ":987")
    assert "Qt does not start" in find_obstacle()


def test_offscreen_is_a_screen(monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert find_obstacle() == ""


def test_rates_are_those_since_the_last_time():
    def client(updates, size):
        return ConnectedClient("c", "p", 60.0, 1.0, updates, size, 0, 0.0)

    assert rate_text(client(10, 1000), client(40, 5000), 2.0) == "15.0 Hz, 2.0 kB/s"
    assert rate_text(None, client(40, 5000), 2.0) == ""


def test_signs_are_drawn_in_the_palettes_colours(application):
    palette = QPalette(QColor(40, 40, 40))
    icon = make_icon(IconGlyph.STOP, palette)
    image = icon.pixmap(64, 64).toImage()
    middle = image.pixelColor(image.width() // 2, image.height() // 2)
    assert middle == palette.color(QPalette.ColorRole.ButtonText)


@pytest.mark.parametrize(("wanted", "fits"), [((300, 200), True), ((90_000, 200), False)])
def test_no_window_opens_larger_than_its_screen(application, wanted, fits):
    window = QWidget()
    take_first_size(window, *wanted)
    assert ((window.width(), window.height()) == wanted) is fits
    assert window.width() <= window.screen().availableSize().width()


def entries_of(menu):
    return {action.text().replace("&", ""): action for action in menu.actions()}


def clipboard():
    return QApplication.clipboard().text()


def test_messages_are_copied_and_filtered_by_their_menu(application):
    panel = MessagesPanel()
    for source, text in (
        ("driver.py", "turns left"),
        ("server", "serving"),
        ("driver.py", "stops"),
    ):
        panel.add(entry_of_text("info", source, text))
    panel.view.selectRow(0)
    entries_of(panel.menu())["Copy Message"].trigger()
    assert clipboard().endswith("info: driver.py: turns left")
    entries_of(panel.menu())["Only Those of driver.py"].trigger()
    entries_of(panel.menu())["Copy All Shown"].trigger()
    assert [line.split(": ")[-1] for line in clipboard().splitlines()] == ["turns left", "stops"]
    entries_of(panel.menu())["Show All Messages"].trigger()
    assert not entries_of(panel.menu())["Show All Messages"].isEnabled()
    entries_of(panel.menu())["Clear"].trigger()
    assert not panel.model.entries


def test_the_address_of_a_client_is_copied(application):
    table = ClientsTable()
    table.show_clients([ConnectedClient("c", "ipv4:127.0.0.1:5", 60.0, 1.0, 1, 1, 0, 0.0)])
    entries_of(table.menu_at(0))["Copy Address"].trigger()
    assert clipboard() == "127.0.0.1:5"


def panel_of(world):
    panel = ObjectsPanel()
    described = load_world(world)
    panel.show_world(described, State(build_tree(described)))
    panel.resize(500, 400)
    panel.show()
    return panel


def test_the_filter_opens_what_it_finds_and_leaves_the_tree_as_it_was(application):
    panel = panel_of("worlds/convoy.xml")
    panel.view.collapseAll()

    def is_open(name):
        return panel.view.isExpanded(panel.model.find(name))

    panel.filter.setText("gyro")
    assert is_open("third")
    assert is_open("third.chassis")
    gyro = panel.model.find("first.chassis.gyro_yaw")
    assert panel.view.viewport().rect().intersects(panel.view.visualRect(gyro))
    panel.filter.setText("third.chassis.gyro_y")
    press(panel.filter, Qt.Key.Key_Return)
    panel.filter.clear()
    assert not is_open("first")
    assert is_open("third.chassis")
    row = panel.model.row_of(panel.view.currentIndex())
    assert row.node.name == "third.chassis.gyro_yaw"


def test_the_actuator_in_hand_is_of_the_robot_in_hand(application):
    panel = panel_of("worlds/convoy.xml")
    assert not panel.actuator.isVisible()
    panel.select("first.chassis.drive_chassis")
    panel.select("first.chassis.gyro_yaw")
    assert panel.actuator.title() == "first.chassis.drive_chassis"
    panel.select("second")
    assert panel.actuator.title() == "second.chassis.drive_chassis"
    panel.select("step")
    assert not panel.actuator.isVisible()
