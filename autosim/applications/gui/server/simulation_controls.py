"""Simulation Control: step size and pace."""

from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QSlider,
    QWidget,
)

from autosim.applications.gui.shared.number_box import NumberBox

STEP_RATES = (60, 100, 120, 200, 240, 300, 360, 480, 500, 600, 720, 960, 1000, 1200, 1920, 2400)
"""Steps a second that the slider offers; a world's own is put between them."""


PACE_DECIMALS = 2
"""Number of digits behind the point of the pace that the field shows."""


class SimulationControls(QWidget):
    """One line under the tool bar.

    Signals: `steps_changed` (steps a second); `pace_changed` (real-time factor, 0: as fast as it
    goes).
    """

    steps_changed = pyqtSignal(int)
    pace_changed = pyqtSignal(float)

    def __init__(self, *, pace: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rates = list(STEP_RATES)
        self.step_size = QSlider(Qt.Orientation.Horizontal)
        self.step_size.setRange(0, len(self._rates) - 1)
        self.step_size.setPageStep(1)
        self.step_size.setMinimumWidth(80)
        self.step_size.setMaximumWidth(260)
        self.step_size.setToolTip(
            "Integration step: to the right more exact, and slower. Takes effect at Load or Reset."
        )
        self.step_label = QLabel()
        self.pace = NumberBox()
        self.pace.setRange(0.05, 100.0)
        self.pace.setDecimals(PACE_DECIMALS)
        self.pace.setSingleStep(0.25)
        self.pace.setValue(pace or 1.0)
        self.pace.setSuffix(" × real time")
        self.pace.setAccessibleName("Real-time factor")
        self.is_fast = QCheckBox("&As fast as possible")
        self.is_fast.setChecked(pace == 0.0)
        self.pace.setEnabled(pace > 0.0)
        self._lay_out()
        self.choose_steps(240)
        self.step_size.valueChanged.connect(self._change_steps)
        self.pace.valueChanged.connect(self._change_pace)
        self.is_fast.toggled.connect(self._change_pace)

    def _lay_out(self) -> None:
        title = QLabel("Step si&ze")
        title.setBuddy(self.step_size)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 2, 6, 2)
        for widget in (title, self.step_size, self.step_label, self.pace, self.is_fast):
            layout.addWidget(widget)
        layout.addStretch(1)
        widest = self.step_label.fontMetrics().horizontalAdvance("1/2400 s *")
        self.step_label.setMinimumWidth(widest)

    @property
    def steps_per_second(self) -> int:
        """The steps a second that the slider stands at."""
        return self._rates[self.step_size.value()]

    @property
    def real_time_factor(self) -> float:
        """The pace that is chosen; 0: as fast as it goes."""
        return 0.0 if self.is_fast.isChecked() else self.pace.value()

    def show_pace(self, pace: float) -> None:
        """Shows a pace that was set elsewhere, without a signal."""
        if self.pace.hasFocus() or abs(pace - self.real_time_factor) < 0.5 * 10**-PACE_DECIMALS:
            return
        with QSignalBlocker(self.pace), QSignalBlocker(self.is_fast):
            self.is_fast.setChecked(pace == 0.0)
            self.pace.setEnabled(pace > 0.0)
            if pace > 0.0:
                self.pace.setValue(pace)

    def choose_steps(self, steps_per_second: int) -> None:
        """Puts the slider to a world's own step, without a signal."""
        self._rates = sorted({*STEP_RATES, steps_per_second})
        with QSignalBlocker(self.step_size):
            self.step_size.setRange(0, len(self._rates) - 1)
            self.step_size.setValue(self._rates.index(steps_per_second))
        self.show_step(is_pending=False)

    def show_step(self, *, is_pending: bool) -> None:
        """Writes the step; with a star where it is not yet that of the simulation."""
        self.step_label.setText(f"1/{self.steps_per_second} s" + (" *" if is_pending else ""))
        self.step_label.setToolTip("Takes effect at Load or Reset." if is_pending else "")

    def _change_steps(self) -> None:
        self.show_step(is_pending=True)
        self.steps_changed.emit(self.steps_per_second)

    def _change_pace(self) -> None:
        self.pace.setEnabled(not self.is_fast.isChecked())
        self.pace_changed.emit(self.real_time_factor)
