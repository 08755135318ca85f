"""Orders of a window to a server's simulation: run, pause, step, set an actuator."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

import numpy.typing as npt
from PyQt6.QtCore import QObject, pyqtSignal

from autosim.applications.gui.shared.background_calls import BackgroundCalls
from autosim.client.link.mirror import Mirror
from autosim.client.link.simulation_control import SimulationControl, Status
from autosim.model.actuator_limits import within_limits
from autosim.model.commands import command_for
from autosim.model.phase import Phase

T = TypeVar("T")


class Orders(QObject):
    """Gives a server the orders of the window's user, one after another.

    Only a pause overtakes: it interrupts a step that takes long, and takes back each run that waits
    for that step's end.

    `coming`: the phase that the last order to run or to pause leads to, None once it is answered.
    `is_changing`: a change of the world is ordered and not answered yet, so that a status may be
    from before it.

    Signals: `told` (Status) after each order and each `ask_status`; `failed` (Exception): an order
    was not obeyed; `unanswered`: an `ask_status` got no answer; `coming_changed`: `coming` did.

    Args:
        control: gives the way to the server, None while there is none.
        calls: makes the calls; what it does in order is in order with these orders.
        parent: owns it.
    """

    told = pyqtSignal(object)
    failed = pyqtSignal(object)
    unanswered = pyqtSignal()
    coming_changed = pyqtSignal()

    def __init__(
        self,
        control: Callable[[], SimulationControl | None],
        calls: BackgroundCalls,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._control = control
        self._calls = calls
        self._count = 0
        self._changes = 0
        self._is_asking = False
        self.coming: Phase | None = None
        self._last = 0
        self._step: Future[Status] | None = None
        self._runs: list[Future[Status]] = []

    def run(self, real_time_factor: float = 1.0) -> None:
        """Runs on; 0: as fast as it goes."""
        order = self._order(
            lambda server: server.run(real_time_factor=real_time_factor), leads_to=Phase.RUNNING
        )
        waiting = [each for each in self._runs if not each.done()]
        self._runs = [*waiting, order] if order is not None else waiting

    def pause(self) -> None:
        """Pauses after the current step."""
        if self._step is None or self._step.done():
            self._order(lambda server: server.pause(), leads_to=Phase.PAUSED)
            return
        begun = [order for order in self._runs if not order.cancel()]

        def pause(server: SimulationControl) -> Status:
            wait(begun)
            return server.pause()

        self._order(pause, is_in_order=False, leads_to=Phase.PAUSED)

    def step(self) -> None:
        """Does one step, however long its user programs take."""
        self._step = self._order(lambda server: server.step())

    def set_data(
        self, mirror: Mirror, actuator: str, values: npt.ArrayLike, *, is_running: bool
    ) -> None:
        """Sets an actuator at the next step; also at a step that is ordered right after this.

        Args:
            mirror: of the simulation.
            actuator: its qualified name.
            values: one for each of its fields.
            is_running: the simulation runs, so that it takes commands as they come.

        Raises:
            DeviceError: no such actuator, or values that it does not take.
        """
        control = self._control()
        if control is None:
            return
        if is_running:
            self._count += 1
            mirror.set_data({actuator: values})
            return
        command = within_limits(mirror.tree, command_for(mirror.tree, actuator, values))
        self.change(
            lambda server: server.set_data_now([command]), on_result=lambda _: self.ask_status()
        )

    @property
    def is_changing(self) -> bool:
        """Whether an order of `change` is not answered yet."""
        return self._changes > 0

    def change(
        self,
        give: Callable[[SimulationControl], T],
        *,
        on_result: Callable[[T], None],
        on_error: Callable[[Exception], None] | None = None,
    ) -> None:
        """Gives an order that changes the world; `failed` or `on_error` tells where it fails."""
        control = self._control()
        if control is None:
            return
        self._count += 1
        self._changes += 1

        def settle() -> None:
            self._count += 1
            self._changes -= 1

        def take(answer: T) -> None:
            settle()
            on_result(answer)

        def complain(error: Exception) -> None:
            settle()
            (on_error or self.failed.emit)(error)
            self.ask_status()

        self._calls.submit(
            lambda: give(control), on_result=take, on_error=complain, is_in_order=True
        )

    def ask_status(self) -> None:
        """Asks where the simulation stands; a status older than an order is not told."""
        control = self._control()
        if self._is_asking or control is None:
            return
        self._is_asking = True
        count = self._count

        def take(status: Status) -> None:
            self._is_asking = False
            if count == self._count:
                self.told.emit(status)

        def leave(_: Exception) -> None:
            self._is_asking = False
            self.unanswered.emit()

        self._calls.submit(control.status, on_result=take, on_error=leave)

    def _order(
        self,
        give: Callable[[SimulationControl], Status],
        *,
        is_in_order: bool = True,
        leads_to: Phase | None = None,
    ) -> "Future[Status] | None":
        control = self._control()
        if control is None:
            return None
        self._count += 1

        def take(status: Status) -> None:
            self._count += 1
            settle()
            self.told.emit(status)

        def complain(error: Exception) -> None:
            self._count += 1
            settle()
            self.failed.emit(error)

        def settle() -> None:
            if number == self._last and leads_to is not None:
                self._expect(None)

        if leads_to is not None:
            self._last += 1
            self._expect(leads_to)
        number = self._last
        return self._calls.submit(
            lambda: give(control), on_result=take, on_error=complain, is_in_order=is_in_order
        )

    def _expect(self, phase: Phase | None) -> None:
        self.coming = phase
        self.coming_changed.emit()
