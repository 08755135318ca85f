"""The dockable panels of a window, and their remembered layout."""

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import QByteArray, QObject, QSettings, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QKeySequence, QResizeEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QDockWidget,
    QMainWindow,
    QMenu,
    QTabWidget,
    QWidget,
)

LAYOUT_VERSION = 1
"""Version of the set of panels: a layout that was remembered for another set is not restored."""

Area = Qt.DockWidgetArea


_LARGEST_LEAST = QSize(260, 84)
"""Largest size [pixels] on which a panel insists: several of them fit on a small screen."""


class _Holder(QWidget):
    """Fills itself with a panel, and keeps its sizes while that is hidden.

    Otherwise a panel behind another one would give the place that they share another size.
    """

    def __init__(self, panel: QWidget) -> None:
        super().__init__()
        self._panel = panel
        panel.setParent(self)
        self.setSizePolicy(panel.sizePolicy())

    def sizeHint(self) -> QSize:  # noqa: N802
        return self._panel.sizeHint()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        hint, least = self._panel.minimumSizeHint(), self._panel.minimumSize()
        return hint.expandedTo(least).boundedTo(_LARGEST_LEAST)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._panel.setGeometry(self.rect())


def _focused_part(panel: QWidget) -> QWidget:
    """The part of a panel that takes the keys when the panel is brought to the front."""
    if panel.focusPolicy() is not Qt.FocusPolicy.NoFocus:
        return panel
    parts: list[QWidget] = [*panel.findChildren(QAbstractItemView), *panel.findChildren(QWidget)]
    usable = (
        each
        for each in parts
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus
        and each.isVisibleTo(panel)
        and each.isEnabled()
    )
    return next(usable, panel)


class PanelDocks(QObject):
    """Panels that can be moved, tabbed, floated and closed.

    Args:
        window: has the panels.
        settings: where the layout is kept.

    Signal `changed`: other panels can be seen.
    """

    changed = pyqtSignal()

    def __init__(self, window: QMainWindow, settings: QSettings) -> None:
        super().__init__(window)
        self._window, self._settings = window, settings
        self._docks: dict[QWidget, QDockWidget] = {}
        self._first = QByteArray()
        self._before: QByteArray | None = None
        self._hidden: QByteArray | None = None
        window.setDockNestingEnabled(True)
        window.setTabPosition(Area.AllDockWidgetAreas, QTabWidget.TabPosition.North)

    def add(
        self, panel: QWidget, title: str, area: Area, *, tabbed_with: QWidget | None = None
    ) -> None:
        """Docks a panel at a side of the window.

        Args:
            panel: to dock.
            title: of its dock, and its name in a remembered layout.
            area: the side.
            tabbed_with: a panel that is docked there already, whose place this one shares.
        """
        dock = QDockWidget(title, self._window)
        dock.setObjectName(title)
        dock.setWidget(_Holder(panel))
        self._docks[panel] = dock
        self._window.addDockWidget(area, dock)
        if tabbed_with is not None:
            self._window.tabifyDockWidget(self._docks[tabbed_with], dock)
        dock.visibilityChanged.connect(partial(self._show_panel, panel))

    def _show_panel(self, panel: QWidget, is_shown: bool) -> None:
        # Qt only moves hidden tabs out of sight: their panels would continue to work, and their
        # letters with Alt would be ambiguous.
        panel.setVisible(is_shown)
        self.changed.emit()

    def resize(self, sizes: dict[QWidget, int], orientation: Qt.Orientation) -> None:
        """Gives the docks of panels these sizes [pixels], as far as the window has room."""
        docks = [self._docks[panel] for panel in sizes]
        self._window.resizeDocks(docks, list(sizes.values()), orientation)

    def raise_panel(self, panel: QWidget) -> None:
        """Shows a panel, in front of those that share its place; the focus stays."""
        dock = self._docks[panel]
        dock.show()
        dock.raise_()

    def bring(self, panel: QWidget) -> None:
        """Shows a panel and gives its tree, table or first field the focus."""
        self.raise_panel(panel)
        _focused_part(panel).setFocus()

    def is_in_front(self, panel: QWidget) -> bool:
        """Whether a panel is shown, and no other in front of it."""
        return not panel.isHidden() and not self._docks[panel].isHidden()

    def set_title(self, panel: QWidget, title: str) -> None:
        """Writes another title over a panel."""
        self._docks[panel].setWindowTitle(title)

    def fill_menu(self, menu: QMenu, keys: dict[QWidget, str]) -> None:
        """Adds to a menu what shows each panel, hides all, and restores the first layout."""
        for panel, key in keys.items():
            self._add(menu, self._docks[panel].objectName(), key, partial(self.bring, panel))
        self._add(menu, "&Hide or Show the Panels", "Ctrl+J", self.toggle_all)
        shown = QMenu("Pa&nels Shown", menu)
        shown.aboutToShow.connect(lambda: self._fill_shown(shown))
        menu.addMenu(shown)
        self._add(menu, "Reset the La&yout", "", self.reset)

    def _fill_shown(self, menu: QMenu) -> None:
        menu.clear()
        for dock in self._docks.values():
            menu.addAction(dock.toggleViewAction())

    def _add(self, menu: QMenu, text: str, keys: str, do: Callable[[], None]) -> None:
        action = QAction(text, menu)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda: do())  # without the signal's argument
        menu.addAction(action)
        # So that its key works also where the menu bar is hidden.
        self._window.addAction(action)

    def toggle_all(self) -> None:
        """Hides all panels that are shown; shows these again, as they were, where none is."""
        if any(not dock.isHidden() for dock in self._docks.values()):
            self._hidden = self._window.saveState(LAYOUT_VERSION)
            for dock in self._docks.values():
                dock.hide()
        elif self._hidden is not None:
            self._window.restoreState(self._hidden, LAYOUT_VERSION)
        else:
            for dock in self._docks.values():
                dock.show()

    def show_none(self, is_on: bool) -> None:
        """Hides all panels, as for a full screen; or restores the layout before that."""
        if is_on:
            self._before = self._window.saveState(LAYOUT_VERSION)
            for dock in self._docks.values():
                dock.hide()
        elif self._before is not None:
            self._window.restoreState(self._before, LAYOUT_VERSION)
            self._before = None

    def remember_first(self) -> None:
        """Takes the present layout as that which `reset` restores."""
        self._first = self._window.saveState(LAYOUT_VERSION)

    def reset(self) -> None:
        """Restores the first layout."""
        self._window.restoreState(self._first, LAYOUT_VERSION)

    def save(self) -> None:
        """Keeps the shape of the window and of its panels for the next time."""
        self._settings.setValue("geometry", self._window.saveGeometry())
        self._settings.setValue("layout", self._window.saveState(LAYOUT_VERSION))

    def restore(self) -> None:
        """Takes the shape of last time, where there is one."""
        geometry, layout = self._settings.value("geometry"), self._settings.value("layout")
        if isinstance(geometry, QByteArray):
            self._window.restoreGeometry(geometry)
        if isinstance(layout, QByteArray):
            self._window.restoreState(layout, LAYOUT_VERSION)
