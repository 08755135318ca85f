"""Where plots have their values from, and how they show few of them."""

import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from autosim.applications.gui.server.plots import history as history_module
from autosim.applications.gui.server.plots.history import History
from autosim.applications.gui.server.plots.plot_widget import Plot
from autosim.applications.gui.server.plots.plots_panel import PlotsPanel, reader
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_world
from autosim.model.state import State

SPEED = "impreza.chassis.velocimeter"
TREE = build_tree(load_world("worlds/circle_town.xml"))


def test_a_history_holds_what_is_older_than_the_newest_state(monkeypatch):
    state = State(TREE)
    history = History()

    def add(*times_ns):
        for time_ns in times_ns:
            state.ints[1] = time_ns
            history.add(state)
        return [int(each.ints[1]) for each in history]

    assert add(0, 10, 20, 20) == [0, 10, 20]
    assert add(15) == [0, 10, 15]
    assert add(0) == [0]
    monkeypatch.setattr(history_module, "MOST_BYTES", 3 * len(state.buffer))
    assert add(10, 20, 30, 40) == [20, 30, 40]


def plot_of(*samples, name="car.speed", unit="m/s", labels=("speed",)):
    """A plot of one value, in sight."""
    plot = Plot(name)
    curve = plot.add_curve(name, unit=unit, labels=labels)
    for time, value in samples:
        curve.series.add(time, value)
    plot.resize(480, 240)
    plot.show()
    plot.refresh()
    return plot


def test_a_value_that_is_alone_is_drawn_as_a_dot(application):
    blank, plot = plot_of(), plot_of((0.0, 2.0))
    ink = plot.colour_of(0).rgb()

    def drawn(each):
        picture = each.view.grab().toImage()
        places = [(x, y) for x in range(picture.width()) for y in range(picture.height())]
        return sum(picture.pixel(x, y) == ink for x, y in places)

    assert drawn(plot) > 10
    assert drawn(blank) == 0


def test_a_plot_follows_until_it_is_zoomed_and_again_when_told(application):
    plot = plot_of(*((0.1 * k, k % 7) for k in range(1000)))
    assert plot.view.viewRange()[0] == pytest.approx([79.9, 99.9], abs=0.3)
    QTest.keyClick(plot, Qt.Key.Key_Plus)
    low, high = plot.view.viewRange()[0]
    assert high == pytest.approx(99.9, abs=0.3)
    assert high - low == pytest.approx(20.0 / 1.5, abs=0.3)
    wheel_at(plot, 120)
    low, high = plot.view.viewRange()[0]
    assert high - low < 13.0
    assert not plot.is_following
    assert plot.follow_button.isVisible()
    plot.curves["car.speed"].series.add(200.0, 1.0)
    plot.refresh()
    assert plot.view.viewRange()[0] == pytest.approx([low, high])
    QTest.keyClick(plot, Qt.Key.Key_A)
    assert plot.view.viewRange()[0][1] == pytest.approx(200.0, abs=0.3)
    assert not plot.follow_button.isVisible()


def wheel_at(plot, turn):
    middle = QPointF(plot.view.viewport().rect().center())
    event = QWheelEvent(
        middle,
        plot.view.viewport().mapToGlobal(middle),
        QPoint(),
        QPoint(0, turn),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(plot.view.viewport(), event)


def test_the_cursor_reads_the_values_beside_it(application):
    plot = plot_of((0.0, [1.0, 5.0]), (1.0, [2.0, 6.0]), (2.0, [3.0, 7.0]), labels=("x", "y"))
    assert [value for _, _, value in plot.readings()] == [3.0, 7.0]
    plot.read(0.9)
    assert list(plot.readings()) == [("car.speed.x", "m/s", 2.0), ("car.speed.y", "m/s", 6.0)]
    assert "at 0.900 s" in plot.legend.text()
    plot.read(None)
    assert "at " not in plot.legend.text()


def test_a_curve_without_values_yet_shows_none(application):
    assert "nan" not in plot_of().legend.text()


def test_values_not_finite_are_gaps(application):
    plot = plot_of((0.0, 1.0), (1.0, float("inf")), (2.0, 3.0))
    low, high = plot.view.viewRange()[1]
    assert 0.0 < low < 1.0 < 3.0 < high < 4.0


def test_several_values_share_a_plot_and_are_exported(application, tmp_path):
    plot = plot_of((0.0, 1.0), (1.0, 2.0))
    other = plot.add_curve("car.gear", unit="", labels=("gear",))
    other.series.add(1.0, 3.0)
    plot.refresh()
    plot.write_csv(tmp_path / "values.csv")
    assert (tmp_path / "values.csv").read_text().splitlines() == [
        "time [s],car.speed [m/s],car.gear",
        "0.0,1.0,",
        "1.0,2.0,3.0",
    ]
    plot.write_picture(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    plot.write_picture(tmp_path / "plot.svg")
    assert "<svg" in (tmp_path / "plot.svg").read_text()
    with pytest.raises(OSError, match="none"):
        plot.write_picture(tmp_path / "none" / "plot.png")
    plot.remove_curve("car.gear")
    assert [name for name, _, _ in plot.readings()] == ["car.speed"]


def test_no_number_of_an_axis_is_cut(application):
    plot = plot_of((0.0, -123456.789), (1.0, -123456.123))
    axis = plot.view.getPlotItem().getAxis("left")
    widest = max(
        plot.fontMetrics().horizontalAdvance(text)
        for values in axis.tickValues(*axis.range, axis.height())
        for text in axis.tickStrings(values[1], 1.0, values[0])
    )
    assert axis.width() > widest


def test_a_plot_of_a_robot_that_is_gone_says_so(application):
    panel = PlotsPanel()
    panel.show()
    node = TREE.find(SPEED)
    panel.take(State(TREE))
    plot = panel.add(SPEED, unit="m/s", labels=("speed",), sample=reader(SPEED, node.fields[0]))
    assert not plot.note.isVisible()
    panel.take(State(build_tree(load_world("worlds/yard.xml"))))
    application.processEvents()
    assert plot.note.isVisible()
    assert f"{SPEED} is no longer in the world" in plot.note.text()
    assert panel.menu_of(SPEED).actions()[0].text() == "&Follow the Newest (A)"


def test_a_value_comes_into_a_plot_of_others_and_out_again(application):
    panel = PlotsPanel()
    panel.take(State(TREE))
    for name, into in ((SPEED, ""), ("step", SPEED), ("step", SPEED)):
        node = TREE.find(SPEED)
        sample = reader(SPEED, node.fields[0])
        panel.add(name, unit="", labels=("x",), sample=sample, into=into)
    assert panel.names == (SPEED,)
    assert panel.curves_of(SPEED) == (SPEED, "step")
    panel.take_out(SPEED)
    assert panel.curves_of(SPEED) == ("step",)
    panel.take_out("step")
    assert panel.names == ()


def test_a_plot_of_another_world_shows_only_what_that_world_has():
    read = reader(SPEED, TREE.find(SPEED).fields[0])
    assert read(State(TREE)) == 0.0
    assert read(State(build_tree(load_world("worlds/yard.xml")))) is None
