"""Panels that can be docked, forms that fold, and colours: kept for the next time."""

import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtCore import QSettings, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QTreeWidget,
    QVBoxLayout,
    QWidget,
)

from autosim.applications.gui.shared.layout.foldable import Foldable
from autosim.applications.gui.shared.layout.panel_docks import Area, PanelDocks
from autosim.applications.gui.shared.layout.window_appearance import (
    Appearance,
    AppearanceMenu,
    is_dark_palette,
    use_appearance,
)


@pytest.fixture
def settings(application, tmp_path):
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


class Docked:
    """A window with three panels, of which two share a place."""

    def __init__(self, settings):
        self.window = QMainWindow()
        self.window.resize(800, 600)
        self.docks = PanelDocks(self.window, settings)
        self.tree, self.map, self.plots = QLabel("tree"), QLabel("map"), QLabel("plots")
        self.docks.add(self.tree, "Tree", Area.LeftDockWidgetArea)
        self.docks.add(self.map, "Map", Area.RightDockWidgetArea)
        self.docks.add(self.plots, "Plots", Area.RightDockWidgetArea, tabbed_with=self.map)
        self.docks.raise_panel(self.map)
        self.docks.remember_first()
        self.docks.restore()
        self.window.show()
        QTest.qWaitForWindowExposed(self.window)

    def shown(self):
        QApplication.processEvents()
        panels = (self.tree, self.map, self.plots)
        return [panel.text() for panel in panels if self.docks.is_in_front(panel)]

    def close(self):
        self.docks.save()
        self.window.close()


def test_a_layout_is_there_again_the_next_time_and_can_be_reset(settings):
    first = Docked(settings)
    assert first.shown() == ["tree", "map"]
    first.docks.raise_panel(first.plots)
    first.tree.parentWidget().parentWidget().close()
    assert first.shown() == ["plots"]
    first.close()
    second = Docked(settings)
    assert second.shown() == ["plots"]
    second.docks.reset()
    assert second.shown() == ["tree", "map"]
    second.close()


def test_panels_hide_and_come_back_together(settings):
    made = Docked(settings)
    made.docks.toggle_all()
    assert made.shown() == []
    made.docks.toggle_all()
    assert made.shown() == ["tree", "map"]
    made.docks.raise_panel(made.plots)
    made.docks.resize({made.tree: 300, made.plots: 490}, Qt.Orientation.Horizontal)
    assert made.shown() == ["tree", "plots"]
    width = made.tree.width()
    made.docks.toggle_all()
    assert made.shown() == []
    made.docks.toggle_all()
    assert made.shown() == ["tree", "plots"], "the panel in front is in front again"
    assert made.tree.width() == width
    made.docks.raise_panel(made.map)
    made.docks.show_none(True)
    assert made.shown() == []
    made.docks.show_none(False)
    assert made.shown() == ["tree", "map"]
    made.close()


def test_the_keys_of_panels_bring_them_to_the_front(settings):
    made = Docked(settings)
    menu = QMenu(made.window)
    made.docks.fill_menu(menu, {made.map: "Ctrl+2", made.plots: "Ctrl+3"})
    made.window.activateWindow()
    QTest.qWaitForWindowActive(made.window)
    QTest.keyClick(made.window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert made.shown() == ["tree", "plots"]
    QTest.keyClick(made.window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert made.shown() == ["tree", "map"]
    QTest.keyClick(made.window, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    assert made.shown() == []
    made.close()


def test_a_panel_that_is_brought_to_the_front_takes_the_keys(settings):
    made = Docked(settings)
    panel = QWidget()
    column, field, tree = QVBoxLayout(panel), QLineEdit(), QTreeWidget()
    column.addWidget(field)
    column.addWidget(tree)
    made.docks.add(panel, "Objects", Area.BottomDockWidgetArea)
    made.window.activateWindow()
    QTest.qWaitForWindowActive(made.window)
    field.setFocus()
    made.docks.bring(panel)
    assert QApplication.focusWidget() is tree
    made.close()


def test_a_click_folds_a_form_which_stays_so(settings):
    form = QLabel("fields")
    fold = Foldable("World", form)
    fold.show()
    assert form.isVisible()
    QTest.mouseClick(fold.header, Qt.MouseButton.LeftButton)
    assert fold.is_folded
    assert not form.isVisible()
    fold.save(settings)
    again = Foldable("World", QLabel("fields"))
    again.restore(settings)
    assert again.is_folded


def test_dark_colours_are_used_and_remembered(settings):
    window = QMainWindow()
    try:
        menu = AppearanceMenu(settings, window)
        was_dark = is_dark_palette(QApplication.palette())
        menu.choices[Appearance.DARK].trigger()
        assert is_dark_palette(QApplication.palette())
        menu.choices[Appearance.LIGHT].trigger()
        assert not is_dark_palette(QApplication.palette())
        menu.choices[Appearance.SYSTEM].trigger()
        assert is_dark_palette(QApplication.palette()) is was_dark
        menu.choices[Appearance.DARK].trigger()
        use_appearance(Appearance.SYSTEM)
        assert AppearanceMenu(settings, window).choices[Appearance.DARK].isChecked()
        assert is_dark_palette(QApplication.palette())
    finally:
        use_appearance(Appearance.SYSTEM)


def test_the_frame_of_an_unticked_box_stands_out_from_dark_ground(application):
    box = QCheckBox("Safe mode")
    try:
        use_appearance(Appearance.DARK)
        box.show()
        QApplication.processEvents()
        image = box.grab().toImage()
        ground = image.pixelColor(image.width() - 1, 0).lightness()
        row = [image.pixelColor(x, image.height() // 2).lightness() for x in range(10)]
        assert max(abs(each - ground) for each in row) > 60
        use_appearance(Appearance.LIGHT)
        assert not application.styleSheet()
    finally:
        box.close()
        use_appearance(Appearance.SYSTEM)


def test_a_panel_that_comes_in_front_leaves_the_others_their_size(settings):
    made = Docked(settings)
    made.docks.resize({made.tree: 300, made.map: 500}, Qt.Orientation.Horizontal)
    made.map.setMinimumSize(200, 100)
    QApplication.processEvents()
    before = made.tree.width()
    for panel in (made.plots, made.map, made.plots):
        made.docks.raise_panel(panel)
        made.window.resize(made.window.width() + 1, made.window.height())
        QApplication.processEvents()
        assert abs(made.tree.width() - before) <= 3
    made.close()
