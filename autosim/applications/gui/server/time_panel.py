"""The time of the simulation: its record, the moments that are kept, the steps of a replay."""

from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QInputDialog,
    QLabel,
    QPushButton,
    QSlider,
    QStyle,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from autosim.client.link.time_control import TimeInfo

_TITLES = ("Moment", "Step", "Time", "Memory")
_DIGEST_CHARACTERS = 16
"""Number of characters of a digest that are shown; the tool tip has them all."""


_PAGES = 20
"""Number of strokes of Page Up that lead from the end of a replay to its beginning."""


class TimeLine(QSlider):
    """A slider that goes where it is clicked, and from there with the mouse."""

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        """Moves the handle below the mouse, so that it is dragged from there on."""
        style = self.style()
        if event is not None and style is not None and event.button() is Qt.MouseButton.LeftButton:
            handle = style.pixelMetric(QStyle.PixelMetric.PM_SliderLength)
            place, room = round(event.position().x()) - handle // 2, self.width() - handle
            self.setValue(
                QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), place, room)
            )
        super().mousePressEvent(event)


class TimePanel(QWidget):
    """Buttons for a record and for moments, and a time line that goes through a replay.

    Signals: `record_wanted` (whether to record); `save_wanted`: the moment on the disk;
    `keep_wanted`, `restore_wanted`, `drop_wanted` (name of a moment); `seek_wanted` (step);
    `back_wanted`: play backwards.
    """

    record_wanted = pyqtSignal(bool)
    save_wanted = pyqtSignal()
    keep_wanted = pyqtSignal(str)
    restore_wanted = pyqtSignal(str)
    drop_wanted = pyqtSignal(str)
    seek_wanted = pyqtSignal(int)
    back_wanted = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.record = QPushButton("&Record", self)
        self.record.setCheckable(True)
        self.record.setToolTip("Record the run to a file in the server's folder for records")
        self.record_label = QLabel(self)
        self.digest = QLabel(self)
        self.digest.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.line = TimeLine(Qt.Orientation.Horizontal, self)
        self.line.setAccessibleName("Time line")
        self.line_label = QLabel(self)
        self.back = QPushButton("Play &backwards", self)
        self.moments = QTableWidget(0, len(_TITLES), self)
        self.moments.setHorizontalHeaderLabels(_TITLES)
        self.moments.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.moments.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        header, numbers = self.moments.horizontalHeader(), self.moments.verticalHeader()
        assert header is not None
        assert numbers is not None
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        numbers.setVisible(False)
        self.keep = QPushButton("&Keep this moment…", self)
        self.save = QPushButton("Save this moment to &disk", self)
        self.save.setToolTip(
            "Write this moment to the server's folder for records, for another day"
        )
        self.restore = QPushButton("&Go back to it", self)
        self.drop = QPushButton("Drop i&t", self)
        self._lay_out()
        self._connect()
        self.show_times(None)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        for widgets in (
            (self.record, self.record_label, None, self.digest),
            (self.line, self.line_label, self.back),
        ):
            row = QHBoxLayout()
            for widget in widgets:
                if widget is None:
                    row.addStretch(1)
                else:
                    row.addWidget(widget, 1 if widget is self.line else 0)
            column.addLayout(row)
        below = QHBoxLayout()
        below.addWidget(self.moments, 1)
        buttons = QVBoxLayout()
        for button in (self.keep, self.save, self.restore, self.drop):
            buttons.addWidget(button)
        buttons.addStretch(1)
        below.addLayout(buttons)
        column.addLayout(below, 1)

    def _connect(self) -> None:
        self.record.clicked.connect(self.record_wanted)
        self.keep.clicked.connect(self._ask_for_name)
        self.save.clicked.connect(self.save_wanted)
        self.restore.clicked.connect(lambda: self.restore_wanted.emit(self._chosen))
        self.drop.clicked.connect(lambda: self.drop_wanted.emit(self._chosen))
        self.moments.itemSelectionChanged.connect(self._show_chosen)
        self.moments.itemDoubleClicked.connect(lambda: self.restore_wanted.emit(self._chosen))
        self.line.valueChanged.connect(self.seek_wanted)
        self.back.clicked.connect(self.back_wanted)

    def show_times(self, info: TimeInfo | None) -> None:
        """Shows what the server says of its time; None: it says nothing."""
        is_live = info is not None and info.replayed is None
        is_replay = info is not None and info.replayed is not None
        for widget in (self.record, self.keep, self.save, self.moments):
            widget.setEnabled(is_live)
        of_live: tuple[QWidget, ...] = (self.record, self.record_label, self.digest, self.moments)
        for part in (*of_live, self.keep, self.save, self.restore, self.drop):
            part.setVisible(not is_replay)
        record = info.record if info is not None else None
        self.record.setChecked(record is not None and not record.failure)
        text = ""
        if record is not None:
            text = record.failure or f"{record.path}: {record.states} states"
            text += f", {record.bytes / 1e6:.1f} MB"
        self.record_label.setText(text)
        digest = info.state_digest if info is not None else ""
        self.digest.setText(f"digest {digest[:_DIGEST_CHARACTERS]}" if digest else "")
        self.digest.setToolTip(f"SHA-256 of all states so far: {digest}" if digest else "")
        self._show_line(info)
        self._show_moments(info)

    def _show_line(self, info: TimeInfo | None) -> None:
        replayed = info.replayed if info is not None else None
        for widget in (self.line, self.line_label, self.back):
            widget.setVisible(replayed is not None)
        if info is None or replayed is None or self.line.isSliderDown():
            return
        with QSignalBlocker(self.line):
            self.line.setRange(*replayed)
            self.line.setPageStep(max(1, (replayed[1] - replayed[0]) // _PAGES))
            self.line.setValue(info.step)
        self.line_label.setText(f"{info.time:.3f} s")

    def _show_moments(self, info: TimeInfo | None) -> None:
        moments = info.moments if info is not None else ()
        chosen = self._chosen
        with QSignalBlocker(self.moments):
            self.moments.setRowCount(len(moments))
            for row, each in enumerate(moments):
                texts = (each.name, f"{each.step}", f"{each.time:.3f} s")
                for place, text in enumerate((*texts, f"{each.bytes / 1e6:.0f} MB")):
                    self.moments.setItem(row, place, QTableWidgetItem(text))
                if each.name == chosen:
                    self.moments.selectRow(row)
        self._show_chosen()

    @property
    def _chosen(self) -> str:
        """The name of the moment in hand, "" where there is none."""
        row = self.moments.currentRow()
        item = self.moments.item(row, 0) if row >= 0 else None
        return item.text() if item is not None else ""

    def _show_chosen(self) -> None:
        for button in (self.restore, self.drop):
            button.setEnabled(bool(self._chosen) and self.moments.isEnabled())

    def _ask_for_name(self) -> None:
        suggested = f"moment {self.moments.rowCount() + 1}"
        name, is_given = QInputDialog.getText(self, "Keep This Moment", "Its name:", text=suggested)
        if is_given and name:
            self.keep_wanted.emit(name)
