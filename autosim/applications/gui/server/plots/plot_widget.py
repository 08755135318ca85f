"""One plot: curves over simulated time that can be zoomed, read and exported.

The drawing is PyQtGraph's; it is imported with the first plot, so that the window opens sooner.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph
from PyQt6.QtCore import QEvent, QPointF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QPainter, QPalette
from PyQt6.QtSvg import QSvgGenerator
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from autosim.applications.gui.server.plots.series import Series
from autosim.applications.gui.shared.formats import number_text
from autosim.arrays import Floats

SPAN = 20.0
"""Seconds of simulated time that a plot shows while it follows."""

LEAST_SPAN, LONGEST_SPAN = 0.1, 600.0
"""Shortest and longest time [s] that a plot shows: some steps of the simulation, and as much as its
samples reach back at ten a second."""

_ZOOM = 1.5
"""Factor by which a key or a button zooms."""

_HUES = (210, 25, 120, 285, 350, 175, 55)
"""Hues [degrees] of the curves, in their order: chosen by eye, neighbours far apart."""

_WIDTH = 1.5
"""Width [pixels] of a curve: chosen by eye, seen well on light and on dark ground."""
_MARGIN = 0.01
"""Beside the newest value, as a share of the span."""


@dataclass(slots=True)
class PlotCurve:
    """A value of a plot: one line for each of its components, called `labels`.

    `is_gone`: the world no longer has the value. `is_whole`: it holds the values of a
    whole run, also of later than the present.

    Attributes:
        name: qualified name of the value.
        unit: SI unit, "1" for none.
        series: samples over time.
        lines: plotted line of each component.
    """

    name: str
    unit: str
    labels: tuple[str, ...]
    series: Series
    lines: list[Any] = field(default_factory=list)
    is_gone: bool = False
    is_whole: bool = False


class _Box(pyqtgraph.ViewBox):  # type: ignore[misc]
    """The area of the curves: there the wheel zooms the time alone, and heights follow."""

    def wheelEvent(self, event: object, axis: int | None = None) -> None:  # noqa: N802
        super().wheelEvent(event, axis=0 if axis is None else axis)


class Plot(QWidget):
    """One or more values over time; it follows the newest until it is zoomed or dragged.

    The wheel zooms about the pointer, + and - about the newest value, A follows again, Delete
    closes. Signals: `close_wanted`, `menu_wanted` (point on the screen).
    """

    close_wanted = pyqtSignal()
    menu_wanted = pyqtSignal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.curves: dict[str, PlotCurve] = {}
        self._span = SPAN
        self._is_following = True
        self._read_at: float | None = None
        self._present: float | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(f"Plot of {name}")
        self.legend, self.note = QLabel(self), QLabel(self)
        self.view: Any = pyqtgraph.PlotWidget(self, viewBox=_Box(), enableMenu=False)
        self._item = self.view.getPlotItem()
        self._cursor = pyqtgraph.InfiniteLine(angle=90, movable=False)
        self._present_line = pyqtgraph.InfiniteLine(angle=90, movable=False)
        self.follow_button, self.close_button = QToolButton(self), QToolButton(self)
        self._set_up_view()
        self._lay_out()
        self._paint_palette()

    def _set_up_view(self) -> None:
        item = self._item
        item.hideButtons()
        item.showGrid(x=True, y=True, alpha=0.25)
        item.setLabel("bottom", "time [s]")
        for side in ("left", "bottom"):
            item.getAxis(side).enableAutoSIPrefix(False)
        box = item.getViewBox()
        box.setAutoVisible(y=True)
        box.enableAutoRange(axis="y")
        box.sigRangeChangedManually.connect(self._stop_following)
        for line in (self._cursor, self._present_line):
            line.hide()
            item.addItem(line, ignoreBounds=True)
        item.scene().sigMouseMoved.connect(self._point)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setAccessibleName(f"Curves of {self.name}")

    def _lay_out(self) -> None:
        for label in (self.legend, self.note):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.RichText)
        self.note.hide()
        for button, text, tip, do in (
            (self.follow_button, "▶|", "Follow the newest values (A)", self.follow),
            (self.close_button, "✕", "Close this plot (Delete)", self.close_wanted),
        ):
            button.setText(text)
            button.setToolTip(tip)
            button.setAutoRaise(True)
            button.clicked.connect(do)
        self.close_button.setAccessibleName(f"Close the plot of {self.name}")
        self.follow_button.hide()
        row = QHBoxLayout()
        row.addWidget(self.legend, 1)
        row.addWidget(self.follow_button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 2, 2, 2)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.note)
        column.addWidget(self.view, 1)

    def sizeHint(self) -> QSize:  # noqa: D102, N802
        return QSize(320, 190)

    def minimumSizeHint(self) -> QSize:  # noqa: D102, N802
        return QSize(160, 150)

    @property
    def is_following(self) -> bool:
        """Whether it shows the newest values."""
        return self._is_following

    def add_curve(self, name: str, *, unit: str, labels: Sequence[str]) -> PlotCurve:
        """Draws one value more.

        Args:
            name: its qualified name.
            unit: "" for none.
            labels: names of its components.
        """
        curve = PlotCurve(name, unit, tuple(labels), Series(len(labels)))
        self.curves[name] = curve
        for _ in labels:
            line = self._item.plot(antialias=True, connect="finite")
            line.setDownsampling(auto=True, method="peak")
            curve.lines.append(line)
        self._paint_lines()
        return curve

    def remove_curve(self, name: str) -> None:
        """Takes a value out."""
        for line in self.curves.pop(name).lines:
            self._item.removeItem(line)
        self._paint_lines()
        self.refresh()

    def refresh(self) -> None:
        """Draws what was added to the curves."""
        for curve in self.curves.values():
            symbol = "o" if len(curve.series.times) == 1 else None
            for component, line in enumerate(curve.lines):
                values = curve.series.values[:, component]
                finite = np.where(np.isfinite(values), values, np.nan)
                line.setData(curve.series.times.copy(), finite, symbol=symbol)
        if self._is_following:
            self._show_newest()
        self._write_legend()
        self._write_note()

    def show_whole(self, name: str, times: Floats, values: Floats) -> None:
        """Gives a value of a replay its whole curve: `times` (n,) [s], `values` (n, components)."""
        curve = self.curves[name]
        curve.series.replace(times, values)
        curve.is_whole = True
        self.refresh()

    def show_present(self, time: float) -> None:
        """Marks the present time [s] of a replay, at which values are read."""
        self._present = time
        self._present_line.setPos(time)
        self._present_line.show()
        self._write_legend()

    def _whole_range(self) -> tuple[float, float] | None:
        """First and last time [s] of the whole curves; None where there are none."""
        times = [each.series.times for each in self.curves.values() if each.is_whole]
        times = [each for each in times if len(each)]
        return (min(t[0] for t in times), max(t[-1] for t in times)) if times else None

    def _show_newest(self) -> None:
        whole = self._whole_range()
        if whole is not None:
            self._item.setXRange(*whole, padding=_MARGIN)
            return
        newest = [
            curve.series.times[-1] for curve in self.curves.values() if len(curve.series.times)
        ]
        if newest:
            end = max(max(newest), self._span)
            self._item.setXRange(end - self._span, end, padding=_MARGIN)

    def follow(self) -> None:
        """Shows the newest values, of a replay the whole curves, and all heights."""
        self._is_following = True
        self.follow_button.hide()
        self._item.getViewBox().enableAutoRange(axis="y")
        self._show_newest()

    def _stop_following(self) -> None:
        self._is_following = False
        self.follow_button.show()

    def zoom(self, factor: float) -> None:
        """Shows `factor` times as much of the past; of whole curves, of both sides of now."""
        if self._whole_range() is not None:
            self._zoom_about_present(factor)
            return
        self._span = float(np.clip(self._span * factor, LEAST_SPAN, LONGEST_SPAN))
        self.follow()

    def _zoom_about_present(self, factor: float) -> None:
        first, last = self._item.getViewBox().viewRange()[0]
        centre = self._present if self._present is not None else 0.5 * (first + last)
        if not first <= centre <= last:
            centre = 0.5 * (first + last)
        self._stop_following()
        self._item.setXRange(
            centre - factor * (centre - first), centre + factor * (last - centre), padding=0.0
        )

    def read(self, time: float | None) -> None:
        """Reads the values at a time [s], with a line there; None: the newest."""
        self._read_at = time
        self._cursor.setVisible(time is not None)
        if time is not None:
            self._cursor.setPos(time)
        self._write_legend()

    def _point(self, point: QPointF) -> None:
        box = self._item.getViewBox()
        is_inside = box.sceneBoundingRect().contains(point)
        self.read(float(box.mapSceneToView(point).x()) if is_inside else None)

    def readings(self) -> Iterator[tuple[str, str, float]]:
        """Of each line its name, its unit, and its value where it is read."""
        time = self._read_at if self._read_at is not None else self._present
        for curve in self.curves.values():
            series = curve.series
            row = series.nearest(time) if time is not None else -1
            values = series.values[row] if len(series.times) else [np.nan] * len(curve.labels)
            for name, value in zip(self._line_names(curve), values, strict=True):
                yield name, curve.unit, float(value)

    def _line_names(self, curve: PlotCurve) -> Iterator[str]:
        if len(curve.labels) == 1:
            yield curve.name
        else:
            yield from (f"{curve.name}.{label}" for label in curve.labels)

    def _write_legend(self) -> None:
        written = []
        for number, (name, unit, value) in enumerate(self.readings()):
            mark = f'<span style="color:{self.colour_of(number).name()}">■</span>'
            # A curve that is still being read from a record has no values.
            number_shown = "–" if np.isnan(value) else number_text(value)
            words = (mark, escape(name), f"<b>{number_shown}</b>", escape(unit))
            # Of one line, nothing is torn apart.
            written.append("&nbsp;".join(filter(None, words)))
        if self._read_at is not None:
            written.append(f"at {self._read_at:.3f} s")
        text = " &nbsp; ".join(written)
        if text != self.legend.text():
            self.legend.setText(text)

    def _write_note(self) -> None:
        gone = [curve.name for curve in self.curves.values() if curve.is_gone]
        self.note.setVisible(bool(gone))
        if gone:
            names = escape(", ".join(gone))
            verb = "is" if len(gone) == 1 else "are"
            self.note.setText(
                f"<i>{names} {verb} no longer in the world: these are the last values.</i>"
            )

    def _paint_lines(self) -> None:
        lines = [line for curve in self.curves.values() for line in curve.lines]
        for number, line in enumerate(lines):
            colour = self.colour_of(number)
            line.setPen(pyqtgraph.mkPen(colour, width=_WIDTH))
            line.setSymbolPen(None)
            line.setSymbolBrush(colour)
            line.setSymbolSize(7)
        units = {curve.unit for curve in self.curves.values()}
        self._item.setLabel("left", *(f"[{unit}]" for unit in units if unit and len(units) == 1))

    def colour_of(self, number: int) -> QColor:
        """Colour of the line with that number, on the palette's background."""
        is_dark = self.palette().color(QPalette.ColorRole.Base).lightness() < 128
        return QColor.fromHsl(_HUES[number % len(_HUES)], 190, 165 if is_dark else 95)

    def _paint_palette(self) -> None:
        palette = self.palette()
        text = palette.color(QPalette.ColorRole.Text)
        self.view.setBackground(palette.color(QPalette.ColorRole.Base))
        self._cursor.setPen(pyqtgraph.mkPen(text, style=Qt.PenStyle.DashLine))
        present = palette.color(QPalette.ColorRole.Highlight)
        self._present_line.setPen(pyqtgraph.mkPen(present, width=_WIDTH))
        for side in ("left", "bottom"):
            axis = self._item.getAxis(side)
            axis.setPen(text)
            axis.setTextPen(text)
        self._paint_lines()

    def write_csv(self, file: Path) -> None:
        """Writes all samples: a row for each time, a column for each line; empty where none is.

        Raises:
            OSError: the file cannot be written.
        """
        curves = list(self.curves.values())
        times = np.unique(np.concatenate([curve.series.times for curve in curves]))
        columns: list[Floats] = []
        for curve in curves:
            column = np.full((len(times), len(curve.labels)), np.nan)
            column[np.searchsorted(times, curve.series.times)] = curve.series.values
            columns.append(column)
        table = np.column_stack([times, *columns])
        with file.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            units = [(f"{name} [{unit}]" if unit else name) for name, unit, _ in self.readings()]
            writer.writerow(["time [s]", *units])
            writer.writerows(
                ["" if np.isnan(number) else repr(number) for number in row]
                for row in table.tolist()
            )

    def write_picture(self, file: Path) -> None:
        """Writes what is shown, as SVG where the file is called so, else as PNG.

        Raises:
            OSError: the file cannot be written.
        """
        buttons = [each for each in (self.follow_button, self.close_button) if each.isVisible()]
        for button in buttons:
            button.hide()
        is_drawing = file.suffix.lower() == ".svg"
        is_written = self._write_svg(file) if is_drawing else self.grab().save(str(file), "PNG")
        for button in buttons:
            button.show()
        if not is_written:
            raise OSError(f"{file} cannot be written")

    def _write_svg(self, file: Path) -> bool:
        drawing = QSvgGenerator()
        drawing.setFileName(str(file))
        drawing.setSize(self.size())
        drawing.setViewBox(self.rect())
        drawing.setTitle(self.name)
        painter = QPainter()
        if not painter.begin(drawing):
            return False
        self.render(painter)
        return painter.end()

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: D102, N802
        if event is not None:
            self.menu_wanted.emit(event.globalPos())

    def leaveEvent(self, event: object) -> None:  # noqa: D102, N802
        self.read(None)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: D102, N802
        match event.key() if event is not None else None:
            case Qt.Key.Key_Plus:
                self.zoom(1.0 / _ZOOM)
            case Qt.Key.Key_Minus:
                self.zoom(_ZOOM)
            case Qt.Key.Key_A:
                self.follow()
            case Qt.Key.Key_Delete:
                self.close_wanted.emit()
            case _:
                super().keyPressEvent(event)

    def changeEvent(self, event: QEvent | None) -> None:  # noqa: D102, N802
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.PaletteChange:
            self._paint_palette()
