"""The plots of the server's window: which there are, and where their values come from."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

from autosim.applications.gui.history import History
from autosim.applications.gui.plot import Plot
from autosim.simulation.state import State
from autosim.simulation.tree import Field

Sample = Callable[[State], npt.ArrayLike | None]
"""Reads the plotted value of a state; None where the state's world does not have it."""


class PlotsPanel(QWidget):
    """The plots, one below the other. Signal `changed` (how many there are)."""

    changed = pyqtSignal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history = History()
        self._is_standing = False
        self._samples: dict[str, tuple[Plot, Sample, QWidget]] = {}
        self._standing = QLabel("The simulation stands still: Run (F5) and Step (F7) go on.")
        self._standing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._standing.setWordWrap(True)
        self._standing.hide()
        self._hint = QLabel(
            "Double-click a value of the tree, or press P on it, and it is plotted here."
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
    def plots(self) -> tuple[Plot, ...]:
        """The plots, from the top."""
        return tuple(plot for plot, _, _ in self._samples.values())

    def add(self, name: str, *, unit: str, labels: Sequence[str], sample: Sample) -> Plot:
        """Plots what `sample` gives now, gave of late, and will give.

        A value that is already plotted gets no second plot.
        """
        if name in self._samples:
            return self._samples[name][0]
        plot = Plot(name, unit=unit, labels=labels)
        plot.close_wanted.connect(lambda: self.remove(name))
        frame = self._frame(plot)
        self._samples[name] = (plot, sample, frame)
        self._column.addWidget(frame)
        for state in self._history:
            _add_sample(plot, sample, state)
        self._tell_count()
        return plot

    def _frame(self, plot: Plot) -> QWidget:
        frame = QWidget()
        close = QToolButton()
        close.setText("✕")
        close.setAutoRaise(True)
        close.setToolTip("Close this plot (Delete)")
        close.setAccessibleName(f"Close the plot of {plot.title}")
        close.clicked.connect(plot.close_wanted)
        row = QHBoxLayout(frame)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(plot, 1)
        row.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        return frame

    def remove(self, name: str) -> None:
        """Closes a plot."""
        _, _, frame = self._samples.pop(name)
        self._column.removeWidget(frame)
        frame.deleteLater()
        self._tell_count()

    def take(self, state: State) -> None:
        """Adds the values of a new state."""
        self._history.add(state)
        for plot, sample, _ in self._samples.values():
            _add_sample(plot, sample, state)

    def show_standing(self, is_standing: bool) -> None:
        """Says above the plots whether the simulation stands still: then they do, too."""
        self._is_standing = is_standing
        self._standing.setVisible(is_standing and bool(self._samples))

    def _tell_count(self) -> None:
        self._hint.setVisible(not self._samples)
        self.show_standing(self._is_standing)
        self.changed.emit(len(self._samples))

    def clear(self) -> None:
        """Closes all plots."""
        for name in list(self._samples):
            self.remove(name)


def _add_sample(plot: Plot, sample: Sample, state: State) -> None:
    value = sample(state)
    if value is not None:
        plot.add(state.time, value)


def reader(node_name: str, field: Field) -> Sample:
    """Reads one field of the node of that name, "" the tree itself; nanoseconds as seconds."""
    scale = 1e-9 if field.unit == "ns" else 1.0

    def sample(state: State) -> npt.ArrayLike | None:
        node = state.tree.find(node_name) if node_name else state.tree
        if node is None or field not in node.fields:
            return None
        return scale * np.asarray(state.value(node, field), dtype=np.float64)

    return sample
