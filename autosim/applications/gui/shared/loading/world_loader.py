"""The one world that a window prepares, and its messages: for both windows."""

from PyQt6.QtCore import QObject, pyqtSignal

from autosim.applications.common.warning_lines import shortened_warnings
from autosim.applications.gui.shared.loading.fetch_worker import FetchOrder
from autosim.applications.gui.shared.loading.loading_process import LoadingProcess
from autosim.applications.gui.shared.messages.entries import entry_of_diagnostic, entry_of_text
from autosim.loading.world_worker import PreparationDone, PreparationRefused, PrepareOrder


class WorldLoader(QObject):
    """Prepares one world at a time; the one before is dropped.

    Signals: `progressed` (step, share), `prepared` (WorldDescription), `drawn` (`MapPicture`),
    `said` (Entry: warnings and faults), `refused` after the faults. After `drop` there are none.

    Args:
        source: name of the source of messages that are not about a file.
        parent: owns it.
    """

    progressed = pyqtSignal(str, float)
    prepared = pyqtSignal(object)
    drawn = pyqtSignal(object)
    said = pyqtSignal(object)
    refused = pyqtSignal()

    def __init__(self, source: str, parent: QObject) -> None:
        super().__init__(parent)
        self._source = source
        self._loading: LoadingProcess | None = None

    def start(self, order: PrepareOrder | FetchOrder) -> None:
        """Prepares the world of `order`."""
        self.drop()
        self._loading = LoadingProcess(order, self)
        self._loading.progressed.connect(self.progressed)
        self._loading.prepared.connect(self._take)
        self._loading.drawn.connect(self.drawn)
        self._loading.refused.connect(self._refuse)

    def draw(self, order: PrepareOrder) -> None:
        """Draws the map of a world that is known already; without further messages."""
        self.drop()
        self._loading = LoadingProcess(order, self)
        self._loading.drawn.connect(self.drawn)

    def drop(self) -> None:
        """Ends what is on its way."""
        if self._loading is not None:
            self._loading.cancel()
            self._loading.deleteLater()
            self._loading = None

    def _take(self, prepared: PreparationDone) -> None:
        osm = prepared.world.terrain.osm
        warnings, note = shortened_warnings(prepared.warnings, osm)
        for warning in warnings:
            self.said.emit(entry_of_diagnostic(warning))
        if note:
            self.said.emit(entry_of_text("info", osm.name, note))
        self.prepared.emit(prepared.world)

    def _refuse(self, refused: PreparationRefused) -> None:
        self.drop()
        for diagnostic in refused.diagnostics:
            self.said.emit(entry_of_diagnostic(diagnostic))
        if refused.reason:
            self.said.emit(entry_of_text("error", self._source, refused.reason))
        self.refused.emit()
