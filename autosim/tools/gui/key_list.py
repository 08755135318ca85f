"""The keys of a window, read from its menus, so that the list is always true."""

from collections.abc import Iterator, Sequence

from PyQt6.QtGui import QKeySequence
from PyQt6.QtWidgets import (
    QDialog,
    QHeaderView,
    QMainWindow,
    QMenu,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
)

from autosim.tools.gui.first_size import take_first_size

KeyRow = tuple[str, str]
"""An action, and the key or button that does it."""

OTHERS = "Keys and mouse"


class KeyList(QDialog):
    """All keys of the menus of `window`, menu by menu, and below them `more`."""

    def __init__(self, window: QMainWindow, more: Sequence[KeyRow] = ()) -> None:
        super().__init__(window)
        self.setWindowTitle(f"Keys of {window.windowTitle()}")
        self.list = QTreeWidget()
        self.list.setHeaderLabels(["Command", "Key"])
        self.list.setRootIsDecorated(False)
        self.list.setAccessibleName("Keys")
        for title, rows in self._groups(window, more):
            group = QTreeWidgetItem([title])
            self.list.addTopLevelItem(group)
            group.addChildren([QTreeWidgetItem(list(row)) for row in rows])
            group.setExpanded(True)
        header = self.list.header()
        assert header is not None
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(False)
        column = QVBoxLayout(self)
        column.addWidget(self.list)
        take_first_size(self, 460, 560)

    def _groups(
        self, window: QMainWindow, more: Sequence[KeyRow]
    ) -> Iterator[tuple[str, list[KeyRow]]]:
        bar = window.menuBar()
        for action in bar.actions() if bar is not None else []:
            menu = action.menu()
            rows = list(_rows(menu)) if menu is not None else []
            if rows:
                yield _plain(action.text()), rows
        if more:
            yield OTHERS, list(more)


def _rows(menu: QMenu) -> Iterator[KeyRow]:
    for action in menu.actions():
        below = action.menu()
        if below is not None:
            yield from _rows(below)
        elif not action.shortcut().isEmpty():
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            yield _plain(action.text()), keys


def _plain(text: str) -> str:
    return text.replace("&", "").rstrip("…")
