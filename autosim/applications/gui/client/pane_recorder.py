"""Records what a pane shows, and finishes the file beside the window."""

from pathlib import Path

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtGui import QImage

from autosim.applications.gui.shared.background_calls import BackgroundCalls
from autosim.applications.recording.film_recorder import FilmRecorder, Pixels, RecordingError


class PaneRecorder(QObject):
    """One recording at a time. Signals: `said` (what was written); `failed` (why not)."""

    said = pyqtSignal(str)
    failed = pyqtSignal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._calls = BackgroundCalls(self)
        self._recorder: FilmRecorder | None = None
        self._target = Path()

    @property
    def is_on(self) -> bool:
        """Whether something is being recorded."""
        return self._recorder is not None

    def begin(self, target: Path) -> None:
        """Records to a file or a folder from now on.

        Raises:
            RecordingError: nothing can be recorded there.
        """
        self.end()
        self._recorder, self._target = FilmRecorder(target), target

    def wants(self, now: float) -> bool:
        """Whether it is time [s] for another picture."""
        return self._recorder is not None and self._recorder.wants(now)

    def add(self, image: QImage | None, now: float) -> None:
        """Adds a picture."""
        if self._recorder is None or image is None:
            return
        try:
            self._recorder.add(to_pixels(image), now)
        except RecordingError as error:
            self._recorder = None
            self.failed.emit(str(error))

    def end(self) -> None:
        """Ends the recording; the file is finished in the background."""
        if self._recorder is not None:
            recorder, target = self._recorder, self._target
            self._recorder = None
            self._calls.submit(
                recorder.close,
                on_result=lambda _: self.said.emit(f"recorded {recorder.frames} frames: {target}"),
                on_error=lambda error: self.failed.emit(str(error)),
            )

    def close(self) -> None:
        """Ends the recording and waits until the file is finished."""
        recorder, self._recorder = self._recorder, None
        try:
            if recorder is not None:
                recorder.close()
                self.said.emit(f"recorded {recorder.frames} frames: {self._target}")
        except RecordingError as error:
            self.failed.emit(str(error))
        self._calls.close()


def to_pixels(image: QImage) -> Pixels:
    """(height, width, 3) uint8 RGB of an image, a copy."""
    converted = image.convertToFormat(QImage.Format.Format_RGB888)
    memory = converted.constBits()
    assert memory is not None
    data = memory.asstring(converted.sizeInBytes())
    # Qt pads each row to a multiple of four bytes.
    rows: Pixels = np.frombuffer(data, dtype=np.uint8).reshape(image.height(), -1)
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()
