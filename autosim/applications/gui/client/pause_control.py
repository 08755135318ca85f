"""Pause, resume and single steps from the client's window."""

from collections.abc import Callable

from PyQt6.QtCore import QObject, pyqtSignal

from autosim.applications.gui.shared.background_calls import BackgroundCalls
from autosim.applications.gui.shared.orders import Orders
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import SimulationControl, Status
from autosim.model.phase import Phase

STANDING = (Phase.READY, Phase.PAUSED)


class PauseControl(QObject):
    """Gives a server the orders of a client's user, and knows what its simulation does.

    Args:
        control: gives the way to the server, None while there is none.
        parent: owns it.

    `orders` takes its orders, one after another.

    Signals: `changed`: `phase` is another one; `failed` (text): an order was not obeyed.
    """

    changed = pyqtSignal()
    failed = pyqtSignal(str)

    def __init__(self, control: Callable[[], SimulationControl | None], parent: QObject) -> None:
        super().__init__(parent)
        self.phase: Phase | None = None
        self._control = control
        self._calls = BackgroundCalls(self)
        self.orders = Orders(control, self._calls, self)
        self.orders.told.connect(self._hear)
        # The connection itself says why a lost server does not answer.
        self.orders.unanswered.connect(lambda: self._take(None))
        self.orders.failed.connect(lambda error: self.failed.emit(str(error)))

    @property
    def is_standing(self) -> bool:
        """Whether the simulation is paused, and may do a step or resume."""
        return self.phase in STANDING

    def toggle(self) -> None:
        """Pauses a running simulation, and runs a paused one in real time."""
        # The key may be pressed again before the server has answered.
        coming = self.orders.coming or self.phase
        if coming in STANDING:
            self.orders.run()
        else:
            self.orders.pause()

    def step(self) -> None:
        """Does one step."""
        self.orders.step()

    def choose_step_size(self, steps_per_second: int) -> None:
        """Restarts the server's world with this number of steps per simulated second."""
        control = self._control()
        if control is None:
            return

        def load() -> None:
            for _ in ServerManagement(control).load("", steps_per_second=steps_per_second):
                pass

        self._calls.submit(
            load,
            on_result=lambda _: self.ask(),
            on_error=lambda error: self.failed.emit(str(error)),
        )

    def ask(self) -> None:
        """Asks what the simulation does, unless the last answer is still to come."""
        if self._control() is None:
            self._take(None)
        else:
            self.orders.ask_status()

    def close(self) -> None:
        """Stops waiting for answers."""
        self._calls.close()

    def _hear(self, status: Status) -> None:
        self._take(status.phase if self._control() is not None else None)

    def _take(self, phase: Phase | None) -> None:
        if phase is not self.phase:
            self.phase = phase
            self.changed.emit()
