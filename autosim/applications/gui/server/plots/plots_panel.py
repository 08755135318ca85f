"""The plots of the server's window: which there are, and where their values come from."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QFileDialog,
    QLabel,
    QMenu,
    QMessageBox,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from autosim.applications.gui.server.plots.history import History
from autosim.applications.gui.shared.menus import add_action
from autosim.arrays import Floats
from autosim.model.state import State
from autosim.model.tree import Field

if TYPE_CHECKING:
    from autosim.applications.gui.server.plots.plot_widget import Plot, PlotCurve

Sample = Callable[[State], npt.ArrayLike | None]
"""Reads the plotted value of a state; None where the state's world does not have it."""


class PlotsPanel(QWidget):
    """The plots, one below the other. Signal `changed` (how many there are)."""

    changed = pyqtSignal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history = History()
        self._present: float | None = None
        self._is_standing = False
        self._plots: dict[str, Plot] = {}
        self._samples: dict[tuple[str, str], Sample] = {}
        self._standing = QLabel("The simulation is paused: Run (F5) or Step (F7) continues it.")
        self._standing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._standing.setWordWrap(True)
        self._standing.hide()
        self._hint = QLabel(
            "Double-click a value of the tree, or press P on it, and it is plotted here. "
            "Shift+P adds it to the last plot."
        )
        self._hint.setWordWrap(True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        inside = QWidget()
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(4, 4, 4, 4)
        self._column.addWidget(self._hint)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setWidget(inside)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._standing)
        layout.addWidget(area)

    @property
    def plots(self) -> tuple["Plot", ...]:
        """The plots, from the top."""
        return tuple(self._plots.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, each that of the value that it began with."""
        return tuple(self._plots)

    def curves_of(self, plot: str) -> tuple[str, ...]:
        """The values in a plot."""
        return tuple(self._plots[plot].curves)

    def is_plotted(self, name: str) -> bool:
        """Whether a value is in a plot."""
        return any(name in plot.curves for plot in self._plots.values())

    def add(
        self, name: str, *, unit: str, labels: Sequence[str], sample: Sample, into: str = ""
    ) -> "Plot":
        """Plots the past, present and future values of `sample`.

        A value gets its own plot, or is added to the one called `into`; each plot has it once.
        """
        # PyQtGraph takes half a second to import, which no window without plots has to wait for.
        from autosim.applications.gui.server.plots.plot_widget import Plot

        key = into or name
        plot = self._plots.get(key)
        if plot is None:
            plot = self._plots[key] = Plot(key)
            plot.close_wanted.connect(lambda: self.remove(key))
            plot.menu_wanted.connect(lambda at: self.menu_of(key).popup(at))
            self._column.addWidget(plot)
        if name not in plot.curves:
            curve = plot.add_curve(name, unit=unit, labels=labels)
            self._samples[key, name] = sample
            for state in self._history:
                _add_sample(curve, sample, state)
        if self._present is not None:
            plot.show_present(self._present)
        plot.refresh()
        self._tell_count()
        return plot

    def remove(self, plot: str) -> None:
        """Closes a plot."""
        removed = self._plots.pop(plot)
        self._samples = {key: each for key, each in self._samples.items() if key[0] != plot}
        self._column.removeWidget(removed)
        removed.deleteLater()
        self._tell_count()

    def take_out(self, name: str) -> None:
        """Takes a value out of all plots; one without values is closed."""
        for key, plot in list(self._plots.items()):
            if name not in plot.curves:
                continue
            if len(plot.curves) == 1:
                self.remove(key)
            else:
                del self._samples[key, name]
                plot.remove_curve(name)

    def show_whole(self, name: str, times: Floats, values: Floats) -> None:
        """Gives a value of a replay its whole curve, wherever it is plotted."""
        for plot in self._plots.values():
            if name in plot.curves:
                plot.show_whole(name, times, values)

    def take_present(self, time: float) -> None:
        """Marks the present time [s] of a replay; its curves come by `show_whole`."""
        self._present = time
        for plot in self._plots.values():
            plot.show_present(time)

    def take(self, state: State) -> None:
        """Adds the values of a new state."""
        self._history.add(state)
        for (plot, name), sample in self._samples.items():
            _add_sample(self._plots[plot].curves[name], sample, state)
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Draws what has been added."""
        for plot in self._plots.values():
            plot.refresh()

    def showEvent(self, event: object) -> None:  # noqa: D102, N802
        self.refresh()

    def show_standing(self, is_standing: bool) -> None:
        """Says above the plots whether the simulation stands still: then they do, too."""
        self._is_standing = is_standing
        is_run = self._present is None
        self._standing.setVisible(is_standing and is_run and bool(self._plots))

    def _tell_count(self) -> None:
        self._hint.setVisible(not self._plots)
        self.show_standing(self._is_standing)
        self.changed.emit(len(self._plots))

    def clear(self) -> None:
        """Closes all plots."""
        for name in list(self._plots):
            self.remove(name)

    def menu_of(self, name: str) -> QMenu:
        """Context menu of a plot."""
        plot, menu = self._plots[name], QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        follow = "&Follow the Newest (A)" if self._present is None else "&Show All (A)"
        add_action(menu, follow, plot.follow, is_enabled=not plot.is_following)
        add_action(menu, "Zoom &In (+)", lambda: plot.zoom(0.5))
        add_action(menu, "Zoom &Out (-)", lambda: plot.zoom(2.0))
        menu.addSeparator()
        add_action(menu, "Export &Values…", lambda: self._ask_for_csv(plot))
        add_action(menu, "Export &Picture…", lambda: self._ask_for_picture(plot))
        menu.addSeparator()
        if len(plot.curves) > 1:
            for curve in plot.curves:
                add_action(menu, f"Take out {curve}", partial(self._take_from, name, curve))
        add_action(menu, "&Close (Delete)", lambda: self.remove(name))
        return menu

    def _take_from(self, plot: str, curve: str) -> None:
        del self._samples[plot, curve]
        self._plots[plot].remove_curve(curve)

    def _ask_for_csv(self, plot: "Plot") -> None:
        self._export(plot.write_csv, "Export the Values", f"{plot.name}.csv", "Values (*.csv)")

    def _ask_for_picture(self, plot: "Plot") -> None:
        kinds = "Pictures (*.png);;Drawings (*.svg)"
        self._export(plot.write_picture, "Export the Picture", f"{plot.name}.png", kinds)

    def _export(self, write: Callable[[Path], None], title: str, name: str, kinds: str) -> None:
        chosen, kind = QFileDialog.getSaveFileName(self, title, name, kinds)
        if not chosen:
            return
        file = Path(chosen)
        if not file.suffix:
            file = file.with_suffix(".svg" if "svg" in kind else Path(name).suffix)
        try:
            write(file)
        except OSError as error:
            QMessageBox.warning(self, title, f"{file} cannot be written: {error.strerror or error}")


def _add_sample(curve: "PlotCurve", sample: Sample, state: State) -> None:
    value = sample(state)
    curve.is_gone = value is None
    if value is not None:
        curve.series.add(state.time, value)


def reader(node_name: str, field: Field) -> Sample:
    """Reads one field of the node of that name, "" the tree itself; nanoseconds as seconds."""
    scale = 1e-9 if field.unit == "ns" else 1.0

    def sample(state: State) -> npt.ArrayLike | None:
        node = state.tree.find(node_name) if node_name else state.tree
        if node is None or field not in node.fields:
            return None
        return scale * np.asarray(state.value(node, field), dtype=np.float64)

    return sample
