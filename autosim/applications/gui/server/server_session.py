"""A running server as the window sees it: its processes, the mirror of its state, its orders."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from typing import TypeVar

import numpy.typing as npt
from PyQt6.QtCore import QObject, pyqtSignal

from autosim.applications.common.files import write_whole
from autosim.applications.gui.server.link import Link, open_link, open_mirror
from autosim.applications.gui.shared.calls import Calls
from autosim.client.link.failures import ClientError
from autosim.client.link.mirror import Mirror
from autosim.client.link.server_control import ServerControl, Status
from autosim.client.link.server_management import (
    ProgramInfo,
    RobotMove,
    RobotOrder,
    ServerManagement,
)
from autosim.config.descriptions import WorldDescription
from autosim.server.errors import ServerError, StoppedError
from autosim.server.network.front import Event, ServerOptions, WorldChanged
from autosim.simulation.commands import command_for
from autosim.simulation.limits import within_limits
from autosim.simulation.notices import Notice, Severity
from autosim.simulation.phase import Phase

T = TypeVar("T")


class Session(QObject):
    """One server, from its start to its end. Starts at once; `end` or `close` ends it.

    Signals: `opened` once there is a `mirror`; `changed` (Status) after each order and each
    `ask_status`; `listed` (the clients) after `ask_clients`; `programs_listed` (the user programs)
    after `ask_programs` and each order to one; `world_changed` (WorldDescription) when the server
    simulates another world, once there is a `mirror` of it; `noticed` (Notice); `ended` (why, ""
    where it was told to).
    """

    opened = pyqtSignal()
    changed = pyqtSignal(object)
    noticed = pyqtSignal(object)
    listed = pyqtSignal(object)
    programs_listed = pyqtSignal(object)
    world_changed = pyqtSignal(object)
    ended = pyqtSignal(str)

    def __init__(
        self, world: WorldDescription, options: ServerOptions, *, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._calls = Calls(self)
        self._events: deque[Event] = deque()
        self._link: Link | None = None
        self._is_over = False
        self._orders = self._step = 0
        self._step_order: Future[Status] | None = None
        self._run_orders: list[Future[Status]] = []
        self._is_asking = self._is_asking_programs = self._is_reopening = False
        self._opening: Future[Link] = self._calls.submit(
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
        """Where clients reach it; "" while it cannot be reached."""
        return self._link.server.address if self._link else ""

    def _take_link(self, link: Link) -> None:
        self._link = link
        self.opened.emit()
        self.ask_status()

    def poll(self) -> bool:
        """Takes over the newest state; True where there is one. Also tells what was said."""
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
            elif isinstance(event, WorldChanged):
                self._reopen(event.world)

    def _reopen(self, world: WorldDescription) -> None:
        """The tree is another one now: so is the mirror."""
        if self._link is None or self._is_over:
            return
        link, self._is_reopening = self._link, True

        def take(mirror: Mirror) -> None:
            self._is_reopening = False
            link.mirror, old = mirror, link.mirror
            self._calls.submit(old.close)
            self.world_changed.emit(world)
            self.ask_status()
            self.ask_programs()

        self._calls.submit(
            lambda: open_mirror(world, link.server.address),
            on_result=take,
            on_error=lambda error: self._end(str(error)),
            is_in_order=True,
        )

    def run(self, real_time_factor: float) -> None:
        """Runs on; 0: as fast as it goes."""
        order = self._order(
            lambda server: server.run(real_time_factor=real_time_factor), is_in_order=True
        )
        self._run_orders = [each for each in (*self._run_orders, order) if not each.done()]

    def pause(self) -> None:
        """Stands still after the step in hand."""
        if self._step_order is None or self._step_order.done():
            self._order(lambda server: server.pause(), is_in_order=True)
            return
        # It interrupts the step, and takes back each run that waits for that step's end.
        begun = [order for order in self._run_orders if not order.cancel()]

        def pause(server: ServerControl) -> Status:
            wait(begun)
            return server.pause()

        self._order(pause, is_in_order=False)

    def step(self) -> None:
        """Does one step, however long its user programs take."""
        self._step_order = self._order(lambda server: server.step(), is_in_order=True)

    def ask_status(self) -> None:
        """Asks where the simulation stands; what is older than an order is not told."""
        if self._is_asking or self._link is None or self._is_over:
            return
        self._is_asking = True
        asked, control = self._orders, self._link.control

        def tell(status: Status | None) -> None:
            self._is_asking = False
            if status is not None and asked == self._orders:
                self._tell_status(status)

        # A lost server is said by `poll`, which knows why.
        self._calls.submit(control.status, on_result=tell, on_error=lambda error: tell(None))

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

    def restart_program(self, robot: str) -> None:
        """Starts the program of a robot, again where it runs."""
        self._manage(lambda server: server.restart_program(robot), self._tell_programs)

    def attach_program(self, robot: str, file: str, arguments: Sequence[str]) -> None:
        """Makes a file the program of a robot."""
        self._manage(
            lambda server: server.attach_program(robot, file, arguments), self._tell_programs
        )

    def add_robot(self, robot: RobotOrder) -> None:
        """Puts a robot into the simulation; `world_changed` follows."""
        self._manage(lambda server: server.add_robot(robot))

    def move_robot(self, move: RobotMove, *, on_refusal: Callable[[], None]) -> None:
        """Puts a robot elsewhere; `on_refusal` is called where it cannot stand there."""

        def refuse(error: Exception) -> None:
            on_refusal()
            self._complain(error)

        self._manage(lambda server: server.move_robot(move), on_error=refuse, is_in_order=True)

    def remove_robot(self, robot: str) -> None:
        """Takes a robot out of the simulation; `world_changed` follows."""
        self._manage(lambda server: server.remove_robot(robot))

    def save(self, file: Path) -> None:
        """Writes the world as it stands to a world file."""

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

    def _tell_programs(self, programs: Sequence[ProgramInfo]) -> None:
        self._is_asking_programs = False
        if not self._is_over:
            self.programs_listed.emit(programs)

    def _leave_programs(self, error: Exception) -> None:
        # A lost server is said by `poll`, which knows why.
        self._is_asking_programs = False

    def set_data(self, actuator: str, values: npt.ArrayLike, *, is_running: bool) -> None:
        """Sets an actuator at the next step; also at a step that is ordered right after this.

        Raises:
            DeviceError: no such actuator, or values that it does not take.
        """
        if self._link is None:
            return
        control, mirror = self._link.control, self._link.mirror
        if is_running:
            mirror.set_data({actuator: values})
            return
        command = within_limits(mirror.tree, command_for(mirror.tree, actuator, values))
        self._calls.submit(
            lambda: control.set_data_now([command]),
            on_error=self._complain,
            is_in_order=True,
        )

    def _order(
        self, give: Callable[[ServerControl], Status], *, is_in_order: bool
    ) -> "Future[Status]":
        if self._link is None:
            none: Future[Status] = Future()
            none.cancel()
            return none
        control = self._link.control
        self._orders += 1

        def tell(status: Status) -> None:
            self._orders += 1
            self._tell_status(status)

        def complain(error: Exception) -> None:
            self._orders += 1
            self._complain(error)

        return self._calls.submit(
            lambda: give(control), on_result=tell, on_error=complain, is_in_order=is_in_order
        )

    def _complain(self, error: Exception) -> None:
        if not self._is_over:
            self._say("error", str(error))

    def _say(self, level: Severity, text: str) -> None:
        # The mirror of a world that has just changed has no state yet.
        self.noticed.emit(Notice(level, "server", self._step, text))

    def _tell_status(self, status: Status) -> None:
        if not self._is_over and status.phase is not Phase.STOPPED:
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
