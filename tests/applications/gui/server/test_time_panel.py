"""The panel for the time of a simulation."""

from pathlib import Path

import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import QPoint, QSettings, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from autosim.applications.gui.server.main_window import ServerWindow
from autosim.applications.gui.server.operator import ServerSettings
from autosim.applications.gui.server.time_panel import TimePanel
from autosim.client.link.time_control import MomentInfo, RecordInfo, TimeInfo

DIGEST = "ab" * 32
BEND = MomentInfo("before the bend", 120, 0.5, 9_000_000)


def info(**changes: object) -> TimeInfo:
    live = {"record": None, "moments": (), "replayed": None}
    return TimeInfo(240, 1.0, state_digest=DIGEST, **{**live, **changes})


def test_moments_are_listed_and_the_chosen_one_is_gone_back_to(application: QApplication) -> None:
    panel, wanted = TimePanel(), []
    panel.restore_wanted.connect(wanted.append)
    panel.show_times(info(moments=(BEND,)))
    assert not panel.restore.isEnabled()
    texts = [panel.moments.item(0, place).text() for place in range(4)]
    assert texts == ["before the bend", "120", "0.500 s", "9 MB"]
    panel.moments.selectRow(0)
    panel.show_times(info(moments=(BEND,)))
    panel.restore.click()
    assert wanted == ["before the bend"]


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
    assert not panel.moments.isVisibleTo(panel)


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
        assert (window.lists.currentWidget() is window.time) is (replay is not None)
        window.close()


def test_a_moment_is_saved_to_the_disk_where_a_simulation_runs(application: QApplication) -> None:
    panel, wanted = TimePanel(), []
    panel.save_wanted.connect(lambda: wanted.append("saved"))
    assert not panel.save.isEnabled()
    panel.show_times(info())
    panel.save.click()
    assert wanted == ["saved"]
    panel.show_times(info(replayed=(0, 9)))
    assert not panel.save.isVisibleTo(panel)
