"""The simulated time, from the client's window: to let it stand, to go on, to do one step."""

from collections.abc import Callable

from PyQt6.QtCore import QObject, pyqtSignal

from autosim.applications.gui.shared.calls import Calls
from autosim.client.link.connection import Connection
from autosim.client.link.server_control import Status
from autosim.simulation.phase import Phase

STANDING = (Phase.READY, Phase.PAUSED)


class TimeControl(QObject):
    """Gives a server the orders of its clients' people, and knows what its simulation does.

    Args:
        connection: gives the connection to the server, None while there is none.

    Signals: `changed`: `phase` is another one; `failed` (text): an order was not obeyed.
    """

    changed = pyqtSignal()
    failed = pyqtSignal(str)

    def __init__(self, connection: Callable[[], Connection | None], parent: QObject) -> None:
        super().__init__(parent)
        self.phase: Phase | None = None
        self._connection = connection
        self._calls = Calls(self)
        self._is_asking = False

    @property
    def is_standing(self) -> bool:
        """Whether the simulation stands still, and may do a step or go on."""
        return self.phase in STANDING

    def toggle(self) -> None:
        """Lets the simulation stand where it runs, and run in real time where it stands."""
        if self.is_standing:
            self._order(lambda connection: connection.run())
        else:
            self._order(lambda connection: connection.pause())

    def step(self) -> None:
        """Does one step."""
        self._order(lambda connection: connection.step())

    def ask(self) -> None:
        """Asks what the simulation does, unless the last answer is still to come."""
        connection = self._connection()
        if connection is None:
            self._take(None)
        elif not self._is_asking:
            self._is_asking = True
            self._calls.submit(
                connection.status, on_result=self._hear, on_error=lambda _: self._hear(None)
            )

    def close(self) -> None:
        """Waits for no answer any more."""
        self._calls.close()

    def _order(self, give: Callable[[Connection], Status]) -> None:
        connection = self._connection()
        if connection is not None:
            self._calls.submit(
                lambda: give(connection),
                on_result=lambda status: self._take(status.phase),
                on_error=lambda error: self.failed.emit(str(error)),
                is_in_order=True,
            )

    def _hear(self, status: Status | None) -> None:
        self._is_asking = False
        # A lost server is said by the connection, which knows why.
        is_connected = status is not None and self._connection() is not None
        self._take(status.phase if status is not None and is_connected else None)

    def _take(self, phase: Phase | None) -> None:
        if phase is not self.phase:
            self.phase = phase
            self.changed.emit()
