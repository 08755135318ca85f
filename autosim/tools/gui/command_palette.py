"""All commands of a window in one list that is filtered as one types."""

from collections.abc import Iterator

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QAction, QKeyEvent, QKeySequence
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHeaderView,
    QLineEdit,
    QMainWindow,
    QMenu,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
)

from autosim.tools.gui.first_size import take_first_size

_ARROW = " ▸ "
"""Text between a menu and what is in it."""

_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
"""Keys that move the selection while the focus is in the filter."""


class CommandPalette(QDialog):
    """Commands of the menus of `window` with their keys; Enter or a double click executes one.

    A row is shown while its menu and its text contain all words of the filter. Commands that are
    disabled at present are listed and cannot be selected.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self.setWindowTitle(f"Commands of {window.windowTitle()}")
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Words of a command")
        self.filter.setAccessibleName("Filter commands")
        self.list = QTreeWidget()
        self.list.setHeaderLabels(["Command", "Key"])
        self.list.setRootIsDecorated(False)
        self.list.setAccessibleName("Commands")
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._rows: list[tuple[QTreeWidgetItem, QAction]] = []
        for text, action in _commands_of(window):
            keys = QKeySequence.listToString(
                action.shortcuts(), QKeySequence.SequenceFormat.NativeText
            )
            row = QTreeWidgetItem([f"✓ {text}" if action.isChecked() else text, keys])
            row.setDisabled(not action.isEnabled())
            self.list.addTopLevelItem(row)
            self._rows.append((row, action))
        header = self.list.header()
        assert header is not None
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(False)
        column = QVBoxLayout(self)
        column.addWidget(self.filter)
        column.addWidget(self.list)
        take_first_size(self, 520, 480)
        self.filter.textChanged.connect(self._show_matches)
        self.filter.returnPressed.connect(self._execute)
        self.list.itemActivated.connect(self._execute)
        self.filter.installEventFilter(self)
        self._show_matches()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: D102, N802
        is_press = isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress
        if isinstance(event, QKeyEvent) and is_press and event.key() in _MOVES:
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def _show_matches(self) -> None:
        """Hides what does not match, and selects the first command that can be executed."""
        words = self.filter.text().casefold().split()
        first: QTreeWidgetItem | None = None
        for row, _ in self._rows:
            text = row.text(0).casefold()
            row.setHidden(not all(word in text for word in words))
            if first is None and not row.isHidden() and not row.isDisabled():
                first = row
        self.list.setCurrentItem(first)

    def _execute(self) -> None:
        chosen = self.list.currentItem()
        action = next((each for row, each in self._rows if row is chosen), None)
        if action is not None and chosen is not None and not chosen.isHidden():
            self.accept()
            action.trigger()


def _commands_of(window: QMainWindow) -> Iterator[tuple[str, QAction]]:
    bar = window.menuBar()
    for action in bar.actions() if bar is not None else []:
        menu = action.menu()
        if menu is not None:
            yield from _commands_in(menu, plain_text(action))


def _commands_in(menu: QMenu, path: str) -> Iterator[tuple[str, QAction]]:
    menu.aboutToShow.emit()  # some menus are filled when they open
    for action in menu.actions():
        below, text = action.menu(), f"{path}{_ARROW}{plain_text(action)}"
        if below is not None:
            yield from _commands_in(below, text)
        elif not action.isSeparator() and plain_text(action):
            yield text, action


def plain_text(action: QAction) -> str:
    """The text of a command without its mnemonic."""
    return action.text().replace("&&", "\0").replace("&", "").replace("\0", "&")
