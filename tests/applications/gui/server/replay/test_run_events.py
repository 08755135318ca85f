"""Marks of events, and whole curves, of a recorded run."""

import pytest

pytest.importorskip("PyQt6")

import numpy as np
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest

from autosim.applications.gui.server.plots.plots_panel import PlotsPanel
from autosim.applications.gui.server.replay.recorded_run import RecordedRun
from autosim.applications.gui.server.replay.run_events import EventKind, EventMark, marks_of
from autosim.applications.gui.server.time_line import TimeLine
from autosim.records.events import Collision, NoticeLogged, OutputPrinted
from autosim.records.record_file import Record
from tests.applications.gui.driving import until
from tests.records.runs import record_run


def test_events_of_a_step_are_one_mark_of_the_gravest_kind():
    marks = marks_of(
        [
            NoticeLogged(10, "warning", "impreza", "collided with a house"),
            Collision(10, "impreza", "collided with a house"),
            OutputPrinted(4, "hello\n", "impreza (driver.py)"),
            NoticeLogged(20, "error", "driver.py", "ValueError\nTraceback"),
            NoticeLogged(30, "info", "driver.py", "ended"),
        ],
        step_seconds=0.1,
    )
    kinds = [EventKind.OUTPUT, EventKind.COLLISION, EventKind.ERROR, EventKind.MESSAGE]
    assert [each.kind for each in marks] == kinds
    assert [each.step for each in marks] == [4, 10, 20, 30]
    assert marks[0].text == "0.400 s\nimpreza (driver.py): hello"
    assert marks[1].text == "1.000 s\nimpreza: collided with a house"
    assert marks[2].text == "2.000 s\ndriver.py: ValueError"


def test_a_mark_shows_few_lines_of_many():
    (mark,) = marks_of([OutputPrinted(0, f"line {n}\n") for n in range(20)], step_seconds=0.1)
    assert len(mark.text.splitlines()) == 8
    assert mark.text.endswith("… and 14 more")


@pytest.fixture
def line(application):
    """A line of 1000 steps with two events."""
    line = TimeLine()
    line.setRange(0, 1000)
    line.resize(600, 30)
    line.show()
    marks = [
        EventMark(300, EventKind.COLLISION, "1.250 s\na collision"),
        EventMark(700, EventKind.OUTPUT, "2.917 s\nhello"),
    ]
    line.set_events(marks)
    yield line
    line.hide()


def test_control_with_an_arrow_goes_from_event_to_event(line):
    control = Qt.KeyboardModifier.ControlModifier
    seen = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
        QTest.keyClick(line, key, control)
        seen.append(line.value())
    assert seen == [300, 700, 700, 300]
    QTest.keyClick(line, Qt.Key.Key_Right)
    assert line.value() == 301, "arrows alone go step by step"


def test_a_click_next_to_an_event_goes_to_its_step(line):
    place = QPoint(line.place_of(300) + 3, 15)
    assert line.text_at(place) == "1.250 s\na collision"
    QTest.mouseClick(line, Qt.MouseButton.LeftButton, pos=place)
    assert line.value() == 300


def test_an_event_is_drawn_in_its_colour(line):
    picture = line.grab().toImage()
    red = [
        picture.pixelColor(line.place_of(300), y).red() - picture.pixelColor(10, y).red()
        for y in range(picture.height())
    ]
    colour = picture.pixelColor(line.place_of(300), picture.height() // 2 + 5)
    assert (colour.red(), colour.green(), colour.blue()) == (220, 40, 40), red


def test_a_plot_of_a_replay_holds_the_whole_run_and_seeks_keep_it(application, tmp_path):
    path = tmp_path / "run.mcap"
    states = record_run(path, 60)
    with Record(path) as record:
        node = record.tree.find("r0.box.drive")
        field = node.fields[1]
        first = node.field_offset(field.name) // 8
        step_seconds = record.about.step_seconds
    panel = PlotsPanel()
    run = RecordedRun(path, panel)
    panel.take_present(0.0)
    plot = panel.add("drive", unit="1", labels=("drive",), sample=lambda state: None)
    run.read_values(node, field, lambda whole: panel.show_whole("drive", whole.times, whole.values))
    until(lambda: plot.curves["drive"].is_whole)
    expected = [np.frombuffer(state, np.float64)[first] for state in states]
    series = plot.curves["drive"].series
    for step in (50, 10, 30):
        panel.take_present(step * step_seconds)
        assert np.array_equal(series.values[:, 0], expected)
        (reading,) = plot.readings()
        assert reading[2] == expected[step]
    assert series.times[-1] == pytest.approx(60 * step_seconds)
    run.close()


def test_a_record_that_cannot_be_read_is_reported(application, tmp_path):
    run, said = RecordedRun(tmp_path / "none.mcap", application), []
    run.failed.connect(said.append)
    run.read_events()
    until(lambda: said)
    assert "none.mcap" in said[0]
    run.close()
