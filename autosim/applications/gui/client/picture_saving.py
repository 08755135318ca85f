"""Pictures that are kept: one saved to a file, or a recording of what comes."""

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtWidgets import QFileDialog, QMessageBox, QWidget

from autosim.applications.gui.client.pane_recorder import PaneRecorder
from autosim.applications.gui.client.pictures.picture_view import PictureView
from autosim.applications.recording.films import VIDEO
from autosim.applications.recording.video import has_encoder
from autosim.errors import UserError


class PictureSaver(QObject):
    """Keeps the current picture, with all that is painted over it.

    Signals: `said` (what was written), `failed` (why not), `is_recording` (whether it does now).

    Args:
        window: dialogs are above it.
        current: gives the current picture.
    """

    said = pyqtSignal(str)
    failed = pyqtSignal(str)
    is_recording = pyqtSignal(bool)

    def __init__(self, window: QWidget, current: Callable[[], PictureView]) -> None:
        super().__init__(window)
        self._window, self._current = window, current
        self._filming = PaneRecorder(self)
        self._filming.said.connect(self.said)
        self._filming.failed.connect(self.failed)

    def ask_and_save(self) -> None:
        """Lets the user choose a file, and saves the picture."""
        name, _ = QFileDialog.getSaveFileName(
            self._window, "Save Picture", "picture.png", "PNG (*.png)"
        )
        if name:
            self.save(Path(name))

    def save(self, file: Path) -> bool:
        """Saves the picture; whether it could be saved."""
        image = self._current().annotated()
        if image is None or not image.save(str(file)):
            QMessageBox.warning(self._window, "Save Picture", f"{file}: cannot be written")
            return False
        self.said.emit(f"wrote {file}")
        return True

    def ask_and_record(self, is_on: bool) -> None:
        """Begins a recording, in a file that the user chooses, or ends it."""
        if not is_on:
            self._filming.end()
            self.is_recording.emit(False)
            return
        video, animation = "Video (*.mp4)", "Animation (*.webp *.png)"
        first = f"autosim{VIDEO if has_encoder() else '.webp'}"
        kinds = ";;".join((video, animation) if has_encoder() else (animation,))
        name, _ = QFileDialog.getSaveFileName(self._window, "Record", first, kinds)
        if name:
            self.record(Path(name))
        self.is_recording.emit(self._filming.is_on)

    def record(self, target: Path) -> None:
        """Records to a file or folder, until it is stopped or closed."""
        try:
            self._filming.begin(target)
        except UserError as error:
            self.failed.emit(str(error))
        self.is_recording.emit(self._filming.is_on)

    def take(self, now: float) -> None:
        """Adds the picture to the recording, where there is one and it is time [s] for one more."""
        if self._filming.wants(now):
            self._filming.add(self._current().annotated(), now)

    def close(self) -> None:
        """Ends the recording and waits until the file is finished."""
        self._filming.close()
