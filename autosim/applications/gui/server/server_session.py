"""A running server as the window sees it: its processes, the mirror of its state, its orders."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

import numpy.typing as npt
from PyQt6.QtCore import QObject, pyqtSignal

from autosim.applications.common.files import write_whole
from autosim.applications.gui.server.server_link import ServerLink, open_link, open_window_mirror
from autosim.applications.gui.shared.background_calls import BackgroundCalls
from autosim.applications.gui.shared.orders import Orders
from autosim.client.link.client_errors import ClientError
from autosim.client.link.mirror import Mirror
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import SimulationControl, Status
from autosim.client.link.time_control import TimeControl, TimeInfo
from autosim.config.descriptions import WorldDescription
from autosim.model.notices import Notice, Severity
from autosim.model.phase import Phase
from autosim.orders.programs import ProgramReport
from autosim.orders.robot_orders import AddRobot, MoveRobot
from autosim.server.network.front import (
    Event,
    LoadAnswered,
    Printed,
    ServerOptions,
    WorldChanged,
)
from autosim.server.server_errors import ServerError, StoppedError

T = TypeVar("T")


class ServerSession(QObject):
    """One server, from its start to its end. Starts at once; `end` or `close` ends it.

    `orders` takes orders to the simulation.

    Signals: `opened` once there is a `mirror`; `changed` (Status) after each order, and each
    question for it; `listed` (the clients) after `ask_clients`; `programs_listed` (the user
    programs) after `ask_programs` and each order to one; `world_changed` (WorldDescription) when
    the server simulates another world, once there is a `mirror` of it (WorldChanged);
    `undoable_told` (the change that `undo` undoes, in words, "" for none) after each change and
    each status; `load_refused` (LoadAnswered) where `load` has failed; `times_told` (TimeInfo)
    after `ask_times` and each order to time; `coming_changed`: that of `orders`; `noticed`
    (Notice); `ended` (why, "" if it was ordered).
    """

    opened = pyqtSignal()
    changed = pyqtSignal(object)
    noticed = pyqtSignal(object)
    listed = pyqtSignal(object)
    programs_listed = pyqtSignal(object)
    world_changed = pyqtSignal(object)
    load_refused = pyqtSignal(object)
    undoable_told = pyqtSignal(str)
    times_told = pyqtSignal(object)
    ended = pyqtSignal(str)
    coming_changed = pyqtSignal()

    def __init__(
        self, world: WorldDescription, options: ServerOptions, *, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._options = options
        self._calls = BackgroundCalls(self)
        self._events: deque[Event] = deque()
        self._link: ServerLink | None = None
        self._is_over = False
        self._step = 0
        # A lost server is reported by `poll`, which knows the reason: `unanswered` is ignored.
        self.orders = Orders(self._control, self._calls, self)
        self.orders.told.connect(self._tell_status)
        self.orders.failed.connect(self._complain)
        self.orders.coming_changed.connect(self.coming_changed)
        self._is_asking_programs = self._is_asking_times = False
        self._is_reopening = False
        self._opening: Future[ServerLink] = self._calls.submit(
            lambda: open_link(world, options, self._events.append),
            on_result=self._take_link,
            on_error=lambda error: self._end(str(error)),
        )

    @property
    def mirror(self) -> Mirror | None:
        """The mirror of its state; None before `opened` and after the end."""
        return self._link.mirror if self._link else None

    @property
    def address(self) -> str:
        """Address for clients; "" while it cannot be reached."""
        return self._link.server.address if self._link else ""

    def _control(self) -> SimulationControl | None:
        return self._link.control if self._link is not None and not self._is_over else None

    def _take_link(self, link: ServerLink) -> None:
        self._link = link
        self.opened.emit()
        self.orders.ask_status()

    def poll(self) -> bool:
        """Takes over the newest state; True if there is one. Also reports new notices."""
        if self._link is None or self._is_over:
            return False
        try:
            self._link.server.poll()
            self._handle_events()
            return not self._is_reopening and self._take_state(self._link.mirror)
        except (ServerError, ClientError) as error:
            self._handle_events()
            self._end_for(error)
            return False

    def _take_state(self, mirror: Mirror) -> bool:
        has_come = mirror.take()
        if has_come:
            self._step = mirror.state.step
        return has_come

    def _handle_events(self) -> None:
        while self._events:
            event = self._events.popleft()
            if isinstance(event, Notice):
                self.noticed.emit(event)
            elif isinstance(event, Printed):
                self.noticed.emit(event.notice)
            elif isinstance(event, WorldChanged):
                self._reopen(event)
            elif isinstance(event, LoadAnswered) and event.refusal:
                self.load_refused.emit(event)

    def has_address_of(self, options: ServerOptions) -> bool:
        """Whether it can be reached, and as `options` say: by the same address and certificates."""
        own = self._options
        return (
            self._link is not None
            and not self._is_over
            and (own.address, own.is_insecure) == (options.address, options.is_insecure)
            and (own.certificate, own.key) == (options.certificate, options.key)
        )

    def load(self, world: WorldDescription, options: ServerOptions) -> None:
        """Makes the server load a compiled world in place of the current one.

        `world_changed` follows, or `load_refused`; then the present world continues.
        """
        if self._link is not None and not self._is_over:
            self._options = options
            self._give_order(lambda link: link.server.load(world, options))

    def cancel_load(self) -> None:
        """Ends the loading that `load` began, unless it is done."""
        self._give_order(lambda link: link.server.cancel_load())

    def _give_order(self, order: Callable[[ServerLink], None]) -> None:
        if self._link is None or self._is_over:
            return
        try:
            order(self._link)
        except ServerError:
            self.poll()  # says why the server has ended

    def _reopen(self, changed: WorldChanged) -> None:
        """The tree is another one now: so is the mirror."""
        if self._link is None or self._is_over:
            return
        link, self._is_reopening = self._link, True
        world = changed.world

        def take(mirror: Mirror) -> None:
            self._is_reopening = False
            link.mirror, old = mirror, link.mirror
            self._calls.submit(old.close)
            self.world_changed.emit(changed)
            self.orders.ask_status()
            self.ask_programs()

        self._calls.submit(
            lambda: open_window_mirror(world, link.server.address),
            on_result=take,
            on_error=lambda error: self._end(str(error)),
            is_in_order=True,
        )

    def ask_clients(self) -> None:
        """Asks who is connected."""
        if self._link is not None and not self._is_over:
            self._calls.submit(self._link.control.clients, on_result=self.listed.emit)

    def ask_programs(self) -> None:
        """Asks how the user programs fare."""
        if not self._is_asking_programs:
            self._is_asking_programs = True
            self._manage(ServerManagement.programs, self._tell_programs, self._leave_programs)

    def stop_program(self, robot: str) -> None:
        """Ends the program of a robot."""
        self._manage(lambda server: server.stop_program(robot), self._tell_programs)

    def restart_program(self, robot: str, arguments: Sequence[str] | None = None) -> None:
        """Starts the program of a robot, again where it runs; with other arguments unless None."""
        self._manage(lambda server: server.restart_program(robot, arguments), self._tell_programs)

    def attach_program(self, robot: str, file: str, arguments: Sequence[str]) -> None:
        """Makes a file the program of a robot."""
        self._manage(
            lambda server: server.attach_program(robot, file, arguments), self._tell_programs
        )

    def add_robot(self, robot: AddRobot) -> None:
        """Puts a robot into the simulation; `world_changed` follows."""
        self._change(lambda server: server.add_robot(robot).undoable)

    def move_robot(self, move: MoveRobot) -> None:
        """Puts a robot elsewhere."""
        self._change(lambda server: server.move_robot(move).undoable)

    def remove_robot(self, robot: str) -> None:
        """Takes a robot out of the simulation; `world_changed` follows."""
        self._change(lambda server: server.remove_robot(robot).undoable)

    def undo(self) -> None:
        """Undoes the last change, whichever client has made it, after all orders before.

        The server knows whether there is one: where there is none, `noticed` tells.
        """
        self._change(lambda server: server.undo().next, level="warning")

    def _change(self, do: Callable[[ServerManagement], str], level: Severity = "error") -> None:
        """Gives an order that can be undone, or undoes one.

        Args:
            do: gives the order; returns the change that can be undone next, in words.
            level: of the message where the server refuses it.
        """
        self.orders.change(
            lambda control: do(ServerManagement(control)),
            on_result=self._tell_undoable,
            on_error=lambda error: self._complain(error, level),
        )

    def _tell_undoable(self, text: str) -> None:
        # Of an order that is still on its way, the last answer does not know.
        if not self._is_over and not self.orders.is_changing:
            self.undoable_told.emit(text)

    def order_time(self, order: Callable[[TimeControl], TimeInfo]) -> None:
        """Gives an order to the simulation's time, or asks for it; `times_told` follows."""
        if self._link is None or self._is_over:
            return
        control = TimeControl(self._link.control)
        self._calls.submit(
            lambda: order(control),
            on_result=self.times_told.emit,
            on_error=self._complain,
            is_in_order=True,
        )

    def ask_times(self) -> None:
        """Asks for the record and the snapshots; a lost server is reported by `poll`."""
        if self._link is None or self._is_over or self._is_asking_times:
            return
        control, self._is_asking_times = TimeControl(self._link.control), True

        def tell(info: TimeInfo | None) -> None:
            self._is_asking_times = False
            if info is not None:
                self.times_told.emit(info)

        self._calls.submit(control.report, on_result=tell, on_error=lambda error: tell(None))

    def save(self, file: Path) -> None:
        """Writes the current world to a world file."""

        def save(server: ServerManagement) -> None:
            write_whole(file, server.save(str(file.absolute().parent)).encode())

        def tell(_: None) -> None:
            self._say("info", f"the world is saved in {file}")

        self._manage(save, tell)

    def _manage(
        self,
        do: Callable[[ServerManagement], T],
        on_result: Callable[[T], None] = lambda result: None,
        on_error: Callable[[Exception], None] | None = None,
        *,
        is_in_order: bool = False,
    ) -> None:
        if self._link is None or self._is_over:
            return
        management = ServerManagement(self._link.control)
        self._calls.submit(
            lambda: do(management),
            on_result=on_result,
            on_error=on_error or self._complain,
            is_in_order=is_in_order,
        )

    def _tell_programs(self, programs: Sequence[ProgramReport]) -> None:
        self._is_asking_programs = False
        if not self._is_over:
            self.programs_listed.emit(programs)

    def _leave_programs(self, error: Exception) -> None:
        # A lost server is reported by `poll`, which knows the reason.
        self._is_asking_programs = False

    def set_data(self, actuator: str, values: npt.ArrayLike, *, is_running: bool) -> None:
        """Sets an actuator at the next step; also at a step that is ordered right after this.

        Raises:
            DeviceError: no such actuator, or values that it does not take.
        """
        if self.mirror is not None:
            self.orders.set_data(self.mirror, actuator, values, is_running=is_running)

    def _complain(self, error: Exception, level: Severity = "error") -> None:
        if not self._is_over:
            self._say(level, str(error))

    def _say(self, level: Severity, text: str) -> None:
        # The mirror of a world that has just changed has no state yet.
        self.noticed.emit(Notice(level, "server", self._step, text))

    def _tell_status(self, status: Status) -> None:
        if not self._is_over and status.phase is not Phase.STOPPED:
            self._tell_undoable(status.undoable)
            self.changed.emit(status)

    def end(self) -> None:
        """Ends the server beside the window; `ended` follows."""
        if self._is_over:
            return
        self._is_over = True
        self._calls.submit(
            self._close_link,
            on_result=lambda _: self._say_end(""),
            on_error=lambda error: self._say_end(str(error)),
        )

    def _end(self, why: str) -> None:
        if self._is_over:
            return
        self._is_over = True
        self._calls.submit(self._close_link, on_result=lambda _: self._say_end(why))

    def _end_for(self, error: ServerError | ClientError) -> None:
        if isinstance(error, StoppedError):
            text = "the server was stopped from outside this window; Run (F5) starts it again"
            self._say("warning", text)
            self._end("")
        else:
            self._end(str(error))

    def _close_link(self) -> None:
        # A server that is just starting is there only when its start is over.
        error = self._opening.exception()
        if error is None:
            self._opening.result().close()

    def _say_end(self, why: str) -> None:
        self._link = None
        self._calls.close()
        self.ended.emit(why)

    def close(self) -> None:
        """Ends the server and waits until its processes are gone; `ended` does not follow."""
        self._is_over = True
        self._calls.close()
        if not self._opening.cancelled():
            self._close_link()
        self._link = None
