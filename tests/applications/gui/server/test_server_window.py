"""The server's window as a user uses it: with real servers, by keyboard and mouse."""

import os
import signal
import socket
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import QMimeData, QPointF, Qt, QUrl
from PyQt6.QtGui import QDragEnterEvent, QDropEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QFileDialog, QLabel

from autosim.applications.gui.server.operator import ServerStage
from autosim.applications.gui.server.programs_panel import STATE
from autosim.client.link.client_errors import ServerRefusedError
from autosim.client.link.mirror import Mirror
from autosim.client.link.simulation_control import simulation_control
from autosim.config.diagnostics import ConfigError
from autosim.loading.loader import load_world
from tests.applications.gui.driving import (
    DEMO,
    LOAD_SECONDS,
    descendants,
    is_alive,
    messages,
    press,
    shown_text,
    state_of,
    until,
)
from tests.running_processes import is_fork_server

DRIVE = "impreza.chassis.drive_chassis"
NO_MOVE = Qt.DropAction.CopyAction
CONTROL = Qt.KeyboardModifier.ControlModifier


def run_to(window, step):
    until(lambda: state_of(window).step >= step)


def pause(window):
    press(window, Qt.Key.Key_F6)
    until(lambda: window.operator.coming is None)
    until(lambda: window.operator.stage is ServerStage.PAUSED)
    # The last state before the pause comes after the word of it.
    until(lambda: state_of(window).step == standing_step(window))


def standing_step(window):
    return window.operator.mirror.connection.status().step


def test_a_loaded_world_shows_its_tree_and_its_robots(loaded):
    assert shown_text(loaded, "impreza", 0) == "impreza"
    assert shown_text(loaded, "impreza", 4) == "Robot"
    assert shown_text(loaded, "impreza.chassis.gps", 4) == "GPSSensor"
    assert shown_text(loaded, "impreza.chassis.velocimeter", 2) == "m/s"
    assert loaded.map.poses.shape == (1, 3)
    assert "circle_town" in loaded.windowTitle()


def test_running_changes_the_values_and_pausing_holds_them(loaded):
    press(loaded, Qt.Key.Key_F5)
    until(lambda: loaded.operator.stage is ServerStage.RUNNING)
    first = state_of(loaded).step
    run_to(loaded, first + 20)
    pause(loaded)
    loaded.objects.refresh()
    held = shown_text(loaded, "step")
    assert int(held) == standing_step(loaded) >= first + 20
    assert not loaded.actions_.pause.isEnabled()
    assert loaded.actions_.run.isEnabled()


def test_keys_that_follow_one_another_at_once_are_all_obeyed(loaded):
    actions = loaded.actions_
    press(loaded, Qt.Key.Key_F5)
    assert actions.pause.isEnabled()
    press(loaded, Qt.Key.Key_F6)
    assert actions.run.isEnabled()
    press(loaded, Qt.Key.Key_F5)
    press(loaded, Qt.Key.Key_F6)
    until(lambda: loaded.operator.coming is None)
    until(lambda: state_of(loaded).step == standing_step(loaded))
    assert loaded.operator.stage is ServerStage.PAUSED
    assert not actions.pause.isEnabled()


def test_step_does_exactly_one_step(loaded):
    before = state_of(loaded).step
    press(loaded, Qt.Key.Key_F7)
    until(lambda: state_of(loaded).step > before)
    assert state_of(loaded).step == standing_step(loaded) == before + 1


def test_the_actuator_panel_drives_the_car(loaded):
    loaded.objects.select(DRIVE)
    editors = loaded.objects.actuator.editors
    assert set(editors) == {"steering", "acceleration", "brake", "hand_brake", "gear"}
    begin = loaded.map.poses[0, :2].copy()
    editors["brake"].number.setValue(0.0)
    editors["acceleration"].number.setValue(0.6)
    press(loaded, Qt.Key.Key_F5)
    until(lambda: ((loaded.map.poses[0, :2] - begin) ** 2).sum() > 1.0)
    assert state_of(loaded).value(state_of(loaded).tree.find(DRIVE), _field(loaded)) == 0.6
    editors["acceleration"].number.setValue(0.0)
    editors["brake"].slider.setValue(editors["brake"].slider.maximum())
    until(lambda: abs(float(shown_text(loaded, "impreza.chassis.velocimeter"))) < 0.05)
    pause(loaded)


def _field(window):
    return next(
        each
        for each in window.operator.mirror.tree.find(DRIVE).fields
        if each.name == "acceleration"
    )


def test_a_value_is_set_in_the_tree_by_keyboard(loaded):
    loaded.objects.select(f"{DRIVE}.steering")
    loaded.objects.view.setFocus()
    press(loaded.objects.view, Qt.Key.Key_F2)
    editor = loaded.focusWidget()
    editor.selectAll()
    QTest.keyClicks(editor, "0.25")
    press(editor, Qt.Key.Key_Return)
    until(lambda: loaded.focusWidget() is loaded.objects.view)
    press(loaded, Qt.Key.Key_F7)
    until(lambda: shown_text(loaded, f"{DRIVE}.steering") == "0.2500")


def test_a_double_click_plots_a_value_over_time(loaded):
    index = loaded.objects.model.find("impreza.chassis.velocimeter")
    loaded.objects.view.scrollTo(index)
    place = loaded.objects.view.visualRect(index).center()
    QTest.mouseDClick(loaded.objects.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    (plot,) = loaded.plots.plots
    assert loaded.docks.is_in_front(loaded.plots)
    press(loaded, Qt.Key.Key_F5)
    (curve,) = plot.curves.values()
    until(lambda: len(curve.series.times) >= 3)
    pause(loaded)
    press(plot, Qt.Key.Key_Delete)
    assert loaded.plots.plots == ()


def test_a_plot_that_is_opened_while_the_simulation_stands_shows_what_was(loaded):
    press(loaded, Qt.Key.Key_F5)
    run_to(loaded, state_of(loaded).step + 60)
    pause(loaded)
    model = loaded.objects.model
    loaded.plot(model.row_of(model.find("impreza.chassis.velocimeter")))
    loaded.plot(model.row_of(model.find("step")))
    speed, step = (curve.series for plot in loaded.plots.plots for curve in plot.curves.values())
    assert len(speed.times) == len(step.times) >= 3
    assert speed.times[-1] == step.times[-1] == state_of(loaded).time
    assert step.values[-1, 0] == state_of(loaded).step
    assert "is paused" in shown_words(loaded.plots)
    press(loaded, Qt.Key.Key_F5)
    until(lambda: loaded.operator.stage is ServerStage.RUNNING)
    assert "is paused" not in shown_words(loaded.plots)
    pause(loaded)
    loaded.plots.clear()
    assert "is paused" not in shown_words(loaded.plots)


def shown_words(widget):
    return " ".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def test_a_click_on_the_map_chooses_the_robot(loaded):
    loaded.objects.view.setCurrentIndex(loaded.objects.model.find("step"))
    loaded.docks.raise_panel(loaded.map)
    loaded.map.follow()
    QTest.mouseClick(loaded.map, Qt.MouseButton.LeftButton, pos=loaded.map.rect().center())
    row = loaded.objects.model.row_of(loaded.objects.view.currentIndex())
    assert row.node.name == "impreza"


def test_escape_never_closes_the_window(loaded):
    for part in (loaded, loaded.map, loaded.objects.view, loaded.plots, loaded.messages.view):
        press(part, Qt.Key.Key_Escape)
    assert loaded.isVisible()
    assert loaded.operator.stage.is_live


def test_the_help_menu_has_this_windows_page_and_keys(loaded):
    loaded.help.show_keys()
    shown = loaded.help.shown.list
    texts = {
        shown.topLevelItem(group).child(row).text(0)
        for group in range(shown.topLevelItemCount())
        for row in range(shown.topLevelItem(group).childCount())
    }
    assert {"Map: carry a robot; turn it", "Run"} <= texts
    assert any(each.startswith("Undo") for each in texts)
    loaded.help.shown.close()
    loaded.activateWindow()
    QTest.qWaitForWindowActive(loaded)


def test_the_map_zooms_about_the_pointer(loaded):
    loaded.map.fit()
    scale = loaded.map.scale
    press(loaded.map, Qt.Key.Key_Plus)
    assert loaded.map.scale > scale
    press(loaded.map, Qt.Key.Key_0)
    assert loaded.map.scale == pytest.approx(scale)


def test_a_filter_leaves_what_matches_and_what_is_above_it(loaded):
    press(loaded, Qt.Key.Key_F, CONTROL)
    assert loaded.focusWidget() is loaded.objects.filter
    QTest.keyClicks(loaded.objects.filter, "psd_front")
    view, model = loaded.objects.view, loaded.objects.model

    def is_shown(path):
        return view.visualRect(model.find(path)).height() > 0

    assert is_shown("impreza")
    assert is_shown("impreza.chassis.psd_front_left")
    assert not is_shown("impreza.chassis.velocimeter")
    loaded.objects.filter.clear()
    assert is_shown("impreza.chassis")


def test_connected_clients_are_listed_with_what_they_take(loaded):
    loaded.docks.raise_panel(loaded.network)
    table = loaded.network.clients

    def listed():
        return [table.item(row, 0).text() for row in range(table.rowCount())]

    until(lambda: listed() == ["server window"])
    with Mirror(load_world(DEMO), loaded.operator.address, rate_hz=12.0, name="other"):
        until(lambda: listed() == ["server window", "other"])
        assert table.item(1, 1).text().startswith("127.0.0.1:")
        assert table.item(1, 2).text() == "12 Hz"
    until(lambda: listed() == ["server window"])
    loaded.docks.raise_panel(loaded.messages)


def test_a_world_that_cannot_be_loaded_leaves_the_one_that_runs(loaded, tmp_path):
    file = tmp_path / "wrong.xml"
    file.write_text("<World name='wrong'/>")
    press(loaded, Qt.Key.Key_F5)
    until(lambda: loaded.operator.stage is ServerStage.RUNNING)
    before = state_of(loaded).step
    try:
        loaded.select_world(str(file))
        assert loaded.stage_label.text() == "circle_town runs"
        assert loaded.chosen_label.text() == (
            "wrong.xml is chosen: Load (Ctrl+L) puts it in its place, then Run (F5)"
        )
        press(loaded, Qt.Key.Key_L, CONTROL)
        assert loaded.operator.stage is ServerStage.LOADING
        assert loaded.stage_label.text() == "loading wrong.xml; circle_town continues meanwhile"
        until(lambda: loaded.operator.stage is ServerStage.RUNNING, LOAD_SECONDS)
        assert "circle_town" in loaded.windowTitle()
        assert messages(loaded)[-1][0] == "error"
        run_to(loaded, before + 20)
        press(loaded, Qt.Key.Key_L, CONTROL)
        press(loaded, Qt.Key.Key_Escape)
        assert loaded.operator.stage is ServerStage.RUNNING
        assert messages(loaded)[-1] == ("info", "loading was cancelled")
        press(loaded, Qt.Key.Key_F9)
        assert loaded.stage_label.text() == (
            "loading circle_town.xml; circle_town continues meanwhile"
        )
        press(loaded, Qt.Key.Key_Escape)
    finally:
        loaded.select_world(DEMO)
    assert loaded.chosen_label.text() == ""
    pause(loaded)
    assert loaded.stage_label.text() == "circle_town is paused"
    assert loaded.speed_label.text() == ""


def test_the_pace_is_that_of_the_simulation_wherever_it_was_set(loaded):
    try:
        with simulation_control(loaded.operator.address) as control:
            control.run(real_time_factor=2.5)
        until(lambda: loaded.controls.pace.value() == 2.5)
        with simulation_control(loaded.operator.address) as control:
            control.run(real_time_factor=0.0)
        until(lambda: loaded.controls.is_fast.isChecked())
        assert loaded.operator.settings.pace == 0.0
    finally:
        loaded.controls.is_fast.setChecked(False)
        loaded.controls.pace.setValue(1.0)
        pause(loaded)


def test_a_pause_comes_after_the_runs_that_were_ordered_before_it(loaded):
    loaded.operator.run()
    until(lambda: loaded.operator.stage is ServerStage.RUNNING)
    for _ in range(40):
        loaded.operator.run()
    pause(loaded)
    step = standing_step(loaded)
    QTest.qWait(300)
    assert standing_step(loaded) == step
    assert loaded.operator.stage is ServerStage.PAUSED


def test_another_step_size_counts_from_the_reset_on_and_clients_with_the_file_alone_are_refused(
    loaded,
):
    loaded.controls.step_size.setValue(loaded.controls.step_size.value() + 2)
    wanted = loaded.controls.steps_per_second
    assert loaded.controls.step_label.text() == f"1/{wanted} s *"
    assert state_of(loaded).step > 0
    press(loaded, Qt.Key.Key_F9)
    until(lambda: loaded.operator.stage is ServerStage.LOADING, LOAD_SECONDS)
    until(lambda: loaded.operator.stage is ServerStage.READY, LOAD_SECONDS)
    until(lambda: loaded.operator.mirror is not None and state_of(loaded).step == 0)
    assert loaded.controls.step_label.text() == f"1/{wanted} s"
    press(loaded, Qt.Key.Key_F7)
    until(lambda: state_of(loaded).step == 1)
    assert state_of(loaded).time == pytest.approx(1.0 / wanted)
    with (
        Mirror(load_world(DEMO), loaded.operator.address) as other,
        pytest.raises(ServerRefusedError, match="differs between server and client"),
    ):
        other.connection.wait_for_state(60.0)


def test_reset_and_load_keep_the_server_and_only_load_reads_the_file_again(window, tmp_path):
    world = tmp_path / "town.xml"
    text = Path(DEMO).read_text()
    world.write_text(text)
    window.operator.settings = replace(window.operator.settings, is_safe=True)
    window.select_world(str(world))
    window.load()
    until(lambda: window.operator.stage is ServerStage.READY, LOAD_SECONDS)
    address = window.operator.address
    world.write_text(text.replace('name="circle_town"', 'name="other_town"'))
    with simulation_control(address) as control:
        control.step(5)
        press(window, Qt.Key.Key_F9)
        until(lambda: window.operator.is_replacing, LOAD_SECONDS)
        assert control.status().step == 5, "the world that is there answers meanwhile"
        press(window, Qt.Key.Key_Escape)
        until(lambda: window.operator.stage is ServerStage.PAUSED, LOAD_SECONDS)
        assert messages(window)[-1] == ("info", "loading was cancelled")
        assert control.step().step == 6
        press(window, Qt.Key.Key_F9)
        until(lambda: control.status().step == 0, LOAD_SECONDS)
        assert control.status().world == "circle_town"
        until(lambda: window.operator.stage is ServerStage.READY, LOAD_SECONDS)
        press(window, Qt.Key.Key_L, CONTROL)
        until(lambda: control.status().world == "other_town", LOAD_SECONDS)
        until(lambda: window.operator.stage is ServerStage.READY, LOAD_SECONDS)
    assert window.operator.address == address
    assert window.operator.as_loaded.name == "other_town"


def test_a_lost_simulation_is_said_and_can_be_loaded_again(loaded):
    step = shown_text(loaded, "step")
    front = loaded.operator._session._link.server.pid
    (simulation,) = (each for each in descendants(front) if not is_fork_server(each))
    os.kill(simulation, signal.SIGKILL)
    until(lambda: loaded.operator.stage is ServerStage.STOPPED)
    assert any(level == "error" and "SIGKILL" in text for level, text in messages(loaded))
    assert shown_text(loaded, "step") == step
    assert loaded.actions_.load.isEnabled()


def test_a_server_that_is_stopped_from_outside_is_no_error(window):
    window.load()
    until(lambda: window.operator.stage is ServerStage.READY, LOAD_SECONDS)
    assert ("info", f"listening at {window.operator.address}") in messages(window)
    with simulation_control(window.operator.address) as control:
        control.stop()
    until(lambda: window.operator.stage is ServerStage.STOPPED)
    assert not [text for level, text in messages(window) if level == "error"]
    assert any("stopped from outside" in text for _, text in messages(window))
    assert window.actions_.load.isEnabled()


def test_cancel_ends_the_loading_at_once(window, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    before = set(descendants())
    press(window, Qt.Key.Key_L, CONTROL)
    until(lambda: window.loading.progress.value() > 0, LOAD_SECONDS)
    assert window.operator.stage is ServerStage.LOADING
    press(window, Qt.Key.Key_Escape)
    assert window.operator.stage is ServerStage.EMPTY
    assert set(descendants()) <= before
    assert not list(tmp_path.glob("autosim/worlds/*"))
    assert window.actions_.load.isEnabled()


def test_cancel_also_ends_a_server_that_is_starting(window):
    before = set(descendants())
    window.load()
    until(lambda: window.operator.stage is ServerStage.STARTING, LOAD_SECONDS)
    window.loading.cancel.click()
    until(lambda: window.operator.stage is ServerStage.STOPPED, LOAD_SECONDS)
    until(lambda: all(map(is_fork_server, set(descendants()) - before)))


def test_a_wrong_world_shows_all_its_faults_with_their_lines(window, tmp_path):
    file = tmp_path / "wrong.xml"
    file.write_text(
        '<World name="w">\n<Physics><Dynamics name="d">\n<StepsPerSecond value="7"/>\n'
        "<Gravitation/>\n</Dynamics></Physics>\n"
        '<Terrain><Map name="m"><OsmFile path="no/such.osm"/></Map></Terrain>\n'
        '<Objects><Robot name="r"><File path="../r.xml"/></Robot></Objects>\n</World>\n'
    )
    with pytest.raises(ConfigError) as expected:
        load_world(file)
    window.select_world(str(file))
    window.load()
    until(lambda: window.operator.stage is not ServerStage.LOADING, LOAD_SECONDS)
    assert window.operator.stage is ServerStage.EMPTY
    faults = expected.value.diagnostics
    assert len(faults) >= 4
    shown = [(entry.level, entry.text, entry.place) for entry in window.messages.model.entries]
    assert [(level, text) for level, text, _ in shown] == [(f.level, f.message) for f in faults]
    assert [(p.file, p.line) for _, _, p in shown] == [(f.file, f.line) for f in faults]


def test_a_port_that_is_taken_is_said(window, loaded_port):
    window.network.port.setValue(loaded_port)
    window.load()
    until(lambda: window.operator.stage is ServerStage.STOPPED, LOAD_SECONDS)
    assert any(level == "error" and "port is taken" in text for level, text in messages(window))


@pytest.fixture
def loaded_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_run_loads_first_and_the_program_drives_and_closing_ends_all_processes(window):
    before = set(descendants())
    window.controls.is_fast.setChecked(True)
    press(window, Qt.Key.Key_F5)
    until(lambda: window.operator.stage is ServerStage.RUNNING, LOAD_SECONDS)
    until(lambda: state_of(window).time > 2.0, LOAD_SECONDS)
    window.docks.raise_panel(window.programs)
    until(lambda: window.programs.text(0, STATE).startswith("running"))
    assert float(shown_text(window, "impreza.chassis.velocimeter")) > 1.0
    server = set(descendants()) - before
    assert len(server) >= 3  # front, simulation, user program
    window.close()
    until(lambda: not any(is_alive(pid) for pid in server))


def test_a_program_that_fails_is_named_with_its_file_and_line(window, tmp_path):
    program = tmp_path / "userprograms" / "breaks.py"
    program.parent.mkdir()
    program.write_text("def main(argv):\n    raise ValueError('no idea how to drive')\n")
    world = tmp_path / "town.xml"
    text = Path(DEMO).read_text().replace("userprograms/driver.py", "userprograms/breaks.py")
    world.write_text(text)
    window.select_world(str(world))
    press(window, Qt.Key.Key_F5)
    until(lambda: any(level == "error" for level, _ in messages(window)), LOAD_SECONDS)
    (entry,) = [each for each in window.messages.model.entries if each.level == "error"]
    assert "no idea how to drive" in entry.text
    assert (entry.place.file.name, entry.place.line) == ("breaks.py", 2)
    window.docks.raise_panel(window.programs)
    until(lambda: window.programs.text(0, STATE).startswith("failed"))


def test_a_file_is_chosen_by_dialog_drop_and_from_the_last_ones(window, monkeypatch, tmp_path):
    file = tmp_path / "town.osm"
    file.write_text("<osm/>")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    press(window, Qt.Key.Key_O, CONTROL)
    assert window.operator.world_file == str(file)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "other.xml"))])
    buttons = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPointF(5, 5).toPoint(), NO_MOVE, data, *buttons)
    window.dragEnterEvent(enter)
    assert enter.isAccepted()
    window.dropEvent(QDropEvent(QPointF(5, 5), NO_MOVE, data, *buttons))
    assert window.operator.world_file == str(tmp_path / "other.xml")
    for number in range(10):
        window.recent.add(f"/w{number}.xml")
    assert window.recent.files[:2] == ["/w9.xml", "/w8.xml"]
    assert len(window.recent.files) == 8


def test_other_machines_are_let_in_only_by_a_tick_and_what_is_said_stays_encrypted(window):
    network, operator = window.network, window.operator
    window.docks.raise_panel(network)
    assert operator.settings.host == "127.0.0.1"
    assert not network.warning.isVisible()
    network.is_open.setChecked(True)
    assert network.warning.isVisible()
    assert "token" in network.warning.text()
    assert (operator.settings.host, operator.settings.is_insecure) == ("0.0.0.0", False)
    network.is_open.setChecked(False)
    assert operator.settings.host == "127.0.0.1"
