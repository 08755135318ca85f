"""Messages and warnings: what the world's files, the server and its programs have to say."""

from PyQt6.QtCore import QModelIndex, QPoint, QSortFilterProxyModel, Qt, QUrl
from PyQt6.QtGui import QDesktopServices, QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from autosim.applications.gui.shared.menus import add_action, copy_text
from autosim.applications.gui.shared.messages.entries import MessageEntry
from autosim.applications.gui.shared.messages.messages_model import (
    MessageColumn,
    MessagesModel,
    place_text,
)

LEVELS = ("info", "warning", "error")
OPENABLE = frozenset({".py", ".xml", ".osm"})
"""Suffixes of files that a click opens: a message may name any file, and a click on a program must
not start it."""

_CHARACTERS = {
    MessageColumn.LEVEL: 15,
    MessageColumn.CLOCK: 11,
    MessageColumn.TIME: 12,
    MessageColumn.SOURCE: 22,
    MessageColumn.PLACE: 22,
}
_SHARES = {MessageColumn.LEVEL: 0.4, MessageColumn.SOURCE: 0.16, MessageColumn.PLACE: 0.16}
"""Largest shares of the panel's width."""

_NARROW = 80
"""Width [characters] below which the panel shows neither the clock nor the place of a message."""

_COLUMN = 55
"""Width [characters] below which it shows neither time nor source: in a column beside other panels
nearly half of it is for the text."""

_MARGIN = 4
"""Pixels on each side of a text in its cell."""


class _Filter(QSortFilterProxyModel):
    """Filters messages by lowest level and text."""

    def __init__(self, model: MessagesModel) -> None:
        super().__init__(model)
        self._model = model
        self._lowest = 0
        self._wanted = ""
        self.setSourceModel(model)

    def choose(self, lowest: int, wanted: str) -> None:
        self._lowest, self._wanted = lowest, wanted.strip().casefold()
        self.invalidate()

    def filterAcceptsRow(self, source_row: int, source_parent: QModelIndex) -> bool:  # noqa: N802
        entry = self._model.entries[source_row]
        if LEVELS.index(entry.level) < self._lowest:
            return False
        return self._wanted in f"{entry.source} {entry.text}".casefold()


class _Table(QTableView):
    """The messages; in a narrow window the text has the room of clocks, files and sources.

    It has that of files too while no message names one.
    """

    def __init__(self, model: MessagesModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._messages = model
        model.rowsInserted.connect(self._show_columns)
        model.modelReset.connect(self._show_columns)

    def is_cut(self, headline: str) -> bool:
        """Whether the column of texts is too narrow for that line."""
        needed = self.fontMetrics().horizontalAdvance(headline) + 2 * _MARGIN
        return needed > self.columnWidth(MessageColumn.TEXT)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802
        super().resizeEvent(event)
        columns = self.horizontalHeader()
        assert columns is not None
        character, room = self.fontMetrics().averageCharWidth(), self.width()
        for column, characters in _CHARACTERS.items():
            share = _SHARES.get(column, 1.0)
            columns.resizeSection(column, min(characters * character, round(share * room)))
        self._show_columns()

    def _show_columns(self) -> None:
        character = self.fontMetrics().averageCharWidth()
        is_narrow = self.width() < _NARROW * character
        is_column = self.width() < _COLUMN * character
        self.setColumnHidden(MessageColumn.TIME, is_column)
        self.setColumnHidden(MessageColumn.SOURCE, is_column)
        self.setColumnHidden(MessageColumn.CLOCK, is_narrow)
        self.setColumnHidden(MessageColumn.PLACE, is_narrow or not self._messages.has_places)


class MessagesPanel(QWidget):
    """The list, its filter, and the whole text of the selected message."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = MessagesModel(self)
        self._filter = _Filter(self.model)
        self.level = QComboBox(self)
        self.level.addItems(["All levels", "Warnings and errors", "Errors"])
        self.level.setAccessibleName("Levels shown")
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Filter messages")
        self.search.setClearButtonEnabled(True)
        self.view = self._make_view()
        self.details = QPlainTextEdit(self)
        self.details.setReadOnly(True)
        self.details.setTabChangesFocus(True)
        self.details.setAccessibleName("Whole message")
        self._lay_out()
        self.level.currentIndexChanged.connect(self._choose)
        self.search.textChanged.connect(self._choose)
        selection = self.view.selectionModel()
        assert selection is not None
        selection.currentRowChanged.connect(self._show_details)

    def _make_view(self) -> _Table:
        view = _Table(self.model, self)
        view.setModel(self._filter)
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setShowGrid(False)
        view.setMinimumHeight(3 * view.fontMetrics().height())
        view.setWordWrap(False)
        view.setTabKeyNavigation(False)
        view.setAccessibleName("Messages and warnings")
        rows, columns = view.verticalHeader(), view.horizontalHeader()
        assert rows is not None
        assert columns is not None
        rows.hide()
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        rows.setDefaultSectionSize(view.fontMetrics().height() + 6)
        columns.setSectionResizeMode(MessageColumn.TEXT, QHeaderView.ResizeMode.Stretch)
        view.doubleClicked.connect(self.open_place)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._open_menu)
        return view

    def _lay_out(self) -> None:
        clear = QPushButton("Clea&r", self)
        clear.clicked.connect(self.model.clear)
        self._open = QPushButton("Open Fil&e", self)
        self._open.setToolTip("Opens the file; its name and line are on the clipboard (Ctrl+G)")
        self._open.clicked.connect(self.open_place)
        QShortcut(QKeySequence("Ctrl+G"), self, self.open_place)
        self.copied = QLabel(self)
        bar = QHBoxLayout()
        bar.addWidget(self.level)
        bar.addWidget(self.search, 1)
        bar.addWidget(self.copied)
        bar.addWidget(self._open)
        bar.addWidget(clear)
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.addWidget(self.view)
        split.addWidget(self.details)
        split.setStretchFactor(0, 1)
        self.details.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(4)
        layout.addLayout(bar)
        layout.addWidget(split, 1)
        self._open.setEnabled(False)

    @property
    def problems(self) -> int:
        """Number of messages that are warnings or errors."""
        return sum(entry.level != "info" for entry in self.model.entries)

    def add(self, entry: MessageEntry) -> None:
        """Adds a message; where the last one was in sight, the new one is too."""
        bar = self.view.verticalScrollBar()
        is_at_end = bar is None or bar.value() >= bar.maximum() - 1
        self.model.add(entry)
        if is_at_end:
            self.view.scrollToBottom()

    def current(self) -> MessageEntry | None:
        """The selected message."""
        entry = self.view.currentIndex().data(Qt.ItemDataRole.UserRole)
        return entry if isinstance(entry, MessageEntry) else None

    def open_place(self) -> None:
        """Opens the file that the message names; file and line are copied for an editor."""
        entry = self.current()
        if entry is None or entry.place is None:
            return
        clipboard = QGuiApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(str(entry.place))
            self.copied.setText(f"copied {place_text(entry.place)}")
        file = entry.place.file
        if file.suffix in OPENABLE and file.is_file():
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(file.resolve())))

    def _open_menu(self, point: QPoint) -> None:
        viewport = self.view.viewport()
        if viewport is not None:
            self.menu().popup(viewport.mapToGlobal(point))

    def menu(self) -> QMenu:
        """Context menu of the selected message, and of all."""
        entry, menu = self.current(), QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        if entry is not None:
            add_action(menu, "&Copy Message", lambda: copy_text(line_of(entry)))
            add_action(menu, "&Open File", self.open_place, is_enabled=entry.place is not None)
            add_action(
                menu, f"&Only Those of {entry.source}", lambda: self.search.setText(entry.source)
            )
        is_filtered = bool(self.search.text()) or self.level.currentIndex() > 0
        add_action(menu, "&Show All Messages", self._show_all, is_enabled=is_filtered)
        menu.addSeparator()
        add_action(menu, "Copy &All Shown", lambda: copy_text("\n".join(self._shown_lines())))
        add_action(menu, "C&lear", self.model.clear)
        return menu

    def _show_all(self) -> None:
        self.search.clear()
        self.level.setCurrentIndex(0)

    def _shown_lines(self) -> list[str]:
        rows = range(self._filter.rowCount())
        entries = (self._filter.index(row, 0).data(Qt.ItemDataRole.UserRole) for row in rows)
        return [line_of(entry) for entry in entries]

    def _choose(self) -> None:
        self._filter.choose(self.level.currentIndex(), self.search.text())

    def _show_details(self) -> None:
        entry = self.current()
        self.copied.clear()
        self._open.setEnabled(entry is not None and entry.place is not None)
        self.details.setVisible(
            entry is not None and ("\n" in entry.text or self.view.is_cut(entry.headline))
        )
        if entry is not None:
            self.details.setPlainText(entry.text)


def line_of(entry: MessageEntry) -> str:
    """A message as one reports it."""
    time = "" if entry.time is None else f" at {entry.time:.3f} s"
    return f"{entry.clock} {entry.level}: {entry.source}{time}: {entry.text}"
