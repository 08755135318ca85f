"""Runs a task in parallel to a window's event loop, with progress, failure and cancellation."""

import threading
import traceback
from collections.abc import Callable

from PyQt6.QtCore import QThread, pyqtSignal

from autosim.errors import UserError
from autosim.tools.osm_manipulator.furnish_options import Progress
from autosim.tools.osm_manipulator.manipulator_errors import CancelledError

Task = Callable[[Progress], None]


class Worker(QThread):
    """Runs one task. Its last signal is `succeeded`, `failed` or `cancelled`.

    `progressed` carries the name of the step and the share of work done (0..1).
    """

    progressed = pyqtSignal(str, float)
    succeeded = pyqtSignal()
    failed = pyqtSignal(str)
    cancelled = pyqtSignal()

    def __init__(self, task: Task) -> None:
        super().__init__()
        self._task = task
        self._is_cancelled = threading.Event()

    def cancel(self) -> None:
        """Asks the task to end at its next sign of progress."""
        self._is_cancelled.set()

    def run(self) -> None:
        """Runs in the thread; callers use `start`."""
        try:
            self._task(self._note)
        except CancelledError:
            self.cancelled.emit()
        except UserError as error:
            self.failed.emit(str(error))
        except Exception as error:
            # A fault of this program: the window stays open, and the terminal shows the traceback.
            traceback.print_exc()
            self.failed.emit(f"a fault of this program: {type(error).__name__}: {error}")
        else:
            self.succeeded.emit()

    def _note(self, step: str, share: float) -> None:
        if self._is_cancelled.is_set():
            raise CancelledError("cancelled; nothing was written")
        self.progressed.emit(step, share)
