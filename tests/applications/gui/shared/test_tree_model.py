"""The tree's model and view, with a hundred robots of twenty devices."""

import numpy as np
import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import Qt
from PyQt6.QtTest import QAbstractItemModelTester, QTest

from autosim.applications.gui.shared.objects.objects_panel import TreeView, rows_to_show
from autosim.applications.gui.shared.objects.tree_model import (
    TreeColumn,
    TreeModel,
    is_plottable,
    lay_rows,
)
from autosim.loading.loader import load_robot
from autosim.model.state import State
from autosim.model.tree import Column as ListColumn
from autosim.model.tree import SimulationTree, TreeNode, list_field
from tests.kinds.rig import device_node, register_robot
from tests.userprogram.rig import tree_of

ROBOTS = 100
DEVICES = ("DriveActuator", "WheelDevice", "PSDSensor", "GPSSensor", "Camera") * 4


def make_state(robots=ROBOTS):
    tree = SimulationTree()
    for number in range(robots):
        part = register_robot(tree, f"robot{number}")
        for place, kind in enumerate(DEVICES):
            part.register(device_node(kind, f"device{place}"))
    tree.lay_out()
    return State(tree)


class CountingModel(TreeModel):
    """Counts the values that are read."""

    reads = 0

    def value(self, row):
        self.reads += 1
        return super().value(row)


def test_qt_finds_no_fault_with_the_model(application):
    model = TreeModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show(make_state(3))
    model.refresh()
    model.show(make_state(2))
    assert tester.model() is model
    assert model.rowCount() == 2 + 2  # step, time, two robots


def test_a_refresh_is_one_signal_and_reads_only_what_is_seen(application, complaints):
    model = CountingModel()
    view = TreeView(model)
    state = make_state()
    model.show(state)
    view.expandAll()
    view.resize(600, 400)
    view.show()
    application.processEvents()
    view.grab()
    signals = []
    model.dataChanged.connect(lambda *arguments: signals.append(arguments))
    model.reads = 0
    state.ints[0] = 7
    model.refresh()
    view.grab()
    shown = view.height() // view.visualRect(model.index(0, 0)).height() + 2
    assert len(signals) == 1
    assert 0 < model.reads <= 2 * shown
    assert model.index(0, TreeColumn.VALUE).data() == "7"
    view.close()


def test_a_refresh_draws_rows_of_all_depths_again(application, complaints):
    model = CountingModel()
    view = TreeView(model)
    model.show(make_state(1))
    view.expandAll()
    view.resize(600, 400)
    view.show()
    QTest.qWaitForWindowExposed(view)
    while model.reads:
        model.reads = 0
        application.processEvents()
    model.refresh()
    application.processEvents()
    assert model.reads > 10
    view.close()


def test_the_same_tree_again_keeps_what_is_unfolded(application):
    model = TreeModel()
    view = TreeView(model)
    model.show(make_state(3))
    view.expand(model.find("robot1"))
    view.setCurrentIndex(model.find("robot1.chassis"))
    assert model.show(make_state(3)) is False
    assert view.isExpanded(model.find("robot1"))
    assert model.row_of(view.currentIndex()).path == "robot1.chassis"


def test_a_device_with_one_value_carries_it_in_its_own_row(application):
    model = TreeModel()
    state = make_state(1)
    model.show(state)
    sensor = model.find("robot0.chassis.device2")
    node = state.tree.find("robot0.chassis.device2")
    state.floats[node.start // 8] = 1.5
    assert model.rowCount(sensor) == 0
    assert sensor.siblingAtColumn(TreeColumn.VALUE).data() == "1.5000"
    assert sensor.siblingAtColumn(TreeColumn.UNIT).data() == "m"


def test_a_robots_state_is_written_as_a_word(application):
    model = TreeModel()
    state = make_state(1)
    model.show(state)
    state.ints[state.tree.find("robot0").start // 8] = 2
    assert model.find("robot0.device_state").siblingAtColumn(TreeColumn.VALUE).data() == "BLOCKED"


def test_an_edit_sends_all_values_of_the_actuator_with_the_new_one(application):
    model = TreeModel()
    state = make_state(1)
    model.show(state)
    sent = []
    model.edited.connect(lambda *arguments: sent.append(arguments))
    brake = model.find("robot0.chassis.device0.brake").siblingAtColumn(TreeColumn.VALUE)
    assert model.setData(brake, "0,5")
    assert sent == [("robot0.chassis.device0", [0.0, 0.0, 0.5, 0.0, 0.0])]
    assert not model.setData(brake, "much")


def test_a_sensor_cannot_be_edited(application):
    from PyQt6.QtCore import Qt

    model = TreeModel()
    model.show(make_state(1))
    sensor = model.find("robot0.chassis.device2").siblingAtColumn(TreeColumn.VALUE)
    assert not model.flags(sensor) & Qt.ItemFlag.ItemIsEditable


def test_a_filter_shows_matches_what_is_above_and_what_is_below():
    rows = lay_rows(make_state(2).tree)
    shown = rows_to_show(rows, "robot1.chassis.device1.")
    names = {row.path for row in rows if shown[row.number]}
    assert {"robot1", "robot1.chassis", "robot1.chassis.device1.load"} <= names
    assert not any(name.startswith("robot0") for name in names)


def test_a_scan_is_shown_by_its_ends_and_not_plotted(application):
    tree = SimulationTree()
    register_robot(tree, "robot").register(device_node("LidarSensor", "lidar"))
    model = TreeModel()
    model.show(State(tree.lay_out()))
    ranges, newest = (
        model.find(f"robot.chassis.lidar.{name}") for name in ("ranges", "newest_column")
    )
    text = model.data(ranges.siblingAtColumn(TreeColumn.VALUE))
    assert text.endswith("0.0000  (16 × 360 numbers)")
    assert len(text) < 120
    assert not is_plottable(model.row_of(ranges))
    assert is_plottable(model.row_of(newest))


def test_a_tip_tells_what_a_node_is_and_what_its_value_means(application):
    tree = tree_of(load_robot("robots/impreza.xml"), "car")
    model = TreeModel()
    model.show(State(tree))
    tip = model.data(model.find("car.chassis.psd_front"), Qt.ItemDataRole.ToolTipRole)
    assert "Position sensitive device: the distance to the nearest body or surface" in tip
    assert tip.endswith("To the nearest surface along the ray; Range where there is none.")


def test_a_list_shows_how_many_rows_it_has_and_the_first_ones(application):
    tree = SimulationTree()
    rows = list_field("rows", (ListColumn("x", "m"), ListColumn("y", "m")), 40)
    plan = tree.register(TreeNode("car", "Robot")).register(
        TreeNode("plan", "Publication", (rows,))
    )
    state = State(tree.lay_out())
    model = TreeModel()
    model.show(state)
    index = model.find("car.plan")
    value = index.siblingAtColumn(TreeColumn.VALUE)
    assert model.data(value) == "0 of 40 rows"
    state.write_rows(plan, rows, np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert model.data(value) == "2 of 40 rows: 1.0000 2.0000 | 3.0000 4.0000"
    state.write_rows(plan, rows, np.ones((40, 2)))
    assert model.data(value) == "40 of 40 rows: 1.0000 1.0000 … 1.0000 1.0000"
    assert "x [m], y [m]" in model.data(value, Qt.ItemDataRole.ToolTipRole)
    assert not is_plottable(model.row_of(index))
