"""The topics of a bench: their ends, how often messages come, how late, and what went wrong."""

from collections.abc import Mapping

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from autosim_testbench.window.bench_snapshot import TopicSnapshot

_COLUMNS = (
    ("Topic", "Its name"),
    ("Message", "The kind of its messages"),
    ("Rate", "Messages in a second, over the last two seconds"),
    ("Sent", "Number of messages since the start"),
    ("Lag", "Age of a message's data on arrival: p50 and p99 of the newest messages"),
    ("Lost", "Messages that did not arrive: gaps in their numbers"),
    ("Dropped", "Messages that a node was too slow to take"),
    ("Rejected", "Messages of a wrong type, version or size; hover for the reasons"),
    ("From", "The nodes that publish"),
    ("To", "The nodes that listen now"),
)
_NUMBERS = range(2, 8)
_FAULTS, _REJECTED = range(5, 8), 7


class TopicsTable(QTableWidget):
    """One row for each topic; what went wrong stands out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_COLUMNS), parent)
        for column, (title, tip) in enumerate(_COLUMNS):
            item = QTableWidgetItem(title)
            item.setToolTip(tip)
            self.setHorizontalHeaderItem(column, item)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setAccessibleName("Topics")
        side, top = self.verticalHeader(), self.horizontalHeader()
        assert side is not None
        assert top is not None
        side.hide()
        top.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.setWordWrap(False)
        self._names: tuple[str, ...] = ()

    def show_topics(self, topics: tuple[TopicSnapshot, ...]) -> None:
        """Shows the topics as they are now."""
        names = tuple(each.name for each in topics)
        if names != self._names:
            self._set_rows(names)
        for row, topic in enumerate(topics):
            for column, text in enumerate(_texts(topic)):
                self._write(row, column, text)
            rejected = self.item(row, _REJECTED)
            assert rejected is not None
            rejected.setToolTip(_reasons(topic.rejected))

    def _set_rows(self, names: tuple[str, ...]) -> None:
        self._names = names
        self.setRowCount(len(names))
        for row in range(len(names)):
            for column in range(len(_COLUMNS)):
                item = QTableWidgetItem()
                if column in _NUMBERS:
                    item.setTextAlignment(
                        Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                    )
                self.setItem(row, column, item)

    def _write(self, row: int, column: int, text: str) -> None:
        item = self.item(row, column)
        assert item is not None
        if item.text() == text:
            return
        item.setText(text)
        if column in _FAULTS:
            font = item.font()
            font.setBold(text != "0")
            item.setFont(font)


def _texts(topic: TopicSnapshot) -> tuple[str, ...]:
    return (
        topic.name,
        topic.message,
        "–" if topic.rate_hz is None else f"{topic.rate_hz:.1f} Hz",
        str(topic.sent),
        _lag(topic.lag_ms["p50"], topic.lag_ms["p99"]),
        *map(str, (topic.lost, topic.dropped, sum(topic.rejected.values()))),
        ", ".join(topic.publishers) or "–",
        ", ".join(topic.subscribers) or "–",
    )


def _lag(half: float | None, most: float | None) -> str:
    return "–" if half is None or most is None else f"{half:.1f} / {most:.1f} ms"


def _reasons(rejected: Mapping[str, int]) -> str:
    return "\n".join(f"{number} × {why}" for why, number in rejected.items())
