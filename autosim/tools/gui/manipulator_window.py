"""The window of the OSM Manipulator: fields, a preview map, progress, and what went wrong."""

from pathlib import Path

from PIL import Image
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QProgressBar,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from autosim.errors import UserError
from autosim.tools.gui.first_size import take_first_size
from autosim.tools.gui.manipulator_form import ManipulatorForm
from autosim.tools.gui.map_view import MapView
from autosim.tools.gui.worker import Task, Worker
from autosim.tools.osm_manipulator.manipulator import (
    Furnished,
    check_target,
    furnish,
    write_furnished,
)
from autosim.tools.osm_manipulator.options import Progress, Request
from autosim.tools.osm_manipulator.preview import draw_preview

_ERROR_STYLE = "color: #a01010;"
_STEPS = 1000
_MOST_LINES = 12


class ManipulatorWindow(QMainWindow):
    """The OSM Manipulator.

    "Preview" finds places and draws them. "Generate OSM File" does so too, unless what is drawn is
    what the fields say, and then writes the target file.
    """

    _found = pyqtSignal(object, object)

    def __init__(self, request: Request, target: Path | None = None) -> None:
        super().__init__()
        self.setWindowTitle("OSM Manipulator")
        self.form = ManipulatorForm()
        self.form.fill(request, target)
        self.preview_button = QPushButton("Preview")
        self.generate_button = QPushButton("Generate OSM File")
        self.cancel_button = QPushButton("Cancel")
        self.progress = QProgressBar()
        self.progress.setRange(0, _STEPS)
        self.message = QLabel()
        self.map = MapView()
        self._worker: Worker | None = None
        self._furnished: Furnished | None = None
        self._found.connect(self._show_found)
        self.preview_button.clicked.connect(self.preview)
        self.generate_button.clicked.connect(self.generate)
        self.cancel_button.clicked.connect(self.cancel)
        self._lay_out()
        self._set_busy(False)

    @property
    def is_busy(self) -> bool:
        """Whether work is going on."""
        return self._worker is not None

    def preview(self) -> None:
        """Finds places for houses and draws them; nothing is written."""
        try:
            request = self.form.request()
        except UserError as error:
            self._show_error(str(error))
            return

        def task(progress: Progress) -> None:
            self._find(request, progress)

        self._start(task, "")

    def generate(self) -> None:
        """Writes the target file."""
        try:
            request, target = self.form.request(), self.form.target()
            check_target(request, target)
        except UserError as error:
            self._show_error(str(error))
            return

        def task(progress: Progress) -> None:
            furnished = self._find(request, lambda step, share: progress(step, 0.8 * share))
            write_furnished(
                furnished, target, lambda step, share: progress(step, 0.8 + 0.2 * share)
            )

        self._start(task, f"written: {target}")

    def cancel(self) -> None:
        """Calls the work off; what is half done is thrown away."""
        if self._worker is not None:
            self.message.setText("cancelling …")
            self._worker.call_off()

    def closeEvent(self, event: QCloseEvent | None) -> None:  # noqa: N802 - Qt's name
        """Calls the work off and waits for it, so that no half-written file stays behind."""
        if self._worker is not None:
            self._worker.call_off()
            self._worker.wait()
        super().closeEvent(event)

    def _find(self, request: Request, progress: Progress) -> Furnished:
        """Finds places, in the worker's thread, or takes those shown if they still hold."""
        shown = self._furnished
        if shown is not None and shown.is_still_true(request):
            progress("nothing has changed", 1.0)
            return shown
        furnished = furnish(request, progress)
        self._found.emit(furnished, draw_preview(furnished))
        return furnished

    def _show_found(self, furnished: Furnished, picture: Image.Image) -> None:
        self._furnished = furnished
        self.map.show_picture(picture)

    def _start(self, task: Task, success: str) -> None:
        if self._worker is not None:
            return
        worker = Worker(task)
        worker.progressed.connect(self._show_progress)
        worker.succeeded.connect(lambda: self._show_success(success))
        worker.failed.connect(self._show_error)
        worker.cancelled.connect(lambda: self._show_text("cancelled; nothing was written"))
        worker.finished.connect(self._finish)
        self._worker = worker
        self._set_busy(True)
        self._show_text("")
        worker.start()

    def _finish(self) -> None:
        self._worker = None
        self._set_busy(False)

    def _set_busy(self, is_busy: bool) -> None:
        for widget in (self.form, self.preview_button, self.generate_button):
            widget.setEnabled(not is_busy)
        self.cancel_button.setEnabled(is_busy)
        if not is_busy:
            self.progress.setValue(0)
            self.progress.setFormat("")

    def _show_progress(self, step: str, share: float) -> None:
        self.progress.setFormat(f"{step} (%p %)")
        self.progress.setValue(round(share * _STEPS))

    def _show_success(self, written: str) -> None:
        lines = [written] if written else []
        if self._furnished is not None:
            lines.insert(0, f"{len(self._furnished.houses)} new houses and trees")
            lines += [str(warning) for warning in self._furnished.warnings]
        self._show_text(_shortened(lines))

    def _show_error(self, text: str) -> None:
        self._show_text(_shortened(text.splitlines()))
        self.message.setStyleSheet(_ERROR_STYLE)

    def _show_text(self, text: str) -> None:
        self.message.setStyleSheet("")
        self.message.setText(text)

    def _lay_out(self) -> None:
        self.message.setWordWrap(True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = QHBoxLayout()
        for button in (self.preview_button, self.generate_button, self.cancel_button):
            buttons.addWidget(button)
        left = QWidget()
        column = QVBoxLayout(left)
        column.addWidget(self.form)
        column.addLayout(buttons)
        column.addWidget(self.progress)
        column.addWidget(self.message)
        column.addStretch(1)
        halves = QSplitter()
        halves.addWidget(left)
        halves.addWidget(self.map)
        halves.setStretchFactor(1, 1)
        halves.setSizes([480, 760])
        self.setCentralWidget(halves)
        take_first_size(self, 1240, 760)


def _shortened(lines: list[str]) -> str:
    more = len(lines) - _MOST_LINES
    shown = lines[:_MOST_LINES] + ([f"… and {more} more"] if more > 0 else [])
    return "\n".join(shown)
