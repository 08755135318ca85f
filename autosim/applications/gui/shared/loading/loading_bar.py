"""Progress of the loading with its remaining time, and the button that ends it."""

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from autosim.remaining_time import RemainingTime

_FULL = 1000
"""Number of the bar's steps: more than it has pixels, so that it grows evenly."""


class LoadingBar(QWidget):
    """Shown while something is on its way. Signal `cancelled`."""

    cancelled = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._remaining = RemainingTime()
        self.progress = QProgressBar()
        self.progress.setMinimumWidth(90)
        self.cancel = QPushButton("&Cancel")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.progress, 1)
        layout.addWidget(self.cancel)
        self.cancel.clicked.connect(self.cancelled)
        self.hide()

    def show_share(self, share: float, step: str) -> None:
        """Shows the current step, the share of the work done (0 to 1), and the remaining time."""
        self.progress.setRange(0, _FULL)
        self.progress.setValue(round(_FULL * share))
        left = self._remaining.text(share)
        self.progress.setFormat(f"{step} %p%, {left}" if left else f"{step} %p%")
        self.show()

    def show_busy(self) -> None:
        """Shows that work of unknown duration is in progress."""
        self.progress.setRange(0, 0)
        self.show()
