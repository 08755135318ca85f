"""A record that is replayed: its values over the whole run, and its events."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

from autosim.applications.gui.server.replay.run_events import EVENTS, marks_of
from autosim.applications.gui.shared.background_calls import BackgroundCalls
from autosim.applications.records.value_batches import batches
from autosim.arrays import Floats
from autosim.model.tree import WORD, Field, FieldType, TreeNode
from autosim.model.value_columns import ValueColumn
from autosim.records.record_file import Record


@dataclass(frozen=True, slots=True)
class WholeCurve:
    """The values of one field over a whole record: `times` (n,) [s], `values` (n, components)."""

    times: Floats
    values: Floats


class RecordedRun(QObject):
    """Reads a record in other threads.

    Args:
        path: of the record.
        parent: owns this.

    Signals: `events_read` (a list of `EventMark`) after `read_events`; `failed` (text): the record
    cannot be read.
    """

    events_read = pyqtSignal(list)
    failed = pyqtSignal(str)

    def __init__(self, path: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._path = path
        self._calls = BackgroundCalls(self)

    def read_events(self) -> None:
        """Reads what happened in the run; `events_read` follows."""

        def read() -> object:
            with Record(self._path) as record:
                step_seconds = record.about.step_seconds
                return marks_of(record.events(EVENTS), step_seconds=step_seconds)

        self._calls.submit(read, on_result=self.events_read.emit, on_error=self._complain)

    def read_values(self, node: TreeNode, field: Field, take: Callable[[WholeCurve], None]) -> None:
        """Reads the values of a field of numbers over the whole run.

        Args:
            node: of a tree that is laid out as the record's.
            field: of that node; nanoseconds become seconds.
            take: gets the values, in this thread.
        """
        first, is_integer = node.field_offset(field.name) // WORD, field.type is FieldType.INT
        columns = [
            ValueColumn(field.name, field.unit, first + number, is_integer)
            for number in range(max(1, field.size // WORD))
        ]
        scale = 1e-9 if field.unit == "ns" else 1.0
        # One after the other: each reads the whole file.
        self._calls.submit(
            lambda: self._values_of(columns, scale),
            on_result=take,
            on_error=self._complain,
            is_in_order=True,
        )

    def _values_of(self, columns: Sequence[ValueColumn], scale: float) -> WholeCurve:
        with Record(self._path) as record:
            parts = list(batches(record, columns))
        times = np.concatenate([each.times for each in parts])
        return WholeCurve(times, scale * np.concatenate([each.values for each in parts]))

    def _complain(self, error: Exception) -> None:
        self.failed.emit(f"{self._path}: {error}")

    def close(self) -> None:
        """Waits for no answer any longer."""
        self._calls.close()
