"""The tree under a mouse."""

import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from autosim.applications.gui.shared.objects.objects_panel import ObjectsPanel
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_world
from autosim.model.state import State
from autosim.model.tree import WORD
from tests.applications.gui.driving import until


def test_a_double_click_far_below_plots_the_row_though_an_actuator_will_be_shown_there(application):
    world = load_world("worlds/circle_town.xml")
    panel, plotted = ObjectsPanel(), []
    panel.plot_wanted.connect(lambda row: plotted.append(row.path))
    panel.show_world(world, State(build_tree(world)))
    panel.resize(500, 500)
    panel.show()
    QTest.qWaitForWindowExposed(panel)
    view = panel.view
    place = view.viewport().rect().bottomLeft()
    place.setX(60)
    place.setY(place.y() - 8)
    row = panel.model.row_of(view.indexAt(place))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert panel.model.row_of(view.indexAt(place)) is row, "the tree does not move under the mouse"
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert plotted == [row.path] or row.field is None
    until(panel.actuator.isVisible)
    panel.close()


def test_a_slider_in_hand_follows_its_actuator_again_once_it_is_released(application):
    world = load_world("worlds/circle_town.xml")
    panel, state = ObjectsPanel(), State(build_tree(world))
    panel.show_world(world, state)
    panel.resize(500, 600)
    panel.show()
    panel.activateWindow()
    QTest.qWaitForWindowActive(panel)
    panel.select("impreza.chassis.reverse_right")
    (editor,) = panel.actuator.editors.values()
    editor.number.setFocus()
    until(editor.number.hasFocus)
    editor.number.setValue(0.5)
    panel.refresh()
    assert editor.number.value() == 0.5
    panel.release_actuator()
    panel.refresh()
    assert editor.number.value() == 0.0
    panel.close()


def test_an_entered_number_shows_what_the_simulation_makes_of_it(application):
    world = load_world("worlds/circle_town.xml")
    panel, state = ObjectsPanel(), State(build_tree(world))
    panel.show_world(world, state)
    panel.show()
    panel.activateWindow()
    QTest.qWaitForWindowActive(panel)
    panel.select("impreza.chassis.reverse_right")
    (editor,) = panel.actuator.editors.values()
    editor.number.setFocus()
    until(editor.number.hasFocus)
    editor.number.setValue(0.5)
    word = panel.actuator.node.start // WORD
    for value in (0.5, 0.25):  # it is set, and then set back, by undo for one
        state.floats[word] = value
        panel.refresh()
        assert editor.number.value() == value
    panel.close()
