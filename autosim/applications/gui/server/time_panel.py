"""The time of the simulation: its record, the snapshots, the steps of a replay."""

from PyQt6.QtCore import QModelIndex, QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QInputDialog,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from autosim.applications.gui.server.time_line import TimeLine
from autosim.client.link.time_control import SnapshotInfo, TimeInfo

_TITLES = ("Snapshot", "Step", "Time", "Memory")
_DIGEST_CHARACTERS = 16
"""Number of characters of a digest that are shown; the tool tip has them all."""

_PAGES = 20
"""Number of strokes of Page Up that lead from the end of a replay to its beginning."""

_NAME_WIDTH = 110
"""Width [pixels] for the name of a snapshot on a button: the table has the whole."""

_WIDEST_TIME = "now: 00000.000 s"
"""Text beside the line for which there is always room: the line keeps its length while dragged."""


class TimePanel(QWidget):
    """Buttons for a record and for snapshots, and a time line.

    On the line of a replay one goes through its steps. That of a run leads from the oldest snapshot
    that is kept to now: a place on it chooses the last snapshot before.

    Signals: `record_wanted` (whether to record); `save_wanted`: the snapshot on the disk;
    `keep_wanted`, `restore_wanted`, `drop_wanted` (name of a snapshot); `seek_wanted` (step);
    `back_wanted`: play backwards; `loop_wanted` (step): play on from there.
    """

    record_wanted = pyqtSignal(bool)
    save_wanted = pyqtSignal()
    keep_wanted = pyqtSignal(str)
    restore_wanted = pyqtSignal(str)
    drop_wanted = pyqtSignal(str)
    seek_wanted = pyqtSignal(int)
    back_wanted = pyqtSignal()
    loop_wanted = pyqtSignal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.record = QPushButton("&Record", self)
        self.record.setCheckable(True)
        self.record.setToolTip("Record the run to a file in the server's folder for records")
        self.record_label = QLabel(self)
        self.digest = QLabel(self)
        self.digest.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.line = TimeLine(self)
        self.line_label = QLabel(self)
        self.line_label.setMinimumWidth(self.fontMetrics().horizontalAdvance(_WIDEST_TIME))
        self.back = QPushButton("Play &backwards", self)
        self.loop = QPushButton("&Loop", self)
        self.loop.setCheckable(True)
        self.loop.setToolTip("Play the range again and again: [ and ] on the line bound it")
        self._is_playing = False
        self.snapshots = QTableWidget(0, len(_TITLES), self)
        self.snapshots.setHorizontalHeaderLabels(_TITLES)
        self.snapshots.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.snapshots.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        header, numbers = self.snapshots.horizontalHeader(), self.snapshots.verticalHeader()
        assert header is not None
        assert numbers is not None
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        numbers.setVisible(False)
        self.keep = QPushButton("&Take a snapshot…", self)
        self.save = QPushButton("Save a snapshot to &disk", self)
        self.save.setToolTip("Write a snapshot to the server's folder for records, for another day")
        self.restore = QPushButton("&Go back to it", self)
        self.restore.setMinimumWidth(self.restore.sizeHint().width() + _NAME_WIDTH)
        self.drop = QPushButton("Drop &it", self)
        self._info: TimeInfo | None = None
        self._lay_out()
        self._connect()
        self.show_times(None)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        for widgets in (
            (self.record, self.record_label, None, self.digest),
            (self.line, self.line_label, self.back, self.loop),
        ):
            row = QHBoxLayout()
            for widget in widgets:
                if widget is None:
                    row.addStretch(1)
                else:
                    row.addWidget(widget, 1 if widget is self.line else 0)
            column.addLayout(row)
        below = QHBoxLayout()
        below.addWidget(self.snapshots, 1)
        # In two rows: the panel is usually no higher.
        buttons = QGridLayout()
        for place, button in enumerate((self.keep, self.save, self.restore, self.drop)):
            buttons.addWidget(button, *divmod(place, 2))
        buttons.setRowStretch(2, 1)
        below.addLayout(buttons)
        column.addLayout(below, 1)

    def _connect(self) -> None:
        self.record.clicked.connect(self.record_wanted)
        self.keep.clicked.connect(self._ask_for_name)
        self.save.clicked.connect(self.save_wanted)
        self.restore.clicked.connect(self._go_back)
        self.drop.clicked.connect(lambda: self.drop_wanted.emit(self._chosen))
        self.snapshots.itemSelectionChanged.connect(self._show_chosen)
        self.snapshots.itemDoubleClicked.connect(self._go_back)
        self.line.valueChanged.connect(self._go_along)
        self.line.sliderReleased.connect(self._show_chosen)
        self.line.accepted.connect(self._go_back)
        self.back.clicked.connect(self.back_wanted)

    def show_times(self, info: TimeInfo | None) -> None:
        """Shows what the server says of its time; None: it says nothing."""
        self._info = info
        is_live = info is not None and info.replayed is None
        is_replay = info is not None and info.replayed is not None
        for widget in (self.record, self.keep, self.save, self.snapshots):
            widget.setEnabled(is_live)
        of_live: tuple[QWidget, ...] = (self.record, self.record_label, self.digest, self.snapshots)
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
        self._show_snapshots(info)

    def follow_playback(self, step: int, *, is_playing: bool) -> None:
        """Emits `loop_wanted` where a replay comes to the end of its range and is to loop.

        Args:
            step: that is shown now.
            is_playing: whether the replay runs.
        """
        was_playing, self._is_playing = self._is_playing, is_playing
        is_replay = self._info is not None and self._info.replayed is not None
        first, last = self.line.bounds
        if self.loop.isChecked() and is_replay and was_playing and step >= last > first:
            self._is_playing = False  # the next states may still be those of the end
            self.loop_wanted.emit(first)

    def _show_line(self, info: TimeInfo | None) -> None:
        for button in (self.back, self.loop):
            button.setVisible(info is not None and info.replayed is not None)
        for widget in (self.line, self.line_label):
            widget.setVisible(info is not None)
        if info is None or self.line.isSliderDown():
            return
        snapshots = info.snapshots if info.replayed is None else ()
        steps = [info.step, *(each.step for each in snapshots)]
        first, last = info.replayed or (min(steps), max(steps))
        with QSignalBlocker(self.line):
            self.line.setRange(first, last)
            self.line.setPageStep(max(1, (last - first) // _PAGES))
            texts = ((each.step, f"{each.name}: {each.time:.3f} s") for each in snapshots)
            self.line.set_marks(texts, info.step)
            self.line.setEnabled(first < last)
            if info.replayed is not None:
                self.line.setValue(info.step)
        self.line_label.setText(f"{info.time:.3f} s")

    def _show_snapshots(self, info: TimeInfo | None) -> None:
        snapshots = info.snapshots if info is not None else ()
        chosen = self._chosen
        with QSignalBlocker(self.snapshots):
            self.snapshots.setRowCount(len(snapshots))
            for row, each in enumerate(snapshots):
                texts = (each.name, f"{each.step}", f"{each.time:.3f} s")
                for place, text in enumerate((*texts, f"{each.bytes / 1e6:.0f} MB")):
                    self.snapshots.setItem(row, place, QTableWidgetItem(text))
        self._choose(chosen)

    @property
    def _chosen(self) -> str:
        """The name of the selected snapshot, "" for none."""
        row = self.snapshots.currentRow()
        item = self.snapshots.item(row, 0) if row >= 0 else None
        return item.text() if item is not None else ""

    def _choose(self, name: str) -> None:
        """Selects a snapshot; none if there is none of that name."""
        names = [each.name for each in self._info.snapshots] if self._info is not None else []
        with QSignalBlocker(self.snapshots):
            if name in names:
                self.snapshots.selectRow(names.index(name))
            else:
                self.snapshots.setCurrentIndex(QModelIndex())
                self.snapshots.clearSelection()
        self._show_chosen()

    def _show_chosen(self) -> None:
        chosen = self._chosen
        for button in (self.restore, self.drop):
            button.setEnabled(bool(chosen) and self.snapshots.isEnabled())
        metrics = self.restore.fontMetrics()
        text = metrics.elidedText(chosen, Qt.TextElideMode.ElideRight, _NAME_WIDTH)
        self.restore.setText(f"&Go back to {text.replace('&', '&&') or 'it'}")
        self.restore.setToolTip(chosen)
        if self._info is not None and self._info.replayed is None:
            self._show_on_line(self._info)

    def _show_on_line(self, info: TimeInfo) -> None:
        """Moves the handle to the selected snapshot, or to now, unless it is being dragged."""
        snapshot = next((each for each in info.snapshots if each.name == self._chosen), None)
        if not self.line.isSliderDown():
            with QSignalBlocker(self.line):
                self.line.setValue(snapshot.step if snapshot is not None else info.step)
        self.line.update()
        text = f"now: {info.time:.3f} s" if snapshot is None else f"{snapshot.time:.3f} s"
        self.line_label.setText(text if info.snapshots else "no snapshot yet")

    def _go_along(self, step: int) -> None:
        """Seeks a step of a replay; of a run, selects the last snapshot before it."""
        info = self._info
        if info is not None and info.replayed is None:
            snapshot = snapshot_before(info, step)
            self._choose(snapshot.name if snapshot is not None else "")
        else:
            self.seek_wanted.emit(step)

    def _go_back(self) -> None:
        if self.restore.isEnabled():
            self.restore_wanted.emit(self._chosen)

    def _ask_for_name(self) -> None:
        suggested = f"snapshot {self.snapshots.rowCount() + 1}"
        name, is_given = QInputDialog.getText(self, "Take a Snapshot", "Its name:", text=suggested)
        if is_given and name:
            self.keep_wanted.emit(name)


def snapshot_before(info: TimeInfo, step: int) -> SnapshotInfo | None:
    """The last snapshot at `step` or before; None where now comes after it."""
    earlier = [each for each in info.snapshots if each.step <= step]
    last = max(earlier, key=lambda each: each.step, default=None)
    is_now = info.step <= step and (last is None or last.step <= info.step)
    return None if is_now else last
