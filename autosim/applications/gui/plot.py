"""Values over simulated time, drawn by hand: a plot needs no library of its own."""

from collections.abc import Sequence
from math import ceil, floor, isfinite

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PyQt6.QtWidgets import QSizePolicy, QWidget

from autosim.applications.gui.map_view import round_length

Floats = npt.NDArray[np.float64]

MAX_SAMPLES = 6000
SPANS = (2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0)
"""Seconds of simulated time that a plot may show."""

DOT_PIXELS = 6.0
"""How large a value is drawn that is alone: a line of one point cannot be seen."""

_HUES = (210, 25, 120, 285, 350, 175, 55)


class Series:
    """The newest samples of one value with one or more components.

    `times` (n,) [s]; `values` (n, components).
    """

    def __init__(self, components: int) -> None:
        self._buffer = np.empty((2 * MAX_SAMPLES, 1 + components))
        self._count = 0

    @property
    def times(self) -> Floats:
        """When the samples were taken [s], simulated."""
        return self._buffer[: self._count, 0]

    @property
    def values(self) -> Floats:
        """The samples."""
        return self._buffer[: self._count, 1:]

    def add(self, time: float, value: npt.ArrayLike) -> None:
        """Adds a sample; one that is not newer than the last begins anew, as a reset does."""
        if self._count and time <= self.times[-1]:
            if time == self.times[-1]:
                return
            self._count = 0
        if self._count == len(self._buffer):
            # Half of it at once: moving all for each sample would cost the more the longer it is.
            self._buffer[:MAX_SAMPLES] = self._buffer[MAX_SAMPLES:]
            self._count = MAX_SAMPLES
        self._buffer[self._count, 0] = time
        self._buffer[self._count, 1:] = np.ravel(value)
        self._count += 1


def ticks(low: float, high: float, most: int) -> list[float]:
    """At most about `most` round numbers from `low` to `high`; two at least: one is no scale."""
    step = round_length(max(2.5 * (high - low) / max(most, 1), 1e-12))
    while True:
        first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
        if last > first or step <= 1e-12:
            return [step * number for number in range(first, last + 1)]
        step = round_length(0.6 * step)


class Plot(QWidget):
    """One value over time. The wheel, + and - change the span; Delete closes.

    Args:
        title: the value's qualified name.
        unit: "" for none.
        labels: names of its components.

    Signal `close_wanted`.
    """

    close_wanted = pyqtSignal()

    def __init__(
        self, title: str, *, unit: str, labels: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.title, self._unit, self._labels = title, unit, tuple(labels)
        self.series = Series(len(labels))
        self._span = 3
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(f"Plot of {title}")

    def sizeHint(self) -> QSize:  # noqa: D102, N802
        return QSize(320, 150)

    def minimumSizeHint(self) -> QSize:  # noqa: D102, N802
        return QSize(160, 110)

    def add(self, time: float, value: npt.ArrayLike) -> None:
        """Adds a sample."""
        self.series.add(time, value)
        self.update()

    def change_span(self, places: int) -> None:
        """Shows more (positive) or less of the past."""
        self._span = int(np.clip(self._span + places, 0, len(SPANS) - 1))
        self.update()

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: D102, N802
        if event is not None and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.change_span(-1 if event.angleDelta().y() > 0 else 1)
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: D102, N802
        key = event.key() if event is not None else None
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus):
            self.change_span(-1 if key == Qt.Key.Key_Plus else 1)
        elif key == Qt.Key.Key_Delete:
            self.close_wanted.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: D102, N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self.palette().base())
        metrics = painter.fontMetrics()
        line = metrics.height()
        left = metrics.horizontalAdvance("-0.00000") + 8
        frame = QRectF(
            left, line + 6, self.width() - left - 2 * line, self.height() - 2.4 * line - 8
        )
        self._paint_title(painter)
        times, values = self._window()
        if not len(times) or frame.width() < 20.0 or frame.height() < 10.0:
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, "no values yet")
        else:
            self._paint_values(painter, frame, times, values)
        painter.end()

    def _window(self) -> tuple[Floats, Floats]:
        times, values = self.series.times, self.series.values
        if not len(times):
            return times, values
        first = int(np.searchsorted(times, times[-1] - SPANS[self._span]))
        return times[first:], values[first:]

    def _paint_title(self, painter: QPainter) -> None:
        metrics = painter.fontMetrics()
        x, y = 8.0, metrics.ascent() + 3.0
        painter.setPen(self.palette().color(QPalette.ColorRole.Text))
        unit = f" [{self._unit}]" if self._unit else ""
        labels = self._labels if len(self._labels) > 1 else ()
        beside = 16 + sum(metrics.horizontalAdvance(label) + 10 for label in labels)
        room = self.width() - int(x) - metrics.horizontalAdvance(unit) - beside
        # Of a long name the end says what is plotted.
        text = metrics.elidedText(self.title, Qt.TextElideMode.ElideLeft, room) + unit
        painter.drawText(QPointF(x, y), text)
        x += metrics.horizontalAdvance(text) + 16.0
        for number, label in enumerate(labels):
            painter.setPen(self._colour(number))
            painter.drawText(QPointF(x, y), label)
            x += metrics.horizontalAdvance(label) + 10.0

    def _colour(self, number: int) -> QColor:
        is_dark = self.palette().color(QPalette.ColorRole.Base).lightness() < 128
        return QColor.fromHsl(_HUES[number % len(_HUES)], 190, 165 if is_dark else 95)

    def _paint_values(
        self, painter: QPainter, frame: QRectF, times: Floats, values: Floats
    ) -> None:
        span = SPANS[self._span]
        start = max(float(times[-1]) - span, 0.0)
        low, high = limits(values)
        self._paint_axes(painter, frame, x=(start, start + span), y=(low, high))
        x = frame.left() + (times - start) / span * frame.width()
        y = frame.bottom() - (values - low) / (high - low) * frame.height()
        painter.setClipRect(frame.adjusted(-1.0, -1.0, 1.0, 1.0))
        for number in range(values.shape[1]):
            painter.setPen(QPen(self._colour(number), 1.6 if len(x) > 1 else DOT_PIXELS))
            column = np.nan_to_num(y[:, number], posinf=frame.top(), neginf=frame.bottom())
            points = [QPointF(*pair) for pair in np.column_stack([x, column]).tolist()]
            if len(points) > 1:
                painter.drawPolyline(QPolygonF(points))
            else:
                painter.drawPoint(points[0])
        painter.setClipping(False)

    def _paint_axes(
        self,
        painter: QPainter,
        frame: QRectF,
        *,
        x: tuple[float, float],
        y: tuple[float, float],
    ) -> None:
        metrics = painter.fontMetrics()
        grid = self.palette().color(QPalette.ColorRole.Text)
        text = QColor(grid)
        grid.setAlpha(45)
        line = metrics.height()
        for value in ticks(*y, max(2, int(frame.height() / (2.0 * line)))):
            height = frame.bottom() - (value - y[0]) / (y[1] - y[0]) * frame.height()
            painter.setPen(grid)
            painter.drawLine(QPointF(frame.left(), height), QPointF(frame.right(), height))
            painter.setPen(text)
            box = QRectF(0.0, height - line / 2.0, frame.left() - 5.0, line)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight, f"{value:.5g}")
        for value in ticks(*x, max(2, int(frame.width() / (6.0 * line)))):
            across = frame.left() + (value - x[0]) / (x[1] - x[0]) * frame.width()
            painter.setPen(grid)
            painter.drawLine(QPointF(across, frame.top()), QPointF(across, frame.bottom()))
            painter.setPen(text)
            box = QRectF(across - 3.0 * line, frame.bottom() + 2.0, 6.0 * line, line)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{value:g} s")


def limits(values: Floats) -> tuple[float, float]:
    """What to show of the values: all finite ones with a margin, at least a little."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    margin = max(0.08 * (high - low), 1e-3 * max(abs(low), abs(high)), 1e-6)
    return (low - margin, high + margin) if isfinite(low + high) else (0.0, 1.0)
