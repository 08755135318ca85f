"""The panel for the time of a simulation."""

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import QPoint, QSettings, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from autosim.applications.gui.server.operator import ServerSettings
from autosim.applications.gui.server.server_window import ServerWindow
from autosim.applications.gui.server.time_panel import TimePanel
from autosim.client.link.time_control import RecordInfo, SnapshotInfo, TimeInfo
from autosim.loading.loader import load_world
from tests.applications.gui.driving import until

DIGEST = "ab" * 32
BEND = SnapshotInfo("before the bend", 120, 0.5, 9_000_000)


def info(**changes: object) -> TimeInfo:
    live = {"record": None, "snapshots": (), "replayed": None}
    return TimeInfo(240, 1.0, state_digest=DIGEST, **{**live, **changes})


def test_snapshots_are_listed_and_the_chosen_one_is_gone_back_to(application: QApplication) -> None:
    panel, wanted = TimePanel(), []
    panel.restore_wanted.connect(wanted.append)
    panel.show_times(info(snapshots=(BEND,)))
    assert not panel.restore.isEnabled()
    texts = [panel.snapshots.item(0, place).text() for place in range(4)]
    assert texts == ["before the bend", "120", "0.500 s", "9 MB"]
    panel.snapshots.selectRow(0)
    panel.show_times(info(snapshots=(BEND,)))
    panel.restore.click()
    assert wanted == ["before the bend"]


def snapshots_on_a_line() -> tuple[TimePanel, list[str]]:
    """A panel on the screen, with a run at step 1000 that has two snapshots; what it wants."""
    panel, wanted = TimePanel(), []
    panel.restore_wanted.connect(wanted.append)
    panel.resize(900, 300)
    panel.show_times(run_with_two_snapshots())
    panel.show()
    return panel, wanted


def run_with_two_snapshots(**changes: object) -> TimeInfo:
    kept = SnapshotInfo("kept 2", 600, 2.5, 4_000_000)
    return replace(info(snapshots=(kept, BEND)), step=1000, time=4.0, **changes)


def click(panel: TimePanel, step: int) -> None:
    line = panel.line
    QTest.mouseClick(line, Qt.MouseButton.LeftButton, pos=QPoint(line.place_of(step), 5))


def test_the_time_line_of_a_run_leads_from_its_oldest_snapshot_to_now(
    application: QApplication,
) -> None:
    panel, _ = snapshots_on_a_line()
    line = panel.line
    assert (line.minimum(), line.maximum(), line.value()) == (120, 1000, 1000)
    assert line.text_at(QPoint(line.place_of(600) + 1, 5)) == "kept 2: 2.500 s"
    assert not line.text_at(QPoint(line.place_of(800), 5))
    later = run_with_two_snapshots()
    panel.show_times(replace(later, step=2000, snapshots=later.snapshots[:1]))
    assert (line.minimum(), line.maximum(), line.value()) == (600, 2000, 2000)
    panel.show_times(info())
    assert not line.isEnabled()
    assert panel.line_label.text() == "no snapshot yet"
    panel.hide()


def test_marks_are_drawn_where_snapshots_are(application: QApplication) -> None:
    panel, _ = snapshots_on_a_line()

    def at(step: int) -> int:
        return panel.line.grab().toImage().pixel(panel.line.place_of(step), 4)

    empty = at(800)
    assert at(600) != empty
    assert at(120) == at(600)
    click(panel, 600)
    assert at(600) not in (empty, at(120)), "the chosen one stands out"
    panel.hide()


def test_a_click_on_the_line_of_a_run_offers_the_snapshot_before(application: QApplication) -> None:
    panel, wanted = snapshots_on_a_line()
    sought: list[int] = []
    panel.seek_wanted.connect(sought.append)
    click(panel, 550)
    assert panel.restore.text() == "&Go back to before the bend"
    assert panel.snapshots.currentRow() == 1
    assert panel.line.value() == 120, "the handle goes to the snapshot"
    panel.restore.click()
    click(panel, 700)
    assert panel.line_label.text() == "2.500 s"
    QTest.keyClick(panel.line, Qt.Key.Key_Return)
    assert wanted == ["before the bend", "kept 2"]
    click(panel, 1000)
    assert not panel.restore.isEnabled(), "its right end is now"
    QTest.keyClick(panel.line, Qt.Key.Key_Return)
    assert len(wanted) == 2
    assert not sought
    panel.hide()


def test_keys_go_from_snapshot_to_snapshot(application: QApplication) -> None:
    panel, _ = snapshots_on_a_line()
    found = []
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_PageUp):
        QTest.keyClick(panel.line, key)
        found.append(panel.line.value())
    assert found == [600, 120, 120, 600]
    panel.hide()


def test_a_snapshot_of_another_future_is_offered_too(application: QApplication) -> None:
    panel, _ = snapshots_on_a_line()
    panel.show_times(replace(run_with_two_snapshots(), step=300))
    assert (panel.line.maximum(), panel.line.value()) == (600, 300)
    click(panel, 450)
    assert not panel.restore.isEnabled()
    click(panel, 600)
    assert panel.restore.text() == "&Go back to kept 2"
    panel.hide()


def test_a_snapshot_that_makes_room_is_no_longer_chosen(application: QApplication) -> None:
    panel, _ = snapshots_on_a_line()
    click(panel, 300)
    panel.show_times(info(snapshots=run_with_two_snapshots().snapshots[:1]))
    assert not panel.restore.isEnabled()
    panel.hide()


def test_a_record_and_the_digest_are_shown(application: QApplication) -> None:
    panel = TimePanel()
    panel.show_times(info(record=RecordInfo("/runs/a.mcap", 240, 1_500_000, 0)))
    assert panel.record.isChecked()
    assert panel.record_label.text() == "/runs/a.mcap: 240 states, 1.5 MB"
    assert panel.digest.text() == "digest abababababababab"
    panel.show_times(info())
    assert not panel.record.isChecked()


def test_the_time_line_of_a_replay_seeks(application: QApplication) -> None:
    panel, wanted = TimePanel(), []
    panel.seek_wanted.connect(wanted.append)
    panel.show_times(info(replayed=(100, 900)))
    assert (panel.line.minimum(), panel.line.maximum(), panel.line.value()) == (100, 900, 240)
    assert not wanted, "the simulation's own steps order nothing"
    panel.line.setValue(500)
    assert wanted == [500]
    assert panel.line.isVisibleTo(panel)
    assert not panel.snapshots.isVisibleTo(panel)


def test_the_time_line_goes_where_it_is_clicked(application: QApplication) -> None:
    panel, wanted = TimePanel(), []
    panel.seek_wanted.connect(wanted.append)
    panel.resize(900, 300)
    panel.show_times(info(replayed=(0, 1000)))
    panel.show()
    QTest.mousePress(
        panel.line, Qt.MouseButton.LeftButton, pos=QPoint(panel.line.width() * 3 // 4, 5)
    )
    assert panel.line.isSliderDown()
    assert wanted == [pytest.approx(750, abs=10)]
    panel.hide()


def test_the_time_line_of_a_replay_is_in_front(application: QApplication, tmp_path: Path) -> None:
    for replay in (None, tmp_path / "run.mcap"):
        kept = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
        window = ServerWindow("", ServerSettings("127.0.0.1", 0, replay=replay), kept)
        window.show()
        is_replay = replay is not None
        try:
            until(lambda w=window, is_it=is_replay: w.docks.is_in_front(w.time) is is_it)
            assert window.docks.is_in_front(window.messages) is not is_replay
        finally:
            window.close()


def test_a_snapshot_is_saved_to_the_disk_where_a_simulation_runs(application: QApplication) -> None:
    panel, wanted = TimePanel(), []
    panel.save_wanted.connect(lambda: wanted.append("saved"))
    assert not panel.save.isEnabled()
    panel.show_times(info())
    panel.save.click()
    assert wanted == ["saved"]
    panel.show_times(info(replayed=(0, 9)))
    assert not panel.save.isVisibleTo(panel)


def playing(steps: tuple[int, ...], panel: TimePanel) -> None:
    for step in steps:
        panel.follow_playback(step, is_playing=True)


def test_a_replay_loops_over_the_range_that_was_bounded(application: QApplication) -> None:
    panel, wanted = TimePanel(), []
    panel.loop_wanted.connect(wanted.append)
    panel.show_times(info(replayed=(0, 1000)))
    playing((980, 1000), panel)
    assert wanted == [], "it plays to its end where it is not to loop"
    panel.loop.setChecked(True)
    playing((980, 1000, 1000), panel)
    assert wanted == [0]
    for step, key in ((200, Qt.Key.Key_BracketLeft), (600, Qt.Key.Key_BracketRight)):
        panel.line.setValue(step)
        QTest.keyClick(panel.line, key)
    assert panel.line.bounds == (200, 600)
    playing((590, 601), panel)
    assert wanted == [0, 200]
    panel.follow_playback(600, is_playing=False)
    panel.follow_playback(700, is_playing=False)
    assert wanted == [0, 200], "what is paused may be dragged beyond the range"


def test_a_bound_is_taken_back_by_its_key(application: QApplication) -> None:
    panel = TimePanel()
    panel.show_times(info(replayed=(0, 1000)))
    panel.line.setValue(300)
    for expected in ((300, 1000), (0, 1000)):
        QTest.keyClick(panel.line, Qt.Key.Key_BracketLeft)
        assert panel.line.bounds == expected


def test_the_world_of_a_record_is_no_recent_world(
    application: QApplication, tmp_path: Path
) -> None:
    world = load_world("worlds/yard.xml")
    for replay in (None, tmp_path / "run.mcap"):
        kept = QSettings(str(tmp_path / f"{replay is None}.ini"), QSettings.Format.IniFormat)
        window = ServerWindow("", ServerSettings("127.0.0.1", 0, replay=replay), kept)
        window.operator.loaded.emit(world)
        assert bool(window.recent.files) is (replay is None)
        window.close()
