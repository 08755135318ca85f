"""Prepares a world in a separate process, which Cancel ends at once."""

import subprocess

from PyQt6 import sip
from PyQt6.QtCore import QObject, QSocketNotifier, pyqtSignal

from autosim.applications.gui.shared.loading.fetch_worker import FetchOrder
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import start_python
from autosim.loading.world_worker import (
    MapPicture,
    PreparationDone,
    PreparationProgress,
    PreparationRefused,
    PrepareOrder,
)


class LoadingProcess(QObject):
    """One world on its way. Starts at once; ends by itself, or with `cancel`.

    Signals: `progressed` (step, share), `prepared` (`PreparationDone`), `drawn` (`MapPicture`),
    `refused` (`PreparationRefused`). After `cancel` there are none.
    """

    progressed = pyqtSignal(str, float)
    prepared = pyqtSignal(object)
    drawn = pyqtSignal(object)
    refused = pyqtSignal(object)

    def __init__(self, order: PrepareOrder | FetchOrder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._control, theirs = ControlSocket.pair()
        self._process: subprocess.Popen[bytes] = start_python(
            "autosim.applications.gui.shared.loading.fetch_worker", theirs
        )
        theirs.close()
        self._control.send(order)
        self._control.set_blocking(False)
        self._is_prepared = False
        self._is_over = False
        self._notifier = QSocketNotifier(
            sip.voidptr(self._control.fileno()), QSocketNotifier.Type.Read, self
        )
        self._notifier.activated.connect(self._receive)

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def cancel(self) -> None:
        """Ends the process and waits until it is gone; nothing if it has ended."""
        if self._is_over:
            return
        self._is_over = True
        self._notifier.setEnabled(False)
        self._process.kill()
        self._process.wait()
        self._control.close()

    def _receive(self) -> None:
        while not self._is_over:
            try:
                message, _ = self._control.receive()
            except BlockingIOError:
                return
            except ControlClosedError:
                self._end()
                return
            self._handle(message)

    def _handle(self, message: object) -> None:
        match message:
            case PreparationProgress(step, share):
                self.progressed.emit(step, share)
            case PreparationDone():
                self._is_prepared = True
                self.prepared.emit(message)
            case MapPicture():
                self.drawn.emit(message)
            case PreparationRefused():
                self._is_prepared = True
                self.refused.emit(message)

    def _end(self) -> None:
        was_prepared = self._is_prepared
        self.cancel()
        if not was_prepared:
            code = self._process.returncode
            reason = f"the process that loads the world has ended (exit code {code})"
            self.refused.emit(PreparationRefused((), reason))
