"""The messages of a window as the rows of a table."""

from collections import deque
from enum import IntEnum

from PyQt6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import QStyle

from autosim.applications.gui.shared.messages.entries import MessageEntry, MessageLocation

MAX_ENTRIES = 5000
"""Largest number of messages that a window keeps."""


class MessageColumn(IntEnum):
    """The columns, from the left."""

    LEVEL = 0
    CLOCK = 1
    TIME = 2
    SOURCE = 3
    TEXT = 4
    PLACE = 5


_TITLES = ("Level", "Clock", "Time", "Source", "Message", "File")
_ICONS = {
    "info": QStyle.StandardPixmap.SP_MessageBoxInformation,
    "warning": QStyle.StandardPixmap.SP_MessageBoxWarning,
    "error": QStyle.StandardPixmap.SP_MessageBoxCritical,
}


class MessagesModel(QAbstractTableModel):
    """The newest messages, oldest first. `has_places`: one since the last `clear` names a file."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.entries: deque[MessageEntry] = deque()
        self.has_places = False

    def add(self, entry: MessageEntry) -> None:
        """Adds a message; the oldest goes where there are too many."""
        if len(self.entries) == MAX_ENTRIES:
            self.beginRemoveRows(QModelIndex(), 0, 0)
            self.entries.popleft()
            self.endRemoveRows()
        row = len(self.entries)
        self.beginInsertRows(QModelIndex(), row, row)
        self.entries.append(entry)
        self.has_places = self.has_places or entry.place is not None
        self.endInsertRows()

    def clear(self) -> None:
        """Forgets all messages."""
        self.beginResetModel()
        self.entries.clear()
        self.has_places = False
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008, D102, N802
        return 0 if parent.isValid() else len(self.entries)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008, D102, N802
        return len(MessageColumn)

    def headerData(  # noqa: D102, N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _TITLES[section]
        return None

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:  # noqa: D102
        if not index.isValid():
            return None
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(entry, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return entry.text
        if role == Qt.ItemDataRole.UserRole:
            return entry
        if role == Qt.ItemDataRole.DecorationRole and index.column() == MessageColumn.LEVEL:
            return _icon(entry.level)
        return None


def _text(entry: MessageEntry, column: int) -> str:
    match column:
        case MessageColumn.LEVEL:
            return entry.level
        case MessageColumn.CLOCK:
            return entry.clock
        case MessageColumn.TIME:
            return "" if entry.time is None else f"{entry.time:.3f} s"
        case MessageColumn.SOURCE:
            return entry.source
        case MessageColumn.TEXT:
            return entry.headline
    return "" if entry.place is None else place_text(entry.place)


def place_text(place: MessageLocation) -> str:
    """File and line, without the folder."""
    return f"{place.file.name}:{place.line}"


def _icon(level: str) -> object:
    style = QGuiApplication.instance().style()  # type: ignore[union-attr]
    return style.standardIcon(_ICONS[level])
